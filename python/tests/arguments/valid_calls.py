"""A small valid call of every public function, for tests that change one argument at a time."""

import inspect

import numpy as np
from scenes import K, Scene

import bifocal
from bifocal import colmap, cv, linalg, poselib

S, PLANE = Scene(n=40, right=1, noise=0.1), Scene(n=40, right=1, noise=0.1, plane=True)
X1, X2 = S.x1, S.x2
F = np.linalg.inv(K).T @ S.E @ np.linalg.inv(K)
GREY = np.kron(np.random.default_rng(0).integers(0, 256, (8, 10)), np.ones((8, 8))).astype(np.uint8)
CAMERA = bifocal.Camera(100, 100, 39.5, 31.5, width=80, height=64)
PINHOLE = bifocal.Camera(1000, 1000, 640, 480)
LENS = bifocal.LensCamera("PINHOLE", (100, 100, 39.5, 31.5), 80, 64)
I3, SIDE = np.eye(3), [-1.0, 0, 0]
CV_CAMERA = np.array([[100.0, 0, 39.5], [0, 100, 31.5], [0, 0, 1]])
POSELIB_CAMERA = {"model": "PINHOLE", "width": 1280, "height": 960, "params": [1000.0, 1000, 640, 480]}
PROGRESS = {"progress": lambda *_: None}
FEW = bifocal.RobustOptions(max_iterations=20, min_iterations=1)

# Functions without arguments, results, and drop-in replacements whose arguments differ by the form of the call.
NOT_CALLED = {"devices", "missing_devices", "poselib.RansacOptions", "poselib.BundleOptions", "cv.recoverPose", "cv.findEssentialMat", "cv.fisheye"}


def public_functions():
    """Returns the names of all public functions, with their module if it is one of another name in CALLS."""
    names = []
    own = [("", module) for module in (bifocal, bifocal.solvers, bifocal.pairs, bifocal.doubts, bifocal.depth, bifocal.two_view)]
    for prefix, module in (*own, ("colmap.", colmap), ("linalg.", linalg), ("cv.", cv), ("poselib.", poselib)):
        for name in module.__all__:
            if inspect.isroutine(getattr(module, name)) and not (prefix == "colmap." and name in bifocal.__all__):
                names.append(prefix + name)
    return names


def rectification():
    return bifocal.rectify(CAMERA, CAMERA, I3, SIDE)


def features():
    return bifocal.detect(GREY)


def collection():
    made = bifocal.Collection()
    made.detect([GREY, GREY])
    return made


def found():
    return bifocal.estimate_fundamental(X1, X2)


def batch():
    return bifocal.estimate_batch("fundamental", S.rows, [0, 20, 40])


def disparity():
    return bifocal.stereo(GREY, GREY, bifocal.SgmOptions(disparities=16))


def flat(planar):
    return np.ones((planar.height, planar.width), np.float32)


def matches_of():
    return bifocal.depth.dense_matches(rectification(), flat(rectification()))


def model(images=2, points=12):
    """Returns a model whose images all see all points."""
    rng = np.random.default_rng(1)
    X = rng.uniform(-1, 1, (points, 3)) + [0, 0, 5]
    camera = colmap.ModelCamera(1, "PINHOLE", 80, 64, np.array([100.0, 100, 40, 32]))
    made = []
    for k in range(images):
        x = X - [0.3 * k, 0, 0]
        xy = 100 * x[:, :2] / x[:, 2:] + [39.5, 31.5]
        made.append(colmap.ModelImage(k + 1, f"{k}.png", 1, np.array([1.0, 0, 0, 0]), np.array([-0.3 * k, 0, 0]), xy, np.arange(1, points + 1)))
    tracks = np.array([[k + 1, p] for p in range(points) for k in range(images)], np.uint32)
    offsets = np.arange(points + 1) * images
    cloud = colmap.ModelPoints(np.arange(1, points + 1), X, np.full((points, 3), 9, np.uint8), np.ones(points), offsets, tracks)
    return colmap.Model([camera], made, cloud)


def folder_of(tmp):
    """Returns a folder with a model, its photographs, a database and small files."""
    folder = tmp.mktemp("call")
    colmap.write_model(folder / "model", model())
    (folder / "photographs").mkdir()
    for k in range(2):
        bifocal.write_image(folder / "photographs" / f"{k}.png", np.roll(GREY, 2 * k, 1))
    with colmap.Database(folder / "a.db", "x") as database:
        camera = database.write_camera("PINHOLE", 80, 64, [100, 100, 40, 32])
        for k in range(2):
            database.write_keypoints(database.write_image(f"{k}.png", camera), model().images[k].xy)
        database.write_matches(1, 2, np.c_[np.arange(12), np.arange(12)])
    (folder / "pairs.txt").write_text("0.png 1.png\n")
    np.savetxt(folder / "points.txt", S.rows)
    np.savetxt(folder / "K.txt", K)
    bifocal.depth.write_pfm(folder / "a.pfm", np.ones((4, 5)))
    rectification().write(folder / "r.npz")
    return folder


ROBUST = {"threshold": 2.0, "options": FEW, "weights": np.ones(40), "qualities": np.ones(40), "device": "cpu"}
TWO = {"x1": X1, "x2": X2}
FIT = {"inliers": np.ones(40, bool)}
POSE = {"R": S.R, "t": S.t, "x": S.clean1, "X": S.X, "camera": PINHOLE}
POSES = {"R": np.eye(3), "t": np.zeros(3), "x": S.clean1, "X": S.X, "camera": K}
IDENTITY = np.zeros((5, 2), int) + [0, 1]
SIZES = {"size1": (1280, 960), "size2": (1280, 960)}
PICTURES = {"image1": GREY, "image2": GREY, "x1": X1 / 20, "x2": X2 / 20}
POINTS = np.ones((4, 2))


def plain(function, **valid):
    return lambda _: (function, valid)


def late(make):
    """Calls of objects that are made first."""
    return lambda _: make()


def filed(make):
    """Calls with files."""
    return lambda tmp: make(folder_of(tmp))


CALLS = {
    "absolute_pose_covariance": plain(bifocal.two_view.absolute_pose_covariance, **POSES, **FIT, noise=1.0),
    "all_pairs": plain(bifocal.pairs.all_pairs, images=3),
    "choose_model": late(lambda: (bifocal.two_view.choose_model, {**TWO, "homography": bifocal.estimate_homography(X1, X2), "epipolar": found(), "threshold": 2.0})),
    "choose_rectification": late(lambda: (bifocal.choose_rectification, {"planar": rectification(), "polar": rectification()})),
    "covariance": plain(bifocal.two_view.covariance, kind="fundamental", model=F, **TWO, **FIT, noise=1.0),
    "decompose_essential": plain(bifocal.two_view.decompose_essential, E=S.E),
    "decompose_homography": plain(bifocal.two_view.decompose_homography, H=PLANE.H, camera1=K, camera2=K, **TWO),
    "dense_matches": late(lambda: (bifocal.depth.dense_matches, {"rectification": rectification(), "disparity": flat(rectification())})),
    "depth_map": late(lambda: (bifocal.depth.depth_map, {"matches": matches_of(), "camera1": CV_CAMERA, "camera2": CV_CAMERA, "R": I3, "t": SIDE})),
    "depth_to_cloud": plain(bifocal.depth.depth_to_cloud, depth=np.ones((64, 80)), colour=GREY, camera=CV_CAMERA, step=2),
    "detect": plain(bifocal.detect, image=GREY, options=bifocal.SiftOptions(), mask=GREY > 3, device="cpu", bgr=False),
    "disparity_doubt": late(lambda: (bifocal.doubts.disparity_doubt, {"disparity": disparity(), "options": bifocal.SgmOptions(disparities=16)})),
    "disparity_range": late(lambda: (bifocal.depth.disparity_range, {"rectification": rectification(), "x1": POINTS, "x2": POINTS})),
    "distort_points": plain(bifocal.distort_points, points=POINTS, camera=LENS),
    "draw_epipolar_lines": plain(bifocal.draw_epipolar_lines, **PICTURES, F=F, count=3, bgr=False),
    "draw_matches": plain(bifocal.draw_matches, **PICTURES, inliers=np.ones(40, bool), max_lines=3, bgr=False),
    "estimate": plain(bifocal.estimate, kind="essential", **TWO, camera1=K, camera2=K, **ROBUST),
    "estimate_absolute_pose": plain(bifocal.estimate_absolute_pose, x=S.clean1, X=S.X, camera=K, **ROBUST),
    "estimate_batch": plain(bifocal.estimate_batch, kind="essential", points=S.rows, offsets=[0, 20, 40], cameras1=K, cameras2=K, **ROBUST),
    "estimate_camera_pose_focal": plain(bifocal.estimate_camera_pose_focal, x=S.clean1, X=S.X, principal_point=(640, 480), aspect_ratio=1.0, **ROBUST),
    "estimate_fundamental": plain(bifocal.estimate_fundamental, **TWO, **ROBUST),
    "estimate_homography": plain(bifocal.estimate_homography, **TWO, **ROBUST),
    "estimate_monodepth_shared_focal_relative_pose": plain(
        bifocal.estimate_monodepth_shared_focal_relative_pose, **TWO, depths=np.ones((40, 2)), principal_point=(640, 480), **ROBUST
    ),
    "estimate_pair": plain(bifocal.estimate_pair, left=GREY, right=GREY, camera1=CV_CAMERA, options=bifocal.PairOptions(dense=False, escalate=False), device="cpu", **PROGRESS),
    "estimate_radial_fundamental": plain(bifocal.estimate_radial_fundamental, **TWO, centre=(640, 480), unit=800.0, **ROBUST),
    "estimate_relative_pose": plain(bifocal.estimate_relative_pose, **TWO, camera1=K, camera2=LENS, **ROBUST),
    "estimate_shared_focal_relative_pose": plain(bifocal.estimate_shared_focal_relative_pose, **TWO, principal_point=(640, 480), **ROBUST),
    "find_repetition": late(lambda: (bifocal.doubts.find_repetition, {"found": found(), **TWO, **ROBUST})),
    "find_repetition_batch": late(lambda: (bifocal.doubts.find_repetition_batch, {"found": batch(), "points": S.rows, **ROBUST})),
    "image_components": plain(bifocal.pairs.image_components, images=3, pairs=IDENTITY),
    "intrinsics_doubt": plain(bifocal.doubts.intrinsics_doubt, camera=K, width=1280, height=960),
    "intrinsics_from_exif": filed(lambda f: (bifocal.intrinsics_from_exif, {"file": f / "photographs/0.png"})),
    "keep_distinct_places": plain(bifocal.pairs.keep_distinct_places, **TWO, distance=np.ones(40)),
    "linking_pairs": plain(bifocal.pairs.linking_pairs, images=3, verified=[[0, 1]], left_out=[[1, 2]], matches=[3], max_links=1),
    "list_photographs": filed(lambda f: (bifocal.list_photographs, {"photographs": f / "photographs"})),
    "match": late(lambda: (bifocal.match, {"features1": features(), "features2": features(), "device": "cpu"})),
    "match_descriptors": plain(bifocal.match_descriptors, descriptors1=np.eye(8, 8), descriptors2=np.eye(8, 8), device="cpu"),
    "match_guided": late(lambda: (bifocal.match_guided, {"features1": features(), "features2": features(), "model": F, "threshold": 4.0})),
    "match_video": plain(bifocal.match_video, frames=[GREY, GREY], kind="homography", min_matches=15, partners=1),
    "mirror_doubt": late(lambda: (bifocal.doubts.mirror_doubt, {"found": found(), **TWO, **ROBUST})),
    "near_pairs": plain(bifocal.pairs.near_pairs, positions=POINTS, max_distance_m=9.0, max_partners=2),
    "pinhole_of": plain(bifocal.pinhole_of, camera=LENS),
    "pose_residuals": plain(bifocal.two_view.pose_residuals, **POSES),
    "problem_info": plain(bifocal.solvers.problem_info, kind="essential"),
    "read_calibration": filed(lambda f: (bifocal.read_calibration, {"file": f / "K.txt"})),
    "read_correspondences": filed(lambda f: (bifocal.read_correspondences, {"file": f / "points.txt"})),
    "read_disparity": filed(lambda f: (bifocal.depth.read_disparity, {"file": f / "a.pfm", "scale": 1.0})),
    "read_image": filed(lambda f: (bifocal.read_image, {"file": f / "photographs/0.png", "bgr": False, "stored": True})),
    "read_pair": filed(lambda f: (bifocal.read_pair, {"folder": f})),
    "read_pairs": filed(lambda f: (bifocal.pairs.read_pairs, {"file": f / "pairs.txt", "names": ["0.png", "1.png"]})),
    "read_pfm": filed(lambda f: (bifocal.depth.read_pfm, {"file": f / "a.pfm"})),
    "read_rectification": filed(lambda f: (bifocal.read_rectification, {"file": f / "r.npz"})),
    "recover_pose": plain(bifocal.recover_pose, E=S.E, **TWO, camera1=K, camera2=K, **FIT),
    "rectify": plain(bifocal.rectify, camera1=CAMERA, camera2=LENS, R=I3, t=SIDE, max_scale=1.5, max_angle_deg=0.0),
    "rectify_polar": plain(bifocal.rectify_polar, camera1=K, camera2=K, R=S.R, t=S.t, **SIZES, **TWO, max_scale=1.0, overlap=2),
    "rectify_polar_uncalibrated": plain(bifocal.rectify_polar_uncalibrated, F=F, **TWO, **SIZES, max_scale=1.0, overlap=2),
    "rectify_uncalibrated": plain(bifocal.rectify_uncalibrated, F=F, **SIZES, **TWO, max_scale=1.5),
    "refine": plain(bifocal.two_view.refine, kind="fundamental", start=F, **TWO, **FIT, threshold=0.0, max_steps=5),
    "refine_absolute_pose": plain(bifocal.two_view.refine_absolute_pose, **POSES, **FIT, threshold=0.0, max_steps=5),
    "relative_pose_covariance": plain(bifocal.two_view.relative_pose_covariance, R=S.R, t=S.t, **TWO, camera1=K, camera2=K, **FIT, noise=1.0),
    "residuals": plain(bifocal.two_view.residuals, kind="essential", model=S.E, **TWO, camera1=K, camera2=K),
    "retrieval_pairs": late(lambda: (bifocal.pairs.retrieval_pairs, {"index": bifocal.pairs.ImageIndex([features()] * 2), "partners": 2, "step": 1})),
    "score_disparity": late(lambda: (bifocal.depth.score_disparity, {"disparity": disparity(), "truth": np.ones((64, 80)), "mask": GREY})),
    "sequential_pairs": plain(bifocal.pairs.sequential_pairs, images=3, overlap=2, quadratic=True),
    "solve_minimal": plain(bifocal.solvers.solve_minimal, solver="p3p", samples=np.ones((18, 1)), device="cpu"),
    "solver_shape": plain(bifocal.solvers.solver_shape, solver="p3p"),
    "stereo": plain(bifocal.stereo, left=GREY, right=GREY, options=bifocal.SgmOptions(disparities=16), device="cpu", bgr=False),
    "suggested_partners": plain(bifocal.pairs.suggested_partners, images=3, pairs=[[0, 1], [1, 2]], inliers=[5, 6], max_proposals=1),
    "tidy_pairs": plain(bifocal.pairs.tidy_pairs, pairs=IDENTITY),
    "triangulate": plain(bifocal.triangulate, **TWO, camera1=K, camera2=K, R=S.R, t=S.t),
    "turbo_picture": plain(bifocal.depth.turbo_picture, values=np.ones((64, 80)), lo=0.0, hi=1.0),
    "undistort_points": plain(bifocal.undistort_points, points=POINTS, camera=LENS),
    "vertical_disparity": late(lambda: (bifocal.depth.vertical_disparity, {"rectification": rectification(), "x1": POINTS, "x2": POINTS})),
    "warp": plain(bifocal.warp, image=GREY, H=np.eye(3), width=20, height=20),
    "write_image": filed(lambda f: (bifocal.write_image, {"file": f / "b.png", "image": GREY, "bgr": False})),
    "write_pfm": filed(lambda f: (bifocal.depth.write_pfm, {"file": f / "b.pfm", "image": np.ones((4, 5))})),
    "write_ply": filed(lambda f: (bifocal.depth.write_ply, {"file": f / "b.ply", "cloud": (np.ones((3, 3)), np.ones((3, 3), np.uint8))})),
}
