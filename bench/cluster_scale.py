#!/usr/bin/env python3
"""Measures verification in shards by Dask workers on this machine: pairs per second with 1, 2, 4 ... processes of one thread each.

    bench/cluster_scale.py SOURCE.db FOLDER [--pairs 32000] [--pairs-per-shard 250] [--workers 1 2 4 8 16] [--json FILE] [--commit HASH]

SOURCE.db: output of `bifocal collect` on real photographs. FOLDER gets a database made from it with the given number of pairs (made_collection.py),
half of its pairs without inliers, and its plan. It times the whole `python -m bifocal.cluster`, including the start of Dask and of its workers.
Needs NumPy.
"""

import argparse
import datetime
import json
import os
import pathlib
import platform
import subprocess
import sys
import time

from made_collection import make_database


def arguments():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("source", type=pathlib.Path)
    p.add_argument("folder", type=pathlib.Path)
    p.add_argument("--pairs", type=int, default=32000)
    p.add_argument("--pairs-per-shard", type=int, default=250)
    p.add_argument("--workers", type=int, nargs="+", default=[1, 2, 4, 8, 16])
    p.add_argument("--program", default="bifocal")
    p.add_argument("--json", type=pathlib.Path)
    p.add_argument("--commit", default="")
    return p.parse_args()


def seconds_of(chosen, plan, workers):
    for result in plan.glob("shard-*.result"):
        result.unlink()
    command = [sys.executable, "-m", "bifocal.cluster", plan, "--workers", workers, "--threads", 1, "--device", "cpu", "--program", chosen.program]
    start = time.perf_counter()
    done = subprocess.run([*map(str, command)], capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(done.stderr)
    return time.perf_counter() - start


def main():
    import bifocal

    chosen = arguments()
    chosen.folder.mkdir(parents=True, exist_ok=True)
    database, plan = chosen.folder / "made.db", chosen.folder / "plan"
    make_database(chosen.source, database, chosen.pairs)
    words = [chosen.program, "plan", database, "--out", plan, "--pairs-per-shard", chosen.pairs_per_shard, "--overwrite"]
    subprocess.run([*map(str, words)], check=True, stdout=subprocess.DEVNULL)
    cpu = bifocal.devices()[0]
    machine = {
        "command": f"bench/cluster_scale.py --pairs {chosen.pairs} --pairs-per-shard {chosen.pairs_per_shard}",
        "commit": chosen.commit or subprocess.run(["git", "rev-parse", "HEAD"], cwd=pathlib.Path(__file__).parent, capture_output=True, text=True).stdout.strip(),
        "compiler": platform.python_version(),
        "cores": os.cpu_count(),
        "cpu": cpu["name"],
        "date": datetime.date.today().isoformat(),
        "simd": cpu["simd"],
        "version": bifocal.__version__,
    }
    records = []
    for workers in chosen.workers:
        rate = chosen.pairs / seconds_of(chosen, plan, workers)
        efficiency = rate / workers / (records[0]["value"] / chosen.workers[0]) if records else 1.0
        records.append({"suite": "scale", "case": f"scale/verification by Dask/threads{workers}", "device": "cpu", "unit": "pairs/s", "value": rate,
                        "mad": 0.0, "runs": 1, "efficiency": efficiency, "machine": machine})
        print(f"{workers} workers: {rate:.0f} pairs/s, efficiency {100 * efficiency:.0f} %", flush=True)
        if chosen.json:
            chosen.json.write_text(json.dumps(records, indent=1) + "\n")


main()
