"""Cameras. Wherever one is asked for, a 3 x 3 matrix without skew or the four numbers (fx, fy, cx, cy) will do as well."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from . import _core
from ._arrays import ArrayLike

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

__all__ = ["Camera", "undistort_points"]


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
    """Of its pictures, px; 0 unknown."""
    height: int = 0


def undistort_points(points: ArrayLike, camera: Camera) -> NDArray[numpy.float64]:
    """Pixels [N, 2] of a camera with a lens, as its pinhole would see them; NaN beyond the disc where the lens has an inverse."""
    return _core.undistort_points(points, camera)
