"""Selection of image pairs, and of one match for each place."""

import itertools

import numpy as np
import pytest
from test_images import texture

import bifocal


def test_all_pairs_and_tidy_pairs():
    assert bifocal.pairs.all_pairs(4).tolist() == [list(pair) for pair in itertools.combinations(range(4), 2)]
    assert bifocal.pairs.all_pairs(0).shape == bifocal.pairs.all_pairs(1).shape == (0, 2) and bifocal.pairs.all_pairs(3).dtype == np.int32
    assert bifocal.pairs.tidy_pairs([[3, 1], [2, 2], [0, 5], [1, 3]]).tolist() == [[0, 5], [1, 3]]
    assert bifocal.pairs.tidy_pairs([]).shape == (0, 2)


def test_sequences():
    near = bifocal.pairs.sequential_pairs(20, overlap=2, quadratic=False)
    assert near.tolist() == [[i, j] for i in range(20) for j in (i + 1, i + 2) if j < 20]
    far = {tuple(pair) for pair in bifocal.pairs.sequential_pairs(40, overlap=5)}
    assert far == {(i, i + k) for i in range(40) for k in (1, 2, 3, 4, 5, 8, 16) if i + k < 40}


def test_positions():
    metre = 1 / 111195  # degrees of latitude
    positions = [[47, 8], [47 + 50 * metre, 8], [np.nan, 8], [47 + 120 * metre, 8], [-47, 8]]
    assert bifocal.pairs.near_pairs(positions).tolist() == [[0, 1], [1, 3]]
    assert bifocal.pairs.near_pairs(positions, max_distance_m=60).tolist() == [[0, 1]]
    assert bifocal.pairs.near_pairs(positions, max_distance_m=1000, max_partners=1).tolist() == [[0, 1], [1, 3]]
    assert bifocal.pairs.near_pairs(np.zeros((0, 2))).shape == (0, 2)


def places_of_three():
    """Returns features of six images, two of each place."""
    options = bifocal.SiftOptions(max_features=300)
    wide = [texture(160, 300, seed) for seed in (0, 1, 2)]
    return [bifocal.detect(image, options) for place in wide for image in (place[:, :240], np.ascontiguousarray(place[:, 40:280]))]


def test_similar_images():
    index = bifocal.pairs.ImageIndex(places_of_three(), bifocal.pairs.RetrievalOptions(words=16))
    assert len(index) == 6 and index.similarity(0, 0) == pytest.approx(1) and index.similarity(2, 3) == index.similarity(3, 2)
    assert bifocal.pairs.retrieval_pairs(index, 1).tolist() == [[0, 1], [2, 3], [4, 5]]
    assert [index.nearest(i, 1).tolist() for i in range(6)] == [[1], [0], [3], [2], [5], [4]]
    assert len(index.nearest(0, 100)) == 5
    some = bifocal.pairs.retrieval_pairs(index, partners=2, step=3)
    assert set(some.ravel()) & {0, 3} and len(some) <= 4
    again = bifocal.pairs.ImageIndex(tuple(places_of_three()), bifocal.pairs.RetrievalOptions(words=16))
    assert again.similarity(1, 4) == index.similarity(1, 4)


def test_partners_of_partners():
    pairs, inliers = [[0, 1], [1, 2], [3, 1], [4, 0]], [100, 60, 80, 0]
    assert bifocal.pairs.suggested_partners(5, pairs, inliers).tolist() == [[0, 3], [2, 0], [3, 2]]
    several = bifocal.pairs.suggested_partners(5, pairs, inliers, max_proposals=3)
    assert {frozenset(pair) for pair in several.tolist()} == {frozenset(pair) for pair in ((0, 2), (0, 3), (2, 3))}
    assert bifocal.pairs.suggested_partners(3, [], []).shape == (0, 2)


def test_components_and_the_pairs_that_link_them():
    verified, left_out, matches = [[0, 1], [2, 3]], [[0, 2], [1, 3], [0, 4], [2, 4]], [3, 5, 1, 2]
    assert bifocal.pairs.image_components(5, verified).tolist() == [0, 0, 2, 2, 4]
    assert bifocal.pairs.linking_pairs(5, verified, left_out, matches).tolist() == [[1, 3], [2, 4]]


def test_pairs_of_a_file(tmp_path):
    file = tmp_path / "pairs.txt"
    file.write_text("# names\nb.jpg a.jpg\n\na.jpg c d.jpg\n")
    assert bifocal.pairs.read_pairs(file, ["a.jpg", "b.jpg", "c d.jpg"]).tolist() == [[0, 1], [0, 2]]
    with pytest.raises(OSError, match=r"pairs\.txt.*no image 'b\.jpg'"):
        bifocal.pairs.read_pairs(file, ["a.jpg", "c d.jpg"])
    with pytest.raises(FileNotFoundError):
        bifocal.pairs.read_pairs(tmp_path / "none.txt", [])


def test_names_of_pairs_that_are_not_utf8(tmp_path):
    (tmp_path / "pairs.txt").write_bytes(b"caf\xe9.jpg b.jpg\n")
    assert bifocal.pairs.read_pairs(tmp_path / "pairs.txt", ["b.jpg", "caf\udce9.jpg"]).tolist() in ([[1, 0]], [[0, 1]])


def test_pairs_reach_a_collection():
    collection = bifocal.Collection()
    for features in places_of_three():
        collection.add(features)
    index = bifocal.pairs.ImageIndex([collection.features(i) for i in range(len(collection))], bifocal.pairs.RetrievalOptions(words=16))
    found = collection.verify(bifocal.pairs.retrieval_pairs(index, 1), kind="homography")
    assert found.pairs.tolist() == [[0, 1], [2, 3], [4, 5]] and found.estimates.ok.all()


def test_one_match_of_each_place_is_kept():
    first, second = bifocal.detect(texture(240, 320)[:, 20:300]), bifocal.detect(texture(240, 320)[:, 26:306].copy())
    every, distinct = bifocal.match(first, second), bifocal.match(first, second, distinct_places=True)
    i, j = every.indices.T
    kept = bifocal.pairs.keep_distinct_places(first.xy[i], second.xy[j], every.distance)
    assert kept.dtype == bool and 0 < (~kept).sum() and np.array_equal(every.indices[kept], distinct.indices)


def test_the_nearest_match_of_a_place_is_kept():
    x1, x2 = np.array([[1.0, 2], [1, 2], [1, 2], [3, 4]]), np.array([[5.0, 6], [5, 6], [5, 7], [5, 6]])
    assert bifocal.pairs.keep_distinct_places(x1, x2, [0.7, 0.2, 0.9, 0.9]).tolist() == [False, True, True, True]
    assert bifocal.pairs.keep_distinct_places(np.c_[x1, x2], distance=[0.2, 0.2, 0.9, 0.9]).tolist() == [True, False, True, True]
    assert bifocal.pairs.keep_distinct_places(x1, x2).tolist() == [True, False, True, True]
    assert bifocal.pairs.keep_distinct_places(x1[:0], x2[:0]).shape == (0,)


@pytest.mark.parametrize(
    "call, error, message",
    [
        (lambda: bifocal.pairs.all_pairs(-1), ValueError, "images = -1"),
        (lambda: bifocal.pairs.tidy_pairs([[0, -1]]), ValueError, r"pairs: \[0, 1\] = -1"),
        (lambda: bifocal.pairs.tidy_pairs([[0.5, 1]]), TypeError, "pairs: dtype float64, must be whole numbers"),
        (lambda: bifocal.pairs.sequential_pairs(3, overlap=0), ValueError, "overlap = 0"),
        (lambda: bifocal.pairs.near_pairs([[91, 0]]), ValueError, "image 0: no place on Earth has latitude 91"),
        (lambda: bifocal.pairs.near_pairs([[0, 0]], max_partners=0), ValueError, "max_partners = 0, must be 1 to"),
        (lambda: bifocal.pairs.suggested_partners(3, [[0, 2]], [1], max_proposals=0), ValueError, "max_proposals = 0"),
        (lambda: bifocal.pairs.linking_pairs(3, [[0, 1]], [[0, 2]], [5], max_links=-1), ValueError, "max_links = -1"),
        (lambda: bifocal.pairs.all_pairs(2**31), ValueError, "images = 2147483648, must be 0 to 2147483647"),
        (lambda: bifocal.pairs.sequential_pairs(10, overlap=2.5), ValueError, "overlap = 2.5, must be a whole number"),
        (lambda: bifocal.pairs.retrieval_pairs([]), TypeError, r"index: \[\], must be ImageIndex"),
        (lambda: bifocal.pairs.read_pairs("pairs.txt", [b"a"]), TypeError, r"names\[0\]: b'a', must be str"),
        (lambda: bifocal.pairs.ImageIndex([np.zeros((3, 128))]), TypeError, r"features\[0\]: ndarray .* must be Features"),
        (lambda: bifocal.pairs.ImageIndex([], bifocal.pairs.RetrievalOptions(words=0)), ValueError, "words = 0"),
        (lambda: bifocal.pairs.suggested_partners(3, [[0, 3]], [1]), ValueError, r"pairs: \[0, 1\] = 3, must be 0 to 2"),
        (lambda: bifocal.pairs.suggested_partners(3, [[0, 2]], [1, 2]), ValueError, r"inliers: shape \(2,\), must be \(1,\)"),
        (lambda: bifocal.pairs.suggested_partners(3, [[0, 2]], [-1]), ValueError, r"inliers: \[0\] = -1"),
        (lambda: bifocal.pairs.image_components(2, [[0, 2]]), ValueError, "must be 0 to 1"),
        (lambda: bifocal.pairs.keep_distinct_places([[1, 2]], [[np.nan, 3]]), ValueError, "row 0 is not finite"),
        (lambda: bifocal.pairs.keep_distinct_places([[1, 2]], [[4, 3]], [np.nan]), ValueError, "distance"),
        (lambda: bifocal.pairs.keep_distinct_places([[1, 2]], [[4, 3]], [1, 2]), ValueError, r"distance: shape \(2,\)"),
    ],
)
def test_refused(call, error, message):
    with pytest.raises(error, match=message):
        call()
