"""Verification of COLMAP databases: written rows, and pycolmap's arguments."""

import shutil
import sqlite3

import numpy as np
import pytest
from colmap_database import read_geometries, scene, write_database

import bifocal
from bifocal import colmap


@pytest.fixture
def database(tmp_path):
    views, matches = scene()
    matches[0, 3] = np.c_[np.arange(40), np.random.default_rng(1).permutation(300)[:40]]
    write_database(tmp_path / "a.db", views, matches)
    return tmp_path / "a.db"


def pixels(database, image):
    with sqlite3.connect(database) as db:
        (data,) = db.execute("SELECT data FROM keypoints WHERE image_id = ?", (image + 1,)).fetchone()
    return np.frombuffer(data, "<f4").reshape(-1, 2).astype(float)


def test_geometry_holds_on_the_pixels_of_the_file(database):
    done = colmap.verify(database)
    assert done.done == 6 and done.configurations == {"calibrated": 5, "degenerate": 1}
    found = read_geometries(database)
    K = np.array([[700, 0, 320.5], [0, 700, 240.5], [0, 0, 1.0]])
    for (i, j), (config, inliers, F, E, H) in found.items():
        if (i, j) == (0, 3):
            assert config == 1 and len(inliers) == 0 and F is None and E is None
            continue
        assert config == 2 and 200 < len(inliers) <= 230
        right = inliers[:, 0] == inliers[:, 1]
        assert right.mean() > 0.97
        x1 = np.c_[pixels(database, i)[inliers[:, 0]], np.ones(len(inliers))]
        x2 = np.c_[pixels(database, j)[inliers[:, 1]], np.ones(len(inliers))]
        for M in (F, np.linalg.inv(K).T @ E @ np.linalg.inv(K)):
            line = x1 @ M.T
            error = np.abs((x2 * line).sum(1)) / np.hypot(line[:, 0], line[:, 1])
            assert np.median(error[right]) < 0.7


@pytest.mark.parametrize("params", [(0, 0, 320.5, 240.5), (np.nan, 700, 320.5, 240.5), (700, -700, 320.5, 240.5), (700, 700, np.inf, 240.5)])
def test_a_camera_of_no_numbers_is_done_without(database, params):
    """Image 2 has a separate camera with invalid parameters: its pairs are verified by F."""
    with sqlite3.connect(database) as db:
        (model, width, height) = db.execute("SELECT model, width, height FROM cameras").fetchone()
        db.execute("INSERT INTO cameras VALUES (9, ?, ?, ?, ?, 1)", (model, width, height, np.array(params, "<f8").tobytes()))
        db.execute("UPDATE images SET camera_id = 9 WHERE image_id = 2")
    done = colmap.verify(database)
    assert (done.pairs, done.done, done.left_out) == (6, 6, 0)
    assert done.configurations == {"calibrated": 2, "uncalibrated": 3, "degenerate": 1}
    ((row, reason, pairs),) = done.odd_rows
    assert row == "table cameras, camera_id 9" and pairs == 3 and reason


def test_pairs_of_odd_rows_are_left_out(database):
    with sqlite3.connect(database) as db:
        db.execute("DELETE FROM keypoints WHERE image_id = 2")
    done = colmap.verify(database)
    assert (done.pairs, done.done, done.left_out) == (6, 3, 3)
    assert done.odd_rows == [("table keypoints, image_id 2", "has no keypoints", 3)]
    assert len(read_geometries(database)) == 3


def test_several_devices_write_the_same_file(database, tmp_path):
    shutil.copy(database, tmp_path / "two.db")
    colmap.verify(database)
    assert colmap.verify(tmp_path / "two.db", device="cpu,cpu").done == 6
    assert (tmp_path / "two.db").read_bytes() == database.read_bytes()
    with pytest.raises(ValueError, match="device 'cpu,'"):
        colmap.verify(database, device="cpu,")


def test_half_a_pixel_counts(tmp_path):
    """Points without noise fit E, with the K of the file, and F, on the pixels of the file, to hundredths of a pixel."""
    views, matches = scene(noise=0)
    write_database(tmp_path / "a.db", views, {(0, 1): matches[0, 1]})
    colmap.verify(tmp_path / "a.db", options=bifocal.colmap.TwoViewGeometryOptions(threshold=0.02))
    config, inliers, F, E, _ = read_geometries(tmp_path / "a.db")[0, 1]
    assert config == 2 and len(inliers) >= 224
    x1, x2 = (np.c_[pixels(tmp_path / "a.db", k)[inliers[:, k]], np.ones(len(inliers))] for k in (0, 1))
    line = x1 @ F.T
    assert (np.abs((x2 * line).sum(1)) / np.hypot(line[:, 0], line[:, 1])).max() < 0.05
    a, b = 0.0, 0.12
    R = np.array([[np.cos(b - a), 0, -np.sin(b - a)], [0, 1, 0], [np.sin(b - a), 0, np.cos(b - a)]])
    t = -R @ np.array([0.8, 0, 0])
    true = np.array([[0, -t[2], t[1]], [t[2], 0, -t[0]], [-t[1], t[0], 0]]) @ R
    true /= np.linalg.norm(true)
    assert min(np.abs(E / np.linalg.norm(E) - true).max(), np.abs(E / np.linalg.norm(E) + true).max()) < 1e-5


def test_pycolmaps_arguments(database, tmp_path):
    (tmp_path / "pairs.txt").write_text("view1.jpg view0.jpg\nview2.jpg view3.jpg\n")
    done = colmap.verify_matches(
        database_path=database,
        pairs_path=tmp_path / "pairs.txt",
        options=dict(ransac=dict(max_num_trials=20000, min_inlier_ratio=0.1)),  # options of hloc
    )
    assert done.done == 2 and set(read_geometries(database)) == {(0, 1), (2, 3)}
    assert colmap.geometric_verification(str(database)).verified_before == 2
    assert len(read_geometries(database)) == 6


def test_options_are_those_of_pycolmap(database, tmp_path):
    few = colmap.verify(database, options=bifocal.colmap.TwoViewGeometryOptions(min_inliers=250))
    assert few.configurations == {"degenerate": 6}
    taken = colmap._options(
        {
            "min_num_inliers": 20,
            "compute_relative_pose": True,
            "use_degensac": True,
            "ransac": {"max_error": 3, "max_num_trials": 50, "random_seed": -1, "min_inlier_ratio": 0.25, "confidence": 0.99},
        }
    )
    assert taken == bifocal.colmap.TwoViewGeometryOptions(
        min_inliers=20, relative_pose=True, threshold=3, max_iterations=50, min_iterations=50, confidence=0.99
    )
    assert colmap._options(None) == bifocal.colmap.TwoViewGeometryOptions()
    for wrong, message in [
        ({"multiple_models": True}, "multiple_models = True"),
        ({"no_option": 1}, "'no_option' is no option"),
        ({"ransac": {"trials": 1}}, "'trials' is no option"),
    ]:
        with pytest.raises(ValueError, match=message):
            colmap.geometric_verification(database, two_view_geometry_options=wrong)
    with pytest.raises(TypeError, match="options: 3, must be a dictionary"):
        colmap.verify_matches(database, tmp_path / "pairs.txt", options=3)


def test_work_ends_when_told_to_and_goes_on(database):
    class Token:
        def is_cancelled(self):
            return True

    assert colmap.geometric_verification(database, cancellation_token=Token()).done == 0
    assert read_geometries(database) == {}
    seen = []
    colmap.verify(database, progress=lambda done: seen.append((done.done, done.pairs)))
    assert seen == [(0, 6), (6, 6)]
    with pytest.raises(ZeroDivisionError):
        colmap.verify(database, overwrite=True, progress=lambda done: 1 / 0)


def test_same_bytes_with_any_threads(database, tmp_path):
    shutil.copy(database, tmp_path / "b.db")
    with bifocal.threads(1):
        colmap.verify(database)
    with bifocal.threads(2):
        colmap.verify(tmp_path / "b.db")
    assert database.read_bytes() == (tmp_path / "b.db").read_bytes()


def test_what_is_wrong_is_named(database, tmp_path):
    with pytest.raises(FileNotFoundError, match="none.db"):
        colmap.verify(tmp_path / "none.db")
    with pytest.raises(OSError, match="pairs.txt"):
        colmap.verify_matches(database, tmp_path / "pairs.txt")
    with pytest.raises(ValueError, match="threshold = -1"):
        colmap.verify(database, options=bifocal.colmap.TwoViewGeometryOptions(threshold=-1))
    with pytest.raises(TypeError, match="TwoViewGeometryOptions.min_inliers: 'x', must be a whole number"):
        colmap.verify(database, options=bifocal.colmap.TwoViewGeometryOptions(min_inliers="x"))
    with pytest.raises(RuntimeError, match="cuda:99"):
        colmap.verify(database, device="cuda:99")
    with sqlite3.connect(database) as db:
        db.execute("UPDATE keypoints SET data = x'00' WHERE image_id = 2")
    odd = colmap.verify(database).odd_rows
    assert [row for row, _, _ in odd] == ["table keypoints, image_id 2"] and "blob of 1 bytes" in odd[0][1]


def test_wrong_rotations_contradict_the_other_pairs(tmp_path):
    views, matches = scene(views=5)
    write_database(tmp_path / "a.db", views, matches)
    colmap.verify(tmp_path / "a.db")
    assert colmap.contradicting_pairs(tmp_path / "a.db") == []
    with sqlite3.connect(tmp_path / "a.db") as db:
        pair = 1 * 2147483647 + 3
        turned = np.array([np.cos(0.5), 0, np.sin(0.5), 0]).tobytes()
        db.execute("UPDATE two_view_geometries SET qvec = ? WHERE pair_id = ?", (turned, pair))
    (found,) = colmap.contradicting_pairs(tmp_path / "a.db")
    assert (found.image1, found.image2, found.name1, found.name2) == (1, 3, "view0.jpg", "view2.jpg")
    assert found.probability < 0.5 and found.inliers > 200
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.db"]


def test_contradicting_pairs_of_no_database_are_an_error(tmp_path):
    (tmp_path / "a.db").write_text("no database")
    with pytest.raises(OSError, match="a.db"):
        colmap.contradicting_pairs(tmp_path / "a.db")
