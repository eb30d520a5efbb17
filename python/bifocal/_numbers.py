"""Numbers and arrays of arguments. A value that would change, and one of another kind, raise TypeError or ValueError with the argument's name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import NDArray

_LONGEST = 60


def shown(value: Any) -> str:
    """Returns a value for messages: short values as Python writes them, others by their type."""
    if isinstance(value, (tuple, list, dict, set)) and len(value) > 8:
        return f"{type(value).__name__} of {len(value)}"
    if value is None or isinstance(value, (bool, int, float, complex, str, bytes, tuple, list, dict, set)):
        text = " ".join(repr(value).split())
        return text if len(text) <= _LONGEST else f"{type(value).__name__} {text[:_LONGEST]}..."
    if (dtype := getattr(value, "dtype", None)) is not None:
        shape = tuple(getattr(value, "shape", ()))
        return f"{type(value).__name__} of dtype {str(dtype).removeprefix('torch.')} and shape {shape}" if shape else f"{value} of dtype {dtype}"
    return type(value).__name__


def is_flag(value: Any) -> bool:
    """Returns True for True and False, of NumPy also."""
    return isinstance(value, bool) or type(value).__name__ in ("bool_", "bool") and type(value).__module__ == "numpy"


def is_number(value: Any) -> bool:
    """Returns True for a real number: not a flag, not text, and not an array with dimensions."""
    if isinstance(value, (int, float)):
        return not isinstance(value, bool)
    if is_flag(value) or isinstance(value, (str, bytes, bytearray, complex)) or getattr(value, "shape", ()) != ():
        return False
    kind = str(getattr(value, "dtype", "")).removeprefix("torch.")
    return not kind.startswith(("bool", "complex", "<U", "|S", "object")) and (hasattr(value, "__float__") or hasattr(value, "__index__"))


def number(value: Any, name: str) -> float:
    """Returns a float; TypeError with the argument's name for other kinds."""
    try:
        if is_number(value):
            return float(value)
    except (TypeError, ValueError, RuntimeError):
        pass
    except OverflowError:
        raise ValueError(f"{name}: {shown(value)}, must be at most 1.8e308") from None
    raise TypeError(f"{name}: {shown(value)}, must be a number")


def whole(value: Any, name: str) -> int:
    """Returns an integer; a float must have no fraction. Flags and text are no numbers."""
    if isinstance(value, int) and not isinstance(value, bool):
        return int(value)
    if not is_number(value):
        raise TypeError(f"{name}: {shown(value)}, must be a whole number")
    if not hasattr(value, "__index__") and not number(value, name).is_integer():
        raise ValueError(f"{name} = {value}, must be a whole number")
    return int(value)


def whole_from(value: Any, name: str, least: int, most: int = 2**31 - 1) -> int:
    """Returns an integer from `least` to `most`; ValueError with the argument's name for other numbers."""
    n = whole(value, name)
    if not least <= n <= most:
        raise ValueError(f"{name} = {value}, must be {least} to {most}")
    return n


def flag(value: Any, name: str) -> bool:
    """Returns a bool; TypeError with the argument's name for other kinds, such as 0 and 1."""
    if not is_flag(value):
        raise TypeError(f"{name}: {shown(value)}, must be True or False")
    return bool(value)


def host_array(value: Any, name: str) -> NDArray[Any]:
    """Returns an array of NumPy from a list, an array or a tensor; TypeError for values that are none and for masked values."""
    import numpy as np

    from ._arrays import numpy_of

    try:
        array: NDArray[Any] = numpy_of(value)
    except (ValueError, TypeError, RuntimeError, OverflowError):
        raise TypeError(f"{name}: {shown(value)}, must be an array of numbers") from None
    if array.dtype.kind not in "biufc" and array.size > 0:
        raise TypeError(f"{name}: {shown(value)}, must be an array of numbers")
    if isinstance(value, np.ma.MaskedArray) and np.ma.is_masked(value):
        raise TypeError(f"{name}: a masked array, give {name}.filled(...) or {name}.compressed()")
    return array


def array_of(value: Any, name: str, dtype: str, shape: tuple[int, ...], remedy: str = "") -> Any:
    """Returns a contiguous array. -1 in the shape stands for any number; an empty array fits every shape that can be empty.

    Floats are rounded to the type wanted and stay finite. Integers are within its range, and neither floats nor flags.

    Args:
        value: The argument.
        name: Its name in messages.
        dtype: Type of the result.
        shape: Shape of the result.
        remedy: What to do about another type, for the message.

    Raises:
        TypeError: If the value is no array, or of a type that would be converted with a loss.
        ValueError: If the shape does not fit or a number is out of range.
    """
    import numpy as np

    given = host_array(value, name)
    wanted = np.dtype(dtype)
    if given.size == 0 and 0 not in shape and -1 in shape:
        given = np.zeros([max(n, 0) for n in shape], wanted)
    if given.ndim != len(shape) or any(want not in (-1, got) for want, got in zip(shape, given.shape)):
        text = ", ".join("N" if n == -1 else str(n) for n in shape)
        raise ValueError(f"{name}: shape {given.shape}, must be ({text}{',' if len(shape) == 1 else ''})")
    if given.dtype == wanted:
        return np.ascontiguousarray(given)
    kinds = {"b": "b", "f": "fiu"}.get(wanted.kind, "iu")
    if given.dtype.kind not in kinds or given.dtype.itemsize > 8:
        text = {"b": "bool", "f": "float64, float32 or whole numbers"}.get(wanted.kind, "whole numbers")
        raise TypeError(f"{name}: dtype {given.dtype}, must be {text}{remedy}")
    with np.errstate(over="ignore"):
        converted = np.ascontiguousarray(given, wanted)
    _refuse_changed(given, converted, name)
    return converted


def _refuse_changed(given: NDArray[Any], converted: NDArray[Any], name: str) -> None:
    """Raises ValueError with the first number that the type of the result does not hold."""
    import numpy as np

    if converted.dtype.kind == "f":
        changed = ~np.isfinite(converted) & np.isfinite(given)
        if given.dtype.kind in "iu":
            changed |= np.abs(converted) > 2.0 ** np.finfo(converted.dtype).nmant * 2
        text = f"a number of {converted.dtype}"
    else:
        limits = np.iinfo(converted.dtype)
        changed = (given < max(limits.min, np.iinfo(given.dtype).min)) | (given > min(limits.max, np.iinfo(given.dtype).max))
        text = f"{limits.min} to {limits.max}"
    if changed.any():
        at = np.unravel_index(int(np.argmax(changed)), changed.shape)
        raise ValueError(f"{name}: [{', '.join(map(str, at))}] = {given[at]}, must be {text}")


def reals(value: Any, name: str) -> NDArray[Any]:
    """Returns a float64 array of any shape from floats or integers; TypeError with the argument's name for other types."""
    import numpy as np

    array = host_array(value, name)
    if array.dtype.kind not in "fiu" and array.size > 0:
        raise TypeError(f"{name}: {type(value).__name__} of dtype {array.dtype}, must be real numbers")
    return array.astype(np.float64, copy=False)


def colours_of(value: Any, name: str, count: int) -> Any:
    """Returns uint8 colours of shape (count, 3); floats are refused, because both 0 to 1 and 0 to 255 are usual."""
    remedy = f" from 0 to 255; give numpy.uint8(numpy.round(255 * {name.split(',')[0]})) for colours from 0 to 1"
    return array_of(value, name, "uint8", (count, 3), remedy)


def indices_of(value: Any, name: str, count: int, below: int) -> Any:
    """Returns int32 indices of shape (count,) from 0 to below - 1."""
    import numpy as np

    array = array_of(value, name, "int64", (count,)) if count else np.zeros(0, np.int64)
    wrong = np.flatnonzero((array < 0) | (array >= below))
    if wrong.size:
        raise ValueError(f"{name}: [{wrong[0]}] is {array[wrong[0]]}, must be 0 to {below - 1}")
    return np.ascontiguousarray(array, np.int32)


def flags_of(value: Any, name: str, count: int) -> Any:
    """Returns uint8 flags of shape (count,) from one bool for all or one for each; indices are no flags."""
    import numpy as np

    given = host_array(value, name)
    if given.size == 0 and count == 0:
        return np.zeros(0, np.uint8)
    if given.dtype.kind != "b":
        raise TypeError(f"{name}: {shown(value)}, must be True, False or {count} booleans")
    if given.shape not in ((), (count,)):
        raise ValueError(f"{name}: shape {given.shape}, must be ({count},)")
    return np.ascontiguousarray(np.broadcast_to(given, (count,)), np.uint8)


def floats_of(values: Any, name: str) -> Any:
    """Returns a contiguous float32 array of shape (H, W)."""
    given = host_array(values, name)
    if given.ndim != 2:
        raise ValueError(f"{name}: {given.dtype} of shape {given.shape}, must be numbers of shape (H, W)")
    return array_of(given, name, "float32", given.shape)
