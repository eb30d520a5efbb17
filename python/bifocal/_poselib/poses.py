"""Poses and cameras in the results of bifocal.poselib, with the fields of PoseLib's classes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._numbers import reals

__all__ = ["CameraPose", "ImagePair", "PinholeCamera"]

Array = NDArray[Any]


@dataclass
class CameraPose:
    """Pose of a camera, X_camera = R X_world + t.

    Attributes:
        R: Rotation, shape (3, 3).
        t: Translation, shape (3,).
    """

    R: Array = field(default_factory=lambda: np.eye(3))
    t: Array = field(default_factory=lambda: np.zeros(3))

    @property
    def q(self) -> Array:
        """Rotation as quaternion w x y z, shape (4,)."""
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
        K = np.tril(K) + np.tril(K, -1).T  # symmetric, equal to 4 q q'
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
        """Matrix [R t], shape (3, 4)."""
        Rt: Array = np.c_[self.R, self.t]
        return Rt

    @Rt.setter
    def Rt(self, value: Any) -> None:
        given = reals(value, "Rt")
        if given.shape != (3, 4):
            raise ValueError(f"Rt: shape {given.shape}, must be (3, 4)")
        self.R, self.t = given[:, :3].copy(), given[:, 3].copy()

    def center(self) -> Array:
        """Returns the centre of the camera in the world, shape (3,)."""
        c: Array = -self.R.T @ self.t
        return c


@dataclass
class PinholeCamera:
    """Camera of a PoseLib estimate, SIMPLE_PINHOLE with f, cx, cy. Other functions of bifocal.poselib accept it as a camera.

    Attributes:
        params: f, cx, cy in px.
        model: Name of the model.
        width, height: Size of the images in px; -1 if unknown.
    """

    params: list[float]
    model: str = "SIMPLE_PINHOLE"
    width: int = -1
    height: int = -1

    def model_name(self) -> str:
        """Returns the name of the model."""
        return self.model

    @property
    def model_id(self) -> int:
        """COLMAP's number of the model."""
        return 0

    def focal(self) -> float:
        """Returns the focal length in px."""
        return self.params[0]

    def focal_x(self) -> float:
        """Returns the horizontal focal length in px."""
        return self.params[0]

    def focal_y(self) -> float:
        """Returns the vertical focal length in px."""
        return self.params[0]

    def principal_point(self) -> Array:
        """Returns cx, cy in px, shape (2,)."""
        return np.array(self.params[1:])


@dataclass
class ImagePair:
    """Relative pose and cameras of two images.

    Attributes:
        pose: Pose of camera 2 from camera 1.
        camera1, camera2: Cameras of both images.
    """

    pose: CameraPose
    camera1: PinholeCamera
    camera2: PinholeCamera
