"""Single steps of two-view geometry for an existing model: errors, refinement, decomposition, triangulation (include/bifocal/two_view.hpp).

Points are in px, shape (N, 2), or x1 alone as rows x1 y1 x2 y2. Cameras may have lenses; their points are undistorted first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from . import _core
from ._arguments import check_public
from ._arrays import ArrayLike
from ._covariances import absolute_pose_covariance, covariance, relative_pose_covariance

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    from ._core import Estimate
    from ._robust import CameraLike, ModelKind

    Numbers = NDArray[numpy.float64]

__all__ = [
    "absolute_pose_covariance",
    "choose_model",
    "covariance",
    "decompose_essential",
    "decompose_homography",
    "pose_residuals",
    "recover_pose",
    "refine",
    "refine_absolute_pose",
    "relative_pose_covariance",
    "residuals",
    "triangulate",
]


class Refined(NamedTuple):
    """Model after a least-squares fit.

    Attributes:
        model: Matrix of shape (3, 3) and norm 1, as Estimate.model; the rotation if an absolute pose was refined.
        t: Translation of an absolute pose, shape (3,); otherwise zero.
        fitted: Number of points in the fit: finite, flagged, and below the threshold at the end.
        rms: Root mean square error of these points, in px.
        steps: Number of Levenberg-Marquardt steps.
    """

    model: Numbers
    t: Numbers
    fitted: int
    rms: float
    steps: int


class ModelChoice(NamedTuple):
    """Model that explains a pair, and the rule that chose it.

    Attributes:
        kind: Kind of the chosen model.
        rule: 'planar', 'rotation', 'same_image', 'general', 'no_model', 'no_homography' or 'no_epipolar_model'.
        reason: The rule in words, with numbers.
    """

    kind: ModelKind
    rule: str
    reason: str


class EssentialPoses(NamedTuple):
    """Poses of an essential matrix: (R1, t), (R1, -t), (R2, t) and (R2, -t).

    Attributes:
        R1, R2: Rotations, shape (3, 3).
        t: Translation of unit length, shape (3,).
    """

    R1: Numbers
    R2: Numbers
    t: Numbers


class RecoveredPose(NamedTuple):
    """Relative pose X2 = R X1 + t of an essential matrix.

    Attributes:
        R: Rotation, shape (3, 3).
        t: Translation of unit length, shape (3,).
        in_front: Shape (N,): True for points that are flagged as inliers and lie in front of both cameras.
    """

    R: Numbers
    t: Numbers
    in_front: NDArray[numpy.bool_]


class PlaneMotion(NamedTuple):
    """Camera motion relative to a plane, H ~ K2 (R + t normal') K1^-1.

    Attributes:
        R: Rotation, shape (3, 3).
        t: Translation in units of the distance of camera 1 from the plane, shape (3,).
        normal: Unit normal of the plane in the frame of camera 1, shape (3,); zero if H is a rotation.
    """

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

    The homography is chosen for a plane or a camera that only rotated, unless enough matches off it prove depth.

    Args:
        x1, x2: Image coordinates in px, shape (N, 2), that both models were estimated from.
        homography, epipolar: Estimates of these points; the second is a fundamental or an essential matrix.
        camera1, camera2: Intrinsics in px, for an essential matrix.
        threshold: Largest error of an inlier in both estimates, in px.

    Returns:
        ModelChoice with the kind of the chosen model and the reason.

    Raises:
        ValueError: If `homography` is an estimate of another kind, or shapes differ.
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
    """Computes the errors of matches from a model of two views: Sampson distances, as in robust estimation.

    Args:
        kind: Name of the model, one of `ModelKind`.
        model: Matrix of shape (3, 3) and any scale, in px, or for normalised points if the kind takes cameras.
        x1, x2: Matches in px, shape (N, 2) each, or x1 alone as rows x1 y1 x2 y2.
        camera1, camera2: Intrinsics in px, if the kind takes them.

    Returns:
        Errors in px, shape (N,); NaN for points that are not finite.

    Raises:
        ValueError: If `kind` is 'absolute_pose', which has `pose_residuals`, or the model is zero or not finite.
    """
    return _core.residuals(kind, model, x1, x2, camera1, camera2)


def pose_residuals(R: ArrayLike, t: ArrayLike, x: ArrayLike, X: ArrayLike, camera: CameraLike) -> Numbers:
    """Computes the reprojection errors of scene points from an absolute pose, X_camera = R X + t.

    Args:
        R, t: Rotation of shape (3, 3) and translation of shape (3,).
        x: Image points in px, shape (N, 2).
        X: Scene points in the unit of t, shape (N, 3).
        camera: Intrinsics in px, with or without lens distortion.

    Returns:
        Distances in px, shape (N,); NaN for points that are not finite or lie behind the camera.
    """
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
    """Refines a model of two views by non-linear least squares on the given inliers.

    The fit uses the smallest number of parameters: F keeps rank 2, E keeps equal singular values (A. Bartoli, P. Sturm, PAMI 26(3), 2004).

    Args:
        kind: Name of the model, one of `ModelKind`.
        start: Initial matrix, shape (3, 3).
        x1, x2: Matches in px, shape (N, 2) each, or x1 alone as rows x1 y1 x2 y2.
        camera1, camera2: Intrinsics in px, if the kind takes them.
        inliers: Flags of the points to fit to, bool or uint8 of shape (N,); by default all points.
        threshold: Truncation of the errors in px: a larger error counts as this one; 0 counts all errors in full.
        max_steps: Most steps of Levenberg-Marquardt, which ends earlier if it has converged.

    Returns:
        Refined with the model and its error. With no point to fit to it has the initial model and fitted = 0.

    Raises:
        ValueError: If `kind` is 'absolute_pose', which has `refine_absolute_pose`, or shapes or cameras do not fit.
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
    """Refines an absolute pose by non-linear least squares on the given inliers.

    Args:
        R, t: Initial pose X_camera = R X + t, shapes (3, 3) and (3,).
        x: Image points in px, shape (N, 2).
        X: Scene points in the unit of t, shape (N, 3).
        camera: Intrinsics in px, with or without lens distortion.
        inliers: Flags of the points to fit to, bool or uint8 of shape (N,); by default all points.
        threshold: Truncation of the errors in px: a larger error counts as this one; 0 counts all errors in full.
        max_steps: Most steps of Levenberg-Marquardt, which ends earlier if it has converged.

    Returns:
        Refined with the rotation as `model` and the translation as `t`.

    Raises:
        ValueError: If shapes or the camera do not fit.
    """
    return Refined(*_core.refine_pose(R, t, x, X, camera, inliers, threshold, max_steps))


def decompose_essential(E: ArrayLike) -> EssentialPoses:
    """Decomposes an essential matrix into its four poses (Hartley, Zisserman, Multiple View Geometry, 2nd ed., 9.6.2).

    Args:
        E: Essential matrix for normalised points, shape (3, 3). If its singular values are not (s, s, 0), the nearest essential matrix is used.

    Returns:
        EssentialPoses with two rotations and a translation of unit length.

    Raises:
        ValueError: If E is zero, not finite or of rank 1.
    """
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
    """Chooses the pose of an essential matrix that has most points in front of both cameras.

    Args:
        E: Essential matrix for normalised points, shape (3, 3); decomposed as by `decompose_essential`.
        x1, x2: Matches in px, shape (N, 2).
        camera1, camera2: Intrinsics in px, with or without lens distortion; camera2 is camera1 by default.
        inliers: Flags of the points that count, bool or uint8 of shape (N,); by default all points.

    Returns:
        RecoveredPose with R, t of unit length and a flag for each point in front of both cameras.

    Raises:
        ValueError: If E is zero, not finite or of rank 1, or shapes or cameras do not fit.
    """
    return RecoveredPose(*_core.recover_pose(E, x1, x2, camera1, camera2, inliers))


def decompose_homography(
    H: ArrayLike,
    camera1: CameraLike,
    camera2: CameraLike | None = None,
    x1: ArrayLike | None = None,
    x2: ArrayLike | None = None,
) -> list[PlaneMotion]:
    """Decomposes a homography into camera motions relative to a plane (Ma, Soatto, Kosecka, Sastry, An Invitation to 3-D Vision, 5.3.3).

    Args:
        H: Homography in px, x2 ~ H x1, shape (3, 3).
        camera1, camera2: Intrinsics in px; camera2 is camera1 by default.
        x1, x2: Undistorted matches in px, shape (N, 2), which exclude motions whose plane lies behind camera 1.

    Returns:
        Four motions; with points as a rule two. A single motion with t = 0 and normal = 0 if H is a rotation.

    Raises:
        ValueError: If H is zero or not finite, or a camera is invalid.
    """
    return [PlaneMotion(*motion) for motion in _core.decompose_homography(H, camera1, camera2, x1, x2)]


def triangulate(
    x1: ArrayLike, x2: ArrayLike, camera1: CameraLike, camera2: CameraLike | None, R: ArrayLike, t: ArrayLike
) -> Numbers:
    """Triangulates scene points from matches and a relative pose X2 = R X1 + t (P. Lindstrom, Triangulation made easy, CVPR 2010).

    Args:
        x1, x2: Matches in px, shape (N, 2).
        camera1, camera2: Intrinsics in px, with or without lens distortion; camera2 = None means camera1.
        R, t: Relative pose, shapes (3, 3) and (3,).

    Returns:
        Points in the frame of camera 1 and the unit of t, shape (N, 3); NaN if a point is not finite or its rays meet behind a camera.

    Raises:
        ValueError: If shapes or cameras do not fit.
    """
    return _core.triangulate(x1, x2, camera1, camera2, R, t)


check_public(__all__, globals())
