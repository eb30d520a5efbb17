"""Features, matches, rectification and dense matching of synthetic images."""

import dataclasses
import json
import pathlib
import struct
import sys
import types

import numpy as np
import pytest
from scenes import K, rotation

import bifocal


RNG16 = np.random.default_rng(16)


def texture(h, w, seed=0):
    rng = np.random.default_rng(seed)
    picture = np.zeros((h, w))
    for step in (4, 8, 16, 32):
        coarse = rng.normal(size=(h // step + 2, w // step + 2))
        y, x = np.arange(h) / step, np.arange(w) / step
        iy, ix = y.astype(int), x.astype(int)
        fy, fx = (y - iy)[:, None], (x - ix)[None, :]
        a, b, c, d = (coarse[np.ix_(iy + i, ix + j)] for i in (0, 1) for j in (0, 1))
        picture += (a * (1 - fx) + b * fx) * (1 - fy) + (c * (1 - fx) + d * fx) * fy
    return np.uint8(np.clip(128 + 30 * picture, 0, 255))


def test_features_and_matches_of_a_shift():
    picture = texture(240, 320)
    f1, f2 = bifocal.detect(picture[:, 20:300]), bifocal.detect(picture[:, 26:306].copy())
    assert len(f1) > 50 and f1.descriptors.shape == (len(f1), 128) and f1.descriptors.dtype == np.uint8
    assert f1.xy.shape == (len(f1), 2) and f1.xy.dtype == np.float32 and len(f1.sigma) == len(f1.angle_deg) == len(f1.response)
    order = f1.response * f1.sigma
    assert (np.diff(order) <= 1e-6).all()
    matches = bifocal.match(f1, f2)
    i, j = matches.indices.T
    moved = f1.xy[i] - f2.xy[j]
    assert len(matches) > 30 and np.abs(np.median(moved, 0) - [6, 0]).max() < 0.05
    d = ((f1.descriptors[i].astype(int) - f2.descriptors[j]) ** 2).sum(1)
    assert np.array_equal(d, matches.distance) and (matches.ratio <= 0.8).all()
    assert np.array_equal(bifocal.match(f1.descriptors, f2.descriptors).indices, matches.indices)
    few = bifocal.detect(picture, bifocal.SiftOptions(max_features=5))
    assert len(few) == 5
    empty = bifocal.match(f1, np.zeros((0, 128), np.uint8))
    assert len(empty) == 0 and empty.indices.shape == (0, 2)


@pytest.mark.parametrize("numbers", [64, 128])
def test_surf(numbers):
    picture = texture(240, 320)
    options = bifocal.SurfOptions(numbers=numbers)
    f1, f2 = bifocal.detect(picture[:, 20:300], options), bifocal.detect(picture[:, 26:306].copy(), options)
    assert len(f1) > 50 and f1.descriptors.shape == (len(f1), 128)
    assert all(len(np.unique(d[numbers:])) <= 1 for d in f1.descriptors)  # the padding after 64 elements is constant
    matches = bifocal.match(f1, f2)
    i, j = matches.indices.T
    assert len(matches) > 30 and np.abs(np.median(f1.xy[i] - f2.xy[j], 0) - [6, 0]).max() < 0.05
    upright = bifocal.detect(picture, bifocal.SurfOptions(upright=True, max_features=9))
    assert len(upright) == 9 and (upright.angle_deg == 0).all()


@pytest.mark.parametrize("options", [bifocal.SiftOptions(), bifocal.SurfOptions()])
def test_masks_and_balanced_caps(options):
    picture = texture(240, 320)
    mask = np.zeros((240, 320), np.uint8)
    mask[:, 160:] = 1
    everywhere, right = bifocal.detect(picture, options), bifocal.detect(picture, options, mask=mask)
    nearest = np.floor(everywhere.xy + 0.5).astype(int)
    allowed = mask[nearest[:, 1].clip(0, 239), nearest[:, 0].clip(0, 319)] != 0
    assert 20 < len(right) < len(everywhere) and np.array_equal(right.xy, everywhere.xy[allowed])
    few = dataclasses.replace(options, max_features=16)
    cells = lambda f: len({tuple(c) for c in (f.xy // 80).astype(int)})
    plain, spread = bifocal.detect(picture, few), bifocal.detect(picture, dataclasses.replace(few, balance=4))
    assert len(plain) == len(spread) == 16 and cells(spread) >= max(11, cells(plain))


def test_pooled_domain_sizes():
    picture = texture(240, 320)
    pooled = bifocal.SiftOptions(domain_size_pooling=True)
    plain, f1, f2 = bifocal.detect(picture[:, 20:300]), bifocal.detect(picture[:, 20:300], pooled), bifocal.detect(picture[:, 26:306].copy(), pooled)
    assert np.array_equal(plain.xy, f1.xy) and not np.array_equal(plain.descriptors, f1.descriptors)
    i, j = bifocal.match(f1, f2).indices.T
    assert len(i) > 30 and np.abs(np.median(f1.xy[i] - f2.xy[j], 0) - [6, 0]).max() < 0.05


def test_affine_shapes():
    picture = texture(240, 320)
    plain, f = bifocal.detect(picture), bifocal.detect(picture, bifocal.SiftOptions(affine_shape=True))
    assert plain.shapes is None and f.shapes.shape == (len(f), 2, 2) and f.shapes.dtype == np.float32
    assert np.array_equal(f.shapes[:, 0, 1], f.shapes[:, 1, 0]) and np.allclose(np.linalg.det(f.shapes), 1, atol=1e-4)
    longer = np.linalg.cond(f.shapes)
    assert longer.max() < 6.01 and (longer > 1.2).mean() > 0.3
    # A shape maps a circle to an ellipse in the image; horizontal squeezing makes these ellipses narrower.
    squeezed = texture(240, 640)[:, ::2].copy()
    g = bifocal.detect(squeezed, bifocal.SiftOptions(affine_shape=True))
    assert np.median(g.shapes[:, 0, 0]) < np.median(f.shapes[:, 0, 0])


def test_a_model_guides_matches():
    picture = texture(240, 320)
    f1, f2 = bifocal.detect(picture[:, 20:300]), bifocal.detect(picture[:, 26:306].copy())
    H = np.array([[1.0, 0, -6], [0, 1, 0], [0, 0, 1]])
    plain, guided = bifocal.match(f1, f2), bifocal.match_guided(f1, f2, H, kind="homography", threshold=1)
    i, j = guided.indices.T
    assert len(guided) >= len(plain) and np.abs(f1.xy[i] - f2.xy[j] - [6, 0]).max() < 1.5
    none = bifocal.match_guided(f1, f2, np.array([[1.0, 0, 500], [0, 1, 0], [0, 0, 1]]), kind="homography", threshold=1)
    assert len(none) == 0
    F = np.array([[0.0, 0, 0], [0, 0, -1], [0, 1, 0]])  # epipolar lines are the rows
    rows = bifocal.match_guided(f1, f2, F, threshold=1)
    i, j = rows.indices.T
    assert len(rows) >= len(plain) and np.abs(f1.xy[i, 1] - f2.xy[j, 1]).max() < 1.5
    with pytest.raises(ValueError, match="kind: 'pose'"):
        bifocal.match_guided(f1, f2, H, kind="pose")
    with pytest.raises(TypeError, match="features2: ndarray .* must be Features"):
        bifocal.match_guided(f1, f2.descriptors, H)
    with pytest.raises(ValueError, match="threshold"):
        bifocal.match_guided(f1, f2, H, threshold=-1)


def test_float_descriptors_of_other_tools():
    rng = np.random.default_rng(3)
    d1 = rng.normal(size=(60, 64)).astype(np.float32)
    order = rng.permutation(60)
    d2 = d1[order] + 0.05 * rng.normal(size=(60, 64)).astype(np.float32)
    found = bifocal.match_descriptors(d1, d2)
    i, j = found.indices.T
    assert len(found) == 60 and np.array_equal(order[j], i)
    unit1, unit2 = (d / np.linalg.norm(d, axis=1, keepdims=True) for d in (d1, d2))
    assert np.allclose(found.distance, np.linalg.norm(unit1[i] - unit2[j], axis=1), atol=1e-5)
    assert found.distance.dtype == np.float32 and (found.ratio < 1).all()
    for same in (d1.astype(np.float64), d1.astype(np.float16).astype(np.float32), np.asfortranarray(d1)):
        assert np.array_equal(bifocal.match_descriptors(same, d2).indices, found.indices)
    near = bifocal.match_descriptors(d1, d2, bifocal.FloatMatchOptions(max_distance=float(np.median(found.distance))))
    assert 0 < len(near) < 60
    assert len(bifocal.match_descriptors(np.zeros((0, 64)), d2)) == 0
    with pytest.raises(ValueError, match="descriptors2"):
        bifocal.match_descriptors(d1, d2[:, :32])
    with pytest.raises(ValueError, match="descriptors1"):
        bifocal.match_descriptors(d1 * np.nan, d2)
    with pytest.raises(ValueError, match="max_ratio"):
        bifocal.match_descriptors(d1, d2, bifocal.FloatMatchOptions(max_ratio=-1))


def test_opencl_finds_and_matches_the_same():
    if not any(d["id"] == "opencl:0" for d in bifocal.devices()):
        pytest.skip("no OpenCL device")
    f1, f2 = (bifocal.detect(texture(120, 200, seed)) for seed in (0, 1))
    there = bifocal.match(f1, f1, device="opencl:0")
    assert np.array_equal(there.indices, bifocal.match(f1, f1).indices) and len(there) > 20
    assert np.array_equal(bifocal.match(f1, f2, device="opencl:0").indices, bifocal.match(f1, f2).indices)
    found = bifocal.detect(texture(120, 200, 0), device="opencl:0")
    assert abs(len(found) - len(f1)) <= 2


def test_colour_is_its_grey():
    picture = texture(100, 120)
    colour = np.repeat(picture[:, :, None], 3, 2)
    assert np.array_equal(bifocal.detect(colour).xy, bifocal.detect(picture).xy)
    assert np.array_equal(bifocal.detect(colour[:, ::-1]).xy, bifocal.detect(np.ascontiguousarray(picture[:, ::-1])).xy)


def test_sixteen_bits_are_their_nearest_eight():
    deep = (texture(128, 160).astype(np.uint16) * 256)[:, :, None] + RNG16.integers(0, 100, (128, 160, 3), dtype=np.uint16)
    shallow = np.floor(deep * (255 / 65535) + 0.5).astype(np.uint8)
    for options in (None, bifocal.SurfOptions()):
        for device in (None, *(d["id"] for d in bifocal.devices() if d["id"] == "opencl:0")):
            for ours, theirs in ((deep, shallow), (deep[:, :, 1], shallow[:, :, 1]), (deep[:, ::-1], shallow[:, ::-1])):
                found, expected = (bifocal.detect(p, options, device=device) for p in (ours, theirs))
                assert len(found) > 50 and np.array_equal(found.descriptors, expected.descriptors)
    both = bifocal.Collection()
    assert list(both.detect([deep, shallow, deep[:, :, 0]])) == [0, 1, 2]
    assert np.array_equal(both.features(0).descriptors, both.features(1).descriptors)


@pytest.mark.parametrize("bits", [8, 16])
def test_stereo_of_a_shift(bits):
    picture = texture(96, 200)
    if bits == 16:
        picture = picture.astype(np.uint16) * 257
    left, right = picture[:, 20:180], picture[:, 30:190]  # x_left - x_right = 10
    options = bifocal.SgmOptions(disparities=32)
    found = bifocal.stereo(left, right, options)
    assert found.raw.shape == (96, 160) and found.raw.dtype == np.float32 and found.density > 60
    assert np.abs(found.raw[5:-5, 40:-5] - 10)[np.isfinite(found.raw[5:-5, 40:-5])].max() < 0.6
    assert np.isfinite(found.filled).all() and found.confidence.dtype == np.uint8
    matcher = bifocal.StereoMatcher(160, 96, options, bits=bits)
    for _ in range(3):
        again = matcher(left, right)
        assert np.array_equal(again.raw, found.raw, equal_nan=True) and np.array_equal(again.filled, found.filled)
    assert matcher.memory > 0 and "160 x 96" in repr(matcher)


def test_stereo_ssd_and_no_filling():
    picture = texture(64, 160)
    left, right = picture[:, 20:140], picture[:, 28:148]
    found = bifocal.stereo(left, right, bifocal.SsdOptions(disparities=16, window=9))
    assert abs(np.nanmedian(found.raw) - 8) < 0.1 and found.confidence is None
    kept = bifocal.stereo(left, right, bifocal.SgmOptions(disparities=16, filter=bifocal.DisparityFilter(fill="none")))
    assert np.array_equal(np.isnan(kept.filled), np.isnan(kept.raw))


def test_rectified_pair_has_equal_rows():
    R, t = rotation([0.2, 1, 0.1], 6), np.array([-1.0, 0.05, 0.1])
    camera = bifocal.Camera(1000, 1000, 640, 480, k1=-0.1, width=1280, height=960)
    found = bifocal.rectify(camera, camera, R, t)
    assert found and found.reason == "ok" and found.width > 500 and not found.is_swapped
    rng = np.random.default_rng(1)
    X = rng.uniform([-1, -1, 5], [1, 1, 9], (50, 3))

    def project(H, points):
        q = points @ K.T @ H.T
        return q[:, :2] / q[:, 2:]

    left, right = project(found.H1, X), project(found.H2, X @ R.T + t)
    assert np.abs(left[:, 1] - right[:, 1]).max() < 1e-6
    assert np.allclose(found.R1 @ found.R1.T, np.eye(3)) and found.camera1[0] == found.camera2[0]
    depth = (np.c_[left, left[:, 0] - right[:, 0], np.ones(50)] @ found.Q(np.linalg.norm(t)).T)
    assert np.abs(depth[:, 2] / depth[:, 3] - (X @ found.R1.T)[:, 2]).max() < 1e-6
    picture = texture(960, 1280)
    resampled = found.resample(0, picture)
    assert resampled.shape == (found.height, found.width) and resampled.any()
    colour = found.resample(1, np.repeat(picture[:, :, None], 3, 2))
    assert colour.shape == (found.height, found.width, 3)
    ahead = bifocal.rectify(camera, camera, np.eye(3), [0, 0, 1.0])
    assert not ahead and ahead.reason == "epipole_near_image" and ahead.width == 0


def test_rectified_from_a_fundamental_matrix():
    R, t = rotation([0.2, 1, 0.1], 4), np.array([-1.0, 0.05, 0.1])
    tx = np.array([[0, -t[2], t[1]], [t[2], 0, -t[0]], [-t[1], t[0], 0]])
    F = np.linalg.inv(K).T @ tx @ R @ np.linalg.inv(K)
    found = bifocal.rectify_uncalibrated(F, (1280, 960), (1280, 960))
    X = np.random.default_rng(1).uniform([-1, -1, 5], [1, 1, 9], (50, 3))
    rows = []
    for H, Y in ((found.H1, X), (found.H2, X @ R.T + t)):
        q = Y @ K.T @ H.T
        rows.append(q[:, 1] / q[:, 2])
    assert found.ok and found.camera1 is None and np.abs(rows[0] - rows[1]).max() < 1e-4


def test_pictures_from_files(tmp_path):
    picture = texture(20, 30)
    file = tmp_path / "a.pgm"
    file.write_bytes(b"P5\n30 20\n255\n" + picture.tobytes())
    assert np.array_equal(bifocal.read_image(file), picture)
    assert np.array_equal(bifocal.read_image(str(file)), picture)
    for image in (picture, np.repeat(picture[:, ::-1, None], 3, 2), picture[:, 3:9]):
        bifocal.write_image(tmp_path / "b.png", image)
        assert np.array_equal(bifocal.read_image(tmp_path / "b.png"), image)
    with pytest.raises(OSError, match="nowhere"):
        bifocal.write_image(tmp_path / "nowhere" / "b.png", picture)


def test_drawn_matches():
    pictures = texture(40, 60), texture(50, 60)
    x = np.array([[10.0, 10], [30, 20]])
    drawn = bifocal.draw_matches(*pictures, x, x + 2, np.array([True, False]))
    assert drawn.shape[0] == 50 and drawn.shape[1] > 120 and drawn.shape[2] == 3
    assert (drawn != bifocal.draw_matches(*pictures, x[:0], x[:0])).any()
    with pytest.raises(ValueError, match=r"inliers: shape \(3,\), must be \(2,\)"):
        bifocal.draw_matches(*pictures, x, x, np.ones(3, bool))


def test_heic_needs_its_package(tmp_path, monkeypatch):
    for name in ("pillow_heif", "PIL"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(FileNotFoundError, match="a.heic"):
        bifocal.read_image(tmp_path / "a.heic")
    (tmp_path / "a.heic").write_bytes(b"")
    with pytest.raises(OSError, match=r"a.heic: needs the Python package pillow-heif: pip install pillow-heif"):
        bifocal.read_image(tmp_path / "a.heic")


def exif_block(on_film_mm):
    """Returns an EXIF block with FocalLengthIn35mmFilm."""
    directory = struct.pack("<H", 1) + struct.pack("<HHIHHI", 0xA405, 3, 1, on_film_mm, 0, 0)
    first = struct.pack("<H", 1) + struct.pack("<HHIII", 0x8769, 4, 1, 26, 0)
    return b"Exif\0\0" + b"II*\0" + struct.pack("<I", 8) + first + directory


def stand_in(monkeypatch, images, exif, in_info=True):
    """Replaces pillow and pillow-heif, which CI does not install, by modules that open the images by the name of the file."""

    class Opened:
        mode = "RGB"

        def __init__(self, name):
            self.pixels = images[pathlib.Path(name).name]
            self.info = {"exif": exif} if in_info else {}

        def __array__(self, *_, **__):
            return self.pixels

        def getexif(self):
            return types.SimpleNamespace(tobytes=lambda: exif)

        def __enter__(self):
            return self

        def __exit__(self, *_):
            return None

    package = types.SimpleNamespace(Image=types.SimpleNamespace(open=Opened), ImageOps=types.SimpleNamespace(exif_transpose=lambda image: image))
    monkeypatch.setitem(sys.modules, "pillow_heif", types.SimpleNamespace(register_heif_opener=lambda: None))
    monkeypatch.setitem(sys.modules, "PIL", package)


def test_heic_is_decoded_by_its_package(tmp_path, monkeypatch):
    pixels = np.arange(24, dtype=np.uint8).reshape(2, 4, 3)
    stand_in(monkeypatch, {"a.HEIC": pixels}, b"")
    assert np.array_equal(bifocal.read_image(tmp_path / "a.HEIC"), pixels)
    assert np.array_equal(bifocal.read_image(tmp_path / "a.HEIC", bgr=True), pixels[:, :, ::-1])
    assert bifocal.intrinsics_from_exif(tmp_path / "a.HEIC") is None


@pytest.mark.parametrize("in_info", [True, False])
@pytest.mark.parametrize("has_start", [True, False])
def test_heic_has_the_focal_length_of_its_exif(tmp_path, monkeypatch, in_info, has_start):
    wide = np.repeat(texture(240, 400)[:, :, None], 3, 2)
    images = {"left.heic": np.ascontiguousarray(wide[:, :320]), "right.heic": np.ascontiguousarray(wide[:, 12:332])}
    stand_in(monkeypatch, images, exif_block(28)[0 if has_start else 6 :], in_info)
    focal = 28 * np.hypot(320, 240) / np.hypot(36, 24)
    camera = bifocal.intrinsics_from_exif(tmp_path / "left.heic")
    assert np.allclose((camera.fx, camera.fy, camera.cx, camera.cy), (focal, focal, 159.5, 119.5))
    pair = bifocal.estimate_pair(*(tmp_path / name for name in images), options=bifocal.PairOptions(dense=False))
    given = bifocal.estimate_pair(*images.values(), camera, options=bifocal.PairOptions(dense=False, lens_is_unknown=True))
    assert pair.ok and pair.kind == given.kind and np.array_equal(pair.model, given.model)
    pair.write(tmp_path / "out")
    written = json.loads((tmp_path / "out/geometry.json").read_text())
    assert "EXIF" in json.dumps(written) and "left.heic" in json.dumps(written)


def test_an_impossible_focal_length_of_heic_is_left_out(tmp_path, monkeypatch):
    wide = np.repeat(texture(240, 400)[:, :, None], 3, 2)
    images = {"left.heic": np.ascontiguousarray(wide[:, :320]), "right.heic": np.ascontiguousarray(wide[:, 12:332])}
    stand_in(monkeypatch, images, exif_block(60000))
    assert bifocal.intrinsics_from_exif(tmp_path / "left.heic") is None
    doubts = bifocal.estimate_pair(*(tmp_path / name for name in images), options=bifocal.PairOptions(dense=False)).doubts
    assert len(doubts) == 1 and "left.heic: EXIF: a focal length of" in doubts[0]


def test_a_heic_file_of_pillow_heif(tmp_path):
    heif, image = pytest.importorskip("pillow_heif"), pytest.importorskip("PIL.Image")
    heif.register_heif_opener()
    wide = np.repeat(texture(240, 400)[:, :, None], 3, 2)
    for name, left in (("left.heic", 0), ("right.heic", 12)):
        image.fromarray(wide[:, left : left + 320]).save(tmp_path / name, quality=95, exif=exif_block(28))
    read = bifocal.read_image(tmp_path / "left.heic")
    assert read.shape == (240, 320, 3) and np.abs(read.astype(int) - wide[:, :320]).mean() < 5
    camera = bifocal.intrinsics_from_exif(tmp_path / "left.heic")
    assert camera.fx == pytest.approx(28 * np.hypot(320, 240) / np.hypot(36, 24)) and camera.cx == 159.5
    pair = bifocal.estimate_pair(tmp_path / "left.heic", tmp_path / "right.heic", options=bifocal.PairOptions(dense=False))
    assert pair.ok and "left.heic" not in " ".join(pair.doubts)


def test_collections_pass_heic_over(tmp_path):
    (tmp_path / "a.heic").write_bytes(b"")
    bifocal.write_image(tmp_path / "b.png", texture(20, 30))
    photographs, other_files = bifocal.list_photographs(tmp_path)
    assert [pathlib.Path(file).name for file in photographs] == ["b.png"] and "a.heic" in str(other_files)
