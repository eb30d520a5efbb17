"""Two photographs to geometry in one call: features, matches, model, pose, rectified pair, disparity, depth and cloud."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Literal

from . import _core
from ._arrays import ArrayLike, rgb_of
from ._colmap_database import numpy_of
from ._core import Pair
from ._devices import device_id

if TYPE_CHECKING:
    from typing import Union

    from ._options import MatchOptions, RobustOptions, SiftOptions, SurfOptions
    from ._robust import CameraLike

    Path = Union[str, bytes, os.PathLike[str], os.PathLike[bytes]]
    PairModel = Literal["auto", "homography", "fundamental", "essential"]

__all__ = ["Pair", "estimate_pair"]


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
        left, right: uint8, shape (H, W) or (H, W, C), RGB or with bgr=True BGR, or names of files. EXIF focal lengths replace cameras.
        camera1, camera2: Pinholes; camera2 is camera1 by default. Without cameras focal length and lens are estimated if the matches determine them.
        matches: Coordinates x1, x2 of another matcher (LightGlue, RoMa, ...), px, shape (N, 2) each, torch or NumPy, in the place of features.
        model: 'auto' chooses between an epipolar model and a homography. threshold: largest error of an inlier, px; replaces that of `robust`.
        features, matching, robust: Options of the stages.
        mask1, mask2: uint8 (H, W); no features where a mask is 0. guided: matches a second time along the model.
        escalate: Tries affine shapes and a guided round if the answer is refused, doubted or has fewer than 50 inliers.
        lens_is_unknown: The cameras determine the focal length alone: estimate the distortion.
        camera_deviations: Of focal length and principal point, fractions of it and of the longer side; 0: 0.001 if given, 0.04 and 0.01 of EXIF.
        dense: Rectifies, matches densely and computes depth if the camera moved. slanted: adds depth from slanted planes.
        max_dense_pixels: Larger photographs are reduced for dense matching.
        near_depth, far_depth: Depths of the nearest and farthest surface, in baselines; 0: from the matches. min_disparity, max_disparity: ends of the dense search, px.
        device: 'cpu', 'cuda:0', 'opencl:0', ... of all stages. progress: called with the name of each stage and the fraction done.

    Returns:
        A Pair; it is true if a model was found, and `reason` says why not.

    Raises:
        ValueError: If an argument is out of range, or model='essential' without cameras.
        OSError: If a file cannot be read.
    """
    options = {"model": model, "threshold": threshold, "guided": guided, "escalate": escalate, "lens_is_unknown": lens_is_unknown}
    options |= {"dense": dense, "slanted": slanted, "max_dense_pixels": max_dense_pixels, "near_depth": near_depth, "far_depth": far_depth}
    options |= dict(zip(("min_disparity", "max_disparity", "focal_deviation", "principal_point_deviation"), (min_disparity, max_disparity, *camera_deviations)))
    points = None if matches is None else tuple(numpy_of(x) for x in matches)
    cameras, stages = (camera1, camera1 if camera2 is None else camera2), (features, matching, robust)
    images = rgb_of(left, bgr), rgb_of(right, bgr)
    return _core.estimate_pair(images, cameras, points, (mask1, mask2), stages, options, device_id(device) or "cpu", progress)
