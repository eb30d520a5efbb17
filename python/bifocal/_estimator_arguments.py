"""Arguments of estimators: the keyword `threshold`, and padded batches, arrays [B, N, 2] with a mask, as rows and offsets of `estimate_batch`."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ._numbers import host_array
from ._options import RobustOptions

if TYPE_CHECKING:
    from ._arrays import ArrayLike


def _library(array: Any) -> Any:
    """Returns the module that has `concatenate` for this array: torch, cupy, jax.numpy or NumPy."""
    root = type(array).__module__.split(".")[0]
    if root in ("torch", "cupy"):
        return sys.modules[root]
    if root in ("jax", "jaxlib"):
        return sys.modules["jax.numpy"]
    import numpy

    return numpy


def rows_of_padded(points: ArrayLike, x2: ArrayLike | None, mask: ArrayLike | None) -> tuple[Any, Any]:
    """Returns rows and offsets of B pairs with N matches each.

    Args:
        points: Shape (B, N, D); image 1 alone, (B, N, 2), if x2 is given.
        x2: Positions in image 2 (or scene points), shape (B, N, 2 or 3).
        mask: True for valid matches, shape (B, N).

    Raises:
        ValueError: If the shapes do not belong together.
    """
    import numpy

    library = _library(points)
    if library is numpy:
        points = host_array(points, "points")
        x2 = None if x2 is None else host_array(x2, "x2")
    shape = tuple(points.shape)  # type: ignore[union-attr]
    if len(shape) != 3:
        raise ValueError(f"points: shape {shape}, must be (B, N, D) without offsets")
    if x2 is not None:
        if tuple(x2.shape)[:2] != shape[:2]:  # type: ignore[union-attr]
            raise ValueError(f"x2: shape {tuple(x2.shape)}, must begin with {shape[:2]}")  # type: ignore[union-attr]
        points = library.concatenate([points, x2], -1)
    batch, count, width = tuple(points.shape)  # type: ignore[union-attr]
    rows = points.reshape(batch * count, width)  # type: ignore[union-attr]
    if mask is None:
        return rows, numpy.arange(batch + 1, dtype=numpy.int64) * count
    kept = host_array(mask, "mask") if library is numpy else library.asarray(mask)
    if not str(kept.dtype).removeprefix("torch.").startswith("bool"):
        raise TypeError(f"mask: dtype {kept.dtype}, must be bool")
    if tuple(kept.shape) != (batch, count):
        raise ValueError(f"mask: shape {tuple(kept.shape)}, must be {(batch, count)}")
    counts = numpy.asarray([int(n) for n in kept.reshape(batch, count).sum(-1)])
    return rows[kept.reshape(-1)], numpy.concatenate([[0], numpy.cumsum(counts)]).astype(numpy.int64)


def with_threshold(options: RobustOptions | None, threshold: float | None, name: str = "options") -> RobustOptions | None:
    """Returns the options, with another threshold in px if one is given. Errors call the options `name`."""
    if threshold is None:
        return options
    if options is not None and not isinstance(options, RobustOptions):
        raise TypeError(f"{name}: {type(options).__name__}, must be RobustOptions")
    return replace(options if options is not None else RobustOptions(), threshold=threshold)
