"""Depth maps of models."""

import shutil

import numpy as np
import pytest
from test_mapping import views

import bifocal
from bifocal import colmap

WIDTH, HEIGHT, F, DEPTH, STEP = 136, 104, 140.0, 10.0, 7  # STEP: px between the photographs
SMALL = bifocal.DenseOptions(views=3)


def scene(folder, images=4):
    """Writes `photographs` of a textured wall and the model `sparse` of cameras that move along it."""
    rng = np.random.default_rng(3)
    wall = rng.integers(20, 236, (HEIGHT, WIDTH + STEP * images)).astype(float)
    for axis in (0, 1):
        wall = (np.roll(wall, 1, axis) + 2 * wall + np.roll(wall, -1, axis)) / 4
    (folder / "photographs").mkdir()
    for k in range(images):
        bifocal.write_image(folder / f"photographs/{k}.png", wall[:, STEP * k : STEP * k + WIDTH].round().astype(np.uint8))
    cx, cy, n = (WIDTH - 1) / 2, (HEIGHT - 1) / 2, 60
    xy = np.c_[rng.uniform(STEP * images, WIDTH - 1, n), rng.uniform(0, HEIGHT - 1, n)]
    X = np.c_[(xy - (cx, cy)) * DEPTH / F, np.full(n, DEPTH)]
    camera = colmap.ModelCamera(1, "PINHOLE", WIDTH, HEIGHT, np.array([F, F, cx, cy]))
    made = []
    for k in range(images):
        pose = np.array([1.0, 0, 0, 0]), np.array([-STEP * k * DEPTH / F, 0, 0])
        made.append(colmap.ModelImage(k + 1, f"{k}.png", 1, *pose, xy - (STEP * k, 0), np.arange(1, n + 1)))
    tracks = np.array([[k + 1, p] for p in range(n) for k in range(images)], np.uint32)
    points = colmap.ModelPoints(np.arange(1, n + 1), X, np.full((n, 3), 9, np.uint8), np.full(n, 0.1), np.arange(n + 1) * images, tracks)
    colmap.write_model(folder / "sparse", colmap.Model([camera], made, points))
    return folder / "sparse", folder / "photographs"


def files_of(folder):
    """Returns the content of all files below a folder by their relative names."""
    return {f.relative_to(folder).as_posix(): f.read_bytes() for f in folder.rglob("*") if f.is_file()}


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A folder with a scene and its depth in `out`, the result, and the calls of `progress`."""
    folder, stages = tmp_path_factory.mktemp("dense"), []
    sparse, photographs = scene(folder)
    return folder, bifocal.dense(sparse, photographs, folder / "out", options=SMALL, progress=lambda *p: stages.append(p)), stages


def test_a_model_becomes_depth_maps_and_a_cloud(finished):
    folder, done, stages = finished
    assert stages == [(stage, k, 4) for stage in ("match", "refine", "agree") for k in range(1, 5)]
    assert [i.name for i in done.images] == [f"{k}.png" for k in range(4)] and done.resumed == 0 and done.out == str(folder / "out")
    for image in done.images:
        arrays = np.load(folder / f"out/depth/{image.name}.npz")
        depth, normal = arrays["depth"], arrays["normal"]
        assert depth.shape == (HEIGHT, WIDTH) and depth.dtype == np.float32 and arrays["deviation"].dtype == np.float16
        assert normal.shape == (HEIGHT, WIDTH, 3) and normal.dtype == np.int8 and arrays["views"].dtype == np.uint8
        known = np.isfinite(depth)
        assert image.reason == "" and image.known == pytest.approx(known.mean(), abs=1e-6) and image.known > 0.8
        assert np.array_equal(known, arrays["views"] > 0) and np.array_equal(known, np.isfinite(arrays["deviation"]))
        assert np.quantile(abs(depth[known] / DEPTH - 1), 0.95) < 0.005
        assert np.quantile(normal[known][:, 2], 0.95) < -120 and not normal[~known].any()  # towards the camera
    model = colmap.read_model(folder / "out/cameras")
    assert [i.name for i in model.images] == [i.name for i in done.images] and len(model.points.xyz) == 0
    head, _, body = (folder / "out/fused.ply").read_bytes().partition(b"end_header\n")
    assert f"element vertex {done.points}\n".encode() in head
    names = [line.split()[-1] for line in head.decode().splitlines() if line.startswith("property")]
    formats = [{"float": "<f4", "uchar": "u1"}[line.split()[1]] for line in head.decode().splitlines() if line.startswith("property")]
    cloud = np.frombuffer(body, np.dtype({"names": names, "formats": formats}))
    assert len(cloud) == done.points > 0.8 * WIDTH * HEIGHT
    assert np.quantile(abs(cloud["z"] / DEPTH - 1), 0.95) < 0.005 and cloud["views"].min() >= 3


def test_a_file_is_replaced_on_request_only(finished, tmp_path):
    folder, done, _ = finished
    call = folder / "sparse", folder / "photographs", tmp_path
    (tmp_path / "fused.ply").write_text("another cloud")
    with pytest.raises(ValueError, match="fused.ply: exists already"):
        bifocal.dense(*call, options=SMALL, maps=False)
    assert files_of(tmp_path) == {"fused.ply": b"another cloud"}
    assert bifocal.dense(*call, options=SMALL, maps=False, overwrite=True).images == done.images
    assert files_of(tmp_path) == {"fused.ply": (folder / "out/fused.ply").read_bytes()}


def test_an_interrupted_call_is_resumed(finished, tmp_path):
    folder, whole, _ = finished
    call = folder / "sparse", folder / "photographs", tmp_path
    for stop in (("match", 2, 4), ("agree", 3, 4)):

        def interrupt(*now):
            if now == stop:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            bifocal.dense(*call, options=SMALL, progress=interrupt)
        assert sorted(f.name for f in tmp_path.iterdir()) == [".dense"]
    done = bifocal.dense(*call, options=SMALL)
    assert done.resumed == 4 and done.images == whole.images and files_of(tmp_path) == files_of(folder / "out")


def test_missing_photographs_have_a_reason(tmp_path):
    sparse, photographs = scene(tmp_path)
    (photographs / "2.png").unlink()
    done = bifocal.dense(sparse, photographs, tmp_path / "out", options=SMALL)
    assert [i.reason for i in done.images] == ["", "", "its photograph is missing", ""]
    assert done.images[2].known == 0 and np.isnan(np.load(tmp_path / "out/depth/2.png.npz")["depth"]).all()


def test_wrong_arguments_are_named(tmp_path):
    sparse, photographs = scene(tmp_path)
    with pytest.raises(ValueError, match="views"):
        bifocal.dense(sparse, photographs, tmp_path / "out", options=bifocal.DenseOptions(views=17))
    for wrong in ((tmp_path / "none", photographs), (sparse, tmp_path / "none")):
        with pytest.raises(FileNotFoundError) as refused:
            bifocal.dense(*wrong, tmp_path / "out")
        assert refused.value.filename == str(tmp_path / "none")
    bifocal.write_image(photographs / "1.png", np.zeros((20, 30), np.uint8))
    with pytest.raises(OSError, match="1.png"):
        bifocal.dense(sparse, photographs, tmp_path / "out")
    shutil.rmtree(photographs)
    photographs.mkdir()
    with pytest.raises(OSError, match="0.png: is missing, as are all"):
        bifocal.dense(sparse, photographs, tmp_path / "other")
    assert not (tmp_path / "out/fused.ply").exists() and not (tmp_path / "other").exists()


def test_collect_computes_depth_of_the_first_model(tmp_path):
    folder, stages = views(tmp_path / "in"), []
    options = bifocal.CollectOptions(sift=bifocal.SiftOptions(contrast_threshold=0.01))
    done = bifocal.collect(folder, tmp_path / "a.db", options=options, model=tmp_path / "sparse", dense=tmp_path / "out", progress=lambda *p: stages.append(p))
    assert stages[-1] == ("depth: agree", 3, 3, "images") and done.undistorted is None
    assert [i.name for i in done.dense.images] == [i.name for i in colmap.read_model(tmp_path / "sparse/0").images]
    assert done.dense.out == str(tmp_path / "out") and done.dense.points > 400 * 300 / 4
    assert len(colmap.read_model(tmp_path / "out/cameras").images) == 3
    with pytest.raises(ValueError, match="fused.ply: exists already"):
        bifocal.collect(folder, tmp_path / "b.db", model=tmp_path / "other", dense=tmp_path / "out")
    with pytest.raises(ValueError, match="dense: needs the argument model"):
        bifocal.collect(folder, tmp_path / "b.db", dense=tmp_path / "new")
    assert not (tmp_path / "b.db").exists()


def test_a_workspace_of_colmap_has_the_same_depths(finished, tmp_path):
    folder, _, _ = finished
    bifocal.dense(folder / "sparse", folder / "photographs", tmp_path / "workspace", options=SMALL, format="colmap")
    depth = np.load(folder / "out/depth/0.png.npz")["depth"]
    data = (tmp_path / "workspace/stereo/depth_maps/0.png.geometric.bin").read_bytes()
    header = f"{WIDTH}&{HEIGHT}&1&".encode()
    assert data.startswith(header)
    assert np.array_equal(np.frombuffer(data[len(header) :], np.float32), np.nan_to_num(depth).ravel())
    with pytest.raises(ValueError, match="format='ply': must be 'npz' or 'colmap'"):
        bifocal.dense(folder / "sparse", folder / "photographs", tmp_path / "other", options=SMALL, format="ply")


def test_a_second_run_in_one_folder_is_refused(finished, tmp_path):
    folder, _, _ = finished
    inputs = folder / "sparse", folder / "photographs", tmp_path / "out"

    def try_again(stage, done, total):
        if (stage, done) == ("match", 1):
            with pytest.raises(ValueError, match="out: another run writes to this folder"):
                bifocal.dense(*inputs, options=SMALL)

    assert bifocal.dense(*inputs, options=SMALL, progress=try_again).points > 0
    assert sorted(f.name for f in (tmp_path / "out").iterdir()) == ["cameras", "depth", "fused.ply"]
