"""Measures calls with arrays of torch on a GPU and on the host, for a record. Not a test."""

import time

import numpy as np
import torch
from scenes import Scene

import bifocal


def median_us(call, repeats=30):
    times = []
    for k in range(repeats + 3):
        begin = time.perf_counter()
        call()
        torch.cuda.synchronize()
        if k >= 3:
            times.append(1e6 * (time.perf_counter() - begin))
    return np.median(times)


scene = Scene(n=1000, seed=1)
rows = np.tile(scene.rows, (2000, 1))
offsets = np.arange(0, len(rows) + 1, 1000)
rng = np.random.default_rng(0)
matrices = rng.standard_normal((100_000, 9, 9)).astype(np.float32)
descriptors = rng.integers(0, 80, (2, 8192, 128), dtype=np.uint8)
floats = rng.standard_normal((2, 4096, 256)).astype(np.float32)
image = np.repeat(np.repeat(rng.integers(0, 255, (135, 240), dtype=np.uint8), 8, 0), 8, 1)
matcher = bifocal.StereoMatcher(1920, 1080, device="cuda:0")
there = {k: torch.from_numpy(v).cuda() for k, v in {"rows": rows, "matrices": matrices, "descriptors": descriptors, "floats": floats, "image": image}.items()}
torch.cuda.synchronize()
print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}; medians of 30 calls, us: on the device, from the host")
for name, call in {
    "homographies of 2000 pairs of 1000": lambda a: bifocal.estimate_batch("homography", a["rows"], offsets, device="cuda:0"),
    "one pair of 1000, fundamental": lambda a: bifocal.estimate_fundamental(a["rows"][:1000], device="cuda:0"),
    "svd of 100,000 9 x 9 float32": lambda a: bifocal.linalg.svd(a["matrices"], device="cuda:0"),
    "match 8192 x 8192": lambda a: bifocal.match(*a["descriptors"], device="cuda:0"),
    "match 4096 x 4096 of 256 floats": lambda a: bifocal.match_descriptors(*a["floats"], device="cuda:0"),
    "detect 1920 x 1080": lambda a: bifocal.detect(a["image"], device="cuda:0"),
    "stereo 1920 x 1080": lambda a: matcher(a["image"], a["image"]),
}.items():
    host = {"rows": rows, "matrices": matrices, "descriptors": descriptors, "floats": floats, "image": image}
    print(f"{name:40} {median_us(lambda: call(there)):12.0f} {median_us(lambda: call(host), 10):12.0f}")
