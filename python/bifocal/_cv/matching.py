"""OpenCV's BFMatcher."""

from __future__ import annotations

from typing import Any, Iterator, Tuple

import numpy as np

from .._features import match_descriptors
from .._numbers import whole
from .._options import FloatMatchOptions
from .arrays import Array, Flag, Given
from .keypoints import match_class
from .lens import is_empty

NORM_L1, NORM_L2, NORM_L2SQR, NORM_HAMMING = 2, 4, 5, 6
_NUMBERS = 4_000_000  # largest number of distances in a block
_EXACT = 1 << 24  # integers up to this are exact in float32

Rows = Tuple[Tuple[Any, ...], ...]


def _descriptors(given: Any, name: str, norm: int) -> Array:
    array = np.asarray(given)
    if array.dtype.kind not in "fiu" or array.ndim != 2:
        raise TypeError(f"{name}: {array.dtype} of shape {array.shape}, must be numbers of shape (N, D)")
    if norm == NORM_HAMMING and array.dtype != np.uint8:
        raise TypeError(f"{name}: {array.dtype}, must be uint8 for NORM_HAMMING")
    return array


def _squared(query: Array, train: Array) -> Iterator[Array]:
    """Yields blocks of squared Euclidean distances, exact for whole numbers such as SIFT's."""
    is_exact = all(a.dtype.kind in "iu" or np.array_equal(a, np.rint(a)) for a in (query, train))
    largest = max((max(abs(float(a.max())), abs(float(a.min()))) for a in (query, train) if a.size), default=0.0)
    dtype = np.dtype(np.float32 if is_exact and 2 * largest * largest * query.shape[1] < _EXACT else np.float64)
    a: Array = query.astype(dtype)
    b: Array = train.astype(dtype)
    lengths = (b * b).sum(1)
    for begin in range(0, len(a), max(1, _NUMBERS // max(1, len(b)))):
        block = a[begin : begin + max(1, _NUMBERS // max(1, len(b)))]
        yield np.maximum((block * block).sum(1)[:, None] + lengths - 2 * (block @ b.T), 0)


def _blocks(query: Array, train: Array, norm: int) -> Iterator[Array]:
    """Yields blocks of distances of shape (n, N2), or of numbers in the same order."""
    if norm in (NORM_L2, NORM_L2SQR):
        yield from _squared(query, train)
    elif norm == NORM_HAMMING:
        yield from _squared(*(np.unpackbits(a, axis=1) for a in (query, train)))
    else:
        rows = max(1, _NUMBERS // max(1, train.size))
        wide = train.astype(np.float64)
        for begin in range(0, len(query), rows):
            yield np.abs(query[begin : begin + rows, None].astype(np.float64) - wide).sum(2)


def _distances(query: Array, train: Array, norm: int) -> Array:
    """Returns the distance between corresponding rows."""
    if norm == NORM_HAMMING:
        return np.asarray(np.unpackbits(np.bitwise_xor(query, train).astype(np.uint8), axis=-1).sum(-1), np.float32)
    difference = query.astype(np.float64) - train.astype(np.float64)
    if norm == NORM_L1:
        return np.asarray(np.abs(difference).sum(-1), np.float32)
    squared = (difference**2).sum(-1)
    return np.asarray(squared if norm == NORM_L2SQR else np.sqrt(squared), np.float32)


def nearest(query: Array, train: Array, k: int, norm: int, mask: Array | None = None) -> tuple[Array, Array]:
    """Returns indices (N, k) of the nearest rows of `train`, sorted by distance and index, and their distances; index -1 for missing rows."""
    indices = np.full((len(query), k), -1)
    begin = 0
    for block in _blocks(query, train, norm) if len(train) else ():
        end = begin + len(block)
        if mask is not None:
            block = np.where(mask[begin:end] != 0, block, np.inf)
        rows = np.arange(len(block))
        for column in range(min(k, len(train))):
            best = block.argmin(1)
            indices[begin:end, column] = np.where(np.isfinite(block[rows, best]), best, -1)
            block[rows, best] = np.inf
        begin = end
    if not len(train):
        return indices, np.zeros(indices.shape, np.float32)
    return indices, _distances(query[:, None], train[np.maximum(indices, 0)], norm)


class BFMatcher:
    """Exact matcher of descriptors with the nearest descriptors of another image.

    Indices and distances are OpenCV's. `bifocal.match` and `bifocal.match_descriptors` add the ratio test and return arrays instead of objects.

    Args:
        normType: NORM_L1, NORM_L2, NORM_L2SQR or NORM_HAMMING.
        crossCheck: Keeps only mutual nearest neighbours.

    Raises:
        ValueError: If the norm is unknown.
    """

    def __init__(self, normType: int = NORM_L2, crossCheck: Flag = False) -> None:
        if whole(normType, "normType") not in (NORM_L1, NORM_L2, NORM_L2SQR, NORM_HAMMING):
            raise ValueError(f"normType = {normType}, must be NORM_L1, NORM_L2, NORM_L2SQR or NORM_HAMMING (2, 4, 5, 6)")
        self._norm, self._cross_check = int(normType), bool(crossCheck)

    def __repr__(self) -> str:
        return f"BFMatcher(normType={self._norm}, crossCheck={self._cross_check})"

    @staticmethod
    def create(normType: int = NORM_L2, crossCheck: Flag = False) -> BFMatcher:
        """Makes a matcher, as the constructor does.

        Args:
            normType: NORM_L1, NORM_L2, NORM_L2SQR or NORM_HAMMING.
            crossCheck: Keeps only mutual nearest neighbours.

        Returns:
            BFMatcher with these arguments.
        """
        return BFMatcher(normType, crossCheck)

    def match(self, queryDescriptors: Given, trainDescriptors: Given, mask: Given | None = None) -> tuple[Any, ...]:
        """Finds the nearest descriptor for each query descriptor.

        Args:
            queryDescriptors, trainDescriptors: Numbers of shape (N, D); uint8 for NORM_HAMMING.
            mask: uint8, shape (N1, N2); 0: the match is not allowed.

        Returns:
            A tuple of DMatch in the order of the query (of cv2 if cv2 is imported); with crossCheck only mutual nearest neighbours.
        """
        return tuple(m for row in self.knnMatch(queryDescriptors, trainDescriptors, 1, mask) for m in row)

    def knnMatch(self, queryDescriptors: Given, trainDescriptors: Given, k: int, mask: Given | None = None, compactResult: Flag = False) -> Rows:
        """Finds the k nearest descriptors for each query descriptor.

        Args:
            queryDescriptors, trainDescriptors: Numbers of shape (N, D); uint8 for NORM_HAMMING.
            k: Number of matches; 1 with crossCheck.
            mask: uint8, shape (N1, N2); 0: the match is not allowed.
            compactResult: Leaves out the rows without matches.

        Returns:
            For each query descriptor a tuple of at most k DMatch, the nearest first.

        Raises:
            ValueError: If shapes do not fit, or crossCheck is used with k above 1 or a mask, as in OpenCV.
        """
        query, train = _descriptors(queryDescriptors, "queryDescriptors", self._norm), _descriptors(trainDescriptors, "trainDescriptors", self._norm)
        if query.shape[1] != train.shape[1] and len(query) and len(train):
            raise ValueError(f"trainDescriptors: {train.shape[1]} numbers each, but queryDescriptors has {query.shape[1]}")
        k, allowed = whole(k, "k"), None if is_empty(mask) else np.asarray(mask)
        if k < 1 or (self._cross_check and (k > 1 or allowed is not None)):
            raise ValueError(f"k = {k}, must be 1 or more, and 1 and without a mask with crossCheck")
        if allowed is not None and allowed.shape != (len(query), len(train)):
            raise ValueError(f"mask: shape {allowed.shape}, must be ({len(query)}, {len(train)})")
        indices, distances = self._find(query, train, k, allowed)
        make = match_class()
        rows = [
            tuple(make(i, j, 0, d) for j, d in zip(row, values) if j >= 0)
            for i, (row, values) in enumerate(zip(indices.tolist(), distances.tolist()))
        ]
        return tuple(row for row in rows if row or not compactResult)

    def _find(self, query: Array, train: Array, k: int, allowed: Array | None) -> tuple[Array, Array]:
        if k > 1 or allowed is not None or not len(query) or not len(train):
            return nearest(query, train, k, self._norm, allowed)
        if self._norm == NORM_L2 and query.shape[1] > 0:
            options = FloatMatchOptions(normalise=False, mutual=self._cross_check)
            pairs = match_descriptors(query.astype(np.float32), train.astype(np.float32), options).indices
            indices = np.full((len(query), 1), -1)
            indices[pairs[:, 0], 0] = pairs[:, 1]
        else:
            indices, _ = nearest(query, train, 1, self._norm)
            if self._cross_check:
                back, _ = nearest(train, query, 1, self._norm)
                indices = np.where(back[indices[:, 0]] == np.arange(len(query))[:, None], indices, -1)
        return indices, _distances(query[:, None], train[np.maximum(indices, 0)], self._norm)
