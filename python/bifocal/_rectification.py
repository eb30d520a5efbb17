"""Rectification: a scene point on the same row of both pictures (docs/rectification.md)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import _core
from ._arrays import ArrayLike, frame_of
from ._core import PolarRectification, Rectification

if TYPE_CHECKING:
    import os

    from ._cameras import Camera, LensCamera

__all__ = [
    "PolarRectification",
    "Rectification",
    "Remapper",
    "read_polar",
    "rectify",
    "rectify_polar",
    "rectify_polar_uncalibrated",
    "rectify_uncalibrated",
]


def rectify(
    camera1: Camera | LensCamera,
    camera2: Camera | LensCamera,
    R: ArrayLike,
    t: ArrayLike,
    *,
    max_scale: float = 1.5,
    max_angle_deg: float = 0.0,
) -> Rectification:
    """Rectifies a calibrated pair with X2 = R X1 + t; the cameras have the sizes of their pictures, and may have lenses of any model.

    The rectified area is at most max_scale times that of a picture. max_angle_deg: what lies further off the rectified axis is left out (0:
    nothing, and the pair is refused where a corner lies beyond 83 degrees); 50 to 70 for fisheyes, whose rims would take most of the area.
    """
    return _core.rectify(camera1, camera2, R, t, max_scale, max_angle_deg)


def rectify_uncalibrated(
    F: ArrayLike,
    size1: tuple[int, int],
    size2: tuple[int, int],
    x1: ArrayLike | None = None,
    x2: ArrayLike | None = None,
    *,
    max_scale: float = 1.5,
) -> Rectification:
    """Rectifies by x2' F x1 = 0 alone; sizes are (width, height). Matches x1, x2 tell which picture is the left one."""
    return _core.rectify_uncalibrated(F, x1, x2, size1, size2, max_scale)


def rectify_polar(
    camera1: Camera,
    camera2: Camera,
    R: ArrayLike,
    t: ArrayLike,
    size1: tuple[int, int],
    size2: tuple[int, int],
    x1: ArrayLike | None = None,
    x2: ArrayLike | None = None,
    *,
    max_scale: float = 12.0,
    overlap: int = 32,
) -> PolarRectification:
    """Polar rectification (Pollefeys, Koch, Van Gool, ICCV 1999) of a calibrated pair with X2 = R X1 + t, for any motion, also along the axis.

    Cameras are pinholes, sizes (width, height). Rows are pairs of epipolar half lines, columns distances from the epipole; disparities x0 - x1 are
    of either sign and grow as points come nearer. Matches x1, x2 tell only by how much the columns of one picture are stretched. max_scale: the
    most area of a rectified picture, times the larger photograph's; overlap: rows that are repeated where the rows go all the way round.
    """
    return _core.rectify_polar_pose(camera1, camera2, R, t, x1, x2, size1, size2, max_scale, overlap)


def rectify_polar_uncalibrated(
    F: ArrayLike,
    x1: ArrayLike,
    x2: ArrayLike,
    size1: tuple[int, int],
    size2: tuple[int, int],
    *,
    max_scale: float = 12.0,
    overlap: int = 32,
) -> PolarRectification:
    """The same by x2' F x1 = 0; the matches x1, x2, inliers of F, tell which half lines belong together."""
    return _core.rectify_polar(F, x1, x2, size1, size2, max_scale, overlap)


def read_polar(file: str | bytes | os.PathLike[str]) -> PolarRectification:
    """The map that PolarRectification.write() or `bifocal rectify` has written (docs/formats.md). OSError names the file, and the array that does not fit."""
    return _core.read_polar(file)


class Remapper:
    """Bilinear sampling of pictures of one size through a map that is made once and kept in the memory of a device.

    All in whole numbers: the same pixels on every device; 0 outside of the input. Calls of several threads come one after the other.
    """

    __slots__ = ("_remapper",)

    def __init__(self, rectification: Rectification | PolarRectification, side: int, *, device: str | None = None) -> None:
        """Makes the one of the left (0) or right (1) picture of a pair."""
        self._remapper = _core.Remapper(rectification, side, device or "cpu")

    @classmethod
    def from_maps(cls, map_x: ArrayLike, map_y: ArrayLike, input_size: tuple[int, int], *, device: str | None = None) -> Remapper:
        """Positions [H, W] in the input, px, as cv2.remap takes them, rounded to 1/256 px; NaN: nowhere. input_size: (width, height)."""
        self = cls.__new__(cls)
        self._remapper = _core.Remapper(map_x, map_y, input_size, device or "cpu")
        return self

    def __call__(self, image: ArrayLike) -> Any:
        """Samples uint8 or uint16 [H, W] or [H, W, C]; of torch and CuPy also in the memory of the map's CUDA device, where the result is then."""
        return self._remapper(image, frame_of(image))

    @property
    def width(self) -> int:
        """The width of the result, px."""
        return self._remapper.width

    @property
    def height(self) -> int:
        return self._remapper.height

    def __repr__(self) -> str:
        return repr(self._remapper)
