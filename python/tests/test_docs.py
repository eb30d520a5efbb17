"""The snippets of the manuals run, each page in order and in one namespace, and docs/python.md prints the documented output."""

import pathlib
import re

import numpy as np
import pytest
from scenes import K, Scene
from test_images import texture

DOCS = pathlib.Path(__file__).parents[2] / "docs"


def run_page(name):
    """Returns the namespace after the snippets of a page, and their number."""
    s, picture = Scene(), texture(120, 200)
    namespace = {"x1": s.x1, "x2": s.x2, "K": K, "pictures": (picture[:, 20:180].copy(), picture[:, 28:188].copy())}
    snippets = re.findall(r"```python\n(.*?)```", (DOCS / name).read_text(), re.S)
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
