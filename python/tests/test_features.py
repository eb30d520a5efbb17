"""Features as a table: rows by slice, mask and index, and features from keypoints of OpenCV."""

import pickle
import types

import numpy as np
import pytest
from test_images import texture

import bifocal
from bifocal import cv

FOUND = bifocal.detect(texture(240, 320), bifocal.SiftOptions(affine_shape=True))
COLUMNS = ("xy", "descriptors", "sigma", "angle_deg", "response", "shapes")


def has_rows(some, rows):
    if len(some) == 0:  # no features have no shapes
        return some.shapes is None and some.xy.shape == (0, 2)
    return all(np.array_equal(getattr(some, name), getattr(FOUND, name)[rows]) for name in COLUMNS)


@pytest.mark.parametrize("rows", [slice(2, 5), slice(None), slice(None, None, -1), slice(-3, None), slice(0, 0), slice(5, 10**9, 7)])
def test_slices(rows):
    some = FOUND[rows]
    assert isinstance(some, bifocal.Features) and has_rows(some, rows) and len(some) == len(FOUND.xy[rows])


def test_masks_and_indices_keep_every_column_in_their_order():
    mask = FOUND.xy[:, 0] > 150
    assert 0 < mask.sum() < len(FOUND) and has_rows(FOUND[mask], mask) and has_rows(FOUND[mask.tolist()], mask)
    for rows in ([3, 1, 1, -1], np.array([7, 2], np.uint8), np.argsort(FOUND.sigma), np.arange(9)[::-2]):
        assert has_rows(FOUND[rows], rows)
    assert len(FOUND[[]]) == 0 and FOUND[[]].xy.shape == (0, 2) and len(FOUND[np.zeros(len(FOUND), bool)]) == 0


def test_some_features_are_used_like_all():
    circles = bifocal.detect(texture(240, 320))
    assert circles[:5].shapes is None
    i, j = bifocal.match(FOUND, circles).indices.T
    assert np.array_equal(bifocal.match(FOUND[i], circles[j]).indices, np.c_[np.arange(len(i)), np.arange(len(j))])
    assert np.array_equal(pickle.loads(pickle.dumps(FOUND[3:9])).descriptors, FOUND.descriptors[3:9])


@pytest.mark.parametrize(
    "index, error, message",
    [
        ([0, 10**6], IndexError, r"index: \[1\] = 1000000, but there are \d+ features"),
        ([-(10**6)], IndexError, r"index: \[0\] = -1000000, but there are"),
        ([True, False], IndexError, r"index: a mask of 2 flags for \d+ features"),
        (np.zeros(0, bool), IndexError, "a mask of 0 flags"),
        ([0.5], TypeError, "index: dtype float64, must be whole numbers"),
        (3, TypeError, r"index: is one number; use features\[i:i \+ 1\]"),
        (np.zeros((2, 2), int), TypeError, r"index: shape \(2, 2\)"),
        (None, TypeError, "index: None"),
        ("xy", TypeError, "index: str"),
    ],
)
def test_an_index_that_does_not_fit_is_named(index, error, message):
    with pytest.raises(error, match=message):
        FOUND[index]


def keypoint(x, y, size=4.0, angle=30.0, response=0.1):
    return types.SimpleNamespace(pt=(x, y), size=size, angle=angle, response=response)


def test_keypoints_of_opencv_have_a_diameter_of_twice_sigma():
    described = np.random.default_rng(0).integers(0, 256, (2, 128)).astype(np.float32)
    features = bifocal.Features.from_keypoints([keypoint(3, 4), keypoint(5.5, 6, size=7, angle=-1)], described)
    assert features.xy.tolist() == [[3, 4], [5.5, 6]] and features.sigma.tolist() == [2, 3.5] and features.angle_deg.tolist() == [30, 0]
    assert np.allclose(features.response, 0.1) and features.shapes is None
    # The directions of a histogram run in the opposite sense; the first one stays.
    assert np.array_equal(features.descriptors.reshape(2, 16, 8)[:, :, 0], described.reshape(2, 16, 8)[:, :, 0])
    assert np.array_equal(features.descriptors.reshape(2, 16, 8)[:, :, 1:], described.reshape(2, 16, 8)[:, :, :0:-1])


@pytest.mark.parametrize("detector", [cv.SIFT_create, "cv2"])
def test_keypoints_are_the_inverse_of_detect_and_compute(detector):
    image = texture(240, 320)
    options = bifocal.SiftOptions(root=False, max_features=0)
    if detector == "cv2":
        detector = pytest.importorskip("cv2").SIFT_create
    features = bifocal.Features.from_keypoints(*detector().detectAndCompute(image, None))
    own = bifocal.detect(image, options)
    matches = bifocal.match(features, own)
    i, j = matches.indices.T
    assert len(matches) > 0.7 * len(features) and np.median(np.linalg.norm(features.xy[i] - own.xy[j], axis=1)) < 0.4
    if detector is cv.SIFT_create:
        for name in COLUMNS[:5]:
            assert np.array_equal(getattr(features, name), getattr(own, name))


def test_no_keypoints():
    for descriptors in (None, np.zeros((0, 128), np.float32)):
        assert len(bifocal.Features.from_keypoints((), descriptors)) == 0


@pytest.mark.parametrize(
    "descriptors, message",
    [
        (np.full((2, 128), 9.0), r"descriptors: shape \(2, 128\), must be \(1, 128\)"),
        (np.zeros((1, 32), np.uint8), r"descriptors: shape \(1, 32\), must be \(1, 128\)"),
        (np.full((1, 128), 256.0), "not within 0 to 255"),
        (np.full((1, 128), np.nan), "not within 0 to 255"),
        (np.full((1, 128), 0.1), "no number is above 1"),
    ],
)
def test_descriptors_that_are_not_of_sift_are_refused(descriptors, message):
    with pytest.raises(ValueError, match=message):
        bifocal.Features.from_keypoints([keypoint(3, 4)], descriptors)


@pytest.mark.parametrize("wrong", [1, types.SimpleNamespace(pt=(1, 2), size="a", angle=0, response=0)])
def test_keypoints_have_the_attributes_of_opencv(wrong):
    with pytest.raises(TypeError, match="keypoints: must have pt, size, angle and response"):
        bifocal.Features.from_keypoints([wrong], np.full((1, 128), 9.0))


def test_positions_are_finite():
    with pytest.raises(ValueError, match="xy"):
        bifocal.Features.from_keypoints([keypoint(np.nan, 4)], np.full((1, 128), 9.0))
