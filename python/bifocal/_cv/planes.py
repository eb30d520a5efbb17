"""OpenCV's estimators of maps between two planes: findHomography, estimateAffine2D and estimateAffinePartial2D."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _core
from . import arrays as _cv
from . import lmeds as _lmeds
from . import usac as _usac
from .._drop_in import agreed, unit_of
from .arrays import Array, Given
from .usac import LMEDS, RANSAC, Found, UsacParams
from .._robust import Estimate, ModelKind, estimate

_SAMPLE = {"homography": 4, "affine": 3, "similarity": 2}


def _transferred(model: Array, x: Array) -> Array:
    """Maps points of the first plane to the second one; infinite or NaN on the horizon of the map."""
    y = np.c_[x, np.ones(len(x))] @ model.T
    out: Array = y[:, :2] / y[:, 2:]
    return out


def _inliers(model: Array, x1: Array, x2: Array, threshold: float) -> Array:
    """Returns OpenCV's inlier flags: the distance in the second image is at most the threshold."""
    out: Array = ((_transferred(model, x1) - x2) ** 2).sum(1) <= np.square(np.float64(threshold))
    return out


def _similar(x1: Array, x2: Array) -> Array | None:
    """Fits rotation, scale and shift by least squared distances in the second image, exact for two points."""
    a, b = x1 - x1.mean(0), x2 - x2.mean(0)
    size = (a**2).sum()
    if size == 0:
        return None
    c, s = (a * b).sum() / size, (a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]).sum() / size
    R = np.array([[c, -s], [s, c]])
    return np.vstack([np.c_[R, x2.mean(0) - R @ x1.mean(0)], [0, 0, 1]])


def _affine(x1: Array, x2: Array) -> Array | None:
    """Fits an affine map by least squared distances in the second image, exact for three points."""
    a, b = x1 - x1.mean(0), x2 - x2.mean(0)
    size = np.abs(a).max()
    if not 0 < size < np.inf or not np.isfinite(a / size).all() or not np.isfinite(b).all():
        return None
    linear, _, rank, _ = np.linalg.lstsq(a / size, b, rcond=1e-9)
    if rank < 2:
        return None
    L = linear.T / size
    return np.vstack([np.c_[L, x2.mean(0) - L @ x1.mean(0)], [0, 0, 1]])


def _homography(x1: Array, x2: Array) -> Array | None:
    """Fits a homography by least squared distances in the second image (Gauss-Newton after the linear solution), exact for four points."""
    T1, T2 = _cv.unit_frame(x1), _cv.unit_frame(x2)
    a, b = _cv.unit(x1), _cv.unit(x2)
    H = _core.homography_svd(a, b) if np.isfinite(np.c_[a, b]).all() else None
    if H is None or not np.isfinite(H).all():
        return None
    cost = np.inf
    damping = 1e-6
    for _ in range(20 if len(a) > 4 else 0):
        p = np.c_[a, np.ones(len(a))]
        q = p @ H.T
        w = q[:, 2:]
        if np.abs(w).min() < 1e-9:
            break
        y = q[:, :2] / w
        r = (y - b).ravel()
        derivatives = np.zeros((len(a), 2, 9))
        derivatives[:, 0, :3] = derivatives[:, 1, 3:6] = p / w
        derivatives[:, :, 6:] = -y[:, :, None] * (p / w)[:, None]
        J = derivatives.reshape(-1, 9)
        cost = r @ r
        A, g = J.T @ J, J.T @ r
        # H and its multiples are the same map: steps are orthogonal to H.
        A += np.outer(H.ravel(), H.ravel()) * (np.trace(A) / 9 / (H**2).sum())
        while damping < 1e6:
            again = H - np.linalg.solve(A + damping * np.diag(np.diag(A)), g).reshape(3, 3)
            if np.isfinite(again).all() and ((_transferred(again, a) - b) ** 2).sum() < cost:
                break
            damping *= 10
        else:
            break
        step = np.abs(again / np.linalg.norm(again) - H / np.linalg.norm(H)).max()
        H, damping = again / np.linalg.norm(again), damping / 10
        if step < 1e-12:
            break
    size = np.linalg.svd(H)[1]
    out: Array = np.linalg.inv(T2) @ H @ T1
    return out if size[2] > 1e-9 * size[0] else None  # singular: the points lie on a line


_FITS = {"homography": _homography, "affine": _affine, "similarity": _similar}


def _fit(kind: ModelKind, x1: Array, x2: Array) -> Array | None:
    """Fits a map to all finite points by least squares; None if they do not determine it."""
    which = _cv.finite(x1, x2)
    if which.sum() < _SAMPLE[kind]:
        return None
    try:
        model = _FITS[kind](x1[which], x2[which])
    except np.linalg.LinAlgError:
        return None
    return model if model is not None and np.isfinite(model).all() else None


def fit_homography(x1: Array, x2: Array) -> Array | None:
    """Returns the homography of least squared distances in the second image with H[2, 2] = 1; None without one."""
    H = _fit("homography", x1, x2)
    return None if H is None else _cv.scaled(H)


def _exact(kind: ModelKind, x1: Array, x2: Array, given: Any, column: bool) -> Found:
    """Computes the map of a minimal sample of finite points; (None, zeros) unless it maps every point onto its partner."""
    which = _cv.finite(x1, x2)
    model = _fit(kind, x1, x2)
    if model is not None:
        y = x2[which]
        if not _inliers(model, x1[which], y, 1e-6 * np.ptp(y, 0).max() + 1e-9 * np.abs(y).max()).all():
            model = None
    return model, _cv.mask(which & (model is not None), given, "mask" if column else "inliers", column)


def _found(kind: ModelKind, found: Estimate, unit: float, x1: Array, x2: Array, threshold: float, given: Any, column: bool) -> Found:
    """Converts an estimate for points of the first image times `unit` to OpenCV's result for the given points."""
    name = "mask" if column else "inliers"
    model = found.model @ np.diag([unit, unit, 1.0]) if agreed(found) else None
    if model is None:
        return None, _cv.mask(np.zeros(len(x1), bool), given, name, column)
    flags = _inliers(model, x1, x2, threshold)
    if kind != "homography" and flags.any():  # OpenCV also ends with a fit in closed form
        fitted = _fit(kind, x1[flags], x2[flags])
        model = model if fitted is None else fitted
    return _cv.scaled(model), _cv.mask(flags, given, name, column)


def _search(
    kind: ModelKind, x1: Array, x2: Array, method: Any, threshold: Any, confidence: Any, most: Any, given: Any, column: bool, params: Any = None
) -> Found:
    unit = unit_of(x1, x2)
    if params is not None:
        found = _usac.find(kind, x1 * unit, x2, params, _usac.ONE_IMAGE)
        return _found(kind, found, unit, x1, x2, params.threshold, given, column)
    options = _usac.robust_options(threshold, confidence, most, unit=_usac.ONE_IMAGE)
    if method == LMEDS:
        return _least_median(kind, x1, x2, confidence, most, given, column)
    found = estimate(kind, x1 * unit, x2, options=options)
    return _found(kind, found, unit, x1, x2, threshold, given, column)


def _least_median(kind: ModelKind, x1: Array, x2: Array, confidence: Any, most: Any, given: Any, column: bool) -> Found:
    """Estimates a map by the least median of the distances in the second image, in any unit, and fits it to its inliers, as OpenCV does."""
    s1, s2 = _lmeds.scales(x1, x2)
    if kind == "similarity":  # remains a similarity only if both axes have the same scale
        s1 = s2 * unit_of(x1, x2)

    def errors(found: Estimate) -> Array:
        out: Array = np.sqrt(((_transferred(found.model, x1 * s1) - x2 * s2) ** 2).sum(1))
        return out

    found, flags = _lmeds.find(kind, x1 * s1, x2 * s2, confidence, most, _SAMPLE[kind], errors)
    if found is None:
        return None, _cv.mask(flags, given, "mask" if column else "inliers", column)
    model = np.diag([1 / s2, 1 / s2, 1.0]) @ found.model @ np.diag([s1, s1, 1.0])
    fitted = _fit(kind, x1[flags], x2[flags])
    return _cv.scaled(model if fitted is None else fitted), _cv.mask(flags, given, "mask" if column else "inliers", column)


@_cv.quiet
def findHomography(
    srcPoints: Given,
    dstPoints: Given,
    method: int | UsacParams = 0,
    ransacReprojThreshold: float | Array | None = 3.0,
    mask: Array | None = None,
    maxIters: int | None = None,
    confidence: float = 0.995,
    *,
    params: Any = None,
) -> Found:
    """Estimates a homography like cv2.findHomography.

    OpenCV's other form is (srcPoints, dstPoints, params, mask).

    Args:
        srcPoints, dstPoints: Matches in px, shape (N, 2), (N, 1, 2) or (1, N, 2), or homogeneous with three columns; N >= 4.
        method: RANSAC, LMEDS, RHO or USAC_* for the robust estimation; 0 for least squares of all points.
        ransacReprojThreshold: Largest distance of an inlier in the second image in px; 0 or less means 3.
        mask: Filled with the result if shape and type fit.
        maxIters: Most samples to draw, 300000 by default.
        confidence: Probability of having drawn a sample without outliers.
        params: UsacParams of this module or of cv2.

    Returns:
        H of shape (3, 3) with H[2, 2] = 1, and the mask, uint8 of shape (N, 1); (None, zeros) without a model.

    Raises:
        ValueError: If shapes differ, the method is unknown, or fewer than four points are given.
    """
    x1, x2 = _cv.pair(srcPoints, dstPoints, "srcPoints", "dstPoints", homogeneous=True)
    params, limit, mask = _usac.form(method, ransacReprojThreshold, mask, params)
    if params is None:
        _usac.check_method(method, "findHomography", _usac.ROBUST | {0})
    if len(x1) < 4:
        raise ValueError(f"srcPoints: {len(x1)} points, must be at least 4")
    limit = 3.0 if limit <= 0 else limit
    if _cv.finite(x1, x2).sum() <= 4:
        H, flags = _exact("homography", x1, x2, mask, True)
        return (None if H is None else _cv.scaled(H)), flags
    if params is None and method == 0:
        H = _fit("homography", x1, x2)
        found = np.zeros(len(x1), bool) if H is None else _inliers(H, x1, x2, limit)
        return (None if H is None else _cv.scaled(H)), _cv.mask(found, mask, column=True)
    return _search("homography", x1, x2, method, limit, confidence, maxIters, mask, True, params)


def _of_affine(
    kind: ModelKind, source: Any, to: Any, inliers: Any, method: Any, threshold: Any, most: Any, confidence: Any, params: Any = None
) -> Found:
    x1, x2 = _cv.pair(source, to, "from", "to")
    if len(x1) < 2:
        raise ValueError(f"from: {len(x1)} points, must be at least 2")
    if len(x1) < _SAMPLE[kind]:
        return None, _cv.mask(np.zeros(len(x1), bool), inliers, "inliers")
    if _cv.finite(x1, x2).sum() <= _SAMPLE[kind]:
        model, flags = _exact(kind, x1, x2, inliers, False)
    else:
        model, flags = _search(kind, x1, x2, method, threshold, confidence, most, inliers, False, params)
    return (None if model is None else model[:2].copy()), flags


@_cv.quiet
def estimateAffine2D(
    from_: Given,
    to: Given,
    inliers: Array | UsacParams | None = None,
    method: int | Array | None = RANSAC,
    ransacReprojThreshold: float = 3.0,
    maxIters: int | None = None,
    confidence: float = 0.99,
    refineIters: int = 10,
) -> Found:
    """Estimates an affine map like cv2.estimateAffine2D.

    OpenCV's other form is (from_, to, params, inliers).

    Args:
        from_, to: Matches in px, shape (N, 2), (N, 1, 2) or (1, N, 2); N >= 2.
        inliers: Mask, filled with the result if shape and type fit.
        method: RANSAC, LMEDS or USAC_*.
        ransacReprojThreshold: Largest distance of an inlier in the second image in px.
        maxIters: Most samples to draw, 300000 by default.
        confidence: Probability of having drawn a sample without outliers.
        refineIters: Not used; the fit has a closed form.

    Returns:
        Matrix of shape (2, 3) and the mask, uint8 of shape (N, 1); (None, zeros) without a model.

    Raises:
        ValueError: If shapes differ, the method is unknown, or fewer than two points are given.
    """
    if _usac.given(inliers):
        mask = method if isinstance(method, np.ndarray) else None
        return _of_affine("affine", from_, to, mask, None, None, None, None, inliers)
    _usac.check_method(method, "estimateAffine2D", {RANSAC, LMEDS} | _usac.USAC)
    return _of_affine("affine", from_, to, inliers, method, ransacReprojThreshold, maxIters, confidence)


@_cv.quiet
def estimateAffinePartial2D(
    from_: Given,
    to: Given,
    inliers: Array | None = None,
    method: int = RANSAC,
    ransacReprojThreshold: float = 3.0,
    maxIters: int | None = None,
    confidence: float = 0.99,
    refineIters: int = 10,
) -> Found:
    """Estimates a similarity (rotation, scale and shift) like cv2.estimateAffinePartial2D.

    Args:
        from_, to: Matches in px, shape (N, 2), (N, 1, 2) or (1, N, 2); N >= 2.
        inliers: Mask, filled with the result if shape and type fit.
        method: RANSAC or LMEDS.
        ransacReprojThreshold: Largest distance of an inlier in the second image in px.
        maxIters: Most samples to draw, 300000 by default.
        confidence: Probability of having drawn a sample without outliers.
        refineIters: Not used; the fit has a closed form.

    Returns:
        Matrix of shape (2, 3) and the mask, uint8 of shape (N, 1); (None, zeros) without a model.

    Raises:
        ValueError: If shapes differ, the method is unknown, or fewer than two points are given.
    """
    _usac.check_method(method, "estimateAffinePartial2D", {RANSAC, LMEDS})
    return _of_affine("similarity", from_, to, inliers, method, ransacReprojThreshold, maxIters, confidence)
