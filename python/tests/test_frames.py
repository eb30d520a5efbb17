"""Results belong to the array library of the input: torch on the host here, on a CUDA device in test_cuda_frames.py."""

import numpy as np
import pytest
from scenes import K, Scene

import bifocal

torch = pytest.importorskip("torch")
S = Scene(n=400, seed=3)


def is_of(array, dtype):
    return isinstance(array, torch.Tensor) and array.device.type == "cpu" and array.dtype == dtype


def test_estimates_of_tensors_are_tensors():
    x1, x2 = torch.from_numpy(S.x1), torch.from_numpy(S.x2)
    here = bifocal.estimate_relative_pose(S.x1, S.x2, K)
    found = bifocal.estimate_relative_pose(x1, x2, K)
    assert found.ok and is_of(found.R, torch.float64) and is_of(found.inliers, torch.bool)
    for name in ("model", "R", "t", "inliers", "triangulated", "not_finite"):
        assert np.array_equal(getattr(found, name).numpy(), getattr(here, name), equal_nan=True), name
    assert found.R.data_ptr() == found.R.data_ptr()  # the same memory at every access, without a copy
    kept = found.model
    del found
    assert np.array_equal(kept.numpy(), here.model)


def test_batches_of_tensors_are_tensors():
    rows, offsets = torch.from_numpy(S.rows), torch.tensor([0, 200, 400])
    here = bifocal.estimate_batch("fundamental", S.rows, [0, 200, 400])
    found = bifocal.estimate_batch("fundamental", rows, offsets)
    assert is_of(found.models, torch.float64) and is_of(found.inliers, torch.bool) and is_of(found.num_inliers, torch.int32)
    assert np.array_equal(found.models.numpy(), here.models) and np.array_equal(found.inliers.numpy(), here.inliers)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_linear_algebra_of_tensors(dtype):
    A = torch.randn(100, 9, 9, dtype=dtype, generator=torch.Generator().manual_seed(1))
    found, here = bifocal.linalg.svd(A), bifocal.linalg.svd(A.numpy())
    for a, b in zip(found, here):
        assert isinstance(a, torch.Tensor) and np.array_equal(a.numpy(), b)
    assert is_of(found.S, dtype)
    assert isinstance(bifocal.linalg.svd(A[0]).status, int)
    values = bifocal.linalg.real_eigenpairs(A).values
    assert np.array_equal(values.numpy(), bifocal.linalg.real_eigenpairs(A.numpy()).values, equal_nan=True)
    symmetric = A + A.transpose(1, 2)
    assert np.array_equal(bifocal.linalg.symmetric_eigen(symmetric).vectors.numpy(), bifocal.linalg.symmetric_eigen(symmetric.numpy()).vectors)
    samples = torch.rand(16, 50, dtype=dtype, generator=torch.Generator().manual_seed(2))
    solutions, counts = bifocal.solvers.solve_minimal("homography_4pt", samples)
    assert is_of(solutions, dtype) and is_of(counts, torch.int32)
    assert np.array_equal(solutions.numpy(), bifocal.solvers.solve_minimal("homography_4pt", samples.numpy()).solutions, equal_nan=True)


def test_matches_and_disparities_of_tensors():
    g = torch.Generator().manual_seed(3)
    descriptors = torch.randint(0, 80, (300, 128), dtype=torch.uint8, generator=g)
    found = bifocal.match(descriptors, descriptors.flip(0))
    assert is_of(found.indices, torch.int32) and len(found) == 300 and (found.indices.sum(1) == 299).all()
    floats = torch.randn(200, 64, generator=g)
    found = bifocal.match_descriptors(floats, floats.flip(0))
    assert is_of(found.distance, torch.float32) and (found.indices.sum(1) == 199).all()
    left = torch.randint(0, 255, (60, 100), dtype=torch.uint8, generator=g)
    disparity = bifocal.stereo(left, left.roll(-4, 1), bifocal.SgmOptions(disparities=16))
    assert is_of(disparity.raw, torch.float32) and is_of(disparity.confidence, torch.uint8)
    assert np.array_equal(disparity.raw.numpy(), bifocal.stereo(left.numpy(), left.roll(-4, 1).numpy(), bifocal.SgmOptions(disparities=16)).raw, equal_nan=True)


def test_the_frame_of_torch_prepares_descriptors():
    """float_rows gives unit rows and the squares of their lengths for a GPU, and refuses NaN."""
    from bifocal._arrays import frame_of

    rows = torch.randn(50, 32, generator=torch.Generator().manual_seed(4))
    rows[7] = 0
    values, squares = frame_of(rows).float_rows(rows.half(), True)
    assert values.dtype == squares.dtype == torch.float32 and squares[7] == 0
    assert torch.allclose(squares[:7], torch.ones(7)) and torch.allclose((values**2).sum(1), squares)
    rows[3, 3] = torch.nan
    assert frame_of(rows).float_rows(rows, True) is None


def test_frames_join_rows():
    from bifocal._arrays import frame_of

    rows = torch.from_numpy(S.rows)
    frame = frame_of(None, S.rows, rows)
    assert frame.join(rows, None) is rows  # returned without a copy
    assert torch.equal(frame.join(rows[:, :2].float(), rows[:, 2:].float()), rows.float().double())
