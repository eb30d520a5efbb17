"""Arrays in CUDA memory that the driver allocates. Needs a package built with CUDA and a GPU. Torch and CuPy are tested in test_cuda_frames.py."""

import ctypes

import numpy as np
import pytest
from dlpack import DeviceArray
from scenes import K, Scene

import bifocal

if not any(d["kind"] == "cuda" for d in bifocal.devices()):
    pytest.skip("no CUDA device, or a package without CUDA", allow_module_level=True)

SCENES = [Scene(n=n, seed=n) for n in (300, 500, 200)]
ROWS = np.concatenate([s.rows for s in SCENES])
OFFSETS = np.cumsum([0] + [len(s.rows) for s in SCENES])
HOST = bifocal.estimate_batch("essential", ROWS, OFFSETS, cameras1=K, device="cuda:0")


class CudaArray(DeviceArray):
    """Array float64 [N, columns] that the driver allocates on cuda:0, as DLPack capsule."""

    def __init__(self, values):
        driver = ctypes.CDLL("libcuda.so.1")
        context, address = ctypes.c_void_p(), ctypes.c_uint64()
        values = np.ascontiguousarray(values)
        for status in (
            driver.cuInit(0),
            driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0),
            driver.cuCtxSetCurrent(context),
            driver.cuMemAlloc_v2(ctypes.byref(address), ctypes.c_size_t(values.nbytes)),
            driver.cuMemcpyHtoD_v2(address, ctypes.c_void_p(values.ctypes.data), ctypes.c_size_t(values.nbytes)),
        ):
            assert status == 0
        super().__init__(address.value, values.shape, values.itemsize)


def same(found):
    assert found.ok.all() and np.array_equal(found.models, HOST.models) and np.array_equal(found.inliers, HOST.inliers)
    assert np.array_equal(found.t, HOST.t)


def batch(points, **more):
    return bifocal._core.estimate_batch("essential", points, OFFSETS, K, None, more.get("weights"), None, None, more.get("device"))


def test_points_on_the_device_are_read_there():
    points = CudaArray(ROWS)
    same(batch(points))
    same(batch(points, device="cuda:0"))
    same(batch(points, weights=CudaArray(np.ones(len(ROWS)))))


def test_device_and_framework_have_to_fit():
    points = CudaArray(ROWS)
    with pytest.raises(ValueError, match="points: in the memory of cuda:0, but device is 'cpu'"):
        batch(points, device="cpu")
    with pytest.raises(TypeError, match="points: float32, must be contiguous float64"):
        batch(CudaArray(ROWS.astype(np.float32)))
    with pytest.raises(TypeError, match="only those of torch and cupy"):
        bifocal.estimate_batch("essential", points, OFFSETS, cameras1=K)


def test_one_pair_and_features_on_the_gpu():
    s = SCENES[0]
    here, there = (bifocal.estimate_relative_pose(s.x1, s.x2, K, device=d) for d in ("cpu", "cuda:0"))
    assert there.ok and np.abs(here.R - there.R).max() < 1e-5


def test_stereo_is_that_of_the_cpu():
    rng = np.random.default_rng(0)
    left = np.repeat(np.repeat(rng.integers(0, 255, (40, 80), dtype=np.uint8), 4, 0), 4, 1)
    right = np.roll(left, -8, 1)
    here, there = (bifocal.stereo(left, right, device=d) for d in ("cpu", "cuda:0"))
    assert np.array_equal(here.raw, there.raw, equal_nan=True) and np.array_equal(here.filled, there.filled)
