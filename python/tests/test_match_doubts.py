"""Doubts about a model of matches: repeated structure and a mirrored picture."""

import numpy as np
import pytest

import bifocal

CAMERA = (700.0, 700.0, 320.0, 240.0)


def matches_of(count, angle, seed):
    """Pixels of points seen by two cameras; the second is rotated by `angle` rad about y and moved to the right."""
    rng = np.random.default_rng(seed)
    X = rng.uniform([-2, -1.5, 4], [2, 1.5, 8], (count, 3))
    R = np.array([[np.cos(angle), 0, np.sin(angle)], [0, 1, 0], [-np.sin(angle), 0, np.cos(angle)]])
    Y = X @ R.T + [-0.5, 0.1, 0]
    f, _, cx, cy = CAMERA
    pixels = [f * P[:, :2] / P[:, 2:] + [cx, cy] for P in (X, Y)]
    return [p + rng.normal(0, 0.3, p.shape) for p in pixels]


def joined(*parts):
    return [np.concatenate(points) for points in zip(*parts, strict=True)]


@pytest.mark.parametrize("kind", ["essential", "fundamental"])
def test_outliers_that_agree_with_another_model_are_repeated_structure(kind):
    camera = CAMERA if kind == "essential" else None
    rng = np.random.default_rng(3)
    random = [rng.uniform(0, [640, 480], (100, 2)) for _ in range(2)]
    for others, is_doubted in ((matches_of(100, 0.25, 2), True), (random, False)):
        x1, x2 = joined(matches_of(120, 0, 1), others)
        found = bifocal.estimate(kind, x1, x2, camera1=camera)
        assert found.ok
        doubt = bifocal.find_repetition(found, x1, x2, camera1=camera)
        assert doubt.is_doubted is is_doubted and bool(doubt.reason) is is_doubted
        assert (doubt.rival_ratio > 0.3) is is_doubted
        if is_doubted:
            assert doubt.rival_inliers > 80


def test_a_mirrored_picture_is_noticed():
    x1, x2 = matches_of(200, 0.1, 4)
    mirrored = x2.copy()
    mirrored[:, 0] = 2 * CAMERA[2] - x2[:, 0]
    right, wrong = (bifocal.estimate_relative_pose(x1, x, CAMERA) for x in (x2, mirrored))
    assert bifocal.mirror_doubt(right, x1, x2, camera1=CAMERA) == ""
    assert "mirrored" in bifocal.mirror_doubt(wrong, x1, mirrored, camera1=CAMERA)


def test_arguments_that_do_not_fit_are_errors():
    x1, x2 = matches_of(50, 0, 5)
    found = bifocal.estimate_fundamental(x1, x2)
    with pytest.raises(ValueError, match="find_repetition: 50 inlier flags for 49 points"):
        bifocal.find_repetition(found, x1[:49], x2[:49])
    with pytest.raises(TypeError, match="camera"):
        bifocal.find_repetition(found, x1, x2, camera1=CAMERA)
    pose = bifocal.estimate_absolute_pose(x1, np.c_[x1, np.ones(50)], CAMERA)
    with pytest.raises(ValueError, match="matches"):
        bifocal.find_repetition(pose, x1, x2, camera1=CAMERA)
