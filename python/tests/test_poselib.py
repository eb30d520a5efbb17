"""bifocal.poselib: PoseLib's dictionaries in and out, and beside PoseLib where it is installed."""

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


def test_the_example_of_poselibs_readme():
    """Its calls: default dictionaries, keys that are left out, and a camera of any model."""
    s = Scene(n=400, seed=9)
    camera = {"model": "SIMPLE_PINHOLE", "width": 1280, "height": 960, "params": [1000, 640, 480]}
    pose, info = poselib.estimate_absolute_pose(s.x2, s.X, camera, {"max_reproj_error": 16.0}, {})
    assert info["num_inliers"] >= 150 and np.allclose(pose.R @ pose.R.T, np.eye(3), atol=1e-9)
    F, info = poselib.estimate_fundamental(s.x1, s.x2, {"max_epipolar_error": 0.75, "progressive_sampling": True}, {})
    assert F.shape == (3, 3) and len(info["inliers"]) == 400
    given, default = poselib.estimate_homography(s.x1, s.x2, poselib.RansacOptions(), poselib.BundleOptions()), poselib.estimate_homography(s.x1, s.x2)
    assert np.array_equal(given[0], default[0]) and given[1]["iterations"] == default[1]["iterations"]
