"""estimate_pair turns two photographs, or matches of another matcher, into depth, point cloud and report."""

import html
import json
import pickle

import numpy as np
import pytest
from data_folder import needs_data

import bifocal


@pytest.fixture(scope="module")
def files():
    return [needs_data(f"collections/fountain-P11/{n:04}.jpg") for n in (3, 4)]


@pytest.fixture(scope="module")
def pair(files):
    return bifocal.estimate_pair(*files)


def test_auto_is_the_best_device_and_is_reported():
    best = next((d["id"] for d in bifocal.devices() if d["is_gpu"]), "cpu")
    image = np.random.default_rng(1).integers(0, 255, (120, 160), np.uint8)
    assert bifocal.estimate_pair(image, image, device="auto").device == best
    assert bifocal.estimate_pair(image, image).device == "cpu"


def test_auto_is_the_best_device_in_every_call():
    """Calls and classes take "auto", give the bits of the best device, and name that device."""
    best = next((d["id"] for d in bifocal.devices() if d["is_gpu"]), "cpu")
    rng = np.random.default_rng(2)
    right = np.kron(rng.integers(0, 255, (30, 40)), np.ones((4, 4))).astype(np.uint8)
    left = np.roll(right, 8, axis=1)
    x1 = rng.uniform(0, 160, (80, 2))
    camera = bifocal.Camera(150.0, 150.0, 80.0, 60.0, width=160, height=120)
    rectification = bifocal.rectify(camera, camera, np.eye(3), (-1, 0, 0))
    options = bifocal.SgmOptions(disparities=32)

    def on(device):
        features = bifocal.detect(left, device=device), bifocal.detect(right, device=device)
        yield features[0].descriptors
        yield bifocal.match(*features, device=device).indices
        yield bifocal.stereo(left, right, options, device=device).raw
        yield bifocal.estimate("homography", x1, x1 + (7, 3), device=device).model
        yield bifocal.estimate_batch("homography", np.c_[x1, x1 + (7, 3)], [0, 40, 80], device=device).models
        yield bifocal.linalg.svd(x1.reshape(16, 5, 2), device=device).S
        matcher = bifocal.StereoMatcher(160, 120, options, device=device)
        remapper = bifocal.Remapper(rectification, 0, device=device)
        assert best in repr(matcher) and best in repr(remapper)
        yield matcher(left, right).raw

    for auto, same in zip(on("auto"), on(best), strict=True):
        assert auto.size > 0 and np.array_equal(auto, same, equal_nan=True)


SMALL = bifocal.CollectOptions(max_side=400)


def stop_at_matches(stage, done, total, unit):
    if stage == "matches":
        raise KeyError("stop")


def test_collect_keeps_the_device_that_began(files, tmp_path):
    others = [d["id"] for d in bifocal.devices() if d["id"] != "cpu"]
    for device in ["cpu", *others[:1]]:
        database = tmp_path / f"{device.replace(':', '')}.db"
        with pytest.raises(KeyError):
            bifocal.collect(list(files), database, options=SMALL, device=device, progress=stop_at_matches)
        resumed = bifocal.collect(list(files), database, options=SMALL, device="auto")
        assert resumed.resumed and resumed.device == device
    new = bifocal.collect(list(files), tmp_path / "new.db", options=SMALL, device="auto")
    assert new.device == next((d["id"] for d in bifocal.devices() if d["is_gpu"]), "cpu")


def test_two_files_give_pose_depth_and_cloud(pair):
    assert pair.ok and pair and pair.kind == "fundamental" and pair.num_inliers == pair.inliers.sum() > 1000
    assert np.allclose(pair.R @ pair.R.T, np.eye(3)) and np.isclose(np.linalg.norm(pair.t), 1)
    assert abs(pair.focal_length / 1380 - 1) < 0.05 and pair.doubts == []
    assert pair.depth.shape == (1024, 1536) and np.isfinite(pair.depth).mean() > 0.5
    points, colours = pair.cloud
    assert points.shape == colours.shape and len(points) > 500_000
    assert pair.rectification.ok and pair.disparity.shape == pair.rectified_left.shape[:2]
    assert len(pair.x1) == len(pair.x2) == len(pair.matches) == len(pair.triangulated)
    assert np.allclose(pair.keypoints1[pair.matches[:, 0]], pair.x1)
    assert [try_[4] for try_ in pair.tries] == [True] and pair.timings["features"] > 0
    assert repr(pair).startswith("<Pair: ok, fundamental, ")


def test_deviations_contain_the_truth_and_more_if_more_is_assumed(files, pair):
    assert abs(pair.focal_length - 1380) < 2 * pair.focal_deviation < 400 and pair.pose_covariance.shape == (6, 6)
    assert np.isclose(np.degrees(np.sqrt(np.trace(pair.pose_covariance[:3, :3]))), pair.rotation_deviation_deg)
    K = (1379.74, 1382.08, 760.1, 503.16)
    options = (bifocal.PairOptions(dense=False, focal_deviation=f, principal_point_deviation=f) for f in (0.0, 0.05))
    sure, unsure = (bifocal.estimate_pair(*files, K, matches=(pair.x1, pair.x2), options=one) for one in options)
    assert sure.rotation_deviation_deg < 0.5 * pair.rotation_deviation_deg
    assert unsure.direction_deviation_deg > 2 * sure.direction_deviation_deg > 0 and unsure.focal_deviation is None


def test_matches_of_another_matcher_give_the_same_geometry(files, pair):
    again = bifocal.estimate_pair(*files, matches=(pair.x1, pair.x2))
    assert again.num_inliers == pair.num_inliers and np.allclose(again.R, pair.R, atol=1e-6)
    assert np.nanmedian(np.abs(again.depth / pair.depth - 1)) < 0.01
    assert np.allclose(again.keypoints1, pair.x1)


def test_the_files_are_those_of_the_program(pair, tmp_path):
    pair.write(tmp_path / "out")
    names = {f.name for f in (tmp_path / "out").iterdir()}
    assert names == {
        "report.html",
        "geometry.json",
        "matches.txt",
        "cloud.ply",
        "depth.pfm",
        "disparity.png",
        "rectification.npz",
        "rectified_left.png",
        "rectified_right.png",
        *(("undistorted_left.png", "undistorted_right.png") if pair.distortion else ()),
    }
    written = bifocal.depth.read_pfm(tmp_path / "out/depth.pfm")  # infinite if unknown
    assert np.array_equal(written, np.where(np.isnan(pair.depth), np.inf, pair.depth))
    timings = json.loads((tmp_path / "out/geometry.json").read_text())["timings_ms"]
    assert {"reading", "features", "pose", "files", "page"} <= timings.keys() and pair.timings["reading"] > 0
    pair.write(tmp_path / "out", all_files=True)
    assert {"disparity.pfm", "disparity_raw.pfm", "depth_deviation.pfm", "matches.png"} <= {f.name for f in (tmp_path / "out").iterdir()}
    assert f"element vertex {len(pair.cloud[0])}\n".encode() in (tmp_path / "out/cloud.ply").read_bytes()[:300]
    with pytest.raises(OSError):
        pair.write("/proc/none")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/cloud.ply").write_text("mine")
    with pytest.raises(ValueError, match="cloud.ply: exists already"):
        pair.write(tmp_path / "mine")
    assert [f.name for f in (tmp_path / "mine").iterdir()] == ["cloud.ply"]
    pair.write(tmp_path / "mine", overwrite=True)


def next_of(page):
    """Returns the text of the last <pre> of a page, the next command."""
    return html.unescape(page.read_text().rpartition("<pre>")[2].partition("</pre>")[0])


def test_the_page_names_the_next_call_in_python(tmp_path):
    random = np.random.default_rng(1)
    left, right = random.integers(0, 255, (2, 120, 160), np.uint8)
    bifocal.estimate_pair(left, right).write(tmp_path / "arrays")
    assert next_of(tmp_path / "arrays/report.html") == 'bifocal.estimate_pair(left, right, (fx, fy, cx, cy)).write("FOLDER")'
    (tmp_path / "a b.pgm").write_bytes(b"P5 160 120 255\n" + left.tobytes())
    with pytest.raises(ValueError, match="exists already, and no earlier run"):
        bifocal.estimate_pair(left[::-1].copy(), right).write(tmp_path / "arrays")
    bifocal.estimate_pair(tmp_path / "a b.pgm", right).write(tmp_path / "files")
    assert f"estimate_pair({str(tmp_path / 'a b.pgm')!r}, right, (fx" in next_of(tmp_path / "files/report.html")


def test_the_pieces_give_the_depth_of_the_whole(files, pair):
    first, second, _ = pair.depth_cameras
    matches = bifocal.depth.dense_matches(pair.rectification, pair.disparity)
    depth = bifocal.depth.depth_map(matches, first, second, pair.R, pair.t)
    both = np.isfinite(depth.depth) & np.isfinite(pair.depth)
    assert both.mean() > 0.5 and np.allclose(depth.depth[both], pair.depth[both], rtol=1e-3)
    cloud = bifocal.depth.depth_to_cloud(depth.depth, bifocal.read_image(files[0]), first, step=4)
    assert cloud.xyz.shape == cloud.rgb.shape and np.isfinite(cloud.xyz).all()
    start, count = bifocal.depth.disparity_range(pair.rectification, pair.x1[pair.inliers], pair.x2[pair.inliers])
    known = pair.disparity[np.isfinite(pair.disparity)]
    assert start < np.median(known) < start + count
    median, high, counted = bifocal.depth.vertical_disparity(pair.rectification, pair.x1[pair.inliers], pair.x2[pair.inliers])
    assert median < 0.5 and high < 2 and counted == pair.num_inliers


def test_a_wrong_focal_length_is_doubted(files, pair):
    def estimated(factor):
        focal = 1380 * factor
        return bifocal.estimate_pair(*files, (focal, focal, 767.5, 511.5), matches=(pair.x1, pair.x2), options=bifocal.PairOptions(dense=False))

    good, wrong = estimated(1), estimated(0.8)
    assert good.doubts == [] and good.rotation_deviation_deg < 0.1
    assert len(wrong.doubts) == 1 and "contradict these intrinsics" in wrong.doubts[0]
    assert wrong.R is not None
    assert wrong.pose_covariance is None and wrong.rotation_deviation_deg is None and wrong.direction_deviation_deg is None


def test_arrays_and_options_are_checked(files):
    image = bifocal.read_image(files[0])
    few = np.zeros((3, 2))
    for options, more, error, message in [
        ({"kind": "plane"}, {}, ValueError, "PairOptions.kind: 'plane', must be one of 'auto'"),
        ({"kind": "essential"}, {}, ValueError, "needs the intrinsics"),
        ({"robust": bifocal.RobustOptions(threshold=-1)}, {}, ValueError, "PairOptions.robust.threshold = -1"),
        ({"robust": bifocal.SiftOptions()}, {}, TypeError, "PairOptions.robust: .*, must be a bifocal.RobustOptions"),
        ({}, {"matches": (few, np.zeros((4, 2)))}, ValueError, "x2: 4 points, but x1 has 3"),
        ({"guided": True}, {"matches": (few, few)}, ValueError, "guided"),
        ({"max_dense_pixels": "many"}, {}, TypeError, "PairOptions.max_dense_pixels: 'many'"),
        ({"min_disparity": 2**30}, {}, ValueError, "PairOptions.min_disparity = 1073741824: must be"),
        ({"max_disparity": 0.5}, {}, TypeError, "PairOptions.max_disparity: 0.5, must be a whole number"),
        ({"camera1": (1, 2)}, {}, ValueError, r"PairOptions.camera1: shape \(2,\)"),
        ({}, {"mask1": image[:9, :9, 0]}, ValueError, "mask"),
    ]:
        with pytest.raises(error, match=message):
            bifocal.estimate_pair(image, image, options=bifocal.PairOptions(**options), **more)
    with pytest.raises(FileNotFoundError):
        bifocal.estimate_pair("none.jpg", image)
    with pytest.raises(TypeError, match="float64"):
        bifocal.estimate_pair(image.astype(np.float64), image)


def test_images_and_files_of_16_bits_give_the_model_of_8(tmp_path):
    blocks = np.kron(np.random.default_rng(2).integers(0, 256, (75, 110)), np.ones((4, 4))).astype(np.uint8)
    images = blocks[:, 8:408].copy(), blocks[:, :400].copy()
    deep = [image.astype(np.uint16) * 257 for image in images]
    names = [tmp_path / "left.png", tmp_path / "right.png"]
    for name, image in zip(names, deep):
        bifocal.write_image(name, image)
    options = bifocal.PairOptions(kind="homography", dense=False)
    shallow, *others = (bifocal.estimate_pair(*pair, options=options) for pair in (images, deep, names))
    assert shallow.ok and shallow.num_inliers > 100
    for other in others:
        assert np.array_equal(other.x1, shallow.x1) and np.array_equal(other.model, shallow.model)
    others[1].write(tmp_path / "out")
    assert (tmp_path / "out/report.html").exists()


def test_masks_of_any_whole_type_leave_out_features(files):
    image1, image2 = (bifocal.read_image(f)[::2, ::2].copy() for f in files)
    half = np.zeros(image1.shape[:2], np.uint16)
    half[:, :384] = 256  # the low byte of these pixels is 0
    found = [bifocal.estimate_pair(image1, image2, mask1=mask, options=bifocal.PairOptions(dense=False, escalate=False)) for mask in (half, half > 0)]
    assert all((pair.keypoints1[:, 0] < 384).all() and len(pair.keypoints1) > 100 for pair in found)
    assert np.array_equal(found[0].keypoints1, found[1].keypoints1)


def test_a_pair_without_geometry_says_why():
    random = np.random.default_rng(1)
    left, right = random.integers(0, 255, (2, 120, 160), np.uint8)
    none = bifocal.estimate_pair(left, right)
    assert not none and none.reason and none.R is None and none.model is None and none.num_inliers == 0
    assert not none.has_depth and none.dense_reason
    with pytest.raises(ValueError, match="depth: the pair has no dense part"):
        _ = none.depth
    empty = bifocal.estimate_pair(left, right, matches=(np.zeros((0, 2)), np.zeros((0, 2))))
    assert not empty and empty.outcome == "too_few_points"


def test_progress_is_called_and_may_stop_the_work(files):
    stages = []
    image1, image2 = (bifocal.read_image(f)[::2, ::2].copy() for f in files)
    bifocal.estimate_pair(image1, image2, progress=lambda stage, fraction: stages.append((stage, fraction)))
    assert "features" in [s for s, _ in stages] and sorted(f for _, f in stages) == [f for _, f in stages]

    def stop(stage, fraction):
        raise KeyError("stop")

    with pytest.raises(KeyError):
        bifocal.estimate_pair(image1, image2, progress=stop)


def test_files_of_floats_clouds_and_correspondences(tmp_path):
    values = np.arange(12, dtype=np.float32).reshape(3, 4)
    bifocal.depth.write_pfm(tmp_path / "a.pfm", values)
    assert np.array_equal(bifocal.depth.read_pfm(tmp_path / "a.pfm"), values)
    bifocal.depth.write_ply(tmp_path / "a.ply", (np.zeros((5, 3)), np.zeros((5, 3), np.uint8)))
    assert b"element vertex 5" in (tmp_path / "a.ply").read_bytes()
    far = np.array([[691000.123456, 5334000.654321, 519.25]])  # metres of a map
    bifocal.depth.write_ply(tmp_path / "b.ply", (far, np.zeros((1, 3), np.uint8)))
    head, _, body = (tmp_path / "b.ply").read_bytes().partition(b"end_header\n")
    assert b"property double x" in head and np.frombuffer(body[:24]).tolist() == far[0].tolist()
    bifocal.depth.write_ply(tmp_path / "b.ply", (far.astype(np.float32), np.zeros((1, 3), np.uint8)))
    head, _, body = (tmp_path / "b.ply").read_bytes().partition(b"end_header\n")
    assert b"property float x" in head and len(body) == 15
    (tmp_path / "a.txt").write_text("1 2 3 4\n5 6 7 8\n")
    read = bifocal.read_correspondences(tmp_path / "a.txt")
    assert read.x1.tolist() == [[1, 2], [5, 6]] and read.x2.tolist() == [[3, 4], [7, 8]] and read.weights is None
    (tmp_path / "K.txt").write_text("500 0 320\n0 510 240\n0 0 1\n")
    calibration = bifocal.read_calibration(tmp_path / "K.txt")
    assert (calibration.camera1.fx, calibration.camera1.fy, calibration.camera2.cx) == (500, 510, 320)
    with pytest.raises(OSError, match="a.txt"):
        bifocal.read_calibration(tmp_path / "a.txt")
    assert bifocal.depth.turbo_picture(values, 0, 11).shape[2] == 3
    assert bifocal.warp(np.full((4, 4), 9, np.uint8), np.eye(3), 4, 4).tolist() == np.full((4, 4), 9).tolist()


def test_collect_report_and_resume(files, tmp_path):
    calls = []
    options = bifocal.CollectOptions(max_side=800)
    done = bifocal.collect(list(files), tmp_path / "a.db", options=options, device="cpu", progress=lambda *counts: calls.append(counts))
    assert done.images == 2 and done.verified == 1 and calls[0][0] == "features"
    again = bifocal.collect(list(files), tmp_path / "a.db", options=options)
    assert again.was_complete and again.verified == 1 and done.device == again.device == "cpu"
    page = bifocal.report(tmp_path / "a.db", tmp_path / "a.html", files[0].parent)
    assert page["verified"] == 1 and (tmp_path / "a.html").stat().st_size == page["bytes"]
    assert bifocal.list_photographs(files[0].parent)[0][0].endswith("0000.jpg")
    for refused, error, message in [
        ({"cameras": bifocal.CollectCameras(sharing="all")}, ValueError, "CollectCameras.sharing: 'all'"),
        ({"cameras": bifocal.CollectCameras(model="WIDE")}, ValueError, "CollectOptions.cameras.model = WIDE: must be SIMPLE_PINHOLE"),
        ({"cameras": bifocal.CollectCameras(model=3)}, TypeError, "CollectCameras.model: 3, must be str"),
        ({"pairs": "file"}, ValueError, "CollectOptions.pairs_file is empty"),
        ({"masks": 3}, TypeError, "CollectOptions.masks: int, must be str, bytes or os.PathLike"),
        ({"sequential": bifocal.pairs.SequentialOptions(overlap=0)}, ValueError, "CollectOptions.sequential.overlap = 0: must be"),
    ]:
        with pytest.raises(error, match=message):
            bifocal.collect(list(files), tmp_path / "b.db", options=bifocal.CollectOptions(**refused))
    assert not (tmp_path / "b.db").exists()
    with pytest.raises(OSError):
        bifocal.report(tmp_path / "none.db", tmp_path / "b.html")
    assert pickle.loads(pickle.dumps(done)) == done
