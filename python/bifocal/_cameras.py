"""Cameras with and without lens distortion. Every camera argument also accepts a 3 x 3 matrix without skew or four numbers (fx, fy, cx, cy)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from . import _core
from ._arrays import ArrayLike
from ._numbers import reals, whole

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

__all__ = ["Camera", "LensCamera", "distort_points", "pinhole_of", "undistort_points"]


@dataclass(frozen=True, slots=True)
class Camera:
    """Pinhole camera, or a camera with OpenCV's rational lens model if a coefficient is not zero.

    The centre of the first pixel is (0, 0). The coefficients mean the same as in OpenCV (k1, k2, p1, p2, k3, k4, k5, k6) and in COLMAP's models up to
    FULL_OPENCV; cx and cy of pycolmap and of COLMAP's files are larger by 0.5.

    Attributes:
        fx, fy: Focal lengths in px.
        cx, cy: Principal point in px.
        k1, k2, k3, k4, k5, k6: Radial coefficients (1 + k1 q + k2 q^2 + k3 q^3) / (1 + k4 q + k5 q^2 + k6 q^3) at squared radius q.
        p1, p2: Tangential coefficients.
        width, height: Size of the images in px; 0 if unknown.
    """

    fx: float
    fy: float
    cx: float
    cy: float
    k1: float = 0.0
    k2: float = 0.0
    p1: float = 0.0
    p2: float = 0.0
    k3: float = 0.0
    k4: float = 0.0
    k5: float = 0.0
    k6: float = 0.0
    width: int = 0
    height: int = 0


@dataclass(frozen=True, slots=True)
class LensCamera:
    """Camera with any lens model of COLMAP, fisheyes included, for every estimator; include/bifocal/camera.hpp defines the models.

    Points are undistorted to px of `pinhole_of(camera)` before the estimation. Points without such a place (beyond the fold of the model, or more
    than 80 degrees off the axis) count as not finite.

    Attributes:
        model: COLMAP's name of the model, such as "OPENCV_FISHEYE".
        params: f or fx, fy, then cx, cy, then the coefficients of the lens, in COLMAP's order. The centre of the first pixel is (0, 0): cx and cy of
            pycolmap are larger by 0.5, which `from_colmap` subtracts.
        width, height: Size of the images in px, which sets the scale of the pinhole so that its px are about as large as those of the image; 0 if
            unknown: the pinhole has the focal length of the camera.

    Raises:
        ValueError: If the model is unknown, or the parameters do not fit it.
    """

    model: str
    params: tuple[float, ...]
    width: int = 0
    height: int = 0
    first_pixel: ClassVar[float] = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "params", tuple(reals(self.params, "camera: params").ravel().tolist()))
        _core.pinhole_of(self)  # raises ValueError if the parameters do not fit the model

    @classmethod
    def from_colmap(cls, camera: Any) -> LensCamera:
        """Converts a camera of COLMAP.

        Args:
            camera: pycolmap.Camera or a dictionary with model, width, height and params, whose principal point is larger by 0.5 px; or a
                `colmap.ModelCamera` or `colmap.DatabaseCamera`, which have the pixels of this package already.

        Returns:
            LensCamera of the same model and size.

        Raises:
            ValueError: If a field is missing, or the parameters do not fit the model.
        """
        def get(key: str) -> Any:
            return camera.get(key) if isinstance(camera, Mapping) else getattr(camera, key, None)

        for key in ("model", "width", "height", "params"):
            if get(key) is None:
                raise ValueError(f"camera: no {key}, must have model, width, height and params")
        model = get("model")
        model = str(getattr(model, "name", model))
        params = reals(get("params"), "camera: params").ravel().tolist()
        first = _core.focal_length_count(model)
        first_pixel = 0.5 if get("first_pixel") is None else get("first_pixel")
        if len(params) > first + 1:
            params[first] -= first_pixel
            params[first + 1] -= first_pixel
        return cls(model, tuple(params), whole(get("width"), "camera: width"), whole(get("height"), "camera: height"))

    @classmethod
    def fisheye(cls, K: ArrayLike, D: ArrayLike, width: int = 0, height: int = 0) -> LensCamera:
        """Converts a camera of OpenCV's namespace fisheye.

        Args:
            K: Camera matrix without skew in px, shape (3, 3).
            D: Four coefficients k1, k2, k3, k4.
            width, height: Size of the images in px; 0 if unknown.

        Returns:
            LensCamera with the model "OPENCV_FISHEYE".

        Raises:
            ValueError: If D does not have four coefficients, or K has skew.
        """
        fx, fy, cx, cy = _core.pinhole_of(K, "K")
        k = reals(D, "D").ravel()
        if k.size != 4:
            raise ValueError(f"D: {k.size} coefficients, must be 4")
        return cls("OPENCV_FISHEYE", (fx, fy, cx, cy, *k.tolist()), width, height)


def pinhole_of(camera: Camera | LensCamera | ArrayLike) -> tuple[float, float, float, float]:
    """Returns the intrinsics of the pinhole camera that `undistort_points` maps to.

    Args:
        camera: Camera with or without lens distortion, matrix of shape (3, 3), or numbers (fx, fy, cx, cy).

    Returns:
        (fx, fy, cx, cy) in px. A `Camera` keeps its own intrinsics; a LensCamera gets a focal length that keeps the scale of the image.
    """
    return _core.pinhole_of(camera)


def undistort_points(points: ArrayLike, camera: Camera | LensCamera | ArrayLike) -> NDArray[numpy.float64]:
    """Removes the lens distortion of image points.

    Args:
        points: Image points of the camera in px, shape (N, 2).
        camera: Camera with or without lens distortion, matrix of shape (3, 3), or numbers (fx, fy, cx, cy).

    Returns:
        Points in px of `pinhole_of(camera)`, shape (N, 2); NaN without an inverse, or if the ray is more than 80 degrees off the axis.
    """
    return _core.move_points(points, camera, False)


def distort_points(points: ArrayLike, camera: Camera | LensCamera | ArrayLike) -> NDArray[numpy.float64]:
    """Applies lens distortion to ideal image points. The inverse of `undistort_points`.

    Args:
        points: Image points in px of `pinhole_of(camera)`, shape (N, 2).
        camera: Camera with or without lens distortion, matrix of shape (3, 3), or numbers (fx, fy, cx, cy).

    Returns:
        Image points of the camera in px, shape (N, 2); NaN if the lens model folds over at a point.
    """
    return _core.move_points(points, camera, True)


def intrinsics_doubt(camera: Camera | LensCamera | ArrayLike, width: float, height: float) -> str:
    """Tests whether a camera belongs to images of a given size.

    A doubt is raised if the principal point lies more than a fifth of a side from the centre, as after a change of the image size, or the field of
    view is below 0.5 or above 170 degrees.

    Args:
        camera: Camera, matrix of shape (3, 3), or numbers (fx, fy, cx, cy).
        width, height: Size of the images in px; 0 if unknown, which raises no doubt.

    Returns:
        Reason for the doubt in words; '' without a doubt.
    """
    return _core.intrinsics_doubt(camera, width, height)
