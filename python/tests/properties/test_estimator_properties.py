"""Robust estimators and bundle adjustment on scenes in any unit, with outliers, NaN, duplicates and unequal cameras."""

import numpy as np
import pytest
from registry import TwoViews, holds, off_rotation, projected, random_rotation, rotation_of

import bifocal
import bifocal.cv
import bifocal.poselib

TWO_VIEW = ("homography", "fundamental", "essential")


def angle_deg(R, S):
    return np.degrees(2 * np.arcsin(min(1, np.linalg.norm(R - S) / np.sqrt(8))))


def direction_deg(a, b):
    return np.degrees(np.arctan2(np.linalg.norm(np.cross(a, b)), a @ b))


def with_outliers(rng, s, share):
    """Replaces a share of the matches of image 2 by random points; returns the flags of the unchanged matches."""
    right = rng.uniform(size=len(s.x1)) >= share
    s.x2[~right] = s.x2.min(0) + rng.uniform(size=((~right).sum(), 2)) * np.ptp(s.x2, axis=0)
    return right


@holds("bifocal.estimate_relative_pose", "bifocal.estimate_fundamental", "bifocal.estimate", "cv.findEssentialMat", "cv.findFundamentalMat", "poselib.estimate_relative_pose", "poselib.estimate_fundamental", reference="truth", cases=40)
def test_two_view_models_of_unequal_cameras(rng):
    """With 40 % outliers, 0.3 px of noise and two cameras of unequal focal lengths the pose is within five stated deviations or 2 degrees."""
    while True:
        s = TwoViews(rng, n=300, noise=0.3)
        if np.linalg.norm(s.t) > 0.08 * np.median(s.X[:, 2]):
            break
    right = with_outliers(rng, s, 0.4)
    found = bifocal.estimate_relative_pose(s.x1, s.x2, s.K1, s.K2)
    assert found and off_rotation(found.R) < 1e-9 and abs(np.linalg.norm(found.t) - 1) < 1e-9, found.reason
    covariance = bifocal.two_view.relative_pose_covariance(found.R, found.t, s.x1, s.x2, s.K1, s.K2, inliers=found.inliers)
    deviation = np.degrees(np.sqrt(np.trace(covariance.pose[:3, :3])))
    assert angle_deg(found.R, s.R) < max(5 * deviation, 0.5), f"{angle_deg(found.R, s.R)} deg, stated {deviation}"
    assert np.mean(found.inliers[right]) > 0.95 and np.mean(found.inliers[~right]) < 0.2
    F = bifocal.estimate_fundamental(s.x1, s.x2)
    assert F and np.abs(np.linalg.det(F.model)) < 1e-9
    assert np.median(bifocal.two_view.residuals("fundamental", F.model, s.clean1, s.clean2)) < 0.5
    E, mask = bifocal.cv.findEssentialMat(s.x1, s.x2, s.K1, None, s.K2, None)
    assert E is not None and np.mean(mask.ravel()[right]) > 0.9
    assert np.median(bifocal.two_view.residuals("fundamental", bifocal.cv.findFundamentalMat(s.x1, s.x2)[0], s.clean1, s.clean2)) < 0.5
    cameras = [{"model": "PINHOLE", "width": 1280, "height": 960, "params": [K[0, 0], K[1, 1], K[0, 2] + 0.5, K[1, 2] + 0.5]} for K in (s.K1, s.K2)]
    pose, _ = bifocal.poselib.estimate_relative_pose(s.x1 + 0.5, s.x2 + 0.5, *cameras, {"max_epipolar_error": 2.0}, {})
    assert angle_deg(pose.R, s.R) < max(5 * deviation, 0.5)
    assert bifocal.poselib.estimate_fundamental(s.x1, s.x2, {}, {})[0].shape == (3, 3)


@holds("bifocal.estimate_homography", "cv.findHomography", "poselib.estimate_homography", reference="truth and OpenCV", cases=40)
def test_homographies_of_planes(rng):
    """With 40 % outliers H maps clean points within 1 px, and with LMEDS and 7 to 9 points the median error is at most OpenCV's or three times the noise."""
    s = TwoViews(rng, n=200, noise=0.3, plane=True)
    with_outliers(rng, s, 0.4)
    for H in (bifocal.estimate_homography(s.x1, s.x2).model, bifocal.cv.findHomography(s.x1, s.x2, bifocal.cv.RANSAC)[0], bifocal.poselib.estimate_homography(s.x1, s.x2, {}, {})[0]):
        off = np.linalg.norm(projected(np.c_[s.clean1, np.ones(len(s.clean1))], H) - s.clean2, axis=1)
        assert np.median(off) < 1, np.median(off)
    cv2 = pytest.importorskip("cv2")
    n = int(rng.integers(7, 10))
    few = TwoViews(rng, n=n, noise=0.3, plane=True)
    errors = []
    for module in (bifocal.cv, cv2):
        H = module.findHomography(few.x1, few.x2, module.LMEDS)[0]
        errors.append(np.median(np.linalg.norm(projected(np.c_[few.x1, np.ones(n)], H) - few.x2, axis=1)))
    assert errors[0] < max(errors[1] * 1.05, 0.9), f"LMEDS median {errors[0]}, OpenCV {errors[1]}"


@holds("bifocal.estimate_absolute_pose", "cv.solvePnPRansac", "cv.solvePnP", "poselib.estimate_absolute_pose", reference="truth", cases=40)
def test_absolute_poses_in_any_unit(rng):
    """With 40 % outliers the camera is within 0.3 degrees for scenes in millimetres or kilometres."""
    s = TwoViews(rng, n=200, noise=0.3, largest_deg=180)
    right = with_outliers(rng, s, 0.4)
    found = bifocal.estimate_absolute_pose(s.x2, s.X, s.K2)
    assert found and off_rotation(found.R) < 1e-9 and angle_deg(found.R, s.R) < 0.3, f"{found.reason}"
    assert np.mean(found.inliers == right) > 0.95
    ok, w, t, _ = bifocal.cv.solvePnPRansac(s.X, s.x2, s.K2, None)
    assert ok and angle_deg(rotation_of(w.ravel()), s.R) < 0.3
    ok, w, t = bifocal.cv.solvePnP(s.X[right], s.x2[right], s.K2, None)
    assert ok and angle_deg(rotation_of(w.ravel()), s.R) < 0.3
    camera = {"model": "PINHOLE", "width": 1280, "height": 960, "params": [s.K2[0, 0], s.K2[1, 1], s.K2[0, 2] + 0.5, s.K2[1, 2] + 0.5]}
    assert angle_deg(bifocal.poselib.estimate_absolute_pose(s.x2 + 0.5, s.X, camera, {"max_reproj_error": 2.0}, {})[0].R, s.R) < 0.3


@holds("bifocal.estimate_camera_pose_focal", reference="truth", cases=30, allowed=1)
def test_focal_lengths_of_absolute_poses(rng):
    """The focal length is within five stated deviations, and the stated deviation is below 1 % with 120 correct points in a deep scene."""
    s = TwoViews(rng, n=200, noise=0.3, largest_deg=180)
    with_outliers(rng, s, 0.4)
    found = bifocal.estimate_camera_pose_focal(s.x2, s.X, s.K2[:2, 2], aspect_ratio=s.K2[0, 0] / s.K2[1, 1])
    off = min(abs(found.focal_length - s.K2[k, k]) for k in range(2))
    assert found and off < 5 * found.focal_deviation and found.focal_deviation < 0.02 * found.focal_length, f"{found.focal_length} +- {found.focal_deviation}, off {off}"


@holds("bifocal.estimate", "bifocal.estimate_homography", "bifocal.estimate_relative_pose", reference="the known noise", cases=40, allowed=2)
def test_the_stated_noise_does_not_follow_the_threshold(rng):
    """`noise` is within a factor of 1.5 of the true deviation of the coordinates for thresholds of 5 and of 50 times that deviation."""
    noise = 10 ** rng.uniform(-2.5, -0.5)
    s = TwoViews(rng, n=200, noise=noise, plane=True)
    for threshold in (5 * noise, 50 * noise):
        found = bifocal.estimate_homography(s.x1, s.x2, threshold=threshold)
        assert found and 1 / 1.5 < found.noise / noise < 1.5, f"threshold {threshold}: {found.noise}, truth {noise}"
    s = TwoViews(rng, n=200, noise=noise)
    found = bifocal.estimate_absolute_pose(s.x2, s.X, s.K2, threshold=50 * noise)
    assert found and 1 / 1.5 < found.noise / noise < 1.5, f"pose: {found.noise}, truth {noise}"


@holds("bifocal.estimate_shared_focal_relative_pose", "bifocal.estimate_monodepth_shared_focal_relative_pose", "poselib.estimate_shared_focal_relative_pose", reference="truth", cases=25, allowed=1)
def test_shared_focal_lengths(rng):
    """The true focal length is within four stated deviations or 1 %, for cameras with a general motion."""
    f = np.exp(rng.uniform(np.log(500), np.log(2500)))
    K = np.array([[f, 0, 640], [0, f, 480], [0, 0, 1]])
    R, t = rotation_of(rng.normal(size=3) * 0.25), rng.normal(size=3) * (1, 1, 0.5)
    X = np.c_[rng.uniform(-1, 1, (300, 2)) * (640 / f, 480 / f) * 6, np.zeros(300)] + np.c_[np.zeros((300, 2)), rng.uniform(4, 9, 300)]
    Y = (X - (0, 0, 6)) @ R.T + (0, 0, 6) + t * 0.6
    x1, x2 = (projected(P, K) + 0.3 * rng.normal(size=(300, 2)) for P in (X, Y))
    x2[:90] = rng.uniform([0, 0], [1280, 960], (90, 2))
    for found in (bifocal.estimate_shared_focal_relative_pose(x1, x2, (640, 480)), bifocal.estimate_monodepth_shared_focal_relative_pose(x1, x2, np.c_[X[:, 2], Y[:, 2]], (640, 480))):
        assert found and abs(found.focal_length - f) < max(4 * found.focal_deviation, 0.01 * f), f"{found.focal_length} +- {found.focal_deviation}, truth {f}"
    assert bifocal.poselib.estimate_shared_focal_relative_pose(x1, x2, (640, 480), {}, {})[0] is not None


@holds("bifocal.estimate_radial_fundamental", reference="truth", cases=15, allowed=1)
def test_radial_distortion_of_two_views(rng):
    """The division coefficient is within four stated deviations or 0.02."""
    k = rng.uniform(-0.3, 0.1)
    camera = bifocal.LensCamera("SIMPLE_DIVISION", (800, 640, 480, k), 1280, 960)
    s = TwoViews(rng, n=10)
    R, t = random_rotation(rng, 15), rng.normal(size=3)
    X = np.c_[rng.uniform(-3, 3, (300, 2)), rng.uniform(4, 9, 300)]
    fx, fy, cx, cy = bifocal.pinhole_of(camera)
    P = np.array([[fx, 0, cx], [0, fy, cy], [0, 0, 1]])
    x1, x2 = (bifocal.distort_points(projected(Y, P), camera) + 0.2 * rng.normal(size=(300, 2)) for Y in (X, X @ R.T + 0.5 * t))
    found = bifocal.estimate_radial_fundamental(x1, x2, (640, 480), unit=800.0)
    assert found and abs(found.distortion - k) < max(4 * found.distortion_deviation, 0.02), f"{found.distortion} +- {found.distortion_deviation}, truth {k}"


@holds("bifocal.estimate_batch", "bifocal.estimate", reference="single estimates", cases=10)
def test_batches_are_single_estimates(rng):
    """A batch of pairs of unequal size, with NaN rows and empty pairs, gives the numbers of single calls."""
    options = bifocal.RobustOptions(min_inlier_ratio=0.2)
    scenes = [TwoViews(rng, n=int(rng.integers(8, 90)), noise=0.3) for _ in range(5)]
    rows = [np.c_[s.x1, s.x2] for s in scenes] + [np.zeros((0, 4)), rng.uniform(0, 900, (40, 4))]
    rows[0][3, 1] = np.nan
    batch = bifocal.estimate_batch("fundamental", np.concatenate(rows), np.cumsum([0, *map(len, rows)]), options=options)
    for k, r in enumerate(rows):
        one = bifocal.estimate("fundamental", r, options=options)
        assert bool(batch.ok[k]) == one.ok and np.array_equal(batch.models[k], one.model), k


@holds("doubts.find_repetition", "doubts.find_repetition_batch", "doubts.mirror_doubt", reference="truth", cases=10)
def test_doubts_do_not_fall_on_ordinary_scenes(rng):
    """Random scenes without repetition raise no doubt, and the batch equals the single test."""
    s = TwoViews(rng, n=200, noise=0.3)
    with_outliers(rng, s, 0.3)
    options = bifocal.RobustOptions(min_inlier_ratio=0.2)
    found = bifocal.estimate_relative_pose(s.x1, s.x2, s.K1, s.K2, options=options)
    one = bifocal.doubts.find_repetition(found, s.x1, s.x2, camera1=s.K1, camera2=s.K2, options=options)
    assert not one.is_doubted, one
    assert bifocal.doubts.mirror_doubt(found, s.x1, s.x2, camera1=s.K1, camera2=s.K2, options=options) == ""
    rows = np.c_[s.x1, s.x2]
    batch = bifocal.estimate_batch("essential", rows, [0, len(rows)], cameras1=s.K1[None], cameras2=s.K2[None], options=options)
    assert bifocal.doubts.find_repetition_batch(batch, rows, cameras1=s.K1[None], cameras2=s.K2[None], options=options)[0] == one
    K, R, t = np.array([[900.0, 0, 640], [0, 900, 480], [0, 0, 1]]), random_rotation(rng, 20), rng.normal(size=3) * (1, 1, 0.3)
    X = np.c_[rng.uniform(-3, 3, (200, 2)), rng.uniform(5, 9, 200)]
    x1, x2 = projected(X, K), projected(X @ R.T + t / np.linalg.norm(t), K) * (-1, 1) + (1280, 0)
    found = bifocal.estimate_relative_pose(x1, x2, K, options=options)
    if not found or found.num_inliers < 150:  # else the mirrored scene is a possible one
        assert not found or bifocal.doubts.mirror_doubt(found, x1, x2, camera1=K, options=options), f"mirrored: {found}"


def block(rng, unit=1.0, origin=(0, 0, 0)):
    """Returns the arguments of `adjust` for 6 images of two cameras and 25 noisy points, scaled by `unit` and moved by `origin`."""
    cameras = [bifocal.LensCamera("SIMPLE_RADIAL", (900, 640, 480, -0.05), 1280, 960), bifocal.LensCamera("PINHOLE", (1000, 1010, 640, 480), 1280, 960)]
    X = rng.uniform(-2, 2, (25, 3)) + (0, 0, 7)
    R = np.array([rotation_of(rng.normal(size=3) * 0.1) for _ in range(6)])
    C = np.c_[np.linspace(-1.5, 1.5, 6), rng.normal(size=(6, 2)) * 0.3]
    which = np.array([0, 1, 0, 1, 0, 1])
    obs, image, point = [], [], []
    for i in range(6):
        fx, fy, cx, cy = bifocal.pinhole_of(cameras[which[i]])
        P = np.array([[fx, 0, cx], [0, fy, cy], [0, 0, 1]])
        x = bifocal.distort_points(projected((X - C[i]) @ R[i].T, P), cameras[which[i]])
        for k in np.flatnonzero(np.isfinite(x).all(1)):
            obs.append(x[k] + 0.5 * rng.normal(size=2))
            image.append(i)
            point.append(k)
    start = X + 0.01 * rng.normal(size=X.shape)
    centre = C + 0.01 * rng.normal(size=C.shape)
    move = lambda P: P * unit + origin
    t = -np.einsum("nij,nj->ni", R, move(centre))
    return cameras, R, t, move(start), np.array(obs), np.array(image), np.array(point), which


@holds("bifocal.adjust", reference="the same block at the origin", cases=8)
def test_adjustment_does_not_depend_on_the_frame(rng):
    """The final cost and the focal lengths equal the results of the block at the origin to 1e-6, in UTM, in geocentric coordinates and in any unit."""
    seed = rng.integers(1 << 30)
    build = lambda *a: block(np.random.default_rng(seed), *a)
    options = bifocal.AdjustOptions(max_iterations=100)
    at = bifocal.adjust(*build(), options=options)
    assert at.is_converged
    for unit, origin in ((1, (5e5, 5.4e6, 100)), (1, (4.1e6, 9e5, 4.8e6)), (1e-4, (0, 0, 0)), (1e4, (0, 0, 0))):
        there = bifocal.adjust(*build(unit, origin), options=options)
        assert abs(there.final_cost / at.final_cost - 1) < 1e-6, f"unit {unit}, origin {origin}: cost {there.final_cost}, {at.final_cost}"
        assert abs(there.cameras[0].params[0] / at.cameras[0].params[0] - 1) < 1e-4


@holds("bifocal.adjust", reference="SciPy least_squares", cases=2)
def test_adjustment_reaches_the_minimum(rng):
    """The final cost equals SciPy's minimum over poses, points and the same intrinsics within 1e-5."""
    least_squares = pytest.importorskip("scipy.optimize").least_squares
    cameras, R, t, X, obs, image, point, which = block(rng)
    found = bifocal.adjust(cameras, R, t, X, obs, image, point, which, constant_params=("focal_length", "principal_point", "extra_params"), options=bifocal.AdjustOptions(max_iterations=100))
    assert np.isfinite(found.errors[found.used]).all()
    k1 = cameras[0].params[3]

    def errors(p):
        w, tt, P = p[:18].reshape(6, 3), p[18:36].reshape(6, 3), p[36:].reshape(-1, 3)
        Rs = np.array([rotation_of(w[i]) @ R[i] for i in range(6)])
        Y = np.einsum("nij,nj->ni", Rs[image], P[point]) + tt[image]
        xy = Y[:, :2] / Y[:, 2:]
        radial = which[image] == 0
        xy[radial] *= 1 + k1 * (xy[radial] ** 2).sum(1)[:, None]
        f = np.where(radial[:, None], 900, (1000, 1010))
        return (xy * f + (640, 480) - obs).ravel()

    best = least_squares(errors, np.r_[np.zeros(18), found.t.ravel(), found.points.ravel()], method="trf", xtol=1e-12, ftol=1e-12, gtol=1e-10, max_nfev=60)
    assert abs(found.final_cost / best.cost - 1) < 1e-5, f"{found.final_cost}, SciPy {best.cost}"
