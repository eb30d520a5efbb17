"""Pictures from and to files, and matches drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import _core
from ._arrays import ArrayLike
from ._core import read_image, write_image

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

__all__ = ["draw_matches", "read_image", "write_image"]


def draw_matches(
    image1: ArrayLike, image2: ArrayLike, x1: ArrayLike, x2: ArrayLike, inliers: ArrayLike | None = None, *, max_lines: int = 200
) -> NDArray[numpy.uint8]:
    """Both pictures side by side, RGB, a line a match: inliers green over others dim red, at most `max_lines` of each."""
    return _core.draw_matches(image1, image2, x1, x2, inliers, max_lines)
