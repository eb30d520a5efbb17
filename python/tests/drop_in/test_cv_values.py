"""bifocal.cv gives OpenCV's values: masks, minimal samples, output arrays. The constants were computed by OpenCV 5.0.0; compared with OpenCV if it is installed."""

import numpy as np
import pytest
from data_folder import needs_data
from scenes import K, Scene

from bifocal import cv


def points(*numbers):
    return np.array(numbers, float).reshape(-1, 2)


# A square and its image, two and three points, and seven matches with three fundamental matrices.
SQUARE, SEEN = points(0, 0, 640, 0, 640, 480, 0, 480), points(100, 80, 520, 60, 560, 400, 70, 430)
EYES, UPRIGHT = points(210, 300, 330, 298), points(70, 90, 130, 90)
FACE, UPRIGHT_FACE = points(210, 300, 330, 298, 270, 380), points(70, 90, 130, 90, 100, 130)
LANDMARKS, TEMPLATE = points(120, 210, 190, 200, 160, 255, 130, 300, 195, 290), points(38.3, 51.7, 73.5, 51.5, 56.0, 71.7, 41.5, 92.4, 70.7, 92.2)
SEVEN1 = points(839, 485, 966, 193, 689, 424, 780, 329, 944, 516, 868, 467, 603, 634)
SEVEN2 = points(1055, 450, 1246, 156, 899, 394, 994, 295, 1256, 497, 1115, 437, 837, 607)
CORNERS3, CORNERS2 = np.array([[0, 0, 5], [1, 0, 6], [1, 1, 7], [-1, 1, 5.0]]), points(650, 470, 800, 480, 790, 610, 450, 690)
ONE_OF_THREE_F = [
    [[1.3904779671e-06, 5.8826907013e-06, -4.1852030325e-03], [-7.6453572116e-06, -1.4736611846e-06, 5.6463393707e-03], [2.3809470159e-03, -4.4448397522e-03, 1]],
    [[7.8059770957e-07, 2.5690713765e-06, -8.1314733156e-03], [-6.9507665183e-06, 6.8523439939e-07, 3.5145257780e-02], [9.8232512823e-03, -3.3008519059e-02, 1]],
    [[1.3395620615e-06, 5.6060529081e-06, -4.5146577452e-03], [-7.5873692480e-06, -1.2934256018e-06, 8.1090591014e-03], [3.0022684252e-03, -6.8294809664e-03, 1]],
]
ONE_OF_TWO_E = [
    [[0.5652154517, -0.0023464459, -0.3999439703], [0.0689502947, -0.5035887658, 0.2517992935], [0.2007559729, -0.3880149043, 0.0891830081]],
    [[0.6206574865, 0.126188896, -0.3086386012], [-0.03062931, -0.5986650653, -0.3379801296], [0.0616066873, 0.1530234442, 0.0531292704]],
]
EIGHT_F = [[2.6703973370e-07, -1.0518502495e-05, -1.4787177112e-03], [1.0673666689e-05, 4.3582509377e-06, 2.6165047349e-02], [2.7495615364e-03, -2.7472964670e-02, 1]]


@pytest.fixture(scope="module")
def views():
    """Returns 200 matches of two views, whose first 150 are correct, and the essential matrix."""
    rows = np.loadtxt(needs_data("field_cases/relative_pose.txt"))
    x1, x2 = rows[:, :2].copy(), rows[:, 2:4].copy()
    return x1, x2, cv.findEssentialMat(x1, x2, K, cv.RANSAC, 0.999, 1.0)[0]


MASKS = {
    "ones": (np.ones((200, 1), np.uint8), 1),
    "255": (np.full((200, 1), 255, np.uint8), 255),
    "any number": (np.full((200, 1), 6, np.uint8), 6),
    "flat": (np.ones(200, np.uint8), 1),
    "with a third axis": (np.ones((200, 1, 1), np.uint8), 1),
    "every third": ((np.arange(200) % 3 == 0).astype(np.uint8)[:, None], 1),
    "zeros": (np.zeros((200, 1), np.uint8), 0),
}
FORMS = {
    "matrix": lambda m, E, a, b, mask: m.recoverPose(E, a, b, K, mask=mask),
    "focal": lambda m, E, a, b, mask: m.recoverPose(E, a, b, focal=1000.0, pp=(640.0, 480.0), mask=mask),
    "points": lambda m, E, a, b, mask: m.recoverPose(E, a, b, K, distanceThresh=50.0, mask=mask),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", MASKS)
def test_recover_pose_keeps_the_values_of_a_mask(views, form, name):
    x1, x2, E = views
    call, (given, value) = FORMS[form], MASKS[name]
    without = call(cv, E, x1, x2, None)
    assert set(np.unique(without[3])) == {0, 255} and without[0] == np.count_nonzero(without[3]) >= 150
    mask = given.copy()
    found = call(cv, E, x1, x2, mask)
    expected = np.where(without[3].ravel() > 0, given.ravel(), 0)
    assert found[0] == np.count_nonzero(expected) and np.array_equal(found[3].ravel(), expected) and np.array_equal(mask.ravel(), expected)
    assert found[3].dtype == np.uint8 and found[3].shape == (given.shape if given.ndim > 1 else (200, 1)) and set(np.unique(found[3])) <= {0, value}


def test_the_mask_of_the_search_goes_through_recover_pose(views):
    """Field case: mask == 1 selects as many matches as recoverPose counted."""
    x1, x2, _ = views
    E, mask = cv.findEssentialMat(x1, x2, K, cv.RANSAC, 0.999, 1.0)
    n, _, _, mask = cv.recoverPose(E, x1, x2, K, mask=mask)
    assert len(x1[mask.ravel() == 1]) == n == 150 and (mask[:150] == 1).all()


def test_masks_that_are_no_input_of_recover_pose(views):
    x1, x2, E = views
    n, _, _, mask = cv.recoverPose(E, x1, x2, K, mask=np.arange(200) < 100)  # a bool mask gives a new mask of 0 and 1
    assert n == 100 and mask.dtype == np.uint8 and set(np.unique(mask)) == {0, 1}
    assert set(np.unique(cv.recoverPose(E, x1, x2, K, mask=np.zeros((0, 1), np.uint8))[3])) == {0, 255}
    for mask, kind in ((np.ones((200, 1)), TypeError), (np.ones((199, 1), np.uint8), ValueError), (np.ones((20, 10), np.uint8), ValueError), ([300] * 200, ValueError)):
        with pytest.raises(kind, match="^mask: "):
            cv.recoverPose(E, x1, x2, K, mask=mask)


def test_recover_pose_that_finds_e_itself(views):
    x1, x2, _ = views
    given = {"E": np.zeros((3, 3)), "R": np.zeros((3, 3)), "t": np.zeros((3, 1)), "mask": np.full((200, 1), 7, np.uint8)}
    out = cv.recoverPose(x1, x2, K, np.zeros(5), K, np.zeros(5), **given)
    assert out[0] == 150 and all(a is b for a, b in zip(out[1:], given.values())) and set(np.unique(out[4])) == {0, 1}
    E, _ = cv.findEssentialMat(x1, x2, K)
    alone = cv.recoverPose(E, x1, x2, K)
    assert np.allclose(out[1], E) and np.allclose(out[2], alone[1]) and np.allclose(out[3], alone[2])
    x1, x2 = SEVEN1[:5], SEVEN2[:5]  # the solution with most points in front of both cameras
    assert cv.recoverPose(x1, x2, K, None, K, None)[0] >= 4
    rng = np.random.default_rng(0)
    nothing = cv.recoverPose(rng.uniform(0, 900, (30, 2)), rng.uniform(0, 900, (30, 2)), K, None, K, None)
    assert nothing[:4] == (0, None, None, None) and nothing[4].shape == (30, 1) and not nothing[4].any()
    with pytest.raises(TypeError, match="cameraMatrix2"):
        cv.recoverPose(SEVEN1, SEVEN2, K)


SEARCHES = {
    "findHomography": lambda m, mask: m.findHomography(PLANE.x1, PLANE.x2, m.RANSAC, 3.0, mask),
    "findFundamentalMat": lambda m, mask: m.findFundamentalMat(SCENE.x1, SCENE.x2, m.FM_RANSAC, 3.0, 0.99, 1000, mask),
    "findEssentialMat": lambda m, mask: m.findEssentialMat(SCENE.x1, SCENE.x2, K, m.RANSAC, 0.999, 2.0, 1000, mask),
    "estimateAffine2D": lambda m, mask: m.estimateAffine2D(PLANE.x1, MAPPED, mask),
    "estimateAffinePartial2D": lambda m, mask: m.estimateAffinePartial2D(PLANE.x1, MAPPED, mask),
}
SCENE, PLANE = Scene(n=200), Scene(n=200, plane=True)
MAPPED = np.where(PLANE.right[:, None], PLANE.x1 @ [[0.9, 0.2], [-0.2, 0.9]] + [5, 8], PLANE.x2)


@pytest.mark.parametrize("name", SEARCHES)
def test_masks_that_are_given_are_filled(name):
    alone = SEARCHES[name](cv, None)[1]
    assert alone.dtype == np.uint8 and alone.shape == (200, 1) and set(np.unique(alone)) == {0, 1}
    for given in (np.full((200, 1), 9, np.uint8), np.full((200, 1, 1), 9, np.uint8), np.full(200, 9, np.uint8), np.full((400, 1), 9, np.uint8)[::2]):
        mask = SEARCHES[name](cv, given)[1]
        assert np.array_equal(given.ravel(), alone.ravel()) and np.shares_memory(mask, given)
        assert mask is given or given.ndim == 1
    # OpenCV makes a new array for another type or number of elements.
    for given in (np.full((200, 1), 9.0), np.full((200, 1), 9, np.int32), np.ones((200, 1), bool), np.full((3, 1), 9, np.uint8), np.zeros((0, 1), np.uint8)):
        before = given.copy()
        assert np.array_equal(SEARCHES[name](cv, given)[1], alone) and np.array_equal(given, before)
    with pytest.raises(TypeError, match="^(mask|inliers): list, must be an array"):
        SEARCHES[name](cv, [0] * 200)


def test_inliers_of_a_camera_are_filled():
    s = Scene(n=100, right=1, noise=0.1)
    indices, alone = np.zeros((100, 1), np.int32), cv.solvePnPRansac(s.X, s.x2, K)[3]
    assert cv.solvePnPRansac(s.X, s.x2, K, inliers=indices)[3] is indices and np.array_equal(indices, alone)
    assert np.array_equal(cv.solvePnPRansac(s.X, s.x2, K, inliers=np.zeros((7, 1), np.int32))[3], alone)


def same(found, expected, tolerance=1e-6):
    return np.allclose(found, expected, rtol=tolerance, atol=tolerance * np.abs(expected).max())


@pytest.mark.parametrize("method", [cv.RANSAC, cv.LMEDS])
@pytest.mark.parametrize("kind", [np.float64, np.float32, np.int32])
def test_minimal_samples_of_affine_maps(method, kind):
    A, mask = cv.estimateAffinePartial2D(EYES.astype(kind), UPRIGHT.astype(kind), method=method)
    assert same(A, [[0.49986114968, -8.3310191613e-03, -32.471535685], [8.3310191613e-03, 0.49986114968, -61.707858928]])
    assert mask.dtype == np.uint8 and mask.tolist() == [[1], [1]]
    A, mask = cv.estimateAffine2D(FACE.astype(kind), UPRIGHT_FACE.astype(kind), method=method)
    assert same(A, [[0.5, 0, -35], [8.2304526749e-03, 0.49382716049, -59.876543210]]) and mask.tolist() == [[1], [1], [1]]
    assert A.dtype == np.float64 and A.flags.c_contiguous


@pytest.mark.parametrize("method", [0, cv.RANSAC, cv.LMEDS, cv.RHO, cv.USAC_DEFAULT, cv.USAC_MAGSAC])
def test_four_points(method):
    H, mask = cv.findHomography(SQUARE, SEEN, method)
    expected = [[0.66980780691, -0.083531982519, 100], [-0.029685637664, 0.59997020262, 80], [2.6072705602e-05, -3.0045689313e-04, 1]]
    assert same(H, expected) and H[2, 2] == 1 and mask.tolist() == [[1]] * 4


def test_least_squares_of_all_points():
    """Method 0: the mask flags the points that the map fits, possibly no point."""
    x1, x2 = np.r_[SQUARE, points(300, 200, 320, 470)], np.r_[SEEN, points(305, 235, 312, 423)]
    H, mask = cv.findHomography(x1, x2)
    expected = [[0.68110577936, -0.066795288692, 97.092366681], [-0.032522457171, 0.62836667913, 87.889758732], [2.1047419250e-05, -2.3100953220e-04, 1]]
    assert same(H, expected, 1e-4) and mask.tolist() == [[0]] * 6
    assert cv.findHomography(x1, x2, ransacReprojThreshold=100)[1].all()
    for scale in (1e-3, 1e3):
        assert same(cv.findHomography(x1, x2 * scale)[0] / [[scale], [scale], [1]], expected, 1e-4)


def test_a_similarity_by_least_squares():
    """OpenCV's least median of squares accepts all five landmarks of a face."""
    expected = [[0.4553348749, -0.046378498467, -4.7572426104], [0.046378498467, 0.4553348749, -49.763234917]]
    for method in (cv.LMEDS, cv.RANSAC):
        A, mask = cv.estimateAffinePartial2D(LANDMARKS, TEMPLATE, method=method)
        assert same(A, expected) and mask.all()
    A, mask = cv.estimateAffinePartial2D(LANDMARKS * 10, TEMPLATE * 10, method=cv.LMEDS)  # errors exceed 3 px
    assert same(A, np.multiply(expected, [1, 1, 10]), 1e-5) and mask.all()


def each_is_one_of(found, expected, tolerance):
    """Compares solutions in any order, and essential matrices with either sign."""
    return all(min(min(np.abs(F - G).max(), np.abs(F + G).max()) for G in np.array(found).reshape(-1, 3, 3)) < tolerance for F in np.array(expected))


@pytest.mark.parametrize("method", [cv.FM_7POINT, cv.FM_8POINT, cv.FM_RANSAC, cv.FM_LMEDS])
def test_seven_points_have_three_solutions(method):
    F, mask = cv.findFundamentalMat(SEVEN1, SEVEN2, method)
    assert F.shape == (9, 3) and each_is_one_of(F, ONE_OF_THREE_F, 1e-4) and mask.tolist() == [[1]] * 7
    one, mask = cv.findFundamentalMat(SEVEN1, SEVEN2, cv.USAC_DEFAULT)
    assert one.shape == (3, 3) and each_is_one_of(F, [one], 1e-9) and mask.all()
    assert cv.findFundamentalMat(SEVEN1[:6], SEVEN2[:6], method) == (None, None)


def test_eight_and_five_points():
    F, mask = cv.findFundamentalMat(np.r_[SEVEN1, points(100, 200)], np.r_[SEVEN2, points(260, 230)], cv.FM_8POINT)
    assert same(F, EIGHT_F, 1e-4) and mask.tolist() == [[1]] * 8
    E, mask = cv.findEssentialMat(SEVEN1[:5], SEVEN2[:5], K)
    assert E.shape == (6, 3) and each_is_one_of(E, ONE_OF_TWO_E, 1e-4) and mask.tolist() == [[1]] * 5
    one, mask = cv.findEssentialMat(SEVEN1[:5], SEVEN2[:5], K, cv.USAC_DEFAULT)
    assert one.shape == (3, 3) and each_is_one_of(E, [one], 1e-9) and mask.all()
    assert cv.findEssentialMat(SEVEN1[:4], SEVEN2[:4], K) == (None, None)


def test_more_than_seven_points_for_fm_7point_are_searched():
    F, mask = cv.findFundamentalMat(SCENE.x1, SCENE.x2, cv.FM_7POINT)
    same_F, same_mask = cv.findFundamentalMat(SCENE.x1, SCENE.x2, cv.FM_LMEDS)
    assert np.array_equal(F, same_F) and np.array_equal(mask, same_mask) and 0 < mask.sum() < 200


def test_four_corners_of_a_camera():
    ok, rvec, tvec, inliers = cv.solvePnPRansac(CORNERS3, CORNERS2, K)
    assert ok and inliers.tolist() == [[0], [1], [2], [3]] and inliers.dtype == np.int32
    assert same(rvec.ravel(), [-0.0522320707, 0.0846307986, 0.0119059903], 1e-5) and same(tvec.ravel(), [-0.3585675405, -0.3255667117, 1.2572943317], 1e-5)
    s = Scene(n=5, right=1, noise=0, seed=1)
    ok, rvec, tvec, inliers = cv.solvePnPRansac(s.X, s.clean2, K)
    assert ok and len(inliers) == 5 and np.allclose(tvec.ravel(), s.t, atol=1e-6)


@pytest.mark.parametrize("extra", [1, 2, 3])
def test_a_few_points_that_all_agree(extra):
    """Too few points for a significant model, but OpenCV returns their map."""
    for kind, sample, call in (
        (3, 2, cv.estimateAffinePartial2D),
        (3, 3, cv.estimateAffine2D),
        (4, 4, lambda a, b: cv.findHomography(a, b, cv.RANSAC)),
        (0, 7, cv.findFundamentalMat),
        (0, 5, lambda a, b: cv.findEssentialMat(a, b, K)),
    ):
        for seed in range(5):
            s = Scene(n=sample + extra, right=1, noise=0.1, seed=seed, plane=kind == 4)
            x2 = s.x2 if kind != 3 else s.clean1 @ [[0.96, 0.28], [-0.28, 0.96]] + [3, 4] + 0.2 * (s.x1 - s.clean1)
            model, mask = call(s.x1, x2)
            assert model is not None and mask.all() and mask.shape == (sample + extra, 1), (call, seed)


ONE = np.ones((9, 2)) * 5
LINE = np.c_[np.arange(9.0) * 10, np.arange(9.0) * 20 + 3]
ANY = np.array([[3, 5], [90, 11], [47, 80], [20, 60], [75, 33], [66, 91], [10, 33], [50, 50], [83, 70.0]])


@pytest.mark.parametrize("x1, x2", [(ONE, ANY), (ONE, ONE), (LINE, ANY), (LINE, LINE * [2, 1]), (LINE, ONE)], ids=["point", "points", "line", "lines", "both"])
def test_degenerate_minimal_samples_have_no_map(x1, x2):
    """OpenCV returns NaN, infinity or a map of rank 1 here."""
    calls = [
        (2, cv.estimateAffinePartial2D, x1 is LINE),
        (3, cv.estimateAffine2D, False),
        (4, cv.findHomography, False),
        (4, lambda a, b: cv.findHomography(a, b, cv.RANSAC), False),
    ]
    for n, call, determined in calls:
        model, mask = call(x1[:n], x2[:n])
        assert (model is not None) == determined and mask.tolist() == [[int(determined)]] * n
        assert model is None or np.isfinite(model).all()
    F, mask = cv.findFundamentalMat(x1, x2, cv.FM_8POINT)
    assert F is None and mask.all()  # as in OpenCV
    assert cv.findEssentialMat(ONE[:5], ONE[:5], K)[0] is None


def test_two_points_for_an_affine_map():
    A, mask = cv.estimateAffine2D(EYES, UPRIGHT)
    assert A is None and mask.tolist() == [[0], [0]]


@pytest.mark.parametrize("mm", [1e-3, 1.0, 1e3])
def test_the_threshold_is_a_distance_in_the_second_image(mm):
    """Corners of a board in m, mm or um are mapped to px and back."""
    s = PLANE
    board = s.clean1 * mm + 7 * mm
    H, mask = cv.findHomography(board, s.x2, cv.RANSAC, 3.0)
    distance = np.linalg.norm(mapped(H, board) - s.x2, axis=1)
    assert np.array_equal(mask.ravel() == 1, distance <= 3.0) and mask[s.right].mean() > 0.95 and mask[~s.right].mean() < 0.05
    noisy = board.copy()
    noisy[~s.right] = board[~s.right][::-1]
    H, mask = cv.findHomography(s.clean2, noisy, cv.RANSAC, 3.0 * mm)
    assert np.array_equal(mask.ravel() == 1, np.linalg.norm(mapped(H, s.clean2) - noisy, axis=1) <= 3.0 * mm) and mask[s.right].all()
    A, mask = cv.estimateAffine2D(board, MAPPED)
    assert mask[s.right].mean() > 0.95 and mask[~s.right].mean() < 0.05
    A, mask = cv.estimateAffinePartial2D(board, MAPPED)
    assert mask[s.right].mean() > 0.95 and mask[~s.right].mean() < 0.05


def mapped(H, x):
    y = np.c_[x, np.ones(len(x))] @ H.T
    return y[:, :2] / y[:, 2:]


def test_beside_opencv(views):
    """Problems with a unique solution give the same numbers as OpenCV."""
    cv2 = pytest.importorskip("cv2")
    rng = np.random.default_rng(0)
    x1 = rng.uniform(0, 1000, (200, 2))
    x2 = x1 + rng.normal(0, 60, (200, 2))
    for form in FORMS.values():
        for mask in (None, np.ones((200, 1), np.uint8), rng.integers(0, 4, (200, 1)).astype(np.uint8)):
            theirs, ours = (form(m, views[2], x1, x2, None if mask is None else mask.copy()) for m in (cv2, cv))
            assert theirs[0] == ours[0] and np.array_equal(theirs[3], ours[3]) and all(np.allclose(a, b, atol=1e-9) for a, b in zip(theirs[1:3], ours[1:3]))
            assert len(theirs) == len(ours) and (len(ours) == 4 or np.allclose(np.abs(theirs[4]), np.abs(ours[4]), atol=1e-6))
    for n in (8, 20, 150):
        pair = views[0][:n], views[1][:n]
        assert all(np.allclose(a, b, rtol=1e-3, atol=1e-6) for a, b in zip(cv2.findFundamentalMat(*pair, cv2.FM_8POINT), cv.findFundamentalMat(*pair, cv.FM_8POINT)))
    for seed in range(20):
        rng = np.random.default_rng(seed)
        a, b = rng.uniform(0, 1000, (2, 7, 2))
        assert np.allclose(cv2.estimateAffinePartial2D(a[:2], b[:2])[0], cv.estimateAffinePartial2D(a[:2], b[:2])[0], rtol=1e-4, atol=1e-2)
        theirs, ours = (m.findFundamentalMat(a, b, m.FM_7POINT)[0].reshape(-1, 3, 3) for m in (cv2, cv))
        assert len(theirs) == len(ours)
