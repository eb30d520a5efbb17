"""The snippets of the manuals run, each page in order and in one namespace, and docs/python.md prints the documented output."""

import os
import pathlib
import re
import subprocess
import sys

import numpy as np
import pytest
from data_folder import DATA, needs_data
from room import Room
from scenes import K, Scene, angle_deg, direction_deg
from test_images import texture

import bifocal

try:
    from torch import from_numpy as tensor
except ImportError:
    tensor = np.asarray

DOCS = pathlib.Path(__file__).parents[2] / "docs"
SHORTEST = "Lines of code"


def sections(name):
    """Returns {heading: text} of a page."""
    parts = re.split(r"^## (.*)$", (DOCS / name).read_text(), flags=re.M)
    return dict(zip(["", *parts[1::2]], parts[::2]))


def snippets_of(text):
    return re.findall(r"```python\n(.*?)```", text, re.S)


def run_page(name):
    """Returns the namespace after the snippets of a page without the section of the shortest ways, and their number."""
    s, picture = Scene(), texture(120, 200)
    inside = ((s.x1 > 0) & (s.x1 < (1280, 960)) & (s.x2 > 0) & (s.x2 < (1280, 960))).all(1)
    namespace = {"x1": s.x1[inside], "x2": s.x2[inside], "K": K, "pictures": (picture[:, 20:180].copy(), picture[:, 28:188].copy())}
    snippets = snippets_of("".join(text for heading, text in sections(name).items() if heading != SHORTEST))
    for snippet in snippets:
        exec(compile(snippet, str(DOCS / name), "exec"), namespace)
    return namespace, len(snippets)


def test_snippets_of_the_page(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    namespace, count = run_page("python.md")
    assert count >= 5
    out = capsys.readouterr().out
    assert namespace["found"].ok and "ok" in out and namespace["batch"].ok.all()
    assert "\nTrue\n" in out and namespace["planar"].ok
    assert np.isfinite(namespace["disparity"].filled).all()


@pytest.mark.parametrize(("name", "results"), [("choosing.md", ("general", "again")), ("learned-matchers.md", ("found",))])
def test_snippets_of_other_pages_find_geometry(name, results, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    namespace, count = run_page(name)
    assert count == 2 and all(namespace[result].ok for result in results)
    if "done" in namespace:
        assert namespace["done"].verified == 1


def test_snippets_of_the_drop_ins(capsys):
    namespace, count = run_page("coming-from.md")
    assert count == 2 and namespace["count"] > 200 and namespace["info"]["num_inliers"] > 200
    assert angle_deg(namespace["R"], namespace["pose"].R) < 0.5


def test_the_shortest_ways_give_results_in_the_stated_lines(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text, room = sections("python.md")[SHORTEST], Room()
    x1, x2 = room.matches()
    (tmp_path / "photographs").mkdir()
    for name, image in (("a", room.left), ("b", room.right)):
        bifocal.write_image(tmp_path / f"photographs/{name}.png", image)
    given = {"x1": x1, "x2": x2, "K": room.K, "left": room.left, "right": room.right, "a": {"keypoints": tensor(x1[None])}, "b": {"keypoints": tensor(x2[None])}}
    given["matched"] = {"matches": tensor(np.tile(np.arange(len(x1))[:, None], 2)[None])}
    snippets, found = snippets_of(text), {}
    assert [len(s.splitlines()) for s in snippets] == [int(n) for n in re.findall(r"\| (\d+) \|$", text, re.M)]
    for snippet in snippets:
        names = dict(given)
        exec(compile(snippet, SHORTEST, "exec"), names)
        found |= names
    assert angle_deg(found["pose"].R, room.R) < 0.5 and direction_deg(found["pose"].t, room.t) < 5 and found["pose"].num_inliers > 900
    known = np.isfinite(found["depth"])
    assert known.mean() > 0.5 and len(found["points"]) == len(found["colours"]) > 50_000
    assert np.median(np.abs(found["depth"][known] * np.linalg.norm(room.t) / room.depth[known] - 1)) < 0.05
    for database in ("matches.db", "out.db"):
        assert bifocal.report(tmp_path / database, tmp_path / "again.html", overwrite=True)["verified"] == 1, database
    assert (tmp_path / "out.html").stat().st_size > 10_000


def test_lines_of_code_are_those_of_the_snippets():
    script = DOCS.parent / "bench/peers/lines-of-code"
    assert subprocess.run([sys.executable, script, "--check"]).returncode == 0
    needs_data("strecha/fountain-P11/0004.jpg.camera")
    jobs = "bifocal:photographs+matches+folder+database+bundle+batch"
    ran = subprocess.run([sys.executable, script, "--run", jobs], env={**os.environ, "BIFOCAL_DATA": str(DATA)}, capture_output=True, text=True)
    assert ran.returncode == 0 and ran.stdout.count("\n") == 8, ran.stdout + ran.stderr
