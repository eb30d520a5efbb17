"""Collections give the results of match and estimate_batch for each pair."""

import numpy as np
import pytest
from scenes import K
from test_images import texture

import bifocal

WIDE = texture(160, 420)
# Three overlapping views of two sizes, and one unrelated image.
IMAGES = [WIDE[:, :240], WIDE[:, 60:300], np.ascontiguousarray(WIDE[:140, 100:330]), texture(160, 240, seed=9)]
RATIO = bifocal.MatchOptions(max_ratio=0.9)


@pytest.fixture(scope="module")
def collection():
    c = bifocal.Collection()
    assert list(c.detect(IMAGES, bifocal.SiftOptions(max_features=3000))) == [0, 1, 2, 3]
    return c


def test_features_are_those_of_detect(collection):
    assert len(collection) == 4 and "4 images on cpu" in repr(collection)
    for k, image in enumerate(IMAGES):
        alone = bifocal.detect(image)
        assert np.array_equal(collection.features(k).xy, alone.xy) and collection.counts()[k] == len(alone)
        assert np.array_equal(collection.features(k).descriptors, alone.descriptors)


def test_verified_pairs_are_those_of_single_calls(collection):
    found = collection.verify(kind="homography", matching=RATIO, distinct_places=False)
    assert found.pairs.tolist() == [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]] and len(found) == 6
    assert found.estimates.ok.tolist() == [True, True, False, True, False, False]
    for k, (i, j) in enumerate(found.pairs):
        f1, f2 = collection.features(i), collection.features(j)
        alone = bifocal.match(f1, f2, RATIO).indices
        own = slice(found.offsets[k], found.offsets[k + 1])
        assert np.array_equal(found.matches.indices[own], alone)
        if found.estimates.ok[k]:
            one = bifocal.estimate_homography(
                f1.xy[alone[:, 0]], f2.xy[alone[:, 1]], options=bifocal.RobustOptions(min_inlier_ratio=0.2)
            )
            assert np.array_equal(found.estimates.models[k], one.model) and np.array_equal(found.estimates.inliers[own], one.inliers)
    shift = found.estimates.models[0] / found.estimates.models[0][2, 2]
    assert np.abs(shift - [[1, 0, -60], [0, 1, 0], [0, 0, 1]]).max() < 0.1


def test_places_of_matches_are_distinct(collection):
    found = collection.verify([[0, 1]], kind="homography", matching=RATIO)
    f1, f2 = collection.features(0), collection.features(1)
    i, j = bifocal.match(f1, f2, RATIO, distinct_places=True).indices.T
    assert np.array_equal(found.matches.indices, np.stack([i, j], 1))
    places = np.hstack([f1.xy[i], f2.xy[j]])
    assert len(np.unique(places, axis=0)) == len(places)
    every = bifocal.match(f1, f2, RATIO).indices.T
    assert len(np.unique(np.hstack([f1.xy[every[0]], f2.xy[every[1]]]), axis=0)) == len(places)
    with pytest.raises(TypeError, match="features1: must be Features"):
        bifocal.match(f1.descriptors, f2.descriptors, distinct_places=True)


@pytest.mark.parametrize("device", [d["id"] for d in bifocal.devices()])
def test_lenses_are_taken_away_first(collection, device):
    """Cameras with a fisheye, with OpenCV's lens and as a matrix give the results of match and estimate_batch for each pair."""
    cameras = [
        bifocal.LensCamera("OPENCV_FISHEYE", (200, 200, 120, 80, 0.05, -0.01, 0, 0), 240, 160),
        bifocal.Camera(220, 220, 120, 80, k1=-0.2),
        np.array([[220.0, 0, 115], [0, 220, 70], [0, 0, 1]]),
        (220, 220, 120, 80),
    ]
    there = bifocal.Collection(device)
    for k in range(4):
        there.add(collection.features(k))
    found = there.verify(kind="essential", cameras=cameras, matching=RATIO, distinct_places=False)
    sought = 0
    for k, (i, j) in enumerate(found.pairs):
        own = slice(found.offsets[k], found.offsets[k + 1])
        matches = found.matches.indices[own]
        if len(matches) < 15:
            continue
        sought += 1
        rows = np.c_[collection.features(i).xy[matches[:, 0]], collection.features(j).xy[matches[:, 1]]]
        by_hand = bifocal.estimate_batch("essential", rows, [0, len(rows)], cameras1=cameras[i], cameras2=cameras[j])
        assert np.array_equal(found.estimates.inliers[own], by_hand.inliers)
        assert found.estimates.reasons[k] == by_hand.reasons[0]
        E, same = found.estimates.models[k], by_hand.models[0]  # E has either sign
        assert np.allclose(E, same, atol=1e-4, equal_nan=True) or np.allclose(E, -same, atol=1e-4)
    assert sought >= 3
    plain = there.verify(kind="essential", cameras=[bifocal.pinhole_of(c) for c in cameras], matching=RATIO)
    assert not np.array_equal(plain.estimates.inliers, found.estimates.inliers)  # the lenses change the result


def test_surf_in_the_place_of_rootsift():
    options = bifocal.SurfOptions(max_features=2000)
    c = bifocal.Collection()
    assert list(c.detect(IMAGES, options)) == [0, 1, 2, 3]
    for k, image in enumerate(IMAGES):
        alone = bifocal.detect(image, options)
        assert len(alone) > 50 and np.array_equal(c.features(k).xy, alone.xy)
        assert np.array_equal(c.features(k).descriptors, alone.descriptors)
    assert c.verify(kind="homography", matching=RATIO).estimates.ok.tolist() == [True, True, False, True, False, False]


def test_chosen_pairs_and_their_order(collection):
    found = collection.verify([[1, 0]], kind="homography", matching=RATIO)
    backwards = collection.verify(np.array([[0, 1]]), kind="homography", matching=RATIO)
    assert found.pairs.tolist() == [[1, 0]] and found.estimates.ok.all() and len(found.matches) > 0.8 * len(backwards.matches)
    none = collection.verify(np.zeros((0, 2), int))
    assert len(none) == 0 and none.offsets.tolist() == [0] and len(none.matches) == 0
    few = collection.verify([[0, 1]], min_matches=10**6)
    assert few.estimates.reasons == ["too_few_points"]


def test_features_are_added():
    c = bifocal.Collection()
    assert c.add(bifocal.detect(IMAGES[0])) == 0 and c.add(bifocal.detect(IMAGES[1])) == 1
    assert c.verify(kind="homography").estimates.ok.all()


@pytest.mark.parametrize(
    "call, kind, message",
    [
        (lambda c: c.verify([[0, 4]]), ValueError, r"pairs: \[0, 1\] = 4, must be 0 to 3"),
        (lambda c: c.verify([[0.5, 1]]), TypeError, r"pairs: dtype float64, must be whole numbers"),
        (lambda c: c.verify([0, 1]), ValueError, r"pairs: shape \(2,\), must be \(N, 2\)"),
        (lambda c: c.verify(kind="essential"), TypeError, r"cameras: None, must be"),
        (lambda c: c.verify(cameras=K), TypeError, r"cameras: given, but this kind"),
        (lambda c: c.verify(kind="absolute_pose", cameras=K), ValueError, r"pose"),
        (lambda c: c.verify(min_matches=0), ValueError, r"min_matches"),
        (lambda c: c.detect([np.zeros((9, 9))]), TypeError, r"images\[0\]: dtype float64, must be uint8 or uint16"),
        (lambda c: c.detect([IMAGES[0]], batch=0), ValueError, r"batch"),
        (lambda c: c.detect([IMAGES[0]], bifocal.SurfOptions(octaves=9)), ValueError, r"octaves = 9"),
        (lambda c: c.features(9), ValueError, r"9"),
        (lambda c: bifocal.Collection("abacus"), ValueError, r"abacus"),
    ],
)
def test_refused(collection, call, kind, message):
    with pytest.raises(kind, match=message):
        call(collection)
    assert len(collection) == 4


def test_the_same_on_opencl(collection):
    if not any(d["id"] == "opencl:0" for d in bifocal.devices()):
        pytest.skip("no OpenCL device")
    there = bifocal.Collection("opencl:0")
    for k in range(4):
        there.add(collection.features(k))
    ours, theirs = (c.verify(kind="homography", matching=RATIO) for c in (collection, there))
    assert np.array_equal(ours.matches.indices, theirs.matches.indices) and np.array_equal(ours.estimates.ok, theirs.estimates.ok)


def test_screen_leaves_out_what_has_nothing_in_common(collection):
    passed = collection.screen(min_matches=10)
    assert passed.dtype == np.int32 and passed.tolist() == [[0, 1], [0, 2], [1, 2]]
    assert collection.screen([[0, 3], [1, 0]], min_matches=10).tolist() == [[1, 0]]
    assert collection.screen(min_matches=0).shape == (6, 2) and collection.screen(min_matches=10**6).shape == (0, 2)
    with pytest.raises(ValueError, match="features = 0"):
        collection.screen(features=0)


def test_guided_round_has_no_fewer_inliers(collection):
    once = collection.verify(kind="homography", matching=RATIO)
    twice = collection.verify(kind="homography", matching=RATIO, guided=True)
    assert (twice.estimates.ok == once.estimates.ok).all()
    assert (twice.estimates.num_inliers >= once.estimates.num_inliers).all()
    assert twice.offsets[-1] == len(twice.matches) == len(twice.estimates.inliers)
