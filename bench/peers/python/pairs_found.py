#!/usr/bin/env python3
"""Counts the pairs of the same place that `bifocal collect` finds with few partners per image: photographs of three places mixed in one folder, all
pairs against retrieval.

  bench/peers/python/pairs_found.py [--bifocal PROGRAM] [--images DIR] [--partners K...]

A place is a folder below DIR. A pair counts as found by all pairs if it has at least 30 inliers."""
import argparse
import json
import os
import pathlib
import sqlite3
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
STRONG = 30  # inliers
IDS = 2147483647  # COLMAP's pair_id = IDS * image_id1 + image_id2


def collect(program, images, database, *options):
    command = [str(program), "collect", str(images), "--database", str(database), "--json", *options]
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)


def inliers_of(database):
    with sqlite3.connect(database) as db:
        names = dict(db.execute("SELECT image_id, name FROM images"))
        return {(names[i // IDS], names[i % IDS]): rows for i, rows in
                db.execute("SELECT pair_id, rows FROM two_view_geometries WHERE rows > 0")}


def across(pairs):
    return sum(a.split("/")[0] != b.split("/")[0] for a, b in pairs)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bifocal", type=pathlib.Path, default=ROOT / "build-release/apps/bifocal/bifocal")
    parser.add_argument("--images", type=pathlib.Path, default=pathlib.Path(os.environ.get("BIFOCAL_DATA", ROOT.parent / "shared/data")) / "collections")
    parser.add_argument("--partners", type=int, nargs="+", default=[6, 8, 10])
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        result = collect(args.bifocal, args.images, work / "all.db")
        every = inliers_of(work / "all.db")
        strong = {pair for pair, inliers in every.items() if inliers >= STRONG}
        print("| pairs | tried | verified | across places | of those with 30 inliers found |\n|---|---|---|---|---|")
        print(f"| all | {result['pairs']} | {len(every)} | {across(every)} | {len(strong)} of {len(strong)} |")
        for partners in args.partners:
            database = work / f"{partners}.db"
            result = collect(args.bifocal, args.images, database, "--pairs", "retrieval", "--partners", str(partners))
            found = inliers_of(database)
            both = strong & {pair for pair, inliers in found.items() if inliers >= STRONG}
            print(f"| {partners} partners | {result['pairs']} | {len(found)} | {across(found)} | "
                  f"{len(both)} of {len(strong)} ({100 * len(both) / len(strong):.1f} %) |", flush=True)


if __name__ == "__main__":
    main()
