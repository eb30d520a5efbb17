"""Cameras. Wherever one is asked for, a 3 x 3 matrix without skew or the four numbers (fx, fy, cx, cy) will do as well."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from . import _core
from ._arrays import ArrayLike

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

__all__ = ["Camera", "LensCamera", "distort_points", "intrinsics_doubt", "pinhole_of", "undistort_points"]


@dataclass(frozen=True, slots=True)
class Camera:
    """A pinhole camera, px, with OpenCV's rational lens where the coefficients are not zero.

    The centre of the first pixel is (0, 0). Coefficients of OpenCV (k1, k2, p1, p2, k3, k4, k5, k6) and of COLMAP's models up to
    FULL_OPENCV mean the same; COLMAP's cx and cy are larger by 0.5.
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
    """The sides of its pictures, px; 0 where they are unknown."""
    height: int = 0


@dataclass(frozen=True, slots=True)
class LensCamera:
    """A camera of any lens model of COLMAP's, fisheyes among them, for every estimator; include/bifocal/camera.hpp has the models.

    params: f or fx, fy, then cx, cy, then those of the lens, in COLMAP's order, but with (0, 0) the centre of the first pixel: COLMAP's cx
    and cy are larger by 0.5, which `from_colmap` sees to. Points are undistorted to px of `pinhole_of(camera)` before anything else; those
    without a place there (beyond where the model folds, or 80 degrees off the axis) count as not finite.
    """

    model: str
    params: tuple[float, ...]
    width: int = 0
    """The sides of its pictures, px, so that a px of the pinhole is about one of the picture; 0: the pinhole has the camera's focal length."""
    height: int = 0
    first_pixel: ClassVar[float] = 0.0

    def __post_init__(self) -> None:
        from ._numbers import reals

        object.__setattr__(self, "params", tuple(reals(self.params, "camera: params").ravel().tolist()))
        _core.pinhole_of(self)  # a ValueError where the numbers do not fit

    @classmethod
    def from_colmap(cls, camera: Any) -> LensCamera:
        """Makes one of pycolmap.Camera, or of a dictionary with model, width, height and params."""
        from ._numbers import reals, whole

        def get(key: str) -> Any:
            return camera.get(key) if isinstance(camera, Mapping) else getattr(camera, key, None)

        for key in ("model", "width", "height", "params"):
            if get(key) is None:
                raise ValueError(f"camera: no {key}, must have model, width, height and params")
        model = get("model")
        model = str(getattr(model, "name", model))
        params = reals(get("params"), "camera: params").ravel().tolist()
        first = 1 if model.startswith("SIMPLE_") or model in _ONE_FOCAL_LENGTH else 2
        if len(params) > first + 1:
            params[first] -= 0.5
            params[first + 1] -= 0.5
        return cls(model, tuple(params), whole(get("width"), "camera: width"), whole(get("height"), "camera: height"))

    @classmethod
    def fisheye(cls, K: ArrayLike, D: ArrayLike, width: int = 0, height: int = 0) -> LensCamera:
        """Makes one of OpenCV's namespace fisheye: K [3, 3] without skew, D four coefficients."""
        from ._numbers import reals

        fx, fy, cx, cy = _core.pinhole_of(K)
        k = reals(D, "D").ravel()
        if k.size != 4:
            raise ValueError(f"D: {k.size} coefficients, must be 4")
        return cls("OPENCV_FISHEYE", (fx, fy, cx, cy, *k.tolist()), width, height)


_ONE_FOCAL_LENGTH = {"RADIAL", "RADIAL_FISHEYE"}


def pinhole_of(camera: Camera | LensCamera | ArrayLike) -> tuple[float, float, float, float]:
    """fx, fy, cx, cy of the pinhole whose px `undistort_points` gives; of a `Camera` its own."""
    return _core.pinhole_of(camera)


def undistort_points(points: ArrayLike, camera: Camera | LensCamera | ArrayLike) -> NDArray[numpy.float64]:
    """Pixels [N, 2] of a camera with a lens, as its pinhole would see them; NaN where the lens has no inverse."""
    return _core.move_points(points, camera, False)


def distort_points(points: ArrayLike, camera: Camera | LensCamera | ArrayLike) -> NDArray[numpy.float64]:
    """The other way: pixels [N, 2] of the pinhole, as the camera with its lens sees them; NaN where it folds over."""
    return _core.move_points(points, camera, True)


def intrinsics_doubt(camera: Camera | LensCamera | ArrayLike, width: float, height: float) -> str:
    """A reason to doubt that a camera belongs to images of this size, in words; '' without one.

    The principal point lies more than a fifth of a side from the centre, as after a change of the image size, or the field of view is below
    0.5 or above 170 degrees.
    """
    return _core.intrinsics_doubt(camera, width, height)
