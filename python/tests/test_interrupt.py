"""Ctrl-C ends long calls. The time from the signal to the exception is measured in a separate process."""

import subprocess
import sys

import pytest
from data_folder import IS_LONG

BEGIN = """
import signal, sys, time
import numpy as np
import bifocal
rng = np.random.default_rng(0)
"""

# Preparation and call of each case; the call takes seconds.
CALLS = {
    "one large pair": ("rows = rng.uniform(0, 1000, (500_000, 4)); o = bifocal.RobustOptions(min_iterations=300_000)", "bifocal.estimate_fundamental(rows, options=o)"),
    "a batch": ("rows = rng.uniform(0, 1000, (8_000_000, 4))", "bifocal.estimate_batch('fundamental', rows, np.arange(4001) * 2000)"),
    "refine": ("rows = rng.uniform(0, 1000, (3_000_000, 4))", "bifocal.two_view.refine('fundamental', np.array([[0, 0, 0], [0, 0, -1.0], [0, 1, 0.5]]), rows, max_steps=1000)"),
    "triangulate": ("x = rng.uniform(0, 1000, (3_000_000, 2)); K = np.diag([1000, 1000, 1.0])", "bifocal.triangulate(x, x + 1.0, K, None, np.eye(3), [1, 0, 0])"),
    "undistort": ("x = rng.uniform(0, 1000, (5_000_000, 2)); c = bifocal.Camera(500, 500, 500, 500, k1=-0.1)", "bifocal.undistort_points(x, c)"),
    "stereo": ("left = rng.integers(0, 255, (3000, 5000), dtype=np.uint8); o = bifocal.SgmOptions(disparities=256)", "bifocal.stereo(left, left, o)"),
    "stereo by windows": ("left = rng.integers(0, 255, (2000, 4000), dtype=np.uint8); o = bifocal.SsdOptions(disparities=1024)", "bifocal.stereo(left, left, o)"),
    "detect": ("image = np.repeat(np.repeat(rng.integers(0, 255, (1250, 1250), dtype=np.uint8), 8, 0), 8, 1)", "bifocal.detect(image)"),
    "detect by SURF": (
        "image = np.repeat(np.repeat(rng.integers(0, 255, (1250, 1250), dtype=np.uint8), 8, 0), 8, 1)",
        "bifocal.detect(image, bifocal.SurfOptions())",
    ),
    "match": ("d = rng.integers(0, 255, (100_000, 128), dtype=np.uint8)", "bifocal.match(d, d)"),
    "match floats": ("d = rng.standard_normal((40_000, 256)).astype(np.float32)", "bifocal.match_descriptors(d, d)"),
    "collection": ("images = [rng.integers(0, 255, (1000, 1500), dtype=np.uint8) for _ in range(8)]", "bifocal.Collection().detect(images)"),
    "svd": ("A = rng.standard_normal((300_000, 12, 12), dtype=np.float32)", "bifocal.linalg.svd(A)"),
    "eigenpairs": ("A = rng.standard_normal((60_000, 20, 20))", "bifocal.linalg.real_eigenpairs(A)"),
    "solvers": ("s = rng.uniform(-1, 1, (20, 1_000_000))", "bifocal.solvers.solve_minimal('essential_5pt', s)"),
}
CALL = """
def on_alarm(*_):
    raise KeyboardInterrupt
signal.signal(signal.SIGALRM, on_alarm)
AFTER = float(sys.argv[1])
begin = time.perf_counter()
signal.setitimer(signal.ITIMER_REAL, AFTER)
try:
    CALL
    signal.setitimer(signal.ITIMER_REAL, 0)  # else it may come when Python ends, which nothing handles
    print('done', time.perf_counter() - begin)
except KeyboardInterrupt:
    print('interrupted', time.perf_counter() - begin - AFTER)
small = rng.uniform(0, 100, (50, 2))
bifocal.estimate_homography(small, small + 1)  # the next call works
"""


def answer(name, after=0.15):
    """Returns 'interrupted' and the seconds from the signal to the exception."""
    prepare, call = CALLS[name]
    code = BEGIN + prepare + CALL.replace("    CALL\n", f"    {call}\n")
    out = subprocess.run([sys.executable, "-c", code, str(after)], capture_output=True, text=True, timeout=120)
    assert out.returncode == 0, out.stderr
    word, seconds = out.stdout.split()
    return word, float(seconds)


# A call of each kind of loop: samples, pairs of a batch, rows of images, levels, blocks of descriptors.
SHORT = "one large pair", "a batch", "stereo", "detect", "match"


@pytest.mark.parametrize("name", CALLS if IS_LONG else SHORT)
def test_ctrl_c_is_answered(name):
    """The goal is 0.1 s; the bound of 2 s allows for busy machines."""
    word, seconds = answer(name)
    if word == "done" and seconds < 0.3:
        pytest.skip(f"over before the signal: {seconds:.2f} s")
    assert word == "interrupted" and seconds < 2, (word, seconds)


if __name__ == "__main__":
    for each in CALLS:
        found = sorted(answer(each)[::-1] for _ in range(3))
        print(f"{each:20} {found[1][1]:12} {1e3 * found[1][0]:8.0f} ms")
