"""OpenCV's KeyPoint and DMatch: the classes of cv2 if it is imported, otherwise light classes with the same fields."""

from __future__ import annotations

import sys
from typing import Any, Iterable, Tuple

import numpy as np

from .arrays import Array


class KeyPoint:
    """A feature as OpenCV has it.

    Attributes:
        pt: x and y, px.
        size: Diameter, px; of SIFT twice the scale of the Gaussian.
        angle: Degrees in [0, 360) from x towards y; -1 without one.
        response: Strength.
        octave: Octave in the lowest byte, layer in the second one.
        class_id: A number of the user's.
    """

    __slots__ = ("angle", "class_id", "octave", "pt", "response", "size")

    def __init__(
        self, x: float = 0.0, y: float = 0.0, size: float = 0.0, angle: float = -1.0, response: float = 0.0, octave: int = 0, class_id: int = -1
    ) -> None:
        self.pt: Tuple[float, float] = (float(x), float(y))
        self.size, self.angle, self.response = float(size), float(angle), float(response)
        self.octave, self.class_id = int(octave), int(class_id)

    def __repr__(self) -> str:
        return f"KeyPoint(pt=({self.pt[0]:.2f}, {self.pt[1]:.2f}), size={self.size:.2f}, angle={self.angle:.1f}, response={self.response:.4f})"

    @staticmethod
    def convert(keypoints: Iterable[Any]) -> Array:
        """Returns the places of keypoints, float32 (N, 2)."""
        return places(keypoints).astype(np.float32)


class DMatch:
    """A match of two descriptors as OpenCV has it."""

    __slots__ = ("distance", "imgIdx", "queryIdx", "trainIdx")

    def __init__(self, queryIdx: int = -1, trainIdx: int = -1, imgIdx: int = -1, distance: float = float(np.finfo(np.float32).max)) -> None:
        self.queryIdx, self.trainIdx, self.imgIdx, self.distance = queryIdx, trainIdx, imgIdx, distance

    def __repr__(self) -> str:
        return f"DMatch(queryIdx={self.queryIdx}, trainIdx={self.trainIdx}, distance={self.distance:.4g})"

    def __lt__(self, other: Any) -> bool:
        return bool(self.distance < other.distance)


def keypoint_class() -> Any:
    """Returns the class of keypoints to make: cv2's if cv2 is imported."""
    return getattr(sys.modules.get("cv2"), "KeyPoint", KeyPoint)


def match_class() -> Any:
    """Returns the class of matches to make: cv2's if cv2 is imported."""
    return getattr(sys.modules.get("cv2"), "DMatch", DMatch)


def places(keypoints: Iterable[Any]) -> Array:
    """Returns x and y of keypoints, float64 [N, 2]."""
    return np.array([k.pt for k in keypoints], np.float64).reshape(-1, 2)
