"""Models of databases."""

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
        camera_id = db.write_camera("SIMPLE_RADIAL", 1000, 800, (800, 500, 400, -0.1), has_prior_focal_length=True)
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


def test_unreadable_photographs_are_listed(database, tmp_path):
    done = colmap.map_database(database, tmp_path / "sparse", tmp_path / "missing")
    assert [name for name, _ in done.passed_over] == ["0.jpg", "1.jpg", "2.jpg", "3.jpg", "4.jpg"]


def test_too_few_images_write_nothing(database, tmp_path):
    done = colmap.map_database(database, tmp_path / "sparse", options=bifocal.MapOptions(min_images=6))
    assert done.models == [] and not (tmp_path / "sparse").exists()
    assert ("0.jpg", "small_component") in done.left_out


def test_bad_arguments_are_named(database, tmp_path):
    with pytest.raises(ValueError, match="max_error"):
        colmap.map_database(database, tmp_path / "sparse", options=bifocal.MapOptions(max_error=-1))
    with pytest.raises(OSError, match="none.db"):
        colmap.map_database(tmp_path / "none.db", tmp_path / "sparse")

    def stop(*_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        colmap.map_database(database, tmp_path / "sparse", progress=stop)
    assert not (tmp_path / "sparse").exists()
