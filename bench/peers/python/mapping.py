#!/usr/bin/env python3
"""Runs COLMAP's mappers on databases that `bifocal collect` made from photographs, and on databases of COLMAP's own front end on the same
photographs: registered images, points, reprojection error, and camera centres against measured centres.

  scripts/bench-mapping [--bifocal PROGRAM] [--data DIR] [--scene NAME...] [--json FILE]

The data (fountain-P11, Herz-Jesus-P8, sceaux; mixture: all three in one folder) are in $BIFOCAL_DATA, by default shared/data next to the checkout
(`scripts/fetch-data`). Figures of several models of one database are listed in sequence, the largest first."""
import argparse
import json
import os
import pathlib
import sqlite3
import subprocess
import tempfile
import time

import numpy as np
import pycolmap

ROOT = pathlib.Path(__file__).resolve().parents[3]
DATA = pathlib.Path(os.environ.get("BIFOCAL_DATA", ROOT.parent / "shared/data"))  # scripts/fetch-data
SCENES = {"fountain-P11": True, "Herz-Jesus-P8": True, "sceaux": False, "mixture": False}  # whether cameras are measured


def read_camera(file):
    """Returns K of the image of half the size, and the centre of the camera."""
    rows = [[float(v) for v in line.split()] for line in file.read_text().splitlines() if line.strip()]
    K = np.array(rows[0:3])
    half = (K[0, 0] / 2, K[1, 1] / 2, (K[0, 2] + 0.5) / 2 - 0.5, (K[1, 2] + 0.5) / 2 - 0.5)
    return half, np.array(rows[7])


def truth_of(data, scene):
    folder = data / "strecha" / scene
    return {f.name.removesuffix(".camera"): read_camera(f) for f in sorted(folder.glob("*.camera"))}


def aligned_errors(found, true):
    """Returns the distances of the centres after the best fitting similarity (S. Umeyama, PAMI 13(4), 1991)."""
    mean_found, mean_true = found.mean(0), true.mean(0)
    a, b = found - mean_found, true - mean_true
    U, s, Vt = np.linalg.svd(b.T @ a)
    sign = np.diag([1, 1, np.sign(np.linalg.det(U @ Vt))])
    R = U @ sign @ Vt
    scale = np.trace(np.diag(s) @ sign) / (a**2).sum()
    return np.linalg.norm(scale * a @ R.T - b, axis=1)


def map_database(database, images, how, truth, work):
    start = time.time()
    out = pathlib.Path(tempfile.mkdtemp(dir=work))
    mapper = pycolmap.incremental_mapping if how == "incremental" else pycolmap.global_mapping
    models = mapper(str(database), str(images), str(out))
    row = {"mapper": how, "seconds": round(time.time() - start, 1), "models": len(models)}
    if not models:
        return row
    by_size = sorted(models.values(), key=lambda m: -m.num_reg_images())
    best = by_size[0]
    row |= {"registered": "+".join(str(m.num_reg_images()) for m in by_size),
            "points": "+".join(str(m.num_points3D()) for m in by_size),
            "observations": sum(m.compute_num_observations() for m in by_size),
            "error_px": round(best.compute_mean_reprojection_error(), 4)}
    centres = {i.name: i.projection_center() for i in best.images.values() if i.has_pose}
    names = sorted(set(centres) & set(truth))
    if len(names) >= 3:
        errors = 1000 * aligned_errors(np.array([centres[n] for n in names]), np.array([truth[n][1] for n in names]))
        row |= {"centre_mean_mm": round(float(errors.mean()), 2), "centre_max_mm": round(float(errors.max()), 2)}
    return row


def own_front_end(images, database, intrinsics):
    """Runs COLMAP's SIFT, matcher and verification, with its defaults."""
    options = pycolmap.ImageReaderOptions()
    mode = pycolmap.CameraMode.AUTO
    if intrinsics:
        fx, fy, cx, cy = intrinsics
        options.camera_model = "PINHOLE"
        options.camera_params = f"{fx},{fy},{cx + 0.5},{cy + 0.5}"
        mode = pycolmap.CameraMode.SINGLE
    pycolmap.extract_features(str(database), str(images), camera_mode=mode, reader_options=options)
    pycolmap.match_exhaustive(str(database))


def our_front_end(program, images, database, intrinsics, more):
    command = [str(program), "collect", str(images), "--database", str(database), *more]
    if intrinsics:
        command += ["--intrinsics", ",".join(str(v) for v in intrinsics)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def descriptor_agreement(ours, its):
    """Returns the median cosine between the descriptors of features that both front ends found at one place, scale and direction."""
    def load(database, name):
        with sqlite3.connect(database) as db:
            image = db.execute("SELECT image_id FROM images WHERE name = ?", [name]).fetchone()[0]
            _, columns, blob = db.execute("SELECT rows, cols, data FROM keypoints WHERE image_id = ?", [image]).fetchone()
            k = np.frombuffer(blob, np.float32).reshape(-1, columns)
            d = db.execute("SELECT data FROM descriptors WHERE image_id = ?", [image]).fetchone()[0]
        scale, angle = (k[:, 2], k[:, 3]) if columns == 4 else (np.hypot(k[:, 2], k[:, 4]), np.arctan2(k[:, 4], k[:, 2]))
        return k[:, :2], scale, angle, np.frombuffer(d, np.uint8).reshape(-1, 128).astype(float)

    with sqlite3.connect(ours) as db:
        name = db.execute("SELECT name FROM images ORDER BY image_id").fetchone()[0]
    a, b = load(its, name), load(ours, name)
    cosines = []
    for place, scale, angle, descriptor in zip(*b):
        rotation = np.abs((a[2] - angle + np.pi) % (2 * np.pi) - np.pi)
        same = (np.hypot(*(a[0] - place).T) < 0.4) & (np.abs(np.log(a[1] / scale)) < 0.15) & (rotation < 0.15)
        for other in a[3][same]:
            cosines.append(other @ descriptor / np.linalg.norm(other) / np.linalg.norm(descriptor))
    return len(cosines), float(np.median(cosines))


def run_scene(args, scene, work):
    images = args.data / "collections" / ("" if scene == "mixture" else scene)
    truth = truth_of(args.data, scene) if SCENES[scene] else {}
    rows = []
    for cameras in ["unknown", "known"] if truth else ["unknown"]:
        intrinsics = next(iter(truth.values()))[0] if cameras == "known" else None
        for front_end in ["bifocal", "COLMAP"] if args.front_end == "both" else [args.front_end]:
            database = work / f"{scene}-{cameras}-{front_end}.db"
            start = time.time()
            if front_end == "bifocal":
                our_front_end(args.bifocal, images, database, intrinsics, args.collect_options.split())
            else:
                own_front_end(images, database, intrinsics)
            seconds = round(time.time() - start, 1)
            for how in ["incremental", "global"]:
                row = map_database(database, images, how, truth, work)
                rows.append({"scene": scene, "images": len(list(images.rglob("*.[jJ]*"))), "cameras": cameras,
                             "front_end": front_end, "front_end_seconds": seconds, **row})
                print(line(rows[-1]), flush=True)
        if args.front_end == "both":
            count, cosine = descriptor_agreement(*(work / f"{scene}-{cameras}-{f}.db" for f in ["bifocal", "COLMAP"]))
            print(f"{scene}: {count} features of the first photograph that both found: cosine of descriptors {cosine:.3f}")
    return rows


COLUMNS = ["scene", "cameras", "front_end", "front_end_seconds", "mapper", "models", "registered", "images", "points",
           "observations", "error_px", "centre_mean_mm", "centre_max_mm"]


def line(row):
    return "| " + " | ".join(str(row.get(c, "-")) for c in COLUMNS) + " |"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bifocal", type=pathlib.Path, default=ROOT / "build-release/apps/bifocal/bifocal")
    parser.add_argument("--data", type=pathlib.Path, default=DATA)
    parser.add_argument("--scene", action="append", choices=SCENES)
    parser.add_argument("--collect-options", default="", help="more options of `bifocal collect`, in one word")
    parser.add_argument("--front-end", choices=["bifocal", "COLMAP", "both"], default="both")
    parser.add_argument("--json", type=pathlib.Path)
    args = parser.parse_args()
    pycolmap.logging.minloglevel = pycolmap.logging.ERROR.value
    print(f"pycolmap {pycolmap.__version__}\n{line({c: c for c in COLUMNS})}\n{'|---' * len(COLUMNS)}|")
    rows = []
    with tempfile.TemporaryDirectory() as work:
        for scene in args.scene or SCENES:
            rows += run_scene(args, scene, pathlib.Path(work))
    if args.json:
        args.json.write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()
