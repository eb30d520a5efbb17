"""Numeric arguments: a value that is not a number raises a TypeError that names the argument."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import NDArray


def reals(value: Any, name: str) -> NDArray[Any]:
    """Returns a float64 array from floats or integers; TypeError with the argument's name for other types."""
    import numpy as np

    try:
        array = np.asarray(value)
    except (ValueError, TypeError, RuntimeError):
        raise TypeError(f"{name}: {type(value).__name__}, must be numbers") from None
    if array.dtype.kind not in "fiu" and array.size > 0:
        raise TypeError(f"{name}: {type(value).__name__} of dtype {array.dtype}, must be numbers")
    return array.astype(np.float64, copy=False)


def number(value: Any, name: str) -> float:
    """Returns a float; TypeError with the argument's name for other types."""
    import numpy as np

    try:
        if isinstance(value, (str, bytes)) or np.shape(value) != ():
            raise TypeError
        return float(value)
    except (TypeError, ValueError, OverflowError, RuntimeError):
        raise TypeError(f"{name}: {type(value).__name__}, must be a number") from None


def whole(value: Any, name: str) -> int:
    """Returns an integer; ValueError with the argument's name for other numbers."""
    if not number(value, name).is_integer():
        raise ValueError(f"{name} = {value}, must be a whole number")
    return int(value)


def whole_from(value: Any, name: str, least: int, most: int = 2**31 - 1) -> int:
    """Returns an integer from `least` to `most`; ValueError with the argument's name for other numbers."""
    n = whole(value, name)
    if not least <= n <= most:
        raise ValueError(f"{name} = {value}, must be {least} to {most}")
    return n
