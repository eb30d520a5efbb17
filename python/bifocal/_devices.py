"""Devices and threads, which say where to compute."""

from __future__ import annotations

from types import TracebackType
from typing import Any

from . import _core

__all__ = ["devices", "missing_devices", "threads"]


def devices() -> list[dict[str, Any]]:
    """Every device of this machine that this build can use, the CPU first: its `id` is what `device=` takes."""
    return _core.devices()


def missing_devices() -> list[dict[str, str]]:
    """Kinds of devices that there are none of, why, and what would bring them."""
    return _core.missing_devices()


def device_id(device: str | None) -> str | None:
    """The name of a device, None where the arrays decide. TypeError for anything else, with the argument's name."""
    if device is None or isinstance(device, str):
        return device
    raise TypeError(f"device: {device!r}, must be 'cpu', 'cuda:0', 'opencl:0' (devices() lists them) or None")


class threads:
    """``with bifocal.threads(1): ...``: in it, all calls of the process use at most that many threads (0: all cores).

    Results never depend on it.
    """

    def __init__(self, count: int) -> None:
        self._count = count
        self._limit: _core.ThreadLimit | None = None

    def __repr__(self) -> str:
        return f"threads({self._count})"

    def __enter__(self) -> threads:
        self._limit = _core.ThreadLimit(self._count)
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None) -> None:
        self._limit = None
