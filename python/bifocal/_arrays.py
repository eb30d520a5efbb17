"""Types of arrays, and the order of work on a GPU."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Protocol, Union

if TYPE_CHECKING:
    from numpy.typing import ArrayLike as NumpyArrayLike

    class DLPackArray(Protocol):
        """An array of any framework."""

        def __dlpack__(self, *, stream: Any = None) -> Any: ...

    ArrayLike = Union[NumpyArrayLike, DLPackArray]
else:
    ArrayLike = Any

_CUDA = {2, 13}  # kDLCUDA, kDLCUDAManaged


def await_arrays(*arrays: object) -> None:
    """Waits until work on CUDA arrays that the caller's framework has begun on its current stream is done.

    Bifocal works on streams of its own, which wait for nobody. When a call returns, its work is done.
    """
    for array in arrays:
        where = getattr(array, "__dlpack_device__", None)
        if where is None or where()[0] not in _CUDA:
            continue
        framework = type(array).__module__.partition(".")[0]
        if framework == "torch":
            sys.modules["torch"].cuda.current_stream(getattr(array, "device")).synchronize()
        elif framework == "cupy":
            with getattr(array, "device"):
                sys.modules["cupy"].cuda.get_current_stream().synchronize()
        else:
            raise TypeError(f"CUDA arrays of {framework}: only those of torch and cupy can be waited for; synchronise and convert them")
