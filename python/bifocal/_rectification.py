"""Rectification of image pairs: a scene point lies on the same row of both rectified images (docs/rectification.md)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from . import _core
from ._devices import device_id
from ._arrays import ArrayLike, frame_of
from ._core import Rectification

if TYPE_CHECKING:
    import os

    from ._cameras import Camera, LensCamera
    from ._robust import CameraLike

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
    """Comparison of two rectifications by the distortion of the photographs.

    Attributes:
        is_polar: True if the polar rectification is chosen.
        planar_stretch, polar_stretch: Unevenness of the scale; 1 is a uniform scale, infinity means that the pair could not be rectified.
        reason: The choice in words, with numbers.
    """

    is_polar: bool
    planar_stretch: float
    polar_stretch: float
    reason: str


def choose_rectification(planar: Rectification, polar: Rectification) -> RectificationChoice:
    """Chooses between a planar and a polar rectification of one pair by the distortion of the photographs.

    The polar rectification is chosen if the planar one does not exist, or stretches by more than 1.3 and a tenth more than the polar one.

    Args:
        planar: Result of `rectify` or `rectify_uncalibrated`.
        polar: Result of `rectify_polar` or `rectify_polar_uncalibrated` for the same pair.

    Returns:
        RectificationChoice with the stretch of both and the reason.
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
        max_angle_deg: Pixels farther off the rectified axis are left out; 50 to 70 for fisheyes, whose rims would take most of the area. 0: no pixel
            is left out, and the pair is refused if a corner lies beyond 83 degrees.

    Returns:
        A planar Rectification, false with `reason` if the pair cannot be rectified.

    Raises:
        ValueError: If a camera has no image size, or an argument is out of range.
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
        F: Fundamental matrix in px, shape (3, 3).
        size1, size2: (width, height) of the images in px.
        x1, x2: Matches in px that obey F, shape (N, 2). They determine which image is the left one.
        max_scale: Largest area of a rectified image, in areas of the larger input.

    Returns:
        A planar Rectification without cameras, false with `reason` if the pair cannot be rectified.

    Raises:
        ValueError: If F is zero or not finite, or a size is out of range.
    """
    return _core.rectify_uncalibrated(F, x1, x2, size1, size2, max_scale)


def rectify_polar(
    camera1: CameraLike,
    camera2: CameraLike,
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
        camera1, camera2: Pinhole cameras.
        R, t: Rotation and translation, X2 = R X1 + t; |t| does not matter.
        size1, size2: (width, height) of the images in px.
        x1, x2: Matches in px, shape (N, 2). They determine the stretching of columns only.
        max_scale: Largest area of a rectified image, in areas of the larger photograph.
        overlap: Rows that are repeated at each end if the rows cover the full circle.

    Returns:
        A polar Rectification, false with `reason` if the pair cannot be rectified.

    Raises:
        ValueError: If a camera has a lens, or an argument is out of range.
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
    """Rectifies an uncalibrated pair with x2' F x1 = 0 and any motion (Pollefeys, Koch, Van Gool, ICCV 1999).

    Rows are pairs of epipolar half lines, columns are distances from the epipole.

    Args:
        F: Fundamental matrix in px, shape (3, 3).
        x1, x2: Inliers of F in px, shape (N, 2), which determine the corresponding half lines.
        size1, size2: (width, height) of the images in px.
        max_scale: Largest area of a rectified image, in areas of the larger photograph.
        overlap: Rows that are repeated at each end if the rows cover the full circle.

    Returns:
        A polar Rectification, false with `reason` if the pair cannot be rectified.

    Raises:
        ValueError: If F is zero or not finite, or a size is out of range.
    """
    return _core.rectify_polar(F, x1, x2, size1, size2, max_scale, overlap)


def read_rectification(file: str | bytes | os.PathLike[str]) -> Rectification:
    """Reads a file of Rectification.write() or `bifocal rectify` (docs/formats.md), or a `polar.npz` of an older version.

    Args:
        file: Name of the file.

    Returns:
        Rectification without `doubt`, which the file does not contain.

    Raises:
        OSError: If the file cannot be read or an array does not fit; names the file and the array.
    """
    return _core.read_rectification(file)


class Remapper:
    """Bilinear sampler for images of one size through a map in the memory of a device.

    Computes in integers: every device gives the same pixels; pixels from outside the input are 0. Calls from several threads run one after another.

    Args:
        rectification: Rectification of a pair.
        side: 0 for the left image, 1 for the right image.
        device: "cpu" (the default), "cuda:0", "opencl:0", ... or "auto"

    Raises:
        ValueError: If `side` is neither 0 nor 1.
    """

    __slots__ = ("_remapper",)

    def __init__(self, rectification: Rectification, side: int, *, device: str | None = None) -> None:
        """Makes the map of the left or right image of a rectified pair.

        Args:
            rectification: Rectification of a pair.
            side: 0 for the left image, 1 for the right image.
            device: "cpu" (the default), "cuda:0", "opencl:0", ... or "auto"
        """
        self._remapper = _core.Remapper(rectification, side, device_id(device) or "cpu")

    @classmethod
    def from_maps(cls, map_x: ArrayLike, map_y: ArrayLike, input_size: tuple[int, int], *, device: str | None = None) -> Remapper:
        """Makes a remapper from positions in the input, as cv2.remap takes them.

        Args:
            map_x, map_y: Positions in px of the input, shape (H, W), rounded to 1/256 px; NaN for outside.
            input_size: (width, height) of the input in px.
            device: "cpu" (the default), "cuda:0", "opencl:0", ... or "auto"

        Returns:
            Remapper for images of this size.

        Raises:
            ValueError: If the shapes of the maps differ.
        """
        self = cls.__new__(cls)
        self._remapper = _core.Remapper(map_x, map_y, input_size, device_id(device) or "cpu")
        return self

    def __call__(self, image: ArrayLike) -> Any:
        """Samples an image.

        Args:
            image: uint8 or uint16, shape (H, W) or (H, W, C). Arrays of torch and CuPy may lie on the map's CUDA device.

        Returns:
            Image of the same type and library, shape (height, width) or (height, width, C).

        Raises:
            ValueError: If the size of the image differs from the map's input.
        """
        return self._remapper(image, frame_of(image))

    @property
    def width(self) -> int:
        """Width of the result in px."""
        return self._remapper.width

    @property
    def height(self) -> int:
        """Height of the result in px."""
        return self._remapper.height

    def __repr__(self) -> str:
        return repr(self._remapper)
