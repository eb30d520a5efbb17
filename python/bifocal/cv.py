"""OpenCV's functions by Bifocal's estimators: the same arguments, the same shapes of results. ``from bifocal import cv as cv2``.

What differs is listed in docs/python.md: every robust method (RANSAC, LMEDS, RHO, USAC_*) is Bifocal's one; points may be lists; a NaN point
is no inlier; ValueError and TypeError are raised in the place of cv2.error.
"""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from . import _core, options
from . import _cv_arrays as _cv
from . import _cv_fisheye as fisheye
from . import _cv_usac as _usac
from . import two_view as _pieces
from ._cv_arrays import Array
from ._cv_stereo import (
    STEREO_SGBM_MODE_HH,
    STEREO_SGBM_MODE_HH4,
    STEREO_SGBM_MODE_SGBM,
    STEREO_SGBM_MODE_SGBM_3WAY,
    StereoSGBM,
    StereoSGBM_create,
)
from ._cv_usac import (
    COV_POLISHER,
    LOCAL_OPTIM_GC,
    LOCAL_OPTIM_INNER_AND_ITER_LO,
    LOCAL_OPTIM_INNER_LO,
    LOCAL_OPTIM_NULL,
    LOCAL_OPTIM_SIGMA,
    LSQ_POLISHER,
    MAGSAC,
    NEIGH_FLANN_KNN,
    NEIGH_FLANN_RADIUS,
    NEIGH_GRID,
    NONE_POLISHER,
    SAMPLING_NAPSAC,
    SAMPLING_PROGRESSIVE_NAPSAC,
    SAMPLING_PROSAC,
    SAMPLING_UNIFORM,
    SCORE_METHOD_LMEDS,
    SCORE_METHOD_MAGSAC,
    SCORE_METHOD_MSAC,
    SCORE_METHOD_RANSAC,
    Found,
    UsacParams,
)
from .robust import Estimate, ModelKind, estimate
from .solvers import solve_minimal

__all__ = [
    "COV_POLISHER",
    "FM_7POINT",
    "FM_8POINT",
    "FM_LMEDS",
    "FM_RANSAC",
    "LMEDS",
    "LOCAL_OPTIM_GC",
    "LOCAL_OPTIM_INNER_AND_ITER_LO",
    "LOCAL_OPTIM_INNER_LO",
    "LOCAL_OPTIM_NULL",
    "LOCAL_OPTIM_SIGMA",
    "LSQ_POLISHER",
    "MAGSAC",
    "NEIGH_FLANN_KNN",
    "NEIGH_FLANN_RADIUS",
    "NEIGH_GRID",
    "NONE_POLISHER",
    "RANSAC",
    "RHO",
    "SAMPLING_NAPSAC",
    "SAMPLING_PROGRESSIVE_NAPSAC",
    "SAMPLING_PROSAC",
    "SAMPLING_UNIFORM",
    "SCORE_METHOD_LMEDS",
    "SCORE_METHOD_MAGSAC",
    "SCORE_METHOD_MSAC",
    "SCORE_METHOD_RANSAC",
    "STEREO_SGBM_MODE_HH",
    "STEREO_SGBM_MODE_HH4",
    "STEREO_SGBM_MODE_SGBM",
    "STEREO_SGBM_MODE_SGBM_3WAY",
    "StereoSGBM",
    "StereoSGBM_create",
    "USAC_ACCURATE",
    "USAC_DEFAULT",
    "USAC_FAST",
    "USAC_FM_8PTS",
    "USAC_MAGSAC",
    "USAC_PARALLEL",
    "USAC_PROSAC",
    "UsacParams",
    "estimateAffine2D",
    "estimateAffinePartial2D",
    "findEssentialMat",
    "findFundamentalMat",
    "findHomography",
    "fisheye",
    "recoverPose",
    "solvePnPRansac",
]

LMEDS, RANSAC, RHO = 4, 8, 16
FM_7POINT, FM_8POINT, FM_LMEDS, FM_RANSAC = 1, 2, 4, 8
USAC_DEFAULT, USAC_PARALLEL, USAC_FM_8PTS, USAC_FAST, USAC_ACCURATE, USAC_PROSAC, USAC_MAGSAC = range(32, 39)
_ROBUST = {LMEDS, RANSAC, RHO, *range(32, 39)}


def _options(threshold: float, confidence: float, max_iterations: int | None) -> options.RobustOptions:
    return options.RobustOptions(threshold=threshold, confidence=confidence, max_iterations=300000 if max_iterations is None else max_iterations)


def _method(method: Any, name: str, others: set[int]) -> None:
    if method not in _ROBUST | others:
        raise ValueError(f"{name}: method = {method}, must be one of {sorted(_ROBUST | others)}")


# Thresholds of OpenCV are a distance in one image; Bifocal's is that of the point pair, which is smaller by sqrt(2) when the images have
# one scale.
_ONE_IMAGE = float(np.sqrt(0.5))


def _robust(kind: ModelKind, x1: Array, x2: Array, threshold: float, confidence: float, max_iterations: int | None) -> Estimate:
    return estimate(kind, x1, x2, options=_options(threshold * _ONE_IMAGE, confidence, max_iterations))


def findHomography(
    srcPoints: Any,
    dstPoints: Any,
    method: int | UsacParams = 0,
    ransacReprojThreshold: float | Array | None = 3.0,
    mask: Array | None = None,
    maxIters: int | None = None,
    confidence: float = 0.995,
    *,
    params: UsacParams | None = None,
) -> Found:
    """H [3, 3] with H[2, 2] = 1 and the mask uint8 [N, 1]; (None, mask of zeros) without a model. method 0: least squares of all points.

    OpenCV's other form is (srcPoints, dstPoints, params, mask).
    """
    x1, x2 = _cv.pair(srcPoints, dstPoints, "srcPoints", "dstPoints")
    params, limit, mask = _usac.form(method, ransacReprojThreshold, mask, params)
    if params is None:
        _method(method, "findHomography", {0})
    if len(x1) < 4:
        raise ValueError(f"srcPoints: {len(x1)} points, must be at least 4")
    if params is not None and len(x1) > 4:
        return _usac.result(_usac.find("homography", x1, x2, params, _ONE_IMAGE), mask)
    if method == 0 or len(x1) == 4:
        start = _core.homography_svd(x1, x2)
        if start is None:
            return None, _cv.mask(np.zeros(len(x1), bool), mask)
        return _cv.scaled(_pieces.refine("homography", start, x1, x2).model), _cv.mask(np.ones(len(x1), bool), mask)
    found = _robust("homography", x1, x2, limit, confidence, maxIters)
    return (_cv.scaled(found.model) if found.ok else None), _cv.mask(found.inliers, mask)


def findFundamentalMat(
    points1: Any,
    points2: Any,
    method: int | UsacParams = FM_RANSAC,
    ransacReprojThreshold: float | Array | None = 3.0,
    confidence: float = 0.99,
    maxIters: int | Array | None = None,
    mask: Array | None = None,
    *,
    params: UsacParams | None = None,
) -> Found:
    """F [3, 3] with F[2, 2] = 1 and the mask uint8 [N, 1]; FM_7POINT: up to three, [9, 3]; (None, None) of fewer than 7 points.

    OpenCV's other form is (points1, points2, params, mask).
    """
    x1, x2 = _cv.pair(points1, points2, "points1", "points2")
    params, limit, mask = _usac.form(method, ransacReprojThreshold, mask, params)
    if params is None:
        _method(method, "findFundamentalMat", {FM_7POINT, FM_8POINT})
    if isinstance(maxIters, np.ndarray):  # the shorter of OpenCV's forms
        maxIters, mask = None, maxIters
    if len(x1) < 7 or (method == FM_8POINT and len(x1) < 8):
        return None, None
    everything = np.ones(len(x1), bool)
    if method == FM_7POINT or len(x1) == 7:
        if len(x1) != 7:
            raise ValueError(f"points1: {len(x1)} points, must be 7 for FM_7POINT")
        solutions, counts = solve_minimal("fundamental_7pt", np.r_[_cv.unit(x1).T.ravel(), _cv.unit(x2).T.ravel()][:, None])
        T1, T2 = _cv.unit_frame(x1), _cv.unit_frame(x2)
        all_F = [_cv.scaled(T2.T @ solutions[k, :, 0].reshape(3, 3) @ T1) for k in range(int(counts[0]))]
        return (np.concatenate(all_F) if all_F else None), _cv.mask(everything, mask)
    if method == FM_8POINT:
        F = _cv.eight_points(x1, x2)
        return (None if F is None else _cv.scaled(F)), _cv.mask(everything, mask)
    if params is not None:
        return _usac.result(_usac.find("fundamental", x1, x2, params, _ONE_IMAGE), mask)
    found = _robust("fundamental", x1, x2, limit, confidence, maxIters)
    return (_cv.scaled(found.model) if found.ok else None), _cv.mask(found.inliers, mask)


def findEssentialMat(points1: Any, points2: Any, *args: Any, **kwargs: Any) -> Found:
    """E [3, 3] of normalised points and the mask uint8 [N, 1], in OpenCV's four forms:

    (points1, points2, cameraMatrix, method=RANSAC, prob=0.999, threshold=1.0, maxIters, mask),
    (points1, points2, focal=1.0, pp=(0, 0), method, prob, threshold, maxIters, mask),
    (points1, points2, cameraMatrix1, distCoeffs1, cameraMatrix2, distCoeffs2, method, prob, threshold, mask),
    (points1, points2, cameraMatrix1, cameraMatrix2, dist_coeff1, dist_coeff2, params, mask).

    Five points: every solution, [3 k, 3]; fewer: (None, None).
    """
    x1, x2 = _cv.pair(points1, points2, "points1", "points2")
    rest = ["method", "prob", "threshold", "maxIters", "mask"]
    by_params = "params" in kwargs or (len(args) >= 5 and _usac.given(args[4]))
    two_cameras = by_params or "cameraMatrix2" in kwargs or (len(args) >= 3 and np.ndim(args[2]) == 2)
    if by_params:
        names = ["cameraMatrix1", "cameraMatrix2", "distCoeffs1", "distCoeffs2", "params", "mask"]
        kwargs = {name.replace("dist_coeff", "distCoeffs"): value for name, value in kwargs.items()}
    elif two_cameras:
        names = ["cameraMatrix1", "distCoeffs1", "cameraMatrix2", "distCoeffs2", "method", "prob", "threshold", "mask"]
    elif "cameraMatrix" in kwargs or (args and np.ndim(args[0]) == 2):
        names = ["cameraMatrix", *rest]
    else:
        names = ["focal", "pp", *rest]
    if len(args) > len(names):
        raise TypeError(f"findEssentialMat: {len(args) + 2} arguments, at most {len(names) + 2} in this form")
    given = {**dict(zip(names, args)), **kwargs}
    unknown = set(given) - set(names)
    if unknown:
        raise TypeError(f"findEssentialMat: {sorted(unknown)[0]}, must be one of {names}")
    if two_cameras:
        K1, K2 = _cv.matrix(given["cameraMatrix1"], "cameraMatrix1"), _cv.matrix(given["cameraMatrix2"], "cameraMatrix2")
        x1 = _cv.pinhole_points(x1, K1, given.get("distCoeffs1"), "distCoeffs1")
        x2 = _cv.pinhole_points(x2, K2, given.get("distCoeffs2"), "distCoeffs2")
    elif "cameraMatrix" in given:
        K1 = K2 = _cv.matrix(given["cameraMatrix"])
    else:
        f, pp = given.get("focal", 1.0), given.get("pp", (0.0, 0.0))
        K1 = K2 = np.array([[f, 0, pp[0]], [0, f, pp[1]], [0, 0, 1.0]])
    method = given.get("method", RANSAC)
    _method(method, "findEssentialMat", set())
    if by_params and not _usac.given(given.get("params")):
        raise TypeError(f"params: {type(given.get('params')).__name__}, must be UsacParams")
    if len(x1) < 5:
        return None, None
    mask = given.get("mask")
    if len(x1) == 5:
        unit = [(x - K[:2, 2]) / K[[0, 1], [0, 1]] for x, K in ((x1, K1), (x2, K2))]
        solutions, counts = solve_minimal("essential_5pt_action", np.r_[unit[0].T.ravel(), unit[1].T.ravel()][:, None])
        all_E = [solutions[k, :, 0].reshape(3, 3) for k in range(int(counts[0]))]
        return (np.concatenate(all_E) if all_E else None), _cv.mask(np.ones(5, bool), mask)
    if by_params:
        return _usac.result(_usac.find("essential", x1, x2, given["params"], camera1=K1, camera2=K2), mask, scaled=False)
    opts = _options(given.get("threshold", 1.0), given.get("prob", 0.999), given.get("maxIters"))
    found = estimate("essential", x1, x2, camera1=K1, camera2=K2, options=opts)
    return (found.model.copy() if found.ok else None), _cv.mask(found.inliers, mask)


def recoverPose(E: Any, points1: Any, points2: Any, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
    """(count, R, t [3, 1], mask of 0 and 255 [N, 1]) in OpenCV's forms for a given E:

    (E, points1, points2, cameraMatrix, R, t, mask), (E, points1, points2, focal=1.0, pp=(0, 0), R, t, mask), and
    (E, points1, points2, cameraMatrix, distanceThresh, R, t, mask, triangulatedPoints), which returns the points [4, N] as well.

    Points beyond distanceThresh (50 as in OpenCV) baselines do not count. R and t are returned, arrays given for them are filled.
    """
    x1, x2 = _cv.pair(points1, points2, "points1", "points2")
    far = "distanceThresh" in kwargs or (len(args) >= 2 and np.ndim(args[0]) == 2 and np.ndim(args[1]) == 0 and args[1] is not None)
    if "cameraMatrix" in kwargs or (args and np.ndim(args[0]) == 2):
        names = ["cameraMatrix", "distanceThresh", "R", "t", "mask", "triangulatedPoints"] if far else ["cameraMatrix", "R", "t", "mask"]
    else:
        names = ["focal", "pp", "R", "t", "mask"]
    given = {**dict(zip(names, args)), **kwargs}
    unknown = set(given) - set(names)
    if unknown or len(args) > len(names):
        raise TypeError(f"recoverPose: {sorted(unknown) or len(args) + 3}, arguments of this form are {names}")
    if "cameraMatrix" in given:
        K = _cv.matrix(given["cameraMatrix"])
    else:
        f, pp = given.get("focal", 1.0), given.get("pp", (0.0, 0.0))
        K = np.array([[f, 0, pp[0]], [0, f, pp[1]], [0, 0, 1.0]])
    mask = given.get("mask")
    flags = None if mask is None else np.asarray(mask).ravel() != 0
    limit = given.get("distanceThresh", 50.0)
    poses = _pieces.decompose_essential(np.asarray(E, np.float64))
    best: tuple[int, Array, Array, Array, Array] | None = None
    for R in (poses.R1, poses.R2):
        for t in (poses.t, -poses.t):
            X = _pieces.triangulate(x1, x2, K, None, R, t)
            near = (X[:, 2] < limit) & ((X @ R.T + t)[:, 2] < limit)  # False for NaN: behind
            if flags is not None:
                near &= flags
            if best is None or near.sum() > best[0]:
                best = int(near.sum()), R, t.reshape(3, 1), near, X
    assert best is not None
    count, R, t, near, X = best
    for name, value in (("R", R), ("t", t)):
        if given.get(name) is not None:
            given[name][...] = value
    out = count, R, t, _cv.mask(near, mask, 255)
    return (*out, np.c_[X, np.ones(len(X))].T) if far else out


def _affine(kind: ModelKind, source: Any, to: Any, inliers: Array | None, method: int, threshold: float, most: int | None, confidence: float) -> Found:
    x1, x2 = _cv.pair(source, to, "from", "to")
    if method not in (RANSAC, LMEDS):
        raise ValueError(f"method = {method}, must be RANSAC ({RANSAC}) or LMEDS ({LMEDS})")
    found = _robust(kind, x1, x2, threshold, confidence, most)
    return (_cv.scaled(found.model)[:2] if found.ok else None), _cv.mask(found.inliers, inliers)


def estimateAffine2D(
    from_: Any,
    to: Any,
    inliers: Array | UsacParams | None = None,
    method: int | Array | None = RANSAC,
    ransacReprojThreshold: float = 3.0,
    maxIters: int | None = None,
    confidence: float = 0.99,
    refineIters: int = 10,
) -> Found:
    """A [2, 3] of an affine map and the mask uint8 [N, 1]. refineIters is not needed. OpenCV's other form is (from_, to, params, inliers)."""
    if _usac.given(inliers):
        x1, x2 = _cv.pair(from_, to, "from", "to")
        mask = method if isinstance(method, np.ndarray) else None
        found = _usac.find("affine", x1, x2, inliers, _ONE_IMAGE)
        return (_cv.scaled(found.model)[:2] if found.ok else None), _cv.mask(found.inliers, mask)
    return _affine("affine", from_, to, cast("Array | None", inliers), cast(int, method), ransacReprojThreshold, maxIters, confidence)


def estimateAffinePartial2D(
    from_: Any,
    to: Any,
    inliers: Array | None = None,
    method: int = RANSAC,
    ransacReprojThreshold: float = 3.0,
    maxIters: int | None = None,
    confidence: float = 0.99,
    refineIters: int = 10,
) -> Found:
    """The same of a turn, a scale and a shift."""
    return _affine("similarity", from_, to, inliers, method, ransacReprojThreshold, maxIters, confidence)


def solvePnPRansac(
    objectPoints: Any,
    imagePoints: Any,
    cameraMatrix: Any,
    distCoeffs: Any = None,
    rvec: Array | None = None,
    tvec: Array | None = None,
    useExtrinsicGuess: bool = False,
    iterationsCount: int | None = None,
    reprojectionError: float = 8.0,
    confidence: float = 0.99,
    inliers: Array | None = None,
    flags: int = 0,
) -> tuple[bool, Array, Array, Array | None]:
    """(found, rvec [3, 1], tvec [3, 1], indices of the inliers int32 [K, 1]). useExtrinsicGuess and flags are not needed."""
    X, x = _cv.points(objectPoints, "objectPoints", 3), _cv.points(imagePoints, "imagePoints")
    if len(X) != len(x):
        raise ValueError(f"imagePoints: {len(x)} points, but objectPoints has {len(X)}")
    if len(X) < 4:
        raise ValueError(f"objectPoints: {len(X)} points, must be at least 4")
    K = _cv.matrix(cameraMatrix)
    x = _cv.pinhole_points(x, K, distCoeffs, "distCoeffs")
    found = estimate("absolute_pose", x, X, camera1=K, options=_options(reprojectionError, confidence, iterationsCount))
    if not found.ok or found.R is None or found.t is None:
        return False, np.zeros((3, 1)), np.zeros((3, 1)), None
    which = np.flatnonzero(found.inliers).astype(np.int32).reshape(-1, 1)
    r, t = _cv.rotation_vector(found.R), found.t.reshape(3, 1).copy()
    for array, value in ((rvec, r), (tvec, t)):
        if array is not None:
            array[...] = value.reshape(array.shape)
    return True, r, t, which
