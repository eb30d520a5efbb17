"""Robust estimation with an unknown focal length or an unknown radial distortion (docs/robust.md)."""

from __future__ import annotations

import math

from . import _core
from ._arrays import ArrayLike, frame_of
from ._core import Estimate
from ._devices import device_id
from ._numbers import number, reals
from ._options import RobustOptions
from ._estimator_arguments import with_threshold

__all__ = [
    "estimate_camera_pose_focal",
    "estimate_monodepth_shared_focal_relative_pose",
    "estimate_radial_fundamental",
    "estimate_shared_focal_relative_pose",
]


def _camera_at(principal_point: ArrayLike, aspect_ratio: float) -> tuple[float, float, float, float]:
    """Returns fx, fy, cx, cy of a camera with unknown focal length: fx is the aspect ratio and fy is 1."""
    c = reals(principal_point, "principal_point").ravel().tolist()
    if len(c) != 2:
        raise ValueError(f"principal_point: {len(c)} numbers, must be cx and cy")
    return (_positive(aspect_ratio, "aspect_ratio"), 1.0, c[0], c[1])


def _positive(value: float, name: str) -> float:
    given = number(value, name)
    if not 0 < given < math.inf:
        raise ValueError(f"{name} = {given}, must be above 0 and finite")
    return given


def estimate_shared_focal_relative_pose(
    x1: ArrayLike,
    x2: ArrayLike,
    principal_point: ArrayLike,
    *,
    aspect_ratio: float = 1.0,
    threshold: float | None = None,
    options: RobustOptions | None = None,
    weights: ArrayLike | None = None,
    qualities: ArrayLike | None = None,
    device: str | None = None,
) -> Estimate:
    """Estimates the relative pose and the unknown focal length of two images of one camera.

    `focal_deviation` is the standard deviation of the focal length from independent noise. It is large or None if two views do not determine
    the focal length: with parallel optical axes, axes that meet at equal distances, or all matches on one plane.

    Args:
        x1, x2: Matches in px, shape (N, 2).
        principal_point: cx, cy in px.
        aspect_ratio: fx / fy.
        threshold: Largest error of an inlier in px, 2 by default; replaces `options.threshold`.
        options, weights, qualities, device: Sampling options, importance and likelihood of each match, device: the same as in `estimate`.

    Returns:
        Estimate with `R`, `t` (unit length), F as `model`, `focal_length` in px and its `focal_deviation`.

    Raises:
        ValueError: If shapes differ, or a weight or an option is out of range.
    """
    camera = _camera_at(principal_point, aspect_ratio)
    frame, chosen = frame_of(x1, x2, weights, qualities), with_threshold(options, threshold)
    return _core.estimate("shared_focal", x1, x2, camera, None, weights, qualities, chosen, device_id(device), frame)


def estimate_monodepth_shared_focal_relative_pose(
    x1: ArrayLike,
    x2: ArrayLike,
    depths: ArrayLike,
    principal_point: ArrayLike,
    *,
    aspect_ratio: float = 1.0,
    threshold: float | None = None,
    options: RobustOptions | None = None,
    weights: ArrayLike | None = None,
    qualities: ArrayLike | None = None,
    device: str | None = None,
) -> Estimate:
    """Estimates the relative pose and the unknown focal length of two images of one camera from matches with monocular depths.

    Three matches are a sample (Ding et al., RePoseD, ICCV 2025). Errors and the final fit do not use the depths. `focal_deviation` is the same as in
    `estimate_shared_focal_relative_pose`.

    Args:
        x1, x2: Matches in px, shape (N, 2).
        depths: Depths along the optical axes of image 1 and image 2, shape (N, 2), in any unit for each image, in image 2 up to a constant.
            A match with a depth that is not finite and above 0 does not affect the model, but gets its inlier flag.
        principal_point: cx, cy in px.
        aspect_ratio: fx / fy.
        threshold: Largest error of an inlier in px, 2 by default; replaces `options.threshold`.
        options, weights, qualities, device: Sampling options, importance and likelihood of each match, device: the same as in `estimate`.

    Returns:
        Estimate with `R`, `t` (unit length), F as `model`, `focal_length` in px and its `focal_deviation`.

    Raises:
        ValueError: If shapes differ, or a weight or an option is out of range.
    """
    camera = _camera_at(principal_point, aspect_ratio)
    frame, chosen = frame_of(x1, x2, depths, weights, qualities), with_threshold(options, threshold)
    return _core.estimate("monodepth_shared_focal", x1, x2, camera, None, weights, qualities, chosen, device_id(device), frame, depths)


def estimate_radial_fundamental(
    x1: ArrayLike,
    x2: ArrayLike,
    centre: ArrayLike,
    *,
    unit: float | None = None,
    aspect_ratio: float = 1.0,
    threshold: float | None = None,
    options: RobustOptions | None = None,
    weights: ArrayLike | None = None,
    qualities: ArrayLike | None = None,
    device: str | None = None,
) -> Estimate:
    """Estimates the fundamental matrix and the radial distortion of two images of one uncalibrated lens.

    The undistorted point is x / (1 + k |x|^2) with x = (px - centre) / unit. F holds for undistorted points in px. Errors and the threshold
    are measured at the distorted points. `distortion_deviation` is None if the matches do not determine k. Nine matches are a sample
    (A. W. Fitzgibbon, CVPR 2001).

    Args:
        x1, x2: Matches in px, shape (N, 2), or x1 alone as rows x1 y1 x2 y2.
        centre: cx, cy of the distortion in px, as a rule the centre of the image.
        unit: Unit of the distortion in px; by default the distance of the centre from the corner (0, 0), in which a wide angle has k = -0.3.
        aspect_ratio: fx / fy.
        threshold: Largest error of an inlier in px, 2 by default; replaces `options.threshold`.
        options, weights, qualities, device: Sampling options, importance and likelihood of each match, device: the same as in `estimate`.

    Returns:
        Estimate with F as `model`, k as `distortion` and its standard deviation `distortion_deviation`.

    Raises:
        ValueError: If shapes differ, or a weight or an option is out of range.
    """
    c = reals(centre, "centre").ravel().tolist()
    if len(c) != 2:
        raise ValueError(f"centre: {len(c)} numbers, must be cx and cy")
    f = math.hypot(*c) if unit is None else _positive(unit, "unit")
    camera = (f, f / _positive(aspect_ratio, "aspect_ratio"), c[0], c[1])
    frame, chosen = frame_of(x1, x2, weights, qualities), with_threshold(options, threshold)
    return _core.estimate("radial_fundamental", x1, x2, camera, None, weights, qualities, chosen, device_id(device), frame)


def estimate_camera_pose_focal(
    x: ArrayLike,
    X: ArrayLike,
    principal_point: ArrayLike,
    *,
    aspect_ratio: float = 1.0,
    threshold: float | None = None,
    options: RobustOptions | None = None,
    weights: ArrayLike | None = None,
    qualities: ArrayLike | None = None,
    device: str | None = None,
) -> Estimate:
    """Estimates the pose and the unknown focal length of a camera from scene points, X_camera = R X + t.

    `focal_deviation` is the standard deviation of the focal length from independent noise. It is large or None if the points do not determine
    the focal length, for example on a plane parallel to the image. Four points are a sample (C. Wu, P3.5P, CVPR 2015).

    Args:
        x: Image points in px, shape (N, 2).
        X: Scene points in any unit, shape (N, 3).
        principal_point: cx, cy in px.
        aspect_ratio: fx / fy.
        threshold: Largest reprojection error of an inlier in px, 2 by default; replaces `options.threshold`.
        options, weights, qualities, device: Sampling options, importance and likelihood of each point, device: the same as in `estimate`.

    Returns:
        Estimate with `R`, `t` in the unit of X, `focal_length` in px and its `focal_deviation`.

    Raises:
        ValueError: If shapes differ, or a weight or an option is out of range.
    """
    camera = _camera_at(principal_point, aspect_ratio)
    frame, chosen = frame_of(x, X, weights, qualities), with_threshold(options, threshold)
    return _core.estimate("camera_pose_focal", x, X, camera, None, weights, qualities, chosen, device_id(device), frame)
