"""Cameras with lenses, including fisheyes, in every estimator that takes cameras."""

import numpy as np
import pytest
from scenes import Scene, angle_deg, direction_deg

import bifocal
from bifocal import cv, poselib

# Parameters without cx, cy: focal length of about 1000 px, image of 1280 x 960 px.
LENSES = {
    "SIMPLE_RADIAL": ((1000,), (-0.2,)),
    "OPENCV": ((1000, 990), (-0.2, 0.05, 1e-3, -2e-3)),
    "FULL_OPENCV": ((1000, 990), (-0.2, 0.05, 1e-3, -2e-3, 1e-3, 0.01, 1e-3, 0)),
    "OPENCV_FISHEYE": ((1000, 990), (0.02, -0.01, 2e-3, -1e-3)),
    "SIMPLE_RADIAL_FISHEYE": ((1000,), (0.05,)),
    "RADIAL_FISHEYE": ((1000,), (0.05, -0.01)),
    "THIN_PRISM_FISHEYE": ((1000, 990), (0.02, -0.01, 1e-3, 1e-3, 1e-3, -1e-3, 2e-3, 1e-3)),
    "FOV": ((1000, 990), (0.8,)),
    "DIVISION": ((1000, 990), (-0.2,)),
    "EUCM": ((1000, 990), (0.6, 1.1)),
}


def camera_of(model):
    focal, lens = LENSES[model]
    return bifocal.LensCamera(model, (*focal, 640, 480, *lens), 1280, 960)


class Distorted(Scene):
    """Projects the pinhole scene (f = 1000 px) through a camera with a lens."""

    def __init__(self, camera, **more):
        super().__init__(noise=0, **more)
        fx, fy, cx, cy = bifocal.pinhole_of(camera)
        noise = 0.3 * np.random.default_rng(1).normal(size=(2, *self.x1.shape))
        self.x1, self.x2 = (
            bifocal.distort_points((x - (640, 480)) / 1000 * (fx, fy) + (cx, cy), camera) + e for x, e in zip((self.x1, self.x2), noise)
        )


@pytest.mark.parametrize("model", LENSES)
def test_poses_by_every_lens(model):
    camera = camera_of(model)
    s = Distorted(camera, n=500, right=0.8, seed=4)
    found = bifocal.estimate_relative_pose(s.x1, s.x2, camera)
    assert found.ok and angle_deg(found.R, s.R) < 0.2 and direction_deg(found.t, s.t) < 2
    absolute = bifocal.estimate_absolute_pose(s.x2, s.X, camera)
    assert absolute.ok and angle_deg(absolute.R, s.R) < 0.1 and np.linalg.norm(absolute.t - s.t) < 0.02
    straight = bifocal.estimate_relative_pose(s.x1, s.x2, bifocal.pinhole_of(camera))
    assert not straight.ok or straight.rms > 1.5 * found.rms  # the lens changes the result
    options = bifocal.RobustOptions(min_inlier_ratio=0.2)
    batch = bifocal.estimate_batch("essential", np.r_[s.rows, s.rows], [0, 500, 1000], cameras1=[camera, camera], options=options)
    alone = bifocal.estimate("essential", s.rows, camera1=camera, options=options)
    assert batch.ok.all() and np.array_equal(batch.models[1], alone.model)
    poses = bifocal.estimate_batch("absolute_pose", np.c_[s.x2, s.X], [0, 500], cameras1=camera)
    assert np.allclose(poses.R[0], absolute.R, atol=1e-3)


def test_pieces_take_lenses():
    camera = camera_of("OPENCV_FISHEYE")
    s = Distorted(camera, n=300, right=1.0, seed=5)
    errors = bifocal.two_view.residuals("essential", s.E, s.x1, s.x2, camera1=camera)
    assert 0.1 < np.median(errors) < 0.5
    X = bifocal.triangulate(s.x1, s.x2, camera, None, s.R, s.t)
    assert np.median(np.linalg.norm(X - s.X, axis=1)) < 0.1
    assert bifocal.recover_pose(s.E, s.x1, s.x2, camera).in_front.mean() > 0.95
    R, t = s.R, s.t
    assert np.median(bifocal.two_view.pose_residuals(R, t, s.x2, s.X, camera)) < 0.6


def test_points_without_a_place_are_left_out_by_index():
    camera = bifocal.LensCamera("SIMPLE_FISHEYE", (400, 640, 480), 1280, 960)
    edge = 400 * np.radians(80)
    moved = bifocal.undistort_points([[640 + edge - 1, 480], [640 + edge + 1, 480], [640, 480]], camera)
    assert np.isfinite(moved[0]).all() and np.isnan(moved[1]).all() and np.allclose(moved[2], (640, 480))
    s = Distorted(camera, n=200, right=1.0, seed=6)
    x1, x2 = s.x1.copy(), s.x2.copy()
    x1[7] = 640 + edge + 30, 480
    for points in ((x1, x2), (np.c_[x1, x2], None)):
        found = bifocal.estimate("essential", *points, camera1=camera)
        assert found.ok and found.not_finite.tolist() == [7] and not found.inliers[7]
    batch = bifocal.estimate_batch("essential", np.c_[x1, x2], [0, 200], cameras1=camera)
    assert batch.ok[0] and not batch.inliers[7]
    far = np.tile([640 + edge + 30.0, 480], (50, 1))
    assert bifocal.estimate_relative_pose(far, far, camera).reason == "too_few_points"


def test_cameras_of_others():
    d = {"model": "OPENCV_FISHEYE", "width": 1280, "height": 960, "params": [400.0, 410, 640.5, 480.5, 0.03, -0.01, 2e-3, -1e-3]}
    ours = bifocal.LensCamera("OPENCV_FISHEYE", (400, 410, 640, 480, 0.03, -0.01, 2e-3, -1e-3), 1280, 960)
    assert bifocal.LensCamera.from_colmap(d) == ours
    K = np.array([[400, 0, 640], [0, 410, 480], [0, 0, 1.0]])
    assert bifocal.LensCamera.fisheye(K, [0.03, -0.01, 2e-3, -1e-3], 1280, 960) == ours
    s = Distorted(ours, n=300, right=0.9, seed=8)
    camera = {**d, "params": list(ours.params)}
    pose, info = poselib.estimate_relative_pose(s.x1, s.x2, camera, camera)
    assert info["num_inliers"] > 200 and angle_deg(pose.R, s.R) < 0.5
    pose, info = poselib.estimate_absolute_pose(s.x2, s.X, camera)
    assert angle_deg(pose.R, s.R) < 0.2


def test_opencv_fisheye():
    K = np.array([[400.0, 0, 640], [0, 410, 480], [0, 0, 1]])
    D = np.array([0.03, -0.01, 2e-3, -1e-3])
    rng = np.random.default_rng(9)
    rays = rng.uniform(-2, 2, (200, 1, 2))
    r = np.linalg.norm(rays, axis=-1, keepdims=True)
    a = np.arctan(r)
    formula = rays * a * (1 + D[0] * a**2 + D[1] * a**4 + D[2] * a**6 + D[3] * a**8) / r * (400, 410) + (640, 480)
    assert np.allclose(cv.fisheye.distortPoints(rays, K, D), formula, atol=1e-9)
    assert np.allclose(cv.fisheye.undistortPoints(formula, K, D), rays, atol=1e-9)
    turn = np.array([0.02, -0.03, 0.04])
    px = cv.fisheye.undistortPoints(formula.astype(np.float32), K, D, turn, K)
    assert px.dtype == np.float32 and px.shape == (200, 1, 2)
    cv2 = pytest.importorskip("cv2")
    assert np.allclose(cv2.fisheye.undistortPoints(formula, K, D, R=turn, P=K), cv.fisheye.undistortPoints(formula, K, D, turn, K), atol=1e-4)
    assert np.allclose(cv2.fisheye.distortPoints(rays, K, D), formula, atol=1e-6)


def test_opencv_fisheye_pose():
    K, D = np.array([[400.0, 0, 640], [0, 410, 480], [0, 0, 1]]), np.array([0.03, -0.01, 2e-3, -1e-3])
    s = Distorted(bifocal.LensCamera.fisheye(K, D), n=300, right=0.7, seed=10)
    ok, rvec, tvec, inliers = cv.fisheye.solvePnPRansac(s.X, s.x2[:, None], K, D, reprojectionError=2.0)
    assert ok and rvec.shape == tvec.shape == (3, 1) and inliers.dtype == np.int32
    assert np.linalg.norm(tvec.ravel() - s.t) < 0.05 and s.right[inliers.ravel()].mean() > 0.98
    assert cv.fisheye.solvePnPRansac(s.X[:4], s.x2[:4], K, D)[3].tolist() == [[0], [1], [2], [3]]
    with pytest.raises(ValueError, match="objectPoints: 3 points"):
        cv.fisheye.solvePnPRansac(s.X[:3], s.x2[:3], K, D)


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: bifocal.LensCamera("EQUIRECTANGULAR", (1, 2)), ValueError, "camera: model EQUIRECTANGULAR, which is not supported"),
        (lambda: bifocal.LensCamera("FISHEYE", (1, 2)), ValueError, "camera: 2 params, FISHEYE has 4"),
        (lambda: bifocal.LensCamera("PINHOLE", (1, 1, 2, 3), -5, 3), ValueError, "camera: width -5, height 3: must be at least 1 px"),
        (lambda: bifocal.LensCamera("FISHEYE", (1, np.inf, 2, 3)), ValueError, r"camera: params\[1\] = inf"),
        (lambda: bifocal.LensCamera.fisheye(np.eye(3), [1, 2, 3]), ValueError, "D: 3 coefficients, must be 4"),
        (lambda: bifocal.Collection().verify(kind="essential", cameras=(0, 1, 0, 0)), ValueError, "cameras: fx = 0"),
        (lambda: cv.fisheye.undistortPoints(np.zeros((3, 3)), np.eye(3), np.zeros(4)), ValueError, r"distorted: shape \(3, 3\)"),
    ],
)
def test_what_does_not_fit_is_named(make, error, message):
    with pytest.raises(error, match=message):
        make()
