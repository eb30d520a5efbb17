"""How far a fitted model can be trusted, from the noise of the points that it was fitted to (include/bifocal/two_view.hpp).

First order, at the least-squares model of `refine` (estimators end with it): Hartley and Zisserman, Multiple View Geometry, 2nd ed., 5.2.
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
    """Covariances have the rank `parameters`: none along what does not change the model."""

    ok: bool
    """False when the points leave parameters open, or are too few to tell the noise; the matrices are zeros then."""
    parameters: int
    noise: float
    """px, the standard deviation of a coordinate: as given, or estimated from the errors."""
    model: Numbers
    """[9, 9]: of the row-major numbers of the matrix, scaled to norm 1."""
    pose: Numbers
    """[6, 6] of a pose: of (w, t), where R is exp([w]x) R to first order, w in radians; zeros of a matrix."""
    focal_variance: float
    """px^2, of the focal length of "shared_focal" (and "monodepth_shared_focal"); 0 of other kinds."""
    correlation: float
    """Factor, at least 1, by which the variances grow because errors of neighbouring points are alike; the covariances do not contain it."""


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
    """Computes the covariance of H, F, E or another matrix of two views. inliers: bool [N], those of the fit (None: all); noise: px, 0: estimated.

    Contains independent noise alone: multiply by `correlation` for errors that neighbours have in common. Errors of the cameras are not contained.
    A threshold that cuts errors off makes the estimated noise too small, one that lets wrong matches in too large.
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
    """Computes that of X2 = R X1 + t, |t| = 1, and of its essential matrix. Arguments are as of `covariance`."""
    return Covariance(*_core.covariance("essential", None, R, t, x1, x2, camera1, camera2, inliers, noise))


def absolute_pose_covariance(
    R: ArrayLike, t: ArrayLike, x: ArrayLike, X: ArrayLike, camera: CameraLike, *, inliers: ArrayLike | None = None, noise: float = 0.0
) -> Covariance:
    """Computes that of the pose of a camera from scene points X [N, 3] seen at x [N, 2]. Arguments are as of `covariance`."""
    return Covariance(*_core.absolute_pose_covariance(R, t, x, X, camera, inliers, noise))
