"""Rectification, sampling, stereo and depth for pairs that are not ideal: turned, rolled, forward, with an epipole at infinity."""

import numpy as np
import pytest
from registry import TwoViews, cross_matrix, holds, projected, random_rotation, rotation_of

import bifocal
import bifocal.cv
import bifocal.poselib

W, H = 320, 240


def camera(rng, f=None):
    f = f or rng.uniform(180, 450)
    return bifocal.Camera(f, f * rng.uniform(0.95, 1.05), W / 2 + rng.uniform(-20, 20), H / 2 + rng.uniform(-20, 20), width=W, height=H)


def matrix(c):
    return np.array([[c.fx, 0, c.cx], [0, c.fy, c.cy], [0, 0, 1]])


class Pair:
    """Two cameras of one size with points that both see; `motion` is sideways, forward, at_infinity or any."""

    def __init__(self, rng, motion):
        while True:
            self.c1, self.c2 = camera(rng), camera(rng)
            self.R = random_rotation(rng, 12)
            self.t = {
                "sideways": rng.normal(size=3) * (0.1, 0.1, 0.05) + (rng.choice([-1, 1]), 0, 0),
                "vertical": rng.normal(size=3) * (0.1, 0.1, 0.05) + (0, rng.choice([-1, 1]), 0),
                "forward": np.array([*rng.uniform(-0.08, 0.08, 2), rng.choice([-1, 1])]),
                "at_infinity": np.array([*rng.normal(size=2), 0]),
            }[motion]
            if motion == "at_infinity":
                self.R = rotation_of(rng.uniform(-0.1, 0.1, 3))
                self.t[2] = rng.choice([0, 1e-12, -1e-11])
            self.t *= 0.7 / np.linalg.norm(self.t)
            rays = np.c_[rng.uniform([0, 0], [W, H], (400, 2)), np.ones(400)] @ np.linalg.inv(matrix(self.c1)).T
            X = rays * rng.uniform(4, 9, (400, 1))
            Y = X @ self.R.T + self.t
            x1, x2 = projected(X, matrix(self.c1)), projected(Y, matrix(self.c2))
            seen = (Y[:, 2] > 1) & (x2 > 0).all(1) & (x2 < (W - 1, H - 1)).all(1)
            if seen.sum() > 120:
                break
        self.x1, self.x2, self.X = x1[seen], x2[seen], X[seen]
        self.F = np.linalg.inv(matrix(self.c2)).T @ cross_matrix(self.t) @ self.R @ np.linalg.inv(matrix(self.c1))


def rows_agree(found, pair, tolerance):
    """Asserts equal rows and that both conversions of points are inverse; returns the disparities."""
    sides = (pair.x2, pair.x1) if found.is_swapped else (pair.x1, pair.x2)
    places = [found.rectified_points(side, x) for side, x in enumerate(sides)]
    both = np.isfinite(places[0]).all(1) & np.isfinite(places[1]).all(1)
    assert both.mean() > 0.9, f"{both.mean():.0%} of the points lie in both images"
    rows = np.abs(places[0][both, 1] - places[1][both, 1])
    if found.is_cyclic:
        rows = np.minimum(rows, np.abs(rows - (found.height - 2 * found.overlap)))
    assert rows.max() < tolerance, f"rows differ by {rows.max()} px"
    for place in places:  # a point may lie up to a row above or below the image
        both &= (place[:, 1] >= 0) & (place[:, 1] <= found.height - 1)
    for side, x in enumerate(sides):
        back = found.photograph_points(side, places[side][both])
        off = np.abs(back - x[both]).max()
        assert off < tolerance, f"points of side {side} come back {off} px off"
    return places[0][both, 0] - places[1][both, 0], both


@holds("bifocal.rectify", "depth.vertical_disparity", "depth.disparity_range", reference="truth", cases=60)
def test_planar_rectification(rng):
    """A scene point has equal rows to 1e-6 px, disparities have the sign of depth, and their range contains all disparities."""
    pair = Pair(rng, rng.choice(["sideways", "vertical"]))
    found = bifocal.rectify(pair.c1, pair.c2, pair.R, pair.t)
    assert found, found.reason
    d, both = rows_agree(found, pair, 1e-6)
    least, count = bifocal.depth.disparity_range(found, pair.x1, pair.x2)
    assert least <= d.min() and d.max() <= least + count - 1, f"{d.min()} to {d.max()} outside of {least}, {count}"
    median, most, n = bifocal.depth.vertical_disparity(found, pair.x1, pair.x2)
    assert median < 1e-6 and most < 1e-6 and n >= both.sum() * 0.95
    for R in (2 * pair.R, np.diag([1, 1, -1.0]) @ pair.R):
        with pytest.raises(ValueError):
            bifocal.rectify(pair.c1, pair.c2, R, pair.t)


@holds("bifocal.rectify_polar", "bifocal.rectify_polar_uncalibrated", "depth.vertical_disparity", reference="truth", cases=80)
def test_polar_rectification(rng):
    """Rows of a scene point agree to 0.1 px and points come back to 0.05 px, for every motion, with epipoles at infinity and in the image."""
    pair = Pair(rng, rng.choice(["sideways", "vertical", "forward", "at_infinity", "at_infinity"]))
    found = bifocal.rectify_polar(pair.c1, pair.c2, pair.R, pair.t, (W, H), (W, H), pair.x1, pair.x2)
    assert found, found.reason
    rows_agree(found, pair, 0.1)
    assert bifocal.depth.vertical_disparity(found, pair.x1, pair.x2)[1] < 0.1
    found = bifocal.rectify_polar_uncalibrated(pair.F, pair.x1, pair.x2, (W, H), (W, H))
    assert found, found.reason
    rows_agree(found, pair, 0.1)


@holds("bifocal.rectify_uncalibrated", "bifocal.choose_rectification", reference="truth", cases=60)
def test_uncalibrated_rectification(rng):
    """Rows of a scene point agree to 1e-6 px for any scale of F, and the choice between planar and polar names a rectification that exists."""
    pair = Pair(rng, rng.choice(["sideways", "vertical"]))
    found = bifocal.rectify_uncalibrated(pair.F * np.exp(rng.uniform(-20, 20)), (W, H), (W, H), pair.x1, pair.x2)
    polar = bifocal.rectify_polar_uncalibrated(pair.F, pair.x1, pair.x2, (W, H), (W, H))
    if found:
        rows_agree(found, pair, 1e-6)
    choice = bifocal.choose_rectification(found, polar)
    assert (polar if choice.is_polar else found) and choice.polar_stretch >= 1 and choice.planar_stretch >= 1


@holds("depth.dense_matches", "depth.depth_map", "depth.depth_to_cloud", reference="depths of a plane", cases=15)
def test_depth_of_a_plane(rng):
    """The depth of a plane is within 0.1 % in the frame of camera 1, whichever image is the left one, planar and polar, and the cloud lies on the plane."""
    pair = Pair(rng, rng.choice(["sideways", "vertical", "forward"]))
    planar = bifocal.rectify(pair.c1, pair.c2, pair.R, pair.t)
    polar = bifocal.rectify_polar(pair.c1, pair.c2, pair.R, pair.t, (W, H), (W, H), pair.x1, pair.x2)
    normal, offset = np.array([*rng.uniform(-0.2, 0.2, 2), 1.0]), 6.0
    for found in (planar, polar):
        if not found or found.is_cyclic:
            continue
        left, right = (pair.c2, pair.c1) if found.is_swapped else (pair.c1, pair.c2)
        x, y = np.meshgrid(np.arange(found.width), np.arange(found.height))
        points = found.photograph_points(0, np.c_[x.ravel(), y.ravel()].astype(float))
        X = np.c_[points, np.ones(len(points))] @ np.linalg.inv(matrix(left)).T
        if found.is_swapped:  # the plane in the frame of camera 2
            n = pair.R @ normal
            X *= ((offset + n @ pair.t) / (X @ n))[:, None]
            Z = (X - pair.t) @ pair.R
        else:
            X *= (offset / (X @ normal))[:, None]
            Z = X @ pair.R.T + pair.t
        target = found.rectified_points(1, projected(Z, matrix(right)))
        disparity = (x.ravel() - target[:, 0]).reshape(x.shape).astype(np.float32)
        depth = bifocal.depth.depth_map(bifocal.depth.dense_matches(found, disparity), pair.c1, pair.c2, pair.R, pair.t).depth
        v, u = np.nonzero(np.isfinite(depth))
        assert len(u) > 0.03 * depth.size, f"{len(u)} depths"
        truth_of = left is pair.c1
        n, o = (normal, offset) if truth_of else (pair.R @ normal, offset + (pair.R @ normal) @ pair.t)
        rays = np.c_[u, v, np.ones(len(u))] @ np.linalg.inv(matrix(left)).T
        truth = o / (rays @ n)
        off = np.abs(depth[v, u] / truth - 1)
        assert np.quantile(off, 0.95) < 2e-3, f"{found.kind}, swapped {found.is_swapped}: 95 % within {np.quantile(off, 0.95):.2%}"
        cloud = bifocal.depth.depth_to_cloud(depth, np.zeros(depth.shape, np.uint8), left, step=3).xyz
        assert np.quantile(np.abs(cloud @ n - o), 0.95) < 0.02 * o


@holds("bifocal.warp", "bifocal.Remapper", reference="bilinear sampling in NumPy", cases=40)
def test_sampling(rng):
    """Warped and remapped pixels are within 1.5 of bilinear sampling in double precision, and 0 outside of the input."""
    image = rng.integers(0, 256, (rng.integers(20, 60), rng.integers(20, 60))).astype(np.uint8)
    h, w = image.shape
    M = np.eye(3) + rng.normal(size=(3, 3)) * (0.2, 0.2, 5) * np.array([[1], [1], [1e-4]])
    x, y = np.meshgrid(np.arange(70.0), np.arange(50.0))
    source = projected(np.c_[x.ravel(), y.ravel(), np.ones(x.size)], np.linalg.inv(M))
    u, v = np.round(source * 256).T / 256
    inside = (u >= 0) & (v >= 0) & (u <= w - 1) & (v <= h - 1)
    i, j = np.clip(np.floor(u).astype(int), 0, w - 2), np.clip(np.floor(v).astype(int), 0, h - 2)
    a, b = u - i, v - j
    I = image.astype(float)
    expected = (1 - b) * ((1 - a) * I[j, i] + a * I[j, i + 1]) + b * ((1 - a) * I[j + 1, i] + a * I[j + 1, i + 1])
    warped = bifocal.warp(image, M, 70, 50).ravel().astype(float)
    near = np.abs(u - np.clip(u, 0, w - 1)) + np.abs(v - np.clip(v, 0, h - 1)) < 0.02
    assert np.abs(warped - expected)[inside].max(initial=0) < 2.5 and not warped[~inside & ~near].any()
    remapped = bifocal.Remapper.from_maps(u.reshape(50, 70), v.reshape(50, 70), (w, h))(image).ravel().astype(float)
    assert np.abs(remapped - expected)[inside].max(initial=0) < 1.5 and not remapped[~inside & ~near].any()


@holds("bifocal.stereo", "bifocal.StereoMatcher", "depth.score_disparity", "doubts.disparity_doubt", "cv.StereoBM", "cv.StereoSGBM", reference="a shifted image", cases=6)
def test_disparities_of_a_shifted_image(rng):
    """Random dots shifted by a whole number of px, of either sign, have that disparity; noise and other brightness change under 5 % of the pixels."""
    shift = int(rng.integers(-20, 20))
    texture = np.kron(rng.integers(0, 256, (60, 90)), np.ones((2, 2)))
    left, right = texture[:, 30:150], texture[:, 30 + shift : 150 + shift]
    right = np.clip(right * rng.uniform(0.8, 1) + rng.normal(size=right.shape) * 3, 0, 255)
    left, right = left.astype(np.uint8), right.astype(np.uint8)
    options = bifocal.SgmOptions(min_disparity=-24, disparities=48)
    found = bifocal.stereo(left, right, options)
    inner = found.raw[8:-8, 30:-30]
    assert np.mean(np.abs(inner - shift) < 0.6) > 0.95, f"{np.mean(np.abs(inner - shift) < 0.6):.0%}"
    same = bifocal.StereoMatcher(120, 120, options)(left, right)
    assert np.array_equal(same.raw, found.raw, equal_nan=True)
    score = bifocal.depth.score_disparity(found, np.full(left.shape, float(shift)))
    assert score["avgerr"] < 0.6 and score["bad2"] < 10 and not bifocal.doubts.disparity_doubt(found, options)
    if shift > 0:
        for matcher in (bifocal.cv.StereoBM.create(48, 9), bifocal.cv.StereoSGBM.create(0, 48, 5)):
            d = matcher.compute(left, right)[8:-8, 50:-8] / 16
            assert np.mean(np.abs(d[d >= 0] - shift) < 1) > 0.9
