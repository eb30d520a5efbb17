"""Array libraries of arguments and results, and the order of work on a GPU."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any, Protocol, Union

if TYPE_CHECKING:
    from numpy.typing import ArrayLike as NumpyArrayLike
    from numpy.typing import NDArray

    class DLPackArray(Protocol):
        """Array of any library that implements DLPack."""

        def __dlpack__(self, *, stream: Any = None) -> Any: ...

    ArrayLike = Union[NumpyArrayLike, DLPackArray]
else:
    ArrayLike = Any

_CUDA = {2, 13}  # kDLCUDA, kDLCUDAManaged


def numpy_of(values: ArrayLike) -> Any:
    """Returns an array as NumPy array; tensors of torch are detached, and arrays on a device are copied to the host."""
    import numpy as np

    if hasattr(values, "detach"):  # torch
        tensor: Any = values.detach().cpu()
        values = tensor.float() if str(tensor.dtype) == "torch.bfloat16" else tensor  # NumPy has no such type
    elif hasattr(values, "get") and hasattr(values, "device"):  # CuPy
        values = values.get()
    return np.asarray(values)


class Frame(Protocol):
    """Array library and device of the results of a call. None stands for NumPy."""

    def empty(self, shape: tuple[int, ...], dtype: str) -> Any:
        """Returns an uninitialised array."""

    def from_host(self, array: NDArray[Any]) -> Any:
        """Converts an array of NumPy: on the host it shares its memory, on a GPU it is a copy."""

    def join(self, left: Any, right: Any) -> Any:
        """Returns dense float64 rows with the columns of both arrays, or of `left` alone if `right` is None; `left` itself if it already is that."""

    def to_host(self, array: Any) -> Any:
        """Returns a copy in host memory that NumPy can read."""

    def float_rows(self, rows: Any, normalise: bool) -> Any:
        """Returns descriptors as dense float32, of unit length if `normalise`, and their squared lengths; None if one is not finite."""

    def known_percent(self, disparities: Any) -> float:
        """Returns the percentage of pixels that are not NaN."""

    def wait(self) -> None:
        """Waits until the work on the device's current stream is done.

        Bifocal uses streams of its own, which do not wait for other streams. When a call returns, its work is done: its results can be used on
        any stream.
        """


class TorchFrame:
    """Frame of torch."""

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
    """Frame of CuPy."""

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
    """Returns the frame of the first tensor of torch or array of CuPy; None for NumPy, lists and host arrays of other libraries.

    Pending work on every further tensor is awaited at once. CUDA arrays of other libraries raise TypeError.
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
    """Returns an image with its first three channels reversed if `is_bgr`; grey images and names of files are returned unchanged."""
    if not is_bgr or isinstance(image, (str, bytes, os.PathLike)):
        return image
    try:
        array = image if hasattr(image, "shape") and hasattr(image, "__getitem__") else _numpy_array(image)
    except (ValueError, TypeError, RuntimeError):
        return image  # no image; the functions of images refuse it by name
    if len(array.shape) != 3 or array.shape[2] < 3:
        return array
    return array[:, :, [2, 1, 0, *range(3, array.shape[2])]]


def _numpy_array(image: Any) -> Any:
    import numpy

    return numpy.from_dlpack(image) if hasattr(image, "__dlpack__") else numpy.asarray(image)
