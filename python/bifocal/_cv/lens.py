"""OpenCV's lens model: distortPoints, undistortPoints, undistortImagePoints and initUndistortRectifyMap."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._numbers import number, reals, shown, whole
from . import arrays as _cv
from .arrays import Array, Given

# OpenCV's type numbers; the types with two channels are 11 and 13 in OpenCV 4.
CV_16SC2, CV_32FC1, CV_32FC2 = 35, 5, 37
_FIXED, _FLOATS, _PAIRS = {-1, 0, 11, CV_16SC2}, {CV_32FC1}, {13, CV_32FC2}
TERM_CRITERIA_COUNT, TERM_CRITERIA_MAX_ITER, TERM_CRITERIA_EPS = 1, 1, 2


def is_empty(array: Any) -> bool:
    """Returns True if an argument is OpenCV's empty array: None or an array without elements."""
    if array is None:
        return True
    return len(array) == 0 if isinstance(array, (list, tuple)) else getattr(array, "size", 1) == 0


def coefficients(distCoeffs: Given | None, name: str = "distCoeffs") -> Array:
    """Returns the 14 coefficients k1 k2 p1 p2 k3 k4 k5 k6 s1 s2 s3 s4 tau_x tau_y; the given 0, 4, 5, 8 or 12 are followed by zeros."""
    d = np.zeros(0) if distCoeffs is None else reals(distCoeffs, name).ravel()
    if d.size not in (0, 4, 5, 8, 12, 14):
        raise ValueError(f"{name}: {d.size} coefficients, must be 0, 4, 5, 8, 12 or 14")
    if not np.isfinite(d).all():
        raise ValueError(f"{name}: {d.tolist()}, must be finite")
    return np.concatenate([d, np.zeros(14 - d.size)])


def _tilt(k: Array) -> Array:
    """Returns the map of shape (3, 3) for a sensor that is tilted by tau_x and tau_y."""
    cx, sx, cy, sy = np.cos(k[12]), np.sin(k[12]), np.cos(k[13]), np.sin(k[13])
    R = np.array([[cy, 0, -sy], [0, 1, 0], [sy, 0, cy]]) @ np.array([[1, 0, 0], [0, cx, sx], [0, -sx, cx]])
    out: Array = np.array([[R[2, 2], 0, -R[0, 2]], [0, R[2, 2], -R[1, 2]], [0, 0, 1]]) @ R
    return out


def _projected(T: Array, x: Array, y: Array) -> tuple[Array, Array]:
    """Maps points by T and divides by the third coordinate, which counts as 1 if it is 0."""
    w = T[2, 0] * x + T[2, 1] * y + T[2, 2]
    scale = 1 / np.where(w == 0, 1.0, w)
    return scale * (T[0, 0] * x + T[0, 1] * y + T[0, 2]), scale * (T[1, 0] * x + T[1, 1] * y + T[1, 2])


def _shifts(x: Array, y: Array, r2: Array, k: Array) -> tuple[Array, Array]:
    """Returns the shifts by tangential distortion and by thin prisms."""
    xy = 2 * x * y
    dx = k[2] * xy + k[3] * (r2 + 2 * x * x) + k[8] * r2 + k[9] * r2 * r2
    dy = k[2] * (r2 + 2 * y * y) + k[3] * xy + k[10] * r2 + k[11] * r2 * r2
    return dx, dy


def distorted(x: Array, y: Array, k: Array) -> tuple[Array, Array]:
    """Applies lens distortion to normalised points."""
    r2 = x * x + y * y
    radial = (1 + ((k[4] * r2 + k[1]) * r2 + k[0]) * r2) / (1 + ((k[7] * r2 + k[6]) * r2 + k[5]) * r2)
    dx, dy = _shifts(x, y, r2, k)
    xd, yd = x * radial + dx, y * radial + dy
    return _projected(_tilt(k), xd, yd) if k[12] or k[13] else (xd, yd)


def _criteria(criteria: Any, name: str) -> tuple[int, float]:
    """Returns (most steps, error in px that ends the iteration) from OpenCV's (type, count, epsilon)."""
    if criteria is None:
        return 5, 0.0
    if not isinstance(criteria, (tuple, list)) or len(criteria) != 3:
        raise TypeError(f"{name}: {shown(criteria)}, must be (type, count, epsilon)")
    kind, count, epsilon = whole(criteria[0], name), whole(criteria[1], name), number(criteria[2], name)
    if kind & 3 == 0 or (kind & 1 and count < 1) or (kind & 2 and not epsilon > 0):
        raise ValueError(f"{name} = {criteria}, must have a type of 1 to 3 and a count or epsilon above 0")
    return (count if kind & 1 else 10000), (epsilon if kind & 2 else 0.0)


def undistorted(px: Array, K: Array, k: Array, criteria: Any = None, name: str = "criteria") -> tuple[Array, Array]:
    """Removes lens distortion by OpenCV's fixed-point iteration: 5 steps unless criteria says otherwise. Returns normalised points."""
    most, epsilon = _criteria(criteria, name)
    x0, y0 = (px[:, 0] - K[0, 2]) * (1 / K[0, 0]), (px[:, 1] - K[1, 2]) * (1 / K[1, 1])
    if not k.any():
        return x0, y0
    raw = x0, y0
    if k[12] or k[13]:
        x0, y0 = _projected(np.linalg.inv(_tilt(k)), x0, y0)
    x, y, step = x0.copy(), y0.copy(), np.ones(len(x0))
    error, last = np.full(len(x0), np.inf), np.full(len(x0), np.inf)
    active = np.ones(len(x0), bool)
    for _ in range(most):
        active &= error >= epsilon
        if not active.any():
            break
        r2 = x * x + y * y
        inverse = (1 + ((k[7] * r2 + k[6]) * r2 + k[5]) * r2) / (1 + ((k[4] * r2 + k[1]) * r2 + k[0]) * r2)
        folded = active & (inverse < 0)
        x, y, active = np.where(folded, raw[0], x), np.where(folded, raw[1], y), active & ~folded
        dx, dy = _shifts(x, y, r2, k)
        new_x, new_y = (1 - step) * x + step * (x0 - dx) * inverse, (1 - step) * y + step * (y0 - dy) * inverse
        if epsilon:
            u, v = distorted(new_x, new_y, k)
            error = np.where(active, np.hypot((u - raw[0]) * K[0, 0], (v - raw[1]) * K[1, 1]), error)
        worse = active & (error > last)
        step = np.where(worse, step / 2, step)
        x, y = np.where(active & ~worse, new_x, x), np.where(active & ~worse, new_y, y)
        last = error
    return x, y


def rectangular(R: Any, name: str = "R") -> Array:
    """Returns a rotation [3, 3], the identity if none is given."""
    return np.eye(3) if is_empty(R) else _cv.matrix(R, name)


def projection(P: Given, name: str) -> Array:
    """Returns the first three columns of a matrix [3, 3] or [3, 4]."""
    matrix = reals(P, name)
    if matrix.shape not in ((3, 3), (3, 4)):
        raise ValueError(f"{name}: shape {matrix.shape}, must be (3, 3) or (3, 4)")
    return _cv.matrix(matrix[:, :3], name)


def moved(x: Array, y: Array, R: Any, P: Any) -> tuple[Array, Array]:
    """Maps normalised points by P R; a matrix that is not given counts as the identity."""
    if is_empty(R) and is_empty(P):
        return x, y
    matrix = rectangular(R)
    return _projected(matrix if is_empty(P) else projection(P, "P") @ matrix, x, y)


def floats(points: Given, name: str, columns: int = 2) -> tuple[Array, Any]:
    """Returns points of shape (N, columns), float64, and the type of OpenCV's result: float32 for float32, otherwise float64.

    Points may also have shape (columns, N), as in OpenCV.
    """
    array = np.asarray(points)
    if array.ndim == 2 and array.shape[1] != columns and array.shape[0] == columns:
        array = array.T
    return _cv.points(array, name, columns), np.float32 if array.dtype == np.float32 else np.float64


def _undistorted_points(src: Any, cameraMatrix: Any, distCoeffs: Any, dst: Any, moves: tuple[Any, Any], criteria: Any, name: str) -> Array:
    """Removes the lens distortion of points and maps them by a rotation and new intrinsics; messages call the criteria `name`."""
    px, dtype = floats(src, "src")
    x, y = undistorted(px, _cv.matrix(cameraMatrix), coefficients(distCoeffs), criteria, name)
    out = np.stack(moved(x, y, *moves), 1)[:, None].astype(dtype)
    return _cv.output(out, dst, "dst")


@_cv.quiet
def undistortPoints(
    src: Given, cameraMatrix: Given, distCoeffs: Given | None, dst: Any = None, R: Given | None = None, P: Given | None = None, criteria: Any = None
) -> Array:
    """Removes the lens distortion of image points by OpenCV's iteration.

    `bifocal.undistort_points` solves the same equations exactly and knows more lens models; five steps of the iteration leave an error for
    wide lenses.

    Args:
        src: Image points in px, shape (N, 2), (N, 1, 2), (1, N, 2) or (2, N).
        cameraMatrix: Intrinsics in px, shape (3, 3).
        distCoeffs: 0, 4, 5, 8, 12 or 14 coefficients.
        dst: Filled with the result if shape and type fit.
        R: Rotation of the points, shape (3, 3).
        P: New intrinsics, shape (3, 3) or (3, 4). Without P the result is normalised.
        criteria: (type, count, epsilon); by default five steps.

    Returns:
        Points of shape (N, 1, 2), float32 if src is float32, otherwise float64.
    """
    return _undistorted_points(src, cameraMatrix, distCoeffs, dst, (R, P), criteria, "criteria")


@_cv.quiet
def undistortImagePoints(src: Given, cameraMatrix: Given, distCoeffs: Given | None, dst: Any = None, arg1: Any = None) -> Array:
    """Removes the lens distortion of image points and returns px of the same camera.

    Args:
        src: Image points in px, shape (N, 2), (N, 1, 2), (1, N, 2) or (2, N).
        cameraMatrix: Intrinsics in px, shape (3, 3).
        distCoeffs: 0, 4, 5, 8, 12 or 14 coefficients.
        dst: Filled with the result if shape and type fit.
        arg1: Criteria (type, count, epsilon); by default five steps.

    Returns:
        Points in px, shape (N, 1, 2), float32 if src is float32, otherwise float64.
    """
    return _undistorted_points(src, cameraMatrix, distCoeffs, dst, (None, cameraMatrix), arg1, "arg1")


@_cv.quiet
def distortPoints(undistorted: Given, cameraMatrix: Given, distCoeffs: Given | None, distorted_: Any = None) -> Array:
    """Applies lens distortion to normalised points. The inverse of `undistortPoints`; OpenCV has it in the namespace fisheye and as `projectPoints`.

    Args:
        undistorted: Normalised points, shape (N, 2), (N, 1, 2), (1, N, 2) or (2, N).
        cameraMatrix: Intrinsics in px, shape (3, 3).
        distCoeffs: 0, 4, 5, 8, 12 or 14 coefficients.
        distorted_: Filled with the result if shape and type fit.

    Returns:
        Points in px, shape (N, 1, 2), float32 if `undistorted` is float32, otherwise float64.
    """
    points, dtype = floats(undistorted, "undistorted")
    K = _cv.matrix(cameraMatrix)
    x, y = distorted(points[:, 0], points[:, 1], coefficients(distCoeffs))
    out = np.stack([x * K[0, 0] + K[0, 2], y * K[1, 1] + K[1, 2]], 1)[:, None].astype(dtype)
    return _cv.output(out, distorted_, "distorted_")


def size_of(size: Given, name: str) -> tuple[int, int]:
    """Returns (width, height)."""
    pair = reals(size, name).ravel()
    if pair.size != 2 or not (pair == np.rint(pair)).all() or (pair < 0).any():
        raise ValueError(f"{name}: {size}, must be (width, height)")
    return int(pair[0]), int(pair[1])


def _fixed_maps(u: Array, v: Array) -> tuple[Array, Array]:
    """Returns OpenCV's fixed-point maps: whole px as int16 (H, W, 2) and 1/32 px as uint16 (H, W)."""
    limit = float(2**31 - 1)
    x, y = (np.rint(np.clip(np.nan_to_num(m * 32, nan=-limit), -limit, limit)).astype(np.int32) for m in (u, v))
    whole_px = np.stack([x >> 5, y >> 5], -1).astype(np.int16)
    return whole_px, ((y & 31) * 32 + (x & 31)).astype(np.uint16)


@_cv.quiet
def initUndistortRectifyMap(
    cameraMatrix: Given,
    distCoeffs: Given | None,
    R: Given | None,
    newCameraMatrix: Given | None,
    size: Given,
    m1type: int,
    map1: Any = None,
    map2: Any = None,
) -> tuple[Array, Array | None]:
    """Computes for each pixel of an undistorted and rotated image its position in the photograph, for `remap`.

    Args:
        cameraMatrix: Intrinsics of the photograph in px, shape (3, 3).
        distCoeffs: 0, 4, 5, 8, 12 or 14 coefficients.
        R: Rotation from the camera to the new one, shape (3, 3), or None.
        newCameraMatrix: Intrinsics of the new camera, shape (3, 3) or (3, 4); None: cameraMatrix with the principal point at the centre.
        size: (width, height) of the new image.
        m1type: CV_32FC1, CV_32FC2 or CV_16SC2.
        map1, map2: Filled with the result if shape and type fit.

    Returns:
        map1, map2: float32 (H, W) each, or float32 (H, W, 2) and None, or int16 (H, W, 2) and uint16 (H, W).
    """
    if m1type not in _FIXED | _FLOATS | _PAIRS:
        raise ValueError(f"m1type = {m1type}, must be CV_32FC1, CV_32FC2 or CV_16SC2")
    K, k = _cv.matrix(cameraMatrix), coefficients(distCoeffs)
    width, height = size_of(size, "size")
    new = K.copy() if is_empty(newCameraMatrix) else projection(newCameraMatrix, "newCameraMatrix")
    if is_empty(newCameraMatrix):
        new[:2, 2] = (width - 1) / 2, (height - 1) / 2
    inverse = np.linalg.inv(new @ rectangular(R))
    columns, rows = np.arange(width, dtype=np.float64)[None], np.arange(height, dtype=np.float64)[:, None]
    X, Y, Z = (inverse[i, 0] * columns + (inverse[i, 1] * rows + inverse[i, 2]) for i in range(3))
    x, y = distorted(X * (1 / Z), Y * (1 / Z), k)
    u, v = x * K[0, 0] + K[0, 2], y * K[1, 1] + K[1, 2]
    if m1type in _PAIRS:
        return _cv.output(np.stack([u, v], -1).astype(np.float32), map1, "map1"), None
    first, second = _fixed_maps(u, v) if m1type in _FIXED else (u.astype(np.float32), v.astype(np.float32))
    return _cv.output(first, map1, "map1"), _cv.output(second, map2, "map2")
