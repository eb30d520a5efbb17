"""Geometry of two photographs in one call: features, matches, model, pose, rectified pair, disparity, depth and point cloud."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from . import _core
from ._heic import decoded
from ._arrays import ArrayLike, rgb_of
from ._core import Pair
from ._devices import device_id
from ._numbers import array_of
from ._options import PairOptions

if TYPE_CHECKING:
    from typing import Union

    from ._robust import CameraLike

    Path = Union[str, bytes, os.PathLike[str], os.PathLike[bytes]]

__all__ = ["Pair", "estimate_pair"]


def _points_of(matches: tuple[ArrayLike, ArrayLike], masks: tuple[object, object]) -> tuple[Any, Any]:
    """Returns the coordinates of given matches; ValueError for masks, which only features use."""
    for name, mask in zip(("mask1", "mask2"), masks):
        if mask is not None:
            raise ValueError(f"{name}: not used with given matches")
    return array_of(matches[0], "matches: x1", "float64", (-1, 2)), array_of(matches[1], "matches: x2", "float64", (-1, 2))


def estimate_pair(
    left: ArrayLike | Path,
    right: ArrayLike | Path,
    camera1: CameraLike | None = None,
    camera2: CameraLike | None = None,
    *,
    options: PairOptions | None = None,
    matches: tuple[ArrayLike, ArrayLike] | None = None,
    mask1: ArrayLike | None = None,
    mask2: ArrayLike | None = None,
    bgr: bool = False,
    device: str | None = "cpu",
    progress: Callable[[str, float], None] | None = None,
) -> Pair:
    """Estimates the geometry of two photographs, from features or from given matches to a point cloud.

    Args:
        left, right: uint8 or uint16, shape (H, W) or (H, W, C), or names of files (HEIC with the package pillow-heif), whose
            EXIF focal lengths are used if no camera is given.
        camera1, camera2: Pinholes in px, by default those of `options`; camera2 is camera1 by default. Without them focal length and lens are
            estimated if possible.
        options: Options of all stages.
        matches: Coordinates x1, x2 of another matcher (LightGlue, RoMa, ...) in px, shape (N, 2) each, torch or NumPy, instead of features.
        mask1, mask2: bool or integers, shape (H, W); features are detected where a mask is not 0.
        bgr: True if the channels have OpenCV's order blue, green, red instead of red, green, blue.
        device: Device of all stages: 'cpu', 'cuda:0', 'opencl:0', ... or 'auto'
        progress: Called with the name of each stage and the fraction done.

    Returns:
        Pair, which is true if a model was found; otherwise `reason` names the cause.

    Raises:
        ValueError: If an argument is out of range, the model 'essential' is requested without cameras, a match lies outside of its image, or
            masks are given with matches.
        OSError: If a file cannot be read.
        RuntimeError: If the device is missing or fails.
    """
    if camera2 is not None and camera1 is None:
        raise ValueError("camera2: given without camera1")
    own = PairOptions() if options is None else options
    if camera1 is not None:
        own = replace(own, camera1=camera1, camera2=camera1 if camera2 is None else camera2)
    masks = (mask1, mask2)
    points = None if matches is None else _points_of(matches, masks)
    images = tuple(decoded(image, _core.reads_tiff) or rgb_of(image, bgr) for image in (left, right))
    return _core.estimate_pair(images, own, points, masks, device_id(device) or "cpu", progress)
