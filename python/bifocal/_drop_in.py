"""Shared rules of the drop-in replacements of other libraries: which models they return, and thresholds in the unit of the second image."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._core import Estimate


def agreed(found: Estimate) -> bool:
    """Returns True if an estimate has a significant model, or a model of all finite points, which are too few for significance.

    Other libraries do not test the significance of a model.
    """
    return found.ok or (found.reason == "not_significant" and found.num_inliers + len(found.not_finite) == len(found.inliers))


def unit_of(x1: NDArray[Any], x2: NDArray[Any]) -> float:
    """Returns a power of two that scales points of the first image to about the size of the second image, for points in px, mm or km.

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
