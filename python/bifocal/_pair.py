"""Geometry of two photographs in one call: features, matches, model, pose, rectified pair, disparity, depth and point cloud."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal

from . import _core
from ._heic import decoded
from ._arrays import ArrayLike, rgb_of
from ._core import Pair
from ._devices import device_id
from ._numbers import array_of

if TYPE_CHECKING:
    from typing import Union

    from ._options import MatchOptions, RobustOptions, SiftOptions, SurfOptions
    from ._robust import CameraLike

    Path = Union[str, bytes, os.PathLike[str], os.PathLike[bytes]]

PairModel = Literal["auto", "homography", "fundamental", "essential"]

__all__ = ["Pair", "estimate_pair"]


def _points_of(matches: tuple[ArrayLike, ArrayLike], *stages: object) -> tuple[Any, Any]:
    """Returns the coordinates of given matches; ValueError for arguments that only features use."""
    for name, value in zip(("mask1", "mask2", "features", "matching"), stages):
        if value is not None:
            raise ValueError(f"{name}: not used with given matches")
    if len(matches) != 2:
        raise ValueError(f"matches: {len(matches)} arrays, must be x1 and x2")
    return array_of(matches[0], "matches: x1", "float64", (-1, 2)), array_of(matches[1], "matches: x2", "float64", (-1, 2))


def estimate_pair(
    left: ArrayLike | Path,
    right: ArrayLike | Path,
    camera1: CameraLike | None = None,
    camera2: CameraLike | None = None,
    *,
    matches: tuple[ArrayLike, ArrayLike] | None = None,
    model: PairModel = "auto",
    threshold: float | None = None,
    features: SiftOptions | SurfOptions | None = None,
    matching: MatchOptions | None = None,
    robust: RobustOptions | None = None,
    mask1: ArrayLike | None = None,
    mask2: ArrayLike | None = None,
    guided: bool = False,
    escalate: bool = True,
    lens_is_unknown: bool = False,
    camera_deviations: tuple[float, float] = (0.0, 0.0),
    dense: bool = True,
    slanted: bool = False,
    max_dense_pixels: int = 2_000_000,
    near_depth: float = 0.0,
    far_depth: float = 0.0,
    min_disparity: int | None = None,
    max_disparity: int | None = None,
    bgr: bool = False,
    device: str | None = "cpu",
    progress: Callable[[str, float], None] | None = None,
) -> Pair:
    """Estimates the geometry of two photographs, from features or from given matches to a point cloud.

    Args:
        left, right: uint8, shape (H, W) or (H, W, C), or names of files (HEIC with the package pillow-heif), whose
            EXIF focal lengths are used if no camera is given.
        camera1, camera2: Pinholes in px; camera2 is camera1 by default. Without them focal length and lens are estimated if possible.
        matches: Coordinates x1, x2 of another matcher (LightGlue, RoMa, ...) in px, shape (N, 2) each, torch or NumPy, instead of features.
        model: Kind of the model; 'auto' chooses between an epipolar model and a homography.
        threshold: Largest error of an inlier in px; replaces the threshold of `robust`.
        features: Options of SIFT or SURF.
        matching: Options of matching.
        robust: Options of the robust estimation.
        mask1, mask2: bool or integers, shape (H, W); features are detected where a mask is not 0.
        guided: Matches a second time along the estimated model and estimates again.
        escalate: Tries affine shapes and a guided round if the result is refused, doubted or has fewer than 50 inliers.
        lens_is_unknown: The given cameras determine the focal length alone, so that the distortion is estimated.
        camera_deviations: Relative standard deviation of the focal length, and of the principal point as a fraction of the longer side.
            0 means 0.001 for given cameras, and 0.04 and 0.01 for EXIF.
        dense: Rectifies, matches densely and computes depth if the camera moved.
        slanted: Adds depth from slanted planes of the unrectified pair.
        max_dense_pixels: Largest number of pixels for dense matching; larger photographs are reduced.
        near_depth, far_depth: Depths of the nearest and farthest surface in baselines; 0 takes them from the matches.
        min_disparity, max_disparity: Ends of the disparity search in px; by default from the matches.
        bgr: True if the channels have OpenCV's order blue, green, red instead of red, green, blue.
        device: Device of all stages: 'cpu', 'cuda:0', 'opencl:0', ... or 'auto'
        progress: Called with the name of each stage and the fraction done.

    Returns:
        Pair, which is true if a model was found; otherwise `reason` names the cause.

    Raises:
        ValueError: If an argument is out of range, model='essential' without cameras, a match lies outside of its image, or masks, `features` or
            `matching` are given with matches.
        OSError: If a file cannot be read.
        RuntimeError: If the device is missing or fails.
    """
    options = {"model": model, "threshold": threshold, "guided": guided, "escalate": escalate, "lens_is_unknown": lens_is_unknown}
    options |= {"dense": dense, "slanted": slanted, "max_dense_pixels": max_dense_pixels, "near_depth": near_depth, "far_depth": far_depth}
    if len(camera_deviations) != 2:
        raise ValueError(f"camera_deviations: {len(camera_deviations)} numbers, must be those of the focal length and of the principal point")
    options |= dict(zip(("min_disparity", "max_disparity", "focal_deviation", "principal_point_deviation"), (min_disparity, max_disparity, *camera_deviations)))
    if camera2 is not None and camera1 is None:
        raise ValueError("camera2: given without camera1")
    points = None if matches is None else _points_of(matches, mask1, mask2, features, matching)
    cameras, stages = (camera1, camera1 if camera2 is None else camera2), (features, matching, robust)
    images = tuple(decoded(image, _core.reads_tiff) or rgb_of(image, bgr) for image in (left, right))
    return _core.estimate_pair(images, cameras, points, (mask1, mask2), stages, options, device_id(device) or "cpu", progress)
