"""What makes a site of pages that are written to be read in the checkout."""

import pathlib
import re

from mkdocs.structure.files import File

ROOT = pathlib.Path(__file__).resolve().parents[2]
API = """# Python API

{}
"""
MODULES = {
    "bifocal.robust": "Robust estimation",
    "bifocal.two_view": "The pieces by themselves",
    "bifocal.cameras": "Cameras",
    "bifocal.features": "Features and matches",
    "bifocal.collection": "Many images",
    "bifocal.pictures": "Pictures",
    "bifocal.stereo_matching": "Dense stereo",
    "bifocal.rectification": "Rectification",
    "bifocal.solvers": "Minimal solvers",
    "bifocal.linalg": "Linear algebra",
    "bifocal.options": "Options",
    "bifocal.devices": "Devices and threads",
    "bifocal.cv": "In the place of OpenCV",
    "bifocal.colmap": "In the place of COLMAP's verifier",
    "bifocal.poselib": "In the place of PoseLib",
}


def on_files(files, config):
    """The README is the first page, and the API has one of its own."""
    readme = (ROOT / "README.md").read_text().replace("](docs/", "](")
    files.append(File.generated(config, "index.md", content=readme))
    parts = [f"## {title}\n\n::: {module}\n" for module, title in MODULES.items()]
    files.append(File.generated(config, "python-api.md", content=API.format("\n".join(parts))))
    return files


def on_page_markdown(markdown, page, **_):
    """A link to a file of the checkout that is no page becomes its name."""
    inside = {".md", ".png", ".jpg"}

    def plain(match):
        text, target = match.groups()
        path = target.partition("#")[0]
        if "://" in target or not path or (pathlib.Path(path).suffix in inside and not path.startswith("..") and (ROOT / "docs" / path).exists()):
            return match.group(0)
        if "bench/results/" in path and path != "../bench/results/README.md":
            return f"{text} `{pathlib.Path(path).name}`" if text.startswith("record") else f"`{pathlib.Path(path).stem}`"
        return text if text.startswith("`") else f"{text} (`{path.removeprefix('../')}`)" if text != path else f"`{path}`"

    return re.sub(r"(?<!!)\[([^\]]*)\]\(([^)\s]+)\)", plain, markdown)
