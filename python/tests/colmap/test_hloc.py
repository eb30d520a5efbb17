"""hloc's HDF5 files: import and verification (`verify`), collections of their features (`collect`), and damaged files."""

import os
import pathlib
import sqlite3
import subprocess
import sys

import numpy as np
import pytest
from scenes import Scene

import bifocal
from bifocal._colmap import hdf5, hloc

h5py = pytest.importorskip("h5py", minversion="3.16")

VERIFY = ("verify", "--features", "features.h5", "--matches", "matches.h5", "--pairs", "pairs.txt", "--database", "out.db", "--device", "cpu")
NAMES = ("db/a.jpg", "db/b.jpg", "query/c d.jpg")


def run(*arguments, **options):
    environment = os.environ | {"PYTHONPATH": str(pathlib.Path(bifocal.__file__).parents[1])}
    return subprocess.run([sys.executable, "-m", "bifocal", *arguments], capture_output=True, text=True, env=environment, timeout=120, **options)


def change(file, path, values, **options):
    """Replaces a data set, or removes it."""
    with h5py.File(file, "a") as h5:
        if path in h5:
            del h5[path]
        if values is not None or options:
            h5.create_dataset(path, data=values, **options)


@pytest.fixture
def files(tmp_path):
    """Files of three images: 0 and 1 show one scene, 2 has noise."""
    scene = Scene(400, right=1.0, seed=0)
    noise = np.random.default_rng(0).uniform([0, 0], [1280, 960], (300, 2))
    with h5py.File(tmp_path / "features.h5", "w", libver="latest") as features:
        for name, xy in zip(NAMES, (scene.x1, scene.x2, noise)):
            inside = 0.6 * (xy - [640, 480]) + [640, 480] if len(xy) == 400 else xy  # a shorter focal length, with which all points are in the image
            features[f"{name}/keypoints"] = inside.astype(np.float32)
            features[f"{name}/image_size"] = [1280, 960]
            features[f"{name}/scores"] = np.ones(len(xy), np.float16)
    with h5py.File(tmp_path / "matches.h5", "w", libver="latest") as matches:
        matches["db-a.jpg/db-b.jpg/matches0"] = np.arange(400, dtype=np.int16)
        matches["query-c d.jpg_db-a.jpg/matches0"] = np.where(np.arange(300) % 2, np.arange(300), -1).astype(np.int32)
        matches["db-b.jpg/query-c d.jpg/matches0"] = np.full(400, -1, np.int64)
    (tmp_path / "pairs.txt").write_text("db/b.jpg db/a.jpg\ndb/a.jpg query/c d.jpg\nquery/c d.jpg db/b.jpg\n")
    return tmp_path


def rows_of(database):
    """Returns the rows of all tables of COLMAP."""
    connection = sqlite3.connect(database)
    tables = ("cameras", "images", "keypoints", "matches", "two_view_geometries")
    rows = {table: connection.execute(f"SELECT * FROM {table}").fetchall() for table in tables}
    connection.close()
    return rows


def refused(folder, *texts, arguments=VERIFY):
    """Expects an error of one line with these texts, and no new files."""
    before = sorted(os.listdir(folder))
    failed = run(*arguments, cwd=folder)
    assert failed.returncode == 3 and failed.stdout == "", failed.stdout
    for text in texts:
        assert text in failed.stderr
    assert failed.stderr.count("\n") == 1, failed.stderr
    assert sorted(os.listdir(folder)) == before


def test_verify_writes_the_rows_of_the_files(files):
    done = run(*VERIFY, cwd=files)
    assert done.returncode == 0, done.stderr
    assert "1 of 2 pairs verified" in done.stdout and "without matches: 1" in done.stdout
    with bifocal.colmap.Database(files / "out.db") as database, h5py.File(files / "features.h5") as features:
        assert [image.name for image in database.images()] == list(NAMES)
        camera = database.cameras()[1]
        assert (camera.model, camera.width, camera.height, camera.has_prior_focal_length) == ("SIMPLE_RADIAL", 1280, 960, False)
        assert camera.params.tolist() == [1.2 * 1280, 639.5, 479.5, 0]
        points = [features[f"{name}/keypoints"][()] for name in NAMES]
        half = np.float32(0.5)
        for k in range(3):
            assert np.array_equal(database.keypoints(k + 1), points[k] + half - half)
        odd = np.arange(1, 300, 2)
        assert np.array_equal(database.matches(1, 2), np.c_[:400, :400])
        assert np.array_equal(database.matches(1, 3), np.c_[odd, odd])
        assert database.matches(2, 3).shape == (0, 2) and database.geometry(2, 3) is None
        assert database.geometry(1, 3).configuration == "degenerate"
        verified = database.geometry(1, 2)
        assert verified.configuration == "uncalibrated" and len(verified.inliers) > 350
    stored = np.frombuffer(rows_of(files / "out.db")["keypoints"][0][3], np.float32).reshape(-1, 2)
    assert np.array_equal(stored, points[0] + half)  # COLMAP's px begin at the corner of the first pixel


def test_verify_gives_the_rows_of_write_pairs(files):
    run(*VERIFY, cwd=files)
    with h5py.File(files / "features.h5") as features, bifocal.colmap.Database(files / "out.db") as database:
        keypoints = {name: features[f"{name}/keypoints"][()] for name in NAMES}
        matches = {(NAMES[i], NAMES[j]): database.matches(i + 1, j + 1) for i, j in ((0, 1), (0, 2), (1, 2))}
    bifocal.colmap.write_pairs(files / "same.db", keypoints, matches, dict.fromkeys(NAMES, (1280, 960)))
    assert rows_of(files / "same.db") == rows_of(files / "out.db")


def test_verify_resumes_and_refuses_matches_of_another_run(files):
    run(*VERIFY, cwd=files)
    rows = rows_of(files / "out.db")
    again = run(*VERIFY, cwd=files)
    assert "verified before: 2" in again.stdout and rows_of(files / "out.db") == rows
    with bifocal.colmap.Database(files / "out.db", "r+") as database:
        database.erase_geometry(1, 2)  # as after an interruption
    assert run(*VERIFY, cwd=files).returncode == 0 and rows_of(files / "out.db") == rows
    change(files / "matches.h5", "db-a.jpg/db-b.jpg/matches0", np.r_[-1, 1:400].astype(np.int16))
    refused(files, "out.db: has other matches than matches.h5: 'db/a.jpg' and 'db/b.jpg'; verify them again with --overwrite")
    assert rows_of(files / "out.db") == rows
    assert run(*VERIFY, "--overwrite", cwd=files).returncode == 0
    assert run(*VERIFY, cwd=files).returncode == 0
    with bifocal.colmap.Database(files / "out.db") as database:
        assert len(database.matches(1, 2)) == 399


def test_verify_keeps_an_existing_database(files):
    with bifocal.colmap.Database(files / "out.db", "x") as database:
        camera = database.write_camera("PINHOLE", 2560, 1920, [1000, 1000, 640, 480], has_prior_focal_length=True, camera_id=5)
        for k, name in enumerate(NAMES):
            database.write_image(name, camera, image_id=40 - k)
        database.write_image("without features.jpg", camera)
    done = run(*VERIFY, cwd=files)
    assert done.returncode == 0 and "table cameras, camera_id 5: 2560 x 1920 px, but the features of 'query/c d.jpg' are of 1280 x 960" in done.stderr
    with bifocal.colmap.Database(files / "out.db") as database:
        assert len(database.cameras()) == 1 and database.geometry(40, 39).configuration == "calibrated"
        points = database.keypoints(39)
    for moved, text in ((points + np.float32(0.5), "keypoint 0 is at ("), (points[1:], "has 399 keypoints of 'db/b.jpg', the features have 400")):
        with bifocal.colmap.Database(files / "out.db", "r+") as database:
            database.write_keypoints(39, moved)
        refused(files, "out.db: has ", text)


def test_keypoints_rounded_to_float16_are_those_of_the_database(files):
    change(files / "features.h5", "db/a.jpg/keypoints", 3 * np.random.default_rng(0).uniform(0, 400, (400, 2)).astype(np.float16))
    assert run(*VERIFY, cwd=files).returncode == 0
    with bifocal.colmap.Database(files / "out.db", "r+") as database:
        points = database.keypoints(1)
        database.write_keypoints(1, (points + 0.5).astype(np.float16).astype(np.float32) - np.float32(0.5))  # as hloc writes them
    assert run(*VERIFY, cwd=files).returncode == 0


def test_a_pair_with_an_invalid_index_is_left_out(files):
    change(files / "matches.h5", "db-a.jpg/db-b.jpg/matches0", np.r_[0:399, 5000].astype(np.int16))
    done = run(*VERIFY, cwd=files)
    assert done.returncode == 0 and "left out: 1" in done.stdout
    assert "matches.h5: 'db/a.jpg' and 'db/b.jpg': match 399 is of keypoints 399 and 5000, but the images have 400 and 400: 1 pair left out" in done.stderr
    with bifocal.colmap.Database(files / "out.db") as database:
        assert database.matches(1, 2) is None and database.geometry(1, 2) is None and database.geometry(1, 3) is not None



WRONG = {
    "features.h5: is no HDF5 file": lambda f, m: f.write_text("no HDF5"),
    "features.h5: can't be read: there is no such file": lambda f, m: f.unlink(),
    "matches.h5: is no HDF5 file": lambda f, m: m.write_bytes(m.read_bytes()[:-100]),
    "matches.h5: has no matches of 'db/a.jpg' and 'db/b.jpg'": lambda f, m: change(m, "db-a.jpg/db-b.jpg/matches0", None),
    "matches0: [0] = -5, must be an index or -1": lambda f, m: change(m, "db-a.jpg/db-b.jpg/matches0", np.int16([-5])),
    "matches0: is no array of whole numbers": lambda f, m: change(m, "db-a.jpg/db-b.jpg/matches0", np.float32([0, 1])),
    "pairs.txt, line 1: no image 'db/b.jpg'": lambda f, m: change(f, "db/b.jpg", None),
    "features.h5: has no db/b.jpg/image_size": lambda f, m: change(f, "db/b.jpg/image_size", None),
    "db/b.jpg/image_size: 640 x -1 px, must be 1 to 1048576": lambda f, m: change(f, "db/b.jpg/image_size", [640, -1]),
    "db/b.jpg/image_size: has 3 numbers, must be a width": lambda f, m: change(f, "db/b.jpg/image_size", [1, 2, 3]),
    "db/b.jpg/keypoints: shape [400, 3], must be [N, 2]": lambda f, m: change(f, "db/b.jpg/keypoints", np.ones((400, 3), np.float32)),
    "db/b.jpg/keypoints: has 3 dimensions": lambda f, m: change(f, "db/b.jpg/keypoints", np.ones((1, 400, 2), np.float32)),
    "db/b.jpg/keypoints: [1] = (2, nan), must be finite": lambda f, m: change(f, "db/b.jpg/keypoints", np.float32([[1, 2], [2, np.nan]])),
    "db/b.jpg/keypoints: [0] = (inf, 1), must be finite": lambda f, m: change(f, "db/b.jpg/keypoints", np.float64([[1e300, 1]])),
    "db/b.jpg/keypoints: is no array of numbers": lambda f, m: change(f, "db/b.jpg/keypoints", "text"),
    "db/b.jpg/keypoints: has no numbers": lambda f, m: change(f, "db/b.jpg/keypoints", h5py.Empty(np.float32)),
    "images 'db/a.jpg' and 'db-a.jpg' have the same name": lambda f, m: change(f, "db-a.jpg/keypoints", np.float32([[1, 2]])),
    "takes 134217728 bytes, more than the 0": lambda f, m: change(f, "db/b.jpg/keypoints", None, shape=(1 << 24, 2), dtype=np.float32),
    "numbers, more than the 67108864 allowed": lambda f, m: change(f, "db/b.jpg/keypoints", None, shape=(1 << 26, 2), dtype=np.float32),
    "keypoints: is chunked, compressed": lambda f, m: change(f, "db/b.jpg/keypoints", np.ones((400, 2), np.float32), compression="gzip"),
    "its numbers lie in another file": lambda f, m: change(f, "db/b.jpg/keypoints", None, shape=(4, 2), dtype=np.float32, external=[("raw.bin", 0, 32)]),
}


@pytest.mark.parametrize("text", WRONG)
def test_wrong_files_are_refused_and_leave_no_database(files, text):
    (files / "raw.bin").write_bytes(bytes(32))
    WRONG[text](files / "features.h5", files / "matches.h5")
    refused(files, text)


def test_links_to_other_files_are_not_followed(files):
    os.rename(files / "matches.h5", files / "other.h5")
    with h5py.File(files / "matches.h5", "w") as matches:
        matches["db-a.jpg"] = h5py.ExternalLink("other.h5", "/db-a.jpg")
    refused(files, "matches.h5: db-a.jpg/db-b.jpg/matches0: leads to another file")
    with h5py.File(files / "matches.h5", "a") as matches:
        matches.move("db-a.jpg", "there")
        matches["db-a.jpg"] = h5py.SoftLink("/there")
    refused(files, "matches.h5: db-a.jpg/db-b.jpg/matches0: leads to another file")
    with h5py.File(files / "matches.h5", "a") as matches:
        del matches["db-a.jpg"]
        matches["db-a.jpg"] = h5py.SoftLink("db-a.jpg")
    refused(files, "matches.h5: db-a.jpg/db-b.jpg/matches0: links in a circle")
    layout = h5py.VirtualLayout((400, 2), np.float32)
    layout[:] = h5py.VirtualSource("other.h5", "keypoints", (400, 2))
    with h5py.File(files / "features.h5", "a") as features:
        del features["db/a.jpg/keypoints"]
        features.create_virtual_dataset("db/a.jpg/keypoints", layout)
    refused(files, "features.h5: db/a.jpg/keypoints: is chunked, compressed or virtual")
    with h5py.File(files / "features.h5", "a") as features:
        features["db/e.jpg"] = h5py.ExternalLink("other.h5", "/db-a.jpg")
    refused(files, "features.h5: db/e.jpg: leads to another file")


def test_links_within_a_file_are_other_names(files):
    with h5py.File(files / "matches.h5", "a") as matches:
        matches.move("db-a.jpg", "groups/first")
        matches["db-a.jpg"] = h5py.SoftLink("/groups/second")
        matches["groups/second"] = h5py.SoftLink("first")
    assert len(hloc.MatchFile(str(files / "matches.h5")).matches("db/a.jpg", "db/b.jpg")) == 400


DAMAGED = """
import sys, numpy as np
from bifocal._colmap import hloc

folder, random, good = sys.argv[1], np.random.default_rng(1), 0
whole = {name: open(f"{folder}/{name}.h5", "rb").read() for name in ("features", "matches")}

for name, content in whole.items():
    changed = [content[:size] for size in [*range(0, 64), *range(64, len(content), len(content) // 100)]]
    for _ in range(600):
        one = bytearray(content)
        for at in random.integers(0, min(len(one), 4096), 2):
            one[at] = random.choice([0, 255, one[at] ^ 1 << random.integers(8)])
        changed.append(bytes(one))
    for one in changed:
        for other in whole:
            with open(f"{folder}/{other}.h5", "wb") as file:
                file.write(one if other == name else whole[other])
        try:
            features, matches = hloc.open_file(f"{folder}/features.h5", False), hloc.open_file(f"{folder}/matches.h5", True)
            for image in features.images:
                features.features(image, 1280, 960, False)
            matches.pairs(list(features.images))
            matches.matches("db/a.jpg", "db/b.jpg")
            good += 1
        except OSError as error:
            assert f"{name}.h5: " in str(error) and "\\n" not in str(error), error
print(good)
"""


def test_damaged_files_are_refused_without_a_crash(files):
    environment = os.environ | {"PYTHONPATH": str(pathlib.Path(bifocal.__file__).parents[1])}
    done = subprocess.run([sys.executable, "-c", DAMAGED, str(files)], capture_output=True, text=True, env=environment, timeout=300)
    assert done.returncode == 0, done.stderr
    assert 100 < int(done.stdout) < 1300


def photographs(folder):
    """Writes photographs of the names and sizes in the files."""
    for name in NAMES:
        (folder / "images" / name).parent.mkdir(parents=True, exist_ok=True)
        bifocal.write_image(folder / "images" / name, np.random.default_rng(0).integers(0, 256, (960, 1280), dtype=np.uint8))


def descriptors(file, dtype=np.float16, size=64):
    for name, seed in zip(NAMES, (0, 0, 1)):  # a and b have equal descriptors
        count = 300 if seed else 400
        values = np.random.default_rng(seed).integers(0, 200, (size, count))
        change(file, f"{name}/descriptors", values.astype(dtype))


def taking(features, matches=None, **options):
    return bifocal.CollectOptions(given=bifocal.GivenFeatures(source=features, matches=matches), **options)


def test_collect_takes_features_and_matches(files):
    """From Python, as str and bytes, and from the program of the wheel."""
    photographs(files)
    features, matches = files / "features.h5", files / "matches.h5"
    done = bifocal.collect(files / "images", files / "a.db", options=taking(features, matches))
    assert (done.images, done.features, done.pairs, done.matched, done.verified, done.left_out) == (3, 1100, 3, 2, 1, [])
    again = bifocal.collect(files / "images", files / "b.db", options=taking(os.fsencode(features), os.fsencode(matches)))
    assert again.verified == 1
    program = run("collect", "images", "--features", "features.h5", "--matches", "matches.h5", "--database", "d.db", cwd=files)
    assert program.returncode == 0, program.stderr
    run(*VERIFY, cwd=files)
    rows = [rows_of(files / name) for name in ("a.db", "b.db", "d.db")]
    assert rows[0] == rows[1] == rows[2] and rows[0]["keypoints"] == rows_of(files / "out.db")["keypoints"]
    assert bifocal.collect(files / "images", files / "a.db", options=taking(features, matches)).was_complete


@pytest.mark.parametrize("dtype, size", [(np.float16, 64), (np.uint8, 128)])
def test_collect_matches_the_descriptors(files, dtype, size):
    photographs(files)
    descriptors(files / "features.h5", dtype, size)
    done = bifocal.collect(files / "images", files / "a.db", options=taking(files / "features.h5"))
    assert (done.images, done.pairs, done.verified) == (3, 3, 1)
    with bifocal.colmap.Database(files / "a.db") as database, h5py.File(files / "features.h5") as features:
        assert np.array_equal(database.matches(1, 2), np.c_[:400, :400])
        stored = features["db/b.jpg/descriptors"][()].T
        assert np.array_equal(database.descriptors(2), stored if dtype is np.uint8 else np.zeros((0, 128)))


def test_collect_leaves_out_photographs_with_wrong_features(files):
    photographs(files)
    descriptors(files / "features.h5")
    for path, values, reason in [
        ("image_size", [640, 480], "640 x 480 px, but the photograph has 1280 x 960"),
        ("keypoints", np.float32([[1, np.nan]] * 400), "keypoints: [0] = (1, nan), must be finite"),
        ("keypoints", np.float32([[1, 2]] * 399), "descriptors: 400 descriptors of 399 keypoints"),
        ("descriptors", np.ones(400, np.float32), "descriptors: shape [400], must be [D, N]"),
        ("descriptors", None, "features.h5: has no db/b.jpg/descriptors"),
        ("keypoints", None, "features.h5: has no image 'db/b.jpg'"),
    ]:
        with h5py.File(files / "features.h5") as h5:
            old = h5.get(f"db/b.jpg/{path}", np.zeros(0))[()]
        change(files / "features.h5", f"db/b.jpg/{path}", values)
        done = bifocal.collect(files / "images", files / "a.db", options=taking(files / "features.h5", overwrite=True))
        assert [name for name, _ in done.left_out] == ["db/b.jpg"] and reason in done.left_out[0][1]
        assert done.images == 2
        change(files / "features.h5", f"db/b.jpg/{path}", old)


def test_collect_refuses_matches_of_other_features(files):
    photographs(files)
    change(files / "matches.h5", "db-a.jpg/db-b.jpg/matches0", np.full(400, 5000, np.int16))
    with pytest.raises(OSError, match=r"matches\.h5: db/a\.jpg, db/b\.jpg: match 0 to 5000, .*the matches are of other features"):
        bifocal.collect(files / "images", files / "a.db", options=taking(files / "features.h5", files / "matches.h5"))


def test_a_missing_or_old_h5py_is_named(files, monkeypatch):
    photographs(files)
    options = taking(files / "features.h5", files / "matches.h5")
    with monkeypatch.context() as change_h5py:
        change_h5py.setattr(h5py.version, "version_tuple", h5py.version.version_tuple._replace(major=3, minor=11))
        with pytest.raises(OSError, match=r"features\.h5: h5py .* is too old, must be 3\.16 or later: pip install --upgrade h5py"):
            bifocal.collect(files / "images", files / "b.db", options=options)
    monkeypatch.setitem(sys.modules, "h5py", None)
    with pytest.raises(OSError, match=r"features\.h5: HDF5 files need the Python package h5py: pip install h5py"):
        bifocal.collect(files / "images", files / "b.db", options=options)
    with pytest.raises(hdf5.RefusedFile, match="pip install h5py"):
        hloc.import_files(*(str(files / name) for name in ("features.h5", "matches.h5", "pairs.txt", "out.db")), False)
    assert not (files / "out.db").exists()


def test_the_import_leaves_h5py_alone():
    code = "import sys, bifocal, bifocal.colmap; assert 'h5py' not in sys.modules"
    environment = os.environ | {"PYTHONPATH": str(pathlib.Path(bifocal.__file__).parents[1])}
    assert subprocess.run([sys.executable, "-c", code], env=environment, timeout=120).returncode == 0
