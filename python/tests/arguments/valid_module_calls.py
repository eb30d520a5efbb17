"""Small valid calls of the modules of COLMAP, OpenCV, PoseLib and linear algebra, and of methods of classes (valid_calls.py)."""

import numpy as np
from scenes import K, Scene
from valid_calls import CAMERA, CV_CAMERA, F, GREY, I3, LENS, PLANE, POINTS, POSELIB_CAMERA, PROGRESS, SIDE, TWO, X1, X2, S, collection, features, filed, late, model, plain, rectification

import bifocal
from bifocal import colmap, cv, linalg, poselib

A = np.random.default_rng(2).normal(size=(2, 3, 3))
SOME = bifocal.colmap.TwoViewGeometryOptions(max_iterations=20, min_iterations=1)
DEPTH = np.ones((64, 80), np.float32)
RAYS = np.c_[X1 / 1000, np.ones(40)]
PNP = {"objectPoints": S.X, "imagePoints": S.clean1, "cameraMatrix": K, "distCoeffs": None}
OPENCV = {"points1": X1, "points2": X2}
TIMES = {"cameraMatrix1": CV_CAMERA, "distCoeffs1": None, "cameraMatrix2": CV_CAMERA, "distCoeffs2": None}
PAIR = {"points2D_1": X1, "points2D_2": X2, "ransac_opt": {"max_iterations": 50}}
CAMERAS = {"camera1": POSELIB_CAMERA, "camera2": POSELIB_CAMERA}
SCENE = Scene(n=4, right=1)


def adjusted():
    m = model()
    images = np.repeat([0, 1], 12)
    arrays = {"R": [I3, I3], "t": [i.translation for i in m.images], "points": m.points.xyz, "observations": np.concatenate([i.xy for i in m.images])}
    more = {"image_indices": images, "point_indices": np.tile(np.arange(12), 2), "camera_indices": [0, 0]}
    options = bifocal.AdjustOptions(max_iterations=2)
    return bifocal.adjust, {"cameras": LENS, **arrays, **more, "options": options, "device": "cpu", "progress": lambda _: None, "priors": [bifocal.priors.PositionPriors([0], [[0, 0, 0]], I3)]}


def writer(f):
    """write_pairs into a new database in each call."""
    count = iter(range(10**6))

    def write(keypoints, matches, sizes, cameras, options, device, progress):
        return colmap.write_pairs(f / f"new{next(count)}.db", keypoints, matches, sizes, cameras=cameras, options=options, device=device, progress=progress)

    names = "0.png", "1.png"
    valid = {"keypoints": {n: model().images[k].xy for k, n in enumerate(names)}, "matches": {names: np.tile(np.arange(12)[:, None], 2)}}
    valid |= {"sizes": {n: (80, 64) for n in names}, "cameras": {n: ("PINHOLE", (100, 100, 40, 32)) for n in names}}
    return write, {**valid, "options": SOME, "device": "cpu", "progress": lambda _: None}


def rows(method, **valid):
    """A method of a database that is open for writing."""

    def make(f):
        return getattr(colmap.Database(f / "a.db", "r+"), method), valid

    return filed(make)


def of(make, method, **valid):
    return late(lambda: (getattr(make(), method), valid))


GEOMETRY = colmap.TwoViewGeometry("uncalibrated", np.zeros((3, 2), int), F=F)

MODULES = {
    "adjust": late(adjusted),
    "collect": filed(
        lambda f: (bifocal.collect, {"photographs": f / "photographs", "database": f / "new.db", "options": bifocal.CollectOptions(pairs="exhaustive", overwrite=True), "device": "cpu", "progress": lambda *_: None})
    ),
    "dense": filed(
        lambda f: (
            bifocal.dense,
            {"model": f / "model", "images": f / "photographs", "out": f / "dense", "options": bifocal.DenseOptions(views=1), "maps": True, "overwrite": True, "device": "cpu"} | PROGRESS,
        )
    ),
    "report": filed(lambda f: (bifocal.report, {"database": f / "a.db", "out": f / "a.html", "photographs": f / "photographs", "max_bytes": 10**6})),
    "map_database": filed(lambda f: (bifocal.map_database, {"database": f / "a.db", "out": f / "out", "overwrite": True, "device": "cpu"})),
    "colmap.bundle_adjustment": filed(
        lambda f: (
            colmap.bundle_adjustment,
            {"model_in": f / "model", "model_out": f / "adjusted", "options": {}, "constant_cameras": [1], "constant_images": [1], "constant_points": [1], "format": "text"},
        )
    ),
    "colmap.contradicting_pairs": filed(lambda f: (colmap.contradicting_pairs, {"database": f / "a.db"})),
    "colmap.geometric_verification": filed(lambda f: (colmap.geometric_verification, {"database_path": f / "a.db", "two_view_geometry_options": {}})),
    "colmap.read_model": filed(lambda f: (colmap.read_model, {"folder": f / "model"})),
    "colmap.shared_keypoints": plain(colmap.shared_keypoints, matches={("a", "b"): (X1, X2)}, cell=4.0),
    "colmap.undistort_model": filed(
        lambda f: (colmap.undistort_model, {"model": f / "model", "photographs": f / "photographs", "out": f / "flat", "jpeg_quality": 90, "overwrite": True})
    ),
    "colmap.verify": filed(lambda f: (colmap.verify, {"database": f / "a.db", "pairs": f / "pairs.txt", "options": SOME, "overwrite": True, "device": "cpu"})),
    "colmap.verify_matches": filed(lambda f: (colmap.verify_matches, {"database_path": f / "a.db", "pairs_path": f / "pairs.txt", "options": {}})),
    "colmap.write_model": filed(lambda f: (colmap.write_model, {"folder": f / "again", "model": model(), "format": "text"})),
    "colmap.write_pairs": filed(writer),
    "linalg.svd": plain(linalg.svd, A=A, device="cpu"),
    "linalg.real_eigenpairs": plain(linalg.real_eigenpairs, A=A, device="cpu"),
    "linalg.symmetric_eigen": plain(linalg.symmetric_eigen, A=A, device="cpu"),
    "Database.write_camera": rows("write_camera", model="PINHOLE", width=8, height=8, params=[1, 1, 4, 4], has_prior_focal_length=True, camera_id=0),
    "Database.write_image": rows("write_image", name="x.png", camera_id=1, image_id=0),
    "Database.write_keypoints": rows("write_keypoints", image_id=1, keypoints=POINTS),
    "Database.write_descriptors": rows("write_descriptors", image_id=1, descriptors=np.zeros((12, 128), np.uint8), type=0),
    "Database.write_matches": rows("write_matches", image_id1=1, image_id2=2, matches=[[0, 1]]),
    "Database.write_geometry": rows("write_geometry", image_id1=1, image_id2=2, geometry=GEOMETRY),
    "Database.write_pose_prior": rows("write_pose_prior", prior=colmap.PosePrior(1, "cartesian", np.array([1.0, 2, 3]), I3, np.array([0.0, 0, 1]))),
    "Database.keypoints": rows("keypoints", image_id=1),
    "Database.geometry": rows("geometry", image_id1=1, image_id2=2),
    "Database.erase_keypoints": rows("erase_keypoints", image_id=1),
    "Camera": late(lambda: (lambda **fields: bifocal.pinhole_of(bifocal.Camera(**fields)), {"fx": 1.0, "fy": 1.0, "cx": 0.0, "cy": 0.0, "k1": 0.0, "width": 8})),
    "LensCamera": plain(bifocal.LensCamera, model="PINHOLE", params=(1, 1, 4, 4), width=8, height=8),
    "LensCamera.fisheye": plain(bifocal.LensCamera.fisheye, K=K, D=[0, 0, 0, 0], width=8, height=8),
    "LensCamera.from_colmap": plain(bifocal.LensCamera.from_colmap, camera=POSELIB_CAMERA),
    "Collection.add": of(collection, "add", features=features()),
    "Collection.detect": of(collection, "detect", images=[GREY], batch=8, bgr=False),
    "Collection.features": of(collection, "features", image=0),
    "Collection.screen": of(collection, "screen", pairs=[[0, 1]], features=100, min_matches=6, max_ratio=0.75),
    "Collection.verify": of(collection, "verify", pairs=[[0, 1]], kind="essential", cameras=K, threshold=2.0, min_matches=15, guided=False, distinct_places=True),
    "Features": plain(bifocal.Features, xy=POINTS, descriptors=np.zeros((4, 128), np.uint8), sigma=np.ones(4), angle_deg=np.ones(4), response=np.ones(4), shapes=[I3[:2, :2]] * 4),
    "Matches": plain(bifocal.Matches, indices=[[0, 1]], distance=[1], ratio=[0.5]),
    "FloatMatches": plain(bifocal.results.FloatMatches, indices=[[0, 1]], distance=[0.5], ratio=[0.5]),
    "ImageIndex": plain(bifocal.pairs.ImageIndex, features=[features()] * 2),
    "ImageIndex.nearest": of(lambda: bifocal.pairs.ImageIndex([features()] * 2), "nearest", image=0, count=1),
    "ImageIndex.similarity": of(lambda: bifocal.pairs.ImageIndex([features()] * 2), "similarity", image1=0, image2=1),
    "Rectification.resample": of(rectification, "resample", side=0, image=GREY),
    "Rectification.sampling_map": of(rectification, "sampling_map", side=0),
    "Rectification.photograph_points": of(rectification, "photograph_points", side=0, points=POINTS),
    "Remapper": late(lambda: (bifocal.Remapper, {"rectification": rectification(), "side": 0, "device": "cpu"})),
    "Remapper.from_maps": plain(bifocal.Remapper.from_maps, map_x=DEPTH, map_y=DEPTH, input_size=(80, 64)),
    "StereoMatcher": plain(bifocal.StereoMatcher, width=80, height=64, device="cpu", bits=8),
    "StereoMatcher.__call__": of(lambda: bifocal.StereoMatcher(80, 64), "__call__", left=GREY, right=GREY, bgr=False),
    "VideoMatcher": plain(bifocal.VideoMatcher, width=80, height=64, kind="homography", min_matches=15, partners=1),
    "VideoMatcher.add": of(lambda: bifocal.VideoMatcher(80, 64), "add", frame=GREY, bgr=False),
    "threads": late(lambda: (lambda count: bifocal.threads(count).__enter__().__exit__(None, None, None), {"count": 1})),
    "poselib.estimate_fundamental": plain(poselib.estimate_fundamental, **PAIR),
    "poselib.estimate_homography": plain(poselib.estimate_homography, **PAIR),
    "poselib.estimate_relative_pose": plain(poselib.estimate_relative_pose, **PAIR, **CAMERAS),
    "poselib.estimate_shared_focal_relative_pose": plain(poselib.estimate_shared_focal_relative_pose, **PAIR, pp=np.array([640.0, 480])),
    "poselib.estimate_absolute_pose": plain(poselib.estimate_absolute_pose, points2D=S.clean1, points3D=S.X, camera=POSELIB_CAMERA),
    "poselib.essential_matrix_5pt": plain(poselib.essential_matrix_5pt, x1=RAYS[:5], x2=RAYS[5:10]),
    "poselib.relpose_5pt": plain(poselib.relpose_5pt, x1=RAYS[:5], x2=RAYS[5:10]),
    "poselib.relpose_upright_3pt": plain(poselib.relpose_upright_3pt, x1=RAYS[:3], x2=RAYS[3:6]),
    "poselib.shared_focal_relpose_6pt": plain(poselib.shared_focal_relpose_6pt, x1=RAYS[:6], x2=RAYS[6:12]),
    "poselib.p3p": plain(poselib.p3p, x=RAYS[:3], X=S.X[:3]),
    "poselib.p4pf": plain(poselib.p4pf, x=X1[:4] / 1000, X=S.X[:4]),
    "cv.BFMatcher.match": of(cv.BFMatcher, "match", queryDescriptors=np.eye(8, dtype=np.float32), trainDescriptors=np.eye(8, dtype=np.float32)),
    "cv.SIFT_create": plain(cv.SIFT_create, nfeatures=10),
    "cv.SIFT.detectAndCompute": of(cv.SIFT_create, "detectAndCompute", image=GREY, mask=None),
    "cv.StereoBM_create": plain(cv.StereoBM_create, numDisparities=16, blockSize=9),
    "cv.StereoSGBM_create": plain(cv.StereoSGBM_create, minDisparity=0, numDisparities=16, blockSize=5),
    "cv.computeCorrespondEpilines": plain(cv.computeCorrespondEpilines, points=X1, whichImage=1, F=F),
    "cv.decomposeEssentialMat": plain(cv.decomposeEssentialMat, E=S.E),
    "cv.decomposeHomographyMat": plain(cv.decomposeHomographyMat, H=PLANE.H, K=K),
    "cv.distortPoints": plain(cv.distortPoints, undistorted=POINTS, cameraMatrix=K, distCoeffs=np.zeros(4)),
    "cv.drawKeypoints": plain(cv.drawKeypoints, image=GREY, keypoints=[cv.KeyPoint(4, 4, 3)], outImage=None),
    "cv.drawMatches": plain(cv.drawMatches, img1=GREY, keypoints1=[cv.KeyPoint(4, 4, 3)], img2=GREY, keypoints2=[cv.KeyPoint(4, 4, 3)], matches1to2=[cv.DMatch(0, 0, 1)], outImg=None),
    "cv.estimateAffine2D": plain(lambda **o: cv.estimateAffine2D(X1, X1, **o), ransacReprojThreshold=3.0),
    "cv.estimateAffinePartial2D": plain(lambda **o: cv.estimateAffinePartial2D(X1, X1, **o), ransacReprojThreshold=3.0),
    "cv.findFundamentalMat": plain(cv.findFundamentalMat, **OPENCV),
    "cv.findHomography": plain(cv.findHomography, srcPoints=X1, dstPoints=X2),
    "cv.initUndistortRectifyMap": plain(cv.initUndistortRectifyMap, cameraMatrix=CV_CAMERA, distCoeffs=None, R=None, newCameraMatrix=CV_CAMERA, size=(80, 64), m1type=cv.CV_32FC1),
    "cv.remap": plain(cv.remap, src=GREY, map1=DEPTH, map2=DEPTH, interpolation=cv.INTER_LINEAR),
    "cv.reprojectImageTo3D": plain(cv.reprojectImageTo3D, disparity=DEPTH, Q=np.eye(4)),
    "cv.solvePnP": plain(cv.solvePnP, **PNP),
    "cv.solvePnPRansac": plain(cv.solvePnPRansac, **PNP),
    "cv.stereoRectify": plain(cv.stereoRectify, **TIMES, imageSize=(80, 64), R=I3, T=SIDE),
    "cv.triangulatePoints": plain(cv.triangulatePoints, projMatr1=np.eye(3, 4), projMatr2=np.c_[np.eye(3), SIDE], projPoints1=POINTS.T, projPoints2=POINTS.T),
    "cv.undistortImagePoints": plain(cv.undistortImagePoints, src=POINTS, cameraMatrix=K, distCoeffs=np.zeros(4)),
    "cv.undistortPoints": plain(cv.undistortPoints, src=POINTS, cameraMatrix=K, distCoeffs=np.zeros(4)),
}
