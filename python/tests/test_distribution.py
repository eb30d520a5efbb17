"""Distribution: its name and the program of the wheel."""

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
