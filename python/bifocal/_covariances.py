"""Covariances of fitted models from the noise of the points that they were fitted to (include/bifocal/two_view.hpp).

They hold to first order, at the least-squares model of `refine` that every estimator ends with: Hartley and Zisserman, Multiple View Geometry,
2nd ed., 5.2.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from . import _core
from ._arrays import ArrayLike

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    from ._robust import CameraLike, ModelKind

    Numbers = NDArray[numpy.float64]

__all__ = ["Covariance", "absolute_pose_covariance", "covariance", "relative_pose_covariance"]


class Covariance(NamedTuple):
    """Covariance of a model. The matrices have rank `parameters`, because they are zero along directions that do not change the model.

    Attributes:
        ok: False if the points leave parameters open, or are too few to estimate the noise; the matrices are zeros then.
        parameters: Degrees of freedom of the model.
        noise: Standard deviation of a coordinate in px, as given or as estimated from the errors.
        model: Covariance of the row-major elements of the matrix scaled to norm 1, shape (9, 9).
        pose: Covariance of (w, t) of a pose, shape (6, 6): the rotation is exp([w]x) R to first order, w in radians; zeros for a matrix.
        focal_variance: Variance of the focal length of "shared_focal" and "monodepth_shared_focal" in px^2; None for other kinds.
        correlation: Factor, at least 1, by which variances grow because neighbouring points have similar errors; not contained in the matrices.
    """

    ok: bool
    parameters: int
    noise: float
    model: Numbers
    pose: Numbers
    focal_variance: float | None
    correlation: float


def covariance(
    kind: ModelKind,
    model: ArrayLike,
    x1: ArrayLike,
    x2: ArrayLike | None = None,
    *,
    camera1: CameraLike | None = None,
    camera2: CameraLike | None = None,
    inliers: ArrayLike | None = None,
    noise: float = 0.0,
) -> Covariance:
    """Computes the covariance of H, F, E or another matrix of two views.

    The covariance contains independent noise alone: multiply by `correlation` for errors that neighbours have in common. Errors of the cameras are
    not contained. A threshold that cuts errors off makes the estimated noise too small, a threshold that accepts wrong matches makes it too large.

    Args:
        kind: Name of the model, one of `ModelKind`.
        model: Matrix of shape (3, 3) and any scale.
        x1, x2: Matches in px, shape (N, 2) each, or x1 alone as rows x1 y1 x2 y2.
        camera1, camera2: Intrinsics in px, if the kind takes them.
        inliers: Flags of the points of the fit, bool or uint8 of shape (N,); by default all points.
        noise: Standard deviation of a coordinate in px; 0 estimates it from the errors.

    Returns:
        Covariance with `model` of shape (9, 9).

    Raises:
        ValueError: If the model is zero or not finite, `noise` is negative, or shapes or cameras do not fit.
    """
    return Covariance(*_core.covariance(kind, model, None, None, x1, x2, camera1, camera2, inliers, noise))


def relative_pose_covariance(
    R: ArrayLike,
    t: ArrayLike,
    x1: ArrayLike,
    x2: ArrayLike,
    camera1: CameraLike,
    camera2: CameraLike | None = None,
    *,
    inliers: ArrayLike | None = None,
    noise: float = 0.0,
) -> Covariance:
    """Computes the covariance of a relative pose X2 = R X1 + t, |t| = 1, and of its essential matrix.

    Args:
        R, t: Relative pose, shapes (3, 3) and (3,).
        x1, x2: Matches in px, shape (N, 2).
        camera1, camera2: Intrinsics in px, with or without lens distortion; camera2 is camera1 by default.
        inliers: Flags of the points of the fit, bool or uint8 of shape (N,); by default all points.
        noise: Standard deviation of a coordinate in px; 0 estimates it from the errors.

    Returns:
        Covariance with `pose` of shape (6, 6) and `model` of shape (9, 9), from independent noise alone.

    Raises:
        ValueError: If `noise` is negative, or shapes or cameras do not fit.
    """
    return Covariance(*_core.covariance("essential", None, R, t, x1, x2, camera1, camera2, inliers, noise))


def absolute_pose_covariance(
    R: ArrayLike, t: ArrayLike, x: ArrayLike, X: ArrayLike, camera: CameraLike, *, inliers: ArrayLike | None = None, noise: float = 0.0
) -> Covariance:
    """Computes the covariance of a camera pose from scene points, X_camera = R X + t. Points behind the camera are left out.

    Args:
        R, t: Pose of the camera, shapes (3, 3) and (3,).
        x: Image points in px, shape (N, 2).
        X: Scene points in the unit of t, shape (N, 3).
        camera: Intrinsics in px, with or without lens distortion.
        inliers: Flags of the points of the fit, bool or uint8 of shape (N,); by default all points.
        noise: Standard deviation of a coordinate in px; 0 estimates it from the errors.

    Returns:
        Covariance with `pose` of shape (6, 6), from independent noise alone.

    Raises:
        ValueError: If `noise` is negative, or shapes or the camera do not fit.
    """
    return Covariance(*_core.absolute_pose_covariance(R, t, x, X, camera, inliers, noise))
