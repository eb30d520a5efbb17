"""OpenCV's drawMatches and drawKeypoints."""

from __future__ import annotations

from typing import Any, Sequence

import numpy as np

from .._numbers import reals, shown, whole
from . import arrays as _cv
from .lens import is_empty
from .arrays import Array, Given
from .keypoints import places

DRAW_MATCHES_FLAGS_DEFAULT, DRAW_MATCHES_FLAGS_DRAW_OVER_OUTIMG, DRAW_MATCHES_FLAGS_NOT_DRAW_SINGLE_POINTS = 0, 1, 2
DRAW_MATCHES_FLAGS_DRAW_RICH_KEYPOINTS = 4
_RADIUS = 3.0  # of keypoints, in px
_GOLDEN = 0.61803398875  # fraction of a full circle between the hues of consecutive matches


def _canvas(image: Any, name: str) -> Array:
    """Returns uint8 [H, W, 3] of a grey or BGR image."""
    array = np.asarray(image)
    if array.dtype != np.uint8 or array.ndim not in (2, 3) or (array.ndim == 3 and array.shape[2] not in (1, 3, 4)):
        raise TypeError(f"{name}: {array.dtype} of shape {array.shape}, must be uint8 of shape (H, W) or (H, W, 3)")
    if array.ndim == 2 or array.shape[2] == 1:
        array = np.repeat(array.reshape(*array.shape[:2], 1), 3, 2)
    return array[:, :, :3]


def _blend(canvas: Array, x: Array, y: Array, opacity: Array, colour: Array) -> None:
    """Paints pixels that lie on the canvas."""
    inside = (x >= 0) & (x < canvas.shape[1]) & (y >= 0) & (y < canvas.shape[0]) & (opacity > 0)
    x, y, a = x[inside], y[inside], opacity[inside, None]
    canvas[y, x] = np.rint(canvas[y, x] * (1 - a) + colour * a).astype(np.uint8)


def _line(canvas: Array, start: Array, end: Array, colour: Array) -> None:
    """Draws a line of one px with smooth edges: two pixels across it for each px of its longer axis."""
    along = int(abs(end - start).argmax())
    count = int(min(abs(end - start)[along], 4 * max(canvas.shape))) + 1
    at = np.linspace(start, end, count + 1)
    p, q = np.rint(at[:, along]).astype(np.intp), at[:, 1 - along]
    below = np.floor(q).astype(np.intp)
    for side in (0, 1):
        x, y = (p, below + side) if along == 0 else (below + side, p)
        _blend(canvas, x, y, np.maximum(0, 1 - np.abs(q - below - side)), colour)


def _circle(canvas: Array, centre: Array, radius: float, colour: Array) -> None:
    reach = int(min(radius, 4 * max(canvas.shape))) + 2
    offsets = np.arange(-reach, reach + 1)
    x, y = (np.rint(c).astype(np.intp) + offsets for c in centre)
    distance = np.hypot(x[None] - centre[0], y[:, None] - centre[1])
    opacity = np.clip(1.2 - np.abs(distance - radius), 0, 1)
    which = np.nonzero(opacity)
    _blend(canvas, x[which[1]], y[which[0]], opacity[which], colour)


def _keypoint(canvas: Array, keypoint: Any, centre: Array, colour: Array, flags: int) -> None:
    if not np.isfinite(centre).all():
        return
    is_rich = bool(flags & DRAW_MATCHES_FLAGS_DRAW_RICH_KEYPOINTS)
    radius = keypoint.size / 2 if is_rich else _RADIUS
    _circle(canvas, centre, radius, colour)
    if is_rich and keypoint.angle != -1:
        angle = np.deg2rad(keypoint.angle)
        _line(canvas, centre, centre + radius * np.array([np.cos(angle), np.sin(angle)]), colour)


def _colour(given: Any, index: int, name: str) -> Array:
    """Returns blue, green and red: the given colour, or a hue by the index without one or for -1."""
    values = np.full(3, -1.0) if given is None else reals(given, name).ravel()[:3]
    if values.size == 3 and (values < 0).all():
        hue = 6 * ((index * _GOLDEN) % 1)
        return np.array([255 * np.clip(abs((hue - shift) % 6 - 3) - 1, 0, 1) for shift in (4, 2, 0)])
    out: Array = np.r_[values, np.zeros(3 - values.size)]
    return out


def _side_by_side(first: Array, second: Array, given: Any, flags: int, name: str) -> Array:
    height, width = max(first.shape[0], second.shape[0]), first.shape[1] + second.shape[1]
    if flags & DRAW_MATCHES_FLAGS_DRAW_OVER_OUTIMG:
        over: Array = np.asarray(given)
        if over.dtype != np.uint8 or over.ndim != 3 or over.shape[0] < height or over.shape[1] < width or over.shape[2] != 3:
            raise ValueError(f"{name}: {over.dtype} of shape {over.shape}, must be uint8 of shape ({height}, {width}, 3) with DRAW_OVER_OUTIMG")
        return over
    out: Array = np.zeros((height, width, 3), np.uint8)
    out[: first.shape[0], : first.shape[1]] = first
    out[: second.shape[0], first.shape[1] :] = second
    return out


def drawMatches(
    img1: Given,
    keypoints1: Sequence[Any],
    img2: Given,
    keypoints2: Sequence[Any],
    matches1to2: Sequence[Any],
    outImg: Any,
    matchColor: Any = None,
    singlePointColor: Any = None,
    matchesMask: Given | None = None,
    flags: int = DRAW_MATCHES_FLAGS_DEFAULT,
) -> Array:
    """Draws two images side by side with a line for each match.

    The layout is OpenCV's; strokes have smooth edges and the default colours are evenly spread hues, not random.
    `bifocal.draw_matches` takes arrays and colours inliers and outliers.

    Args:
        img1, img2: uint8, shape (H, W), or (H, W, 3) in the order BGR.
        keypoints1, keypoints2: KeyPoint, of cv2 or `bifocal.cv`.
        matches1to2: DMatch, of cv2 or `bifocal.cv`.
        outImg: Drawn over with DRAW_MATCHES_FLAGS_DRAW_OVER_OUTIMG, otherwise filled with the result if shape and type fit.
        matchColor, singlePointColor: (blue, green, red); None or -1: one for each.
        matchesMask: 0: the match is not drawn.
        flags: Sum of DRAW_MATCHES_FLAGS.

    Returns:
        uint8, shape (max(H1, H2), W1 + W2, 3), in the order BGR.

    Raises:
        ValueError: If a match has no keypoint, or matchesMask another length than matches1to2.
    """
    first, second = _canvas(img1, "img1"), _canvas(img2, "img2")
    canvas = _side_by_side(first, second, outImg, whole(flags, "flags"), "outImg")
    x1, x2 = places(keypoints1, "keypoints1"), places(keypoints2, "keypoints2") + [first.shape[1], 0]
    for number, match in enumerate(matches1to2):
        if not hasattr(match, "queryIdx"):
            raise TypeError(f"matches1to2[{number}]: {shown(match)}, must be a DMatch")
    chosen = np.ones(len(matches1to2), bool) if is_empty(matchesMask) else np.asarray(matchesMask).ravel() != 0
    if len(chosen) != len(matches1to2):
        raise ValueError(f"matchesMask: {len(chosen)} flags, but matches1to2 has {len(matches1to2)}")
    if not flags & DRAW_MATCHES_FLAGS_NOT_DRAW_SINGLE_POINTS:
        for keypoints, x in ((keypoints1, x1), (keypoints2, x2)):
            for i, (keypoint, at) in enumerate(zip(keypoints, x)):
                _keypoint(canvas, keypoint, at, _colour(singlePointColor, i, "singlePointColor"), flags)
    for number, (match, is_drawn) in enumerate(zip(matches1to2, chosen)):
        i, j = match.queryIdx, match.trainIdx
        if not (0 <= i < len(x1) and 0 <= j < len(x2)):
            raise ValueError(f"matches1to2[{number}]: {i} and {j}, must be below {len(x1)} and {len(x2)}, the numbers of keypoints")
        if is_drawn and np.isfinite(x1[i]).all() and np.isfinite(x2[j]).all():
            colour = _colour(matchColor, number, "matchColor")
            _keypoint(canvas, keypoints1[i], x1[i], colour, flags)
            _keypoint(canvas, keypoints2[j], x2[j], colour, flags)
            _line(canvas, x1[i], x2[j], colour)
    return canvas if flags & DRAW_MATCHES_FLAGS_DRAW_OVER_OUTIMG else _cv.output(canvas, outImg, "outImg")


def drawKeypoints(image: Given, keypoints: Sequence[Any], outImage: Any, color: Any = None, flags: int = DRAW_MATCHES_FLAGS_DEFAULT) -> Array:
    """Draws keypoints on an image with smooth edges.

    Args:
        image: uint8, shape (H, W), or (H, W, 3) in the order BGR.
        keypoints: KeyPoint, of cv2 or `bifocal.cv`.
        outImage: Drawn over with DRAW_MATCHES_FLAGS_DRAW_OVER_OUTIMG, otherwise filled with the result if shape and type fit.
        color: (blue, green, red); None or -1: evenly spread hues.
        flags: Sum of DRAW_MATCHES_FLAGS.

    Returns:
        uint8, shape (H, W, 3), in the order BGR.
    """
    over = bool(whole(flags, "flags") & DRAW_MATCHES_FLAGS_DRAW_OVER_OUTIMG)
    canvas = _side_by_side(_canvas(image, "image"), np.zeros((0, 0, 3), np.uint8), outImage, int(over), "outImage")
    for i, (keypoint, at) in enumerate(zip(keypoints, places(keypoints))):
        _keypoint(canvas, keypoint, at, _colour(color, i, "color"), flags)
    return canvas if over else _cv.output(canvas, outImage, "outImage")
