"""Polar rectification: equal rows of a scene point for any motion, conversion of points in both directions, and the file."""

import numpy as np
import pytest
from scenes import rotation

import bifocal

SIZE = (640, 480)
CAMERA = bifocal.Camera(500, 500, 320, 240)
K = np.array([[500, 0, 320], [0, 500, 240], [0, 0, 1.0]])
AHEAD = np.array([0.03, -0.02, 1.0])
R = rotation([0.3, 1, 0.2], 2)


def scene(t):
    """Returns px of points that both cameras see."""
    X = np.random.default_rng(3).uniform([-3, -2, 5], [3, 2, 12], (400, 3))
    px = [(Y @ K.T)[:, :2] / Y[:, 2:] for Y in (X, X @ R.T + t)]
    seen = np.all([(p >= 0).all(1) & (p < SIZE).all(1) for p in px], 0)
    return px[0][seen], px[1][seen]


def fundamental(t):
    tx = np.array([[0, -t[2], t[1]], [t[2], 0, -t[0]], [-t[1], t[0], 0]])
    return np.linalg.inv(K).T @ tx @ R @ np.linalg.inv(K)


@pytest.mark.parametrize("t", [AHEAD, np.array([-1.0, 0.05, 0.1])])
@pytest.mark.parametrize("is_calibrated", [True, False])
def test_a_scene_point_lies_on_one_row(t, is_calibrated):
    x1, x2 = scene(t)
    if is_calibrated:
        found = bifocal.rectify_polar(CAMERA, CAMERA, R, t, SIZE, SIZE, x1, x2)
    else:
        found = bifocal.rectify_polar_uncalibrated(fundamental(t), x1, x2, SIZE, SIZE)
    assert found and found.ok and found.reason == "ok" and found.is_cyclic == (t is AHEAD)
    assert found.H1 is found.H2 is found.R1 is found.R2 is found.camera1 is None
    sides = (x2, x1) if found.is_swapped else (x1, x2)
    places = [found.rectified_points(side, x) for side, x in enumerate(sides)]
    both = np.isfinite(places[0]).all(1) & np.isfinite(places[1]).all(1)
    assert both.mean() > 0.95
    rows = np.abs(places[0][both, 1] - places[1][both, 1])
    circle = found.height - 2 * found.overlap  # a point next to the seam may be at either end of the full circle
    assert (np.minimum(rows, np.abs(rows - circle)) < 0.1).all()
    for side, x in enumerate(sides):
        back = found.photograph_points(side, places[side][both])
        assert np.abs(back - x[both]).max() < 0.05


def test_pictures_are_sampled_where_the_map_says():
    x1, x2 = scene(AHEAD)
    found = bifocal.rectify_polar(CAMERA, CAMERA, R, AHEAD, SIZE, SIZE, x1, x2)
    ramp = np.tile((np.arange(640) // 3).astype(np.uint8), (480, 1))
    picture, (x, _) = found.resample(0, ramp), found.sampling_map(0)
    assert picture.shape == x.shape == (found.height, found.width)
    inside = np.isfinite(x)
    assert np.abs(picture[inside].astype(float) - x[inside] / 3).max() < 1.5 and not picture[~inside].any()
    assert np.array_equal(bifocal.Remapper(found, 0)(ramp), picture)


def test_the_file_of_the_map_gives_it_back(tmp_path):
    x1, x2 = scene(AHEAD)
    found = bifocal.rectify_polar(CAMERA, CAMERA, R, AHEAD, SIZE, SIZE, x1, x2)
    found.write(tmp_path / "map.npz")
    again = bifocal.read_rectification(tmp_path / "map.npz")
    assert (again.kind, again.width, again.height, again.overlap, again.scale) == ("polar", found.width, found.height, found.overlap, found.scale)
    assert np.array_equal(again.sampling_map(1)[0], found.sampling_map(1)[0], equal_nan=True)
    with np.load(tmp_path / "map.npz") as file:
        start = file["left"][7, :2]
    assert np.allclose(found.photograph_points(0, [[0, 7]]), start, equal_nan=True)
    data = (tmp_path / "map.npz").read_bytes()
    (tmp_path / "half.npz").write_bytes(data[: len(data) // 2])
    with pytest.raises(OSError, match="half.npz"):
        bifocal.read_rectification(tmp_path / "half.npz")
    with pytest.raises(FileNotFoundError):
        bifocal.read_rectification(tmp_path / "none.npz")
    with pytest.raises(OSError):
        found.write(tmp_path / "no" / "folder.npz")


def test_what_cannot_be_rectified_says_why():
    x1, x2 = scene(AHEAD)
    refused = bifocal.rectify_polar_uncalibrated(np.diag([1e-5, 1e-5, 1]), x1, x2, SIZE, SIZE)
    assert not refused and refused.reason == "no_geometry" and "no_geometry" in repr(refused)
    wrong = [
        (lambda: bifocal.rectify_polar_uncalibrated(np.full((3, 3), np.nan), x1, x2, SIZE, SIZE), r"F: \[0, 0\] = nan"),
        (lambda: bifocal.rectify_polar(CAMERA, CAMERA, R, [0, 0, 0], SIZE, SIZE), "t"),
        (lambda: bifocal.rectify_polar(CAMERA, CAMERA, R, AHEAD, (0, 480), SIZE), "0"),
        (lambda: bifocal.rectify_polar(bifocal.Camera(500, 500, 320, 240, k1=0.1), CAMERA, R, AHEAD, SIZE, SIZE), "distortion"),
        (lambda: bifocal.rectify_polar(CAMERA, CAMERA, R, AHEAD, SIZE, SIZE, max_scale=0), "max_scale = 0"),
        (lambda: bifocal.rectify_polar(CAMERA, CAMERA, R, AHEAD, SIZE, SIZE).resample(2, np.zeros((480, 640), np.uint8)), "side 2"),
        (lambda: bifocal.rectify_polar(CAMERA, CAMERA, R, AHEAD, SIZE, SIZE).rectified_points(2, x1), "side = 2"),
        (lambda: bifocal.rectify_polar(CAMERA, CAMERA, R, AHEAD, SIZE, SIZE).rectified_points(0, [1, 2, 3]), "points"),
    ]
    for call, text in wrong:
        with pytest.raises(ValueError, match=text):
            call()
