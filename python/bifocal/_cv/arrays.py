"""Arrays in OpenCV's shapes and types."""

from __future__ import annotations

from functools import wraps
from typing import Any, Callable, TypeVar, Union

import numpy as np
from numpy.typing import NDArray

from .._numbers import number, reals
from .._cameras import Camera, undistort_points

Array = NDArray[Any]
Given = Any  # an array of numbers of an argument, checked and converted by _arguments.py
Flag = Union[bool, int]  # OpenCV takes 0 and 1 also
Function = TypeVar("Function", bound=Callable[..., Any])


def quiet(function: Function) -> Function:
    """Suppresses NumPy's warnings in a function: numbers beyond float64 become infinities and NaN, which are never inliers."""

    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        with np.errstate(all="ignore"):
            return function(*args, **kwargs)

    return call  # type: ignore[return-value]


def shape(object: Any) -> tuple[int, ...]:
    """Returns the shape of an array or of an object that converts to an array; () for any other object."""
    try:
        return np.shape(object)
    except (ValueError, TypeError, RuntimeError):
        return ()


def points(points: Any, name: str, columns: int = 2, homogeneous: bool = False) -> Array:
    """Returns points of shape (N, columns) from OpenCV's shapes (N, columns), (N, 1, columns) and (1, N, columns).

    Homogeneous points have one column more and are divided by it.
    """
    try:
        array = np.asarray(points)
    except (ValueError, TypeError, RuntimeError):
        raise TypeError(f"{name}: {type(points).__name__}, must be an array of numbers") from None
    if array.dtype.kind not in "fiu":
        raise TypeError(f"{name}: dtype {array.dtype}, must be floats or whole numbers")
    given = array.shape
    if array.size == 0:
        array = array.reshape(0, columns)
    if array.ndim == 3 and 1 in array.shape[:2]:
        array = array.reshape(-1, array.shape[2])
    array = array.astype(np.float64, copy=False)
    if homogeneous and array.ndim == 2 and array.shape[1] == columns + 1:
        last = array[:, -1:]
        array = array[:, :-1] / np.where(last == 0, 1.0, last)
    if array.ndim != 2 or array.shape[1] != columns:
        raise ValueError(f"{name}: shape {given}, must be (N, {columns}) or (N, 1, {columns})")
    return array


def pair(points1: Any, points2: Any, name1: str, name2: str, homogeneous: bool = False) -> tuple[Array, Array]:
    """Returns the points of both images and checks that their numbers are equal."""
    x1, x2 = points(points1, name1, homogeneous=homogeneous), points(points2, name2, homogeneous=homogeneous)
    if len(x1) != len(x2):
        raise ValueError(f"{name2}: {len(x2)} points, but {name1} has {len(x1)}")
    return x1, x2


def finite(x1: Array, x2: Array) -> Array:
    """Returns flags of shape (N,), True if a match has no NaN and no infinity."""
    out: Array = np.isfinite(np.c_[x1, x2]).all(1)
    return out


def output(values: Array, given: Any, name: str, column: bool = False) -> Array:
    """Returns a result in an output argument as OpenCV does: an array given with its type and number of elements is filled and returned.

    Any other array stays unchanged, because OpenCV makes a new one then. With `column` the result keeps its shape, and a row does not fit.
    """
    if given is None:
        return values
    if not isinstance(given, np.ndarray):
        raise TypeError(f"{name}: {type(given).__name__}, must be an array")
    if given.dtype != values.dtype or given.size != values.size or given.size == 0 or not given.flags.writeable:
        return values
    if column and given.shape[0] != values.shape[0]:
        return values
    given[...] = values.reshape(given.shape)
    return given.reshape(values.shape) if column and given.ndim == 1 else given


def mask(flags: Array, given: Any = None, name: str = "mask", column: bool = False) -> Array:
    """Returns flags as uint8 of shape (N, 1) with values 0 and 1."""
    return output(flags.astype(np.uint8).reshape(-1, 1), given, name, column)


def scaled(model: Array) -> Array:
    """Scales a matrix so that its last element is 1, as in OpenCV, unless that element is below 1e-12."""
    last = model[2, 2]
    out: Array = model / last if abs(last) > 1e-12 else model.copy()
    return out


def unit_frame(x: Array) -> Array:
    """Returns the matrix T of shape (3, 3) that `unit` applies."""
    c = x.mean(0)
    s = 1 / max(np.abs(x - c).max(), 1e-300)
    return np.array([[s, 0, -s * c[0]], [0, s, -s * c[1]], [0, 0, 1]])


def unit(x: Array) -> Array:
    """Shifts and scales points to coordinates of at most 1, as minimal solvers need them."""
    T = unit_frame(x)
    out: Array = x * T[0, 0] + T[:2, 2]
    return out


def matrix(cameraMatrix: Any, name: str = "cameraMatrix") -> Array:
    """Returns a finite matrix of shape (3, 3)."""
    K = reals(cameraMatrix, name)
    if K.shape != (3, 3):
        raise ValueError(f"{name}: shape {K.shape}, must be (3, 3)")
    if not np.isfinite(K).all():
        raise ValueError(f"{name}: {K.tolist()}, must be finite")
    return K


def focal_matrix(focal: Any, pp: Any) -> Array:
    """Makes a camera matrix from a focal length and a principal point."""
    f, c = number(focal, "focal"), reals(pp, "pp").ravel()
    if c.size != 2:
        raise ValueError(f"pp: {c.size} numbers, must be cx and cy")
    return matrix([[f, 0, c[0]], [0, f, c[1]], [0, 0, 1.0]], "focal, pp")


def normalised(x: Array, K: Array) -> Array:
    """Converts px to normalised points, as seen by a camera with focal length 1."""
    out: Array = (x - K[:2, 2]) / K[[0, 1], [0, 1]]
    return out


def arguments(function: str, names: list[str], args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
    """Maps the arguments of one form of a call to their names."""
    if len(args) > len(names):
        raise TypeError(f"{function}: {len(args)} arguments, at most {len(names)} in this form")
    given = dict(zip(names, args))
    for name, value in kwargs.items():
        if name not in names:
            raise TypeError(f"{function}: {name}, must be one of {names}")
        if name in given:
            raise TypeError(f"{function}: {name} is given twice")
        given[name] = value
    return given


def lens(distCoeffs: Any, name: str = "distCoeffs") -> Array:
    """Returns k1 k2 p1 p2 k3 k4 k5 k6 from 0, 4, 5 or 8 coefficients."""
    d = np.zeros(0) if distCoeffs is None else reals(distCoeffs, name).ravel()
    if d.size not in (0, 4, 5, 8, 12, 14):
        raise ValueError(f"{name}: {d.size} coefficients, must be 0, 4, 5 or 8")
    if not np.isfinite(d).all():
        raise ValueError(f"{name}: {d.tolist()}, must be finite")
    if d[8:].any():
        raise ValueError(f"{name}: coefficients beyond the eighth (thin prisms, tilted sensors), must be zero")
    out: Array = np.r_[d[:8], np.zeros(max(0, 8 - d.size))]
    return out


def pinhole_points(x: Array, K: Array, distCoeffs: Any, name: str) -> Array:
    """Removes the lens distortion of points and returns px of the pinhole camera."""
    k = lens(distCoeffs, name)
    return undistort_points(x, Camera(K[0, 0], K[1, 1], K[0, 2], K[1, 2], *k)) if k.any() else x


def nearest_rotation(M: Array) -> Array:
    """Returns the orthogonal matrix nearest to M [3, 3], a rotation if the determinant of M is positive."""
    U, _, V = np.linalg.svd(M)
    out: Array = U @ V
    return out


def rotation_vector(R: Array) -> Array:
    """Returns the rotation vector of a matrix, shape (3, 1): its direction is the axis, its length the angle in radians."""
    w = np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]]) / 2
    sine, cosine = np.linalg.norm(w), (np.trace(R) - 1) / 2
    angle = np.arctan2(sine, cosine)
    if sine > 1e-6:
        w = w * (angle / sine)
    if sine > 1e-6 or cosine > 0:
        return w.reshape(3, 1)
    S = (R + np.eye(3)) / 2  # rotation by 180 degrees: S = a a' for the axis a
    axis = S[np.argmax(np.diag(S))]
    out: Array = (axis / np.linalg.norm(axis) * angle).reshape(3, 1)
    return out


def rotation_matrix(vector: Array) -> Array:
    """Returns the rotation [3, 3] about the axis `vector` by its length in radians (O. Rodrigues, 1840)."""
    angle = float(np.sqrt((vector.ravel() ** 2).sum()))
    if angle < np.finfo(np.float64).eps:
        return np.eye(3)
    x, y, z = r = vector.ravel() * (1 / angle)
    c, s = np.cos(angle), np.sin(angle)
    out: Array = c * np.eye(3) + (1 - c) * np.outer(r, r) + s * np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return out
