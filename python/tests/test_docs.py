"""The snippets of docs/python.md run in order in one namespace and print the documented output."""

import pathlib
import re

import numpy as np
from scenes import K, Scene
from test_images import texture

PAGE = pathlib.Path(__file__).parents[2] / "docs" / "python.md"


def test_snippets_of_the_page(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    s, picture = Scene(), texture(120, 200)
    namespace = {"x1": s.x1, "x2": s.x2, "K": K, "pictures": (picture[:, 20:180].copy(), picture[:, 28:188].copy())}
    snippets = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.S)
    assert len(snippets) >= 5
    for snippet in snippets:
        exec(compile(snippet, str(PAGE), "exec"), namespace)
    out = capsys.readouterr().out
    assert namespace["found"].ok and "ok" in out and namespace["batch"].ok.all()
    assert "\nTrue\n" in out and namespace["planar"].ok
    assert np.isfinite(namespace["disparity"].filled).all()
