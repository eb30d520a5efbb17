"""Keypoints for matchers without a detector (RoMa, LoFTR, DUSt3R): nearby points of one image become one keypoint, so that tracks arise over pairs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from .._numbers import reals, shown

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from .._arrays import ArrayLike



def _points_of(pair: Any, given: Any) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Returns the finite coordinates of both images of a pair."""
    import numpy as np

    if not isinstance(pair, tuple) or len(pair) != 2:
        raise ValueError(f"matches: {shown(pair)}, must be a pair of names")
    if not isinstance(given, (tuple, list)) or len(given) != 2:
        raise ValueError(f"matches of {pair}: {shown(given)}, must be x1 and x2")
    a, b = (reals(x, f"matches of {pair}") for x in given)
    if a.ndim != 2 or a.shape[1] != 2 or a.shape != b.shape:
        raise ValueError(f"matches of {pair}: shapes {a.shape} and {b.shape}, must both be (N, 2)")
    finite = np.isfinite(a).all(1) & np.isfinite(b).all(1)
    return a[finite], b[finite]


def shared_keypoints(
    matches: Mapping[tuple[str, str], tuple[ArrayLike, ArrayLike]], cell: float = 4.0
) -> tuple[dict[str, NDArray[np.float64]], dict[tuple[str, str], NDArray[np.int64]]]:
    """Makes keypoints and index matches from the coordinates that a matcher without a detector returns for each pair.

    Points of one image in the same cell of a square grid become one keypoint at their mean, so that the error is below the cell's diagonal. If
    several matches of a pair join the same two cells, one remains; a cell that matches several cells of the other image keeps the most frequent.

    Args:
        matches: x1 and x2 in px, shape (N, 2) each, NumPy or torch, for each pair of image names. Rows with NaN are dropped.
        cell: Side of a cell in px, above 0. Larger cells give longer tracks and less accurate keypoints.

    Returns:
        keypoints of each image, shape (K, 2), and matches of each pair, integers of shape (M, 2), as `write_pairs` takes them.

    Raises:
        ValueError: If shapes differ or `cell` is not above 0.
    """
    if not cell > 0:
        raise ValueError(f"cell: {cell}, must be above 0")
    points = {pair: _points_of(pair, given) for pair, given in matches.items()}
    ids = {name: _cells(name, points, cell) for pair in points for name in pair}
    keypoints = {name: centres for name, (_, centres) in ids.items()}
    indices = {pair: _joined(ids[pair[0]][0][pair], ids[pair[1]][0][pair]) for pair in points}
    return keypoints, indices


def _cells(
    name: str, points: Mapping[tuple[str, str], tuple[NDArray[np.float64], NDArray[np.float64]]], cell: float
) -> tuple[dict[tuple[str, str], NDArray[np.int64]], NDArray[np.float64]]:
    """Returns the keypoint of each point of the image in each pair, and the keypoints' coordinates."""
    import numpy as np

    own = [(pair, points[pair][side]) for pair in points for side in (0, 1) if pair[side] == name]
    rows = np.concatenate([x for _, x in own]) if own else np.zeros((0, 2))
    _, number = np.unique(np.floor(rows / cell).astype(np.int64), axis=0, return_inverse=True)
    number = number.reshape(-1)
    count = np.bincount(number)
    centres = np.stack([np.bincount(number, rows[:, k]) / count for k in (0, 1)], 1) if len(rows) else rows
    ends = np.cumsum([len(x) for _, x in own])[:-1]
    return dict(zip([pair for pair, _ in own], np.split(number, ends))), centres


def _joined(one: NDArray[np.int64], two: NDArray[np.int64]) -> NDArray[np.int64]:
    """Returns the pairs of cells, each cell of either image at most once: the most frequent pairs come first."""
    import numpy as np

    pairs, count = np.unique(np.stack([one, two], 1), axis=0, return_counts=True)
    taken: tuple[set[int], set[int]] = (set(), set())
    kept = []
    for i, j in pairs[np.argsort(-count, kind="stable")].tolist():
        if i not in taken[0] and j not in taken[1]:
            taken[0].add(i)
            taken[1].add(j)
            kept.append((i, j))
    return np.asarray(sorted(kept), np.int64).reshape(-1, 2)
