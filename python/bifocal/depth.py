"""Steps from rectified pairs to depth and clouds (docs/stereo.md), and files and pictures of maps: PFM, PLY and Turbo colours (docs/formats.md)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Union

from . import _core
from ._arguments import check_public
from ._arrays import ArrayLike
from ._numbers import array_of, colours_of, floats_of
from ._stereo_matching import (
    dense_matches,
    depth_map,
    depth_to_cloud,
    disparity_range,
    score_disparity,
    vertical_disparity,
)

if TYPE_CHECKING:
    import os

    import numpy
    from numpy.typing import NDArray

    from ._stereo_matching import PointCloud

    Path = Union[str, bytes, os.PathLike[str], os.PathLike[bytes]]

__all__ = [
    "dense_matches",
    "depth_map",
    "depth_to_cloud",
    "disparity_range",
    "read_disparity",
    "read_pfm",
    "score_disparity",
    "turbo_picture",
    "vertical_disparity",
    "write_pfm",
    "write_ply",
]


def turbo_picture(values: ArrayLike, lo: float, hi: float) -> NDArray[numpy.uint8]:
    """Draws a disparity or depth map in the Turbo colours with a legend; unknown pixels (NaN) are black.

    Args:
        values: Numbers of shape (H, W).
        lo, hi: Values of the blue and the red end of the colour scale; with lo > hi small values are red.

    Returns:
        RGB image, uint8 with three channels; the legend lies below the map.
    """
    if not (abs(lo) < 3.4e38 and abs(hi) < 3.4e38):
        raise ValueError(f"lo = {lo}, hi = {hi}: must be finite numbers of float32")
    return _core.turbo_picture(floats_of(values, "values"), lo, hi)


def read_pfm(file: Path) -> NDArray[numpy.float32]:
    """Reads a portable float map of one channel.

    Args:
        file: Name of the file.

    Returns:
        float32 of shape (H, W), the top row first.

    Raises:
        OSError: If the file is missing or not a portable float map of one channel.
    """
    return _core.read_pfm(file)


def write_pfm(file: Path, image: ArrayLike) -> None:
    """Writes a portable float map of one channel.

    Args:
        file: Name of the file.
        image: Numbers of shape (H, W), the top row first.

    Raises:
        OSError: If the file cannot be written.
    """
    _core.write_pfm(file, floats_of(image, "image"))


def read_disparity(file: Path, scale: float = 1.0) -> NDArray[numpy.float32]:
    """Reads disparities from a portable float map or from an image file.

    Args:
        file: Name of the file.
        scale: Divisor of the values of an image file; 256 for KITTI.

    Returns:
        Disparities in px, float32 of shape (H, W); NaN if unknown, which an image file writes as 0.

    Raises:
        OSError: If the file is missing or damaged.
    """
    return _core.read_disparity(file, scale)


def write_ply(file: Path, cloud: PointCloud | tuple[ArrayLike, ArrayLike]) -> None:
    """Writes points and colours as binary PLY (x y z, uchar red green blue).

    Coordinates of float32 are written as float, all others as double, so points far from the origin keep their digits.

    Args:
        file: Name of the file.
        cloud: PointCloud, or positions and colours, shape (N, 3) each.

    Raises:
        ValueError: If the shapes differ.
        OSError: If the file cannot be written.
    """
    xyz, rgb = cloud
    kind = "float32" if str(getattr(xyz, "dtype", "")) == "float32" else "float64"
    points = array_of(xyz, "cloud[0], positions", kind, (-1, 3))
    _core.write_ply(file, points, colours_of(rgb, "cloud[1], colours", len(points)))


check_public(__all__, globals())
