"""bifocal.cv gives the numbers of OpenCV 5.0.0 without OpenCV."""

import subprocess
import sys

import numpy as np
import pytest

from bifocal import cv

K1 = np.array([[800.0, 0, 330], [0, 810, 235], [0, 0, 1]])
K2 = np.array([[790.0, 0, 310], [0, 805, 245], [0, 0, 1]])
LENS = np.array([-0.3, 0.1, 0.001, -0.002, 0.01])
R = np.array([[0.8, 0, 0.6], [0, 1, 0], [-0.6, 0, 0.8]])
X = np.array([[10, 20], [320, 240], [630, 400.0]])
SCENE = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0.5, 0.5, 1], [0.2, 0.8, 0.5], [0.9, 0.1, 0.7]])
SEEN = np.array([[298, 203], [459, 212], [448, 374], [293, 360], [393, 267], [339, 317], [448, 219]])


def near(ours, frozen, tolerance=1e-9):
    assert np.abs(np.asarray(ours, float).reshape(np.shape(frozen)) - frozen).max() <= tolerance


def test_lens_points():
    near(cv.undistortPoints(X, K1, LENS), [[-0.4302945712, -0.286204421], [-0.0124995608, 0.0061726202], [0.3987642581, 0.2161567368]])
    turned = [[500.9452578366, 27.2721388955], [887.2141544575, 251.1535119256], [1604.7482613623, 555.3144500378]]
    near(cv.undistortPoints(X, K1, LENS, R=R, P=K2), turned)
    distorted = [[408.7401, 394.6512025], [99.7613382125, 429.1815208832], [329.744, -73.90191104]]
    near(cv.distortPoints([[0.1, 0.2], [-0.3, 0.25], [0, -0.4]], K1, LENS), distorted)


def test_maps():
    x, y = cv.initUndistortRectifyMap(K1, LENS, None, K2, (3, 2), cv.CV_32FC1)
    near(x, [[36.6484489440918, 37.519378662109375, 38.39097213745117], [36.589908599853516, 37.46097946166992, 38.33271789550781]], 0)
    near(y, [[5.143270492553711, 5.082842826843262, 5.022562503814697], [6.034936428070068, 5.974712371826172, 5.91463565826416]], 0)
    px, fraction = cv.initUndistortRectifyMap(K1, LENS, None, K2, (3, 2), cv.CV_16SC2)
    assert px.tolist() == [[[36, 5], [37, 5], [38, 5]], [[36, 6], [37, 5], [38, 5]]]
    assert fraction.tolist() == [[181, 113, 45], [51, 1007, 939]] and (px.dtype, fraction.dtype) == (np.int16, np.uint16)


@pytest.mark.parametrize(
    ("border", "values"), list(enumerate([[100, 28, 121, 189], [0, 28, 121, 178], [0, 28, 121, 178], [50, 28, 121, 96], [25, 28, 121, 121]]))
)
def test_borders_of_remap(border, values):
    image = np.array([[0, 50, 100], [30, 80, 255]], np.uint8)
    x, y = np.array([[-0.5, 0.25, 1.5, 2.5]], np.float32), np.array([[0, 0.5, 0.5, 0.5]], np.float32)
    assert cv.remap(image, x, y, cv.INTER_LINEAR, borderMode=border, borderValue=200).tolist() == [values]


def test_remap_refuses_what_it_does_not_have():
    image, map1 = np.zeros((4, 4), np.uint8), np.zeros((2, 2, 2), np.float32)
    with pytest.raises(ValueError, match="interpolation = 2, must be INTER_NEAREST"):
        cv.remap(image, map1, None, 2)
    with pytest.raises(ValueError, match="borderMode = 5"):
        cv.remap(image, map1, None, cv.INTER_LINEAR, borderMode=5)
    with pytest.raises(TypeError, match="map1, map2: float64"):
        cv.remap(image, map1.astype(float), None, cv.INTER_LINEAR)


def test_a_nan_in_a_map_is_outside():
    image, x = np.full((4, 4), 8, np.uint8), np.array([[1, np.nan, np.inf, -np.inf]], np.float32)
    assert cv.remap(image, x, np.ones_like(x), cv.INTER_LINEAR, borderValue=3).tolist() == [[8, 3, 3, 3]]


def test_stereo_rectify():
    turn = cv.fisheye._matrix("R", np.array([0.01, -0.02, 0.03]), None)
    R1, R2, P1, P2, Q, left, right = cv.stereoRectify(K1, LENS, K2, LENS, (640, 480), turn, [-1, 0.05, 0.02], alpha=0.5)
    near(R1, [[0.9960093509, -0.0801458185, -0.0392685719], [0.0799443278, 0.9967769651, -0.0066772915], [0.039677165, 0.0035113452, 0.9992063816]])
    near(R2, [[0.9985531461, -0.0499276573, -0.0199710629], [0.0500288851, 0.9987371719, 0.0046013272], [0.0197161094, -0.0055937998, 0.9997899702]])
    near(P1, [[753.0581558698, 0, 347.1407966614, 0], [0, 753.0581558698, 241.7936897278, 0], [0, 0, 1, 0]], 1e-6)
    near(P2, [[753.0581558698, 0, 347.1407966614, -754.1492996893], [0, 753.0581558698, 241.7936897278, 0], [0, 0, 1, 0]], 1e-6)
    near(Q, [[1, 0, 0, -347.1407966614], [0, 1, 0, -241.7936897278], [0, 0, 0, 753.0581558698], [0, 0, 0.9985531461, 0]], 1e-6)
    assert (left, right) == ((0, 29, 608, 430), (25, 16, 615, 450))


def test_reproject_image_to_3d():
    Q = np.array([[1, 0, 0, -1.5], [0, 1, 0, -0.5], [0, 0, 0, 100], [0, 0, 0.25, 0]])
    points = cv.reprojectImageTo3D(np.array([[16, 32], [1, 8]], np.uint8), Q, None, True)
    near(points, [[[-0.375, -0.125, 25], [-0.0625, -0.0625, 12.5]], [[-6, 2, 10000], [-0.25, 0.25, 50]]], 0)


def test_epipolar_geometry():
    P1, P2 = K1 @ np.eye(3, 4), K2 @ np.c_[R, [1, 0.1, 0.2]]
    points = cv.triangulatePoints(P1, P2, np.array([[300, 400.0], [200, 250]]), np.array([[900, 1000.0], [260, 290]]))
    near(points, [[0.0410620846, -0.0857882369], [0.0169952369, -0.0307208004], [-0.9971444397, -0.9956972888], [-0.0610576237, 0.0168380488]])
    F = np.array([[0, -0.1, 20], [0.1, 0, -30], [-22, 31, 5]])
    lines = [[0.5273628618, -0.8496401662, 11.86566439], [-0.894427191, 0.4472135955, 90.5607530887], [-0.5183017161, 0.8551978316, -37.7064498458]]
    near(cv.computeCorrespondEpilines(X, 1, F), lines)
    lines = [[-0.5547001962, 0.8320502943, -10.9553288754], [0.894427191, -0.4472135955, -355.5348084225], [0.4902612396, -0.8715755371, 16.4782249988]]
    near(cv.computeCorrespondEpilines(X, 2, F), lines)


def test_decompose_essential_mat():
    R1, R2, t = cv.decomposeEssentialMat(np.array([[0, -0.3, 0.2], [0.3, 0, -0.1], [-0.2, 0.1, 0]]) @ R)
    near(R1, R)
    near(R2, [[-0.9428571429, 0.2857142857, -0.1714285714], [-0.2857142857, -0.4285714286, 0.8571428571], [0.1714285714, 0.8571428571, 0.4857142857]])
    near(t, [[0.2672612419], [0.5345224838], [0.8017837257]])
    R1, R2, t = cv.decomposeEssentialMat([[0, 0, 0], [0, 0, -1], [0, 1, 0.0]])
    near(R1, np.diag([1, -1, -1]))
    near(R2, np.eye(3))
    near(t, [[1], [0], [0]])


def homography(t, normal, factor=1.0, rotation=R):
    """Returns factor K (R + t n') K^-1."""
    return factor * K1 @ (rotation + np.outer(t, normal)) @ np.linalg.inv(K1)


@pytest.mark.parametrize("factor", [1.0, -3.0])
@pytest.mark.parametrize("seed", range(5))
def test_decompose_homography_mat_gives_the_homography_back(seed, factor):
    rng = np.random.default_rng(seed)
    t, normal = rng.normal(size=3), rng.normal(size=3)
    normal /= np.linalg.norm(normal)
    count, rotations, translations, normals = cv.decomposeHomographyMat(homography(t, normal, factor), K1)
    assert count == len(rotations) == len(translations) == len(normals) == 4
    true = R + np.outer(t, normal)
    for A, b, n in zip(rotations, translations, normals):
        assert A.shape == (3, 3) and b.shape == n.shape == (3, 1) and A.dtype == b.dtype == n.dtype == np.float64
        near(A @ A.T, np.eye(3), 1e-12)
        near(np.linalg.norm(n), 1, 1e-12)
        found = A + b @ n.T  # up to the factor that makes the middle singular value 1
        near(found / np.linalg.svd(found)[1][1], np.sign(np.linalg.det(true)) * true / np.linalg.svd(true)[1][1], 1e-9)
    assert np.linalg.det(true) < 0 or any(np.allclose(A, R) and np.allclose(b[:, 0], t) and np.allclose(n[:, 0], normal) for A, b, n in zip(rotations, translations, normals))
    for first in (0, 2):  # (R, t, n) and (R, -t, -n)
        assert np.allclose(rotations[first], rotations[first + 1])
        assert np.allclose(translations[first], -translations[first + 1]) and np.allclose(normals[first], -normals[first + 1])


def test_decompose_homography_mat_of_a_rotation_is_one_solution():
    turned = homography(np.zeros(3), [0, 0, 1.0])
    for H in (turned, 1e-110 * turned, 1e300 * turned, homography([1e-4, 0, 0], [0, 0, 1.0], factor=-2)):
        count, (A,), (b,), (n,) = cv.decomposeHomographyMat(H, K1)
        assert count == 1 and not b.any() and not n.any() and b.shape == n.shape == (3, 1)
        near(A, R, 1e-3)
        near(A @ A.T, np.eye(3), 1e-12)
    with pytest.raises(ValueError, match="H: is singular"):
        cv.decomposeHomographyMat(np.ones((3, 3)), K1)
    with pytest.raises(ValueError, match="H: is singular"):
        cv.decomposeHomographyMat(np.zeros((3, 3)), K1)
    with pytest.raises(ValueError, match="K: .*must be finite"):
        cv.decomposeHomographyMat(np.eye(3), K1 * np.nan)


@pytest.mark.parametrize(
    ("count", "flags", "r", "t", "tolerance"),
    [
        (7, cv.SOLVEPNP_ITERATIVE, [0.1002451592, 0.1984583976, 0.0523117709], [-0.1982051466, -0.1988966431, 5.0020804632], 1e-6),
        # OpenCV ends at a distance of 2e-5 from the minimum.
        (4, cv.SOLVEPNP_ITERATIVE, [0.1120010786, 0.202361602, 0.051420144], [-0.199374697, -0.19840684, 4.9945443157], 1e-4),
        (4, cv.SOLVEPNP_P3P, [0.0515805394, -0.1906433473, 0.0506806671], [-0.1874567699, -0.1851866406, 4.6830938725], 1e-7),
    ],
    ids=["space", "plane", "three points"],
)
def test_solve_pnp(count, flags, r, t, tolerance):
    is_found, rvec, tvec = cv.solvePnP(SCENE[:count], SEEN[:count], K1, LENS, flags=flags)
    assert is_found and rvec.shape == tvec.shape == (3, 1)
    near(rvec.ravel(), r, tolerance)
    near(tvec.ravel(), t, tolerance)


def test_solve_pnp_solves_four_points_off_a_plane():
    """OpenCV needs six points off a plane."""
    corners = SCENE[[0, 1, 3, 4]]
    x = cv.distortPoints((corners + [-0.2, -0.2, 5])[:, :2] / (corners + [-0.2, -0.2, 5])[:, 2:], K1, LENS)
    is_found, rvec, tvec = cv.solvePnP(corners, x, K1, LENS)
    assert is_found and np.abs(rvec).max() < 1e-6
    near(tvec.ravel(), [-0.2, -0.2, 5], 1e-6)
    with pytest.raises(ValueError, match="objectPoints: 3 points, must be 4 or more"):
        cv.solvePnP(corners[:3], x[:3], K1, LENS)


def test_equal_distances_give_the_first_match():
    query, train = np.zeros((1, 4), np.float32), np.array([[3, 4, 0, 0], [0, 0, 3, 4], [1, 0, 0, 0]], np.float32)
    for norm, distances in ((cv.NORM_L2, [1, 5, 5]), (cv.NORM_L2SQR, [1, 25, 25]), (cv.NORM_L1, [1, 7, 7])):
        (row,) = cv.BFMatcher(norm).knnMatch(query, train, 4)
        assert [m.trainIdx for m in row] == [2, 0, 1] and [m.distance for m in row] == distances
    (row,) = cv.BFMatcher(cv.NORM_HAMMING).knnMatch(np.array([[255, 1]], np.uint8), np.array([[0, 0], [255, 0]], np.uint8), 2)
    assert [(m.trainIdx, m.distance) for m in row] == [(1, 1), (0, 9)]


def test_bf_matcher_refuses_what_opencv_refuses():
    rows = np.zeros((2, 4), np.float32)
    with pytest.raises(ValueError, match="k = 2"):
        cv.BFMatcher(crossCheck=True).knnMatch(rows, rows, 2)
    with pytest.raises(TypeError, match="must be uint8 for NORM_HAMMING"):
        cv.BFMatcher(cv.NORM_HAMMING).match(rows, rows)
    assert cv.BFMatcher().match(rows[:0], rows) == () == cv.BFMatcher().match(rows, rows[:0])


WITHOUT_OPENCV = """
import sys
import numpy as np
from bifocal import cv
image = np.kron(np.random.default_rng(0).integers(0, 256, (30, 40, 3)), np.ones((8, 8, 1))).astype(np.uint8)
keypoints, descriptors = cv.SIFT_create(200).detectAndCompute(image, None)
matches = cv.BFMatcher().knnMatch(descriptors[:5], descriptors, 2)
assert "cv2" not in sys.modules and type(keypoints[0]) is cv.KeyPoint and type(matches[0][0]) is cv.DMatch
assert cv.KeyPoint.convert(keypoints).shape == (len(keypoints), 2) and descriptors.shape == (len(keypoints), 128) and len(keypoints) <= 200
drawn = cv.drawMatches(image, keypoints, image, keypoints, [row[0] for row in matches], None)
assert drawn.shape == (240, 640, 3) and (drawn[:, :320] != image).any()
print(keypoints[0], matches[0][0], cv.SIFT_create(), cv.BFMatcher(), cv.StereoBM_create(), cv.StereoSGBM_create())
"""


def test_features_and_matches_need_no_opencv_and_print_what_they_are():
    done = subprocess.run([sys.executable, "-c", WITHOUT_OPENCV], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    for text in ("KeyPoint(pt=(", "DMatch(queryIdx=0, trainIdx=0, distance=0)", "SIFT(nfeatures=0", "BFMatcher(normType=4", "StereoBM(num", "StereoSGBM(min"):
        assert text in done.stdout


def test_sift_takes_masks_and_no_keypoints_of_others():
    image = np.kron(np.random.default_rng(1).integers(0, 256, (30, 40)), np.ones((8, 8))).astype(np.uint8)
    mask = np.zeros_like(image)
    mask[:, :100] = 255
    assert max(k.pt[0] for k in cv.SIFT_create().detect(image, mask)) <= 100
    assert cv.SIFT_create().detectAndCompute(np.zeros_like(image), None) == ((), None)
    with pytest.raises(ValueError, match="useProvidedKeypoints = True"):
        cv.SIFT_create().detectAndCompute(image, None, None, True)
