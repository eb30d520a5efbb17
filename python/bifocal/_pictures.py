"""Images, cameras and matches from files, and drawings of matches."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Union

from . import _core
from ._arrays import ArrayLike, rgb_of
from ._cameras import Camera
from ._heic import decoded
from ._numbers import whole_from

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
    """Cameras of a pair from a file.

    Attributes:
        camera1, camera2: Pinhole cameras in px.
        baseline: Distance of the cameras in the unit of the file; None if the file has none.
        doffs: cx2 - cx1 of a rectified pair, in px.
        max_disparity: End of the disparity search in px; None if the file has none.
        width, height: Size of the images in px; None if the file has none.
    """

    camera1: Camera
    camera2: Camera
    baseline: float | None
    doffs: float
    max_disparity: int | None
    width: int | None
    height: int | None


class Correspondences(NamedTuple):
    """Matches from a file.

    Attributes:
        x1, x2: Image coordinates in px, shape (N, 2).
        weights: Importance of each match, shape (N,); None if the file has none.
        qualities: Likelihood of each match to be correct, shape (N,); None if the file has none.
    """

    x1: NDArray[numpy.float64]
    x2: NDArray[numpy.float64]
    weights: NDArray[numpy.float64] | None
    qualities: NDArray[numpy.float64] | None


def read_image(file: Path, *, bgr: bool = False, stored: bool = False) -> NDArray[numpy.uint8]:
    """Reads an image file, by default rotated according to its EXIF orientation.

    Args:
        file: JPEG, PNG, TIFF, WebP, BMP, PGM or PPM; HEIC with the package pillow-heif. Builds without libtiff read TIFF with the package pillow.
        bgr: Returns OpenCV's order of channels, blue, green, red, instead of red, green, blue.
        stored: Returns the pixels as stored, without the rotation by EXIF, as COLMAP, `collect`, `map_database` and `colmap.undistort_model` read
            photographs. Keypoints for a COLMAP database need this.

    Returns:
        uint8 of shape (H, W) or (H, W, C).

    Raises:
        OSError: If the file cannot be read.
    """
    photograph = decoded(file, _core.reads_tiff, stored)
    image: NDArray[numpy.uint8] = _core.read_image(file, stored) if photograph is None else photograph.pixels
    return rgb_of(image, bgr).copy() if bgr else image


def write_image(file: Path, image: ArrayLike, *, bgr: bool = False) -> None:
    """Writes an image as PNG.

    Args:
        file: Name of the file.
        image: uint8 or uint16, shape (H, W) or (H, W, C).
        bgr: True if the channels have OpenCV's order blue, green, red instead of red, green, blue.

    Raises:
        OSError: If the file cannot be written.
        TypeError: If the image is neither uint8 nor uint16.
    """
    _core.write_image(file, rgb_of(image, bgr))


def read_correspondences(file: Path) -> Correspondences:
    """Reads matches from a text file or from an NPZ file.

    Args:
        file: Text with rows "x1 y1 x2 y2 [weight]" in px, or an NPZ file of a matcher with keypoints0, keypoints1 and matches.

    Returns:
        Correspondences with coordinates, and weights or qualities if the file has them.

    Raises:
        OSError: If a row does not fit; names the file, the line and the value.
    """
    return Correspondences(*_core.read_correspondences(file))


def read_calibration(file: Path) -> Calibration:
    """Reads the cameras of a pair.

    Args:
        file: Text with a 3 x 3 matrix or four numbers fx fy cx cy, or a Middlebury calib.txt.

    Returns:
        Calibration with both cameras, which are equal if the file has a single camera.

    Raises:
        OSError: If the file has another format; names the file and the value.
    """
    camera1, camera2, baseline, doffs, *sizes = _core.read_calibration(file)
    return Calibration(Camera(*camera1), Camera(*camera2), baseline, doffs, *(size or None for size in sizes))


def intrinsics_from_exif(file: Path) -> Camera | None:
    """Reads the focal length from the EXIF block of a photograph.

    Args:
        file: JPEG, TIFF or WebP; HEIC with the package pillow-heif.

    Returns:
        Pinhole camera in px with the principal point at the image centre; None if EXIF has no focal length.

    Raises:
        OSError: If the file cannot be read.
    """
    photograph = decoded(file, _core.reads_tiff)
    if photograph is None:
        numbers = _core.intrinsics_from_exif(file)
    else:
        numbers = _core.exif_intrinsics(photograph.exif, *reversed(photograph.pixels.shape[:2]))
    return None if numbers is None else Camera(*numbers)


def warp(image: ArrayLike, H: ArrayLike, width: int, height: int) -> NDArray[numpy.uint8]:
    """Samples an image through a homography.

    Args:
        image: uint8, shape (H, W) or (H, W, C).
        H: Homography with output px ~ H input px, shape (3, 3).
        width, height: Size of the output in px.

    Returns:
        uint8 image of that size; pixels from outside the input are 0.
    """
    return _core.warp(image, H, whole_from(width, "width", 1), whole_from(height, "height", 1))


def draw_epipolar_lines(
    image1: ArrayLike, image2: ArrayLike, x1: ArrayLike, x2: ArrayLike, F: ArrayLike, *, count: int = 30, bgr: bool = False
) -> NDArray[numpy.uint8]:
    """Draws both images side by side with the epipolar lines of matches.

    Args:
        image1, image2: uint8, shape (H, W) or (H, W, 3).
        x1, x2: Matches in px, shape (N, 2).
        F: Fundamental matrix in px, x2' F x1 = 0, shape (3, 3).
        count: Largest number of matches whose lines are drawn.
        bgr: Images and result have OpenCV's order blue, green, red instead of red, green, blue.

    Returns:
        Colour image, uint8 of shape (H, W, 3).
    """
    drawn = _core.draw_epipolar_lines(rgb_of(image1, bgr), rgb_of(image2, bgr), x1, x2, F, count)
    return drawn[:, :, ::-1].copy() if bgr else drawn


def draw_matches(
    image1: ArrayLike, image2: ArrayLike, x1: ArrayLike, x2: ArrayLike, inliers: ArrayLike | None = None, *, max_lines: int = 200, bgr: bool = False
) -> NDArray[numpy.uint8]:
    """Draws both images side by side with a line for each match: inliers green, outliers dim red below them.

    Args:
        image1, image2: uint8, shape (H, W) or (H, W, 3).
        x1, x2: Matches in px, shape (N, 2).
        inliers: bool, shape (N,); by default all matches are inliers.
        max_lines: Largest number of lines of either colour.
        bgr: Images and result have OpenCV's order blue, green, red instead of red, green, blue.

    Returns:
        Colour image, uint8 of shape (H, W, 3).
    """
    drawn = _core.draw_matches(rgb_of(image1, bgr), rgb_of(image2, bgr), x1, x2, inliers, max_lines)
    return drawn[:, :, ::-1].copy() if bgr else drawn
