"""Thresholds that are distances in the second of two images, for any unit of the first: px, mm, km."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def unit_of(x1: NDArray[Any], x2: NDArray[Any]) -> float:
    """Returns a power of two that scales points of the first image to about the size of the second image.

    Bifocal's error of a match is the distance that both points together have to move, so that without the scale the point in the unit with the
    smaller numbers would do all of the moving.
    """
    which = np.isfinite(np.c_[x1, x2]).all(1)
    if not which.any():
        return 1.0
    sizes = [float(np.median(np.abs(x[which] - np.median(x[which], 0)).max(1))) for x in (x1, x2)]
    if not 0 < min(sizes) <= max(sizes) < np.inf:
        return 1.0
    return float(2.0 ** np.clip(np.rint(np.log2(sizes[1]) - np.log2(sizes[0])), -500, 500))
