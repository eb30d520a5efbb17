"""OpenCV's rectification of calibrated pairs: stereoRectify and reprojectImageTo3D."""

from __future__ import annotations

from typing import Any, NamedTuple, Tuple

import numpy as np

from .._numbers import number, reals, whole
from . import arrays as _cv
from .arrays import Array, Flag, Given
from .lens import coefficients, is_empty, moved, size_of, undistorted

CALIB_ZERO_DISPARITY = STEREO_ZERO_DISPARITY = 1024
_GRID = 9
_FAR = np.float32(10000)
CV_16S, CV_32S, CV_32F = 3, 4, 5

Rectangle = Tuple[int, int, int, int]


class _View(NamedTuple):
    K: Array
    k: Array
    R: Array


class _Box(NamedTuple):
    left: float
    top: float
    right: float
    bottom: float


def _rotations(R: Array, T: Array) -> tuple[Array, Array, Array, int]:
    """Returns the rotations of both cameras, the baseline in the rectified frame and its axis: 0 across, 1 down.

    Each camera takes half of the rotation between them, then both rotate so that the baseline is an axis.
    """
    half = _cv.rotation_matrix(-0.5 * (_cv.rotation_vector(_cv.nearest_rotation(R.reshape(3, 3))).ravel() if R.size == 9 else R.ravel()))
    t = half @ T
    axis = 0 if abs(t[0]) > abs(t[1]) else 1
    length = np.linalg.norm(t)
    if not length > 0:
        raise ValueError("T: zero, must be a translation")
    to = np.zeros(3)
    to[axis] = 1 if t[axis] > 0 else -1
    w = np.cross(t, to)
    size = np.linalg.norm(w)
    onto = _cv.rotation_matrix(w * (np.arccos(min(abs(t[axis]) / length, 1.0)) / size) if size > 0 else w)
    R1, R2 = onto @ half.T, onto @ half
    return R1, R2, R2 @ T, axis


def _centre(view: _View, focal: float, size: tuple[int, int]) -> Array:
    """Returns the principal point that puts the mean of the photograph's corners at the centre of the rectified image."""
    width, height = size
    corners = np.array([[0, 0], [width - 1, 0], [0, height - 1], [width - 1, height - 1]], np.float32).astype(np.float64)
    x, y = (a.astype(np.float32).astype(np.float64) for a in undistorted(corners, view.K, view.k))
    rays = np.stack([x, y, np.ones(4)], 1) @ view.R.T
    seen = (rays[:, :2] * (1 / rays[:, 2:]) * focal).astype(np.float32).astype(np.float64)
    out: Array = (np.array([width, height]) - 1) / 2 - seen.mean(0)
    return out


def _boxes(view: _View, P: Array, size: tuple[int, int]) -> tuple[_Box, _Box]:
    """Returns the box inside the rectified photograph and the box around it, px."""
    across, down = np.meshgrid(np.arange(_GRID), np.arange(_GRID))
    px = np.stack([across.ravel() * (size[0] - 1) / (_GRID - 1), down.ravel() * (size[1] - 1) / (_GRID - 1)], 1)
    x, y = (a.reshape(_GRID, _GRID) for a in moved(*undistorted(px, view.K, view.k), view.R, P))
    inner = _Box(x[:, 0].max(), y[0].max(), x[:, -1].min(), y[-1].min())
    return inner, _Box(x.min(), y.min(), x.max(), y.max())


def _scale(boxes: list[_Box], old: list[Array], new: list[Array], size: tuple[int, int]) -> list[float]:
    """Returns the scales that take each side of each box to the border of the new image."""
    width, height = size
    out = []
    for box, c, n in zip(boxes, old, new):
        out += [n[0] / (c[0] - box.left), n[1] / (c[1] - box.top)]
        out += [(width - 1 - n[0]) / (box.right - c[0]), (height - 1 - n[1]) / (box.bottom - c[1])]
    return out


def _valid(box: _Box, old: Array, new: Array, scale: float, size: tuple[int, int]) -> Rectangle:
    """Returns the part of the new image that is inside the photograph: x, y, width and height; zeros without one."""
    left, top = int(np.ceil((box.left - old[0]) * scale + new[0])), int(np.ceil((box.top - old[1]) * scale + new[1]))
    right = min(left + int(np.floor((box.right - box.left) * scale)), size[0])
    bottom = min(top + int(np.floor((box.bottom - box.top) * scale)), size[1])
    left, top = max(left, 0), max(top, 0)
    return (left, top, right - left, bottom - top) if right > left and bottom > top else (0, 0, 0, 0)


def _projection(focal: float, centre: Array, axis: int, shift: float) -> Array:
    P = np.array([[focal, 0, centre[0], 0], [0, focal, centre[1], 0], [0, 0, 1.0, 0]])
    P[axis, 3] = shift
    return P


def _joined(centres: list[Array], axis: int, is_zero: bool) -> list[Array]:
    """Gives both principal points the same row (column, if the baseline points down), and with `is_zero` the same place."""
    mean = (centres[0] + centres[1]) * 0.5
    if is_zero:
        return [mean, mean]
    other = 1 - axis
    for c in centres:
        c[other] = mean[other]
    return centres


@_cv.quiet
def stereoRectify(
    cameraMatrix1: Given,
    distCoeffs1: Given | None,
    cameraMatrix2: Given,
    distCoeffs2: Given | None,
    imageSize: Given,
    R: Given,
    T: Given,
    R1: Any = None,
    R2: Any = None,
    P1: Any = None,
    P2: Any = None,
    Q: Any = None,
    flags: int = CALIB_ZERO_DISPARITY,
    alpha: float = -1,
    newImageSize: Given = (0, 0),
) -> tuple[Array, Array, Array, Array, Array, Rectangle, Rectangle]:
    """Rectifies a calibrated pair as OpenCV does. `bifocal.rectify` needs no alpha and takes all lenses; `bifocal.rectify_polar` takes any motion.

    Args:
        cameraMatrix1, cameraMatrix2: Intrinsics, shape (3, 3), px.
        distCoeffs1, distCoeffs2: 0, 4, 5, 8, 12 or 14 coefficients.
        imageSize: (width, height) of the photographs.
        R, T: Rotation (a matrix or a vector) and translation, X2 = R X1 + T.
        R1, R2, P1, P2, Q: Filled with the result if shape and type fit.
        flags: CALIB_ZERO_DISPARITY gives both cameras the same principal point; 0 does not.
        alpha: 0 shows pixels of the photographs only, 1 all of their pixels, numbers between a mixture; -1: neither.
        newImageSize: (width, height) of the rectified images; (0, 0): imageSize.

    Returns:
        R1, R2, P1, P2, Q and the valid part of both images as x, y, width, height.
    """
    size = size_of(imageSize, "imageSize")
    new_size = size_of((0, 0) if newImageSize is None else newImageSize, "newImageSize")
    new_size = new_size if new_size[0] * new_size[1] else size
    rotation, translation = reals(R, "R"), reals(T, "T").ravel()
    if rotation.size not in (3, 9) or translation.size != 3:
        raise ValueError(f"R, T: shapes {rotation.shape} and {translation.shape}, must be (3, 3) or (3,), and (3,)")
    first, second, t, axis = _rotations(rotation, translation)
    views = [
        _View(_cv.matrix(cameraMatrix1, "cameraMatrix1"), coefficients(distCoeffs1, "distCoeffs1"), first),
        _View(_cv.matrix(cameraMatrix2, "cameraMatrix2"), coefficients(distCoeffs2, "distCoeffs2"), second),
    ]
    other = 1 - axis
    focal = (views[0].K[other, other] + views[1].K[other, other]) * (new_size[other] / size[other] / 2)
    old = _joined([_centre(view, focal, size) for view in views], axis, bool(flags & CALIB_ZERO_DISPARITY))
    new = [np.array(new_size) * c / np.array(size) for c in old]
    boxes = [_boxes(view, _projection(focal, c, axis, 0), size) for view, c in zip(views, old)]
    scale, alpha = 1.0, min(number(alpha, "alpha"), 1.0)
    if alpha >= 0:
        most, least = max(_scale([b[0] for b in boxes], old, new, new_size)), min(_scale([b[1] for b in boxes], old, new, new_size))
        scale = most * (1 - alpha) + least * alpha
    valid = [_valid(box[0], o, n, scale, new_size) for box, o, n in zip(boxes, old, new)]
    shift = t[axis] * focal * scale
    focal *= scale
    depth = np.array([[1, 0, 0, -new[0][0]], [0, 1, 0, -new[0][1]], [0, 0, 0, focal], [0, 0, -1 / t[axis], (new[0][axis] - new[1][axis]) / t[axis]]])
    out = (first, second, _projection(focal, new[0], axis, 0), _projection(focal, new[1], axis, shift), depth)
    given = zip(out, (R1, R2, P1, P2, Q), ("R1", "R2", "P1", "P2", "Q"))
    a, b, c, d, e = (_cv.output(values, array, name) for values, array, name in given)
    return a, b, c, d, e, valid[0], valid[1]


@_cv.quiet
def reprojectImageTo3D(disparity: Given, Q: Given, _3dImage: Any = None, handleMissingValues: Flag = False, ddepth: int = -1) -> Array:
    """Computes scene points from disparities, in the frame of the rectified left camera.

    `bifocal.depth.depth_map` gives depths in the photograph with their standard deviation, and also takes polar rectifications.

    Args:
        disparity: uint8, int16, int32 or float32, shape (H, W); results of `StereoBM` and `StereoSGBM` divided by 16.
        Q: Of `stereoRectify`, shape (4, 4).
        _3dImage: Filled with the result if shape and type fit.
        handleMissingValues: Pixels with the smallest disparity get Z = 10000.
        ddepth: -1 or CV_32F, CV_16S or CV_32S.

    Returns:
        X, Y, Z, shape (H, W, 3), float32 unless ddepth says otherwise.
    """
    d, matrix = np.asarray(disparity), reals(Q, "Q")
    if d.ndim != 2 or d.dtype not in (np.uint8, np.int16, np.int32, np.float32):
        raise TypeError(f"disparity: {d.dtype} of shape {d.shape}, must be uint8, int16, int32 or float32 of shape (H, W)")
    if matrix.shape != (4, 4):
        raise ValueError(f"Q: shape {matrix.shape}, must be (4, 4)")
    if whole(ddepth, "ddepth") not in (-1, CV_16S, CV_32S, CV_32F):
        raise ValueError(f"ddepth = {ddepth}, must be -1, CV_16S (3), CV_32S (4) or CV_32F (5)")
    values = d.astype(np.float32).astype(np.float64)
    x, y = np.arange(d.shape[1])[None], np.arange(d.shape[0])[:, None]
    rows = [row[0] * x + row[1] * y + row[2] * values + row[3] for row in matrix]
    xyz = np.stack(rows[:3], -1).astype(np.float32) * (1 / rows[3])[..., None]
    out = xyz.astype(np.float32)
    if handleMissingValues and d.size:
        out[np.abs(values - d.min()) <= np.finfo(np.float32).eps, 2] = _FAR
    if ddepth in (CV_16S, CV_32S):
        limits = np.iinfo("int16" if ddepth == CV_16S else "int32")
        out = np.clip(np.rint(out.astype(np.float64)), limits.min, limits.max).astype(limits.dtype)
    return _cv.output(out, None if is_empty(_3dImage) else _3dImage, "_3dImage")
