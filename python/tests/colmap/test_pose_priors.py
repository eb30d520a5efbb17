"""Priors of poses: rows come back, and pycolmap reads and writes the same values."""

import numpy as np
import pytest

from bifocal import colmap

COVARIANCE = np.array([[4, 0.5, 0], [0.5, 9, 0.25], [0, 0.25, 16]])
PRIORS = [
    colmap.PosePrior(1, "wgs84", np.array([47.5, 8.25, 400.5]), COVARIANCE, np.array([0.0, 0.6, 0.8])),
    colmap.PosePrior(2, "cartesian", np.array([1.0, 2, 3])),
    colmap.PosePrior(3, "undefined", gravity=np.array([0.0, 0, 1])),
]


def make(file, priors=()):
    with colmap.Database(file, "x") as database:
        camera = database.write_camera("PINHOLE", 640, 480, [500, 500, 319.5, 239.5])
        for k in range(1, 4):
            database.write_image(f"{k}.jpg", camera)
        for prior in priors:
            database.write_pose_prior(prior)


def assert_same(found, wanted):
    assert (found.image_id, found.coordinates) == (wanted.image_id, wanted.coordinates)
    for name in ("position", "covariance", "gravity"):
        a, b = getattr(found, name), getattr(wanted, name)
        assert (a is None) == (b is None), name
        assert a is None or np.allclose(a, b, rtol=0, atol=1e-15), name


def test_come_back(tmp_path):
    make(tmp_path / "a.db", PRIORS)
    with colmap.Database(tmp_path / "a.db") as database:
        priors = database.pose_priors()
    assert len(priors) == 3
    for found, wanted in zip(priors, PRIORS, strict=True):
        assert_same(found, wanted)


def test_impossible_priors_are_refused(tmp_path):
    make(tmp_path / "a.db")
    with colmap.Database(tmp_path / "a.db", "r+") as database:
        for prior, message in (
            (colmap.PosePrior(9, "wgs84", np.zeros(3)), "no such image"),
            (colmap.PosePrior(1, "geo", np.zeros(3)), "coordinates: 'geo', must be"),
            (colmap.PosePrior(1, "wgs84", np.array([np.nan, 0, 0])), "finite"),
            (colmap.PosePrior(1, "wgs84", np.zeros(2)), "position"),
            (colmap.PosePrior(1, "wgs84", np.zeros(3), -np.eye(3)), "positive definite"),
            (colmap.PosePrior(1, "undefined", gravity=np.array([0.0, 0, 3])), "length 3"),
        ):
            with pytest.raises(ValueError, match=message):
                database.write_pose_prior(prior)
        assert database.pose_priors() == []


def peer():
    pycolmap = pytest.importorskip("pycolmap")
    if not hasattr(pycolmap.PosePrior, "gravity"):
        pytest.skip(f"pycolmap {pycolmap.__version__} has no gravity")
    pycolmap.logging.minloglevel = pycolmap.logging.FATAL.value
    return pycolmap


def test_pycolmap_reads_them(tmp_path):
    pycolmap = peer()
    make(tmp_path / "a.db", PRIORS)
    database = pycolmap.Database.open(str(tmp_path / "a.db"))
    priors = {p.corr_data_id.id: p for p in database.read_all_pose_priors()}
    images = {i.image_id: i for i in database.read_all_images()}
    database.close()
    assert priors[1].corr_data_id == images[1].data_id
    assert np.array_equal(priors[1].position, PRIORS[0].position)
    assert np.array_equal(priors[1].position_covariance, COVARIANCE)
    assert np.array_equal(priors[1].gravity, PRIORS[0].gravity)
    assert priors[1].coordinate_system.name == "WGS84" and priors[2].coordinate_system.name == "CARTESIAN"
    assert priors[2].has_position() and not priors[2].has_position_cov() and not priors[2].has_gravity()
    assert priors[3].has_gravity() and not priors[3].has_position()


def test_those_of_pycolmap_are_read(tmp_path):
    pycolmap = peer()
    database = pycolmap.Database.open(str(tmp_path / "a.db"))
    camera = database.write_camera(pycolmap.Camera(model="PINHOLE", width=640, height=480, params=[500, 500, 320, 240]))
    for k, wanted in enumerate(PRIORS, 1):
        image = database.write_image(pycolmap.Image(name=f"{k}.jpg", camera_id=camera))
        prior = pycolmap.PosePrior()
        prior.corr_data_id = pycolmap.data_t(pycolmap.sensor_t(pycolmap.SensorType.CAMERA, camera), image)
        prior.coordinate_system = getattr(pycolmap.PosePriorCoordinateSystem, wanted.coordinates.upper())
        for name, value in (("position", wanted.position), ("position_covariance", wanted.covariance), ("gravity", wanted.gravity)):
            if value is not None:
                setattr(prior, name, value)
        database.write_pose_prior(prior)
    database.close()
    with colmap.Database(tmp_path / "a.db", "r+") as ours:
        for found, wanted in zip(ours.pose_priors(), PRIORS, strict=True):
            assert_same(found, wanted)
        ours.write_pose_prior(PRIORS[1])  # replaces a row of pycolmap
        assert len(ours.pose_priors()) == 3
