"""When the drop-ins for other libraries give a model, since those do not ask whether it may be chance."""

from __future__ import annotations

from ._core import Estimate


def agreed(found: Estimate) -> bool:
    """Tells whether a search gives a model: one that is beyond chance, or one that all finite points agree with, too few to show that it is none."""
    return found.ok or (found.reason == "not_significant" and found.num_inliers + len(found.not_finite) == len(found.inliers))
