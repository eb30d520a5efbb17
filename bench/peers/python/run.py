#!/usr/bin/env python3
"""Bifocal and its Python peers on the same data in turn: a table, records, a picture. scripts/bench-peers installs them and calls this.

The times are those of the Python calls with NumPy arrays, one thread, medians over the pairs of the least of a few rounds in turn. `default`:
each project as it comes; `matched`: thresholds that mean the same (Sampson 2.5 px), confidence 0.999, at most 100,000 samples.
"""

import argparse
import datetime
import json
import os
import pathlib
import platform
import subprocess
import sys

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"  # before NumPy is imported
ROOT = pathlib.Path(__file__).resolve().parents[3]


def arguments():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--suites", nargs="+", default=["robust", "real", "numbers"], choices=["robust", "real", "numbers"])
    p.add_argument("--problems", nargs="+", default=["essential", "fundamental", "homography"])
    p.add_argument("--inliers", nargs="+", type=float, default=[0.5, 0.3], help="shares of right matches")
    p.add_argument("--modes", nargs="+", default=["matched", "default"], choices=["matched", "default"])
    p.add_argument("--points", type=int, default=2000)
    p.add_argument("--pairs", type=int, default=100)
    p.add_argument("--default-pairs", type=int, default=20, help="pairs of the mode `default`, where some peers take seconds")
    p.add_argument("--rounds", type=int, default=3)
    p.add_argument("--budget", type=float, default=60.0, help="seconds that one project may take in a case; then it is judged by the pairs it saw")
    p.add_argument("--data", type=pathlib.Path, default=ROOT / "../shared/data/correspondences", help="folders of real matches")
    p.add_argument("--estimators", nargs="+", default=None, help="by default all that can be imported")
    p.add_argument("--json", type=pathlib.Path, help="records go here")
    p.add_argument("--table", type=pathlib.Path, help="the Markdown goes here as well")
    p.add_argument("--plot", type=pathlib.Path)
    p.add_argument("--note", default="", help="of the machine: was it shared?")
    return p.parse_args()


def commit():
    def git(*words):
        return subprocess.run(["git", *words], cwd=pathlib.Path(__file__).parent, capture_output=True, text=True).stdout.strip()

    return git("rev-parse", "HEAD") + ("+" if git("status", "--porcelain", "--untracked-files=no") else "")


def machine(note):
    cpu = platform.processor()
    if pathlib.Path("/proc/cpuinfo").exists():
        cpu = next((line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), cpu)
    import bifocal

    return {
        "cpu": cpu,
        "cores": os.cpu_count(),
        "threads_used": 1,
        "load_at_start": os.getloadavg()[0],
        "simd": bifocal.devices()[0]["simd"],
        "python": platform.python_version(),
        "commit": commit(),
        "date": datetime.date.today().isoformat(),
        "command": " ".join(["bench/peers/python/run.py", *sys.argv[1:]]),
        "note": note,
    }


def main():
    a = arguments()
    import bifocal
    import estimators
    import numbers_suite
    import real
    import report
    import robust

    suites = {"robust": robust, "real": real, "numbers": numbers_suite}

    if a.estimators is None:
        a.estimators = []
        for name in estimators.ALL:
            try:
                estimators.version(name)
                a.estimators.append(name)
            except Exception:  # not installed
                print(f"{name}: not installed, left out", file=sys.stderr)
    about = machine(a.note)
    records = []
    with bifocal.threads(1):
        for suite in a.suites:
            for record in suites[suite].records(a):
                records.append({**record, "machine": about})
                print(f"{record['case']} {record['name']}: {record['value']:.3f} {record['unit']}", file=sys.stderr)
                if a.json:
                    a.json.write_text(json.dumps(records, indent=1) + "\n")
    text = f"{about['cpu']}, one thread, Python {about['python']}, {about['date']}, commit {about['commit'][:10]}. {a.note}\n\n{report.table(records)}"
    print(text)
    if a.table:
        a.table.write_text(text)
    if a.plot:
        report.plot(records, a.plot)


if __name__ == "__main__":
    main()
