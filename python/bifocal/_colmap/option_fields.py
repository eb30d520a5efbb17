"""Fields of pycolmap's options."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .._numbers import shown


def fields_of(options: Any, name: str, kind: str) -> dict[str, Any]:
    """Returns the fields of a dictionary or an object of pycolmap; none of None. Raises TypeError that calls the options `name`."""
    if options is None:
        return {}
    if not isinstance(options, Mapping) and not hasattr(options, "todict"):
        raise TypeError(f"{name}: {shown(options)}, must be a dictionary or {kind}")
    return dict(options if isinstance(options, Mapping) else options.todict())


def is_value(value: Any, wanted: Any) -> bool:
    """Returns True if an option has this value; arrays have none."""
    return type(value) in (bool, int, float) and value == wanted
