"""Any input gives a result without non-finite inliers, or a ValueError or TypeError that names the argument; no warning."""

import re
import warnings

import numpy as np
import pytest
from scenes import K, Scene

import bifocal
from bifocal import cv, poselib

S, PLANE = Scene(n=60, right=0.8), Scene(n=60, right=0.8, plane=True)
CAMERA = {"model": "PINHOLE", "width": 1280, "height": 960, "params": [1000.0, 1000.0, 640.0, 480.0]}
LENS = np.array([-0.1, 0.02, 0, 0, 0])


def with_one(v, value):
    v = v.copy()
    v[-1, 0] = value
    return v


# Further forms of points that callers pass.
GIVEN = {
    "NaN": lambda v: with_one(v, np.nan),
    "infinity": lambda v: with_one(v, -np.inf),
    "nothing but NaN": lambda v: v * np.nan,
    "no points": lambda v: v[:0],
    "an empty list": lambda v: [],
    "an empty row": lambda v: np.zeros(0),
    "no columns": lambda v: np.zeros((5, 0)),
    "one point": lambda v: v[:1],
    "two points": lambda v: v[:2],
    "one point less": lambda v: v[:-1],
    "float32": lambda v: v.astype(np.float32),
    "float16": lambda v: v.astype(np.float16),
    "the other byte order": lambda v: v.astype(v.dtype.newbyteorder()),
    "int32": lambda v: v.astype(np.int32),
    "uint8": lambda v: v.astype(np.uint8),
    "[N, 1, 2]": lambda v: v[:, None],
    "[1, N, 2]": lambda v: v[None],
    "[1, 1, N, 2]": lambda v: v[None, None],
    "a list of tuples": lambda v: [tuple(row) for row in v.tolist()],
    "columns first": np.asfortranarray,
    "backwards": lambda v: v[::-1, ::-1],
    "with gaps": lambda v: np.repeat(v, 2, 0)[::2],
    "read only": lambda v: np.frombuffer(v.tobytes()).reshape(v.shape),
    "four columns": lambda v: np.zeros((10, 4)),
    "transposed": lambda v: v.T,
    "complex": lambda v: v + 0j,
    "bool": lambda v: v > 300,
    "text": lambda v: v.astype(str),
    "objects": lambda v: v.astype(object),
    "None": lambda v: None,
    "rows of several lengths": lambda v: [[1, 2], [3]],
    "a number": lambda v: 3.0,
    "a string": lambda v: "points",
    "bytes": lambda v: b"points",
    "a dictionary": lambda v: {},
    "an iterator": iter,
    "dates": lambda v: v.astype("datetime64[s]"),
    "records": lambda v: np.zeros(5, [("x", "f8"), ("y", "f8")]),
    "huge": lambda v: v * 1e200,
    "the largest": lambda v: v * 1e305,
    "tiny": lambda v: v * 1e-12,
    "denormal": lambda v: v * 1e-310,
    "zeros": lambda v: v * 0,
    "one place": lambda v: np.full_like(v, 5),
    "a line": lambda v: np.repeat(v[:, :1], v.shape[1], 1),
}
CALLS = {
    "findHomography, all": (lambda a, b: cv.findHomography(a, b), PLANE.x1, PLANE.x2),
    "findHomography": (lambda a, b: cv.findHomography(a, b, cv.RANSAC), PLANE.x1, PLANE.x2),
    "findHomography, params": (lambda a, b: cv.findHomography(a, b, cv.UsacParams()), PLANE.x1, PLANE.x2),
    "findHomography, 4": (lambda a, b: cv.findHomography(a, b, cv.RANSAC), PLANE.x1[:4], PLANE.x2[:4]),
    "findFundamentalMat": (cv.findFundamentalMat, S.x1, S.x2),
    "findFundamentalMat, 8": (lambda a, b: cv.findFundamentalMat(a, b, cv.FM_8POINT), S.x1, S.x2),
    "findFundamentalMat, 7": (lambda a, b: cv.findFundamentalMat(a, b, cv.FM_7POINT), S.x1[:7], S.x2[:7]),
    "findEssentialMat": (lambda a, b: cv.findEssentialMat(a, b, K), S.x1, S.x2),
    "findEssentialMat, 5": (lambda a, b: cv.findEssentialMat(a, b, K), S.x1[:5], S.x2[:5]),
    "findEssentialMat, lenses": (lambda a, b: cv.findEssentialMat(a, b, K, LENS, K, None), S.x1, S.x2),
    "estimateAffine2D": (cv.estimateAffine2D, PLANE.x1, PLANE.x2),
    "estimateAffine2D, 3": (cv.estimateAffine2D, PLANE.x1[:3], PLANE.x2[:3]),
    "estimateAffinePartial2D": (lambda a, b: cv.estimateAffinePartial2D(a, b, method=cv.LMEDS), PLANE.x1, PLANE.x2),
    "estimateAffinePartial2D, 2": (cv.estimateAffinePartial2D, PLANE.x1[:2], PLANE.x2[:2]),
    "recoverPose": (lambda a, b: cv.recoverPose(S.E, a, b, K), S.x1, S.x2),
    "recoverPose, points": (lambda a, b: cv.recoverPose(S.E, a, b, K, distanceThresh=50.0), S.x1, S.x2),
    "recoverPose, lenses": (lambda a, b: cv.recoverPose(a, b, K, LENS, K, None), S.x1, S.x2),
    "solvePnPRansac": (lambda a, b: cv.solvePnPRansac(a, b, K, LENS), S.X, S.x2),
    "solvePnPRansac, 4": (lambda a, b: cv.solvePnPRansac(a, b, K), S.X[:4], S.x2[:4]),
    "solvePnPRansac, 5": (lambda a, b: cv.solvePnPRansac(a, b, K), S.X[:5], S.x2[:5]),
    "fisheye.solvePnPRansac": (lambda a, b: cv.fisheye.solvePnPRansac(a, b, K, np.zeros(4)), S.X, S.x2),
    "fisheye.undistortPoints": (lambda a, b: cv.fisheye.undistortPoints(a, K, np.zeros(4)), S.x1, S.x2),
    "fisheye.distortPoints": (lambda a, b: cv.fisheye.distortPoints(a, K, np.zeros(4)), S.x1, S.x2),
    "PoseLib's estimate_fundamental": (poselib.estimate_fundamental, S.x1, S.x2),
    "PoseLib's estimate_homography": (poselib.estimate_homography, PLANE.x1, PLANE.x2),
    "PoseLib's estimate_relative_pose": (lambda a, b: poselib.estimate_relative_pose(a, b, CAMERA, CAMERA), S.x1, S.x2),
    "PoseLib's estimate_absolute_pose": (lambda a, b: poselib.estimate_absolute_pose(b, a, CAMERA), S.X, S.x2),
    "PoseLib's shared focal length": (lambda a, b: poselib.estimate_shared_focal_relative_pose(a, b, (640, 480)), S.x1, S.x2),
    **{kind: (lambda a, b, kind=kind: bifocal.estimate(kind, a, b), S.x1, S.x2) for kind in ("homography", "fundamental", "similarity", "affine")},
    "essential": (lambda a, b: bifocal.estimate("essential", a, b, camera1=K), S.x1, S.x2),
    "upright_essential": (lambda a, b: bifocal.estimate("upright_essential", a, b, camera1=K), S.x1, S.x2),
    "absolute_pose": (lambda a, b: bifocal.estimate("absolute_pose", b, a, camera1=K), S.X, S.x2),
    "camera_pose_focal": (lambda a, b: bifocal.estimate_camera_pose_focal(b, a, (640, 480)), S.X, S.x2),
    "radial_fundamental": (lambda a, b: bifocal.estimate_radial_fundamental(a, b, (640, 480)), S.x1, S.x2),
    "shared_focal": (lambda a, b: bifocal.estimate_shared_focal_relative_pose(a, b, (640, 480)), S.x1, S.x2),
    "monodepth_shared_focal": (lambda a, b: bifocal.estimate_monodepth_shared_focal_relative_pose(a, b, np.ones((len(S.x1), 2)), (640, 480)), S.x1, S.x2),
    "batch": (lambda a, b: bifocal.estimate_batch("homography", a, [0, 30, 60]), PLANE.rows, PLANE.x2),
    "residuals": (lambda a, b: bifocal.two_view.residuals("essential", S.E, a, b, camera1=K, camera2=K), S.x1, S.x2),
    "refine": (lambda a, b: bifocal.two_view.refine("homography", PLANE.H, a, b), PLANE.x1, PLANE.x2),
    "refine_absolute_pose": (lambda a, b: bifocal.two_view.refine_absolute_pose(S.R, S.t, b, a, K), S.X, S.x2),
    "pose_residuals": (lambda a, b: bifocal.two_view.pose_residuals(S.R, S.t, b, a, K), S.X, S.x2),
    "recover_pose": (lambda a, b: bifocal.recover_pose(S.E, a, b, K), S.x1, S.x2),
    "triangulate": (lambda a, b: bifocal.triangulate(a, b, K, None, S.R, S.t), S.x1, S.x2),
    "decompose_homography": (lambda a, b: bifocal.two_view.decompose_homography(PLANE.H, K, None, a, b), PLANE.x1, PLANE.x2),
    "covariance": (lambda a, b: bifocal.two_view.covariance("homography", PLANE.H, a, b), PLANE.x1, PLANE.x2),
    "undistort_points": (lambda a, b: bifocal.undistort_points(a, bifocal.Camera(1000, 1000, 640, 480, k1=-0.1)), S.x1, S.x2),
    "distort_points": (lambda a, b: bifocal.distort_points(a, bifocal.Camera(1000, 1000, 640, 480, k1=-0.1)), S.x1, S.x2),
    "match_descriptors": (bifocal.match_descriptors, S.X, S.X),
    "svd": (lambda a, b: bifocal.linalg.svd(a), S.X[:3], S.x2),
    "real_eigenpairs": (lambda a, b: bifocal.linalg.real_eigenpairs(a), S.X[:3], S.x2),
    "symmetric_eigen": (lambda a, b: bifocal.linalg.symmetric_eigen(a), S.X[:3], S.x2),
    "solve_minimal": (lambda a, b: bifocal.solvers.solve_minimal("p3p", a), np.random.default_rng(0).random((18, 5)), S.x2),
    "StereoSGBM": (lambda a, b: cv.StereoSGBM_create(0, 16).compute(a, b), np.zeros((64, 64), np.uint8), np.zeros((64, 64), np.uint8)),
}


def flags_of(result):
    """Returns the inlier flags of any kind of result; None if it has no flags."""
    if isinstance(result, bifocal.results.Estimate):
        return result.inliers
    if isinstance(result, tuple) and result and isinstance(result[-1], dict):
        return np.array(result[-1]["inliers"], bool)
    if isinstance(result, tuple):
        found = [r for r in result if isinstance(r, np.ndarray) and r.dtype == np.uint8]
        return found[0].ravel() > 0 if found else None
    return None


@pytest.mark.parametrize("name", CALLS)
def test_what_is_none_is_refused_by_name(name):
    call, left, right = CALLS[name]
    tried = 0
    for what, change in GIVEN.items():
        for sides in ((True, True), (True, False), (False, True)):
            try:
                a, b = (change(v) if side else v for v, side in zip((left, right), sides))
            except (TypeError, ValueError, OverflowError):  # this array cannot be converted to this form
                continue
            tried += 1
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("error")
                    result = call(a, b)
            except (ValueError, TypeError) as refused:
                assert type(refused) in (ValueError, TypeError) and re.match(r"\w+(\[\d+\])?: |params\.|\w+ = ", str(refused)), (what, sides, refused)
                continue
            flags = flags_of(result)
            if flags is not None and what in ("NaN", "infinity", "nothing but NaN"):
                assert not flags[-1:].any() and (what != "nothing but NaN" or not flags.any()), (what, sides)
    assert tried > 80


NUMBERS = [None, "3", b"3", np.nan, np.inf, 10**400, [], [1, 2], {}, np.zeros((3, 3)), np.zeros((3, 3), complex), np.array(None), object(), 1j, "\udce9"]
ARGUMENTS = {
    "method": lambda v: cv.findHomography(PLANE.x1, PLANE.x2, v),
    "threshold": lambda v: cv.findHomography(PLANE.x1, PLANE.x2, cv.RANSAC, v),
    "mask": lambda v: cv.findHomography(PLANE.x1, PLANE.x2, cv.RANSAC, 3, v),
    "maxIters": lambda v: cv.findHomography(PLANE.x1, PLANE.x2, cv.RANSAC, 3, None, v),
    "confidence": lambda v: cv.findHomography(PLANE.x1, PLANE.x2, cv.RANSAC, 3, None, 99, v),
    "confidence of F": lambda v: cv.findFundamentalMat(S.x1, S.x2, cv.RANSAC, 3, v),
    "cameraMatrix": lambda v: cv.findEssentialMat(S.x1, S.x2, cameraMatrix=v),
    "focal": lambda v: cv.findEssentialMat(S.x1, S.x2, focal=v),
    "pp": lambda v: cv.findEssentialMat(S.x1, S.x2, focal=1000.0, pp=v),
    "prob": lambda v: cv.findEssentialMat(S.x1, S.x2, K, cv.RANSAC, v),
    "E": lambda v: cv.recoverPose(v, S.x1, S.x2, K),
    "E's mask": lambda v: cv.recoverPose(S.E, S.x1, S.x2, K, mask=v),
    "R": lambda v: cv.recoverPose(S.E, S.x1, S.x2, K, R=v),
    "distanceThresh": lambda v: cv.recoverPose(S.E, S.x1, S.x2, K, distanceThresh=v),
    "affine method": lambda v: cv.estimateAffine2D(PLANE.x1, PLANE.x2, None, v),
    "affine threshold": lambda v: cv.estimateAffinePartial2D(PLANE.x1, PLANE.x2, None, cv.LMEDS, v),
    "distCoeffs": lambda v: cv.solvePnPRansac(S.X, S.x2, K, v),
    "iterationsCount": lambda v: cv.solvePnPRansac(S.X, S.x2, K, iterationsCount=v),
    "D": lambda v: cv.fisheye.undistortPoints(S.x1, K, v),
    "P": lambda v: cv.fisheye.undistortPoints(S.x1, K, np.zeros(4), None, v),
    "mode": lambda v: cv.StereoSGBM_create(0, 16, mode=v),
    "ransac_opt": lambda v: poselib.estimate_fundamental(S.x1, S.x2, v),
    "max_error": lambda v: poselib.estimate_fundamental(S.x1, S.x2, {"max_error": v}),
    "seed": lambda v: poselib.estimate_fundamental(S.x1, S.x2, {"seed": v}),
    "camera": lambda v: poselib.estimate_relative_pose(S.x1, S.x2, v, CAMERA),
    "params": lambda v: poselib.estimate_relative_pose(S.x1, S.x2, {**CAMERA, "params": v}, CAMERA),
    "principal_point": lambda v: bifocal.estimate_shared_focal_relative_pose(S.x1, S.x2, v),
    "centre": lambda v: bifocal.estimate_radial_fundamental(S.x1, S.x2, v),
    "unit": lambda v: bifocal.estimate_radial_fundamental(S.x1, S.x2, (640, 480), unit=v),
    "lens's aspect_ratio": lambda v: bifocal.estimate_radial_fundamental(S.x1, S.x2, (640, 480), aspect_ratio=v),
    "aspect_ratio": lambda v: bifocal.estimate_shared_focal_relative_pose(S.x1, S.x2, (640, 480), aspect_ratio=v),
    "LensCamera.params": lambda v: bifocal.LensCamera("PINHOLE", v),
    "camera1": lambda v: bifocal.estimate_relative_pose(S.x1, S.x2, v),
    "weights": lambda v: bifocal.estimate_homography(S.x1, S.x2, weights=v),
    **{f"params.{name}": lambda v, name=name: cv.findHomography(PLANE.x1, PLANE.x2, with_param(name, v)) for name in ("threshold", "score", "maxIterations")},
}


def with_param(name, value):
    params = cv.UsacParams()
    setattr(params, name, value)
    return params


@pytest.mark.parametrize("name", ARGUMENTS)
def test_numbers_that_are_none_are_refused_by_name(name):
    refusals = 0
    for value in NUMBERS:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                ARGUMENTS[name](value)
        except (ValueError, TypeError) as refused:
            refusals += 1
            assert re.match(r"[\w., ]+(\[\d+\])?(: | = |\()", str(refused)) and "\n" not in str(refused), (value, refused)
    assert refusals >= 5


METHODS = {
    cv.findHomography: {0, cv.RANSAC, cv.LMEDS, cv.RHO, *range(32, 39)},
    cv.findFundamentalMat: {cv.FM_7POINT, cv.FM_8POINT, cv.RANSAC, cv.LMEDS, cv.RHO, *range(32, 39)},
    cv.estimateAffine2D: {cv.RANSAC, cv.LMEDS, *range(32, 39)},
    cv.estimateAffinePartial2D: {cv.RANSAC, cv.LMEDS},
    cv.findEssentialMat: {cv.RANSAC, cv.LMEDS, cv.RHO, *range(32, 39)},
}


@pytest.mark.parametrize("function", METHODS, ids=lambda f: f.__name__)
def test_methods_are_taken_or_refused(function):
    s = S if function in (cv.findFundamentalMat, cv.findEssentialMat) else PLANE
    more = (K,) if function is cv.findEssentialMat else ()
    for method in range(-1, 41):
        if method in METHODS[function]:
            model, mask = function(s.clean1, s.clean2, *more, method=method)
            affine = function in (cv.estimateAffine2D, cv.estimateAffinePartial2D)
            assert affine or (model.shape == (3, 3) and mask.all())
        else:
            with pytest.raises(ValueError, match=f"{function.__name__}: method = {method}, must be one of"):
                function(s.clean1, s.clean2, *more, method=method)
