"""Classes of the results of functions, for annotations and isinstance; only functions make their objects."""

from __future__ import annotations

from typing import Any

from . import _core
from ._adjust import Adjusted, AdjustIteration
from ._arguments import check_public
from ._collection import Collected, FocalLengths
from ._core import BatchEstimate, DisparityMap, Estimate, FloatMatches, VerifiedPairs
from ._covariances import Covariance
from ._dense import DenseImage, DenseModel
from ._pair_files import PairFiles
from ._pictures import Calibration, Correspondences
from ._rectification import RectificationChoice
from ._stereo_matching import DenseMatches, DepthMap, DisparityScore, PointCloud
from ._video import VideoFrame
from .two_view import EssentialPoses, ModelChoice, PlaneMotion, RecoveredPose, Refined

__all__ = [
    "AdjustIteration",
    "Adjusted",
    "BatchEstimate",
    "Calibration",
    "Collected",
    "Correspondences",
    "Covariance",
    "DenseImage",
    "DenseMatches",
    "DenseModel",
    "DepthMap",
    "DisparityMap",
    "DisparityScore",
    "EssentialPoses",
    "Estimate",
    "FloatMatches",
    "FocalLengths",
    "ModelChoice",
    "PairFiles",
    "PlaneMotion",
    "PointCloud",
    "RecoveredPose",
    "RectificationChoice",
    "Refined",
    "VerifiedPairs",
    "VideoFrame",
]


def _features(f: Any) -> str:
    return f"<Features: {len(f)} keypoints, descriptors {tuple(f.descriptors.shape)}>"


def _matches(m: Any) -> str:
    return f"<{type(m).__name__} of {len(m)} pairs of features>"


def _batch(b: Any) -> str:
    return f"<BatchEstimate: {int(b.ok.sum())} of {len(b)} pairs ok>"


def _verified(v: Any) -> str:
    return f"<VerifiedPairs: {len(v)} pairs, {len(v.matches)} matches, {int(v.estimates.ok.sum())} pairs ok>"


def _disparity(d: Any) -> str:
    height, width = d.raw.shape
    return f"<DisparityMap: {width} x {height} px, {d.density:.1f} % known>"


def _frame(f: Any) -> str:
    return f"<VideoFrame {f.number}: {len(f)} keypoints, {len(f.pairs)} pairs with earlier frames>"


for _name, _text in {
    "Features": _features,
    "Matches": _matches,
    "FloatMatches": _matches,
    "BatchEstimate": _batch,
    "VerifiedPairs": _verified,
    "DisparityMap": _disparity,
    "VideoFrame": _frame,
}.items():
    setattr(getattr(_core, _name), "__repr__", _text)


check_public(__all__, globals())
