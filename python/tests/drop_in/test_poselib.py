"""bifocal.poselib takes and returns PoseLib's dictionaries; compared with PoseLib if it is installed."""

import sys

import numpy as np
import pytest
from scenes import K, Scene, angle_deg, direction_deg, sampson, transfer

from bifocal import poselib

S, PLANE = Scene(), Scene(plane=True)
CAMERA = {"model": "PINHOLE", "width": 1280, "height": 960, "params": [1000.0, 1000.0, 640.0, 480.0]}
KEYS = {"refinements", "iterations", "num_inliers", "inlier_ratio", "model_score", "inliers"}


def check(info, right):
    assert set(info) == KEYS and isinstance(info["inliers"], list) and len(info["inliers"]) == 600
    assert sum(info["inliers"]) == info["num_inliers"] == round(600 * info["inlier_ratio"]) > 0.9 * right.sum()
    assert type(info["inliers"][0]) is bool and info["model_score"] > 0


def test_relative_pose():
    for options in ({"max_epipolar_error": 1.5}, {"ransac": {"max_epipolar_error": 1.5}}, {"max_error": 1.5}):
        pose, info = poselib.estimate_relative_pose(S.x1, S.x2, CAMERA, CAMERA, options, {})
        check(info, S.right)
        assert angle_deg(pose.R, S.R) < 0.3 and direction_deg(pose.t, S.t) < 2
    assert pose.Rt.shape == (3, 4) and np.allclose(pose.center(), -pose.R.T @ pose.t)
    w, x, y, z = pose.q
    assert np.isclose(np.linalg.norm(pose.q), 1) and w >= 0
    assert np.allclose(pose.R[2, 1] - pose.R[1, 2], 4 * w * x) and np.allclose(pose.R[0, 0], 1 - 2 * (y * y + z * z))


@pytest.mark.parametrize("axis", [[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 2, 3]])
@pytest.mark.parametrize("degrees", [0, 90, 180, 300])
def test_quaternions(axis, degrees):
    from scenes import rotation

    R = rotation(axis, degrees)
    w, x, y, z = poselib.CameraPose(R, np.zeros(3)).q
    again = np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )
    assert np.allclose(again, R)


def test_matrices_and_absolute_pose():
    F, info = poselib.estimate_fundamental(S.x1, S.x2, {"max_epipolar_error": 1.5})
    check(info, S.right)
    assert sampson(F, S.clean1, S.clean2).mean() < 0.4
    H, info = poselib.estimate_homography(PLANE.x1, PLANE.x2, {"max_reproj_error": 3.0}, {})
    check(info, PLANE.right)
    assert transfer(H, PLANE.clean1, PLANE.clean2).mean() < 0.4
    pose, info = poselib.estimate_absolute_pose(S.x2, S.X, CAMERA, {"max_reproj_error": 3.0}, {})
    check(info, S.right)
    assert angle_deg(pose.R, S.R) < 0.1 and np.abs(pose.t - S.t).max() < 0.05


def test_shared_focal_length():
    s = Scene(n=600, right=0.7, seed=3)
    pair, info = poselib.estimate_shared_focal_relative_pose(s.x1, s.x2, [640, 480], {"max_epipolar_error": 1.5}, {})
    assert set(info) == KEYS | {"focal_deviation"} and info["num_inliers"] > 0.9 * s.right.sum()
    assert abs(pair.camera1.focal() - 1000) < 4 * info["focal_deviation"] < 1000
    assert pair.camera1.params == pair.camera2.params and np.array_equal(pair.camera1.principal_point(), [640, 480])
    assert angle_deg(pair.pose.R, s.R) < 2
    nothing, _ = poselib.estimate_shared_focal_relative_pose(s.x1[:5], s.x2[:5], [640, 480])
    assert np.array_equal(nothing.pose.R, np.eye(3)) and nothing.camera1.focal() == 1


def test_no_model_is_the_identity():
    pose, info = poselib.estimate_relative_pose(S.x1[:3], S.x2[:3], CAMERA, CAMERA)
    assert np.array_equal(pose.R, np.eye(3)) and info["num_inliers"] == 0 and info["inliers"] == [False] * 3
    F, _ = poselib.estimate_fundamental(S.x1[:3], S.x2[:3])
    assert not F.any()
    # Random matches have no significant model.
    x1, x2 = np.random.default_rng(0).uniform(0, 900, (2, 30, 2))
    for find in (poselib.estimate_fundamental, poselib.estimate_homography):
        model, info = find(x1, x2)
        assert not model.any() and info["model_score"] == sys.float_info.max and info["refinements"] == 0 and info["inliers"] == [False] * 30


@pytest.mark.parametrize("mm", [1e-3, 1.0, 1e3])
def test_the_threshold_is_a_distance_in_the_second_image(mm):
    """Corners of a board in m, mm or um are mapped to px."""
    H, info = poselib.estimate_homography(PLANE.clean1 * mm, PLANE.x2, {"max_reproj_error": 3.0})
    inliers = np.array(info["inliers"])
    assert inliers[PLANE.right].mean() > 0.95 and inliers[~PLANE.right].mean() < 0.05 and abs(np.linalg.norm(H) - 1) < 1e-9
    assert transfer(H, PLANE.clean1 * mm, PLANE.clean2).mean() < 0.4


def test_few_points_that_all_agree():
    """PoseLib returns a model for these few points, although it is not significant."""
    for n in (5, 6, 7, 8):
        s, plane = Scene(n=n, right=1, noise=0.1, seed=3), Scene(n=n - 1, right=1, noise=0.1, seed=3, plane=True)
        pose, info = poselib.estimate_relative_pose(s.x1, s.x2, CAMERA, CAMERA)
        assert info["num_inliers"] == n
        assert n == 5 or (angle_deg(pose.R, s.R) < 1 and direction_deg(pose.t, s.t) < 5)  # five points have several exact solutions
        H, info = poselib.estimate_homography(plane.x1, plane.x2)
        assert info["num_inliers"] == n - 1 and transfer(H, plane.clean1, plane.clean2).max() < 2
        pose, info = poselib.estimate_absolute_pose(s.x2[: n - 2], s.X[: n - 2], CAMERA)
        assert info["num_inliers"] == n - 2 and angle_deg(pose.R, s.R) < 0.5
        if n >= 7:
            F, info = poselib.estimate_fundamental(s.x1, s.x2)
            assert info["num_inliers"] == n and abs(np.linalg.norm(F) - 1) < 1e-9


def test_poses_take_what_poselibs_take():
    pose = poselib.CameraPose()
    assert np.array_equal(pose.q, [1, 0, 0, 0]) and np.array_equal(pose.Rt, np.eye(3, 4))
    pose.q = [0, 2, 0, 0]
    assert np.allclose(pose.R, np.diag([1, -1, -1]))
    pose.Rt = np.c_[np.eye(3), [1, 2, 3]]
    assert np.array_equal(pose.t, [1, 2, 3]) and np.array_equal(pose.R, np.eye(3))
    with pytest.raises(ValueError, match="^q: "):
        pose.q = [0, 0, 0, 0]
    with pytest.raises(ValueError, match=r"^Rt: shape \(3, 3\)"):
        pose.Rt = np.eye(3)


def test_points_in_order_need_fewer_samples():
    best_first = np.argsort(~S.right, kind="stable")
    x1, x2 = S.x1[best_first], S.x2[best_first]
    plain = poselib.estimate_fundamental(x1, x2, {"max_epipolar_error": 1.5})[1]
    told = poselib.estimate_fundamental(x1, x2, {"max_epipolar_error": 1.5, "progressive_sampling": True})[1]
    assert told["iterations"] < plain["iterations"]


@pytest.mark.parametrize(
    "camera, message",
    [
        ({"model": "EQUIRECTANGULAR", "width": 1, "height": 1, "params": [1, 2]}, r"camera1: model EQUIRECTANGULAR, which is not supported"),
        ({"model": "PINHOLE", "width": 1, "height": 1, "params": [1]}, r"camera1: 1 params, PINHOLE has 4"),
        ({"model": "PINHOLE"}, r"camera1: no 'params'"),
    ],
)
def test_cameras_that_are_none(camera, message):
    with pytest.raises(ValueError, match=message):
        poselib.estimate_relative_pose(S.x1, S.x2, camera, CAMERA)


def test_beside_poselib():
    peer = pytest.importorskip("poselib")
    theirs, info = peer.estimate_relative_pose(S.x1, S.x2, CAMERA, CAMERA, {"max_epipolar_error": 1.5}, {})
    theirs = getattr(theirs, "pose", theirs)
    ours, own = poselib.estimate_relative_pose(S.x1, S.x2, CAMERA, CAMERA, {"max_epipolar_error": 1.5}, {})
    assert set(own) <= set(info) and {k: type(v) for k, v in own.items()} == {k: type(info[k]) for k in own}
    assert angle_deg(ours.R, np.array(theirs.R)) < 0.3 and ours.q.shape == np.shape(theirs.q) and ours.Rt.shape == np.shape(theirs.Rt)
    assert np.allclose(poselib.CameraPose(np.array(theirs.R), np.array(theirs.t)).q, theirs.q)
    assert np.allclose(poselib.CameraPose(np.array(theirs.R), np.array(theirs.t)).center(), np.ravel(theirs.center()))
    _, theirs_F = peer.estimate_fundamental(S.x1, S.x2, {"max_epipolar_error": 1.5}, {})
    _, ours_F = poselib.estimate_fundamental(S.x1, S.x2, {"max_epipolar_error": 1.5}, {})
    assert abs(theirs_F["num_inliers"] - ours_F["num_inliers"]) < 20


def test_keys_and_types_beside_poselib():
    """Every function returns PoseLib's keys and types, with and without a model."""
    peer = pytest.importorskip("poselib")
    assert {k: type(v) for k, v in peer.RansacOptions().items()} == {k: type(v) for k, v in poselib.RansacOptions().items()}
    assert {k: type(v) for k, v in peer.BundleOptions().items()} == {k: type(v) for k, v in poselib.BundleOptions().items()}
    calls = [
        lambda m, s: m.estimate_fundamental(s.x1, s.x2),
        lambda m, s: m.estimate_homography(s.x1, s.x2),
        lambda m, s: m.estimate_relative_pose(s.x1, s.x2, CAMERA, CAMERA),
        lambda m, s: m.estimate_absolute_pose(s.x2, s.X, CAMERA),
        lambda m, s: m.estimate_shared_focal_relative_pose(s.x1, s.x2, [640, 480]),
    ]
    for s in (Scene(n=300, seed=2), Scene(n=2)):
        for call in calls:
            (theirs, info), (ours, own) = call(peer, s), call(poselib, s)
            own.pop("focal_deviation", None)
            assert {k: type(v) for k, v in own.items()} == {k: type(v) for k, v in info.items()}
            if isinstance(theirs, np.ndarray):
                assert theirs.shape == ours.shape and theirs.dtype == ours.dtype and np.isclose(np.linalg.norm(theirs), np.linalg.norm(ours))
                continue
            pairs = [(theirs, ours)] if hasattr(theirs, "R") else [(theirs.pose, ours.pose)]
            for a, b in pairs:
                assert all(np.shape(getattr(a, k)) == np.shape(getattr(b, k)) for k in ("R", "t", "q", "Rt")) and set(k for k in dir(a) if k[0] != "_") <= set(dir(b))
            if s.x1.shape[0] > 2 and hasattr(theirs, "camera1"):
                a, b = theirs.camera1, ours.camera1
                for name in ("focal", "focal_x", "focal_y", "model_name"):
                    assert type(getattr(a, name)()) is type(getattr(b, name)())
                assert (a.model_id, a.width, a.height, len(a.params)) == (b.model_id, b.width, b.height, len(b.params))
                assert np.shape(a.principal_point()) == np.shape(b.principal_point())


def test_the_example_of_poselibs_readme():
    """The calls of the README use default dictionaries, omitted keys, and a camera of any model."""
    s = Scene(n=400, seed=9)
    camera = {"model": "SIMPLE_PINHOLE", "width": 1280, "height": 960, "params": [1000, 640, 480]}
    pose, info = poselib.estimate_absolute_pose(s.x2, s.X, camera, {"max_reproj_error": 16.0}, {})
    assert info["num_inliers"] >= 150 and np.allclose(pose.R @ pose.R.T, np.eye(3), atol=1e-9)
    F, info = poselib.estimate_fundamental(s.x1, s.x2, {"max_epipolar_error": 0.75, "progressive_sampling": True}, {})
    assert F.shape == (3, 3) and len(info["inliers"]) == 400
    given, default = poselib.estimate_homography(s.x1, s.x2, poselib.RansacOptions(), poselib.BundleOptions()), poselib.estimate_homography(s.x1, s.x2)
    assert np.array_equal(given[0], default[0]) and given[1]["iterations"] == default[1]["iterations"]
