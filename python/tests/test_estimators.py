"""Estimators of one pair find the true model, and their results have the documented shapes."""

import pickle

import numpy as np
import pytest
from scenes import K, Scene, angle_deg, direction_deg, sampson, transfer

import bifocal


def test_homography_maps_clean_points():
    s = Scene(plane=True)
    found = bifocal.estimate_homography(s.x1, s.x2)
    assert found.ok and bool(found) and found.reason == "ok" and found.kind == "homography"
    assert transfer(found.model, s.clean1, s.clean2).mean() < 0.3
    assert found.inliers.dtype == bool and found.inliers.shape == (600,)
    assert found.num_inliers == found.inliers.sum()
    assert (found.inliers & s.right).sum() > 0.95 * s.right.sum()
    assert found.R is None and found.t is None and found.triangulated is None and found.in_front is None
    assert np.isclose(np.linalg.norm(found.model), 1)


def test_fundamental_matrix_fits_clean_points():
    s = Scene()
    found = bifocal.estimate_fundamental(s.x1, s.x2)
    assert found.ok and sampson(found.model, s.clean1, s.clean2).mean() < 0.3


@pytest.mark.parametrize("camera", [K, (1000.0, 1000.0, 640.0, 480.0), bifocal.Camera(1000, 1000, 640, 480)])
def test_relative_pose(camera):
    s = Scene()
    found = bifocal.estimate_relative_pose(s.x1, s.x2, camera)
    assert found.ok
    assert angle_deg(found.R, s.R) < 0.3 and direction_deg(found.t, s.t) < 2
    both = found.inliers & s.right
    assert found.in_front > 0.95 * both.sum()
    X = found.triangulated[both]
    X = X[np.isfinite(X).all(1)]
    assert len(X) > 0.95 * both.sum() and np.median(X[:, 2]) > 3
    assert 1 < found.median_parallax_deg < 30


def test_relative_pose_of_two_cameras_is_not_that_of_one():
    s = Scene()
    K2 = np.array([[500.0, 0, 320], [0, 500, 240], [0, 0, 1]])
    x2 = (s.x2 - K[:2, 2]) / 2 + K2[:2, 2]
    found = bifocal.estimate_relative_pose(s.x1, x2, K, K2, options=bifocal.RobustOptions(threshold=1.5))
    assert found.ok and angle_deg(found.R, s.R) < 0.3


def test_lens_is_taken_out():
    s = Scene(noise=0.1)
    camera = bifocal.Camera(1000, 1000, 640, 480, k1=-0.25, k2=0.05)
    q = (s.x1 - K[:2, 2]) / 1000
    r2 = (q**2).sum(1, keepdims=True)
    bent = q * (1 - 0.25 * r2 + 0.05 * r2**2) * 1000 + K[:2, 2]
    assert np.abs(bifocal.undistort_points(bent, camera) - s.x1).max() < 1e-6
    found = bifocal.estimate_relative_pose(bent, s.x2, camera, K)
    assert found.ok and angle_deg(found.R, s.R) < 0.1
    without = bifocal.estimate_relative_pose(bent, s.x2, K, K)
    assert without.num_inliers < 0.8 * found.num_inliers


def test_absolute_pose():
    s = Scene()
    found = bifocal.estimate_absolute_pose(s.x2, s.X, K)
    assert found.ok and angle_deg(found.R, s.R) < 0.1 and np.linalg.norm(found.t - s.t) < 0.05
    rows = bifocal.estimate("absolute_pose", np.c_[s.x2, s.X], camera1=K)
    assert np.array_equal(rows.t, found.t)


@pytest.mark.parametrize("kind", ["homography", "fundamental", "essential", "absolute_pose", "similarity", "affine", "upright_essential", "shared_focal", "radial_fundamental", "camera_pose_focal", "monodepth_shared_focal"])
def test_every_kind_is_known_and_never_none(kind):
    info = bifocal.solvers.problem_info(kind)
    cameras = [K] * info["cameras"] + [None] * 2
    second = np.zeros((2, 2 if info["is_two_view"] else 3))
    depths = np.ones((2, 2)) if info["takes_depths"] else None
    found = bifocal.estimate(kind, np.zeros((2, 2)), second, camera1=cameras[0], camera2=cameras[1], depths=depths)
    assert not found.ok and found.reason in ("too_few_points", "degenerate_sample", "no_model")
    assert not found.model.any() and not found.inliers.any()
    empty = bifocal.estimate(kind, np.zeros((0, 2)), second[:0], camera1=cameras[0], camera2=cameras[1], depths=second[:0] if info["takes_depths"] else None)
    assert empty.reason == "too_few_points" and len(empty.inliers) == 0


def test_shared_focal_length():
    s = Scene(n=1500, right=0.7, seed=3)
    found = bifocal.estimate_shared_focal_relative_pose(s.x1, s.x2, (640, 480), options=bifocal.RobustOptions(threshold=1.5))
    assert found.ok and found.kind == "shared_focal" and found.focal_deviation < 100
    assert abs(found.focal_length - 1000) < 4 * found.focal_deviation
    assert angle_deg(found.R, s.R) < 1 and found.in_front > 900 and found.triangulated.shape == (1500, 3)
    assert sampson(found.model, s.clean1, s.clean2).mean() < 0.3
    again = pickle.loads(pickle.dumps(found))
    assert again.focal_length == found.focal_length and again.focal_deviation == found.focal_deviation
    assert bifocal.estimate_fundamental(s.x1, s.x2).focal_length is None
    # A camera that moved without rotation.
    sideways = np.c_[s.X[:, 0] - 1, s.X[:, 1:]] @ K.T
    parallel = bifocal.estimate_shared_focal_relative_pose(s.clean1, sideways[:, :2] / sideways[:, 2:], (640, 480))
    assert parallel.ok and (parallel.focal_deviation is None or parallel.focal_deviation >= 0.25 * parallel.focal_length)
    batch = bifocal.estimate_batch("shared_focal", s.rows, [0, 1500, 1500], cameras1=(1, 1, 640, 480))
    assert batch.focal_length.shape == batch.focal_deviation.shape == (2,) and abs(batch.focal_length[0] - 1000) < 100
    assert batch.focal_deviation[0] < 100 and np.isnan(batch.focal_length[1]) and np.isnan(batch.focal_deviation[1])
    sure = bifocal.two_view.covariance("shared_focal", found.model, s.x1, s.x2, camera1=(1, 1, 640, 480), inliers=found.inliers, noise=found.noise)
    assert sure.parameters == 6 and 0.5 < np.sqrt(sure.focal_variance) / found.focal_deviation < 2


def test_shared_focal_length_of_matches_with_depths():
    s = Scene(n=400, right=0.3, seed=3)
    rng = np.random.default_rng(5)
    depths = np.c_[s.X[:, 2], 0.3 * (s.X @ s.R.T + s.t)[:, 2] + 1] * (1 + 0.02 * rng.normal(size=(400, 2)))
    depths[::7] = (0, -1)
    depths[::9, 1] = np.nan
    found = bifocal.estimate_monodepth_shared_focal_relative_pose(s.x1, s.x2, depths, (640, 480))
    assert found.ok and found.kind == "monodepth_shared_focal" and not len(found.not_finite)
    assert abs(found.focal_length - 1000) < 5 * found.focal_deviation
    assert angle_deg(found.R, s.R) < 2 and found.in_front > 90 and found.triangulated.shape == (400, 3)
    assert (found.inliers & s.right).sum() > 0.9 * s.right.sum() and (found.inliers & s.right)[::7].sum() > 0.8 * s.right[::7].sum()
    camera, rows = (1, 1, 640, 480), np.c_[s.rows, depths]
    for same in (
        bifocal.estimate("monodepth_shared_focal", rows, camera1=camera),
        bifocal.estimate("monodepth_shared_focal", s.x1, s.x2, camera1=camera, depths=depths),
        bifocal.estimate("monodepth_shared_focal", s.x1.tolist(), s.x2, camera1=camera, depths=np.asfortranarray(depths)),
    ):
        assert np.array_equal(same.model, found.model) and np.array_equal(same.inliers, found.inliers)
    options = bifocal.RobustOptions(min_inlier_ratio=0.2)
    alone = bifocal.estimate("monodepth_shared_focal", rows, camera1=camera, options=options)
    batch = bifocal.estimate_batch("monodepth_shared_focal", rows, [0, 400], cameras1=camera, options=options)
    assert np.array_equal(batch.models[0], alone.model) and batch.focal_length[0] == alone.focal_length
    lens = bifocal.Camera(1000, 1000, 640, 480, k1=-0.01)
    bent = np.c_[bifocal.distort_points(s.x1, lens), bifocal.distort_points(s.x2, lens)]
    straight = bifocal.estimate("monodepth_shared_focal", bent[:, :2], bent[:, 2:], camera1=lens, depths=depths)
    assert straight.ok and np.abs(straight.focal_length - found.focal_length) < found.focal_deviation
    assert bifocal.two_view.residuals("monodepth_shared_focal", found.model, s.x1, s.x2, camera1=camera)[found.inliers].max() < 2.01


def test_a_camera_pose_with_its_focal_length():
    s = Scene(n=1000, right=0.6, seed=4)
    found = bifocal.estimate_camera_pose_focal(s.x2, s.X, (640, 480))
    assert found.ok and found.kind == "camera_pose_focal" and found.focal_deviation < 20
    assert abs(found.focal_length - 1000) < 5 * found.focal_deviation
    assert angle_deg(found.R, s.R) < 0.3 and np.linalg.norm(found.t - s.t) < 0.2
    batch = bifocal.estimate_batch("camera_pose_focal", np.c_[s.x2, s.X], [0, 1000], cameras1=(1, 1, 640, 480))
    assert abs(batch.focal_length[0] - 1000) < 20 and batch.focal_deviation.shape == (1,)
    # An image of half as many columns has pixels of twice the width.
    wide = bifocal.estimate_camera_pose_focal(s.x2 * (0.5, 1), s.X, (320, 480), aspect_ratio=0.5)
    assert abs(wide.focal_length - 500) < 10


def through_a_lens(x, k):
    u = (x - (640, 480)) / 800
    return (640, 480) + 1600 * u / (1 + np.sqrt(1 - 4 * k * (u**2).sum(1, keepdims=True)))


def test_a_lens_that_nobody_calibrated():
    s = Scene(n=1500, right=0.7, seed=3)
    bent1, bent2 = through_a_lens(s.x1, -0.25), through_a_lens(s.x2, -0.25)
    found = bifocal.estimate_radial_fundamental(bent1, bent2, (640, 480))
    assert found.ok and found.kind == "radial_fundamental" and found.R is None
    assert abs(found.distortion + 0.25) < 5 * found.distortion_deviation < 0.1
    assert sampson(found.model, s.clean1, s.clean2).mean() < 0.5
    alone = bifocal.estimate_fundamental(bent1, bent2)
    assert found.num_inliers > 1.05 * alone.num_inliers and alone.distortion is None
    again = pickle.loads(pickle.dumps(found))
    assert again.distortion == found.distortion and again.distortion_deviation == found.distortion_deviation
    wide = bifocal.estimate_radial_fundamental(bent1 * (2, 1), bent2 * (2, 1), (1280, 480), unit=1600, aspect_ratio=2)
    assert abs(wide.distortion - found.distortion) < 0.02
    batch = bifocal.estimate_batch("radial_fundamental", np.c_[bent1, bent2], [0, 1500, 1500], cameras1=(800, 800, 640, 480))
    assert abs(batch.distortion[0] + 0.25) < 0.05 and batch.distortion_deviation.shape == (2,)
    assert batch.distortion_deviation[0] < 0.1 and np.isnan(batch.distortion[1]) and np.isnan(batch.distortion_deviation[1])


def test_affine_and_similarity():
    s = Scene()
    A = np.array([[1.1, 0.2, 5], [-0.1, 0.9, 8], [0, 0, 1]])
    x2 = np.where(s.right[:, None], s.x1 @ A[:2, :2].T + A[:2, 2], s.x2)
    found = bifocal.estimate("affine", s.x1, x2)
    assert found.ok and np.abs(found.model / found.model[2, 2] - A).max() < 1e-6
    c, sn = 1.2 * np.cos(0.3), 1.2 * np.sin(0.3)
    x2 = np.where(s.right[:, None], s.x1 @ np.array([[c, sn], [-sn, c]]) + [3, 4], s.x2)
    found = bifocal.estimate("similarity", s.x1, x2)
    assert found.ok and np.abs(found.model / found.model[2, 2] - [[c, -sn, 3], [sn, c, 4], [0, 0, 1]]).max() < 1e-6


def test_not_finite_points_are_named_and_left_out():
    s = Scene()
    s.x1[7, 0], s.x2[9, 1] = np.nan, np.inf
    found = bifocal.estimate_fundamental(s.x1, s.x2)
    assert found.ok and found.not_finite.tolist() == [7, 9] and not found.inliers[[7, 9]].any()


def test_wrong_matches_alone_have_no_model():
    rng = np.random.default_rng(3)
    for seed in range(5):
        found = bifocal.estimate_fundamental(rng.uniform(0, 1000, (300, 2)), rng.uniform(0, 1000, (300, 2)))
        assert not found.ok and found.reason in ("no_model", "not_significant", "degenerate_sample")


def test_same_input_same_bytes_whatever_the_layout():
    s = Scene()
    expected = bifocal.estimate_fundamental(s.x1, s.x2).model
    big = np.zeros((600, 7))
    big[:, [1, 3]] = s.x1
    for x1, x2 in [
        (np.asfortranarray(s.x1), s.x2),
        (big[:, 1:5:2], np.ascontiguousarray(s.x2[::-1])[::-1]),
        (s.x1.tolist(), s.x2.tolist()),
    ]:
        assert np.array_equal(bifocal.estimate_fundamental(x1, x2).model, expected)
    assert np.array_equal(bifocal.estimate_fundamental(s.rows).model, expected)
    single = bifocal.estimate_fundamental(s.x1.astype(np.float32), s.x2.astype(np.float32)).model
    widened = bifocal.estimate_fundamental(s.x1.astype(np.float32).astype(float), s.x2.astype(np.float32).astype(float)).model
    assert np.array_equal(single, widened)
    whole = bifocal.estimate_fundamental(s.x1.astype(int), s.x2.astype(int)).model
    assert np.array_equal(whole, bifocal.estimate_fundamental(s.x1.astype(int).astype(float), s.x2.astype(int).astype(float)).model)


def test_dense_doubles_are_read_in_place():
    rows = Scene().rows
    assert bifocal._core.reads_in_place(rows)
    rows.flags.writeable = False
    assert bifocal._core.reads_in_place(rows)
    assert not bifocal._core.reads_in_place(rows.astype(np.float32))
    assert not bifocal._core.reads_in_place(rows[:, ::-1])


def test_results_live_longer_than_their_estimate():
    s = Scene()
    inliers = bifocal.estimate_fundamental(s.x1, s.x2).inliers
    expected = inliers.copy()
    for seed in range(20):
        bifocal.estimate_fundamental(s.x1, s.x2, options=bifocal.RobustOptions(seed=seed))
    assert np.array_equal(inliers, expected)


def test_weights_and_qualities_matter():
    s = Scene(right=0.4)
    only = bifocal.estimate_fundamental(s.x1, s.x2, weights=s.right.astype(np.float32))
    assert only.ok and only.iterations <= 256
    plain = bifocal.estimate_fundamental(s.x1, s.x2)
    told = bifocal.estimate_fundamental(s.x1, s.x2, qualities=s.right.astype(float))
    assert told.ok and told.iterations < plain.iterations


def test_options_reach_the_library():
    s = Scene()
    few = bifocal.estimate_fundamental(s.x1, s.x2, options=bifocal.RobustOptions(min_iterations=1, max_iterations=3))
    assert few.iterations <= 3
    tight = bifocal.estimate_fundamental(s.x1, s.x2, options=bifocal.RobustOptions(threshold=0.3))
    assert tight.num_inliers < bifocal.estimate_fundamental(s.x1, s.x2).num_inliers


def test_opencl_agrees_where_there_is_a_device():
    if not any(d["id"] == "opencl:0" for d in bifocal.devices()):
        pytest.skip("no OpenCL device")
    s = Scene(n=200)
    here, there = (bifocal.estimate_homography(*[Scene(n=200, plane=True).rows], device=d) for d in ("cpu", "opencl:0"))
    assert there.ok and np.abs(here.model - there.model).max() < 1e-5 * np.abs(here.model).max()
    assert len(s.rows) == 200
