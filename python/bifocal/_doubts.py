"""Reasons to doubt a model that was estimated."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from . import _core
from ._arrays import ArrayLike
from ._core import Estimate
from ._devices import device_id
from ._options import RobustOptions
from ._thresholds import with_threshold

if TYPE_CHECKING:
    from ._robust import CameraLike

__all__ = ["Repetition", "find_repetition", "mirror_doubt"]


@dataclass(frozen=True)
class Repetition:
    """Result of `find_repetition`."""

    is_doubted: bool
    reason: str
    """Why, with numbers; '' without a doubt."""
    rival_inliers: int
    """Inliers of the best model of the outliers; 0 if there is none."""
    rival_ratio: float
    """Inliers of the rival by inliers of the model, both less a minimal sample."""


def find_repetition(
    found: Estimate,
    x1: ArrayLike,
    x2: ArrayLike | None = None,
    *,
    camera1: CameraLike | None = None,
    camera2: CameraLike | None = None,
    threshold: float | None = None,
    options: RobustOptions | None = None,
    weights: ArrayLike | None = None,
    qualities: ArrayLike | None = None,
    device: str | None = None,
) -> Repetition:
    """Tests an epipolar model for repeated structure: windows, columns and tiles that look alike give outliers that support a second model.

    The model is doubted if the best model of its outliers, its rival, has more than 0.3 of its inliers (N. Jiang, P. Tan, L.-F. Cheong, Seeing
    double without confusion, CVPR 2012). Costs a second estimation. Other models, and models that are not ok, are not doubted.

    Args:
        found: The result of `bifocal.estimate` for the other arguments, which are the same here.

    Raises:
        ValueError: For scene points and depths.
    """
    chosen = with_threshold(options, threshold)
    return Repetition(*_core.find_repetition(found, x1, x2, camera1, camera2, weights, qualities, chosen, device_id(device)))


def mirror_doubt(
    found: Estimate,
    x1: ArrayLike,
    x2: ArrayLike | None = None,
    *,
    camera1: CameraLike | None = None,
    camera2: CameraLike | None = None,
    threshold: float | None = None,
    options: RobustOptions | None = None,
    weights: ArrayLike | None = None,
    qualities: ArrayLike | None = None,
    device: str | None = None,
) -> str:
    """Returns why one of the images seems to be mirrored, '' without a doubt: clearly more matches support a pose once x2 is mirrored.

    Only models with cameras are tested, because models without cameras fit mirrored matches as well. Costs a second estimation unless nearly all matches are
    inliers.

    Args:
        found: The result of `bifocal.estimate` for the other arguments, which are the same here.
    """
    chosen = with_threshold(options, threshold)
    return _core.mirror_doubt(found, x1, x2, camera1, camera2, weights, qualities, chosen, device_id(device))
