"""Writes the C++ reference: the declarations and comments of the public headers as one page."""

import itertools
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
HEADERS = [
    ("two_photographs", "One pair of photographs"),
    ("robust", "Robust estimation"),
    ("two_view", "Single steps"),
    ("geometry", "Geometry"),
    ("camera", "Cameras"),
    ("features", "Features"),
    ("matching", "Matching"),
    ("verify_pairs", "Verification of pairs"),
    ("video", "Video"),
    ("rectify", "Rectification"),
    ("stereo", "Dense stereo"),
    ("draw", "Drawing"),
    ("pair_selection", "Selection of pairs"),
    ("collect", "Collections"),
    ("colmap/database", "COLMAP databases"),
    ("colmap/verify", "COLMAP verification"),
    ("colmap/rotation_cycles", "Contradicting pairs"),
    ("mapping", "Sparse models"),
    ("adjust", "Bundle adjustment"),
    ("colmap/model", "COLMAP models"),
    ("colmap/bundle_adjust", "Bundle adjustment of COLMAP models"),
    ("dense", "Dense depth of many views"),
    ("jobs", "Jobs of the program"),
    ("solvers", "Minimal solvers"),
    ("linalg", "Linear algebra"),
    ("io", "Files"),
    ("image", "Images"),
    ("device", "Devices"),
    ("error", "Errors"),
    ("fields", "Options"),
]
NAME = re.compile(r"(?:struct|class|enum class) (\w+)|(\w+)\(")
REFLECTION = re.compile(r"template <MaybeConst|constexpr const char\* name_of")  # follows the options that it lists
SKIPPED = re.compile(r"^(?:template <MaybeConst|constexpr const char\* name_of|#|BIFOCAL_|\}|namespace|using namespace)")


def blocks(text):
    """Yields (comment, declaration) of each declaration in the namespace of a header."""
    body = text[text.index("namespace bifocal") :].split("\n", 1)[1]
    comment, code, depth = [], [], 0
    for line in [*body.splitlines(), ""]:
        if depth == 0 and not code and line.startswith("//"):
            comment.append(line[2:].removeprefix(" "))
            continue
        if line.strip() or depth > 0:
            code.append(line)
            depth += line.count("{") - line.count("}")
            continue
        if code and (shown := list(itertools.takewhile(lambda line: not REFLECTION.match(line), code))) and not SKIPPED.match(code[0]):
            yield "\n".join(comment), "\n".join(shown)
        comment, code, depth = [], [], 0


def entry(comment, code):
    """Returns a declaration as Markdown. Comment lines that are indented are code or references."""
    found = NAME.search(re.sub(r"\[\[nodiscard\]\] ", "", code))
    title = f"### `{found[1] or found[2]}`\n\n" if found else ""
    text = re.sub(r"(?m)^  +(?=\S)", "&nbsp;&nbsp;", comment).replace("<", "&lt;").replace("*", r"\*")
    return f"{title}{text}\n\n```cpp\n{code}\n```\n"


def page():
    """Returns the page as Markdown."""
    parts = ["# C++ API\n\nThe public headers. `#include <bifocal/bifocal.hpp>` contains most of them.\n"]
    for name, title in HEADERS:
        text = (ROOT / f"include/bifocal/{name}.hpp").read_text()
        head = re.match(r"// SPDX[^\n]*\n((?://[^\n]*\n)*)", text)
        about = re.sub(r"(?m)^// ?", "", head[1] if head else "").replace("<", "&lt;")
        parts.append(f"## {title}\n\n`bifocal/{name}.hpp`\n\n{about}\n")
        parts += [entry(comment, code) for comment, code in blocks(text)]
    return "\n".join(parts)
