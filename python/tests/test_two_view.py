"""Single steps of two-view geometry: estimated models are decomposed and composed again."""

import math

import numpy as np
import pytest
from scenes import K, Scene, angle_deg, sampson, transfer

import bifocal
from bifocal import cv

S = Scene()


def test_residuals_are_sampson_distances():
    F = np.linalg.inv(K).T @ S.E @ np.linalg.inv(K)
    assert np.allclose(bifocal.two_view.residuals("fundamental", F, S.x1, S.x2), sampson(F, S.x1, S.x2), rtol=1e-6)
    assert np.allclose(bifocal.two_view.residuals("essential", S.E, S.x1, S.x2, camera1=K), sampson(F, S.x1, S.x2), rtol=1e-6)
    plane = Scene(plane=True)
    errors = bifocal.two_view.residuals("homography", plane.H, plane.rows)
    ratio = errors[plane.right] / transfer(plane.H, plane.x1, plane.x2)[plane.right]
    assert 0.6 < np.median(ratio) < 0.8  # about 1 / sqrt(2)
    errors = bifocal.two_view.pose_residuals(S.R, S.t, S.clean2, S.X, K)
    assert np.abs(errors).max() < 1e-6


def test_refine_betters_a_rough_start():
    found = bifocal.estimate_relative_pose(S.x1, S.x2, K)
    rough = found.model * (1 + 0.002 * np.cos(np.arange(9)).reshape(3, 3))
    fit = bifocal.two_view.refine("essential", rough, S.x1, S.x2, camera1=K, inliers=found.inliers)
    start = bifocal.two_view.residuals("essential", rough, S.x1, S.x2, camera1=K)[found.inliers]
    assert fit.fitted == found.num_inliers and fit.rms < np.sqrt((start**2).mean()) and fit.steps > 0
    assert fit.rms <= np.sqrt((bifocal.two_view.residuals("essential", found.model, S.x1, S.x2, camera1=K)[found.inliers] ** 2).mean()) + 1e-9
    kept = bifocal.two_view.refine("essential", rough, S.x1, S.x2, camera1=K, threshold=3.0)
    assert kept.fitted < len(S.x1) and kept.rms < 1
    pose = bifocal.two_view.refine_absolute_pose(S.R, S.t + 0.05, S.x2[S.right], S.X[S.right], K)
    assert angle_deg(pose.model, S.R) < 0.1 and np.linalg.norm(pose.t - S.t) < 0.02


def test_poses_of_an_essential_matrix():
    poses = bifocal.two_view.decompose_essential(S.E)
    assert min(angle_deg(R, S.R) for R in (poses.R1, poses.R2)) < 1e-4 and abs(abs(poses.t @ S.t) - 1) < 1e-12
    pose = bifocal.recover_pose(S.E, S.clean1, S.clean2, K)
    assert np.allclose(pose.R, S.R) and np.allclose(pose.t, S.t) and pose.in_front.all()
    some = bifocal.recover_pose(S.E, S.clean1, S.clean2, K, K, inliers=S.right)
    assert np.array_equal(some.in_front, S.right)


def test_the_model_of_a_pair_is_chosen():
    plane = Scene(plane=True)
    for scene, kind in ((S, "fundamental"), (plane, "homography")):
        homography = bifocal.estimate_homography(scene.x1, scene.x2)
        choice = bifocal.two_view.choose_model(scene.x1, scene.x2, homography, bifocal.estimate_fundamental(scene.x1, scene.x2))
        assert choice.kind == kind and choice.reason
    pose = bifocal.estimate_relative_pose(S.x1, S.x2, K)
    assert bifocal.two_view.choose_model(S.x1, S.x2, bifocal.estimate_homography(S.x1, S.x2), pose, K, K).rule in ("general", "no_homography")
    with pytest.raises(ValueError, match="homography: an estimate of essential"):
        bifocal.two_view.choose_model(S.x1, S.x2, pose, pose, K, K)


def test_motions_of_a_homography():
    plane = Scene(plane=True)
    motions = bifocal.two_view.decompose_homography(plane.H, K, None, plane.clean1, plane.clean2)
    assert 1 <= len(motions) <= 3 and len(bifocal.two_view.decompose_homography(plane.H, K)) == 4
    assert min(np.abs(m.R - plane.R).max() for m in motions) < 1e-6


def test_triangulated_points():
    X = bifocal.triangulate(S.clean1, S.clean2, K, None, S.R, S.t)
    assert np.abs(X - S.X).max() < 1e-4
    assert np.isnan(bifocal.triangulate(S.clean1, S.clean2, K, K, S.R, -S.t)).all()
    assert np.array_equal(bifocal.triangulate(S.clean1, S.clean2, K, K, S.R, S.t[:, None]), X)


@pytest.mark.parametrize(
    "call, kind, message",
    [
        (lambda: bifocal.two_view.residuals("absolute_pose", S.R, S.x1, S.x2), ValueError, r"kind: 'absolute_pose'"),
        (lambda: bifocal.two_view.residuals("essential", S.E, S.x1, S.x2), TypeError, r"camera1: None"),
        (lambda: bifocal.two_view.residuals("fundamental", S.E, S.x1, S.x2, camera1=K), TypeError, r"camera1, camera2: given"),
        (lambda: bifocal.two_view.residuals("fundamental", S.E[:2], S.x1, S.x2), ValueError, r"model: shape \(2, 3\)"),
        (lambda: bifocal.two_view.residuals("fundamental", S.E * np.nan, S.x1, S.x2), ValueError, r"model: \[0, 0\] = nan"),
        (lambda: bifocal.two_view.residuals("fundamental", S.E * 0, S.x1, S.x2), ValueError, r"the matrix is zero"),
        (lambda: bifocal.two_view.refine("fundamental", S.E, S.x1, S.x2, inliers=[True]), ValueError, r"inliers: shape \(1,\), must be \(600,\)"),
        (lambda: bifocal.two_view.refine("fundamental", S.E, S.x1, S.x2, inliers=np.ones(600)), TypeError, r"inliers: dtype float64"),
        (lambda: bifocal.two_view.refine("fundamental", S.E, S.x1, S.x2, threshold=-1), ValueError, r"threshold = -1"),
        (lambda: bifocal.triangulate(S.x1, S.x2[:4], K, K, S.R, S.t), ValueError, r"x2: 4 points, but x1 has 600"),
        (lambda: bifocal.triangulate(S.x1, S.x2, K, K, S.R, S.t[:2]), ValueError, r"t: shape \(2,\), must be \(3,\)"),
        (lambda: bifocal.two_view.decompose_homography(S.E, K), ValueError, r"H is singular"),
    ],
)
def test_refused(call, kind, message):
    with pytest.raises(kind, match=message):
        call()


CAMERA = (700.0, 700.0, 320.0, 240.0)


def matches_of(count, angle, seed):
    """Returns px of points seen by two cameras; the second is rotated by `angle` rad about y and moved to the right."""
    rng = np.random.default_rng(seed)
    X = rng.uniform([-2, -1.5, 4], [2, 1.5, 8], (count, 3))
    R = np.array([[np.cos(angle), 0, np.sin(angle)], [0, 1, 0], [-np.sin(angle), 0, np.cos(angle)]])
    Y = X @ R.T + [-0.5, 0.1, 0]
    f, _, cx, cy = CAMERA
    pixels = [f * P[:, :2] / P[:, 2:] + [cx, cy] for P in (X, Y)]
    return [p + rng.normal(0, 0.3, p.shape) for p in pixels]


def joined(*parts):
    return [np.concatenate(points) for points in zip(*parts, strict=True)]


@pytest.mark.parametrize("kind", ["essential", "fundamental"])
def test_outliers_that_agree_with_another_model_are_repeated_structure(kind):
    camera = CAMERA if kind == "essential" else None
    rng = np.random.default_rng(3)
    random = [rng.uniform(0, [640, 480], (100, 2)) for _ in range(2)]
    for others, is_doubted in ((matches_of(100, 0.25, 2), True), (random, False)):
        x1, x2 = joined(matches_of(120, 0, 1), others)
        found = bifocal.estimate(kind, x1, x2, camera1=camera)
        assert found.ok
        doubt = bifocal.doubts.find_repetition(found, x1, x2, camera1=camera)
        assert doubt.is_doubted is is_doubted and bool(doubt.reason) is is_doubted
        assert (doubt.rival_ratio > 0.3) is is_doubted
        if is_doubted:
            assert doubt.rival_inliers > 80


def test_a_batch_has_the_doubts_of_its_pairs():
    rng = np.random.default_rng(3)
    random = [rng.uniform(0, [640, 480], (100, 2)) for _ in range(2)]
    pairs = [joined(matches_of(120, 0, 1), others) for others in (matches_of(100, 0.25, 2), random)]
    rows, offsets = np.concatenate([np.hstack(p) for p in pairs]), [0, 220, 440]
    weights = rng.uniform(0.5, 1, 440)
    for kind, camera in (("essential", CAMERA), ("fundamental", None)):
        found = bifocal.estimate_batch(kind, rows, offsets, cameras1=camera, weights=weights)
        doubts = bifocal.doubts.find_repetition_batch(found, rows, cameras1=camera, weights=weights)
        assert [d.is_doubted for d in doubts] == [True, False] and doubts[0].rival_ratio > 0.3
        one = bifocal.estimate_batch(kind, rows[220:], [0, 220], cameras1=camera, weights=weights[220:])
        assert bifocal.doubts.find_repetition_batch(one, rows[220:], cameras1=camera, weights=weights[220:]) == doubts[1:]
    x1, x2 = (np.stack([p[i] for p in pairs]) for i in range(2))
    found = bifocal.estimate_batch("fundamental", x1, x2=x2)
    assert [d.is_doubted for d in bifocal.doubts.find_repetition_batch(found, x1, x2=x2)] == [True, False]
    with pytest.raises(ValueError, match=r"points: 439 rows, must be 440"):
        bifocal.doubts.find_repetition_batch(found, rows[1:])
    homographies = bifocal.estimate_batch("homography", rows, offsets)
    assert not any(d.is_doubted for d in bifocal.doubts.find_repetition_batch(homographies, rows))
    poses = bifocal.estimate_batch("absolute_pose", np.c_[rows, np.ones(440)], offsets, cameras1=CAMERA)
    with pytest.raises(ValueError, match="absolute_pose"):
        bifocal.doubts.find_repetition_batch(poses, rows, cameras1=CAMERA)


def test_a_mirrored_picture_is_noticed():
    x1, x2 = matches_of(200, 0.1, 4)
    mirrored = x2.copy()
    mirrored[:, 0] = 2 * CAMERA[2] - x2[:, 0]
    right, wrong = (bifocal.estimate_relative_pose(x1, x, CAMERA) for x in (x2, mirrored))
    assert bifocal.doubts.mirror_doubt(right, x1, x2, camera1=CAMERA) == ""
    assert "mirrored" in bifocal.doubts.mirror_doubt(wrong, x1, mirrored, camera1=CAMERA)


def test_arguments_that_do_not_fit_are_errors():
    x1, x2 = matches_of(50, 0, 5)
    found = bifocal.estimate_fundamental(x1, x2)
    with pytest.raises(ValueError, match="find_repetition: 50 inlier flags for 49 points"):
        bifocal.doubts.find_repetition(found, x1[:49], x2[:49])
    with pytest.raises(TypeError, match="camera"):
        bifocal.doubts.find_repetition(found, x1, x2, camera1=CAMERA)
    pose = bifocal.estimate_absolute_pose(x1, np.c_[x1, np.ones(50)], CAMERA)
    with pytest.raises(ValueError, match="matches"):
        bifocal.doubts.find_repetition(pose, x1, x2, camera1=CAMERA)


SIZED = bifocal.Camera(500, 500, 320, 240, width=640, height=480)
PINHOLE = bifocal.Camera(500, 500, 320, 240)


def rotation(random):
    q = random.normal(size=4)
    w, x, y, z = q / np.linalg.norm(q)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def off(R):
    return max(np.abs(R @ R.T - np.eye(3)).max(), abs(np.linalg.det(R) - 1))


def by_svd(E):
    """Returns the two rotations and the translation by Hartley and Zisserman, 9.6.2."""
    U, _, V = np.linalg.svd(E)
    W = np.array([[0, -1, 0], [1, 0, 0], [0, 0, 1.0]])
    sign = np.linalg.det(U @ V)
    return sign * U @ W @ V, sign * U @ W.T @ V, U[:, 2]


@pytest.mark.parametrize("values", [(1, 1, 0), (1, 0.98, 0), (1, 0.9, 0), (1, 0.6, 0), (1, 0.01, 0), (1, 0.7, 0.3)])
def test_decompositions_are_the_nearest_rotations(values):
    random = np.random.default_rng(1)
    for _ in range(40):
        E = rotation(random) @ np.diag(values) @ rotation(random) * random.normal() * 10 ** random.normal()
        found = bifocal.two_view.decompose_essential(E)
        first, second, t = by_svd(E)
        if np.abs(found.R1 - first).max() > np.abs(found.R1 - second).max():
            first, second = second, first
        assert off(found.R1) < 1e-14 and off(found.R2) < 1e-14
        np.testing.assert_allclose(found.R1, first, atol=1e-11)
        np.testing.assert_allclose(found.R2, second, atol=1e-11)
        assert abs(abs(found.t @ t) - 1) < 1e-12
        pose = bifocal.recover_pose(E, np.zeros((0, 2)), np.zeros((0, 2)), PINHOLE)
        assert off(pose.R) < 1e-14
        R1, R2, _ = cv.decomposeEssentialMat(E)
        assert off(R1) < 1e-14 and off(R2) < 1e-14


def test_matrices_without_a_pose_are_refused():
    for E in (np.outer([1, 2, 3], [3, 1, 2]), 1e-9 * np.outer([1, 0, 0], [0, 1, 0])):
        with pytest.raises(ValueError, match="E has rank 1: its singular values are "):
            bifocal.two_view.decompose_essential(E)
        with pytest.raises(ValueError, match="E has rank 1"):
            bifocal.recover_pose(E, np.zeros((0, 2)), np.zeros((0, 2)), PINHOLE)
    for bad in (math.nan, math.inf):
        E = np.array([[0, -1, 0], [1, 0, bad], [0, 0, 0.0]])
        with pytest.raises(ValueError, match="finite"):
            bifocal.two_view.decompose_essential(E)


def posed_scene():
    random = np.random.default_rng(2)
    angle = 0.1
    R = np.array([[math.cos(angle), 0, math.sin(angle)], [0, 1, 0], [-math.sin(angle), 0, math.cos(angle)]])
    t = np.array([-1, 0.1, 0.05])
    X = random.normal(size=(30, 3)) + [0, 0, 7]
    Y = X @ R.T + t
    x1 = X[:, :2] / X[:, 2:] * 500 + [320, 240] + random.normal(size=(30, 2)) * 0.3
    x2 = Y[:, :2] / Y[:, 2:] * 500 + [320, 240]
    return R, t, X, x1, x2


def depth(R, t):
    rectified = bifocal.rectify(SIZED, SIZED, posed_scene()[0], t)
    matches = bifocal.depth.dense_matches(rectified, np.full((rectified.height, rectified.width), 40, np.float32))
    return bifocal.depth.depth_map(matches, PINHOLE, PINHOLE, R, t).depth


def adjusted(R, t, X, x1, x2):
    count = len(X)
    return bifocal.adjust(
        cameras=[bifocal.LensCamera("PINHOLE", (500, 500, 320, 240), 640, 480)],
        camera_indices=[0, 0],
        R=[np.eye(3), R],
        t=[np.zeros(3), t],
        points=X,
        observations=np.r_[x1, x2],
        image_indices=[0] * count + [1] * count,
        point_indices=[*range(count)] * 2,
        constant_images=[True, False],
    ).R[1]


def entries(t, X, x1, x2):
    unit = t / np.linalg.norm(t)
    return {
        "residuals": lambda R: bifocal.two_view.pose_residuals(R, t, x2, X, PINHOLE),
        "refine": lambda R: bifocal.two_view.refine_absolute_pose(R, t, x2, X, PINHOLE).model,
        "covariance": lambda R: bifocal.two_view.absolute_pose_covariance(R, t, x2, X, PINHOLE).pose,
        "covariance: R": lambda R: bifocal.two_view.relative_pose_covariance(R, unit, x1, x2, PINHOLE).pose,
        "triangulate": lambda R: bifocal.triangulate(x1, x2, PINHOLE, PINHOLE, R, t),
        "rectify": lambda R: bifocal.rectify(SIZED, SIZED, R, t).rectified_points(1, x2),
        "rectify_polar": lambda R: bifocal.rectify_polar(PINHOLE, PINHOLE, R, t, (640, 480), (640, 480)).rectified_points(1, x2),
        "depth_map": lambda R: depth(R, t),
        "adjust": lambda R: adjusted(R, t, X, x1, x2),
    }


@pytest.mark.parametrize("name", [*entries(*posed_scene()[1:])])
def test_every_function_checks_its_rotation(name):
    R, t, X, x1, x2 = posed_scene()
    call = entries(t, X, x1, x2)[name]
    function = name.split(":")[0]
    for wrong, by in ((2 * R, "7"), (R * [1, 1, -1], "2")):
        with pytest.raises(ValueError, match=f"{function}: .*R is no rotation: .* by {by}, must be at most 0.001"):
            call(wrong)
    near = R + np.arange(9).reshape(3, 3) % 4 * 3e-5
    U, _, V = np.linalg.svd(near)
    np.testing.assert_allclose(call(near), call(U @ V), atol=1e-6, rtol=1e-6)


def test_refinement_returns_a_rotation():
    R, t, X, _, x2 = posed_scene()
    random = np.random.default_rng(3)
    for _ in range(20):
        start = R + random.uniform(-2e-4, 2e-4, (3, 3))
        assert off(bifocal.two_view.refine_absolute_pose(start, t, x2, X, PINHOLE).model) < 1e-13
