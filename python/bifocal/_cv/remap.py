"""OpenCV's remap."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._numbers import reals, whole
from .._rectification import Remapper
from . import arrays as _cv
from .arrays import Array, Given
from .lens import is_empty

INTER_NEAREST, INTER_LINEAR, INTER_CUBIC, INTER_AREA, INTER_LANCZOS4 = range(5)
BORDER_CONSTANT, BORDER_REPLICATE, BORDER_REFLECT, BORDER_WRAP, BORDER_REFLECT_101 = range(5)
_PIXELS = {np.dtype(t) for t in (np.uint8, np.uint16, np.int16, np.float32, np.float64)}
# OpenCV rounds positions to 1/32 px for these types and other numbers of channels.
_CHANNELS = {(), (1,), (3,), (4,)}
_ROUNDED = {np.dtype(np.int16), np.dtype(np.float64)}
_BLOCK = 65536


def _maps(map1: Any, map2: Any) -> tuple[Array, Array, bool]:
    """Returns positions x and y [H, W] of float64 and whether they are OpenCV's fixed-point numbers."""
    first = np.asarray(map1)
    second = None if is_empty(map2) else np.asarray(map2)
    shapes = first.shape, None if second is None else second.shape
    if first.dtype == np.int16 and first.ndim == 3 and first.shape[2] == 2:
        if second is None:
            return first[..., 0].astype(np.float64), first[..., 1].astype(np.float64), True
        if second.dtype in (np.uint16, np.int16) and second.shape == first.shape[:2]:
            fraction = second.astype(np.int32) & 1023
            return first[..., 0] + (fraction & 31) / 32, first[..., 1] + (fraction >> 5) / 32, True
    elif first.dtype == np.float32 and second is None and first.ndim == 3 and first.shape[2] == 2:
        return first[..., 0].astype(np.float64), first[..., 1].astype(np.float64), False
    elif first.dtype == np.float32 and second is not None and second.dtype == np.float32 and first.ndim == 2 and shapes[0] == shapes[1]:
        return first.astype(np.float64), second.astype(np.float64), False
    kinds = f"{first.dtype}" if second is None else f"{first.dtype} and {second.dtype}"
    raise TypeError(
        f"map1, map2: {kinds} of shapes {shapes[0]} and {shapes[1]}, must be float32 (H, W) each, float32 (H, W, 2) and None, "
        "or int16 (H, W, 2) and uint16 (H, W)"
    )


def _inside(p: Array, n: int, border: int) -> Array:
    """Moves positions to where an image of n pixels has the same value; of a constant border the image has one pixel more at both ends."""
    out: Array
    if border == BORDER_CONSTANT:
        out = np.clip(np.nan_to_num(p, nan=-1.0), -1, n) + 1
        return out
    p = np.clip(np.nan_to_num(p, nan=0.0), -1e9, 1e9)
    if border == BORDER_WRAP:
        out = p % n
        return out
    if border != BORDER_REPLICATE:
        period = 2 * n if border == BORDER_REFLECT else max(2 * n - 2, 1)
        end = period - 1 if border == BORDER_REFLECT else period
        p = np.minimum(p % period, end - p % period)
    out = np.clip(p, 0, n - 1)
    return out


def _padded(image: Array, border: int, value: Any) -> Array:
    """Adds the pixels [H, W, C] that a border's positions need."""
    if border == BORDER_WRAP:
        return np.pad(image, ((0, 1), (0, 1), (0, 0)), mode="wrap")
    if border != BORDER_CONSTANT:
        return image
    channels = image.shape[2]
    numbers = np.zeros(max(channels, 4))
    given = reals(value, "borderValue").ravel()[: len(numbers)]
    numbers[: given.size] = given
    if image.dtype.kind in "iu":
        limits = np.iinfo(image.dtype)
        numbers = np.clip(np.rint(numbers), limits.min, limits.max)
    out = np.empty((image.shape[0] + 2, image.shape[1] + 2, channels), image.dtype)
    out[...] = numbers[:channels]
    out[1:-1, 1:-1] = image
    return out


def _rounded(values: Array, dtype: Any) -> Array:
    """Converts blends to pixels."""
    if dtype.kind == "f":
        return values.astype(dtype, copy=False)
    limits = np.iinfo(dtype)
    out: Array = np.clip(np.rint(values), limits.min, limits.max).astype(dtype)
    return out


def _linear(image: Array, x: Array, y: Array) -> Array:
    """Blends the four pixels around each position, block by block."""
    height, width, channels = image.shape
    flat, out = image.reshape(-1, channels), np.empty((x.size, channels), image.dtype)
    for begin in range(0, x.size, _BLOCK):
        px, py = x[begin : begin + _BLOCK], y[begin : begin + _BLOCK]
        left, top = (np.clip(np.floor(p), 0, max(n - 2, 0)).astype(np.intp) for p, n in ((px, width), (py, height)))
        a, b = ((p - at).astype(np.float32).astype(np.float64)[:, None] for p, at in ((px, left), (py, top)))
        at, right, down = top * width + left, int(width > 1), width * (height > 1)
        above = _between(flat[at], flat[at + right], a)
        below = _between(flat[at + down], flat[at + down + right], a)
        out[begin : begin + _BLOCK] = _rounded(_between(above, below, b), image.dtype)
    return out


def _between(first: Array, second: Array, weight: Array) -> Array:
    """Blends two numbers with one rounding to float32, or in float64 if they are that."""
    low = first.astype(np.float64)
    out: Array = low + weight * (second.astype(np.float64) - low)
    return out if first.dtype == np.float64 else out.astype(np.float32)


def _nearest(image: Array, x: Array, y: Array) -> Array:
    height, width, channels = image.shape
    out: Array = image.reshape(-1, channels)[y.astype(np.intp) * width + x.astype(np.intp)]
    return out


def _fixed(image: Array, x: Array, y: Array) -> Array:
    """Blends uint8 at multiples of 1/32 px by the library's integers."""
    size = image.shape[1], image.shape[0]
    remapper = Remapper.from_maps(x.astype(np.float32), y.astype(np.float32), size)
    out: Array = remapper(np.ascontiguousarray(image))
    return out


@_cv.quiet
def remap(
    src: Given,
    map1: Given,
    map2: Given | None,
    interpolation: int,
    dst: Any = None,
    borderMode: int = BORDER_CONSTANT,
    borderValue: Any = 0,
    hint: Any = None,
) -> Array:
    """Samples an image at the positions of a map.

    Maps of CV_16SC2 are sampled by the library for uint8 and are faster than maps of floats, which NumPy interpolates as OpenCV 5 does.
    `bifocal.Remapper` keeps a map of floats on a device and rounds its positions to 1/256 px. INTER_NEAREST takes the nearest pixel also
    for maps of CV_16SC2 with fractions, where OpenCV 5.0 takes another one of the four neighbours.

    Args:
        src: uint8, uint16, int16, float32 or float64, shape (H, W) or (H, W, C).
        map1, map2: Positions in px as `initUndistortRectifyMap` has them.
        interpolation: INTER_LINEAR or INTER_NEAREST.
        dst: Filled with the result if shape and type fit.
        borderMode: BORDER_CONSTANT, BORDER_REPLICATE, BORDER_REFLECT, BORDER_WRAP or BORDER_REFLECT_101.
        borderValue: Pixels outside of src; a number sets the first channel only, as in OpenCV.
        hint: Ignored.

    Returns:
        The sampled image, with the size of the map and the type of src; (H, W) of (H, W, 1), as in OpenCV. NaN in a map is outside of src.

    Raises:
        ValueError: For other interpolations and borders.
    """
    image = np.asarray(src)
    if image.dtype not in _PIXELS or image.ndim not in (2, 3) or image.size == 0:
        raise TypeError(f"src: {image.dtype} of shape {image.shape}, must be uint8, uint16, int16, float32 or float64 of shape (H, W) or (H, W, C)")
    if whole(interpolation, "interpolation") not in (INTER_NEAREST, INTER_LINEAR):
        raise ValueError(f"interpolation = {interpolation}, must be INTER_NEAREST (0) or INTER_LINEAR (1)")
    if whole(borderMode, "borderMode") not in range(5):
        raise ValueError(f"borderMode = {borderMode}, must be BORDER_CONSTANT, REPLICATE, REFLECT, WRAP or REFLECT_101 (0 to 4)")
    x, y, is_fixed = _maps(map1, map2)
    if interpolation == INTER_NEAREST:
        x, y = (np.floor(p + 0.5) if is_fixed else np.rint(p) for p in (x, y))
    elif not is_fixed and (image.dtype in _ROUNDED or image.shape[2:] not in _CHANNELS):
        x, y, is_fixed = np.rint(x * 32) / 32, np.rint(y * 32) / 32, True
    channels = image.reshape(*image.shape[:2], -1)
    x, y = _inside(x, channels.shape[1], borderMode), _inside(y, channels.shape[0], borderMode)
    channels = _padded(channels, borderMode, borderValue)
    if is_fixed and interpolation == INTER_LINEAR and image.dtype == np.uint8:
        out = _fixed(channels, x, y)
    else:
        out = (_linear if interpolation == INTER_LINEAR else _nearest)(channels, x.ravel(), y.ravel())
    last = image.shape[2:] if image.shape[2:] != (1,) else ()
    return _cv.output(out.reshape(*x.shape, *last), dst, "dst")
