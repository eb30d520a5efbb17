"""OpenCV's least median of squares: estimation without a threshold, in any unit."""

from __future__ import annotations

from typing import Any, Callable, Optional, Tuple

import numpy as np

from . import arrays as _cv
from . import usac as _usac
from .._drop_in import agreed
from .arrays import Array
from .._robust import Estimate, ModelKind, estimate

# Points are scaled to this extent. The threshold with the least median error is taken.
_EXTENT = 1000.0
_THRESHOLDS = 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0, 300.0

Fitted = Tuple[Optional[Estimate], Array]


def extent(x: Array) -> float:
    """Returns the longer side of the box around the middle 90 % of the points; 1 without a box."""
    which = np.isfinite(x).all(1)
    if not which.any():
        return 1.0
    low, high = np.percentile(x[which], [5, 95], axis=0)
    side = float((high - low).max())
    return side if 0 < side < np.inf else 1.0


def find(
    kind: ModelKind, x1: Array, x2: Array, confidence: Any, most: Any, points: int, errors: Callable[[Estimate], Array], **cameras: Any
) -> Fitted:
    """Estimates the model with the least median error. Returns (estimate, inlier flags), or (None, no inliers) without a model.

    x1 and x2 have an extent of about 1000. errors(found) returns the errors of all points. Inliers lie within 2.5 robust standard deviations,
    as in OpenCV (P. Rousseeuw, Least median of squares regression, JASA 79, 1984).
    """
    count = int(_cv.finite(x1, x2).sum())
    best: Fitted = None, np.zeros(len(x1), bool)
    least = np.inf

    def attempt(threshold: float) -> None:
        nonlocal best, least
        found = estimate(kind, x1, x2, options=_usac.robust_options(threshold, confidence, most), **cameras)
        if not agreed(found) or not found.model.any():
            return
        own = np.where(np.isnan(e := errors(found)), np.inf, e)
        median = float(np.sort(own)[min(count // 2, len(own) - 1)])
        if median < least:
            least = median
            sigma = 2.5 * 1.4826 * (1 + 5 / max(1, count - points)) * median
            best = found, own <= max(sigma, 1e-9 * _EXTENT)

    for threshold in _THRESHOLDS:
        attempt(threshold)
    if best[0] is not None:  # repeated with the estimated noise
        attempt(max(2.5 * 1.4826 * (1 + 5 / max(1, count - points)) * least, 1e-6 * _EXTENT))
    return best


def scales(x1: Array, x2: Array) -> tuple[float, float]:
    """Returns factors that scale both images to the extent that `find` expects."""
    return _EXTENT / extent(x1), _EXTENT / extent(x2)
