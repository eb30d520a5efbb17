"""OpenCV's estimators of epipolar geometry: findFundamentalMat and findEssentialMat."""

from __future__ import annotations

from typing import Any, Callable

import numpy as np

from . import arrays as _cv
from . import lmeds as _lmeds
from . import usac as _usac
from .._agreement import agreed
from .arrays import Array
from .usac import FM_7POINT, FM_8POINT, FM_RANSAC, LMEDS, RANSAC, Found, UsacParams
from .._numbers import number
from .._robust import Estimate, estimate
from .._solvers import MinimalSolver, solve_minimal
from .._two_view import residuals


def _eight_points(x1: Array, x2: Array) -> Array | None:
    """F of all points by the normalised eight-point algorithm (R. Hartley, PAMI 19(6), 1997), of rank 2; None where they do not determine it."""
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
    """Every matrix [3, 3] of a minimal sample; none of one with a NaN."""
    if not _cv.finite(x1, x2).all():
        return []
    solutions, counts = solve_minimal(solver, np.r_[x1.T.ravel(), x2.T.ravel()][:, None])
    found = [solutions[k, :, 0].reshape(3, 3) for k in range(int(counts[0]))]
    return [model for model in found if np.isfinite(model).all()]


def _oriented(models: list[Array], x1: Array, x2: Array) -> list[Array]:
    """The one that most points agree with in the direction of their epipolar lines (O. Chum et al., ICPR 2004)."""

    def agreeing(model: Array) -> int:
        epipole = np.linalg.svd(model)[0][:, 2]
        sides = (np.cross(epipole, np.c_[x2, np.ones(len(x2))]) * (np.c_[x1, np.ones(len(x1))] @ model.T)).sum(1)
        return int(max((sides > 0).sum(), (sides < 0).sum()))

    return [max(models, key=agreeing)] if models else []


def _stacked(models: list[Array], count: int, mask: Any, given_to_all: bool) -> Found:
    """All solutions of a minimal sample below each other."""
    flags = np.full(count, bool(models) or given_to_all)
    return (np.concatenate(models) if models else None), _cv.mask(flags, mask)


def _found(found: Estimate, mask: Any, scaled: bool) -> Found:
    """Returns what a search found as OpenCV does."""
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
    """F [3, 3] with F[2, 2] = 1 and the mask uint8 [N, 1]; of seven points up to three, [9, 3]; (None, None) of fewer than 7 points.

    OpenCV's other form is (points1, points2, params, mask). Points may be homogeneous, [N, 3].
    """
    x1, x2 = _cv.pair(points1, points2, "points1", "points2", homogeneous=True)
    params, limit, mask = _usac.form(method, ransacReprojThreshold, mask, params)
    if params is None:
        _usac.check_method(method, "findFundamentalMat", _usac.ROBUST | {FM_7POINT, FM_8POINT})
    if isinstance(maxIters, np.ndarray):  # the shorter of OpenCV's forms
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
        if method in (LMEDS, FM_7POINT):  # which OpenCV takes for LMEDS of more points
            s1, s2 = _lmeds.scales(x1, x2)
            best, flags = _lmeds.find("fundamental", x1 * s1, x2 * s2, confidence, maxIters, 7, _line_errors(x1 * s1, x2 * s2))
            F = None if best is None else np.diag([s2, s2, 1.0]) @ best.model @ np.diag([s1, s1, 1.0])
            return (None if F is None else _cv.scaled(F)), _cv.mask(flags, mask)
        found = estimate("fundamental", x1, x2, options=_usac.robust_options(limit, confidence, maxIters, unit=_usac.ONE_IMAGE))
    return _found(found, mask, scaled=True)


def _form_of_essential(args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[list[str], bool, bool]:
    """The names of a form's arguments, and whether it has two cameras and params."""
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
def findEssentialMat(points1: Any, points2: Any, *args: Any, **kwargs: Any) -> Found:
    """E [3, 3] of normalised points and the mask uint8 [N, 1], in OpenCV's four forms:

    (points1, points2, cameraMatrix, method=RANSAC, prob=0.999, threshold=1.0, maxIters, mask),
    (points1, points2, focal=1.0, pp=(0, 0), method, prob, threshold, maxIters, mask),
    (points1, points2, cameraMatrix1, distCoeffs1, cameraMatrix2, distCoeffs2, method, prob, threshold, mask),
    (points1, points2, cameraMatrix1, cameraMatrix2, dist_coeff1, dist_coeff2, params, mask).

    Five points: every solution, [3 k, 3] (USAC_* and params: one); fewer: (None, None).
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
