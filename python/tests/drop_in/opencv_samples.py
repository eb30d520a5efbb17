#!/usr/bin/env python3
"""opencv_samples.py [FOLDER]: runs OpenCV's own Python samples (Debian's opencv-doc) that call functions of bifocal.cv, unchanged and with
functions of bifocal.cv instead of cv2. Fails if a sample fails that runs with OpenCV; prints the output of both."""

import contextlib
import io
import os
import pathlib
import re
import runpy
import sys
import tempfile

import cv2

import bifocal.cv

FOLDER = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "/usr/share/doc/opencv-doc/examples")
DATA = FOLDER / "data"
SAMPLES = {
    "find_obj.py": ["--feature=orb", DATA / "box.png", DATA / "box_in_scene.png"],
    "asift.py": ["--feature=orb", DATA / "graf1.png", DATA / "graf3.png"],
    "stereo_match.py": [],
    "essential_mat_reconstr.py": [DATA / "essential_mat_data.txt", f"{DATA}/"],
}
OWN = {name: getattr(cv2, name) for name in bifocal.cv.__all__ if hasattr(cv2, name)}
cv2.samples.addSamplesDataSearchPath(str(DATA))
# The samples run without windows.
for name in ("imshow", "waitKey", "destroyAllWindows", "setMouseCallback", "namedWindow"):
    setattr(cv2, name, lambda *_, **__: 0)
os.environ["MPLBACKEND"] = "Agg"


def run(sample, arguments):
    """Returns the output of a sample, and its failure or None."""
    sys.argv = [sample, *map(str, arguments)]
    out, ended = io.StringIO(), None
    try:
        with contextlib.redirect_stdout(out):
            runpy.run_path(str(FOLDER / "python" / sample), run_name="__main__")
    except (Exception, SystemExit) as failure:
        ended = f"ended by {type(failure).__name__}: {failure}"
    said = [line.strip() for line in out.getvalue().splitlines() if re.search(r"inlier|error|object points|saved", line)]
    return said, ended


def main():
    sys.path.insert(0, str(FOLDER / "python"))
    failed = 0
    os.chdir(tempfile.mkdtemp())
    for sample, arguments in SAMPLES.items():
        ends = []
        for who, functions in (("OpenCV", OWN), ("Bifocal", {name: getattr(bifocal.cv, name) for name in OWN})):
            for name, function in functions.items():
                setattr(cv2, name, function)
            said, ended = run(sample, arguments)
            ends.append(ended)
            print(f"{sample}, {who}: " + "; ".join([*said, *([ended] if ended else [])]))
        failed += ends[1] is not None and ends[0] is None
    return failed


if __name__ == "__main__":
    sys.exit(main())
