"""Robust estimation with an unknown focal length or an unknown radial distortion (docs/robust.md)."""

from __future__ import annotations

import math

from . import _core
from ._devices import device_id
from ._arrays import ArrayLike, frame_of
from ._core import Estimate
from ._options import RobustOptions
from ._thresholds import with_threshold

__all__ = [
    "estimate_camera_pose_focal",
    "estimate_monodepth_shared_focal_relative_pose",
    "estimate_radial_fundamental",
    "estimate_shared_focal_relative_pose",
]


def _camera_at(principal_point: ArrayLike, aspect_ratio: float) -> tuple[float, float, float, float]:
    """Returns a camera of unknown focal length."""
    from ._numbers import number, reals

    c = reals(principal_point, "principal_point").ravel().tolist()
    if len(c) != 2:
        raise ValueError(f"principal_point: {len(c)} numbers, must be cx and cy")
    return (number(aspect_ratio, "aspect_ratio"), 1.0, c[0], c[1])


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
    """Estimates pose, F (`model`) and the focal length (`focal_length`, px) of two images of one camera with unknown focal length.

    `focal_deviation` is the standard deviation of the focal length from independent noise. It is large or infinite if two views do not determine it: with parallel
    optical axes, axes that meet at equal distances, or all matches on one plane.

    Args:
        x1, x2: Matches in px, shape (N, 2).
        principal_point: cx, cy.
        aspect_ratio: fx / fy.
        threshold, options, weights, qualities, device: As in `estimate`.
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
    """Does what `estimate_shared_focal_relative_pose` does, with depths that a network estimated from each image alone.

    Three matches are a sample (RePoseD, ICCV 2025); errors and the final fit do not use the depths.

    Args:
        x1, x2: Matches in px, shape (N, 2).
        depths: Depths along the optical axes of image 1 and image 2, shape (N, 2), in any unit for each image, in image 2 up to a constant.
            A match with a depth that is not finite and above 0 does not affect the model, but gets its inlier flag.
        principal_point: cx, cy.
        aspect_ratio: fx / fy.
        threshold, options, weights, qualities, device: As in `estimate`.
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
    """Estimates F (`model`) and the radial distortion k (`distortion`) of two images of one uncalibrated lens.

    The undistorted point is x / (1 + k |x|^2) with x = (px - centre) / unit. F holds for undistorted points in px. Errors and the threshold
    are measured at the distorted points. `distortion_deviation` is infinite if k is undetermined.

    Args:
        x1, x2: Matches in px, shape (N, 2), or x1 alone as rows x1 y1 x2 y2.
        centre: cx, cy, as a rule the centre of the image.
        unit: px; by default the distance of the centre from the corner (0, 0), in which a wide angle has k = -0.3.
        aspect_ratio: fx / fy.
        threshold, options, weights, qualities, device: As in `estimate`.
    """
    from ._numbers import number, reals

    c = reals(centre, "centre").ravel().tolist()
    if len(c) != 2:
        raise ValueError(f"centre: {len(c)} numbers, must be cx and cy")
    f = math.hypot(*c) if unit is None else number(unit, "unit")
    a = number(aspect_ratio, "aspect_ratio")
    camera = (f, f / a if a else 0.0, c[0], c[1])
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
    """Estimates the pose and the focal length (`focal_length`, px) of a camera from scene points.

    `focal_deviation` is its standard deviation from independent noise, large or infinite if the points do not determine it, as on a plane
    parallel to the image.

    Args:
        x: Image points in px, shape (N, 2).
        X: Scene points, shape (N, 3).
        principal_point: cx, cy.
        aspect_ratio: fx / fy.
        threshold, options, weights, qualities, device: As in `estimate`.
    """
    camera = _camera_at(principal_point, aspect_ratio)
    frame, chosen = frame_of(x, X, weights, qualities), with_threshold(options, threshold)
    return _core.estimate("camera_pose_focal", x, X, camera, None, weights, qualities, chosen, device_id(device), frame)
