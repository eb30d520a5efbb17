#!/usr/bin/env python3
"""Runs hloc's own pipeline on photographs, with pycolmap's verification and with Bifocal's, which replaces it by one line.

  scripts/bench-hloc --hloc CHECKOUT [--scene NAME...] [--matcher NN-ratio|NN-mutual] [--work DIR] [--text FILE]

CHECKOUT is a checkout of github.com/cvg/Hierarchical-Localization. Its code runs unchanged: extract_features (`sift`, which needs no weights),
pairs_from_exhaustive, match_features, reconstruction.main. For each scene and verifier it prints the mapper's result and the CPU seconds of the
verification. Then the same with skip_geometric_verification, which leaves rows of configuration 0, and verification of this database by
`bifocal.colmap.verify`. Photographs and measured centres are in $BIFOCAL_DATA, by default shared/data next to the checkout."""

import argparse
import contextlib
import pathlib
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time

import mapping
import numpy as np
import pycolmap

import bifocal.colmap

SCENES = ["fountain-P11", "Herz-Jesus-P8"]
NAMES = ["undefined", "degenerate", "calibrated", "uncalibrated", "planar", "panoramic", "planar_or_panoramic", "watermark"]
COLUMNS = ["scene", "cameras", "verified by", "seconds", "configurations", "inliers", "registered", "points", "error_px",
           "centre_mean_mm", "centre_max_mm"]


class Timed:
    """A verifier that keeps the CPU seconds of its last call."""

    def __init__(self, verify):
        self.verify, self.seconds = verify, 0.0

    def __call__(self, *args, **kwargs):
        start = time.process_time()
        try:
            return self.verify(*args, **kwargs)
        finally:
            self.seconds = time.process_time() - start


def features_and_matches(args, images, folder):
    """Makes hloc's files of a scene, once per folder."""
    from hloc import extract_features, match_features, pairs_from_exhaustive

    features = extract_features.main(extract_features.confs["sift"], images, folder, as_half=args.half)
    pairs = folder / "pairs.txt"
    pairs_from_exhaustive.main(pairs, features=features)
    matches = folder / f"{args.matcher}.h5"
    match_features.main(match_features.confs[args.matcher], pairs, features, matches=matches)
    return features, pairs, matches


def row_of(model, truth, database):
    """Returns figures of the mapper's models and of the pairs in the database."""
    with contextlib.closing(sqlite3.connect(database)) as db:
        kinds = db.execute("SELECT config, COUNT(*), SUM(rows) FROM two_view_geometries GROUP BY config ORDER BY config").fetchall()
    row = {"configurations": ", ".join(f"{count} {NAMES[kind]}" for kind, count, _ in kinds),
           "inliers": sum(rows for kind, _, rows in kinds if kind != 1), "registered": 0}
    if model is None:
        return row
    row |= {"registered": model.num_reg_images(), "points": model.num_points3D(),
            "error_px": round(model.compute_mean_reprojection_error(), 4)}
    centres = {i.name: i.projection_center() for i in model.images.values() if i.has_pose}
    names = sorted(set(centres) & set(truth))
    if len(names) >= 3:
        errors = 1000 * mapping.aligned_errors(np.array([centres[n] for n in names]), np.array([truth[n][1] for n in names]))
        row |= {"centre_mean_mm": round(float(errors.mean()), 2), "centre_max_mm": round(float(errors.max()), 2)}
    return row


def cameras_of(known, truth):
    """Returns the arguments of reconstruction.main."""
    if not known:
        return {}
    fx, fy, cx, cy = next(iter(truth.values()))[0]
    return {"camera_mode": pycolmap.CameraMode.SINGLE,
            "image_options": {"camera_model": "PINHOLE", "camera_params": f"{fx},{fy},{cx + 0.5},{cy + 0.5}"}}


def run_scene(args, scene, folder, say):
    from hloc import reconstruction, triangulation

    images, truth = args.data / "collections" / scene, mapping.truth_of(args.data, scene)
    folder.mkdir(parents=True, exist_ok=True)
    features, pairs, matches = features_and_matches(args, images, folder)
    its_own = triangulation.pycolmap.verify_matches
    for known in [False, True]:
        head = {"scene": scene, "cameras": "known" if known else "unknown"}
        common = {"image_dir": images, "pairs": pairs, "features": features, "matches": matches, **cameras_of(known, truth)}

        def main(name, **more):
            sfm = folder / name
            shutil.rmtree(sfm, ignore_errors=True)
            return reconstruction.main(sfm, **common, **more), sfm / "database.db"

        for who, verify in [("pycolmap", its_own), ("bifocal", bifocal.colmap.verify_matches)]:
            timed = Timed(verify)
            triangulation.pycolmap.verify_matches = timed  # the changed line
            try:
                model, database = main(who)
            finally:
                triangulation.pycolmap.verify_matches = its_own
            say(head | {"verified by": who, "seconds": round(timed.seconds, 2)} | row_of(model, truth, database))
        model, database = main("skipped", skip_geometric_verification=True)
        say(head | {"verified by": "nobody (configuration 0)"} | row_of(model, truth, database))
        timed = Timed(bifocal.colmap.verify)
        timed(database)
        model = reconstruction.run_reconstruction(database.parent, database, images)
        say(head | {"verified by": "the same, then bifocal", "seconds": round(timed.seconds, 2)} | row_of(model, truth, database))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hloc", type=pathlib.Path, required=True, help="checkout of hloc")
    parser.add_argument("--data", type=pathlib.Path, default=mapping.DATA)
    parser.add_argument("--scene", action="append", choices=SCENES)
    parser.add_argument("--matcher", default="NN-ratio", choices=["NN-ratio", "NN-mutual"])
    parser.add_argument("--half", action="store_true", help="keypoints as float16, hloc's default: whole pixels above 1024")
    parser.add_argument("--work", type=pathlib.Path, help="keeps hloc's files, which take minutes to make")
    parser.add_argument("--text", type=pathlib.Path, help="the lines go here as well")
    args = parser.parse_args()
    if not (args.hloc / "hloc/reconstruction.py").is_file():
        parser.error(f"--hloc {args.hloc}: no checkout of hloc")
    sys.path.insert(0, str(args.hloc))
    import hloc

    hloc.logger.setLevel("ERROR")
    commit = subprocess.run(["git", "-C", args.hloc, "rev-parse", "HEAD"], capture_output=True, text=True).stdout.strip()
    lines = []

    def say(line):
        if isinstance(line, dict):
            line = "| " + " | ".join(str(line.get(c, "-")) for c in COLUMNS) + " |"
        print(line, flush=True)
        lines.append(line)

    say(f"hloc {hloc.__version__} ({commit or 'no commit'}), pycolmap {pycolmap.__version__}, Bifocal {bifocal.__version__}, {args.matcher}")
    say(dict(zip(COLUMNS, COLUMNS)))
    say("|---" * len(COLUMNS) + "|")
    with tempfile.TemporaryDirectory() as temporary:
        for scene in args.scene or SCENES:
            run_scene(args, scene, (args.work or pathlib.Path(temporary)) / scene, say)
    if args.text:
        args.text.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
