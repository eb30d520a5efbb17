"""The pieces of two-view geometry by themselves, for who has a model already (include/bifocal/two_view.hpp).

Points are [N, 2] px (x1 alone: rows x1 y1 x2 y2); cameras may have lenses, whose points are undistorted first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from . import _core
from ._arrays import ArrayLike

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    from ._core import Estimate
    from ._robust import CameraLike, ModelKind

    Numbers = NDArray[numpy.float64]

__all__ = [
    "EssentialPoses",
    "ModelChoice",
    "PlaneMotion",
    "RecoveredPose",
    "Refined",
    "choose_model",
    "decompose_essential",
    "decompose_homography",
    "pose_residuals",
    "recover_pose",
    "refine",
    "refine_absolute_pose",
    "residuals",
    "triangulate",
]


class Refined(NamedTuple):
    """A model after a least-squares fit."""

    model: Numbers
    """[3, 3], as Estimate.model; of an absolute pose its rotation."""
    t: Numbers
    """[3] of an absolute pose, else zero."""
    fitted: int
    """Points fitted to."""
    rms: float
    """px, of their errors."""
    steps: int


class ModelChoice(NamedTuple):
    """The model that explains a pair, and why."""

    kind: ModelKind
    rule: str
    """'planar', 'rotation', 'same_image', 'general', 'no_model', 'no_homography' or 'no_epipolar_model'."""
    reason: str
    """The rule in words, with numbers."""


class EssentialPoses(NamedTuple):
    """The four poses are (R1, t), (R1, -t), (R2, t) and (R2, -t)."""

    R1: Numbers
    R2: Numbers
    t: Numbers


class RecoveredPose(NamedTuple):
    """X2 = R X1 + t, |t| = 1."""

    R: Numbers
    t: Numbers
    in_front: NDArray[numpy.bool_]
    """[N]: in front of both cameras, and flagged."""


class PlaneMotion(NamedTuple):
    """H ~ K2 (R + t normal') K1^-1; the unit of t is the distance of the plane."""

    R: Numbers
    t: Numbers
    normal: Numbers


def choose_model(
    x1: ArrayLike,
    x2: ArrayLike,
    homography: Estimate,
    epipolar: Estimate,
    camera1: CameraLike | None = None,
    camera2: CameraLike | None = None,
    *,
    threshold: float = 2.0,
) -> ModelChoice:
    """Chooses between a homography and an epipolar model of the same points, as `bifocal pair` does.

    A homography is the answer for a plane, or a camera that only rotated, unless enough matches off it prove depth.

    Args:
        x1, x2: Image coordinates in px, shape (N, 2), that both models were estimated from.
        homography, epipolar: Estimates of these points; the second is a fundamental or an essential matrix.
        camera1, camera2: Intrinsics, in px, of an essential matrix.
        threshold: Largest error of an inlier in both estimates, in px.
    """
    return ModelChoice(*_core.choose_model(x1, x2, homography, epipolar, camera1, camera2, threshold))


def residuals(
    kind: ModelKind,
    model: ArrayLike,
    x1: ArrayLike,
    x2: ArrayLike | None = None,
    *,
    camera1: CameraLike | None = None,
    camera2: CameraLike | None = None,
) -> Numbers:
    """[N]: Sampson distances, px, as robust estimation has them; NaN for points that are not finite."""
    return _core.residuals(kind, model, x1, x2, camera1, camera2)


def pose_residuals(R: ArrayLike, t: ArrayLike, x: ArrayLike, X: ArrayLike, camera: CameraLike) -> Numbers:
    """[N]: reprojection distances, px; NaN behind the camera."""
    return _core.pose_residuals(R, t, x, X, camera)


def refine(
    kind: ModelKind,
    start: ArrayLike,
    x1: ArrayLike,
    x2: ArrayLike | None = None,
    *,
    camera1: CameraLike | None = None,
    camera2: CameraLike | None = None,
    inliers: ArrayLike | None = None,
    threshold: float = 0.0,
    max_steps: int = 50,
) -> Refined:
    """The model near `start` of least squared error over the inliers (bool [N]; none: all points).

    threshold, px: a larger error counts as this one; 0: all count in full.
    """
    return Refined(*_core.refine(kind, start, x1, x2, camera1, camera2, inliers, threshold, max_steps))


def refine_absolute_pose(
    R: ArrayLike,
    t: ArrayLike,
    x: ArrayLike,
    X: ArrayLike,
    camera: CameraLike,
    *,
    inliers: ArrayLike | None = None,
    threshold: float = 0.0,
    max_steps: int = 50,
) -> Refined:
    """The same of the pose of a camera: `model` is R."""
    return Refined(*_core.refine_pose(R, t, x, X, camera, inliers, threshold, max_steps))


def decompose_essential(E: ArrayLike) -> EssentialPoses:
    """The poses that E stands for, |t| = 1."""
    return EssentialPoses(*_core.decompose_essential(E))


def recover_pose(
    E: ArrayLike,
    x1: ArrayLike,
    x2: ArrayLike,
    camera1: CameraLike,
    camera2: CameraLike | None = None,
    *,
    inliers: ArrayLike | None = None,
) -> RecoveredPose:
    """The one of these that has most points in front of both cameras."""
    return RecoveredPose(*_core.recover_pose(E, x1, x2, camera1, camera2, inliers))


def decompose_homography(
    H: ArrayLike,
    camera1: CameraLike,
    camera2: CameraLike | None = None,
    x1: ArrayLike | None = None,
    x2: ArrayLike | None = None,
) -> list[PlaneMotion]:
    """The motions that H (px) stands for: four; with points the two, as a rule, whose plane lies in front of camera 1; one of a turn."""
    return [PlaneMotion(*motion) for motion in _core.decompose_homography(H, camera1, camera2, x1, x2)]


def triangulate(
    x1: ArrayLike, x2: ArrayLike, camera1: CameraLike, camera2: CameraLike | None, R: ArrayLike, t: ArrayLike
) -> Numbers:
    """[N, 3]: scene points in the frame of camera 1, in the unit of t; NaN where rays meet behind a camera. camera2 None: camera1."""
    return _core.triangulate(x1, x2, camera1, camera2, R, t)
