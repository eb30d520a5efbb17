"""Condition under which drop-in replacements of other libraries return a model, because those libraries do not test its significance."""

from __future__ import annotations

from ._core import Estimate


def agreed(found: Estimate) -> bool:
    """Returns True if an estimate has a model to return: a significant one, or one that all finite points support but too few to be significant."""
    return found.ok or (found.reason == "not_significant" and found.num_inliers + len(found.not_finite) == len(found.inliers))
