"""Cameras and observations of models and databases count from the same pixel: the centre of the first one."""

import sqlite3

import numpy as np
import pytest
from test_adjust import disturbed, make_model, make_scene

import bifocal
from bifocal import colmap


def projected(camera, rotation, translation, X):
    """Pixels of points, with the camera as it was read."""
    w, x, y, z = np.array(rotation) / np.linalg.norm(rotation)
    R = np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )
    Y = X @ R.T + translation
    fx, fy, cx, cy = bifocal.pinhole_of(camera)
    return bifocal.distort_points(Y[:, :2] / Y[:, 2:] * (fx, fy) + (cx, cy), camera)


def errors_of(model):
    """Mean distance between the projection of each point and its observations."""
    cameras = {camera.id: camera for camera in model.cameras}
    place = {number: k for k, number in enumerate(model.points.ids)}
    sums, counts = np.zeros(len(place)), np.zeros(len(place))
    for image in model.images:
        seen = image.point_ids >= 0
        points = [place[number] for number in image.point_ids[seen]]
        px = projected(cameras[image.camera_id], image.rotation, image.translation, model.points.xyz[points])
        np.add.at(sums, points, np.linalg.norm(px - image.xy[seen], axis=1))
        np.add.at(counts, points, 1)
    return sums / counts


def test_projections_differ_from_observations_by_the_stored_errors(tmp_path):
    colmap.write_model(tmp_path / "start", make_model(disturbed(*make_scene())))
    colmap.bundle_adjustment(tmp_path / "start", tmp_path / "adjusted")
    model = colmap.read_model(tmp_path / "adjusted")
    assert 0.2 < model.points.errors.mean() < 0.8
    assert np.allclose(errors_of(model), model.points.errors, atol=1e-9)


def test_pycolmap_finds_the_same_errors(tmp_path):
    from test_model_peer import LENSES, pycolmap, synthesize

    for model in LENSES:
        made = synthesize(model, noise=True)
        made.update_point_3d_errors()
        made.write_binary(str(tmp_path))
        read = colmap.read_model(tmp_path)
        theirs = [made.points3D[number].error for number in read.points.ids]
        assert np.mean(theirs) > 1 and np.allclose(errors_of(read), theirs, atol=1e-9), model
        for camera in read.cameras:
            other = made.cameras[camera.id]
            lens = bifocal.LensCamera.from_colmap(other)
            assert lens == bifocal.LensCamera.from_colmap(camera) == bifocal.LensCamera(camera.model, camera.params, camera.width, camera.height)
            assert isinstance(other, pycolmap.Camera) and np.allclose(lens.params, camera.params, rtol=0, atol=0)


def test_cameras_of_a_database_have_the_pixels_of_its_keypoints(tmp_path):
    with colmap.Database(tmp_path / "a.db", "x") as database:
        database.write_camera("SIMPLE_RADIAL", 100, 80, [90, 49.5, 39.5, -0.1])
        database.write_image("a.jpg", 1)
        database.write_keypoints(1, [[49.5, 39.5]])
        (camera,) = database.cameras()
        assert camera.params.tolist() == [90, 49.5, 39.5, -0.1]
        assert bifocal.undistort_points(database.keypoints(1), camera).tolist() == [[49.5, 39.5]]
    rows = sqlite3.connect(tmp_path / "a.db")
    assert np.frombuffer(rows.execute("SELECT params FROM cameras").fetchone()[0]).tolist() == [90, 50, 40, -0.1]
    assert np.frombuffer(rows.execute("SELECT data FROM keypoints").fetchone()[0], np.float32).tolist() == [50, 40]


def test_cameras_of_write_pairs_have_the_pixels_of_its_keypoints(tmp_path):
    lens = bifocal.LensCamera("SIMPLE_RADIAL", (90, 49.5, 39.5, -0.1), 100, 80)
    points = {"a": np.full((20, 2), 5.0), "b": np.full((20, 2), 6.0), "c": np.full((20, 2), 7.0)}
    sizes = dict.fromkeys(points, (100, 80))
    given = {"a": lens, "b": (lens.model, lens.params)}
    colmap.write_pairs(tmp_path / "a.db", points, {("a", "b"): [[0, 0]]}, sizes, cameras=given)
    with colmap.Database(tmp_path / "a.db") as database:
        a, b, c = database.cameras()
    assert a.params.tolist() == b.params.tolist() == list(lens.params) and a.has_prior_focal_length
    assert c.params.tolist() == [120, 49.5, 39.5, 0] and not c.has_prior_focal_length
    with pytest.raises(ValueError, match="cameras of 'a': of 100 x 80 px, the image has 50 x 40 px"):
        colmap.write_pairs(tmp_path / "b.db", {"a": [[1, 1]]}, {}, {"a": (50, 40)}, cameras={"a": lens})
