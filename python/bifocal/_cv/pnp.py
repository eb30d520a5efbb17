"""OpenCV's solvePnP."""

from __future__ import annotations

from typing import Any, Optional, Tuple

import numpy as np

from .._numbers import reals, whole
from . import arrays as _cv
from . import planes
from .arrays import Array, Flag, Given
from .lens import coefficients, distorted, undistorted
from .poses import fit_pose

SOLVEPNP_ITERATIVE, SOLVEPNP_EPNP, SOLVEPNP_P3P, SOLVEPNP_AP3P, SOLVEPNP_IPPE, SOLVEPNP_IPPE_SQUARE, SOLVEPNP_SQPNP = range(7)
_STEPS = 50
_FLAT = 1e-3  # largest (thickness / width)^2 of points on a plane
_COMPLEX = 1e-30  # step of complex-step derivatives, which have no cancellation

Pose = Optional[Tuple[Array, Array]]


def _from_plane(X: Array, m: Array, V: Array) -> Pose:
    """Computes the pose from scene points on a plane, via the homography to normalised points. V: rows are the axes of the plane."""
    turn = np.eye(3) if V[2, 0] ** 2 + V[2, 1] ** 2 < 1e-10 else V
    turn = -turn if np.linalg.det(turn) < 0 else turn
    shift = -turn @ X.mean(0)
    H = planes.fit_homography(X @ turn.T[:, :2] + shift[:2], m)
    if H is None:
        return None
    sizes = np.linalg.norm(H[:, :2], axis=0)
    first, second = H[:, 0] / sizes[0], H[:, 1] / sizes[1]
    R = _cv.nearest_rotation(np.stack([first, second, np.cross(first, second)], 1))
    return R @ turn, R @ shift + H[:, 2] * (2 / sizes.sum())


def _from_space(X: Array, m: Array) -> Pose:
    """Computes the pose from at least six scene points by the linear method."""
    P = np.c_[X, np.ones(len(X))]
    zero = np.zeros_like(P)
    rows = np.concatenate([np.c_[P, zero, -m[:, :1] * P], np.c_[zero, P, -m[:, 1:] * P]])
    M = np.linalg.eigh(rows.T @ rows)[1][:, 0].reshape(3, 4)
    M = -M if np.linalg.det(M[:, :3]) < 0 else M
    R = _cv.nearest_rotation(M[:, :3])
    return R, M[:, 3] * (np.sqrt(3) / np.linalg.norm(M[:, :3]))


def _start(X: Array, m: Array) -> Pose:
    """Computes the initial pose of the refinement, as OpenCV does. m: normalised points."""
    centred = X - X.mean(0)
    _, sizes, V = np.linalg.svd(centred.T @ centred)
    if sizes[2] < _FLAT * sizes[1]:
        return _from_plane(X, m, V)
    return _from_space(X, m) if len(X) >= 6 else fit_pose(m, X, np.eye(3))


def _errors(R: Array, t: Array, X: Array, x: Array, K: Array, k: Array, derive: bool) -> tuple[Array, Array | None]:
    """Returns px [N, 2] of the reprojection less x and, if asked, derivatives [N, 2, 6] by a rotation vector on the left and by t."""
    turned = X @ R.T
    Y = turned + t
    u, v = Y[:, 0] / Y[:, 2], Y[:, 1] / Y[:, 2]
    focal = K[[0, 1], [0, 1]]
    errors = np.stack(distorted(u, v, k), 1) * focal + K[:2, 2] - x
    if not derive:
        return errors, None
    by_u, by_v = (np.stack(distorted(*at, k), 1).imag / _COMPLEX for at in ((u + 1j * _COMPLEX, v), (u, v + 1j * _COMPLEX)))
    by_Y = np.stack([by_u, by_v, -(by_u * u[:, None] + by_v * v[:, None])], 2) * (focal[:, None] / Y[:, 2, None, None])
    a, b, c = turned.T
    o = np.zeros_like(a)
    by_w = np.stack([np.stack([o, c, -b], 1), np.stack([-c, o, a], 1), np.stack([b, -a, o], 1)], 1)
    return errors, np.concatenate([by_Y @ by_w, by_Y], 2)


def refine_pose(R: Array, t: Array, X: Array, x: Array, K: Array, k: Array) -> Pose:
    """Refines a pose by Levenberg-Marquardt steps on the reprojection error, in px of the image with its lens."""
    damping = 1e-3
    for _ in range(_STEPS):
        errors, J = _errors(R, t, X, x, K, k, True)
        cost = float((errors**2).sum())
        assert J is not None
        if not np.isfinite(J).all() or not np.isfinite(cost):
            return None
        J = J.reshape(-1, 6)
        A, g = J.T @ J, J.T @ errors.ravel()
        while damping < 1e12:
            step = -np.linalg.lstsq(A + damping * np.diag(np.diag(A)), g, rcond=None)[0]
            newR, new_t = _cv.rotation_matrix(step[:3]) @ R, t + step[3:]
            if (_errors(newR, new_t, X, x, K, k, False)[0] ** 2).sum() <= cost:
                break
            damping *= 10
        else:
            break
        R, t, damping = newR, new_t, max(damping / 10, 1e-12)
        if np.abs(step[:3]).max() < 1e-12 and np.abs(step[3:]).max() < 1e-12 * max(np.abs(t).max(), 1e-300):
            break
    return R, t


def _guess(rvec: Any, tvec: Any) -> tuple[Array, Array]:
    if rvec is None or tvec is None:
        raise ValueError("rvec, tvec: None, must be given with useExtrinsicGuess")
    r, t = reals(rvec, "rvec").ravel(), reals(tvec, "tvec").ravel()
    if r.size != 3 or t.size != 3:
        raise ValueError(f"rvec, tvec: {r.size} and {t.size} numbers, must be 3 each")
    return _cv.rotation_matrix(r), t


def _given(values: Array, given: Any, name: str) -> Array:
    """Returns a vector in the type and the array that the caller gave."""
    is_float32 = isinstance(given, np.ndarray) and given.dtype == np.float32
    return _cv.output(values.astype(np.float32) if is_float32 else values, given, name)


@_cv.quiet
def solvePnP(
    objectPoints: Given,
    imagePoints: Given,
    cameraMatrix: Given,
    distCoeffs: Given | None,
    rvec: Any = None,
    tvec: Any = None,
    useExtrinsicGuess: Flag = False,
    flags: int = SOLVEPNP_ITERATIVE,
) -> tuple[bool, Array | None, Array | None]:
    """Computes the pose with the least squared reprojection errors of all points.

    `solvePnPRansac` and `bifocal.estimate_absolute_pose` tolerate outliers.

    Args:
        objectPoints: Scene points, shape (N, 3), N >= 4, or 3 with a guess. Rows with NaN are ignored.
        imagePoints: Image points in px, shape (N, 2).
        cameraMatrix: Intrinsics in px, shape (3, 3).
        distCoeffs: 0, 4, 5, 8, 12 or 14 coefficients.
        rvec, tvec: Start of the refinement with useExtrinsicGuess; filled with the result.
        useExtrinsicGuess: Refines the given pose.
        flags: SOLVEPNP_P3P and SOLVEPNP_AP3P solve three points exactly and choose by the fourth. All other flags mean SOLVEPNP_ITERATIVE,
            whose reprojection errors are as a rule smaller than with OpenCV's EPNP, SQPNP and IPPE, which do not minimise them.

    Returns:
        Success, the rotation vector and the translation, float64 (3, 1) each; False, rvec, tvec if the points do not determine a pose.

    Raises:
        ValueError: If the points are too few, or not four for SOLVEPNP_P3P and SOLVEPNP_AP3P.
    """
    X, x = _cv.points(objectPoints, "objectPoints", 3), _cv.points(imagePoints, "imagePoints")
    if len(X) != len(x):
        raise ValueError(f"imagePoints: {len(x)} points, but objectPoints has {len(X)}")
    if whole(flags, "flags") not in range(7):
        raise ValueError(f"flags = {flags}, must be 0 to 6")
    which = np.isfinite(np.c_[X, x]).all(1)
    X, x = X[which], x[which]
    is_minimal = flags in (SOLVEPNP_P3P, SOLVEPNP_AP3P)
    is_guess = useExtrinsicGuess and flags == SOLVEPNP_ITERATIVE
    if len(X) < (3 if is_guess else 4) or (is_minimal and len(X) != 4):
        raise ValueError(f"objectPoints: {len(X)} points, must be {'4' if is_minimal else '3 or more' if is_guess else '4 or more'}")
    K, k = _cv.matrix(cameraMatrix), coefficients(distCoeffs)
    pose: Pose
    try:
        m = np.stack(undistorted(x, K, k), 1)
        pose = fit_pose(m, X, np.eye(3)) if is_minimal else _guess(rvec, tvec) if is_guess else _start(X, m)
        if pose is not None and not is_minimal:
            pose = refine_pose(*pose, X, x, K, k)
    except np.linalg.LinAlgError:
        pose = None
    if pose is None or not np.isfinite(np.c_[pose[0], pose[1]]).all():
        return False, rvec, tvec
    return True, _given(_cv.rotation_vector(pose[0]), rvec, "rvec"), _given(pose[1].reshape(3, 1), tvec, "tvec")
