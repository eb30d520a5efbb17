"""Field cases in Python: processes, masks, devices, units, rotated cameras, and OpenCV's defaults."""

import copy
import dataclasses
import multiprocessing
import pickle

import numpy as np
import pytest
from data_folder import needs_data
from scenes import K, Scene, transfer
from test_images import texture

import bifocal
from bifocal import cv

PICTURE = texture(200, 300, 1)
SHIFTED = np.roll(PICTURE, 7, axis=1)
PLANE, S = Scene(plane=True, right=0.7), Scene(right=0.7)


def detect(picture):
    return bifocal.detect(picture)


def same(a, b):
    if a is None or b is None:
        return a is b
    return np.array_equal(a, b, equal_nan=np.asarray(a).dtype.kind == "f")


FEATURES = "xy", "sigma", "angle_deg", "response", "descriptors", "shapes"


def test_features_leave_a_process():
    expected = [detect(p) for p in (PICTURE, SHIFTED)]
    with multiprocessing.get_context("fork").Pool(2) as pool:
        found = pool.map(detect, [PICTURE, SHIFTED])
    for a, b in zip(expected, found):
        assert len(a) > 50 and all(same(getattr(a, name), getattr(b, name)) for name in FEATURES)
    shaped = bifocal.detect(PICTURE, bifocal.SiftOptions(affine_shape=True))
    again = copy.deepcopy(shaped)
    assert again.shapes is not None and all(same(getattr(shaped, name), getattr(again, name)) for name in FEATURES)


def test_features_and_matches_are_made_of_arrays():
    f = bifocal.detect(PICTURE)
    made = bifocal.Features(f.xy, f.descriptors, f.sigma, f.angle_deg, f.response)
    assert all(same(getattr(f, name), getattr(made, name)) for name in FEATURES)
    assert bifocal.Features(f.xy.tolist(), f.descriptors).sigma[0] == 1
    collection = bifocal.Collection()
    assert collection.add(made) == 0 and collection.counts()[0] == len(f)
    m = bifocal.match(f, bifocal.detect(SHIFTED))
    again = bifocal.Matches(m.indices, m.distance, m.ratio)
    assert same(m.indices, again.indices) and same(m.distance, again.distance) and same(m.ratio, again.ratio)
    for wrong, name in (((f.xy[:-1], f.descriptors), "descriptors"), ((f.xy, f.descriptors[:, :64]), "descriptors"), ((f.xy, f.descriptors, [1.0]), "sigma")):
        with pytest.raises(ValueError, match=name):
            bifocal.Features(*wrong)
    with pytest.raises(ValueError, match="indices"):
        bifocal.Matches([[0, -1]])


def rectification(lens=False):
    camera = bifocal.Camera(300, 300, 149.5, 99.5, width=300, height=200)
    other = bifocal.LensCamera("OPENCV_FISHEYE", (300, 300, 149.5, 99.5, 0.01, 0, 0, 0), 300, 200) if lens else camera
    return bifocal.rectify(other, camera, np.eye(3), [-1, 0, 0.1])


def test_results_are_pickled():
    f, g = bifocal.detect(PICTURE), bifocal.detect(SHIFTED)
    m = bifocal.match(f, g)
    assert same(pickle.loads(pickle.dumps(m)).indices, m.indices)
    d = bifocal.match_descriptors(np.eye(8, dtype=np.float32), np.eye(8, dtype=np.float32))
    assert same(pickle.loads(pickle.dumps(d)).indices, d.indices)
    disparity = bifocal.stereo(PICTURE, SHIFTED, bifocal.SgmOptions(disparities=16))
    again = pickle.loads(pickle.dumps(disparity))
    assert same(again.raw, disparity.raw) and same(again.confidence, disparity.confidence) and again.density == disparity.density
    pinhole = bifocal.Camera(300, 300, 149.5, 99.5)
    polar = bifocal.rectify_polar(pinhole, pinhole, np.eye(3), [0, 0, 1], (300, 200), (300, 200))
    for r in (rectification(), rectification(lens=True), polar):
        again = pickle.loads(pickle.dumps(r))
        assert (again.kind, again.width, again.reason, again.is_swapped) == (r.kind, r.width, r.reason, r.is_swapped)
        assert all(same(a, b) for a, b in zip(again.sampling_map(1), r.sampling_map(1)))
    collection = bifocal.Collection()
    collection.detect([PICTURE, SHIFTED])
    pairs = collection.verify()
    again = pickle.loads(pickle.dumps(pairs))
    assert same(again.pairs, pairs.pairs) and same(again.matches.indices, pairs.matches.indices) and same(again.estimates.models, pairs.estimates.models)


def test_twelve_bits_in_sixteen():
    for factor in (16, 64, 256, 1):  # images of 12, 14, 16 and 8 bits in uint16
        deep = bifocal.detect(PICTURE.astype(np.uint16) * factor)
        assert len(deep) > 0.9 * len(bifocal.detect(PICTURE)), factor


def test_masks_of_any_type():
    allowed = np.zeros(PICTURE.shape, np.uint8)
    allowed[:, 150:] = 1
    expected = bifocal.detect(PICTURE, mask=allowed)
    assert 0 < len(expected) < len(bifocal.detect(PICTURE))
    for mask in (allowed > 0, allowed.astype(np.uint16) * 300, allowed.astype(np.int64)):
        assert same(bifocal.detect(PICTURE, mask=mask).xy, expected.xy)
    with pytest.raises(TypeError, match="mask: dtype float64"):
        bifocal.detect(PICTURE, mask=allowed / 2)


def test_devices_are_none_or_named():
    assert len(bifocal.Collection(None)) == 0
    for call in (bifocal.Collection, lambda d: bifocal.detect(PICTURE, device=d), lambda d: bifocal.colmap.verify("none.db", device=d)):
        with pytest.raises(TypeError, match="device: 0, must be"):
            call(0)
    with pytest.raises(ValueError, match="device 'gpu': must be cpu, auto"):
        bifocal.detect(PICTURE, device="gpu")


def test_options_name_what_there_is():
    options = bifocal.RobustOptions()
    with pytest.raises(AttributeError, match="has no option 'thresh', but threshold"):
        options.thresh = 2
    with pytest.raises(dataclasses.FrozenInstanceError, match=r"dataclasses.replace\(\)"):
        options.threshold = 2
    assert pickle.loads(pickle.dumps(options)) == options


def test_bytes_of_a_file_are_no_path():
    with pytest.raises(ValueError) as error:
        bifocal.read_image(b"\xff\xd8\xff\xe0" + bytes(300_000))
    assert len(str(error.value)) < 300 and "content" in str(error.value)


def test_doubts():
    K2 = bifocal.Camera(600, 600, 419, 239.5)
    assert "far from the centre of 320 x 240 px" in bifocal.doubts.intrinsics_doubt(K2, 320, 240)
    assert bifocal.doubts.intrinsics_doubt(K2, 838, 480) == ""
    whole = bifocal.Camera(600, 600, 319.5, 239.5, width=320, height=240)
    assert bifocal.rectify(whole, whole, np.eye(3), [-1, 0, 0]).doubt.startswith("camera 1: the principal point")
    assert rectification().doubt == ""
    flat = bifocal.stereo(np.zeros((60, 90), np.uint8), np.zeros((60, 90), np.uint8))
    assert "at an end of the search, 0 or 127 px" in bifocal.doubts.disparity_doubt(flat)


def test_a_search_without_the_disparities_of_the_matches_is_doubted():
    rng = np.random.default_rng(8)
    texture = np.kron(rng.integers(0, 255, (36, 60)), np.ones((5, 5))).astype(np.uint8)
    left, right = texture[:, 10:250], texture[:, 40:280]  # a disparity of 30 px
    near, whole = bifocal.SgmOptions(disparities=16), bifocal.SgmOptions(disparities=48)
    assert "outside of the search of 0 to 15 px" in bifocal.doubts.disparity_doubt(bifocal.stereo(left, right, near), near, left, right)
    assert bifocal.doubts.disparity_doubt(bifocal.stereo(left, right, whole), whole, left, right) == ""
    with pytest.raises(ValueError, match="both images"):
        bifocal.doubts.disparity_doubt(bifocal.stereo(left, right, whole), whole, left)


@pytest.mark.parametrize("size", [1.0, 1e-3, 1e4])
def test_least_median_needs_no_threshold(size):
    """Coordinates up to 1, 0.001 and 10,000 give equally accurate estimates."""
    unit = size / 1280
    H, mask = cv.findHomography(PLANE.x1 * unit, PLANE.x2 * unit, cv.LMEDS)
    assert H is not None and mask[PLANE.right].mean() > 0.9
    assert transfer(H, PLANE.clean1 * unit, PLANE.clean2 * unit).mean() < 0.5 * unit
    F, mask = cv.findFundamentalMat(S.x1 * unit, S.x2 * unit, cv.FM_LMEDS)
    assert F is not None and mask[S.right].mean() > 0.9 and mask[~S.right].mean() < 0.2
    A, mask = cv.estimateAffine2D(S.x1 * unit, S.x1 * unit @ np.array([[1.1, 0.2], [-0.1, 0.9]]), method=cv.LMEDS)
    assert np.allclose(A[:, :2], np.array([[1.1, 0.2], [-0.1, 0.9]]).T, atol=1e-6) and mask.all()
    E, mask = cv.findEssentialMat((S.x1 - K[:2, 2]) / K[0, 0], (S.x2 - K[:2, 2]) / K[0, 0], method=cv.LMEDS)
    assert E is not None and mask[S.right].mean() > 0.9


def blurred(seed):
    rng = np.random.default_rng(seed)
    picture = rng.integers(0, 256, (240, 400)).astype(float)
    for axis in (0, 1):
        for _ in range(3):
            picture = (np.roll(picture, 1, axis) + picture + np.roll(picture, -1, axis)) / 3
    return np.clip((picture - picture.mean()) * 3 + 128, 0, 255).astype(np.uint8)


@pytest.mark.parametrize("first, count", [(0, 64), (8, 48), (-16, 64)])
def test_stereo_sgbm_has_opencvs_defaults(first, count):
    """disp12MaxDiff = 0 checks with 1 px, and columns without the whole search range are unknown."""
    T = blurred(0)
    left, right = T[:, :320].copy(), T[:, 36:356].copy()  # disparity 36
    d = cv.StereoSGBM.create(first, count, 5).compute(left, right)
    unknown = (first - 1) * 16
    known = d != unknown
    assert not known[:, : first + count].any() and known[:, first + count : 320 + min(first, 0)].mean() > 0.9
    assert first >= 0 or not known[:, 320 + first :].any()
    assert (np.abs(d[known] / 16 - 36) > 1).mean() < 0.01
    wrong = cv.StereoSGBM.create(first, count, 5, uniquenessRatio=-1)
    assert same(wrong.compute(left, right), cv.StereoSGBM.create(first, count, 5, uniquenessRatio=10).compute(left, right))
    try:
        import cv2
    except ImportError:
        return
    theirs = cv2.StereoSGBM_create(first, count, 5).compute(left, right)
    assert ((theirs != unknown) == known).mean() > 0.95


@pytest.mark.parametrize("focal_length", [900, 950, 1000, 1050, 1100])
def test_a_turn_is_no_translation(focal_length):
    rows = np.loadtxt(needs_data("field_cases/turned_camera.txt"))
    found = bifocal.estimate_relative_pose(rows[:, :2], rows[:, 2:4], [focal_length, focal_length, 640, 480])
    assert found.reason == "rotation_only" and np.array_equal(found.t, np.zeros(3))
