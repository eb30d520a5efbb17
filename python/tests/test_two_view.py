"""The pieces by themselves: what the estimators found, taken apart and put together again."""

import numpy as np
import pytest
from scenes import K, Scene, angle_deg, sampson, transfer

import bifocal

S = Scene()


def test_residuals_are_sampson_distances():
    F = np.linalg.inv(K).T @ S.E @ np.linalg.inv(K)
    assert np.allclose(bifocal.residuals("fundamental", F, S.x1, S.x2), sampson(F, S.x1, S.x2), rtol=1e-6)
    assert np.allclose(bifocal.residuals("essential", S.E, S.x1, S.x2, camera1=K), sampson(F, S.x1, S.x2), rtol=1e-6)
    plane = Scene(plane=True)
    errors = bifocal.residuals("homography", plane.H, plane.rows)
    ratio = errors[plane.right] / transfer(plane.H, plane.x1, plane.x2)[plane.right]
    assert 0.6 < np.median(ratio) < 0.8  # about 1 / sqrt(2)
    errors = bifocal.pose_residuals(S.R, S.t, S.clean2, S.X, K)
    assert np.abs(errors).max() < 1e-6


def test_refine_betters_a_rough_start():
    found = bifocal.estimate_relative_pose(S.x1, S.x2, K)
    rough = found.model * (1 + 0.002 * np.cos(np.arange(9)).reshape(3, 3))
    fit = bifocal.refine("essential", rough, S.x1, S.x2, camera1=K, inliers=found.inliers)
    start = bifocal.residuals("essential", rough, S.x1, S.x2, camera1=K)[found.inliers]
    assert fit.fitted == found.num_inliers and fit.rms < np.sqrt((start**2).mean()) and fit.steps > 0
    assert fit.rms <= np.sqrt((bifocal.residuals("essential", found.model, S.x1, S.x2, camera1=K)[found.inliers] ** 2).mean()) + 1e-9
    kept = bifocal.refine("essential", rough, S.x1, S.x2, camera1=K, threshold=3.0)
    assert kept.fitted < len(S.x1) and kept.rms < 1
    pose = bifocal.refine_absolute_pose(S.R, S.t + 0.05, S.x2[S.right], S.X[S.right], K)
    assert angle_deg(pose.model, S.R) < 0.1 and np.linalg.norm(pose.t - S.t) < 0.02


def test_poses_of_an_essential_matrix():
    poses = bifocal.decompose_essential(S.E)
    assert min(angle_deg(R, S.R) for R in (poses.R1, poses.R2)) < 1e-4 and abs(abs(poses.t @ S.t) - 1) < 1e-12
    pose = bifocal.recover_pose(S.E, S.clean1, S.clean2, K)
    assert np.allclose(pose.R, S.R) and np.allclose(pose.t, S.t) and pose.in_front.all()
    some = bifocal.recover_pose(S.E, S.clean1, S.clean2, K, K, inliers=S.right)
    assert np.array_equal(some.in_front, S.right)


def test_the_model_of_a_pair_is_chosen():
    plane = Scene(plane=True)
    for scene, kind in ((S, "fundamental"), (plane, "homography")):
        homography = bifocal.estimate_homography(scene.x1, scene.x2)
        choice = bifocal.choose_model(scene.x1, scene.x2, homography, bifocal.estimate_fundamental(scene.x1, scene.x2))
        assert choice.kind == kind and choice.reason
    pose = bifocal.estimate_relative_pose(S.x1, S.x2, K)
    assert bifocal.choose_model(S.x1, S.x2, bifocal.estimate_homography(S.x1, S.x2), pose, K, K).rule in ("general", "no_homography")
    with pytest.raises(ValueError, match="homography: an estimate of essential"):
        bifocal.choose_model(S.x1, S.x2, pose, pose, K, K)


def test_motions_of_a_homography():
    plane = Scene(plane=True)
    motions = bifocal.decompose_homography(plane.H, K, None, plane.clean1, plane.clean2)
    assert 1 <= len(motions) <= 3 and len(bifocal.decompose_homography(plane.H, K)) == 4
    assert min(np.abs(m.R - plane.R).max() for m in motions) < 1e-6


def test_triangulated_points():
    X = bifocal.triangulate(S.clean1, S.clean2, K, None, S.R, S.t)
    assert np.abs(X - S.X).max() < 1e-4
    assert np.isnan(bifocal.triangulate(S.clean1, S.clean2, K, K, S.R, -S.t)).all()
    assert np.array_equal(bifocal.triangulate(S.clean1, S.clean2, K, K, S.R, S.t[:, None]), X)


@pytest.mark.parametrize(
    "call, kind, message",
    [
        (lambda: bifocal.residuals("absolute_pose", S.R, S.x1, S.x2), ValueError, r"kind: 'absolute_pose'"),
        (lambda: bifocal.residuals("essential", S.E, S.x1, S.x2), TypeError, r"camera1: None"),
        (lambda: bifocal.residuals("fundamental", S.E, S.x1, S.x2, camera1=K), TypeError, r"camera: given"),
        (lambda: bifocal.residuals("fundamental", S.E[:2], S.x1, S.x2), ValueError, r"model: shape \(2, 3\)"),
        (lambda: bifocal.residuals("fundamental", S.E * np.nan, S.x1, S.x2), ValueError, r"model: \[0, 0\] = nan"),
        (lambda: bifocal.residuals("fundamental", S.E * 0, S.x1, S.x2), ValueError, r"the matrix is zero"),
        (lambda: bifocal.refine("fundamental", S.E, S.x1, S.x2, inliers=[True]), ValueError, r"1 inlier flags for 600 points"),
        (lambda: bifocal.refine("fundamental", S.E, S.x1, S.x2, inliers=np.ones(600)), TypeError, r"inliers: dtype float64"),
        (lambda: bifocal.refine("fundamental", S.E, S.x1, S.x2, threshold=-1), ValueError, r"threshold = -1"),
        (lambda: bifocal.triangulate(S.x1, S.x2[:4], K, K, S.R, S.t), ValueError, r"x2: 4 points, but x1 has 600"),
        (lambda: bifocal.triangulate(S.x1, S.x2, K, K, S.R, S.t[:2]), ValueError, r"t: shape \(2,\), must be \(3,\)"),
        (lambda: bifocal.decompose_homography(S.E, K), ValueError, r"H is singular"),
    ],
)
def test_refused(call, kind, message):
    with pytest.raises(kind, match=message):
        call()
