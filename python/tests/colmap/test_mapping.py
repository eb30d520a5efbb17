"""Models of databases, and undistorted images."""

import numpy as np
import pytest
from test_adjust import make_scene

import bifocal
from bifocal import colmap


@pytest.fixture
def database(tmp_path):
    """Five images of one camera that see the same points, and one image without a pair."""
    _, _, _, X, px, image, _ = make_scene(points=80)
    file = tmp_path / "scene.db"
    with colmap.Database(file, "x") as db:
        camera_id = db.write_camera("SIMPLE_RADIAL", 1000, 800, (800, 499.5, 399.5, -0.1), has_prior_focal_length=True)
        for k in range(6):
            image_id = db.write_image(f"{k}.jpg", camera_id)
            db.write_keypoints(image_id, px[image == k].astype("float32"))
        rows = [[i, i] for i in range(len(X))]
        for a in range(1, 6):
            for b in range(a + 1, 6):
                db.write_matches(a, b, rows)
    colmap.verify(file)
    return file


def test_a_database_becomes_a_model(database, tmp_path):
    stages = []
    done = colmap.map_database(database, tmp_path / "sparse", progress=lambda *p: stages.append(p))
    assert [m.images for m in done.models] == [5] and done.models[0].mean_error < 1
    assert done.left_out == [("5.jpg", "no_pair")] and done.damaged_rows == [] and done.pairs == 10
    assert [s[0] for s in stages][:2] == ["read", "calibrate"] and set(done.seconds) >= {"read", "adjust"}
    model = colmap.read_model(tmp_path / "sparse/0")
    assert len(model.images) == 5 and len(model.points.xyz) == done.models[0].points
    with pytest.raises(ValueError, match="overwrite"):
        colmap.map_database(database, tmp_path / "sparse")
    again = colmap.map_database(database, tmp_path / "sparse", overwrite=True)
    assert again.models == done.models


def test_points_and_text_files(database, tmp_path):
    done = colmap.map_database(database, tmp_path / "sparse", ply=tmp_path / "points.ply", format="text")
    assert (tmp_path / "sparse/0/points3D.txt").exists()
    assert f"element vertex {done.models[0].points}\n".encode() in (tmp_path / "points.ply").read_bytes()
    assert len(colmap.read_model(tmp_path / "sparse").images) == 5  # the only model inside
    with pytest.raises(ValueError, match="points.ply: exists already"):
        colmap.map_database(database, tmp_path / "other", ply=tmp_path / "points.ply")
    with pytest.raises(ValueError, match="format: 'ply', must be one of 'binary', 'text'"):
        colmap.map_database(database, tmp_path / "other", format="ply")
    (tmp_path / "sparse/0").rename(tmp_path / "sparse/1")
    colmap.map_database(database, tmp_path / "more")
    (tmp_path / "more/0").rename(tmp_path / "sparse/0")
    with pytest.raises(OSError, match="sparse: has the models 0 and 1; name one, such as .*sparse/0"):
        colmap.read_model(tmp_path / "sparse")
    with pytest.raises(OSError, match="sparse: is a folder of models, not a database"):
        colmap.map_database(tmp_path / "sparse", tmp_path / "other")


def test_unreadable_photographs_are_listed(database, photographs, tmp_path):
    (photographs / "1.jpg").unlink()
    (photographs / "3.jpg").write_text("no photograph")
    done = colmap.map_database(database, tmp_path / "sparse", photographs)
    assert [name for name, _ in done.without_colours] == ["1.jpg", "3.jpg"]


def test_too_few_images_write_nothing(database, tmp_path):
    done = colmap.map_database(database, tmp_path / "sparse", options=bifocal.MapOptions(min_images=6))
    assert done.models == [] and not (tmp_path / "sparse").exists()
    assert ("0.jpg", "small_component") in done.left_out


def test_bad_arguments_are_named(database, tmp_path):
    with pytest.raises(ValueError, match="threshold"):
        colmap.map_database(database, tmp_path / "sparse", options=bifocal.MapOptions(threshold=-1))
    with pytest.raises(OSError, match="none.db"):
        colmap.map_database(tmp_path / "none.db", tmp_path / "sparse")

    def stop(*_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        colmap.map_database(database, tmp_path / "sparse", progress=stop)
    assert not (tmp_path / "sparse").exists()


@pytest.fixture
def photographs(tmp_path):
    """Photographs of the size of the five images of `database` that have a model."""
    folder = tmp_path / "photographs"
    folder.mkdir()
    for k in range(5):
        picture = np.full((800, 1000), 90, np.uint8)
        picture[::2] = 40 + 20 * k
        bifocal.write_image(folder / f"{k}.jpg", picture)
    return folder


def test_a_model_is_undistorted(database, photographs, tmp_path):
    bifocal.map_database(database, tmp_path / "sparse", photographs)
    seen = []
    done = colmap.undistort_model(tmp_path / "sparse/0", photographs, tmp_path / "scene", progress=lambda *p: seen.append(p))
    assert done.images == 5 and done.left_out == [] and seen[-1] == (5, 5)
    before, after = colmap.read_model(tmp_path / "sparse/0"), colmap.read_model(tmp_path / "scene/sparse/0")
    assert after.cameras[0].model == "PINHOLE" and done.points == len(after.points.xyz)
    for a, b in zip(before.images, after.images):
        lens = before.cameras[0]
        fx, fy, cx, cy = bifocal.pinhole_of(lens)
        rays = (bifocal.undistort_points(a.xy, lens) - (cx, cy)) / (fx, fy)
        fx, fy, cx, cy = after.cameras[0].params
        assert np.abs(rays * (fx, fy) + (cx, cy) - b.xy).max() < 1e-6
        assert bifocal.read_image(tmp_path / "scene/images" / b.name).shape[:2] == (after.cameras[0].height, after.cameras[0].width)
    with pytest.raises(ValueError, match="there is a model already"):
        colmap.undistort_model(tmp_path / "sparse/0", photographs, tmp_path / "scene")
    with pytest.raises(ValueError, match="jpeg_quality"):
        colmap.undistort_model(tmp_path / "sparse/0", photographs, tmp_path / "other", jpeg_quality=0)
    with pytest.raises(OSError, match="nothing"):
        colmap.undistort_model(tmp_path / "nothing", photographs, tmp_path / "other")
    assert not (tmp_path / "other").exists()


def test_originals_are_kept(database, photographs, tmp_path):
    colmap.map_database(database, tmp_path / "sparse")
    original = tmp_path / "project/images/2.jpg"
    original.parent.mkdir(parents=True)
    original.write_text("an original")
    with pytest.raises(ValueError, match="2.jpg: exists already"):
        colmap.undistort_model(tmp_path / "sparse/0", photographs, tmp_path / "project")
    assert original.read_text() == "an original" and not (tmp_path / "project/sparse").exists()
    with pytest.raises(ValueError, match="2.jpg: exists already"):
        bifocal.collect(photographs, tmp_path / "new.db", model=tmp_path / "new", undistort=tmp_path / "project")
    assert not (tmp_path / "new.db").exists()
    assert colmap.undistort_model(tmp_path / "sparse/0", photographs, tmp_path / "project", overwrite=True).images == 5
    assert original.read_bytes()[:2] == b"\xff\xd8"


def test_photographs_are_looked_at_before_the_work(database, tmp_path):
    (tmp_path / "wrong").mkdir()
    with pytest.raises(OSError, match="none of the 6 photographs can be used"):
        colmap.map_database(database, tmp_path / "sparse", tmp_path / "wrong")
    assert not (tmp_path / "sparse").exists()


def test_undistortion_can_be_stopped(database, photographs, tmp_path):
    colmap.map_database(database, tmp_path / "sparse")

    def stop(*_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        colmap.undistort_model(tmp_path / "sparse/0", photographs, tmp_path / "scene", progress=stop)
    assert not (tmp_path / "scene/sparse").exists() and list((tmp_path / "scene").glob("*")) == []


def views(folder):
    """Writes three views of four planes, each moved by its own disparity."""
    rng = np.random.default_rng(5)

    def texture():
        coarse = rng.integers(0, 256, (75, 100)).astype(float)
        return np.kron(coarse, np.ones((4, 4)))[:300, :400]

    near, far = texture(), texture()
    folder.mkdir()
    for k in range(3):
        view = far.copy()
        for x in range(400):
            to = x - k * (10, 34, 16, 28)[x // 100]
            if to >= 0:
                view[:, to] = near[:, x]
        bifocal.write_image(folder / f"{k}.png", view.astype(np.uint8))
    return folder


def test_collect_makes_a_model(tmp_path):
    folder = views(tmp_path / "in")
    options = bifocal.CollectOptions(sift=bifocal.SiftOptions(contrast_threshold=0.01))
    stages = []
    done = bifocal.collect(
        folder, tmp_path / "a.db", options=options, model=tmp_path / "sparse", undistort=tmp_path / "scene", progress=lambda *p: stages.append(p)
    )
    assert stages[0][0] == "features" and stages[-1] == ("undistortion", 3, 3, "images") and "mapping: adjust" in [s[0] for s in stages]
    assert done.model.models[0].images == 3 and done.undistorted.images == 3
    assert (tmp_path / "scene/images/0.png").exists() and len(colmap.read_model(tmp_path / "scene/sparse/0").images) == 3
    with pytest.raises(ValueError, match="there is a model already"):
        bifocal.collect(folder, tmp_path / "a.db", options=options, model=tmp_path / "sparse")
    bifocal.report(tmp_path / "a.db", tmp_path / "page.html", folder, model=tmp_path / "sparse")
    assert "<h2>Sparse model</h2>" in (tmp_path / "page.html").read_text()
    with pytest.raises(OSError, match="has no fused.ply"):
        bifocal.report(tmp_path / "a.db", tmp_path / "page.html", dense=folder)
    bifocal.dense(tmp_path / "sparse/0", folder, tmp_path / "depth", options=bifocal.DenseOptions(views=2, max_size=100))
    bifocal.report(tmp_path / "a.db", tmp_path / "page.html", dense=tmp_path / "depth")
    assert "Depth of images: 3" in (tmp_path / "page.html").read_text()
    again = bifocal.collect([folder], tmp_path / "a.db", options=options, model=tmp_path / "text", format="text", ply=tmp_path / "points.ply")
    assert (tmp_path / "text/0/points3D.txt").exists() and again.model.models[0].images == 3
    assert f"element vertex {again.model.models[0].points}".encode() in (tmp_path / "points.ply").read_bytes()
    with pytest.raises(ValueError, match="points.ply: exists already"):
        bifocal.collect(folder, tmp_path / "a.db", options=options, model=tmp_path / "other", ply=tmp_path / "points.ply")
    with pytest.raises(ValueError, match="format: 'txt'"):
        bifocal.collect(folder, tmp_path / "b.db", model=tmp_path / "other", format="txt")
    again = bifocal.collect([folder], tmp_path / "a.db", options=options, model=tmp_path / "sparse", overwrite_model=True)
    assert again.was_complete and again.model.models == done.model.models and again.undistorted is None
    with pytest.raises(ValueError, match="needs the argument model"):
        bifocal.collect(folder, tmp_path / "b.db", undistort=tmp_path / "x")
    assert not (tmp_path / "b.db").exists()


def test_strict_leaves_a_doubted_model_out(database, tmp_path):
    done = colmap.map_database(database, tmp_path / "sparse")
    assert [m.folder for m in done.models] == [str(tmp_path / "sparse/0")]
    doubted = bool(done.models[0].doubts)
    strict = colmap.map_database(database, tmp_path / "strict", strict=True)
    assert [m.doubts for m in strict.models] == [m.doubts for m in done.models]
    assert (strict.models[0].folder is None) == doubted and (tmp_path / "strict/0").exists() != doubted


def test_strict_collects_and_writes_no_doubted_model(tmp_path):
    """Sideways motion without rotation does not determine the focal length."""
    folder = views(tmp_path / "in")
    options = bifocal.CollectOptions(sift=bifocal.SiftOptions(contrast_threshold=0.01))
    places = {"model": tmp_path / "sparse", "undistort": tmp_path / "scene"}
    strict = bifocal.collect(folder, tmp_path / "a.db", options=options, **places, strict=True)
    assert strict.verified == 3 and strict.undistorted is None
    assert [m.folder for m in strict.model.models] == [None] and strict.model.models[0].doubts
    assert not (tmp_path / "sparse").exists() and not (tmp_path / "scene").exists()
    done = bifocal.collect(folder, tmp_path / "a.db", options=options, **places)
    assert done.model.models[0].doubts == strict.model.models[0].doubts and done.undistorted.images == 3
