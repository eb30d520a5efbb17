"""Common interface to torch and CuPy for test_cuda_frames.py."""

import contextlib

import numpy as np


class Torch:
    name = "torch"

    def __init__(self):
        import torch

        assert torch.cuda.is_available()
        self.module = torch

    def put(self, values):
        return self.module.from_numpy(np.ascontiguousarray(values)).cuda()

    def get(self, array):
        return array.cpu().numpy()

    def is_there(self, array):
        return isinstance(array, self.module.Tensor) and array.device == self.module.device("cuda:0")

    def address(self, array):
        return array.data_ptr()

    @contextlib.contextmanager
    def side_stream(self):
        side = self.module.cuda.Stream()
        with self.module.cuda.stream(side):
            yield side

    def is_idle(self, stream):
        return stream.query()

    def slow_zero(self):
        """Returns 0, computed after some hundred milliseconds of work on the current stream."""
        slow = self.module.full((6000, 6000), 1e-4, device="cuda")
        for _ in range(60):
            slow = (slow @ slow) * 1e-2
        return 0 * slow.nan_to_num(0, 0, 0).sum()

    def empty_like(self, array):
        return self.module.zeros_like(array)

    def add_scalar(self, array, scalar):
        array += scalar.to(array.dtype)


class Cupy:
    name = "cupy"

    def __init__(self):
        import cupy

        assert cupy.cuda.runtime.getDeviceCount() > 0
        self.module = cupy

    def put(self, values):
        return self.module.asarray(np.ascontiguousarray(values))

    def get(self, array):
        return self.module.asnumpy(array)

    def is_there(self, array):
        return isinstance(array, self.module.ndarray) and array.device.id == 0

    def address(self, array):
        return array.data.ptr

    @contextlib.contextmanager
    def side_stream(self):
        side = self.module.cuda.Stream(non_blocking=True)
        with side:
            yield side

    def is_idle(self, stream):
        return stream.done

    def slow_zero(self):
        slow = self.module.full((6000, 6000), 1e-4, "float32")
        for _ in range(60):
            slow = (slow @ slow) * 1e-2
        return 0 * self.module.nan_to_num(slow, nan=0, posinf=0, neginf=0).sum()

    def empty_like(self, array):
        return self.module.zeros_like(array)

    def add_scalar(self, array, scalar):
        array += scalar.astype(array.dtype)


def installed():
    """Returns the array libraries that are installed and see a GPU."""
    found = []
    for kind in (Torch, Cupy):
        with contextlib.suppress(Exception):  # ImportError, or a missing driver
            found.append(kind())
    return found
