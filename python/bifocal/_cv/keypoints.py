"""OpenCV's KeyPoint and DMatch: the classes of cv2 if it is imported, otherwise light classes with the same fields."""

from __future__ import annotations

import sys
from typing import Any, Iterable, Tuple

import numpy as np

from .._numbers import shown
from .arrays import Array


class KeyPoint:
    """Feature with OpenCV's fields.

    Args:
        x, y: Position in px, stored as `pt`.
        size, angle, response, octave, class_id: Values of the attributes.

    Attributes:
        pt: x and y in px.
        size: Diameter in px; for SIFT twice the scale of the Gaussian.
        angle: Orientation in degrees, [0, 360) from x towards y; -1 without an orientation.
        response: Strength of the feature.
        octave: Octave in the lowest byte, layer in the second byte.
        class_id: Number for use by the caller.
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
        """Returns the positions of keypoints.

        Args:
            keypoints: KeyPoint, of cv2 or `bifocal.cv`.

        Returns:
            x and y in px, float32 of shape (N, 2).
        """
        return places(keypoints).astype(np.float32)


class DMatch:
    """Match of two descriptors with OpenCV's fields.

    Attributes:
        queryIdx: Index of the descriptor of the first image.
        trainIdx: Index of the descriptor of the second image.
        imgIdx: Index of the second image, 0 in results of this module.
        distance: Distance of the descriptors.
    """

    __slots__ = ("distance", "imgIdx", "queryIdx", "trainIdx")

    def __init__(self, queryIdx: int = -1, trainIdx: int = -1, imgIdx: int = -1, distance: float = float(np.finfo(np.float32).max)) -> None:
        self.queryIdx, self.trainIdx, self.imgIdx, self.distance = queryIdx, trainIdx, imgIdx, distance

    def __repr__(self) -> str:
        return f"DMatch(queryIdx={self.queryIdx}, trainIdx={self.trainIdx}, distance={self.distance:.4g})"

    def __lt__(self, other: Any) -> bool:
        return bool(self.distance < other.distance)


def keypoint_class() -> Any:
    """Returns the class for new keypoints: cv2.KeyPoint if cv2 is imported, otherwise KeyPoint."""
    return getattr(sys.modules.get("cv2"), "KeyPoint", KeyPoint)


def match_class() -> Any:
    """Returns the class for new matches: cv2.DMatch if cv2 is imported, otherwise DMatch."""
    return getattr(sys.modules.get("cv2"), "DMatch", DMatch)


def places(keypoints: Iterable[Any], name: str = "keypoints") -> Array:
    """Returns x and y of keypoints, float64 of shape (N, 2)."""
    kept = list(keypoints)
    for k, keypoint in enumerate(kept):
        if not hasattr(keypoint, "pt"):
            raise TypeError(f"{name}[{k}]: {shown(keypoint)}, must be a KeyPoint")
    return np.array([keypoint.pt for keypoint in kept], np.float64).reshape(-1, 2)
