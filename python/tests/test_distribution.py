"""Distribution: its name, the program of the wheel, and hloc's files without an HDF5 library."""

import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest

import bifocal

ROOT = pathlib.Path(__file__).resolve().parents[2]
OLD_TEXTS = ("pip install bifocal ", "pip install bifocal\n", "pip install bifocal`", "pip install bifocal[", "pip install 'bifocal[", "pip install -U bifocal")


def run(*arguments, **options):
    environment = os.environ | {"PYTHONPATH": str(pathlib.Path(bifocal.__file__).parents[1])}
    return subprocess.run([sys.executable, "-m", "bifocal", *arguments], capture_output=True, text=True, env=environment, timeout=120, **options)


def test_no_text_sends_people_to_the_other_project():
    files = [ROOT / "README.md", ROOT / "pyproject.toml", ROOT / "CHANGELOG.md"]
    for folder in ("docs", "examples", "python/bifocal", "scripts", "apps", "src", "include"):
        files += [f for f in (ROOT / folder).rglob("*") if f.is_file() and f.suffix not in {".png", ".jpg", ".npz"}]
    found = [f"{f}: {old!r}" for f in files for old in OLD_TEXTS if old in f.read_text(errors="replace")]
    assert found == []


def test_the_other_distribution_beside_this_one_stops_the_import(tmp_path):
    (tmp_path / "bifocal_geometry-0.1.0.dist-info").mkdir()
    bifocal._refuse_other_project(tmp_path)
    (tmp_path / "bifocal-0.2.0.dist-info").mkdir()
    with pytest.raises(ImportError, match=r"bifocal-0.2.0.dist-info: .* is another project.*pip uninstall"):
        bifocal._refuse_other_project(tmp_path)


def test_the_program_runs_in_the_interpreter(tmp_path):
    assert run("--version").stdout.strip().endswith(bifocal.__version__)
    failed = run("estimate", "homography", "--points", str(tmp_path / "none.txt"))
    assert failed.returncode == 3 and "none.txt" in failed.stderr
    random = np.random.default_rng(1)
    points = random.uniform(0, 500, (40, 2))
    np.savetxt(tmp_path / "points.txt", np.c_[points, points + [5, 7]])
    found = run("estimate", "homography", "--points", str(tmp_path / "points.txt"))
    assert found.returncode == 0 and '"inlier' in found.stdout


def hloc_files(h5py, folder, seed=0):
    """Returns two images of one scene and one image of noise."""
    from scenes import Scene

    scene = Scene(400, right=1.0, seed=seed)
    with h5py.File(folder / "features.h5", "w") as features, h5py.File(folder / "matches.h5", "w") as matches:
        for name, xy in (("db/a.jpg", scene.x1), ("db/b.jpg", scene.x2)):
            group = features.create_group(name)
            inside = 0.6 * (xy - [640, 480]) + [640, 480]  # a shorter focal length, with which all points are in the image
            group.create_dataset("keypoints", data=inside.astype(np.float32), compression="gzip")
            group["image_size"] = [1280, 960]
        matches.create_group("db-a.jpg/db-b.jpg")["matches0"] = np.arange(400, dtype=np.int16)
    (folder / "pairs.txt").write_text("db/a.jpg db/b.jpg\n")


VERIFY = ("verify", "--features", "features.h5", "--matches", "matches.h5", "--pairs", "pairs.txt", "--database", "out.db")


def test_h5py_reads_what_the_library_reads(tmp_path):
    h5py = pytest.importorskip("h5py")
    hloc_files(h5py, tmp_path)
    done = run(*VERIFY, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    with bifocal.colmap.Database(tmp_path / "out.db") as database:
        ((_, _, inliers, configuration),) = database.geometry_counts()
        assert inliers > 350 and configuration == "uncalibrated"
        with h5py.File(tmp_path / "features.h5") as features:
            assert np.allclose(database.keypoints(1), features["db/a.jpg/keypoints"])


def photographs(folder):
    """Writes photographs of the names and sizes in the files of hloc_files."""
    (folder / "images/db").mkdir(parents=True)
    for name in ("a.jpg", "b.jpg"):
        bifocal.write_image(folder / "images/db" / name, np.random.default_rng(0).integers(0, 256, (960, 1280), dtype=np.uint8))


def test_collect_takes_hloc_s_features_and_matches(tmp_path):
    """From Python, as str and bytes, and from the program of the wheel."""
    h5py = pytest.importorskip("h5py")
    hloc_files(h5py, tmp_path)
    photographs(tmp_path)
    features, matches = tmp_path / "features.h5", tmp_path / "matches.h5"
    done = bifocal.collect(tmp_path / "images", tmp_path / "a.db", features=features, matching=matches)
    assert (done.images, done.features, done.matched, done.verified, done.left_out) == (2, 800, 1, 1, [])
    again = bifocal.collect(tmp_path / "images", tmp_path / "b.db", features=os.fsencode(features), matching=os.fsencode(matches))
    assert again.verified == 1
    with h5py.File(features, "a") as file:
        for name in "ab":
            file[f"db/{name}.jpg/descriptors"] = np.random.default_rng(0).normal(size=(64, 400)).astype(np.float32)
    nearest = bifocal.collect(tmp_path / "images", tmp_path / "c.db", features=features, matching=bifocal.FloatMatchOptions())
    assert nearest.verified == 1
    program = run("collect", "images", "--features", "features.h5", "--matches", "matches.h5", "--database", "d.db", cwd=tmp_path)
    assert program.returncode == 0, program.stderr
    counts = []
    for name in ("a.db", "d.db"):
        with bifocal.colmap.Database(tmp_path / name) as database:
            counts.append(database.geometry_counts())
    assert counts[0] == counts[1] and counts[0][0][2] > 350


def test_collect_reports_a_missing_h5py(tmp_path, monkeypatch):
    h5py = pytest.importorskip("h5py")
    hloc_files(h5py, tmp_path)
    photographs(tmp_path)
    from bifocal import _hdf5

    monkeypatch.setattr(_hdf5, "h5py", None)
    files = {"features": tmp_path / "features.h5", "matching": tmp_path / "matches.h5"}
    if bifocal._core.reads_hdf5:  # a build with HDF5 needs no h5py
        assert bifocal.collect(tmp_path / "images", tmp_path / "a.db", **files).verified == 1
    monkeypatch.setattr(bifocal._core, "reads_hdf5", False)
    with pytest.raises(OSError, match=r"features\.h5: HDF5 files need the Python package h5py: pip install h5py"):
        bifocal.collect(tmp_path / "images", tmp_path / "b.db", **files)


def test_the_import_leaves_h5py_alone():
    code = "import sys, bifocal, bifocal.colmap; assert 'h5py' not in sys.modules"
    environment = os.environ | {"PYTHONPATH": str(pathlib.Path(bifocal.__file__).parents[1])}
    assert subprocess.run([sys.executable, "-c", code], env=environment, timeout=120).returncode == 0


def damaged(h5py, file, kind):
    with h5py.File(file, "r+") as f:
        group = f["db/a.jpg"]
        old = group["keypoints"][()]
        del group["keypoints"]
        if kind == "external link":
            group["keypoints"] = h5py.ExternalLink("other.h5", "/keypoints")
        elif kind == "external storage":
            group.create_dataset("keypoints", (400, 2), np.float32, external=[("raw.bin", 0, 3200)])
        elif kind == "virtual":
            layout = h5py.VirtualLayout((400, 2), np.float32)
            layout[:] = h5py.VirtualSource("other.h5", "keypoints", (400, 2))
            group.create_virtual_dataset("keypoints", layout)
        elif kind == "never written":
            group.create_dataset("keypoints", (4000000, 2), np.float32, chunks=(4000, 2))
        elif kind == "text":
            group["keypoints"] = "numbers"
        elif kind == "three dimensions":
            group["keypoints"] = old[None]
    if kind == "cut":
        file.write_bytes(file.read_bytes()[:-3000])


@pytest.mark.parametrize("kind", ["external link", "external storage", "virtual", "never written", "text", "three dimensions", "missing", "cut"])
def test_h5py_refuses_what_the_library_refuses(tmp_path, kind):
    h5py = pytest.importorskip("h5py")
    hloc_files(h5py, tmp_path)
    damaged(h5py, tmp_path / "features.h5", kind)
    (tmp_path / "other.h5").write_bytes(b"")
    refused = run(*VERIFY, cwd=tmp_path)
    assert refused.returncode != 0 or "left out" in refused.stderr, refused.stdout
    named = "no image 'db/a.jpg'" if kind == "missing" else "features.h5"
    assert named in refused.stderr and "Traceback" not in refused.stderr, refused.stderr
