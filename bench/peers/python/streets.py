#!/usr/bin/env python3
"""Runs `bifocal map` and COLMAP's mappers on the same databases of synthetic streets with look-alikes: registered images, points, observations,
mean reprojection error, and the largest errors of the poses after alignment.

  scripts/bench-mapping --streets [--images N...] [--wrong SHARE] [--seed S] [--bifocal PROGRAM] [--made PROGRAM] [--most SECONDS]
      [--mappers NAME...]

A mapper that runs for more than --most seconds is stopped, and its row says so. One call measures several sizes in sequence."""
import argparse
import multiprocessing
import pathlib
import subprocess
import tempfile
import time

import numpy as np
import pycolmap

ROOT = pathlib.Path(__file__).resolve().parents[3]


def read_truth(file):
    """Returns the rotation (world to camera) and the centre of each image by its name."""
    rows = {}
    for line in file.read_text().splitlines():
        name, *numbers = line.split()
        values = np.array(numbers, float)
        rows[name] = values[:9].reshape(3, 3), values[9:]
    return rows


def pose_errors(model, truth):
    """Returns the largest rotation error in degrees and the largest error of a centre in per cent of the extent of the true centres. Centres are aligned
    by the best fitting similarity (S. Umeyama, PAMI 13(4), 1991), rotations by the best fitting rotation, because the centres of a street hardly
    determine the rotation about it."""
    images = [i for i in model.images.values() if i.has_pose]
    found = np.array([i.projection_center() for i in images])
    true = np.array([truth[i.name][1] for i in images])
    a, b = found - found.mean(0), true - true.mean(0)
    U, s, Vt = np.linalg.svd(b.T @ a)
    sign = np.diag([1, 1, np.sign(np.linalg.det(U @ Vt))])
    R = U @ sign @ Vt
    scale = np.trace(np.diag(s) @ sign) / (a**2).sum()
    extent = 2 * np.linalg.norm(b, axis=1).max()
    centre = np.linalg.norm(scale * a @ R.T - b, axis=1).max() / extent
    found_R = [i.cam_from_world().rotation.matrix() for i in images]
    true_R = [truth[i.name][0] for i in images]
    U, _, Vt = np.linalg.svd(sum(t.T @ f for t, f in zip(true_R, found_R)))
    Q = U @ np.diag([1, 1, np.linalg.det(U @ Vt)]) @ Vt  # to the true world from the found one
    cosines = [(np.trace(t @ Q @ f.T) - 1) / 2 for t, f in zip(true_R, found_R)]
    return float(np.degrees(np.arccos(np.clip(min(cosines), -1, 1)))), float(100 * centre)


def colmap_models(how, database, out):
    mapper = pycolmap.incremental_mapping if how == "incremental" else pycolmap.global_mapping
    mapper(str(database), str(database.parent), str(out))  # no photographs: only colours need them


def run(how, program, database, out, most):
    """Writes the models to folders of `out`. Returns the seconds, or None after `most` seconds."""
    start = time.time()
    if how == "bifocal":
        command = [str(program), "map", str(database), "--out", str(out), "--device", "cpu"]
        try:
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL, timeout=most)
        except subprocess.TimeoutExpired:
            return None
        return time.time() - start
    process = multiprocessing.get_context("spawn").Process(target=colmap_models, args=(how, database, out))
    process.start()
    process.join(most)
    if process.is_alive():
        process.kill()
        return None
    if process.exitcode != 0:
        raise RuntimeError(f"{how}: exit code {process.exitcode}")
    return time.time() - start


def row_of(how, args, database, truth, out):
    seconds = run(how, args.bifocal, database, out, args.most)
    if seconds is None:
        return {"mapper": how, "seconds": f"stopped after {args.most}"}
    models = [pycolmap.Reconstruction(str(f.parent)) for f in sorted(out.rglob("images.bin"))]
    row = {"mapper": how, "seconds": f"{seconds:.1f}", "models": len(models)}
    if not models:
        return row
    models.sort(key=lambda m: -m.num_reg_images())
    best = models[0]
    rotation, centre = pose_errors(best, truth)
    return row | {"registered": "+".join(str(m.num_reg_images()) for m in models), "points": best.num_points3D(),
                  "observations": best.compute_num_observations(), "error_px": f"{best.compute_mean_reprojection_error():.3f}",
                  "rotation_deg": f"{rotation:.3f}", "centre_percent": f"{centre:.3f}"}


COLUMNS = ["images", "mapper", "seconds", "models", "registered", "points", "observations", "error_px", "rotation_deg", "centre_percent"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bifocal", type=pathlib.Path, default=ROOT / "build-bench/apps/bifocal/bifocal")
    parser.add_argument("--made", type=pathlib.Path, default=ROOT / "build-bench/bench/made_streets", help="the program made_streets")
    parser.add_argument("--images", type=int, nargs="+", default=[100, 400])
    parser.add_argument("--wrong", type=float, default=0.3, help="fraction of the pairs that are look-alikes")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--most", type=float, default=1200, help="seconds of one mapper")
    parser.add_argument("--mappers", nargs="+", default=["bifocal", "global", "incremental"])
    args = parser.parse_args()
    print(f"pycolmap {pycolmap.__version__}\n| {' | '.join(COLUMNS)} |\n{'|---' * len(COLUMNS)}|", flush=True)
    for images in args.images:
        with tempfile.TemporaryDirectory() as work:
            folder = pathlib.Path(work)
            database = folder / "street.db"
            subprocess.run([str(args.made), str(database), str(folder / "truth.txt"), str(images), str(args.wrong), str(args.seed)], check=True)
            truth = read_truth(folder / "truth.txt")
            for how in args.mappers:
                out = folder / how
                out.mkdir()
                row = {"images": images, **row_of(how, args, database, truth, out)}
                print("| " + " | ".join(str(row.get(c, "-")) for c in COLUMNS) + " |", flush=True)


if __name__ == "__main__":
    main()
