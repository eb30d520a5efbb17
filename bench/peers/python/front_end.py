#!/usr/bin/env python3
"""Compares the front ends of COLMAP and Bifocal on the same photographs: features, matches and geometry of pairs, into a database.

  python bench/peers/python/front_end.py FOLDER --program PROGRAM [--device cuda] [--features 8192] [--runs 3] [--json FILE]

Needs pycolmap (with a GPU: pycolmap-cuda12). Three programs run alternately, each into a new database and with at most --features features per
photograph:

  * pycolmap: extract_features, match_exhaustive without verification, and geometric_verification, each timed in the process;
  * `bifocal collect --pairs exhaustive`, which matches every pair, with the time of the whole process and of its stages;
  * `bifocal collect --pairs all`, which matches the pairs that pass a screen.

Each program runs once more than --runs. Its first run, in which pycolmap also starts the device, is listed separately ("first"). The printed time is
the median of the remaining runs, with the least and the most; times of the stages and counts are from the run of median time. --json writes these
figures, with device, commit and date, as a list with a row per program. If a program fails, the comparison stops with its message."""

import argparse
import datetime
import json
import pathlib
import sqlite3
import statistics
import subprocess
import tempfile
import time

import pycolmap

MIN_INLIERS = 15


def timed(seconds, name, call, *args, **options):
    """Calls call(*args, **options) and stores its time in seconds[name], in s."""
    start = time.perf_counter()
    call(*args, **options)
    seconds[name] = time.perf_counter() - start


def counts(database):
    """Returns the numbers of images, of their features in total, and of verified pairs (at least MIN_INLIERS inliers) of a database."""
    with sqlite3.connect(database) as db:
        one = lambda query: db.execute(query).fetchone()[0] or 0
        return {"images": one("SELECT COUNT(*) FROM images"), "features": one("SELECT SUM(rows) FROM keypoints"),
                "verified": one(f"SELECT COUNT(*) FROM two_view_geometries WHERE rows >= {MIN_INLIERS}")}


def by_pycolmap(args, database):
    """Runs pycolmap and returns the total time ("seconds"), the time of each stage ("NAME_s") and the counts of the database."""
    device = pycolmap.Device.cuda if args.device == "cuda" else pycolmap.Device.cpu
    extraction, matching = pycolmap.FeatureExtractionOptions(), pycolmap.FeatureMatchingOptions()
    extraction.sift.max_num_features = args.features
    matching.skip_geometric_verification = True
    seconds = {}
    timed(seconds, "features", pycolmap.extract_features, database, args.folder, camera_mode=pycolmap.CameraMode.AUTO,
          extraction_options=extraction, device=device)
    timed(seconds, "matches", pycolmap.match_exhaustive, database, matching_options=matching, device=device)
    timed(seconds, "geometry", pycolmap.geometric_verification, database)
    return {"seconds": sum(seconds.values()), **{f"{name}_s": s for name, s in seconds.items()}, **counts(database)}


def by_bifocal(args, database, pairs):
    """Runs `bifocal collect` and returns the same figures as by_pycolmap(), and the number of matched pairs. Exits if the program fails."""
    start = time.perf_counter()
    ran = subprocess.run([args.program, "collect", args.folder, "--database", database, "--pairs", pairs, "--device", args.device,
                          "--max-features", str(args.features), "--json"], capture_output=True, text=True)
    seconds = time.perf_counter() - start
    if ran.returncode:
        raise SystemExit(ran.stderr)
    result = json.loads(ran.stdout)
    return {"seconds": seconds, **{f"{name}_s": s for name, s in result["seconds"].items()}, "pairs": result["pairs"], **counts(database)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--program", default="bifocal")
    parser.add_argument("--device", choices=["cpu", "cuda"], default="cuda")
    parser.add_argument("--features", type=int, default=8192)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--commit", default="", help="of the program")
    parser.add_argument("--json", type=pathlib.Path)
    args = parser.parse_args()
    ways = {f"pycolmap {pycolmap.__version__}": by_pycolmap,
            "bifocal, exhaustive": lambda a, d: by_bifocal(a, d, "exhaustive"), "bifocal, all": lambda a, d: by_bifocal(a, d, "all")}
    runs = {name: [] for name in ways}
    with tempfile.TemporaryDirectory() as folder:
        for run in range(args.runs + 1):  # the first run is left out of the medians
            for name, way in ways.items():
                runs[name].append(way(args, str(pathlib.Path(folder, f"{run}-{len(name)}.db"))))
    rows = []
    card = subprocess.run(["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"], capture_output=True, text=True).stdout.strip() \
        if args.device == "cuda" else "CPU"
    for name, (first, *rest) in runs.items():
        middle = sorted(rest, key=lambda r: r["seconds"])[len(rest) // 2]
        rows.append({"suite": "front_end", "case": f"front_end/{args.features}/{name}", "device": args.device, "unit": "s",
                     "value": statistics.median(r["seconds"] for r in rest), "least": min(r["seconds"] for r in rest),
                     "most": max(r["seconds"] for r in rest), "runs": len(rest), "first": first["seconds"], **{k: v for k, v in middle.items() if k != "seconds"},
                     "machine": {"device": card, "commit": args.commit, "date": datetime.date.today().isoformat(),
                                 "command": f"bench/peers/python/front_end.py FOLDER --device {args.device} --features {args.features}"}})
        print({k: round(v, 3) if isinstance(v, float) else v for k, v in rows[-1].items() if k not in ("machine", "suite", "unit")}, flush=True)
    if args.json:
        args.json.write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()
