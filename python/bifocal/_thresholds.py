"""Keyword `threshold` of the estimators."""

from __future__ import annotations

from dataclasses import replace

from ._options import RobustOptions


def with_threshold(options: RobustOptions | None, threshold: float | None, name: str = "options") -> RobustOptions | None:
    """Returns the options, with another threshold in px if one is given. Errors call the options `name`."""
    if threshold is None:
        return options
    if options is not None and not isinstance(options, RobustOptions):
        raise TypeError(f"{name}: {type(options).__name__}, must be RobustOptions")
    return replace(options if options is not None else RobustOptions(), threshold=threshold)
