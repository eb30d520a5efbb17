"""Positions of images in a database give models metres and a vertical."""

import dataclasses

import numpy as np
import pytest
from test_adjust import make_scene

import bifocal
from bifocal import colmap

# East, north and up of the scene's axes, of which y is downwards; metres of its unit.
TURN, SCALE = np.array([[1.0, 0, 0], [0, 0, 1], [0, -1, 0]]), 10


@pytest.fixture
def made(tmp_path):
    """A database of eight images with positions, and their centres in metres."""
    _, R, t, X, px, image, _ = make_scene(images=8, points=80)
    centres = SCALE * (-np.einsum("kji,kj->ki", R, t)) @ TURN.T
    file = tmp_path / "scene.db"
    with colmap.Database(file, "x") as db:
        camera = db.write_camera("SIMPLE_RADIAL", 1000, 800, (800, 499.5, 399.5, -0.1), has_prior_focal_length=True)
        for k in range(8):
            db.write_image(f"{k}.jpg", camera)
            db.write_keypoints(k + 1, px[image == k].astype("float32"))
            db.write_pose_prior(colmap.PosePrior(k + 1, "cartesian", centres[k], 0.01**2 * np.eye(3)))
        for a in range(1, 9):
            for b in range(a + 1, 9):
                db.write_matches(a, b, [[i, i] for i in range(len(X))])
    colmap.verify(file)
    return file, centres


def centres_of(model):
    def matrix(q):
        w, x, y, z = np.array(q) / np.linalg.norm(q)
        return np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)], [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)], [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])

    return np.array([-matrix(i.rotation).T @ np.array(i.translation) for i in model.images])


def test_a_model_gets_the_frame_of_its_positions(made, tmp_path):
    file, centres = made
    done = bifocal.map_database(file, tmp_path / "sparse")
    place = done.models[0].georeference
    assert place is not None and place.origin is None and place.positions == 8 and place.outliers == [] and place.is_adjusted
    assert max(place.residuals) < 0.05 and 0 < place.scale_deviation < 0.01
    model = colmap.read_model(tmp_path / "sparse")
    assert model.georeference == place
    assert np.abs(centres_of(model) - centres).max() < 0.1
    # Programs that change a model keep its frame.
    colmap.write_model(tmp_path / "copy", model, "text")
    assert colmap.read_model(tmp_path / "copy").georeference == place
    colmap.bundle_adjustment(tmp_path / "copy", tmp_path / "adjusted")
    assert colmap.read_model(tmp_path / "adjusted").georeference == place
    with pytest.raises(TypeError, match="georeference"):
        colmap.write_model(tmp_path / "bad", dataclasses.replace(model, georeference=3))


def test_positions_are_ignored_on_demand_and_doubted_if_they_contradict(made, tmp_path):
    file, centres = made
    ignored = bifocal.map_database(file, tmp_path / "ignored", options=bifocal.MapOptions(positions="ignore"))
    assert ignored.models[0].georeference is None and colmap.read_model(tmp_path / "ignored").georeference is None
    with colmap.Database(file, "r+") as db:
        for k in range(8):
            db.write_pose_prior(colmap.PosePrior(k + 1, "cartesian", centres[k] + [0, 0, k * k / 5], 0.01**2 * np.eye(3)))
    doubted = bifocal.map_database(file, tmp_path / "doubted")
    assert [d.kind for d in doubted.models[0].doubts] == ["positions"] and "did not act" in doubted.models[0].doubts[0].text
    assert not doubted.models[0].georeference.is_adjusted
    used = bifocal.map_database(file, tmp_path / "used", options=bifocal.MapOptions(positions="use"))
    assert used.models[0].georeference.is_adjusted and "positions" in [d.kind for d in used.models[0].doubts]
    with pytest.raises(ValueError, match="positions"):
        bifocal.map_database(file, tmp_path / "other", options=bifocal.MapOptions(positions="maybe"))
