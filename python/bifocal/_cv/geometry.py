"""OpenCV's basic functions of two-view geometry: triangulatePoints, computeCorrespondEpilines, decomposeEssentialMat and decomposeHomographyMat."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._numbers import reals
from ..two_view import decompose_homography
from . import arrays as _cv
from .arrays import Array, Given

_SWEEPS = 30
_TINY = np.finfo(np.float64).tiny
# OpenCV completes a basis towards this direction, the first signs of its random numbers.
_SIDE = (-1, -1, 1)
# OpenCV takes a homography for a rotation if no element of H'H - I is larger.
_ROTATION = 1e-3
_ORTHOGONAL = 10 * np.finfo(np.float64).eps


def jacobi_svd(A: Array) -> tuple[Array, Array, Array]:
    """Computes N singular value decompositions with OpenCV's signs, which differ from LAPACK's.

    One-sided Jacobi rotations are applied to the columns of A (N, n, n) from left to right (M. Hestenes, J. SIAM 6(1), 1958). Returns U, the
    singular values (N, n) in descending order and V', with A = U S V'. A column of U is zero if its singular value is zero.
    """
    rows, V = np.swapaxes(A, 1, 2).astype(np.float64, copy=True), np.tile(np.eye(A.shape[2]), (len(A), 1, 1))
    n = A.shape[2]
    for _ in range(_SWEEPS):
        is_changed = False
        for i in range(n - 1):
            for j in range(i + 1, n):
                is_changed |= _rotate(rows, V, i, j)
        if not is_changed:
            break
    sizes = np.sqrt((rows**2).sum(2))
    order = np.argsort(-sizes, axis=1, kind="stable")
    sizes = np.take_along_axis(sizes, order, 1)
    rows, V = (np.take_along_axis(m, order[:, :, None], 1) for m in (rows, V))
    U = np.swapaxes(rows / np.where(sizes > _TINY, sizes, np.inf)[:, :, None], 1, 2)
    return U, sizes, V


def _rotate(rows: Array, V: Array, i: int, j: int) -> bool:
    """Makes rows i and j of each matrix orthogonal, in place; returns False if all rows already were."""
    first, second = rows[:, i], rows[:, j]
    a, b, p = (first**2).sum(1), (second**2).sum(1), (first * second).sum(1)
    which = np.flatnonzero(~(np.abs(p) <= _ORTHOGONAL * np.sqrt(a * b)) & np.isfinite(a + b + p))
    if which.size == 0:
        return False
    p, beta = 2 * p[which], a[which] - b[which]
    larger, smaller = np.maximum(np.abs(p), np.abs(beta)), np.minimum(np.abs(p), np.abs(beta))
    gamma = larger * np.sqrt(1 + (smaller / larger) ** 2)
    is_less = beta < 0
    large = np.sqrt((gamma + np.abs(beta)) / (2 * gamma))
    small = p / (2 * gamma * large)
    c, s = np.where(is_less, small, large)[:, None], np.where(is_less, large, small)[:, None]
    for m in (rows, V):
        x, y = m[which, i], m[which, j]
        m[which, i], m[which, j] = c * x + s * y, c * y - s * x
    return True


@_cv.quiet
def triangulatePoints(projMatr1: Given, projMatr2: Given, projPoints1: Given, projPoints2: Given, points4D: Any = None) -> Array:
    """Triangulates points by the linear method. `bifocal.triangulate` takes poses and cameras, also with a lens.

    Args:
        projMatr1, projMatr2: Projection matrices, shape (3, 4).
        projPoints1, projPoints2: Image points, shape (2, N), (N, 1, 2) or (1, N, 2), as the matrices have them.
        points4D: Filled with the result if shape and type fit.

    Returns:
        Homogeneous points of length 1, shape (4, N), float32 if the points are float32, otherwise float64.

    Raises:
        ValueError: If shapes differ or do not fit.
    """
    P = [reals(m, name) for m, name in ((projMatr1, "projMatr1"), (projMatr2, "projMatr2"))]
    for matrix, name in zip(P, ("projMatr1", "projMatr2")):
        if matrix.shape != (3, 4):
            raise ValueError(f"{name}: shape {matrix.shape}, must be (3, 4)")
    x1, dtype = _columns(projPoints1, "projPoints1")
    x2, _ = _columns(projPoints2, "projPoints2")
    if len(x1) != len(x2):
        raise ValueError(f"projPoints2: {len(x2)} points, but projPoints1 has {len(x1)}")
    A = np.concatenate([x[:, :, None] * m[2] - m[:2] for x, m in ((x1, P[0]), (x2, P[1]))], 1)
    out = np.ascontiguousarray(jacobi_svd(A)[2][:, 3].T.astype(dtype))
    return _cv.output(out, points4D, "points4D")


def _columns(points: Any, name: str) -> tuple[Array, Any]:
    """Returns points [N, 2] of [2, N], [N, 1, 2] or [1, N, 2], and the type of the result."""
    array = np.asarray(points)
    if array.ndim == 2 and array.shape[0] == 2:
        array = array.T
    elif array.ndim != 3:
        raise ValueError(f"{name}: shape {array.shape}, must be (2, N), (N, 1, 2) or (1, N, 2)")
    return _cv.points(array, name), np.float32 if array.dtype == np.float32 else np.float64


@_cv.quiet
def computeCorrespondEpilines(points: Given, whichImage: int, F: Given, lines: Any = None) -> Array:
    """Computes the epipolar lines of points in the other image.

    Args:
        points: Points in px of image `whichImage`, shape (N, 2), (N, 1, 2) or (1, N, 2), or homogeneous with three columns,
            which are divided by the third (if it is not 0).
        whichImage: 1 or 2.
        F: Fundamental matrix, shape (3, 3), x2' F x1 = 0.
        lines: Filled with the result if shape and type fit.

    Returns:
        Lines a x + b y + c = 0 with a^2 + b^2 = 1, shape (N, 1, 3), float64 if the points are float64, otherwise float32.
    """
    if whichImage not in (1, 2):
        raise ValueError(f"whichImage = {whichImage}, must be 1 or 2")
    array = np.asarray(points)
    x = _cv.points(points, "points", homogeneous=True)
    out = np.c_[x, np.ones(len(x))] @ (_cv.matrix(F, "F") if whichImage == 2 else _cv.matrix(F, "F").T)
    size = np.sqrt(out[:, 0] ** 2 + out[:, 1] ** 2)
    out = (out * (1 / np.where(size == 0, 1.0, size))[:, None])[:, None]
    return _cv.output(out.astype(np.float64 if array.dtype == np.float64 else np.float32), lines, "lines")


def decomposeEssentialMat(E: Given, R1: Any = None, R2: Any = None, t: Any = None) -> tuple[Array, Array, Array]:
    """Decomposes an essential matrix into its four poses (R1, t), (R1, -t), (R2, t) and (R2, -t).

    Args:
        E: Essential matrix, shape (3, 3).
        R1, R2, t: Filled with the result if shape and type fit.

    Returns:
        R1, R2: Rotations, float64 (3, 3).
        t: Direction of the translation, float64 (3, 1).
    """
    U, _, V = (m[0] for m in jacobi_svd(_cv.matrix(E, "E")[None]))
    if not U[:, 2].any():
        axis = np.cross(U[:, 0], U[:, 1])
        U[:, 2] = axis if axis @ _SIDE >= 0 else -axis
    U, V = (m if np.linalg.det(m) > 0 else -m for m in (U, V))
    W = np.array([[0.0, 1, 0], [-1, 0, 0], [0, 0, 1]])
    return _cv.output(U @ W @ V, R1, "R1"), _cv.output(U @ W.T @ V, R2, "R2"), _cv.output(U[:, 2:].copy(), t, "t")


def decomposeHomographyMat(
    H: Given, K: Given, rotations: Any = None, translations: Any = None, normals: Any = None
) -> tuple[int, tuple[Array, ...], tuple[Array, ...], tuple[Array, ...]]:
    """Decomposes a homography into camera motions relative to a plane, K^-1 H K ~ R + t n'. `bifocal.two_view.decompose_homography` takes two cameras.

    Args:
        H: Homography in px, x2 ~ H x1, shape (3, 3).
        K: Intrinsics of both images, shape (3, 3).
        rotations, translations, normals: Ignored.

    Returns:
        Number of solutions (4, or 1 if H is a rotation), and for each solution the rotation, float64 (3, 3), the translation in units of the distance
        of camera 1 from the plane, (3, 1), and the unit normal in the frame of camera 1, (3, 1), in OpenCV's order. Translation and normal of a
        rotation are zero.

    Raises:
        ValueError: If H or K is singular or not finite.
    """
    own, camera = (m / (np.abs(m).max() or 1) for m in (_cv.matrix(H, "H"), _cv.matrix(K, "K")))
    for m, name in ((own, "H"), (camera, "K")):
        if not np.linalg.cond(m) * np.finfo(np.float64).eps < 1:
            raise ValueError(f"{name}: is singular")
    G = np.linalg.solve(camera, own @ camera)
    G /= np.linalg.svd(G)[1][1] * np.sign(np.linalg.det(G))
    S = G.T @ G - np.eye(3)
    if np.abs(S).max() < _ROTATION:
        U, _, V = np.linalg.svd(G)
        return 1, (U @ V,), (np.zeros((3, 1)),), (np.zeros((3, 1)),)
    motions = sorted(decompose_homography(G, np.eye(3)), key=lambda motion: _rank(motion.normal, S))
    columns = [tuple(np.ascontiguousarray(part).reshape(shape) for part in parts) for parts, shape in zip(zip(*motions), ((3, 3), (3, 1), (3, 1)))]
    return len(motions), columns[0], columns[1], columns[2]


def _rank(normal: Array, S: Array) -> tuple[float, bool]:
    """Returns a key for OpenCV's order of motions: by the two planes, then the normal whose element of the largest diagonal element of S has its sign.

    S = H'H - I. The normals of both planes, scaled to the element S_ii, differ by the signs of square roots of minors of S (E. Malis, M. Vargas,
    Deeper understanding of the homography decomposition for vision-based control, INRIA RR-6303, 2007, 3.1).
    """
    i = int(np.argmax(np.abs(np.diag(S))))
    j, k = (n for n in range(3) if n != i)
    minor = S[i, j] * S[i, k] - S[i, i] * S[j, k]
    sign = 1.0 if minor > 0 or (minor == 0 and i != 1) else -1.0
    first, second = (1.0, sign) if i < 2 else (sign, 1.0)
    scaled = normal * (S[i, i] / normal[i]) if normal[i] else normal
    return -float(first * scaled[j] + second * scaled[k]), bool(normal[i] * S[i, i] < 0)
