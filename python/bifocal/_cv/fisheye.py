"""OpenCV's namespace fisheye as bifocal.cv.fisheye, with the arguments and shapes of cv2.

solvePnPRansac uses the method of bifocal.cv.solvePnPRansac; its threshold is measured in pixels of the undistorted pinhole (LensCamera).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._arguments import check_public
from .. import _core
from . import arrays as _cv
from .arrays import Flag, Given
from . import usac as _usac
from .poses import pose_of
from .._numbers import reals
from .._cameras import LensCamera

__all__ = ["distortPoints", "solvePnPRansac", "undistortPoints"]

Array = NDArray[Any]


def _rows(points: Any, name: str, columns: int) -> tuple[Array, tuple[int, ...]]:
    array = _cv.points(points, name, columns)
    if len(array) == 0:
        raise ValueError(f"{name}: no points")
    return array, np.shape(points)


def _matrix(name: str, R: Any, P: Any) -> Array:
    rotation = np.eye(3)
    if R is not None and np.prod(_cv.shape(R)) > 0:
        rotation = reals(R, "R")
        if rotation.size == 3:
            x, y, z = rotation.ravel()
            angle = float(np.linalg.norm(rotation))
            S = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]]) / max(angle, 1e-300)
            rotation = np.eye(3) + np.sin(angle) * S + (1 - np.cos(angle)) * S @ S
        if rotation.shape != (3, 3):
            raise ValueError(f"R: shape {rotation.shape}, must be (3, 3) or a vector of 3")
    if P is None or np.prod(_cv.shape(P)) == 0:
        return rotation
    projection = reals(P, name)
    if projection.shape not in ((3, 3), (3, 4)):
        raise ValueError(f"{name}: shape {projection.shape}, must be (3, 3) or (3, 4)")
    matrix: Array = projection[:, :3] @ rotation
    return matrix


@_cv.quiet
def undistortPoints(distorted: Given, K: Given, D: Given, R: Given | None = None, P: Given | None = None) -> Array:
    """Removes the distortion of a fisheye lens like cv2.fisheye.undistortPoints.

    Args:
        distorted: Image points in px, shape (N, 2), (N, 1, 2) or (1, N, 2).
        K: Intrinsics in px, shape (3, 3).
        D: Four coefficients.
        R: Rotation of the points, shape (3, 3), or rotation vector.
        P: New intrinsics, shape (3, 3) or (3, 4). Without P the result is normalised.

    Returns:
        Points in the shape of `distorted`; NaN if the lens model has no ray less than 80 degrees off the axis, where cv2 returns -1000000.

    Raises:
        ValueError: If a shape does not fit.
    """
    points, shape = _rows(distorted, "distorted", 2)
    camera = LensCamera.fisheye(K, D)
    fx, fy, cx, cy = _core.pinhole_of(camera)
    px = _core.move_points(points, camera, False)
    rays = np.c_[(px - (cx, cy)) / (fx, fy), np.ones(len(px))] @ _matrix("P", R, P).T
    out: Array = (rays[:, :2] / rays[:, 2:]).reshape(shape)
    return out.astype(np.asarray(distorted).dtype if np.asarray(distorted).dtype == np.float32 else np.float64)


@_cv.quiet
def distortPoints(undistorted: Given, K: Given, D: Given) -> Array:
    """Applies the distortion of a fisheye lens to normalised points like cv2.fisheye.distortPoints.

    Args:
        undistorted: Normalised points, shape (N, 2), (N, 1, 2) or (1, N, 2).
        K: Intrinsics in px, shape (3, 3).
        D: Four coefficients.

    Returns:
        Points in px and the shape of `undistorted`; NaN for rays 80 degrees or more off the axis.

    Raises:
        ValueError: If a shape does not fit.
    """
    points, shape = _rows(undistorted, "undistorted", 2)
    camera = LensCamera.fisheye(K, D)
    fx, fy, cx, cy = _core.pinhole_of(camera)
    out: Array = _core.move_points(points * (fx, fy) + (cx, cy), camera, True).reshape(shape)
    return out.astype(np.asarray(undistorted).dtype if np.asarray(undistorted).dtype == np.float32 else np.float64)


@_cv.quiet
def solvePnPRansac(
    objectPoints: Given,
    imagePoints: Given,
    cameraMatrix: Given,
    distCoeffs: Given,
    rvec: Any = None,
    tvec: Any = None,
    useExtrinsicGuess: Flag = False,
    iterationsCount: int = 100,
    reprojectionError: float = 8.0,
    confidence: float = 0.99,
    inliers: Any = None,
    flags: int = 0,
    criteria: Any = None,
) -> tuple[bool, Array, Array, Array | None]:
    """Estimates the pose of a fisheye camera robustly like cv2.fisheye.solvePnPRansac.

    Args:
        objectPoints: Scene points, shape (N, 3), N >= 4.
        imagePoints: Image points in px, shape (N, 2).
        cameraMatrix: Intrinsics in px, shape (3, 3).
        distCoeffs: Four coefficients.
        rvec, tvec: Filled with the result if shape and type fit.
        useExtrinsicGuess: Not used.
        iterationsCount: Most samples to draw.
        reprojectionError: Largest reprojection error of an inlier in px of the pinhole.
        confidence: Probability of having drawn a sample without outliers.
        inliers: Filled with the result if shape and type fit.
        flags, criteria: Not used.

    Returns:
        Success, rotation vector (3, 1), translation (3, 1), and indices of the inliers, int32 of shape (M, 1), None without a pose.

    Raises:
        ValueError: If shapes differ, an option is out of range, or fewer than four points are given.
    """
    X, x = _cv.points(objectPoints, "objectPoints", 3), _cv.points(imagePoints, "imagePoints")
    camera = LensCamera.fisheye(_cv.matrix(cameraMatrix), distCoeffs)
    options = _usac.robust_options(reprojectionError, confidence, iterationsCount, ("reprojectionError", "confidence", "iterationsCount"))
    return pose_of(X, x, camera, options, (rvec, tvec, inliers))


check_public(__all__, globals())
