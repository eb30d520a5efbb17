"""Linear algebra and minimal solvers against NumPy."""

import numpy as np
import pytest
from scenes import K, Scene

import bifocal
from bifocal import linalg

DTYPES = [np.float32, np.float64]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(50, 9, 9), (7, 12, 5), (3, 3, 8), (5, 4)])
def test_svd(dtype, shape):
    A = np.random.default_rng(0).normal(size=shape).astype(dtype)
    U, S, V, status = linalg.svd(A)
    tolerance = 100 * np.finfo(dtype).eps
    rows, cols = shape[-2:]
    k = min(rows, cols)
    assert U.dtype == S.dtype == V.dtype == dtype and U.shape == shape[:-2] + (rows, k) and V.shape == shape[:-2] + (cols, cols)
    expected = np.linalg.svd(A.astype(float), compute_uv=False)
    assert np.abs(S[..., :k] - expected).max() < tolerance * expected.max()
    assert np.abs((U * S[..., None, :k]) @ np.swapaxes(V, -1, -2)[..., :k, :] - A).max() < tolerance * expected.max()
    assert np.all(status == 0)


@pytest.mark.parametrize("dtype", DTYPES)
def test_real_eigenpairs(dtype):
    A = np.random.default_rng(1).normal(size=(40, 10, 10)).astype(dtype)
    values, vectors, counts, status = linalg.real_eigenpairs(A)
    for k in range(40):
        n = counts[k]
        expected = np.linalg.eigvals(A[k].astype(float))
        assert n == (np.abs(expected.imag) < 1e-9).sum() and np.isnan(values[k, n:]).all()
        assert np.abs(A[k] @ vectors[k, :, :n] - vectors[k, :, :n] * values[k, :n]).max(initial=0) < 300 * np.finfo(dtype).eps * 10
    one = linalg.real_eigenpairs(A[0])
    assert np.array_equal(one.values, values[0], equal_nan=True) and one.counts == counts[0] and one.status == 0


def test_symmetric_eigen():
    A = np.random.default_rng(2).normal(size=(20, 6, 6))
    A = A + np.swapaxes(A, 1, 2)
    values, vectors, status = linalg.symmetric_eigen(A)
    assert np.abs(values - np.linalg.eigvalsh(A)[:, ::-1]).max() < 1e-12 and not status.any()
    assert np.abs(A @ vectors - vectors * values[:, None, :]).max() < 1e-12


def test_matrix_with_nan_has_its_status():
    A = np.ones((3, 4, 4))
    A[1, 2, 2] = np.nan
    found = linalg.svd(A)
    assert found.status.tolist() == [0, 2, 0] and np.isnan(found.S[1]).all() and np.isfinite(found.S[[0, 2]]).all()


def test_gaps_and_lists_are_read():
    A = np.random.default_rng(3).normal(size=(5, 8, 6))
    expected = linalg.svd(np.ascontiguousarray(A[::2, 1:5, ::2])).S
    assert np.array_equal(linalg.svd(A[::2, 1:5, ::2]).S, expected)
    assert np.array_equal(linalg.svd([[3, 0], [0, 4]]).S, [4, 3])
    assert linalg.svd(np.zeros((0, 3, 3))).S.shape == (0, 3)


def unit(x):
    return (x - K[:2, 2]) / 1000


@pytest.mark.parametrize("dtype", DTYPES)
def test_homography_of_four_points(dtype):
    scenes = [Scene(n=4, right=1, noise=0, seed=k, plane=True) for k in range(20)]
    samples = np.array([np.concatenate([unit(s.x1).T.ravel(), unit(s.x2).T.ravel()]) for s in scenes]).T.astype(dtype)
    solutions, counts = bifocal.solvers.solve_minimal("homography_4pt", samples)
    assert solutions.shape == (1, 9, 20) and solutions.dtype == dtype and counts.dtype == np.int32
    for k in np.flatnonzero(counts):
        H, truth = solutions[0, :, k].reshape(3, 3), np.linalg.inv(K) @ scenes[k].H @ K
        cosine = np.abs((H * truth).sum()) / np.linalg.norm(H) / np.linalg.norm(truth)
        assert 1 - cosine < (1e-4 if dtype == np.float32 else 1e-9)
    assert counts.sum() >= 18


def test_five_points_have_the_true_essential_matrix():
    scenes = [Scene(n=5, right=1, noise=0, seed=k) for k in range(30)]
    samples = np.array([np.concatenate([unit(s.x1).T.ravel(), unit(s.x2).T.ravel()]) for s in scenes]).T
    for solver in ("essential_5pt", "essential_5pt_action"):
        solutions, counts = bifocal.solvers.solve_minimal(solver, samples)
        assert bifocal.solvers.solver_shape(solver) == (20, 10, 9) and solutions.shape == (10, 9, 30)
        found = 0
        for k, s in enumerate(scenes):
            own = solutions[: counts[k], :, k]
            own = own / np.linalg.norm(own, axis=1, keepdims=True)
            found += (np.abs(own @ s.E.ravel() / np.linalg.norm(s.E)) > 1 - 1e-8).any()
            assert np.isnan(solutions[counts[k] :, :, k]).all()
        assert found >= 28
    again = bifocal.solvers.solve_minimal("essential_5pt_action", np.asfortranarray(samples))
    assert np.array_equal(again.solutions, solutions, equal_nan=True)
