"""bifocal.cv: the truth is found, and beside OpenCV (where it is installed) shapes and types are the same."""

import numpy as np
import pytest
from scenes import K, Scene, angle_deg, direction_deg, rotation, sampson, transfer
from test_images import texture

from bifocal import _cv_arrays, cv

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
    assert count == (inside > 0).sum() and set(np.unique(inside)) == {0, 255} and not inside[mask == 0].any()
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
    r = _cv_arrays.rotation_vector(rotation(axis, degrees))[:, 0]
    r = r if r @ axis >= 0 else -r  # half a turn has two
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


@pytest.mark.parametrize(
    "call, kind, message",
    [
        (lambda: cv.findHomography(S.x1[:3], S.x2[:3]), ValueError, "srcPoints: 3 points, must be at least 4"),
        (lambda: cv.findHomography(S.x1, S.x2[:9]), ValueError, "dstPoints: 9 points, but srcPoints has 600"),
        (lambda: cv.findHomography(S.x1, S.x2, 99), ValueError, "findHomography: method = 99"),
        (lambda: cv.findFundamentalMat(S.X, S.x2), ValueError, r"points1: shape \(600, 3\)"),
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
    "pose": lambda m: m.recoverPose(S.E, S.clean1, S.clean2, K),
    "pose, focal": lambda m: m.recoverPose(S.E, S.clean1, S.clean2, focal=1000.0, pp=(640.0, 480.0)),
    "pose and points": lambda m: m.recoverPose(S.E, S.clean1, S.clean2, K, distanceThresh=50.0),
    "affine": lambda m: m.estimateAffine2D(S.x1, MAPPED),
    "similarity": lambda m: m.estimateAffinePartial2D(S.x1, TURNED),
    "camera": lambda m: m.solvePnPRansac(S.X, S.x2, K, LENS * 0)[:3],
    "stereo": lambda m: m.StereoSGBM_create(0, 32, 5).compute(texture(96, 200)[:, 20:180], texture(96, 200)[:, 30:190]),
}
# Models that are as good as determined: they agree with OpenCV's.
SAME = ["homography of all", "fundamental of all", "affine", "similarity", "pose", "pose, focal"]


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
