"""OpenCV's estimators of poses: recoverPose and solvePnPRansac."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _core
from . import arrays as _cv
from . import usac as _usac
from .. import two_view as _pieces
from .._drop_in import agreed
from .arrays import Array, Flag, Given
from .epipolar import findEssentialMat
from .._numbers import number
from .._options import RobustOptions
from .._robust import estimate_absolute_pose
from ..solvers import solve_minimal

_TWO_CAMERAS = ["points1", "points2", "cameraMatrix1", "distCoeffs1", "cameraMatrix2", "distCoeffs2", "E", "R", "t", "method", "prob", "threshold", "mask"]
_POINTS = ["E", "points1", "points2"]
_MATRIX = [*_POINTS, "cameraMatrix", "R", "t", "mask"]
_FAR = [*_POINTS, "cameraMatrix", "distanceThresh", "R", "t", "mask", "triangulatedPoints"]
_FOCAL = [*_POINTS, "focal", "pp", "R", "t", "mask"]


def _flags(mask: Any, count: int) -> Array | None:
    """Returns a given mask as uint8 of shape (N,); None without a mask."""
    try:
        array = np.zeros(0, np.uint8) if mask is None else np.asarray(mask)
    except (ValueError, TypeError):
        raise TypeError(f"mask: {type(mask).__name__}, must be uint8") from None
    if array.size == 0:
        return None
    if array.dtype.kind not in "biu":
        raise TypeError(f"mask: dtype {array.dtype}, must be uint8")
    if array.size != count or max(array.shape, default=0) != count:
        raise ValueError(f"mask: shape {array.shape}, must be ({count}, 1)")
    if array.dtype != bool and (array.min() < 0 or array.max() > 255):
        raise ValueError(f"mask: {array.min()} to {array.max()}, must be 0 to 255")
    return array.ravel().astype(np.uint8)


def _seen(u1: Array, u2: Array, R: Array, t: Array, limit: float) -> tuple[Array, Array]:
    """Triangulates homogeneous points of shape (N, 4) and length 1 by the linear method.

    Returns the points, and True for points in front of both cameras that are nearer than `limit` to both.
    """
    P = np.c_[R, t]
    A = np.empty((len(u1), 4, 4))
    A[:, :2, :2], A[:, :2, 3] = -np.eye(2), 0
    A[:, :2, 2] = u1
    A[:, 2:] = u2[:, :, None] * P[2] - P[:2]
    X: Array = _core.svd(A, None, None)[2][:, :, 3]
    near = X[:, 2] / X[:, 3]
    far = (X @ P[2]) / X[:, 3]
    seen: Array = (near > 0) & (near < limit) & (far > 0) & (far < limit)  # False for NaN
    return X, seen


def _of_two_cameras(given: dict[str, Any]) -> tuple[Any, ...]:
    for name in ("points1", "points2", "cameraMatrix1", "cameraMatrix2"):
        if given.get(name) is None:
            raise TypeError(f"recoverPose: {name}, is missing")
    x1, x2 = _cv.pair(given["points1"], given["points2"], "points1", "points2")
    call = {name: given[name] for name in (*_TWO_CAMERAS[2:6], "method", "prob", "threshold") if name in given}
    E, mask = findEssentialMat(x1, x2, **call)
    if E is None or mask is None:
        return 0, None, None, None, _cv.mask(np.zeros(len(x1), bool), given.get("mask"), column=True)
    K = [_cv.matrix(given[name], name) for name in ("cameraMatrix1", "cameraMatrix2")]
    unit = [
        _cv.normalised(_cv.pinhole_points(x, k, given.get(name), name), k) for x, k, name in zip((x1, x2), K, ("distCoeffs1", "distCoeffs2"))
    ]
    poses = [(*recoverPose(one, *unit, mask=mask.copy()), one) for one in E.reshape(-1, 3, 3)]
    count, R, t, flags, best = max(poses, key=lambda pose: pose[0])
    R, t = _cv.output(R, given.get("R"), "R"), _cv.output(t, given.get("t"), "t", True)
    return count, _cv.output(best.copy(), given.get("E"), "E"), R, t, _cv.output(flags, given.get("mask"), "mask", True)


@_cv.quiet
def recoverPose(*args: Any, **kwargs: Any) -> tuple[Any, ...]:
    """Chooses the pose of an essential matrix with most points in front of both cameras, in OpenCV's forms.

    The forms of arguments and results are::

        (E, points1, points2, cameraMatrix, R, t, mask) -> (count, R, t, mask)
        (E, points1, points2, focal=1.0, pp=(0, 0), R, t, mask) -> (count, R, t, mask)
        (E, points1, points2, cameraMatrix, distanceThresh, R, t, mask, triangulatedPoints) -> (count, R, t, mask, points)
        (points1, points2, cameraMatrix1, distCoeffs1, cameraMatrix2, distCoeffs2, E, R, t, method, prob, threshold, mask)
            -> (count, E, R, t, mask), which estimates E

    Args:
        args, kwargs: Arguments of one of the forms. Arrays given for R, t and triangulatedPoints are filled. Points farther than distanceThresh
            baselines (50 as in OpenCV) do not count. A given mask of 0 and 1, or any numbers, keeps its values at points in front.

    Returns:
        Results of the form: R (3, 3), t (3, 1), mask (N, 1) of 0 and 255, homogeneous points (4, N) of length 1. The mask of the last form is an
        output of 0 and 1.

    Raises:
        ValueError: If shapes differ.
        TypeError: If an argument is missing or not in the form.
    """
    if any(name in kwargs for name in _TWO_CAMERAS[2:6]) or (len(args) > 2 and _cv.shape(args[2]) == (3, 3) and _cv.shape(args[0]) != (3, 3)):
        return _of_two_cameras(_cv.arguments("recoverPose", _TWO_CAMERAS, args, kwargs))
    names, far = _FOCAL, False
    if "cameraMatrix" in kwargs or (len(args) > 3 and len(_cv.shape(args[3])) == 2):
        far = "distanceThresh" in kwargs or (len(args) > 4 and _cv.shape(args[4]) == () and args[4] is not None)
        names = _FAR if far else _MATRIX
    given = _cv.arguments("recoverPose", names, args, kwargs)
    for name in _POINTS:
        if name not in given:
            raise TypeError(f"recoverPose: {name}, is missing")
    x1, x2 = _cv.pair(given["points1"], given["points2"], "points1", "points2")
    K = _cv.matrix(given["cameraMatrix"]) if "cameraMatrix" in given else _cv.focal_matrix(given.get("focal", 1.0), given.get("pp", (0.0, 0.0)))
    limit = number(given.get("distanceThresh", 50.0), "distanceThresh")
    flags = _flags(given.get("mask"), len(x1))
    poses = _pieces.decompose_essential(_cv.matrix(given["E"], "E"))
    u1, u2 = _cv.normalised(x1, K), _cv.normalised(x2, K)
    best: tuple[int, Array, Array, Array, Array] | None = None
    for R, t in ((poses.R1, poses.t), (poses.R2, poses.t), (poses.R1, -poses.t), (poses.R2, -poses.t)):
        X, seen = _seen(u1, u2, R, t, limit)
        values = np.where(seen, np.uint8(255) if flags is None else flags, np.uint8(0)).astype(np.uint8)
        if best is None or np.count_nonzero(values) > best[0]:
            best = int(np.count_nonzero(values)), R, t.reshape(3, 1), values.reshape(-1, 1), X
    assert best is not None
    count, R, t, values, X = best
    R, t = _cv.output(R.copy(), given.get("R"), "R"), _cv.output(t.copy(), given.get("t"), "t", True)
    out = count, R, t, _cv.output(values, given.get("mask"), "mask", True)
    return (*out, _cv.output(np.ascontiguousarray(X.T), given.get("triangulatedPoints"), "triangulatedPoints")) if far else out


def fit_pose(x: Array, X: Array, camera: Any) -> tuple[Array, Array] | None:
    """Computes R, t from four or five points: the best pose of three points over all points, for five points refined by least squares."""
    K = np.asarray(_core.pinhole_of(camera))
    pinhole = np.array([[K[0], 0, K[2]], [0, K[1], K[3]], [0, 0, 1.0]])
    straight = _core.move_points(x, camera, False)
    if not _cv.finite(straight, X).all():
        return None
    rays = np.c_[_cv.normalised(straight, pinhole), np.ones(len(x))]
    rays /= np.linalg.norm(rays, axis=1)[:, None]
    best: tuple[float, Array, Array] | None = None
    for first in range(1 if len(x) == 4 else 3):
        sample = [first, first + 1, first + 2]
        solutions, counts = solve_minimal("p3p", np.r_[rays[sample].ravel(), X[sample].ravel()][:, None])
        for k in range(int(counts[0])):
            R, t = solutions[k, :9, 0].reshape(3, 3), solutions[k, 9:, 0]
            Y = X @ R.T + t
            if not np.isfinite(Y).all() or (Y[:, 2] <= 0).any():
                continue
            error = float((((Y[:, :2] / Y[:, 2:] - rays[:, :2] / rays[:, 2:]) * K[:2]) ** 2).sum())
            if best is None or error < best[0]:
                best = error, R, t
    if best is None:
        return None
    if len(x) == 4:
        return best[1], best[2]
    fitted = _pieces.refine_absolute_pose(best[1], best[2], straight, X, pinhole)
    return (fitted.model, fitted.t) if np.isfinite(fitted.model).all() and np.isfinite(fitted.t).all() else None


def pose_of(X: Array, x: Array, camera: Any, options: RobustOptions, given: tuple[Any, Any, Any]) -> tuple[bool, Array, Array, Array | None]:
    """Computes the results of solvePnPRansac. given: output arrays for rvec, tvec and inliers."""
    if len(X) != len(x):
        raise ValueError(f"imagePoints: {len(x)} points, but objectPoints has {len(X)}")
    if len(X) < 4:
        raise ValueError(f"objectPoints: {len(X)} points, must be at least 4")
    pose: tuple[Array, Array] | None = None
    inliers = np.arange(len(X))
    if len(X) <= 5:  # as in OpenCV, a minimal sample is accepted without a test
        pose = fit_pose(x, X, camera)
    else:
        found = estimate_absolute_pose(x, X, camera, options=options)
        if agreed(found) and found.R is not None and found.t is not None:
            pose, inliers = (found.R, found.t), np.flatnonzero(found.inliers)
    if pose is None:
        return False, np.zeros((3, 1)), np.zeros((3, 1)), None
    r, t = _cv.rotation_vector(pose[0]), pose[1].reshape(3, 1).copy()
    for values, array, name in zip((r, t), given, ("rvec", "tvec")):
        _cv.output(values, array, name)
    return True, r, t, _cv.output(inliers.astype(np.int32).reshape(-1, 1), given[2], "inliers")


@_cv.quiet
def solvePnPRansac(
    objectPoints: Given,
    imagePoints: Given,
    cameraMatrix: Given,
    distCoeffs: Given | None = None,
    rvec: Array | None = None,
    tvec: Array | None = None,
    useExtrinsicGuess: Flag = False,
    iterationsCount: int | None = None,
    reprojectionError: float = 8.0,
    confidence: float = 0.99,
    inliers: Array | None = None,
    flags: int = 0,
) -> tuple[bool, Array, Array, Array | None]:
    """Estimates a camera pose robustly like cv2.solvePnPRansac.

    Args:
        objectPoints: Scene points, shape (N, 3), N >= 4.
        imagePoints: Image points in px, shape (N, 2).
        cameraMatrix: Intrinsics in px, shape (3, 3).
        distCoeffs: 0, 4, 5 or 8 coefficients.
        rvec, tvec: Filled with the result if shape and type fit.
        useExtrinsicGuess: Not used.
        iterationsCount: Most samples to draw, 300000 by default.
        reprojectionError: Largest reprojection error of an inlier in px.
        confidence: Probability of having drawn a sample without outliers.
        inliers: Filled with the result if shape and type fit.
        flags: Not used.

    Returns:
        Success, rotation vector (3, 1), translation (3, 1), and indices of the inliers, int32 of shape (K, 1), None without a pose.

    Raises:
        ValueError: If shapes differ, an option is out of range, or fewer than four points are given.
    """
    X, x = _cv.points(objectPoints, "objectPoints", 3), _cv.points(imagePoints, "imagePoints")
    K = _cv.matrix(cameraMatrix)
    if len(x):
        x = _cv.pinhole_points(x, K, distCoeffs, "distCoeffs")
    options = _usac.robust_options(reprojectionError, confidence, iterationsCount, ("reprojectionError", "confidence", "iterationsCount"))
    return pose_of(X, x, K, options, (rvec, tvec, inliers))
