"""Keypoints shared by the pairs of a matcher without a detector."""

import numpy as np
import pytest

from bifocal import colmap


def test_tracks_arise_over_pairs():
    rng = np.random.default_rng(1)
    places = {name: rng.uniform(0, 640, (200, 2)) for name in "abc"}
    noise = lambda: rng.normal(0, 0.1, (200, 2))
    centred = {name: np.floor(x / 4) * 4 + 2 for name, x in places.items()}
    matches = {pair: (centred[pair[0]] + noise(), centred[pair[1]] + noise()) for pair in (("a", "b"), ("b", "c"), ("a", "c"))}
    keypoints, indices = colmap.shared_keypoints(matches)
    for name in "abc":
        cells = np.unique(centred[name], axis=0)
        assert keypoints[name].shape == cells.shape
        near = np.abs(keypoints[name][:, None] - cells[None]).max(-1).min(0)
        assert near.max() < 0.5
    for (one, two), rows in indices.items():
        assert len(rows) > 190 and len(np.unique(rows[:, 0])) == len(rows) == len(np.unique(rows[:, 1]))
        distance = np.linalg.norm(keypoints[one][rows[:, 0]][:, None] - centred[one][None], axis=-1).min(1)
        assert distance.max() < 0.5 and rows[:, 1].max() < len(keypoints[two])


def test_repeated_matches_of_two_cells_are_one():
    x1 = np.array([[1.0, 1], [1.2, 1.1], [1.1, 0.9], [90, 90]])
    x2 = np.array([[5.0, 5], [5.1, 5.2], [50, 50], [np.nan, 3]])
    keypoints, indices = colmap.shared_keypoints({("a", "b"): (x1, x2)})
    assert indices["a", "b"].tolist() == [[0, 0]]
    assert keypoints["a"].shape == (1, 2) and keypoints["b"].shape == (2, 2)


def test_bad_input_is_named():
    with pytest.raises(ValueError, match="cell: 0.0, must be above 0"):
        colmap.shared_keypoints({}, cell=0)
    with pytest.raises(ValueError, match=r"shapes \(3, 2\) and \(2, 2\)"):
        colmap.shared_keypoints({("a", "b"): (np.zeros((3, 2)), np.zeros((2, 2)))})
    assert colmap.shared_keypoints({}) == ({}, {})
