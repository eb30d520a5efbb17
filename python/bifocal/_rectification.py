"""Rectification: a scene point lies on the same row of both images (docs/rectification.md)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from . import _core
from ._devices import device_id
from ._arrays import ArrayLike, frame_of
from ._core import Rectification

if TYPE_CHECKING:
    import os

    from ._cameras import Camera, LensCamera

__all__ = [
    "Rectification",
    "RectificationChoice",
    "Remapper",
    "choose_rectification",
    "read_rectification",
    "rectify",
    "rectify_polar",
    "rectify_polar_uncalibrated",
    "rectify_uncalibrated",
]


class RectificationChoice(NamedTuple):
    """Which rectification of a pair distorts its photographs less."""

    is_polar: bool
    planar_stretch: float
    """Unevenness of the scale, 1: none, infinity: not rectified; as `polar_stretch`."""
    polar_stretch: float
    reason: str


def choose_rectification(planar: Rectification, polar: Rectification) -> RectificationChoice:
    """Chooses between a planar and a polar rectification of one pair.

    The polar one is chosen if the planar one does not exist, or stretches by more than 1.3 and a tenth more than the polar one.
    """
    return RectificationChoice(*_core.choose_rectification(planar, polar))


def rectify(
    camera1: Camera | LensCamera,
    camera2: Camera | LensCamera,
    R: ArrayLike,
    t: ArrayLike,
    *,
    max_scale: float = 1.5,
    max_angle_deg: float = 0.0,
) -> Rectification:
    """Rectifies a calibrated pair with X2 = R X1 + t on a plane.

    Args:
        camera1, camera2: Cameras with the sizes of their images, and lenses of any model.
        R, t: Rotation and translation; |t| does not matter.
        max_scale: Largest area of a rectified image, in areas of the input.
        max_angle_deg: Pixels farther off the rectified axis are left out; 50 to 70 for fisheyes, whose rims would take most of the area. 0: none,
            and the pair is refused if a corner lies beyond 83 degrees.

    Returns:
        A planar Rectification, false with `reason` if the pair cannot be rectified.
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
    """Rectifies an uncalibrated pair with x2' F x1 = 0 on a plane.

    Args:
        F: Fundamental matrix, shape (3, 3), px.
        size1, size2: (width, height) of the images.
        x1, x2: Matches that obey F, shape (N, 2), px. They determine which image is the left one.
        max_scale: Largest area of a rectified image, in areas of the larger input.

    Returns:
        A planar Rectification without cameras, false with `reason` if the pair cannot be rectified.
    """
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
) -> Rectification:
    """Rectifies a calibrated pair with any motion, also along the viewing direction (Pollefeys, Koch, Van Gool, ICCV 1999).

    Rows are pairs of epipolar half lines, columns are distances from the epipole. Disparities x0 - x1 have either sign and grow as points come
    nearer.

    Args:
        camera1, camera2: Pinholes.
        R, t: Rotation and translation, X2 = R X1 + t; |t| does not matter.
        size1, size2: (width, height) of the images.
        x1, x2: Matches, shape (N, 2), px. They determine the stretching of columns only.
        max_scale: Largest area of a rectified image, in areas of the larger photograph.
        overlap: Rows that are repeated at each end if the rows cover the full circle.

    Returns:
        A polar Rectification, false with `reason` if the pair cannot be rectified.
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
) -> Rectification:
    """Rectifies an uncalibrated pair with x2' F x1 = 0 as rectify_polar does; x1, x2: inliers of F, which determine the corresponding half lines."""
    return _core.rectify_polar(F, x1, x2, size1, size2, max_scale, overlap)


def read_rectification(file: str | bytes | os.PathLike[str]) -> Rectification:
    """Reads a file of Rectification.write() or `bifocal rectify` (docs/formats.md), or a `polar.npz` of an older version.

    Raises:
        OSError: If the file cannot be read or an array does not fit; names the file and the array.
    """
    return _core.read_rectification(file)


class Remapper:
    """Bilinear sampling of images of one size through a map in the memory of a device.

    Computes in integers: the same pixels on every device; 0 outside the input. Calls from several threads run one after another.
    """

    __slots__ = ("_remapper",)

    def __init__(self, rectification: Rectification, side: int, *, device: str | None = None) -> None:
        """Makes the map of the left (0) or right (1) image of a rectified pair."""
        self._remapper = _core.Remapper(rectification, side, device_id(device) or "cpu")

    @classmethod
    def from_maps(cls, map_x: ArrayLike, map_y: ArrayLike, input_size: tuple[int, int], *, device: str | None = None) -> Remapper:
        """Takes positions [H, W] in the input, px, like cv2.remap, rounded to 1/256 px; NaN: outside. input_size: (width, height)."""
        self = cls.__new__(cls)
        self._remapper = _core.Remapper(map_x, map_y, input_size, device_id(device) or "cpu")
        return self

    def __call__(self, image: ArrayLike) -> Any:
        """Samples uint8 or uint16 [H, W] or [H, W, C]. Arrays of torch and CuPy on the map's CUDA device give a result there."""
        return self._remapper(image, frame_of(image))

    @property
    def width(self) -> int:
        """Width of the result, px."""
        return self._remapper.width

    @property
    def height(self) -> int:
        return self._remapper.height

    def __repr__(self) -> str:
        return repr(self._remapper)
