"""Images and cameras from files, and drawn images."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Union

from . import _core
from ._arrays import ArrayLike, rgb_of
from ._cameras import Camera
from ._core import read_image, write_image

if TYPE_CHECKING:
    import os

    import numpy
    from numpy.typing import NDArray

    Path = Union[str, bytes, os.PathLike[str], os.PathLike[bytes]]

__all__ = [
    "Calibration",
    "Correspondences",
    "draw_epipolar_lines",
    "draw_matches",
    "intrinsics_from_exif",
    "read_calibration",
    "read_correspondences",
    "read_image",
    "warp",
    "write_image",
]


class Calibration(NamedTuple):
    """Cameras of a pair from a file."""

    camera1: Camera
    camera2: Camera
    baseline: float | None
    """Distance of the cameras in the unit of the file, None if the file has none."""
    doffs: float
    """cx2 - cx1 of a rectified pair, px."""
    max_disparity: int
    """End of the search for disparities, 0 if the file has none."""
    width: int
    height: int


class Correspondences(NamedTuple):
    """Matches from a file."""

    x1: NDArray[numpy.float64]
    """px, shape (N, 2), as `x2`."""
    x2: NDArray[numpy.float64]
    weights: NDArray[numpy.float64] | None
    qualities: NDArray[numpy.float64] | None


def read_correspondences(file: Path) -> Correspondences:
    """Reads matches: text rows "x1 y1 x2 y2 [weight]" in px, or an NPZ file of a matcher with keypoints0, keypoints1 and matches.

    Raises:
        OSError: With file, line and value, if a row does not fit.
    """
    return Correspondences(*_core.read_correspondences(file))


def read_calibration(file: Path) -> Calibration:
    """Reads a 3 x 3 matrix, four numbers fx fy cx cy, or a Middlebury calib.txt.

    Raises:
        OSError: With file and value, if the file is none of these.
    """
    camera1, camera2, *other = _core.read_calibration(file)
    return Calibration(Camera(*camera1), Camera(*camera2), *other)


def intrinsics_from_exif(file: Path) -> Camera | None:
    """Returns the pinhole that the EXIF block of a JPEG tells, with the principal point at the image centre; None without a focal length."""
    numbers = _core.intrinsics_from_exif(file)
    return None if numbers is None else Camera(*numbers)


def warp(image: ArrayLike, H: ArrayLike, width: int, height: int) -> NDArray[numpy.uint8]:
    """Samples an image through a homography: output px ~ H input px. Pixels from outside the input are 0."""
    return _core.warp(image, H, width, height)


def draw_epipolar_lines(
    image1: ArrayLike, image2: ArrayLike, x1: ArrayLike, x2: ArrayLike, F: ArrayLike, *, count: int = 30, bgr: bool = False
) -> NDArray[numpy.uint8]:
    """Draws both images side by side with the epipolar lines of at most `count` matches. bgr: images and result have the order BGR, not RGB."""
    drawn = _core.draw_epipolar_lines(rgb_of(image1, bgr), rgb_of(image2, bgr), x1, x2, F, count)
    return drawn[:, :, ::-1].copy() if bgr else drawn


def draw_matches(
    image1: ArrayLike, image2: ArrayLike, x1: ArrayLike, x2: ArrayLike, inliers: ArrayLike | None = None, *, max_lines: int = 200, bgr: bool = False
) -> NDArray[numpy.uint8]:
    """Draws both images side by side with a line for each match, inliers green over outliers dim red.

    Args:
        image1, image2: uint8, shape (H, W) or (H, W, 3).
        x1, x2: Matches in px, shape (N, 2).
        inliers: bool, shape (N,); by default all.
        max_lines: Most lines of either colour.
        bgr: Images and result have OpenCV's order blue, green, red instead of red, green, blue.
    """
    drawn = _core.draw_matches(rgb_of(image1, bgr), rgb_of(image2, bgr), x1, x2, inliers, max_lines)
    return drawn[:, :, ::-1].copy() if bgr else drawn
