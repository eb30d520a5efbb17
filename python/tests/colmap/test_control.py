"""Control points place a model of `map_database` and `colmap.bundle_adjustment`."""

import numpy as np
import pytest
from test_adjust import make_scene

import bifocal
from bifocal import colmap

# East, north and up of the scene's axes, of which y is downwards; metres of its unit.
TURN, SCALE = np.array([[1.0, 0, 0], [0, 0, 1], [0, -1, 0]]), 10
CONTROL, CHECK = (0, 11, 23, 37), (50, 60)


@pytest.fixture
def made(tmp_path):
    """A database of eight images, and control points that are points of the scene with their observations as marks."""
    _, R, t, X, px, image, point = make_scene(images=8, points=80)
    database, control = tmp_path / "scene.db", tmp_path / "control.csv"
    with colmap.Database(database, "x") as db:
        camera = db.write_camera("SIMPLE_RADIAL", 1000, 800, (800, 499.5, 399.5, -0.1), has_prior_focal_length=True)
        for k in range(8):
            db.write_image(f"{k}.jpg", camera)
            db.write_keypoints(k + 1, px[image == k].astype("float32"))
        for a in range(1, 9):
            for b in range(a + 1, 9):
                db.write_matches(a, b, [[i, i] for i in range(len(X))])
    colmap.verify(database)
    places = SCALE * X @ TURN.T
    lines = ["point,zone,easting,northing,altitude,deviation"]
    lines += [f"p{k},32N,{500000 + places[k][0]:.6f},{5200000 + places[k][1]:.6f},{400 + places[k][2]:.6f},0.01" for k in CONTROL + CHECK]
    lines += ["point,image,x,y"]
    lines += [f"p{k},{i}.jpg,{px[n][0]:.3f},{px[n][1]:.3f}" for k in CONTROL + CHECK for n, i in enumerate(image) if point[n] == k and 0 <= px[n][0] < 1000 and 0 <= px[n][1] < 800]
    control.write_text("\n".join(lines) + "\n")
    return database, control, [f"p{k}" for k in CHECK]


def test_map_database_and_bundle_adjustment_use_them(made, tmp_path):
    database, control, check = made
    done = bifocal.map_database(database, tmp_path / "sparse", control=control, check=check)
    found = done.models[0].control
    assert found.reason == "" and found.doubts == [] and found.origin is not None
    assert [p.use for p in found.points] == ["control"] * len(CONTROL) + ["check"] * len(CHECK)
    assert found.control.points == len(CONTROL) and found.control.total < 0.1 and found.check.points == len(CHECK) and found.check.total < 0.2
    assert all(m.agrees and m.is_in_model and m.error_px < 5 for m in found.marks)
    place = done.models[0].georeference
    assert place == colmap.read_model(tmp_path / "sparse").georeference
    assert place.control_points == len(CONTROL) and place.check_points == len(CHECK) and place.positions == 0 and place.origin == found.origin
    # A model without a place gets the same one.
    plain = bifocal.map_database(database, tmp_path / "plain")
    assert plain.models[0].control is None and plain.models[0].georeference is None
    adjusted = colmap.bundle_adjustment(tmp_path / "plain/0", tmp_path / "adjusted", control=control, check=check)
    assert adjusted.control.check.total < 0.2 and adjusted.images == 8
    assert np.abs(colmap.read_model(tmp_path / "adjusted").points.xyz - colmap.read_model(tmp_path / "sparse").points.xyz).max() < 1
    bifocal.report(database, tmp_path / "page.html", model=tmp_path / "sparse", control=control, check=check)
    assert "Control points of" in (tmp_path / "page.html").read_text()


def test_control_points_that_cannot_be_used_are_refused(made, tmp_path):
    database, control, check = made
    with pytest.raises(ValueError, match="check: needs the argument control"):
        bifocal.map_database(database, tmp_path / "sparse", check=check)
    with pytest.raises(TypeError, match="check: 'p50', must be a sequence"):
        bifocal.map_database(database, tmp_path / "sparse", control=control, check="p50")
    with pytest.raises(ValueError, match="nobody"):
        bifocal.map_database(database, tmp_path / "sparse", control=control, check=["nobody"])
    with pytest.raises(ValueError, match="2 control points have marks"):
        bifocal.map_database(database, tmp_path / "sparse", control=control, check=["p0", "p11", *check])
    with pytest.raises(OSError, match="none.txt"):
        bifocal.map_database(database, tmp_path / "sparse", control=tmp_path / "none.txt")
    assert not (tmp_path / "sparse").exists()
