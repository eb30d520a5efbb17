"""Devices and threads for computations."""

from __future__ import annotations

from types import TracebackType
from typing import Any

from . import _core
from ._numbers import whole_from

__all__ = ["devices", "missing_devices", "threads"]


def devices() -> list[dict[str, Any]]:
    """Lists all devices of this machine that this build can use, the CPU first.

    Returns:
        One dictionary for each device: `id` (the value for `device=`), kind, name, driver, simd, cores, memory in bytes, has_double, is_gpu.
    """
    return _core.devices()


def missing_devices() -> list[dict[str, str]]:
    """Lists the kinds of devices that are not available on this machine or in this build.

    Returns:
        One dictionary for each kind: `kind`, `reason` and `remedy`, the step that would make it available.
    """
    return _core.missing_devices()


def device_id(device: str | None) -> str | None:
    """Checks an argument `device`.

    Args:
        device: Name of a device, or None if the memory of the arrays decides.

    Returns:
        The argument.

    Raises:
        TypeError: If the argument is neither a string nor None.
    """
    if device is None or isinstance(device, str):
        return device
    raise TypeError(f"device: {device!r}, must be 'cpu', 'cuda:0', 'opencl:0' (devices() lists them), 'auto' or None")


class threads:
    """Context that limits the number of threads of all calls of the process: ``with bifocal.threads(1): ...``.

    Results do not depend on the number of threads.

    Args:
        count: Most threads; 0 uses all cores.
    """

    def __init__(self, count: int) -> None:
        """Sets the number of threads of the context.

        Args:
            count: Most threads; 0 uses all cores.
        """
        self._count = whole_from(count, "count", 0)
        self._limit: _core.ThreadLimit | None = None

    def __repr__(self) -> str:
        return f"threads({self._count})"

    def __enter__(self) -> threads:
        """Applies the limit until the end of the context."""
        self._limit = _core.ThreadLimit(self._count)
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None) -> None:
        """Restores the previous limit."""
        self._limit = None
