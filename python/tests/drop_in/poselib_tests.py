#!/usr/bin/env python3
"""poselib_tests.py CHECKOUT DATA: runs PoseLib's Python test, the project posebench, unchanged and with bifocal.poselib instead of poselib.

CHECKOUT: of posebench. Its data are downloads. They are replaced, under the names of three of its sets, by matches of the photographs of
fountain-P11 and Herz-Jesus-P8 in DATA, whose cameras are known, and by synthetic scenes for homographies and absolute poses. Fails if an
estimator that runs with PoseLib fails with Bifocal, or if its area under the recall curve is lower by more than 0.02."""

import contextlib
import importlib
import io
import os
import pathlib
import sys
import tempfile

import h5py
import numpy as np

import bifocal
import bifocal.poselib

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "bench/peers/python"))
import synthetic_pairs  # noqa: E402

RELATIVE, HOMOGRAPHY, ABSOLUTE = "megadepth1500_sift", "barath_Alamo", "eth3d_130_dusmanu"
ALLOWED = 0.02


def put(group, **values):
    for name, value in values.items():
        if name.startswith("camera"):
            one = group.create_group(name)
            for key, content in zip(("model", "width", "height", "params"), value):
                one[key] = np.atleast_1d(content) if key != "model" else np.array([content], h5py.string_dtype())
        else:
            group[name] = value


def photographs(file, data):
    """Returns the pairs of each scene that have at least 30 matches."""
    for scene in ("fountain-P11", "Herz-Jesus-P8"):
        views = []
        for photo in sorted((data / "collections" / scene).glob("*.jpg")):
            rows = [[float(v) for v in line.split()] for line in (data / "strecha" / scene / f"{photo.name}.camera").read_text().splitlines() if line.strip()]
            K, R, C = np.array(rows[:3]), np.array(rows[4:7]).T, np.array(rows[7])
            picture = bifocal.read_image(str(photo))
            height, width = picture.shape[:2]
            K = K * np.array([[width / rows[8][0]], [height / rows[8][1]], [1]])  # the photographs may be reduced
            camera = "PINHOLE", width, height, np.array([K[0, 0], K[1, 1], K[0, 2], K[1, 2]])
            views.append((photo.stem, bifocal.detect(picture, bifocal.SiftOptions(max_features=4096)), camera, R, C))
        for a in range(len(views)):
            for b in range(a + 1, len(views)):
                (name1, f1, camera1, R1, C1), (name2, f2, camera2, R2, C2) = views[a], views[b]
                i, j = np.asarray(bifocal.match(f1, f2).indices).T
                if len(i) >= 30:
                    x1, x2 = np.asarray(f1.xy)[i].astype(float), np.asarray(f2.xy)[j].astype(float)
                    put(file.create_group(f"{scene}-{name1}-{name2}"), x1=x1, x2=x2, R=R2 @ R1.T, t=R2 @ (C1 - C2), camera1=camera1, camera2=camera2)


def synthetic(planes, cameras):
    camera = "PINHOLE", int(synthetic_pairs.WIDTH), int(synthetic_pairs.HEIGHT), np.array([synthetic_pairs.F, synthetic_pairs.F, synthetic_pairs.CX, synthetic_pairs.CY])
    for k, s in enumerate(synthetic_pairs.make(40, 500, 0.5, planar=True)):
        put(planes.create_group(f"{k:03}"), x1=s.x1, x2=s.x2, R=s.R, t=s.t, camera1=camera, camera2=camera)
    rng = np.random.default_rng(0)
    for k, s in enumerate(synthetic_pairs.make(40, 500, 0.5)):
        depth = rng.uniform(4, 12, 500)
        X = np.c_[(s.x1 - [synthetic_pairs.CX, synthetic_pairs.CY]) / synthetic_pairs.F, np.ones(500)] * depth[:, None]
        Y = X @ s.R.T + s.t
        x = Y[:, :2] / Y[:, 2:] * synthetic_pairs.F + [synthetic_pairs.CX, synthetic_pairs.CY] + rng.normal(0, 1, (500, 2))
        wrong = rng.random(500) < 0.5
        x[wrong] = rng.uniform([0, 0], [synthetic_pairs.WIDTH, synthetic_pairs.HEIGHT], (wrong.sum(), 2))
        put(cameras.create_group(f"{k:03}"), p2d=x, p3d=X, R=s.R, t=s.t, camera=camera)


def evaluate(module):
    """Returns {estimator: numbers or failure} with `module` instead of poselib."""
    for name in [n for n in sys.modules if n.split(".")[0] == "posebench"]:
        del sys.modules[name]
    sys.modules["poselib"] = module
    out = {}
    import posebench  # noqa: F401

    problems = {"relative_pose": (RELATIVE, ["E (poselib)", "F (poselib)"]), "homography": (HOMOGRAPHY, ["H (poselib)"])}
    problems["absolute_pose"] = ABSOLUTE, ["PnP (poselib)"]
    for problem, (dataset, methods) in problems.items():
        run = importlib.import_module(f"posebench.{problem}").main
        for method in methods:
            try:
                with contextlib.redirect_stderr(io.StringIO()):
                    metrics, _ = run(dataset_filter=[dataset], method_filter=[method])
                out[method] = metrics[dataset][method]
            except Exception as error:
                out[method] = f"{type(error).__name__}: {error}"
    return out


def main():
    if len(sys.argv) != 3 or not (pathlib.Path(sys.argv[1]) / "src/posebench").is_dir():
        sys.exit(__doc__)
    checkout, data = (pathlib.Path(a).resolve() for a in sys.argv[1:])
    sys.path.insert(0, str(checkout / "src"))
    import poselib

    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for kind, name in (("relative", RELATIVE), ("homography", HOMOGRAPHY), ("absolute", ABSOLUTE)):
            pathlib.Path("data", kind).mkdir(parents=True)
        with h5py.File(f"data/relative/{RELATIVE}.h5", "w") as file:
            photographs(file, data)
            print(f"{len(file)} pairs of photographs, 40 planes, 40 absolute poses")
        with h5py.File(f"data/homography/{HOMOGRAPHY}.h5", "w") as planes, h5py.File(f"data/absolute/{ABSOLUTE}.h5", "w") as cameras:
            synthetic(planes, cameras)
        own, ours = evaluate(poselib), evaluate(bifocal.poselib)
        os.chdir(ROOT)
    for method, theirs in own.items():
        texts = []
        for found in (theirs, ours[method]):
            texts.append(found if isinstance(found, str) else ", ".join(f"{k} {v:.4g}" for k, v in found.items()))
        bad = not isinstance(theirs, str) and (isinstance(ours[method], str) or any(ours[method][k] < v - ALLOWED for k, v in theirs.items() if "AUC" in k))
        failed += bad
        print(f"{method}: PoseLib {poselib.__version__}: {texts[0]}; Bifocal: {texts[1]}{' (worse)' if bad else ''}")
    return failed


if __name__ == "__main__":
    sys.exit(main())
