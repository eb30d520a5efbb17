"""The poses and cameras that the calls of bifocal.poselib return, as PoseLib has them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._numbers import reals

__all__ = ["CameraPose", "ImagePair", "PinholeCamera"]

Array = NDArray[Any]


@dataclass
class CameraPose:
    """X_camera = R X_world + t."""

    R: Array = field(default_factory=lambda: np.eye(3))
    t: Array = field(default_factory=lambda: np.zeros(3))

    @property
    def q(self) -> Array:
        """[4]: the quaternion w x y z."""
        K = np.array(
            [
                [np.trace(self.R) + 1, 0, 0, 0],
                [self.R[2, 1] - self.R[1, 2], 1 + 2 * self.R[0, 0] - np.trace(self.R), 0, 0],
                [self.R[0, 2] - self.R[2, 0], self.R[0, 1] + self.R[1, 0], 1 + 2 * self.R[1, 1] - np.trace(self.R), 0],
                [
                    self.R[1, 0] - self.R[0, 1],
                    self.R[0, 2] + self.R[2, 0],
                    self.R[1, 2] + self.R[2, 1],
                    1 + 2 * self.R[2, 2] - np.trace(self.R),
                ],
            ]
        )
        K = np.tril(K) + np.tril(K, -1).T  # 4 q q'
        row = K[np.argmax(np.diag(K))]
        q: Array = row / np.copysign(np.linalg.norm(row), row[0])
        return q

    @q.setter
    def q(self, value: Any) -> None:
        given = reals(value, "q").ravel()
        if given.size != 4 or not 0 < np.linalg.norm(given) < np.inf:
            raise ValueError(f"q: {given.tolist()}, must be a quaternion w x y z")
        w, x, y, z = given / np.linalg.norm(given)
        S = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
        self.R = np.eye(3) + 2 * w * S + 2 * S @ S

    @property
    def Rt(self) -> Array:
        """[3, 4]"""
        Rt: Array = np.c_[self.R, self.t]
        return Rt

    @Rt.setter
    def Rt(self, value: Any) -> None:
        given = reals(value, "Rt")
        if given.shape != (3, 4):
            raise ValueError(f"Rt: shape {given.shape}, must be (3, 4)")
        self.R, self.t = given[:, :3].copy(), given[:, 3].copy()

    def center(self) -> Array:
        """[3]: of the camera, in the world."""
        c: Array = -self.R.T @ self.t
        return c


@dataclass
class PinholeCamera:
    """A camera of PoseLib's that an estimate returns: SIMPLE_PINHOLE with f, cx, cy. Other calls here take it as a camera."""

    params: list[float]
    model: str = "SIMPLE_PINHOLE"
    width: int = -1
    height: int = -1

    def model_name(self) -> str:
        return self.model

    @property
    def model_id(self) -> int:
        """COLMAP's number of the model."""
        return 0

    def focal(self) -> float:
        return self.params[0]

    def focal_x(self) -> float:
        return self.params[0]

    def focal_y(self) -> float:
        return self.params[0]

    def principal_point(self) -> Array:
        return np.array(self.params[1:])


@dataclass
class ImagePair:
    """The pose of camera 2 from camera 1, and both cameras."""

    pose: CameraPose
    camera1: PinholeCamera
    camera2: PinholeCamera
