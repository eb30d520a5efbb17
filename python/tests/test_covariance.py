"""Covariances through Python. tests/robust/covariance_test.cpp checks their values with many random draws."""

import numpy as np
import pytest
from scenes import K, Scene

import bifocal


def test_of_a_homography_predicts_where_points_go():
    s = Scene(n=300, right=1.0, noise=0.5, seed=1, plane=True)
    found = bifocal.estimate_homography(s.x1, s.x2)
    c = bifocal.two_view.covariance("homography", found.model, s.x1, s.x2, inliers=found.inliers)
    assert c.ok and c.parameters == 8 and c.noise == pytest.approx(0.5, rel=0.1)
    assert np.allclose(c.model, c.model.T) and np.linalg.matrix_rank(c.model, tol=1e-9 * np.abs(c.model).max(), hermitian=True) <= 8
    given = bifocal.two_view.covariance("homography", found.model, np.c_[s.x1, s.x2], noise=1.0)
    whole = bifocal.two_view.covariance("homography", found.model, np.c_[s.x1, s.x2])
    assert np.allclose(given.model * whole.noise**2, whole.model, rtol=1e-9)
    # error of the transferred image centre, at most a few standard deviations
    p = np.array([640.0, 480, 1])
    h = found.model @ p
    J = np.array([[*(p / h[2]), 0, 0, 0, *(-h[0] / h[2] ** 2 * p)], [0, 0, 0, *(p / h[2]), *(-h[1] / h[2] ** 2 * p)]])
    sigma = np.sqrt(np.diag(J @ c.model @ J.T))
    truth = s.H @ p
    assert (0.005 < sigma).all() and (sigma < 0.5).all() and (np.abs(h[:2] / h[2] - truth[:2] / truth[2]) < 5 * sigma).all()


def test_of_poses():
    s = Scene(n=300, right=1.0, noise=0.5, seed=2)
    found = bifocal.estimate_relative_pose(s.x1, s.x2, K)
    c = bifocal.two_view.relative_pose_covariance(found.R, found.t, s.x1, s.x2, K, inliers=found.inliers)
    assert c.ok and c.parameters == 5 and np.allclose(found.t @ c.pose[3:, 3:], 0, atol=1e-12)
    assert np.allclose(bifocal.two_view.covariance("essential", found.model, s.x1, s.x2, camera1=K, inliers=found.inliers).model, c.model, rtol=1e-6, atol=1e-15)
    absolute = bifocal.estimate_absolute_pose(s.x2, s.X, K)
    a = bifocal.two_view.absolute_pose_covariance(absolute.R, absolute.t, s.x2, s.X, K)
    assert a.ok and a.parameters == 6
    off = absolute.t - s.t
    assert off @ np.linalg.solve(a.pose[3:, 3:], off) < 25  # three degrees of freedom


def test_arguments():
    x = np.random.default_rng(0).normal(size=(10, 2))
    with pytest.raises(ValueError, match="covariance: the matrix is zero"):
        bifocal.two_view.covariance("homography", np.zeros((3, 3)), x, x)
    with pytest.raises(ValueError, match="covariance: noise = -1: must be at least 0"):
        bifocal.two_view.covariance("homography", np.eye(3), x, x, noise=-1)
    with pytest.raises(ValueError, match=r"inliers: shape \(3,\), must be \(10,\)"):
        bifocal.two_view.covariance("homography", np.eye(3), x, x, inliers=np.ones(3, bool))
    with pytest.raises(ValueError, match="absolute_pose_covariance"):
        bifocal.two_view.covariance("absolute_pose", np.eye(3), x, x)
    assert not bifocal.two_view.covariance("fundamental", np.eye(3), x[:5], x[:5]).ok
