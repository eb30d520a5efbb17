"""Hooks of MkDocs: pages that are written for the checkout become a site."""

import pathlib
import re
import sys

from mkdocs.structure.files import File

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import cpp_api  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
API = """# Python API

{}
"""
MODULES = {
    "bifocal._pair": "Two photographs",
    "bifocal._pair_files": "Files of two photographs",
    "bifocal._robust": "Robust estimation",
    "bifocal._unknown_cameras": "Robust estimation with unknown cameras",
    "bifocal.two_view": "Single steps",
    "bifocal._covariances": "Covariances",
    "bifocal.doubts": "Doubts",
    "bifocal._cameras": "Cameras",
    "bifocal._features": "Features and matches",
    "bifocal.learned": "Learned features",
    "bifocal._collection": "Many images",
    "bifocal.pairs": "Pair selection",
    "bifocal._adjust": "Bundle adjustment",
    "bifocal.priors": "Priors of bundle adjustment",
    "bifocal._dense": "Dense depth of many views",
    "bifocal._pictures": "Images",
    "bifocal._stereo_matching": "Dense stereo",
    "bifocal.depth": "Files of disparity and depth",
    "bifocal._rectification": "Rectification",
    "bifocal.solvers": "Minimal solvers",
    "bifocal.linalg": "Linear algebra",
    "bifocal._options": "Options",
    "bifocal._devices": "Devices and threads",
    "bifocal.cv": "Drop-in for OpenCV",
    "bifocal.colmap": "COLMAP databases and verification",
    "bifocal.poselib": "Drop-in for PoseLib",
}


def on_files(files, config):
    """Adds the README as first page, and pages for the Python and C++ APIs."""
    readme = re.sub(r"\]\((?!docs/|\w+:)", "](../", (ROOT / "README.md").read_text()).replace("](docs/", "](")
    files.append(File.generated(config, "index.md", content=readme))
    parts = [f"## {title}\n\n::: {module}\n" for module, title in MODULES.items()]
    files.append(File.generated(config, "python-api.md", content=API.format("\n".join(parts))))
    files.append(File.generated(config, "cpp-api.md", content=cpp_api.page()))
    return files


def on_page_markdown(markdown, page, **_):
    """Replaces links to files of the checkout that are no pages by their names."""
    folder = (ROOT / "docs" / page.file.src_uri).parent
    results = ROOT / "bench/results"

    def plain(match):
        text, target = match.groups()
        path = target.partition("#")[0]
        if "://" in target or not path:
            return match.group(0)
        file = (folder / path).resolve()
        if file.suffix in {".md", ".png", ".jpg"} and file.is_relative_to(ROOT / "docs") and file.exists():
            return match.group(0)
        name = file.relative_to(ROOT).as_posix() if file.is_relative_to(ROOT) else path
        if file.is_relative_to(results) and file.name != "README.md":
            return f"{text} `{file.name}`" if text.startswith("record") else f"`{file.stem}`"
        return text if text.startswith("`") else f"{text} (`{name}`)" if text not in (path, name) else f"`{name}`"

    return re.sub(r"(?<!!)\[([^\]]*)\]\(([^)\s]+)\)", plain, markdown)
