"""Minimal solvers of bifocal.poselib: the true model is among the solutions; compared with PoseLib if it is installed."""

import numpy as np
import pytest
from scenes import rotation

from bifocal import poselib


class Views:
    """Returns scene points in front of two cameras as rays in the frames of the cameras."""

    def __init__(self, count, seed, upright=False, behind=False):
        rng = np.random.default_rng(seed)
        self.R = rotation([0, 1, 0] if upright else rng.normal(size=3), rng.uniform(-25, 25))
        self.t = rng.normal(size=3)
        self.t /= np.linalg.norm(self.t)
        self.X = rng.uniform(-1, 1, (count, 3)) * [2, 2, 1] + [0, 0, 5]
        if behind:  # rays of omnidirectional cameras
            self.X[::2, 2] -= 10
        self.x1, self.x2 = self.X, self.X @ self.R.T + self.t

    def closest(self, poses):
        return min((np.abs(p.R - self.R).max() + np.abs(p.t - self.t).max() for p in poses), default=np.inf)


@pytest.mark.parametrize("behind", [False, True])
@pytest.mark.parametrize("find, count, upright", [(poselib.relpose_5pt, 5, False), (poselib.relpose_upright_3pt, 3, True)])
def test_relative_poses(find, count, upright, behind):
    missed = 0
    for seed in range(100):
        views = Views(count, seed, upright, behind)
        missed += not views.closest(find(3 * views.x1, views.x2)) < 1e-6
    assert missed <= 1


def test_rays_in_the_planes_of_the_axes():
    views = Views(5, 0)
    views.X = np.array([[3.0, 0, 0], [0, 4, 0], [0, 0, 5], [1, 2, 3], [2, -1, 4]])
    views.x2 = views.X @ views.R.T + views.t
    assert views.closest(poselib.relpose_5pt(views.X, views.x2)) < 1e-6


def test_essential_matrices():
    for seed in range(20):
        views = Views(5, seed)
        matrices = poselib.essential_matrix_5pt(views.x1, views.x2)
        assert 1 <= len(matrices) <= 10
        for E in matrices:
            assert np.abs(np.einsum("ni,ij,nj->n", views.x2, E, views.x1)).max() < 1e-8 * np.linalg.norm(E) * 40


def test_shared_focal_length():
    missed = 0
    for seed in range(100):
        views, f = Views(6, seed), 900.0
        K = np.diag([f, f, 1.0])
        x1, x2 = views.x1 @ K, views.x2 @ K
        found = poselib.shared_focal_relpose_6pt(x1 / x1[:, 2:], x2 / x2[:, 2:])
        missed += not any(abs(p.camera1.focal() - f) < 1e-3 * f and views.closest([p.pose]) < 1e-4 for p in found)
    assert missed <= 2


def test_absolute_poses():
    for seed in range(100):
        views = Views(4, seed)
        assert views.closest(poselib.p3p(views.x2[:3], views.X[:3])) < 1e-6
        f = 700.0
        poses, lengths = poselib.p4pf(f * views.x2[:, :2] / views.x2[:, 2:], views.X)
        assert len(poses) == len(lengths) == 1
        assert views.closest(poses) < 1e-5 and abs(lengths[0] - f) < 1e-4 * f
        every, _ = poselib.p4pf(f * views.x2[:, :2] / views.x2[:, 2:], views.X, False)
        assert 1 <= len(every) <= 10 and views.closest(every) < 1e-5


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda: poselib.relpose_5pt(np.ones((4, 3)), np.ones((5, 3))), r"x1: shape \(4, 3\), must be \(5, 3\)"),
        (lambda: poselib.relpose_5pt(np.ones((5, 3)), np.zeros((5, 3))), "x2: ray 0 has no length"),
        (lambda: poselib.relpose_5pt(np.full((5, 3), np.nan), np.ones((5, 3))), "x1: has numbers that are not finite"),
        (lambda: poselib.relpose_upright_3pt(np.eye(3), np.ones((3, 3))), "x1: ray 0 has z = 0"),
        (lambda: poselib.shared_focal_relpose_6pt(np.ones((6, 3)), np.zeros((6, 3))), "x2: point 0 has z = 0"),
        (lambda: poselib.p3p(np.ones((3, 3)), np.ones((3, 2))), r"X: shape \(3, 2\), must be \(3, 3\)"),
        (lambda: poselib.p4pf(np.ones((4, 3)), np.ones((4, 3))), r"x: shape \(4, 3\), must be \(4, 2\)"),
    ],
)
def test_bad_samples_are_named(call, words):
    with pytest.raises(ValueError, match=words):
        call()


def test_samples_without_a_solution_have_none():
    same = np.ones((5, 3))
    assert all(np.isfinite(pose.Rt).all() for pose in poselib.relpose_5pt(same, same))
    assert poselib.p3p(np.ones((3, 3)), np.zeros((3, 3))) == []
    assert poselib.p4pf(np.zeros((4, 2)), np.zeros((4, 3))) == ([], [])


def test_beside_poselib():
    theirs = pytest.importorskip("poselib")
    for seed in range(50):
        views = Views(5, seed)
        a, b = (x / np.linalg.norm(x, axis=1)[:, None] for x in (views.x1, views.x2))
        for find, other, n in ((poselib.relpose_5pt, theirs.relpose_5pt, 5), (poselib.p3p, None, 3)):
            ours = find(a[:n], b[:n]) if other else find(b[:n], views.X[:n])
            found = other(a[:n], b[:n]) if other else theirs.p3p(b[:n], views.X[:n])
            for pose in ours:  # each pose is a solution of PoseLib, or solves the equations although PoseLib missed it
                closest = min((np.abs(pose.R - p.R).max() for p in found), default=np.inf)
                seen = (a[:n] if other else views.X[:n]) @ pose.R.T + (0 if other else pose.t)
                residual = (
                    np.abs(np.einsum("ni,ni->n", np.cross(pose.t, seen), b[:n])).max() if other else np.linalg.norm(np.cross(seen, b[:n]), axis=1).max()
                )
                assert closest < 1e-4 or residual < 1e-7
