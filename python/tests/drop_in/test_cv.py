"""bifocal.cv finds the true model, and shapes and types equal OpenCV's if it is installed."""

import numpy as np
import pytest
from scenes import K, Scene, angle_deg, direction_deg, rotation, sampson, transfer
from test_images import texture

from bifocal import cv
from bifocal._cv import arrays

S, PLANE = Scene(), Scene(plane=True)
SEVEN, FIVE = Scene(n=7, right=1, noise=0, seed=3), Scene(n=5, right=1, noise=0, seed=3)
LENS = np.array([-0.1, 0.02, 0.001, -0.001, 0.0])
A = np.array([[1.1, 0.2, 5], [-0.1, 0.9, 8]])
MAPPED = np.where(S.right[:, None], S.x1 @ A[:, :2].T + A[:, 2], S.x2)
SIMILAR = np.array([[0.96, -0.28, 3], [0.28, 0.96, 4]]) * [[1.2, 1.2, 1]]
TURNED = np.where(S.right[:, None], S.x1 @ SIMILAR[:, :2].T + SIMILAR[:, 2], S.x2)


def test_find_homography():
    H, mask = cv.findHomography(PLANE.x1, PLANE.x2, cv.RANSAC, 3.0)
    assert H[2, 2] == 1 and transfer(H, PLANE.clean1, PLANE.clean2).mean() < 0.3
    assert mask.dtype == np.uint8 and mask.shape == (600, 1) and mask[PLANE.right].mean() > 0.95
    good = PLANE.right
    H, mask = cv.findHomography(PLANE.x1[good], PLANE.x2[good])
    assert transfer(H, PLANE.clean1, PLANE.clean2).mean() < 0.3 and mask.all()
    given = np.zeros((600, 1), np.uint8)
    cv.findHomography(PLANE.x1[:, None].astype(np.float32), PLANE.x2[None], cv.USAC_MAGSAC, mask=given)
    assert given[good].mean() > 0.95
    homogeneous = np.c_[PLANE.x1, np.ones(600)] * np.linspace(1, 2, 600)[:, None]
    again, _ = cv.findHomography(homogeneous, PLANE.x2, cv.RANSAC, 3.0)
    assert np.allclose(again, cv.findHomography(PLANE.x1, PLANE.x2, cv.RANSAC, 3.0)[0], rtol=1e-6)
    H, mask = cv.findHomography(np.random.default_rng(0).permutation(PLANE.x1), PLANE.x2, cv.RANSAC)
    assert H is None and not mask.any()


def test_find_fundamental_mat():
    F, mask = cv.findFundamentalMat(S.x1, S.x2, cv.FM_RANSAC, 3.0, 0.99)
    assert F[2, 2] == 1 and sampson(F, S.clean1, S.clean2).mean() < 0.4 and mask.shape == (600, 1)
    F, _ = cv.findFundamentalMat(S.clean1, S.clean2, cv.FM_8POINT)
    assert sampson(F, S.clean1, S.clean2).max() < 1e-6
    several, _ = cv.findFundamentalMat(SEVEN.x1, SEVEN.x2, cv.FM_7POINT)
    assert several.shape[0] in (3, 9) and min(sampson(F, SEVEN.x1, SEVEN.x2).max() for F in several.reshape(-1, 3, 3)) < 1e-6
    assert cv.findFundamentalMat(S.x1[:6], S.x2[:6]) == (None, None)


def test_find_essential_mat_and_recover_pose():
    E, mask = cv.findEssentialMat(S.x1, S.x2, K, cv.RANSAC, 0.999, 1.5)
    count, R, t, inside = cv.recoverPose(E, S.x1, S.x2, K, mask=mask.copy())
    assert angle_deg(R, S.R) < 0.3 and direction_deg(t[:, 0], S.t) < 2 and t.shape == (3, 1)
    assert count == (inside > 0).sum() and set(np.unique(inside)) == {0, 1} and not inside[mask == 0].any()
    E2, _ = cv.findEssentialMat(S.x1, S.x2, focal=1000.0, pp=(640.0, 480.0), method=cv.RANSAC, prob=0.999, threshold=1.5)
    assert np.array_equal(E, E2)
    unit = [(x - K[:2, 2]) / 1000 for x in (S.x1, S.x2)]
    E3, _ = cv.findEssentialMat(*unit, threshold=1.5e-3)
    assert min(np.abs(E3 - E).max(), np.abs(E3 + E).max()) < 1e-6
    E4, _ = cv.findEssentialMat(S.x1, S.x2, K, None, K, np.zeros(5), cv.RANSAC, 0.999, 1.5)
    assert np.array_equal(E, E4)
    several, _ = cv.findEssentialMat(FIVE.x1, FIVE.x2, K)
    assert several.shape[1] == 3 and several.shape[0] % 3 == 0
    R5, t5 = np.zeros((3, 3)), np.zeros((3, 1))
    out = cv.recoverPose(S.E, S.clean1, S.clean2, K, 50.0, R5, t5)
    assert len(out) == 5 and out[4].shape == (4, 600) and np.array_equal(R5, out[1]) and out[0] == 600
    assert cv.recoverPose(S.E, S.clean1, S.clean2, K, distanceThresh=1.0)[0] == 0


def test_affine_maps():
    found, mask = cv.estimateAffine2D(S.x1, MAPPED)
    assert np.abs(found - A).max() < 1e-6 and mask[S.right].all() and mask.shape == (600, 1)
    found, mask = cv.estimateAffinePartial2D(S.x1, TURNED)
    assert np.abs(found - SIMILAR).max() < 1e-6 and mask[S.right].all()


def test_solve_pnp_ransac():
    ok, rvec, tvec, inliers = cv.solvePnPRansac(S.X, S.x2, K, None)
    assert ok and rvec.shape == tvec.shape == (3, 1) and inliers.dtype == np.int32 and inliers.shape[1] == 1
    assert np.abs(tvec[:, 0] - S.t).max() < 0.05 and np.isin(np.flatnonzero(S.right), inliers).mean() > 0.95
    axis = rvec[:, 0] / np.linalg.norm(rvec)
    assert angle_deg(rotation(axis, np.degrees(np.linalg.norm(rvec))), S.R) < 0.1


@pytest.mark.parametrize("degrees", [0, 1e-6, 30, 179.9, 180])
def test_rotation_vectors(degrees):
    axis = np.array([0.36, -0.48, 0.8])
    r = arrays.rotation_vector(rotation(axis, degrees))[:, 0]
    r = r if r @ axis >= 0 else -r  # a rotation by 180 degrees has two axes
    assert np.abs(np.degrees(r) - axis * degrees).max() < 1e-5


def test_stereo_sgbm():
    picture = texture(96, 200)
    matcher = cv.StereoSGBM_create(minDisparity=0, numDisparities=32, blockSize=5, disp12MaxDiff=1, uniquenessRatio=5)
    found = matcher.compute(picture[:, 20:180], picture[:, 30:190])
    assert found.dtype == np.int16 and found.shape == (96, 160) and (found == -16).any()
    assert abs(np.median(found[5:-5, 40:-5]) - 160) <= 2
    assert matcher.getNumDisparities() == 32
    matcher.setMinDisparity(4)
    again = matcher.compute(picture[:, 20:180], picture[:, 30:190])
    assert abs(np.median(again[5:-5, 45:-5]) - 160) <= 2 and again.min() == 48


def with_params(module, **values):
    params = module.UsacParams()
    for name, value in values.items():
        setattr(params, name, value)
    return params


def test_usac_params():
    params = with_params(cv, threshold=3.0, confidence=0.999, maxIterations=10000, score=cv.SCORE_METHOD_MAGSAC, isParallel=True)
    H, mask = cv.findHomography(PLANE.x1, PLANE.x2, params)
    same, flags = cv.findHomography(PLANE.x1, PLANE.x2, cv.USAC_MAGSAC, 3.0, maxIters=10000, confidence=0.999)
    assert np.array_equal(H, same) and np.array_equal(mask, flags)
    F, mask = cv.findFundamentalMat(S.x1, S.x2, params=params)
    same, flags = cv.findFundamentalMat(S.x1, S.x2, cv.USAC_MAGSAC, 3.0, 0.999, 10000)
    assert np.array_equal(F, same) and np.array_equal(mask, flags)
    E, mask = cv.findEssentialMat(S.x1, S.x2, K, K, None, None, params)
    same, flags = cv.findEssentialMat(S.x1, S.x2, K, cv.USAC_MAGSAC, 0.999, 3.0, 10000)
    assert np.array_equal(E, same) and np.array_equal(mask, flags)
    E, _ = cv.findEssentialMat(S.x1, S.x2, cameraMatrix1=K, cameraMatrix2=K, dist_coeff1=None, dist_coeff2=None, params=params)
    assert np.array_equal(E, same)
    found, _ = cv.estimateAffine2D(S.x1, MAPPED, params)
    assert np.abs(found - A).max() < 1e-6
    # The mask may follow params, in the place of the threshold of the other form.
    given = np.zeros((600, 1), np.uint8)
    cv.findHomography(PLANE.x1, PLANE.x2, params, given)
    assert given[PLANE.right].mean() > 0.95
    given[:] = 0
    cv.findFundamentalMat(S.x1, S.x2, params, given)
    assert given[S.right].mean() > 0.9
    # A different seed draws different samples.
    few = [cv.findFundamentalMat(S.x1, S.x2, with_params(cv, maxIterations=30, randomGeneratorState=seed))[0] for seed in (0, 0, 1, 2)]
    assert np.array_equal(few[0], few[1]) and not (np.array_equal(few[0], few[2]) and np.array_equal(few[0], few[3]))


def test_prosac_takes_the_first_points_first():
    """Correct matches come first: a few samples suffice, which find no model in another order."""
    rng = np.random.default_rng(0)
    n, right = 3000, 60
    x1 = rng.uniform([0, 0], [1280, 960], (n, 2))
    x2 = rng.uniform([0, 0], [1280, 960], (n, 2))
    x2[:right] = x1[:right] @ [[0.9, 0.1], [-0.1, 0.95]] + [20, 10]
    sampler = cv.SAMPLING_PROSAC
    H, mask = cv.findHomography(x1, x2, with_params(cv, sampler=sampler, maxIterations=2000, confidence=0.999))
    assert H is not None and mask[:right].all()
    order = rng.permutation(n)
    assert cv.findHomography(x1[order], x2[order], with_params(cv, sampler=sampler, maxIterations=2000))[0] is None


@pytest.mark.parametrize(
    "name, value, message",
    [
        ("sampler", cv.SAMPLING_NAPSAC, "params.sampler = 2: samples of neighbours"),
        ("sampler", cv.SAMPLING_PROGRESSIVE_NAPSAC, "params.sampler = 1: samples of neighbours"),
        ("score", cv.SCORE_METHOD_LMEDS, "params.score = 3: a score without a threshold"),
        ("score", 9, "params.score = 9, must be 0 to 3"),
        ("loMethod", -1, "params.loMethod = -1, must be 0 to 4"),
        ("final_polisher", 4, "params.final_polisher = 4, must be 0 to 3"),
        ("neighborsSearch", 3, "params.neighborsSearch = 3, must be 0 to 2"),
        ("threshold", 0.0, "params.threshold = 0.0, must be above 0"),
        ("threshold", float("nan"), "params.threshold = nan, must be above 0"),
        ("confidence", 1.0, "params.confidence = 1.0, must be above 0 and below 1"),
        ("maxIterations", 0, "params.maxIterations = 0, must be 1 to"),
        ("randomGeneratorState", -1, "params.randomGeneratorState = -1, must be 0 or more"),
    ],
)
def test_usac_params_without_a_meaning_are_refused(name, value, message):
    params = with_params(cv, **{name: value})
    for call in (cv.findHomography, cv.findFundamentalMat, cv.estimateAffine2D, lambda a, b, p: cv.findEssentialMat(a, b, K, K, None, None, p)):
        with pytest.raises(ValueError, match=message.replace("(", r"\(")):
            call(S.x1, S.x2, params)


@pytest.mark.parametrize(
    "call, kind, message",
    [
        (lambda: cv.findHomography(S.x1[:3], S.x2[:3]), ValueError, "srcPoints: 3 points, must be at least 4"),
        (lambda: cv.findHomography(S.x1, S.x2[:9]), ValueError, "dstPoints: 9 points, but srcPoints has 600"),
        (lambda: cv.findHomography(S.x1, S.x2, 99), ValueError, "findHomography: method = 99"),
        (lambda: cv.findHomography(S.x1, S.x2, params=3), TypeError, "params: int, must be UsacParams"),
        (lambda: cv.findHomography(S.x1, S.x2, cv.RANSAC, np.ones(600)), TypeError, r"ransacReprojThreshold: an array of shape \(600,\)"),
        (lambda: cv.findFundamentalMat(S.x1, S.x2, params="fast"), TypeError, "params: str, must be UsacParams"),
        (lambda: cv.findEssentialMat(S.x1, S.x2, K, K, None, None, params=3), TypeError, "params: int, must be UsacParams"),
        (lambda: cv.findEssentialMat(S.x1, S.x2, K, K, None, None, cv.UsacParams(), threshold=2), TypeError, "threshold"),
        (lambda: cv.findFundamentalMat(S.x1[:, [0, 1, 0, 1]], S.x2), ValueError, r"points1: shape \(600, 4\)"),
        (lambda: cv.findEssentialMat(S.x1, S.x2, K, epochs=2), TypeError, "epochs"),
        (lambda: cv.findEssentialMat(S.x1, S.x2, K[:2]), ValueError, r"cameraMatrix: shape \(2, 3\)"),
        (lambda: cv.solvePnPRansac(S.X[:3], S.x2[:3], K), ValueError, "objectPoints: 3 points"),
        (lambda: cv.solvePnPRansac(S.X, S.x2, K, np.ones(3)), ValueError, "distCoeffs: 3 coefficients"),
        (lambda: cv.estimateAffine2D(S.x1, S.x2, method=77), ValueError, "method = 77"),
        (lambda: cv.StereoSGBM_create(mode=9), ValueError, "mode = 9"),
        (lambda: cv.StereoSGBM_create().setNumbers(9), AttributeError, "setNumbers"),
    ],
)
def test_refused(call, kind, message):
    with pytest.raises(kind, match=message):
        call()


def outline(results):
    if not isinstance(results, tuple):
        results = (results,)
    return [(r.dtype, r.shape) if isinstance(r, np.ndarray) else type(r) for r in results]


BESIDE = {
    "homography": lambda m: m.findHomography(PLANE.x1, PLANE.x2, m.RANSAC, 3.0),
    "homography of all": lambda m: m.findHomography(PLANE.clean1, PLANE.clean2),
    "homography, float32 [N, 1, 2]": lambda m: m.findHomography(np.float32(PLANE.x1)[:, None], np.float32(PLANE.x2)[:, None], m.RHO, 3.0),
    "fundamental": lambda m: m.findFundamentalMat(S.x1, S.x2, m.FM_RANSAC, 3.0, 0.99),
    "fundamental, maxIters": lambda m: m.findFundamentalMat(S.x1, S.x2, m.USAC_MAGSAC, 3.0, 0.99, 1000),
    "fundamental of all": lambda m: m.findFundamentalMat(S.clean1, S.clean2, m.FM_8POINT),
    "fundamental of 6": lambda m: m.findFundamentalMat(S.x1[:6], S.x2[:6]),
    "essential": lambda m: m.findEssentialMat(S.x1, S.x2, K, m.RANSAC, 0.999, 1.0),
    "essential, focal": lambda m: m.findEssentialMat(S.x1, S.x2, 1000.0, (640.0, 480.0), m.RANSAC, 0.999, 1.0),
    "essential, two cameras": lambda m: m.findEssentialMat(S.x1, S.x2, K, LENS * 0, K, LENS * 0, m.RANSAC, 0.999, 1.0),
    "homography, params": lambda m: m.findHomography(PLANE.x1, PLANE.x2, m.UsacParams()),
    "fundamental, params": lambda m: m.findFundamentalMat(S.x1, S.x2, m.UsacParams()),
    "essential, params": lambda m: m.findEssentialMat(S.x1, S.x2, K, K, LENS * 0, LENS * 0, m.UsacParams()),
    "affine, params": lambda m: m.estimateAffine2D(S.x1, MAPPED, m.UsacParams()),
    "pose": lambda m: m.recoverPose(S.E, S.clean1, S.clean2, K),
    "pose, focal": lambda m: m.recoverPose(S.E, S.clean1, S.clean2, focal=1000.0, pp=(640.0, 480.0)),
    "pose of two cameras": lambda m: m.recoverPose(S.x1, S.x2, K, LENS * 0, K, LENS * 0),
    "pose and points": lambda m: m.recoverPose(S.E, S.clean1, S.clean2, K, distanceThresh=50.0),
    "affine": lambda m: m.estimateAffine2D(S.x1, MAPPED),
    "similarity": lambda m: m.estimateAffinePartial2D(S.x1, TURNED),
    "camera": lambda m: m.solvePnPRansac(S.X, S.x2, K, LENS * 0)[:3],
    "stereo": lambda m: m.StereoSGBM_create(0, 32, 5).compute(texture(96, 200)[:, 20:180], texture(96, 200)[:, 30:190]),
}
# Models that the data determine, so that they equal OpenCV's.
SAME = ["homography of all", "fundamental of all", "affine", "similarity", "pose", "pose, focal"]


def test_usac_params_of_opencv():
    """OpenCV's defaults and constants equal ours, and its objects are accepted."""
    cv2 = pytest.importorskip("cv2")
    ours, theirs = cv.UsacParams(), cv2.UsacParams()
    assert {name: getattr(theirs, name) for name in dir(theirs) if not name.startswith("_")} == vars(ours)
    starts = ("SAMPLING_", "SCORE_METHOD_", "LOCAL_OPTIM_", "NEIGH_")
    names = [name for name in dir(cv2) if name.startswith(starts) or name.endswith("_POLISHER") or name == "MAGSAC"]
    assert len(names) == 20 and {name: getattr(cv2, name) for name in names} == {name: getattr(cv, name) for name in names}
    assert np.array_equal(cv.findFundamentalMat(S.x1, S.x2, theirs)[0], cv.findFundamentalMat(S.x1, S.x2, ours)[0])
    with pytest.raises(ValueError, match="params.sampler = 2"):
        cv.findFundamentalMat(S.x1, S.x2, with_params(cv2, sampler=cv2.SAMPLING_NAPSAC))
    # Both find the plane with the same parameters.
    for module in (cv, cv2):
        H, mask = module.findHomography(PLANE.x1, PLANE.x2, with_params(module, threshold=3.0, confidence=0.999))
        assert transfer(H, PLANE.clean1, PLANE.clean2).mean() < 0.5 and mask[PLANE.right].mean() > 0.9


@pytest.mark.parametrize("name", BESIDE)
def test_shapes_are_those_of_opencv(name):
    cv2 = pytest.importorskip("cv2")
    ours, theirs = BESIDE[name](cv), BESIDE[name](cv2)
    assert outline(ours) == outline(theirs)
    if name in SAME:
        for a, b in zip(ours, theirs):
            assert np.allclose(a, b, rtol=1e-3, atol=1e-4)


def test_sides_of_lenses_are_those_of_opencv():
    cv2 = pytest.importorskip("cv2")
    bent = cv2.projectPoints(S.X, np.zeros(3), np.zeros(3), K, LENS)[0][:, 0]
    ok, rvec, tvec, _ = cv.solvePnPRansac(S.X, bent, K, LENS)
    assert ok and np.abs(rvec).max() < 1e-4 and np.abs(tvec).max() < 1e-3
