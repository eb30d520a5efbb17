"""Tests that raise doubts about results: repeated structure, mirrored images, cameras of other images, disparities at an end of their search."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from . import _core
from ._arrays import ArrayLike
from ._estimator_arguments import rows_of_padded, with_threshold
from ._arguments import check_public
from ._cameras import intrinsics_doubt
from ._core import BatchEstimate, Estimate
from ._devices import device_id
from ._numbers import host_array
from ._options import RobustOptions
from ._stereo_matching import disparity_doubt

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ._robust import CameraLike

__all__ = ["Repetition", "disparity_doubt", "find_repetition", "find_repetition_batch", "intrinsics_doubt", "mirror_doubt"]


@dataclass(frozen=True)
class Repetition:
    """Result of `find_repetition`, and for each pair of `find_repetition_batch`.

    Attributes:
        is_doubted: True if the rival has more than 0.3 of the inliers of the model.
        reason: Reason for the doubt with numbers; '' without a doubt.
        rival_inliers: Inliers of the rival, the best model of the outliers; 0 with too few outliers or no such model.
        rival_ratio: Inliers of the rival divided by inliers of the model, after subtracting a minimal sample from both.
    """

    is_doubted: bool
    reason: str
    rival_inliers: int
    rival_ratio: float


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
    double without confusion, CVPR 2012). Other kinds of models and models that are not `ok` are not doubted. A model of few inliers may take longer to
    test than to estimate.

    Args:
        found: Result of `bifocal.estimate` for the arguments below.
        x1, x2: Matches in px, shape (N, 2) each, or x1 alone as rows x1 y1 x2 y2.
        camera1, camera2: Intrinsics in px, if the kind takes them.
        threshold, options, weights, qualities, device: Arguments that `found` was estimated with.

    Returns:
        Repetition with the doubt and the number of inliers of the rival.

    Raises:
        ValueError: If `found` is a model of scene points or of matches with depths, or shapes differ.
    """
    chosen = with_threshold(options, threshold)
    return Repetition(*_core.find_repetition(found, x1, x2, camera1, camera2, weights, qualities, chosen, device_id(device)))


def find_repetition_batch(
    found: BatchEstimate,
    points: ArrayLike,
    *,
    x2: ArrayLike | None = None,
    mask: ArrayLike | None = None,
    cameras1: CameraLike | Sequence[CameraLike] | None = None,
    cameras2: CameraLike | Sequence[CameraLike] | None = None,
    threshold: float | None = None,
    options: RobustOptions | None = None,
    weights: ArrayLike | None = None,
    qualities: ArrayLike | None = None,
    device: str | None = None,
) -> list[Repetition]:
    """Tests the epipolar models of a batch for repeated structure.

    Each result equals the result of `find_repetition` for the pair alone. The outliers of pairs whose tests need similar numbers of samples are
    estimated in one batch.

    Args:
        found: Result of `bifocal.estimate_batch` for the arguments below.
        points, x2, mask, cameras1, cameras2: Matches and cameras of the pairs, as in `estimate_batch`. Arrays on a GPU are copied to the host.
        threshold, options, weights, qualities: Arguments that `found` was estimated with.
        device: Device that estimates the rivals; default the CPU.

    Returns:
        One Repetition for each pair.

    Raises:
        ValueError: If `found` consists of models of scene points or of matches with depths, or shapes differ.
    """
    if x2 is not None or mask is not None or len(getattr(points, "shape", (0, 0))) == 3:
        points, _ = rows_of_padded(points, x2, mask)
    given = {"points": points, "weights": weights, "qualities": qualities}
    rows, w, q = (None if array is None else host_array(array, name) for name, array in given.items())
    chosen = with_threshold(options, threshold)
    return [Repetition(*r) for r in _core.find_repetition_batch(found, rows, cameras1, cameras2, w, q, chosen, device_id(device))]


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
    """Tests whether one of the images seems to be mirrored: clearly more matches support a pose once x2 is mirrored.

    Only models with cameras are tested, because models without cameras fit mirrored matches as well. Costs a second estimation unless nearly all
    matches are inliers.

    Args:
        found: Result of `bifocal.estimate` for the arguments below.
        x1, x2: Matches in px, shape (N, 2) each, or x1 alone as rows x1 y1 x2 y2.
        camera1, camera2: Intrinsics in px, if the kind takes them.
        threshold, options, weights, qualities, device: Arguments that `found` was estimated with.

    Returns:
        Reason for the doubt in words; '' without a doubt.

    Raises:
        ValueError: If `found` is a model of scene points or of matches with depths, or shapes differ.
    """
    chosen = with_threshold(options, threshold)
    return _core.mirror_doubt(found, x1, x2, camera1, camera2, weights, qualities, chosen, device_id(device))


check_public(__all__, globals())
