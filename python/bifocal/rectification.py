"""Rectification: a scene point on the same row of both pictures (docs/rectification.md)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import _core
from ._arrays import ArrayLike
from ._core import Rectification

if TYPE_CHECKING:
    from .cameras import Camera

__all__ = ["Rectification", "rectify", "rectify_uncalibrated"]


def rectify(camera1: Camera, camera2: Camera, R: ArrayLike, t: ArrayLike, *, max_scale: float = 1.5) -> Rectification:
    """Of a calibrated pair with X2 = R X1 + t; the cameras have the sizes of their pictures, and may have lenses."""
    return _core.rectify(camera1, camera2, R, t, max_scale)


def rectify_uncalibrated(
    F: ArrayLike,
    size1: tuple[int, int],
    size2: tuple[int, int],
    x1: ArrayLike | None = None,
    x2: ArrayLike | None = None,
    *,
    max_scale: float = 1.5,
) -> Rectification:
    """From x2' F x1 = 0 alone; sizes are (width, height). Matches x1, x2 tell which picture is the left one."""
    return _core.rectify_uncalibrated(F, x1, x2, size1, size2, max_scale)
