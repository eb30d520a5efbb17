"""The notebooks of examples print their stored output. Their cells run without Jupyter, and images are counted."""

import contextlib
import io
import json
import pathlib
import sys
import types

import pytest

EXAMPLES = pathlib.Path(__file__).parents[2] / "examples"


@pytest.mark.parametrize("name", ["quickstart", "collection"])
def test_cells_say_what_is_stored(monkeypatch, name):
    notebook = EXAMPLES / f"{name}.ipynb"
    cells = [c for c in json.loads(notebook.read_text())["cells"] if c["cell_type"] == "code"]
    assert len(cells) >= 6 and [c["execution_count"] for c in cells] == list(range(1, len(cells) + 1))
    shown = []
    module = types.ModuleType("IPython.display")
    module.Image = lambda filename, width=None: pathlib.Path(filename).read_bytes()
    module.display = shown.append
    monkeypatch.setitem(sys.modules, "IPython", types.ModuleType("IPython"))
    monkeypatch.setitem(sys.modules, "IPython.display", module)
    namespace = {"__name__": "__main__"}
    for cell in cells:
        text, out = "".join(cell["source"]), io.StringIO()
        shown.clear()
        with contextlib.redirect_stdout(out):
            exec(compile(text, f"{notebook.name}[{cell['execution_count']}]", "exec"), namespace)
        stored = "".join("".join(o["text"]) for o in cell["outputs"] if o["output_type"] == "stream")
        pictures = sum(o["output_type"] == "display_data" and "image/png" in o["data"] for o in cell["outputs"])
        if "bifocal.devices()" not in text:  # the list of devices depends on the machine
            assert out.getvalue() == stored
        assert len(shown) == pictures and all(picture.startswith(b"\x89PNG") for picture in shown)
        assert "False" not in stored
    assert notebook.stat().st_size < 600_000
