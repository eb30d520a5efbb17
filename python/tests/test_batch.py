"""Batches give the estimates of single calls as arrays over all pairs."""

import numpy as np
import pytest
from dlpack import DeviceArray
from scenes import K, Scene

import bifocal

SCENES = [Scene(n=n, seed=n) for n in (150, 0, 300, 3, 220)]
ROWS = np.concatenate([s.rows for s in SCENES])
OFFSETS = np.cumsum([0] + [len(s.rows) for s in SCENES])
ONE = bifocal.RobustOptions(min_inlier_ratio=0.2)


def test_batch_is_its_pairs_to_the_bit():
    found = bifocal.estimate_batch("essential", ROWS, OFFSETS, cameras1=K, options=ONE)
    assert len(found) == 5 and found.ok.tolist() == [True, False, True, False, True]
    assert found.reasons[1] == "too_few_points" and found.inliers.shape == (673,)
    for k, s in enumerate(SCENES):
        one = bifocal.estimate_relative_pose(s.x1, s.x2, K, options=ONE)
        assert np.array_equal(found.models[k], one.model) and np.array_equal(found.R[k], one.R)
        assert np.array_equal(found.t[k], one.t)
        assert np.array_equal(found.inliers[OFFSETS[k] : OFFSETS[k + 1]], one.inliers)
        for name in ("num_inliers", "iterations", "rms", "noise", "score", "significance"):
            assert getattr(found, name)[k] == getattr(one, name), name


def test_parts_do_not_show():
    """A batch that is processed in parts gives the results of its separate parts."""
    s = Scene(n=30, plane=True)
    rows = np.tile(s.rows, (300, 1)) + np.repeat(np.arange(300), 30)[:, None]
    offsets = np.arange(301) * 30
    whole = bifocal.estimate_batch("homography", rows, offsets)
    again = [bifocal.estimate_batch("homography", rows, offsets[a : a + 31]) for a in range(0, 300, 30)]
    assert np.array_equal(whole.models, np.concatenate([b.models for b in again]))
    assert np.array_equal(whole.inliers, np.concatenate([b.inliers for b in again]))
    assert whole.R is None and whole.ok.sum() > 250


@pytest.mark.parametrize("cameras", [np.tile([1000.0, 1000, 640, 480], (5, 1)), np.tile(K, (5, 1, 1)), [K] * 5, bifocal.Camera(1000, 1000, 640, 480)])
def test_cameras_of_pairs(cameras):
    expected = bifocal.estimate_batch("essential", ROWS, OFFSETS, cameras1=K)
    assert np.array_equal(bifocal.estimate_batch("essential", ROWS, OFFSETS, cameras1=cameras).models, expected.models)


def test_layouts_and_dtypes():
    expected = bifocal.estimate_batch("fundamental", ROWS, OFFSETS).models
    wide = np.zeros((len(ROWS), 9))
    wide[:, 1:9:2] = ROWS
    assert np.array_equal(bifocal.estimate_batch("fundamental", wide[:, 1:9:2], OFFSETS.astype(np.int32)).models, expected)
    assert np.array_equal(bifocal.estimate_batch("fundamental", ROWS, OFFSETS.tolist()).models, expected)
    weights = np.ones(len(ROWS), np.float32)
    assert np.array_equal(bifocal.estimate_batch("fundamental", ROWS, OFFSETS, weights=weights).models, expected)


def test_scene_points():
    scenes = [Scene(n=100, seed=k) for k in range(3)]
    rows = np.concatenate([np.c_[s.x2, s.X] for s in scenes])
    found = bifocal.estimate_batch("absolute_pose", rows, [0, 100, 200, 300], cameras1=K)
    assert found.ok.all()
    for k, s in enumerate(scenes):
        assert np.abs(found.R[k] - s.R).max() < 0.01 and np.abs(found.t[k] - s.t).max() < 0.1


def test_no_pairs():
    found = bifocal.estimate_batch("homography", np.zeros((0, 4)), [0])
    assert len(found) == 0 and found.models.shape == (0, 3, 3) and found.ok.shape == (0,)


def test_arrays_outlive_the_batch():
    models = bifocal.estimate_batch("fundamental", ROWS, OFFSETS).models
    expected = models.copy()
    for _ in range(20):
        bifocal.estimate_batch("fundamental", ROWS[::-1].copy(), OFFSETS)
    assert np.array_equal(models, expected)


def test_dlpack_of_another_framework():
    torch = pytest.importorskip("torch")
    expected = bifocal.estimate_batch("fundamental", ROWS, OFFSETS).models
    tensor = torch.from_numpy(ROWS)
    assert bifocal._core.reads_in_place(tensor)
    assert np.array_equal(bifocal.estimate_batch("fundamental", tensor, torch.from_numpy(OFFSETS)).models, expected)
    with pytest.raises(TypeError, match=r"points: a tensor that requires grad, give points.detach\(\)"):
        bifocal.estimate_batch("fundamental", tensor.clone().requires_grad_(), OFFSETS)


class OnlyDLPack:
    """Array with DLPack as its only interface."""

    def __init__(self, array):
        self._array = array

    def __dlpack__(self, **more):
        return self._array.__dlpack__(**more)

    def __dlpack_device__(self):
        return self._array.__dlpack_device__()


def test_dlpack_alone_is_read_in_place():
    assert bifocal._core.reads_in_place(OnlyDLPack(ROWS))
    expected = bifocal.estimate_batch("fundamental", ROWS, OFFSETS).models
    assert np.array_equal(bifocal.estimate_batch("fundamental", OnlyDLPack(ROWS), OFFSETS).models, expected)


def test_arrays_of_another_device_are_told_apart():
    """The address is not read without a CUDA device. Tests with a device are in test_cuda.py."""
    there = DeviceArray(1 << 20, (673, 4))
    host = {"weights": None, "qualities": None, "options": None}
    with pytest.raises(ValueError, match="points: in the memory of cuda:0, but device is 'cpu'"):
        bifocal._core.estimate_batch("fundamental", there, OFFSETS, None, None, *host.values(), "cpu")
    with pytest.raises(TypeError, match="points: float32, must be contiguous float64"):
        bifocal._core.estimate_batch("fundamental", DeviceArray(1 << 20, (673, 4), 4), OFFSETS, None, None, *host.values(), None)
    with pytest.raises(ValueError, match="weights: in the memory of cuda:0, must be in the host's"):
        bifocal._core.estimate_batch("fundamental", ROWS, OFFSETS, None, None, DeviceArray(1 << 20, (673,)), None, None, None)
    with pytest.raises(ValueError, match="x1: in the memory of cuda:0, must be in the host's"):
        bifocal._core.estimate("homography", DeviceArray(1 << 20, (673, 2)), ROWS[:, 2:], None, None, *host.values(), None)
    with pytest.raises(TypeError, match="CUDA arrays of dlpack: only those of torch and cupy"):
        bifocal.estimate_batch("fundamental", there, OFFSETS)
    if not any(d["kind"] == "cuda" for d in bifocal.devices()):
        with pytest.raises(RuntimeError, match="cuda"):
            bifocal._core.estimate_batch("fundamental", there, OFFSETS, None, None, *host.values(), None)


def test_padded_batches_are_their_pairs():
    pairs = [(s.x1, s.x2) for s in SCENES if len(s.rows) > 100]
    count = max(len(x1) for x1, _ in pairs)
    one, two = np.full((3, count, 2), np.nan), np.full((3, count, 2), np.nan)
    mask = np.zeros((3, count), bool)
    for k, (x1, x2) in enumerate(pairs):
        kept = len(x1) - k
        one[k, :kept], two[k, :kept], mask[k, :kept] = x1[:kept], x2[:kept], True
    rows = np.concatenate([np.concatenate([one[k][mask[k]], two[k][mask[k]]], 1) for k in range(3)])
    offsets = np.concatenate([[0], np.cumsum(mask.sum(1))])
    expected = bifocal.estimate_batch("fundamental", rows, offsets)
    padded = bifocal.estimate_batch("fundamental", one, x2=two, mask=mask)
    joined = bifocal.estimate_batch("fundamental", np.concatenate([one, two], -1), mask=mask)
    for other in (padded, joined):
        np.testing.assert_array_equal(other.models, expected.models)
        np.testing.assert_array_equal(other.inliers, expected.inliers)
    assert "of 3 pairs ok" in repr(padded)


def test_padded_batches_name_wrong_shapes():
    x = np.zeros((2, 10, 2))
    with pytest.raises(ValueError, match=r"mask: shape \(2, 9\), must be \(2, 10\)"):
        bifocal.estimate_batch("homography", x, x2=x, mask=np.ones((2, 9), bool))
    with pytest.raises(ValueError, match=r"points: shape \(10, 4\), must be \(B, N, D\) without offsets"):
        bifocal.estimate_batch("homography", np.zeros((10, 4)))
    with pytest.raises(TypeError, match="have no offsets"):
        bifocal.estimate_batch("homography", np.zeros((10, 4)), [0, 10], mask=np.ones((1, 10), bool))
