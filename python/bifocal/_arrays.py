"""Types of arrays, the framework that results are given in, and the order of work on a GPU."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any, Protocol, Union

if TYPE_CHECKING:
    from numpy.typing import ArrayLike as NumpyArrayLike
    from numpy.typing import NDArray

    class DLPackArray(Protocol):
        """An array of any framework."""

        def __dlpack__(self, *, stream: Any = None) -> Any: ...

    ArrayLike = Union[NumpyArrayLike, DLPackArray]
else:
    ArrayLike = Any

_CUDA = {2, 13}  # kDLCUDA, kDLCUDAManaged


class Frame(Protocol):
    """A framework and a device of its: where the results of a call go. None stands for NumPy."""

    def empty(self, shape: tuple[int, ...], dtype: str) -> Any:
        """An array that nobody has written to."""

    def from_host(self, array: NDArray[Any]) -> Any:
        """NumPy's array as one of the frame: on the host the same memory, on a GPU a copy."""

    def join(self, left: Any, right: Any) -> Any:
        """Rows of float64 of the columns of both (of `left` alone where `right` is None); left itself where it is that already."""

    def to_host(self, array: Any) -> Any:
        """A copy for NumPy."""

    def float_rows(self, rows: Any, normalise: bool) -> Any:
        """Descriptors as dense float32, of unit length where that is wanted, and the squares of their lengths; None where one is not finite."""

    def known_percent(self, disparities: Any) -> float:
        """The percentage of pixels that are no NaN."""

    def wait(self) -> None:
        """Until the work is done that was given to the device's current stream.

        Bifocal works on streams of its own, which wait for nobody. When a call returns, its work is done: its results can be used on
        any stream.
        """


class TorchFrame:
    def __init__(self, device: Any) -> None:
        self._torch = sys.modules["torch"]
        self._device = device

    def empty(self, shape: tuple[int, ...], dtype: str) -> Any:
        return self._torch.empty(shape, dtype=getattr(self._torch, dtype), device=self._device)

    def from_host(self, array: NDArray[Any]) -> Any:
        return self._torch.from_numpy(array).to(self._device)

    def join(self, left: Any, right: Any) -> Any:
        torch = self._torch
        rows = left if right is None else torch.cat([left.to(torch.float64), right.to(torch.float64)], 1)
        return rows.to(torch.float64).contiguous()

    def to_host(self, array: Any) -> Any:
        return array.cpu()

    def float_rows(self, rows: Any, normalise: bool) -> Any:
        wide = rows.detach().to(self._torch.float64)
        if not wide.isfinite().all():
            return None
        if normalise:
            length = wide.norm(dim=1, keepdim=True)
            wide = wide / length.where(length > 0, 1)
        values = wide.to(self._torch.float32).contiguous()
        return values, values.to(self._torch.float64).square().sum(1).to(self._torch.float32)

    def known_percent(self, disparities: Any) -> float:
        return 100 * float((~disparities.isnan()).double().mean())

    def wait(self) -> None:
        if self._device.type == "cuda":
            self._torch.cuda.current_stream(self._device).synchronize()


class CupyFrame:
    def __init__(self, device: Any) -> None:
        self._cupy = sys.modules["cupy"]
        self._device = device

    def empty(self, shape: tuple[int, ...], dtype: str) -> Any:
        with self._device:
            return self._cupy.empty(shape, dtype)

    def from_host(self, array: NDArray[Any]) -> Any:
        with self._device:
            return self._cupy.asarray(array)

    def join(self, left: Any, right: Any) -> Any:
        with self._device:
            rows = left if right is None else self._cupy.concatenate([left.astype("float64"), right.astype("float64")], 1)
            return self._cupy.ascontiguousarray(rows, "float64")

    def to_host(self, array: Any) -> Any:
        return self._cupy.asnumpy(array)

    def float_rows(self, rows: Any, normalise: bool) -> Any:
        with self._device:
            wide = rows.astype("float64")
            if not self._cupy.isfinite(wide).all():
                return None
            if normalise:
                length = self._cupy.linalg.norm(wide, axis=1, keepdims=True)
                wide = wide / self._cupy.where(length > 0, length, 1)
            values = self._cupy.ascontiguousarray(wide, "float32")
            return values, self._cupy.square(values.astype("float64")).sum(1).astype("float32")

    def known_percent(self, disparities: Any) -> float:
        with self._device:
            return 100 * float((~self._cupy.isnan(disparities)).mean())

    def wait(self) -> None:
        with self._device:
            self._cupy.cuda.get_current_stream().synchronize()


def frame_of(*arrays: object) -> Frame | None:
    """That of the first array that is a tensor of torch or an array of CuPy; None for arrays of NumPy, lists and other frameworks' on the host.

    Work that later ones wait for is awaited at once.
    """
    frame: Frame | None = None
    for array in arrays:
        if array is None or type(array).__module__ == "numpy":
            continue
        torch = sys.modules.get("torch")
        if torch is not None and isinstance(array, torch.Tensor):
            own: Frame = TorchFrame(array.device)
        elif (cupy := sys.modules.get("cupy")) is not None and isinstance(array, cupy.ndarray):
            own = CupyFrame(array.device)
        elif _is_on_cuda(array):
            framework = type(array).__module__.partition(".")[0]
            raise TypeError(f"CUDA arrays of {framework}: only those of torch and cupy can be waited for; synchronise and convert them")
        else:
            continue
        if frame is None:
            frame = own
        else:
            own.wait()
    return frame


def _is_on_cuda(array: object) -> bool:
    where = getattr(array, "__dlpack_device__", None)
    return where is not None and where()[0] in _CUDA


def rgb_of(image: Any, is_bgr: bool) -> Any:
    """Returns an image with its first three channels reversed if `is_bgr`; grey images and names of files stay as they are."""
    if not is_bgr or isinstance(image, (str, bytes, os.PathLike)):
        return image
    array = image if hasattr(image, "shape") and hasattr(image, "__getitem__") else _numpy_array(image)
    if len(array.shape) != 3 or array.shape[2] < 3:
        return array
    return array[:, :, [2, 1, 0, *range(3, array.shape[2])]]


def _numpy_array(image: Any) -> Any:
    import numpy

    return numpy.from_dlpack(image) if hasattr(image, "__dlpack__") else numpy.asarray(image)
