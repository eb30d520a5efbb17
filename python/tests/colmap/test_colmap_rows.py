"""Rows of COLMAP databases as arrays, and matches of any matcher written into a database."""

import pathlib
import sqlite3

import numpy as np
import pytest
from scenes import Scene

import bifocal
from bifocal import colmap


SIZE = (2480, 2160)


def scene_inside():
    """Points of two views that lie inside of images of SIZE."""
    scene = Scene(right=1.0)
    scene.x1, scene.x2 = scene.x1 + 600, scene.x2 + 600
    assert min(scene.x1.min(), scene.x2.min()) > 0 and (np.r_[scene.x1, scene.x2].max(0) < np.array(SIZE) - 5).all()
    return scene


@pytest.fixture
def written(tmp_path):
    file = tmp_path / "rows.db"
    with colmap.Database(file, "x") as database, database.transaction():
        camera = database.write_camera("PINHOLE", 640, 480, [500, 510, 320, 240], has_prior_focal_length=True)
        for name in ("a.jpg", "b.jpg"):
            image = database.write_image(name, camera)
            database.write_keypoints(image, np.arange(12, dtype=np.float64).reshape(6, 2))
            database.write_descriptors(image, np.full((6, 128), image, np.uint8))
        database.write_matches(2, 1, np.array([[0, 1], [2, 3]]))
        geometry = colmap.TwoViewGeometry("uncalibrated", np.array([[0, 1]]), F=np.arange(9.0).reshape(3, 3))
        database.write_geometry(2, 1, geometry)
    return file


def test_rows_are_read_as_they_were_written(written):
    with colmap.Database(written) as database:
        (camera,) = database.cameras()
        assert (camera.model, camera.width, camera.height, camera.has_prior_focal_length) == ("PINHOLE", 640, 480, True)
        assert camera.params.tolist() == [500, 510, 320, 240]
        assert [(i.id, i.name, i.camera_id) for i in database.images()] == [(1, "a.jpg", 1), (2, "b.jpg", 1)]
        assert database.keypoints(1).tolist() == np.arange(12).reshape(6, 2).tolist()
        assert database.descriptors(2).shape == (6, 128) and (database.descriptors(2) == 2).all()
        assert database.matches(2, 1).tolist() == [[0, 1], [2, 3]]
        assert database.matches(1, 2).tolist() == [[1, 0], [3, 2]]
        found = database.geometry(2, 1)
        assert found.configuration == "uncalibrated" and found.inliers.tolist() == [[0, 1]]
        assert np.allclose(found.F, np.arange(9).reshape(3, 3)) and found.R is None
        assert np.allclose(database.geometry(1, 2).F, found.F.T)
        assert database.match_counts() == [(1, 2, 2)] and database.geometry_counts() == [(1, 2, 1, "uncalibrated")]
    assert sorted(p.name for p in written.parent.iterdir()) == ["rows.db"]


def test_the_file_has_pixel_corners_at_zero(written):
    data = sqlite3.connect(written).execute("SELECT data FROM keypoints WHERE image_id = 1").fetchone()[0]
    assert np.frombuffer(data, np.float32)[:2].tolist() == [0.5, 1.5]


def test_a_failed_transaction_writes_nothing(written):
    with colmap.Database(written, "r+") as database:
        with pytest.raises(RuntimeError, match="stop"), database.transaction():
            database.write_image("c.jpg", 1)
            raise RuntimeError("stop")
        assert len(database.images()) == 2
        with pytest.raises(ValueError, match="open already"), database.transaction(), database.transaction():
            pass


def posed(R):
    return colmap.TwoViewGeometry("calibrated", np.zeros((0, 2), int), R=R, t=np.array([1.0, 0, 0]))


def test_bad_input_is_refused_by_name(written, tmp_path):
    with pytest.raises(FileNotFoundError):
        colmap.Database(tmp_path / "none.db")
    with pytest.raises(ValueError, match="mode: 'w'"):
        colmap.Database(written, "w")
    with pytest.raises(OSError):
        colmap.Database(written, "x")
    with colmap.Database(written, "r+") as database:
        for call, message in [
            (lambda: database.write_camera("PINHOL", 1, 1, []), "'PINHOL' is no camera model"),
            (lambda: database.write_camera("PINHOLE", 640, 480, [1, 2]), "2 params"),
            (lambda: database.write_camera("PINHOLE", 640.5, 480, [1, 1, 1, 1]), "width = 640.5, must be a whole number"),
            (lambda: database.write_camera("PINHOLE", 640, 480, [1, 1, 1, 1], camera_id=-3), "camera_id = -3, must be 0 to"),
            (lambda: database.write_image("z.jpg", 1, image_id=-1), "image_id = -1, must be 0 to"),
            (lambda: database.write_keypoints(1, np.zeros((3, 5))), r"keypoints: shape \(3, 5\), must be \(N, 2\) or"),
            (lambda: database.write_keypoints(1, [[np.nan, 0]]), "not all are finite"),
            (lambda: database.write_descriptors(1, np.zeros((3, 128))), "must be uint8"),
            (lambda: database.write_matches(1, 2, [[0.5, 1]]), "matches: dtype float64, must be whole numbers"),
            (lambda: database.write_matches(1, 2, [[-1, 1]]), r"matches: \[0, 0\] = -1, must be 0 to"),
            (lambda: database.write_matches(1, 1, [[0, 1]]), "1"),
            (lambda: database.write_keypoints(1, [[1e300, 0]]), r"keypoints: \[0, 0\] = 1e\+300, must be a number of float32"),
            (lambda: database.write_geometry(1, 2, posed(np.diag([1, 1, -1.0]))), "geometry of images 1 and 2: R is no rotation"),
            (lambda: database.write_geometry(1, 2, posed(2 * np.eye(3))), "R is no rotation"),
            (lambda: database.write_geometry(1, 2, colmap.TwoViewGeometry("good", np.zeros((0, 2)))), "configuration: 'good'"),
        ]:
            with pytest.raises((ValueError, TypeError), match=message):
                call()
    with pytest.raises(ValueError, match="closed"):
        database.images()


def test_a_damaged_row_names_file_table_and_row(written):
    with sqlite3.connect(written) as connection:
        connection.execute("UPDATE keypoints SET rows = 1000000 WHERE image_id = 1")
    with colmap.Database(written) as database, pytest.raises(OSError, match="rows.db: table keypoints, image_id 1"):
        database.keypoints(1)


def test_matches_of_any_matcher_reach_a_verified_database(tmp_path):
    scene = scene_inside()
    x1, x2 = scene.x1, scene.x2
    indices = np.stack([np.arange(len(x1))] * 2, 1)
    file = tmp_path / "any.db"
    done = colmap.write_pairs(file, {"a.jpg": x1, "b.jpg": x2}, {("b.jpg", "a.jpg"): indices}, {"a.jpg": SIZE, "b.jpg": SIZE})
    assert done.done == 1 and done.inliers > 500
    with colmap.Database(file) as database:
        ((first, second, inliers, configuration),) = database.geometry_counts()
        assert inliers == done.inliers and configuration == "uncalibrated"
        F = database.geometry(first, second).F
    assert np.median(np.abs(bifocal.two_view.residuals("fundamental", F, x1, x2))) < 0.5
    # Fewer matches of a pair replace its geometry.
    again = colmap.write_pairs(file, {"a.jpg": x1, "b.jpg": x2}, {("b.jpg", "a.jpg"): indices[:100]})
    assert again.done == 1 and again.inliers <= 100


SIZES = {name: SIZE for name in ("a.jpg", "b.jpg", "c.jpg")}


@pytest.fixture
def three(tmp_path):
    """A database of three images whose three pairs are verified, its keypoints and the indices of its matches."""
    scene = scene_inside()
    keypoints = {"a.jpg": scene.x1, "b.jpg": scene.x2, "c.jpg": scene.x2 + (3, 2)}
    indices = np.stack([np.arange(len(scene.x1))] * 2, 1)
    pairs = {("a.jpg", "b.jpg"): indices, ("a.jpg", "c.jpg"): indices, ("b.jpg", "c.jpg"): indices}
    assert colmap.write_pairs(tmp_path / "three.db", keypoints, pairs, SIZES).done == 3
    return tmp_path / "three.db", keypoints, indices


def pairs_of(file):
    with colmap.Database(file) as database:
        pairs = [row[:2] for row in database.match_counts()]
        assert pairs == [row[:2] for row in database.geometry_counts()]
        return pairs


def test_the_same_keypoints_leave_other_pairs(three):
    file, keypoints, indices = three
    done = colmap.write_pairs(file, {n: keypoints[n] for n in ("a.jpg", "b.jpg")}, {("a.jpg", "b.jpg"): indices[:300]})
    assert (done.done, done.verified_before) == (1, 2) and pairs_of(file) == [(1, 2), (1, 3), (2, 3)]


def test_other_keypoints_remove_rows_that_refer_to_the_old_keypoints(three):
    file, keypoints, indices = three
    with colmap.Database(file, "r+") as database:
        for image in (1, 3):
            database.write_descriptors(image, np.zeros((len(indices), 128), np.uint8))
    # As many keypoints in another order: no count would show that the indices of the pair (1, 3) are wrong.
    done = colmap.write_pairs(file, {"a.jpg": keypoints["a.jpg"][::-1], "b.jpg": keypoints["b.jpg"]}, {("a.jpg", "b.jpg"): np.c_[indices[::-1, 0], indices[:, 1]]})
    assert (done.done, done.verified, done.verified_before) == (1, 1, 1) and pairs_of(file) == [(1, 2), (2, 3)]
    with colmap.Database(file) as database:
        assert len(database.descriptors(1)) == 0 and len(database.descriptors(3)) == len(indices)


def test_a_refused_write_changes_nothing(three, tmp_path):
    file, keypoints, indices = three
    a, b = keypoints["a.jpg"], keypoints["b.jpg"]
    before = file.read_bytes()
    both, pair = {"a.jpg": a, "b.jpg": b}, {("a.jpg", "b.jpg"): indices}
    for points, matches, more, error, message in [
        (both, {**pair, ("b.jpg", "a.jpg"): indices[:9]}, {}, ValueError, "'a.jpg', 'b.jpg'.*are one pair"),
        (both, {("a.jpg", "a.jpg"): indices}, {}, ValueError, "with itself"),
        (both, {"a.jpg b.jpg": indices}, {}, ValueError, "must be a pair of names"),
        ({**both, "a.jpg": 10 * a}, pair, {}, ValueError, r"keypoints of 'a.jpg': keypoint \d+ at .* lies outside of the image of 2480 x 2160 px"),
        ({**both, "a.jpg": 1e39 * a}, pair, {}, ValueError, r"keypoints of 'a.jpg': \[0, 0\] = 1\.\d+e\+42, must be a number of float32"),
        (both, pair, {"cameras": {"aa.jpg": ("PINHOLE", [1, 1, 1, 1])}}, ValueError, "cameras: 'aa.jpg' is the name of no image"),
        ({**both, "d.jpg": a}, pair, {"sizes": {**SIZES, "d.jpg": 600}}, ValueError, "sizes of 'd.jpg': 600"),
        (both, pair, {"options": {"max_error": 4}}, TypeError, "options"),
        (both, pair, {"options": bifocal.colmap.TwoViewGeometryOptions(threshold=-1)}, ValueError, "threshold = -1"),
        (both, pair, {"device": "cuda:99"}, RuntimeError, "cuda:99"),
    ]:
        with pytest.raises(error, match=message):
            colmap.write_pairs(file, points, matches, **more)
        assert file.read_bytes() == before
        with pytest.raises(error, match=message):
            colmap.write_pairs(tmp_path / "new.db", points, matches, more.get("sizes", SIZES), **{k: v for k, v in more.items() if k != "sizes"})
        assert not (tmp_path / "new.db").exists()


def test_names_may_be_paths(three):
    file, keypoints, indices = three
    first, second = pathlib.Path("a.jpg"), pathlib.Path("b.jpg")
    assert colmap.write_pairs(file, {first: keypoints["a.jpg"], second: keypoints["b.jpg"]}, {(first, second): indices}).done == 1


def test_tensors_of_torch_give_what_arrays_give(tmp_path):
    torch = pytest.importorskip("torch")
    scene = scene_inside()
    names, indices = ("a.jpg", "b.jpg"), np.stack([np.arange(len(scene.x1))] * 2, 1)
    sizes = {name: SIZE for name in names}
    for file, convert in (("numpy.db", np.asarray), ("torch.db", lambda values: torch.tensor(values, requires_grad=values.dtype.kind == "f"))):
        keypoints = dict(zip(names, map(convert, (scene.x1.astype(np.float32), scene.x2.astype(np.float32)))))
        done = colmap.write_pairs(tmp_path / file, keypoints, {names: convert(indices)}, sizes)
        assert done.verified == 1
    with colmap.Database(tmp_path / "numpy.db") as arrays, colmap.Database(tmp_path / "torch.db") as tensors:
        assert np.array_equal(arrays.keypoints(1), tensors.keypoints(1)) and arrays.geometry_counts() == tensors.geometry_counts()


def test_readers_leave_no_file_next_to_the_database(tmp_path):
    scene = scene_inside()
    indices = np.stack([np.arange(len(scene.x1))] * 2, 1)
    file = tmp_path / "any.db"
    colmap.write_pairs(file, {"a.jpg": scene.x1, "b.jpg": scene.x2}, {("a.jpg", "b.jpg"): indices}, {"a.jpg": SIZE, "b.jpg": SIZE})
    before = {path.name for path in tmp_path.iterdir()}
    bifocal.report(file, tmp_path / "a.html")
    assert colmap.contradicting_pairs(file) == []
    assert {path.name for path in tmp_path.iterdir()} == before | {"a.html"}


def test_matches_of_missing_keypoints_write_nothing(tmp_path):
    file = tmp_path / "none.db"
    for matches, sizes, message in [
        ({("a", "b"): [[9, 0]]}, {"a": (9, 9), "b": (9, 9)}, "keypoint 9 of 'a', which has 5 keypoints"),
        ({("a", "c"): [[0, 0]]}, {"a": (9, 9), "b": (9, 9)}, "'c' has no keypoints"),
        ({}, {"a": (9, 9)}, "no size of 'b'"),
    ]:
        with pytest.raises(ValueError, match=message):
            colmap.write_pairs(file, {"a": np.zeros((5, 2)), "b": np.zeros((5, 2))}, matches, sizes)
        assert not file.exists()
