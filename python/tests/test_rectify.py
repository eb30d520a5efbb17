"""Rectification with any lens model, and sampling of images through maps, compared with NumPy formulas."""

import numpy as np
import pytest
from scenes import rotation

import bifocal

FISHEYE = (330.0, 335.0, 640.0, 480.0, 0.03, -0.01, 2e-3, -1e-3)
R, T = rotation([0.2, 1, 0.1], 5), np.array([-0.5, 0.02, 0.03])
RNG = np.random.default_rng(11)


def fisheye_px(rays):
    """Projects directions [..., 3] by Kannala and Brandt's fisheye model."""
    fx, fy, cx, cy, *k = FISHEYE
    across = np.maximum(np.linalg.norm(rays[..., :2], axis=-1), 1e-300)
    a = np.arctan2(across, rays[..., 2])
    s = a * (1 + k[0] * a**2 + k[1] * a**4 + k[2] * a**6 + k[3] * a**8) / across
    return np.stack([fx * s * rays[..., 0] + cx, fy * s * rays[..., 1] + cy], -1)


def camera():
    return bifocal.LensCamera("OPENCV_FISHEYE", FISHEYE, 1280, 960)


def test_maps_of_fisheyes_are_the_formula():
    found = bifocal.rectify(camera(), camera(), R, T, max_angle_deg=60)
    assert found.ok and not found.is_swapped and found.width * found.height <= 1.5 * 1280 * 960
    for side, (turn, (fx, fy, cx, cy)) in enumerate(((found.R1, found.camera1), (found.R2, found.camera2))):
        x, y = found.sampling_map(side)
        assert x.dtype == np.float32 and x.shape == y.shape == (found.height, found.width)
        v, u = np.mgrid[: found.height, : found.width]
        px = fisheye_px(np.stack([(u - cx) / fx, (v - cy) / fy, np.ones_like(u, float)], -1) @ turn)
        inside = (px >= 0).all(-1) & (px[..., 0] <= 1279) & (px[..., 1] <= 959)
        assert inside.mean() > 0.6 and (inside == ~np.isnan(x)).mean() > 0.999
        both = inside & ~np.isnan(x)
        assert np.abs(np.stack([x, y], -1)[both] - px[both]).max() < 0.501 / 256 + 1e-4


def test_a_fisheye_beside_a_camera_of_opencv():
    plain = bifocal.Camera(900, 900, 640, 480, k1=-0.1, width=1280, height=960)
    found = bifocal.rectify(camera(), plain, R, T, max_angle_deg=65)
    X = RNG.uniform([-1.5, -1, 4], [1.5, 1, 7], (200, 3))
    Y = X @ R.T + T
    seen = bifocal.distort_points(Y[:, :2] / Y[:, 2:] * 900 + (640, 480), plain)
    rows = []
    for H, lens, px in ((found.H1, camera(), fisheye_px(X)), (found.H2, plain, seen)):
        q = np.c_[bifocal.undistort_points(px, lens), np.ones(200)] @ H.T
        rows.append(q[:, 1] / q[:, 2])
    assert found.ok and np.abs(rows[0] - rows[1]).max() < 1e-6


def sampled(image, x, y):
    """Samples an image bilinearly in integers, position by position."""
    out = np.zeros((*x.shape, *image.shape[2:]), image.dtype)
    for at in np.argwhere(~np.isnan(x)):
        i, j = at
        u, v = int(x[i, j] * 256), int(y[i, j] * 256)
        c, r, a, b = u // 256, v // 256, u % 256, v % 256
        c1, r1 = min(c + 1, image.shape[1] - 1), min(r + 1, image.shape[0] - 1)
        p = image.astype(np.int64)
        total = (p[r, c] * (256 - a) + p[r, c1] * a) * (256 - b) + (p[r1, c] * (256 - a) + p[r1, c1] * a) * b
        out[i, j] = (total + 2**15) >> 16
    return out


@pytest.mark.parametrize("shape", [(40, 60), (40, 60, 3)])
@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
def test_remapped_pictures_are_the_plain_ones(shape, dtype):
    image = RNG.integers(0, np.iinfo(dtype).max, shape, dtype=dtype)
    x, y = (RNG.uniform(-5, size + 5, (30, 50)).astype(np.float32) for size in (60, 40))
    x[3, 4] = np.nan
    x, y = np.floor(x * 256 + 0.5) / 256, np.floor(y * 256 + 0.5) / 256
    outside = ~((x >= 0) & (x <= 59) & (y >= 0) & (y <= 39))
    expected = sampled(image, np.where(outside, np.nan, x), y)
    devices = ["cpu", *(d["id"] for d in bifocal.devices() if d["kind"] != "cpu")]
    for device in devices:
        remapper = bifocal.Remapper.from_maps(x, y, (60, 40), device=device)
        assert (remapper.width, remapper.height) == (50, 30) and device in repr(remapper)
        found = remapper(image)
        assert found.dtype == dtype and np.array_equal(found, expected), device
        assert np.array_equal(remapper(image[:, ::1]), expected)


def test_resampled_pictures_go_through_the_map():
    found = bifocal.rectify(camera(), camera(), R, T, max_angle_deg=50)
    image = RNG.integers(0, 255, (960, 1280), dtype=np.uint8)
    for side in (0, 1):
        picture = found.resample(side, image)
        assert np.array_equal(picture, bifocal.Remapper(found, side)(image))
        assert np.array_equal(picture, bifocal.Remapper.from_maps(*found.sampling_map(side), (1280, 960))(image))
        x, y = found.sampling_map(side)
        part = slice(found.height // 2, found.height // 2 + 12), slice(found.width // 2, found.width // 2 + 12)
        assert np.array_equal(picture[part], sampled(image, x[part], y[part]))


def test_tensors_of_the_host():
    torch = pytest.importorskip("torch")
    found = bifocal.rectify(camera(), camera(), R, T, max_angle_deg=50)
    image = RNG.integers(0, 255, (960, 1280, 3), dtype=np.uint8)
    tensor = found.resample(0, torch.from_numpy(image))
    assert isinstance(tensor, torch.Tensor) and np.array_equal(tensor.numpy(), found.resample(0, image))


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda f: bifocal.rectify(camera(), camera(), R, T, max_angle_deg=90), ValueError, "max_angle_deg = 90"),
        (lambda f: bifocal.rectify(bifocal.LensCamera("FISHEYE", (9, 9, 1, 1)), camera(), R, T), ValueError, r"camera1: width 0.*LensCamera"),
        (lambda f: bifocal.rectify(camera(), bifocal.Camera(9, 9, 1, 1), R, T), ValueError, r"camera2: width 0.*bifocal.Camera"),
        (lambda f: bifocal.Remapper(f, 2), ValueError, "side 2: must be 0 or 1"),
        (lambda f: f.resample(2, np.zeros((9, 9), np.uint8)), ValueError, "side 2: must be 0 or 1"),
        (lambda f: f.sampling_map(-1), ValueError, "side -1: must be 0 or 1"),
        (lambda f: bifocal.Remapper(f, 0)(np.zeros((9, 9), np.uint8)), ValueError, "an image of 9 x 9, the map is for 1280 x 960"),
        (lambda f: bifocal.Remapper(f, 0)(np.zeros((960, 1280))), TypeError, "image: dtype float64"),
        (lambda f: bifocal.Remapper(f, 0)(None), TypeError, "image: None"),
        (lambda f: bifocal.Remapper(f, 0, device="gpu"), ValueError, "gpu"),
        (lambda f: bifocal.Remapper.from_maps(np.zeros(3), np.zeros(3), (9, 9)), ValueError, r"map_x: shape \(3,\)"),
        (lambda f: bifocal.Remapper.from_maps(np.zeros((3, 3)), np.zeros((3, 4)), (9, 9)), ValueError, r"map_y: shape \(3, 4\)"),
        (lambda f: bifocal.Remapper.from_maps(np.zeros((3, 3)), np.zeros((3, 3)), (0, 9)), ValueError, "a map of 3 x 3 from 0 x 9"),
    ],
)
def test_what_does_not_fit_is_named(call, error, message):
    found = bifocal.rectify(camera(), camera(), R, T, max_angle_deg=50)
    with pytest.raises(error, match=message):
        call(found)


def test_points_return_through_fisheyes_and_a_file(tmp_path):
    found = bifocal.rectify(camera(), camera(), R, T, max_angle_deg=60)
    assert found.kind == "planar" and "planar" in repr(found)
    x = RNG.uniform([400, 300], [880, 660], (50, 2))
    for side in (0, 1):
        rectified = found.rectified_points(side, x)
        assert np.abs(found.photograph_points(side, rectified) - x).max() < 1e-6
    found.write(tmp_path / "pair.npz")
    again = bifocal.read_rectification(tmp_path / "pair.npz")
    assert (again.kind, again.width, again.height, again.is_swapped) == (found.kind, found.width, found.height, found.is_swapped)
    assert np.array_equal(again.H2, found.H2) and np.array_equal(again.Q(), found.Q())
    assert np.array_equal(again.rectified_points(1, x), found.rectified_points(1, x))


# Depth of pairs in both orders: matches of a swapped rectification belong to photograph 2.
FIRST, SECOND = bifocal.Camera(150, 150, 79.5, 59.5, width=160, height=120), bifocal.Camera(160, 160, 80, 58, width=160, height=120)
TURN = rotation([0.1, 1, 0.2], 3)
PLANE = np.array([0.05, -0.1, 1.0]) / 8  # of the points X with PLANE @ X = 1, in the frame of camera 1


def matrix(camera):
    return np.array([[camera.fx, 0, camera.cx], [0, camera.fy, camera.cy], [0, 0, 1]])


def plane_disparity(found, t):
    """Returns the disparities of the plane in the left rectified image."""
    v, u = np.mgrid[: found.height, : found.width]
    px = found.photograph_points(0, np.stack([u, v], -1).reshape(-1, 2).astype(float))
    H = matrix(SECOND) @ (TURN + np.outer(t, PLANE)) @ np.linalg.inv(matrix(FIRST))
    q = np.c_[px, np.ones(len(px))] @ (np.linalg.inv(H) if found.is_swapped else H).T
    right = found.rectified_points(1, q[:, :2] / q[:, 2:])
    return (u.ravel() - right[:, 0]).reshape(u.shape).astype(np.float32)


@pytest.mark.parametrize("is_polar", [False, True])
@pytest.mark.parametrize("t", [[-0.5, 0.02, 0.05], [0.5, 0.02, 0.05]])
def test_the_depth_is_that_of_the_left_photograph(t, is_polar):
    rectify = bifocal.rectify_polar if is_polar else bifocal.rectify
    found = rectify(FIRST, SECOND, TURN, t, *((160, 120), (160, 120)) if is_polar else ())
    assert found.ok and (is_polar or found.is_swapped == (t[0] > 0))
    matches = bifocal.depth.dense_matches(found, plane_disparity(found, np.array(t)))
    assert matches.is_swapped == found.is_swapped
    covariance = np.diag([1e-6, 2e-6, 1e-6, 1e-6, 1e-6, 1e-6])
    depth, deviation = bifocal.depth.depth_map(matches, FIRST, SECOND, TURN, t, pose_covariance=covariance, max_deviation=10)
    own, normal = FIRST, PLANE
    if found.is_swapped:  # the plane in the frame of camera 2
        own, normal = SECOND, TURN @ PLANE / (1 + TURN @ PLANE @ t)
    v, u = np.mgrid[:120, :160]
    truth = 1 / (np.stack([(u - own.cx) / own.fx, (v - own.cy) / own.fy, np.ones(u.shape)], -1) @ normal)
    known = np.isfinite(depth)
    assert known.mean() > 0.5 and np.median(np.abs(depth[known] / truth[known] - 1)) < 0.002
    assert (deviation[known] > 0).all()


def test_the_deviation_does_not_depend_on_the_names_of_the_cameras():
    """Exchanging the photographs, with the inverse pose, gives the same depth."""
    t = np.array([0.5, 0.02, 0.05])
    swapped = bifocal.rectify(FIRST, SECOND, TURN, t)
    matches = bifocal.depth.dense_matches(swapped, plane_disparity(swapped, t))
    assert matches.is_swapped
    a = bifocal.depth.depth_map(matches, FIRST, SECOND, TURN, t)
    b = bifocal.depth.depth_map(matches._replace(is_swapped=False), SECOND, FIRST, TURN.T, -TURN.T @ t)
    known = np.isfinite(a.depth)
    assert np.array_equal(known, np.isfinite(b.depth)) and np.allclose(a.depth[known], b.depth[known], rtol=1e-5)
    assert np.allclose(a.deviation[known], b.deviation[known], rtol=1e-4)
