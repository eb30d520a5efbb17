"""OpenCV's estimators of epipolar geometry: findFundamentalMat and findEssentialMat."""

from __future__ import annotations

from typing import Any, Callable

import numpy as np

from . import arrays as _cv
from . import lmeds as _lmeds
from . import usac as _usac
from .._drop_in import agreed
from .arrays import Array, Given
from .usac import FM_7POINT, FM_8POINT, FM_RANSAC, LMEDS, RANSAC, Found, UsacParams
from .._numbers import number
from .._robust import Estimate, estimate
from ..solvers import MinimalSolver, solve_minimal
from ..two_view import residuals


def _eight_points(x1: Array, x2: Array) -> Array | None:
    """Computes F of rank 2 by the normalised eight-point algorithm (R. Hartley, PAMI 19(6), 1997); None if the points do not determine it."""
    frames = []
    for x in (x1, x2):
        c = x.mean(0)
        mean = np.hypot(*(x - c).T).mean()
        if not 0 < mean < 1e150:
            return None
        s = np.sqrt(2) / mean
        frames.append(np.array([[s, 0, -s * c[0]], [0, s, -s * c[1]], [0, 0, 1]]))
    T1, T2 = frames
    a, b = np.c_[x1, np.ones(len(x1))] @ T1.T, np.c_[x2, np.ones(len(x2))] @ T2.T
    if not np.isfinite(np.c_[a, b]).all():
        return None
    _, sizes, rows = np.linalg.svd((b[:, :, None] * a[:, None, :]).reshape(len(x1), 9), full_matrices=len(x1) < 9)
    if sizes[7] <= 1e-7 * sizes[0]:
        return None
    U, S, V = np.linalg.svd(rows[8].reshape(3, 3))
    F: Array = T2.T @ (U * [S[0], S[1], 0]) @ V @ T1
    return F if np.isfinite(F).all() else None


def _solutions(solver: MinimalSolver, x1: Array, x2: Array) -> list[Array]:
    """Returns all matrices of shape (3, 3) of a minimal sample; an empty list if the sample has a NaN."""
    if not _cv.finite(x1, x2).all():
        return []
    solutions, counts = solve_minimal(solver, np.r_[x1.T.ravel(), x2.T.ravel()][:, None])
    found = [solutions[k, :, 0].reshape(3, 3) for k in range(int(counts[0]))]
    return [model for model in found if np.isfinite(model).all()]


def _oriented(models: list[Array], x1: Array, x2: Array) -> list[Array]:
    """Keeps the model with most points on the correct side of their epipolar lines (O. Chum et al., ICPR 2004)."""

    def agreeing(model: Array) -> int:
        epipole = np.linalg.svd(model)[0][:, 2]
        sides = (np.cross(epipole, np.c_[x2, np.ones(len(x2))]) * (np.c_[x1, np.ones(len(x1))] @ model.T)).sum(1)
        return int(max((sides > 0).sum(), (sides < 0).sum()))

    return [max(models, key=agreeing)] if models else []


def _stacked(models: list[Array], count: int, mask: Any, given_to_all: bool) -> Found:
    """Stacks all solutions of a minimal sample vertically, and returns the mask."""
    flags = np.full(count, bool(models) or given_to_all)
    return (np.concatenate(models) if models else None), _cv.mask(flags, mask)


def _found(found: Estimate, mask: Any, scaled: bool) -> Found:
    """Converts an estimate to OpenCV's result: matrix and mask."""
    if not agreed(found):
        return None, _cv.mask(np.zeros(len(found.inliers), bool), mask)
    return (_cv.scaled(found.model) if scaled else found.model.copy()), _cv.mask(found.inliers, mask)


def _line_errors(x1: Array, x2: Array, K1: Array | None = None, K2: Array | None = None) -> Callable[[Estimate], Array]:
    """Sampson distances of all points from a fundamental matrix, or from an essential matrix with both cameras."""
    cameras = {} if K1 is None else {"camera1": K1, "camera2": K2}

    def errors(found: Estimate) -> Array:
        return residuals("fundamental" if K1 is None else "essential", found.model, x1, x2, **cameras)

    return errors


@_cv.quiet
def findFundamentalMat(
    points1: Given,
    points2: Given,
    method: int | UsacParams = FM_RANSAC,
    ransacReprojThreshold: float | Array | None = 3.0,
    confidence: float = 0.99,
    maxIters: int | Array | None = None,
    mask: Array | None = None,
    *,
    params: Any = None,
) -> Found:
    """Estimates a fundamental matrix like cv2.findFundamentalMat.

    OpenCV's other form is (points1, points2, params, mask).

    Args:
        points1, points2: Matches in px, shape (N, 2), (N, 1, 2) or (1, N, 2), or homogeneous with three columns.
        method: FM_RANSAC, LMEDS, RHO or USAC_* for the robust estimation, FM_8POINT for all points, FM_7POINT for seven points.
        ransacReprojThreshold: Largest distance of an inlier from its epipolar line in px; 0 or less means 3.
        confidence: Probability of having drawn a sample without outliers; 0.99 if out of range.
        maxIters: Most samples to draw, 300000 by default.
        mask: Filled with the result if shape and type fit.
        params: UsacParams of this module or of cv2.

    Returns:
        F of shape (3, 3) with F[2, 2] = 1, for seven points up to three matrices of shape (9, 3), and the mask, uint8 of shape (N, 1).
        (None, None) for fewer than seven points; (None, zeros) without a model.

    Raises:
        ValueError: If shapes differ or the method is unknown.
    """
    x1, x2 = _cv.pair(points1, points2, "points1", "points2", homogeneous=True)
    params, limit, mask = _usac.form(method, ransacReprojThreshold, mask, params)
    if params is None:
        _usac.check_method(method, "findFundamentalMat", _usac.ROBUST | {FM_7POINT, FM_8POINT})
    if isinstance(maxIters, np.ndarray):  # OpenCV's shorter form without maxIters
        maxIters, mask = None, maxIters
    count, usac = len(x1), params is not None or method in _usac.USAC
    if count < 7:
        return None, None
    finite = _cv.finite(x1, x2)
    if count == 7:
        models: list[Array] = []
        if finite.all():
            T1, T2 = _cv.unit_frame(x1), _cv.unit_frame(x2)
            models = [_cv.scaled(T2.T @ F @ T1) for F in _solutions("fundamental_7pt", _cv.unit(x1), _cv.unit(x2))]
            models = [F for F in models if np.isfinite(F).all()]
        return _stacked(_oriented(models, x1, x2) if usac else models, count, mask, bool(finite.all()) and not usac)
    if params is None and method == FM_8POINT:
        F = _eight_points(x1[finite], x2[finite]) if finite.sum() >= 8 else None
        return (None if F is None else _cv.scaled(F)), _cv.mask(finite, mask)
    if params is not None:
        found = _usac.find("fundamental", x1, x2, params, _usac.ONE_IMAGE)
    else:
        limit = 3.0 if limit <= 0 else limit
        confidence = number(confidence, "confidence")
        confidence = confidence if 0 < confidence < 1 else 0.99
        if method in (LMEDS, FM_7POINT):  # OpenCV treats FM_7POINT as LMEDS for more than seven points
            s1, s2 = _lmeds.scales(x1, x2)
            best, flags = _lmeds.find("fundamental", x1 * s1, x2 * s2, confidence, maxIters, 7, _line_errors(x1 * s1, x2 * s2))
            F = None if best is None else np.diag([s2, s2, 1.0]) @ best.model @ np.diag([s1, s1, 1.0])
            return (None if F is None else _cv.scaled(F)), _cv.mask(flags, mask)
        found = estimate("fundamental", x1, x2, options=_usac.robust_options(limit, confidence, maxIters, unit=_usac.ONE_IMAGE))
    return _found(found, mask, scaled=True)


def _form_of_essential(args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[list[str], bool, bool]:
    """Returns the argument names of a form of findEssentialMat, whether it has two cameras, and whether it has params."""
    rest = ["method", "prob", "threshold", "maxIters", "mask"]
    by_params = "params" in kwargs or (len(args) >= 5 and _usac.given(args[4]))
    if by_params:
        return ["cameraMatrix1", "cameraMatrix2", "distCoeffs1", "distCoeffs2", "params", "mask"], True, True
    if "cameraMatrix2" in kwargs or (len(args) >= 3 and _cv.shape(args[2]) == (3, 3)):
        return ["cameraMatrix1", "distCoeffs1", "cameraMatrix2", "distCoeffs2", "method", "prob", "threshold", "mask"], True, False
    if "cameraMatrix" in kwargs or (args and len(_cv.shape(args[0])) == 2):
        return ["cameraMatrix", *rest], False, False
    return ["focal", "pp", *rest], False, False


@_cv.quiet
def findEssentialMat(points1: Given, points2: Given, *args: Any, **kwargs: Any) -> Found:
    """Estimates an essential matrix like cv2.findEssentialMat, in OpenCV's four forms.

    The arguments after the points are one of::

        cameraMatrix, method=RANSAC, prob=0.999, threshold=1.0, maxIters, mask
        focal=1.0, pp=(0, 0), method, prob, threshold, maxIters, mask
        cameraMatrix1, distCoeffs1, cameraMatrix2, distCoeffs2, method, prob, threshold, mask
        cameraMatrix1, cameraMatrix2, dist_coeff1, dist_coeff2, params, mask

    Args:
        points1, points2: Matches in px, shape (N, 2), (N, 1, 2) or (1, N, 2).
        args, kwargs: Arguments of one of the forms; threshold is in px.

    Returns:
        E of normalised points, shape (3, 3), and the mask, uint8 of shape (N, 1). Five points give all k solutions, shape (3 k, 3), or a single one
        with USAC_* and params. (None, None) for fewer than five points; (None, zeros) without a model.

    Raises:
        ValueError: If shapes differ, or the method is unknown.
        TypeError: If an argument is not in the form.
    """
    x1, x2 = _cv.pair(points1, points2, "points1", "points2")
    names, two_cameras, by_params = _form_of_essential(args, kwargs)
    if by_params:
        kwargs = {name.replace("dist_coeff", "distCoeffs"): value for name, value in kwargs.items()}
    given = _cv.arguments("findEssentialMat", names, args, kwargs)
    if two_cameras:
        K1, K2 = _cv.matrix(given.get("cameraMatrix1"), "cameraMatrix1"), _cv.matrix(given.get("cameraMatrix2"), "cameraMatrix2")
        x1 = _cv.pinhole_points(x1, K1, given.get("distCoeffs1"), "distCoeffs1")
        x2 = _cv.pinhole_points(x2, K2, given.get("distCoeffs2"), "distCoeffs2")
    elif "cameraMatrix" in given:
        K1 = K2 = _cv.matrix(given["cameraMatrix"])
    else:
        K1 = K2 = _cv.focal_matrix(given.get("focal", 1.0), given.get("pp", (0.0, 0.0)))
    method, mask = given.get("method", RANSAC), given.get("mask")
    _usac.check_method(method, "findEssentialMat", _usac.ROBUST)
    if by_params and not _usac.given(given.get("params")):
        raise TypeError(f"params: {type(given.get('params')).__name__}, must be UsacParams")
    if len(x1) < 5:
        return None, None
    if len(x1) == 5:
        unit = _cv.normalised(x1, K1), _cv.normalised(x2, K2)
        models = _solutions("essential_5pt_action", *unit)
        return _stacked(_oriented(models, *unit) if by_params or method in _usac.USAC else models, 5, mask, False)
    if by_params:
        found = _usac.find("essential", x1, x2, given["params"], camera1=K1, camera2=K2)
    elif method == LMEDS:
        s1, s2 = _lmeds.scales(x1, x2)
        S1, S2 = np.diag([s1, s1, 1.0]) @ K1, np.diag([s2, s2, 1.0]) @ K2
        prob, errors = given.get("prob", 0.999), _line_errors(x1 * s1, x2 * s2, S1, S2)
        best, flags = _lmeds.find("essential", x1 * s1, x2 * s2, prob, given.get("maxIters"), 5, errors, camera1=S1, camera2=S2)
        return (None if best is None else best.model.copy()), _cv.mask(flags, mask)
    else:
        opts = _usac.robust_options(given.get("threshold", 1.0), given.get("prob", 0.999), given.get("maxIters"), ("threshold", "prob", "maxIters"))
        found = estimate("essential", x1, x2, camera1=K1, camera2=K2, options=opts)
    return _found(found, mask, scaled=False)
