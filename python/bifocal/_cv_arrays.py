"""Arrays as OpenCV has them, for cv.py."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .cameras import Camera, undistort_points

Array = NDArray[Any]


def points(points: Any, name: str, columns: int = 2) -> Array:
    """[N, columns] of OpenCV's shapes [N, columns], [N, 1, columns] and [1, N, columns]."""
    array = np.asarray(points)
    if array.dtype.kind not in "fiu":
        raise TypeError(f"{name}: dtype {array.dtype}, must be floats or whole numbers")
    if array.ndim == 3 and 1 in array.shape[:2] and array.shape[2] == columns:
        array = array.reshape(-1, columns)
    if array.size == 0:
        array = array.reshape(0, columns)
    if array.ndim != 2 or array.shape[1] != columns:
        raise ValueError(f"{name}: shape {np.shape(points)}, must be (N, {columns}) or (N, 1, {columns})")
    return array.astype(np.float64, copy=False)


def pair(points1: Any, points2: Any, name1: str, name2: str) -> tuple[Array, Array]:
    """Both, equally many."""
    x1, x2 = points(points1, name1), points(points2, name2)
    if len(x1) != len(x2):
        raise ValueError(f"{name2}: {len(x2)} points, but {name1} has {len(x1)}")
    return x1, x2


def mask(flags: Array, given: Array | None = None, value: int = 1) -> Array:
    """uint8 [N, 1] of 0 and `value`; also in the array that the caller gave for it."""
    out: Array = (flags.astype(np.uint8) * np.uint8(value)).reshape(-1, 1)
    if given is not None:
        given[...] = out.reshape(given.shape)
    return out


def scaled(model: Array) -> Array:
    """Its last element 1, as OpenCV has it, unless that is as good as zero."""
    last = model[2, 2]
    out: Array = model / last if abs(last) > 1e-12 else model.copy()
    return out


def eight_points(x1: Array, x2: Array) -> Array | None:
    """F of all points by the normalised eight-point algorithm (R. Hartley, PAMI 19(6), 1997), of rank 2."""

    def frame(x: Array) -> Array:
        c = x.mean(0)
        s = np.sqrt(2) / max(np.sqrt(((x - c) ** 2).sum(1)).mean(), 1e-300)
        return np.array([[s, 0, -s * c[0]], [0, s, -s * c[1]], [0, 0, 1]])

    T1, T2 = frame(x1), frame(x2)
    a, b = np.c_[x1, np.ones(len(x1))] @ T1.T, np.c_[x2, np.ones(len(x2))] @ T2.T
    F = np.linalg.svd((b[:, :, None] * a[:, None, :]).reshape(len(x1), 9))[2][-1].reshape(3, 3)
    U, S, V = np.linalg.svd(F)
    F = T2.T @ (U * [S[0], S[1], 0]) @ V @ T1
    return F if np.isfinite(F).all() else None


def unit_frame(x: Array) -> Array:
    """T of unit()."""
    c = x.mean(0)
    s = 1 / max(np.abs(x - c).max(), 1e-300)
    return np.array([[s, 0, -s * c[0]], [0, s, -s * c[1]], [0, 0, 1]])


def unit(x: Array) -> Array:
    """Of about unit size, as minimal solvers want them."""
    T = unit_frame(x)
    out: Array = x * T[0, 0] + T[:2, 2]
    return out


def matrix(cameraMatrix: Any, name: str = "cameraMatrix") -> Array:
    """[3, 3]"""
    K = np.asarray(cameraMatrix, np.float64)
    if K.shape != (3, 3):
        raise ValueError(f"{name}: shape {K.shape}, must be (3, 3)")
    return K


def lens(distCoeffs: Any, name: str = "distCoeffs") -> Array:
    """k1 k2 p1 p2 k3 k4 k5 k6 of 0, 4, 5 or 8 coefficients."""
    d = np.zeros(0) if distCoeffs is None else np.asarray(distCoeffs, np.float64).ravel()
    if d.size not in (0, 4, 5, 8, 12, 14):
        raise ValueError(f"{name}: {d.size} coefficients, must be 0, 4, 5 or 8")
    if d[8:].any():
        raise ValueError(f"{name}: coefficients beyond the eighth (thin prisms, tilted sensors), must be zero")
    out: Array = np.r_[d[:8], np.zeros(max(0, 8 - d.size))]
    return out


def pinhole_points(x: Array, K: Array, distCoeffs: Any, name: str) -> Array:
    """Where the pinhole of the camera sees them."""
    k = lens(distCoeffs, name)
    return undistort_points(x, Camera(K[0, 0], K[1, 1], K[0, 2], K[1, 2], *k)) if k.any() else x


def rotation_vector(R: Array) -> Array:
    """[3, 1] along the axis, of the length of the angle."""
    w = np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]]) / 2
    sine, cosine = np.linalg.norm(w), (np.trace(R) - 1) / 2
    angle = np.arctan2(sine, cosine)
    if sine > 1e-6:
        w = w * (angle / sine)
    if sine > 1e-6 or cosine > 0:
        return w.reshape(3, 1)
    S = (R + np.eye(3)) / 2  # half a turn: a a'
    axis = S[np.argmax(np.diag(S))]
    out: Array = (axis / np.linalg.norm(axis) * angle).reshape(3, 1)
    return out
