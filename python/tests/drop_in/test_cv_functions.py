"""bifocal.cv gives OpenCV's values, shapes and types, on three inputs for each function. Runs where OpenCV 5 is installed."""

import numpy as np
import pytest

from bifocal import cv

cv2 = pytest.importorskip("cv2", minversion="5.0")

K1 = np.array([[800.0, 0, 330], [0, 810, 235], [0, 0, 1]])
K2 = np.array([[790.0, 0, 310], [0, 805, 245], [0, 0, 1]])
LENSES = {
    "none": None,
    "five": np.array([-0.3, 0.1, 0.001, -0.002, 0.01]),
    "tilted": np.array([0.1, -0.05, 0.001, 0.002, 0.01, 0.2, -0.02, 0.01, 0.01, -0.02, 0.003, 0.004, 0.05, -0.03]),
}
R = cv.fisheye._matrix("R", np.array([0.02, -0.05, 0.03]), None)
P = np.array([[700.0, 0, 320, 50], [0, 700, 240, 0], [0, 0, 1, 0]])
SEEDS = range(3)


def rng(seed):
    return np.random.default_rng(seed)


def same(ours, theirs, tolerance):
    """Compares arrays, tuples of arrays and numbers; shapes and types must be equal."""
    if isinstance(theirs, tuple):
        assert isinstance(ours, tuple) and len(ours) == len(theirs)
        for a, b in zip(ours, theirs):
            same(a, b, tolerance)
    elif isinstance(theirs, np.ndarray):
        assert ours.shape == theirs.shape and ours.dtype == theirs.dtype
        if theirs.size:
            assert np.abs(ours.astype(float) - theirs.astype(float)).max() <= tolerance
    else:
        assert ours == theirs and type(ours) is type(theirs)


def mapped(x, H):
    y = np.c_[x, np.ones(len(x))] @ H.T
    return y[:, :2] / y[:, 2:]


def texture(seed, height=240, width=320):
    """Returns a colour image of blobs of several sizes."""
    image = np.zeros((height, width, 3))
    for sigma in (2, 4, 8, 16):
        image += sigma * cv2.GaussianBlur(rng(seed).normal(size=image.shape), (0, 0), sigma)
    return ((image - image.min()) / np.ptp(image) * 255).astype(np.uint8)


@pytest.mark.parametrize("seed", range(100))
def test_decompose_homography_mat_has_the_order_and_the_signs(seed):
    t, normal = rng(seed).normal(size=(2, 3))
    normal = np.eye(3)[seed] if seed < 3 else normal / np.linalg.norm(normal)
    H = (-1) ** seed * K1 @ (cv2.Rodrigues(rng(seed).normal(size=3))[0] + np.outer(t, normal)) @ np.linalg.inv(K1)
    same(cv.decomposeHomographyMat(H, K1), cv2.decomposeHomographyMat(H, K1), 1e-6)


@pytest.mark.parametrize("lens", LENSES)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("keywords", [{}, {"R": R}, {"R": R, "P": P}, {"criteria": (3, 40, 1e-8)}], ids=["plain", "R", "R P", "criteria"])
@pytest.mark.parametrize("seed", SEEDS)
def test_undistort_points(lens, dtype, keywords, seed):
    x = rng(seed).uniform(0, [640, 480], (50, 2)).astype(dtype)
    for points in (x, x[:, None], x[None], np.ascontiguousarray(x.T)):
        same(cv.undistortPoints(points, K1, LENSES[lens], **keywords), cv2.undistortPoints(points, K1, LENSES[lens], **keywords), 1e-12)
    same(cv.undistortImagePoints(x, K1, LENSES[lens]), cv2.undistortImagePoints(x, K1, LENSES[lens]), 1e-10)


@pytest.mark.parametrize("lens", LENSES)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("seed", SEEDS)
def test_distort_points(lens, dtype, seed):
    x = rng(seed).uniform(-0.4, 0.4, (50, 2)).astype(dtype)
    theirs = cv2.projectPoints(np.c_[x, np.ones(50, dtype)], np.zeros(3), np.zeros(3), K1, LENSES[lens])[0]
    same(cv.distortPoints(x, K1, LENSES[lens]), theirs, 1e-10)


@pytest.mark.parametrize("lens", LENSES)
@pytest.mark.parametrize("kind", ["CV_32FC1", "CV_32FC2", "CV_16SC2"])
@pytest.mark.parametrize("camera", [(None, None), (R, P), (None, K2)], ids=["default", "R P", "K"])
def test_init_undistort_rectify_map(lens, kind, camera):
    given = K1, LENSES[lens], *camera, (160, 120)
    assert getattr(cv, kind) == getattr(cv2, kind)
    ours, theirs = (module.initUndistortRectifyMap(*given, getattr(cv2, kind)) for module in (cv, cv2))
    assert (ours[1] is None) == (theirs[1] is None)
    for a, b in zip(ours, theirs):
        if b is not None:
            same(a, b, 1e-12)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.int16, np.float32])
@pytest.mark.parametrize("border", range(5))
def test_remap(seed, dtype, border):
    image = (texture(seed, 60, 80).astype(np.float32) * (1 if dtype == np.uint8 else 100)).astype(dtype)
    x, y = (rng(seed).uniform(-30, n + 30, (50, 70)).astype(np.float32) for n in (80, 60))
    fixed = np.stack([np.floor(x), np.floor(y)], -1).astype(np.int16), rng(seed).integers(0, 1024, x.shape).astype(np.uint16)
    for source in (image, image[:, :, 0]):
        keywords = {"borderMode": border, "borderValue": (9, 20, 30, 40)}
        for maps in ((x, y), (np.stack([x, y], -1), None), fixed):
            ours, theirs = (module.remap(source, *maps, cv2.INTER_LINEAR, **keywords) for module in (cv, cv2))
            # One grey level in 10,000 pixels, because OpenCV's order of sums depends on the position in the row.
            same(ours, theirs, 0 if dtype == np.uint8 else 1e-2 if dtype == np.float32 else 1)
            assert dtype == np.float32 or (ours != theirs).mean() < 1e-3
        same(cv.remap(source, x, y, cv2.INTER_NEAREST, **keywords), cv2.remap(source, x, y, cv2.INTER_NEAREST, **keywords), 0)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("flags", [0, cv.CALIB_ZERO_DISPARITY])
@pytest.mark.parametrize("alpha", [-1, 0.3, 1])
@pytest.mark.parametrize("size", [(0, 0), (800, 600)])
def test_stereo_rectify(seed, flags, alpha, size):
    lenses = list(LENSES.values())
    T = (rng(seed).normal(size=(3, 1)) * 0.1 + [[1], [0], [0]])[[[0, 1, 2], [1, 0, 2], [0, 2, 1]][seed]]
    given = K1, lenses[seed], K2, lenses[1], (640, 480), cv2.Rodrigues(rng(seed).normal(size=3) * 0.03)[0], T
    ours, theirs = (module.stereoRectify(*given, flags=flags, alpha=alpha, newImageSize=size) for module in (cv, cv2))
    for a, b in zip(ours, theirs):
        same(a, b, 1e-8)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("dtype", [np.uint8, np.int16, np.float32])
@pytest.mark.parametrize("ddepth", [-1, 3, 4, 5])
@pytest.mark.parametrize("is_missing", [False, True])
def test_reproject_image_to_3d(seed, dtype, ddepth, is_missing):
    Q = cv2.stereoRectify(K1, None, K2, None, (640, 480), R, np.array([[1.0], [0.1 * seed], [0]]))[4]
    disparity = rng(seed).integers(1, 60, (40, 50)).astype(dtype)
    same(cv.reprojectImageTo3D(disparity, Q, None, is_missing, ddepth), cv2.reprojectImageTo3D(disparity, Q, None, is_missing, ddepth), 0)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("seed", SEEDS)
def test_triangulate_points(dtype, seed):
    noise = [0, 1e-3, 1e-2][seed]
    P1, P2 = K1 @ np.eye(3, 4), K2 @ np.c_[R, [1, 0.1, 0.2]]
    X = np.c_[rng(seed).uniform(-3, 3, (100, 3)) + [0, 0, 6], np.ones(100)]
    x1, x2 = ((y[:, :2] / y[:, 2:] + noise * rng(seed).normal(size=(100, 2))).astype(dtype) for y in (X @ P1.T, X @ P2.T))
    for form in (lambda x: x.T, lambda x: x[:, None], lambda x: x[None]):
        same(cv.triangulatePoints(P1, P2, form(x1), form(x2)), cv2.triangulatePoints(P1, P2, form(x1), form(x2)), 1e-12)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32])
@pytest.mark.parametrize("image", [1, 2])
@pytest.mark.parametrize("seed", SEEDS)
def test_compute_correspond_epilines(dtype, image, seed):
    x, F = rng(seed).uniform(0, 640, (50, 2)).astype(dtype), rng(seed + 3).normal(size=(3, 3))
    for points in (x, x[:, None], x[None]):
        same(cv.computeCorrespondEpilines(points, image, F), cv2.computeCorrespondEpilines(points, image, F), 1e-10)


@pytest.mark.parametrize("shape", [(2, 3), (3, 2), (3, 3), (2, 2), (7, 3), (2, 1, 3), (1, 2, 3), (3, 1, 2), (1, 3)])
@pytest.mark.parametrize("image", [1, 2])
def test_compute_correspond_epilines_reads_few_points_and_homogeneous_points(image, shape):
    points, F = rng(7).normal(size=shape), rng(3).normal(size=(3, 3))
    if shape == (3, 3):
        points[1, 2] = 0
    same(cv.computeCorrespondEpilines(points, image, F), cv2.computeCorrespondEpilines(points, image, F), 1e-10)


def test_compute_correspond_epilines_refuses_rows_of_coordinates():
    for shape in ((2, 5), (3, 5)):
        with pytest.raises(cv2.error):
            cv2.computeCorrespondEpilines(np.ones(shape), 1, np.eye(3))
        with pytest.raises(ValueError, match="points: shape"):
            cv.computeCorrespondEpilines(np.ones(shape), 1, np.eye(3))


@pytest.mark.parametrize("points", [12])
def test_the_least_median_homography_of_few_points_is_as_accurate(points):
    """Compares the median errors at points without noise. With fewer than ten points both vary much with the samples drawn."""
    errors = []
    for seed in range(60):
        random = rng(seed)
        H = np.eye(3) + random.normal(size=(3, 3)) * [[0.1, 0.1, 30], [0.1, 0.1, 30], [1e-4, 1e-4, 0]]
        x, clean = random.uniform(0, 640, (points, 2)), random.uniform(0, 640, (50, 2))
        y = mapped(x, H) + 0.4 * random.normal(size=(points, 2))
        found = [library.findHomography(x, y, library.LMEDS)[0] for library in (cv, cv2)]
        moved = [mapped(clean, m) for m in (H, *found)]
        errors.append([np.sqrt(((m - moved[0]) ** 2).mean()) for m in moved[1:]])
    ours, theirs = np.median(errors, 0)
    assert ours < 1.1 * theirs


@pytest.mark.parametrize("seed", range(100))
def test_decompose_essential_mat_has_the_order_and_the_signs(seed):
    t = np.eye(3)[seed] if seed < 3 else rng(seed).normal(size=3)
    skew = np.array([[0, -t[2], t[1]], [t[2], 0, -t[0]], [-t[1], t[0], 0]])
    E = skew if seed < 3 else skew @ cv2.Rodrigues(rng(seed).normal(size=3))[0]
    same(cv.decomposeEssentialMat(E), cv2.decomposeEssentialMat(E), 1e-12)


@pytest.mark.parametrize("lens", LENSES)
@pytest.mark.parametrize("is_planar", [False, True])
@pytest.mark.parametrize("noise", [0, 0.5])
@pytest.mark.parametrize("seed", SEEDS)
def test_solve_pnp(lens, is_planar, noise, seed):
    """OpenCV ends its refinement when steps are below 1e-7 of the parameters, so poses of noisy points are equal to about 1e-6."""
    X = rng(seed).uniform(-1, 1, (20, 3)) * [1, 1, 0 if is_planar else 1]
    r, t = np.array([[0.3], [-0.2], [0.4]]), np.array([[0.2], [-0.1], [5]])
    x = cv2.projectPoints(X, r, t, K1, LENSES[lens])[0][:, 0] + noise * rng(seed + 3).normal(size=(20, 2))
    same(cv.solvePnP(X, x, K1, LENSES[lens]), cv2.solvePnP(X, x, K1, LENSES[lens]), 1e-5)
    guesses = [[r + 0.05, t + 0.1] for _ in range(2)]
    same(cv.solvePnP(X, x, K1, LENSES[lens], *guesses[0], True), cv2.solvePnP(X, x, K1, LENSES[lens], *guesses[1], True), 1e-5)
    same(tuple(guesses[0]), tuple(guesses[1]), 1e-5)
    for flags in (cv2.SOLVEPNP_P3P, cv2.SOLVEPNP_AP3P):
        same(cv.solvePnP(X[:4], x[:4], K1, LENSES[lens], flags=flags), cv2.solvePnP(X[:4], x[:4], K1, LENSES[lens], flags=flags), 1e-7)


def indices(rows):
    return [(m.queryIdx, m.trainIdx, m.imgIdx) for m in rows]


@pytest.mark.parametrize("norm", ["NORM_L2", "NORM_L1", "NORM_HAMMING", "floats"])
@pytest.mark.parametrize("seed", SEEDS)
def test_bf_matcher(norm, seed):
    number = getattr(cv2, "NORM_L2" if norm == "floats" else norm)
    dtype = np.uint8 if norm == "NORM_HAMMING" else np.float32
    query, train = (rng(seed).integers(0, 256, (n, 32)).astype(dtype) for n in (120, 90))
    if norm == "floats":
        query, train = (rng(seed).random((n, 32)).astype(np.float32) for n in (120, 90))
    for is_cross_check in (False, True):
        ours, theirs = (module.BFMatcher(number, is_cross_check).match(query, train) for module in (cv, cv2))
        assert indices(ours) == indices(theirs) and type(ours) is type(theirs) and isinstance(ours[0], cv2.DMatch)
        assert max(abs(a.distance - b.distance) for a, b in zip(ours, theirs)) <= (1e-6 if norm == "floats" else 0)
    mask = (rng(seed).random((120, 90)) < 0.02).astype(np.uint8)
    for keywords in ({"k": 2}, {"k": 5}, {"k": 2, "mask": mask}, {"k": 2, "mask": mask, "compactResult": True}):
        ours, theirs = (module.BFMatcher(number).knnMatch(query, train, **keywords) for module in (cv, cv2))
        assert [indices(row) for row in ours] == [indices(row) for row in theirs] and {type(row) for row in ours} == {tuple}


@pytest.mark.parametrize("seed", SEEDS)
def test_sift_finds_opencv_s_features_and_describes_them_alike(seed, record_property):
    """At least 0.8 of OpenCV's features, without its shift of 0.25 px; descriptors of both match with each other."""
    image = texture(seed)
    theirs, described = cv2.SIFT_create(enable_precise_upscale=True).detectAndCompute(image, None)
    ours, own = cv.SIFT_create().detectAndCompute(image, None)
    assert isinstance(ours[0], cv2.KeyPoint) and own.dtype == described.dtype and own.shape[1:] == described.shape[1:]
    pairs = [(ours[m.queryIdx], theirs[m.trainIdx]) for m in cv.BFMatcher(crossCheck=True).match(own, described)]
    away = np.array([np.hypot(*np.subtract(a.pt, b.pt)) for a, b in pairs])
    near = [pair for pair, distance in zip(pairs, away) if distance < 0.5]
    record_property("fraction of OpenCV's features found within 0.5 px", len(near) / len(theirs))
    record_property("median distance, px", np.median(away))
    assert len(near) >= 0.8 * len(theirs) and len(near) >= 0.9 * len(pairs) and np.median(away) < 0.05
    assert np.median([abs(np.log2(a.size / b.size)) for a, b in near]) < 0.05
    assert np.median([abs((a.angle - b.angle + 180) % 360 - 180) for a, b in near]) < 2
    assert np.mean([a.octave & 0xFFFF == b.octave & 0xFFFF for a, b in near]) > 0.9
    assert 0.95 < np.median([a.response / b.response for a, b in near]) < 1.05


@pytest.mark.parametrize("seed", SEEDS)
def test_draw_matches_has_opencv_s_layout(seed, record_property):
    """Outside of the strokes both results equal the images; strokes of a given colour lie at the same places."""
    first, second = texture(seed), texture(seed + 1, 200, 100)
    points = [[cv2.KeyPoint(float(x), float(y), 8) for x, y in rng(k).uniform(20, 80, (6, 2))] for k in (0, 1)]
    matches = [cv2.DMatch(i, 5 - i, 0, 1.0) for i in range(6)]
    images = [second] if seed == 2 else [first, second[:, :, 0]]
    images = images * 2 if len(images) == 1 else images
    given = images[0], points[0], images[1], points[1], matches, None, (0, 255, 0), (255, 0, 0), [1, 0, 1, 1, 0, 1], [0, 2, 0][seed]
    ours, theirs = cv.drawMatches(*given), cv2.drawMatches(*given)
    assert ours.shape == theirs.shape and ours.dtype == theirs.dtype
    plain = cv.drawMatches(images[0], [], images[1], [], [], None)
    same(plain, cv2.drawMatches(images[0], [], images[1], [], [], None), 0)
    drawn, expected = ((image != plain).any(2).astype(np.uint8) for image in (ours, theirs))
    record_property("pixels of strokes / OpenCV's", drawn.sum() / expected.sum())
    wide = np.ones((5, 5), np.uint8)
    assert not (drawn & ~cv2.dilate(expected, wide)).any() and not (expected & ~cv2.dilate(drawn, wide)).any()


@pytest.mark.parametrize("seed", SEEDS)
def test_stereo_bm(seed, record_property):
    """Both find the disparity of a shifted image nearly everywhere, in the same part of the image."""
    image = texture(seed)[:, :, 0]
    left, right = image[:, :-12], image[:, 12:]
    results = []
    for module in (cv, cv2):
        matcher = module.StereoBM_create(32, 15)
        matcher.setMinDisparity([0, -8, 4][seed])
        results.append(matcher.compute(np.ascontiguousarray(left), np.ascontiguousarray(right)))
        assert matcher.getBlockSize() == 15 and matcher.getNumDisparities() == 32
    assert results[0].dtype == results[1].dtype and results[0].shape == results[1].shape
    for name, found in zip(("", "OpenCV: "), results):
        known = found != ([0, -8, 4][seed] - 1) * 16
        record_property(f"{name}known", known.mean())
        record_property(f"{name}correct of these", (np.abs(found[known] - 12 * 16) <= 8).mean())
        assert 0.5 < known.mean() < 1 and (np.abs(found[known] - 12 * 16) <= 8).mean() > 0.95


def test_output_arrays_are_filled():
    points, lines = rng(0).uniform(0, 640, (5, 1, 2)), np.zeros((5, 1, 3))
    assert cv.computeCorrespondEpilines(points, 1, np.eye(3), lines) is lines and lines.any()
    out = np.zeros((5, 1, 2))
    assert cv.undistortPoints(points, K1, None, out) is out and out.any()
