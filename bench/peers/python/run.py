#!/usr/bin/env python3
"""Bifocal and its Python peers on the same data, alternately: tables, records, plots. scripts/bench-peers installs them and calls this.

Times are of the Python calls with NumPy arrays, one thread: the median over the items (pairs, images) of the median of a few alternate rounds,
with the least and the largest median of the rounds. `default`: each project's defaults; `matched`: robust estimators with equivalent thresholds
(Sampson 2.5 px), confidence 0.999 and at most 100,000 samples; equal numbers of features; equal filters of disparities.
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

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"  # before NumPy is imported
ROOT = pathlib.Path(__file__).resolve().parents[3]
SUITES = ["robust", "sizes", "real", "features", "stereo", "numbers", "solvers", "gpu"]
PROJECTS = ["Bifocal", "PoseLib", "pycolmap", "OpenCV", "fastpose", "kornia"]
# Values of --quick instead of the defaults: with --jobs 12 about four minutes on 16 idle cores, kornia included.
QUICK = {"default_pairs": 10, "budget": 6.0}


def arguments(words=None):
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--suites", nargs="+", default=SUITES, choices=SUITES)
    p.add_argument("--projects", nargs="+", default=PROJECTS, choices=PROJECTS, help="those that cannot be imported are left out")
    p.add_argument("--problems", nargs="+", default=["essential", "fundamental", "homography"])
    p.add_argument("--inliers", nargs="+", type=float, default=[0.5, 0.3], help="shares of right matches")
    p.add_argument("--modes", nargs="+", default=["matched", "default"], choices=["matched", "default"])
    p.add_argument("--points", type=int, default=2000, help="matches of a synthetic pair")
    p.add_argument("--features", type=int, default=2000, help="of a picture, in the mode `matched`")
    p.add_argument("--pairs", type=int, default=100)
    p.add_argument("--default-pairs", type=int, default=20, help="pairs of the mode `default`, where some peers take seconds")
    p.add_argument("--rounds", type=int, default=3, help="linear algebra and solvers: at least 5")
    p.add_argument("--budget", type=float, default=60.0, help="seconds that one project may take in a case; then it is judged by the pairs it saw")
    p.add_argument("--clock", default="wall", choices=["wall", "process"], help="of the times: `process` where other work shares the machine")
    p.add_argument("--quick", action="store_true", help=f"{QUICK} where nothing else is said; the records say so")
    p.add_argument("--jobs", type=int, default=1, help="cases of the suite robust at a time, each one thread on a core of its own; all else is alone")
    p.add_argument("--data", type=pathlib.Path, default=os.environ.get("BIFOCAL_DATA", ROOT / "../shared/data"), help="folders of real matches, Oxford's and stereo pairs")
    p.add_argument("--commit", help="of the Bifocal that is measured, where git cannot tell")
    p.add_argument("--json", type=pathlib.Path, help="records go here")
    p.add_argument("--table", type=pathlib.Path, help="the Markdown goes here as well")
    p.add_argument("--plots", type=pathlib.Path, help="folder for pictures of time against accuracy")
    p.add_argument("--publish", type=pathlib.Path, metavar="RECORDS", help="measures nothing: tables and pictures of these records into docs")
    p.add_argument("--note", default="", help="of the machine: was it shared?")
    a = p.parse_args(words)
    for name, value in QUICK.items() if a.quick else ():
        if getattr(a, name) == p.get_default(name):
            setattr(a, name, value)
    return a


def commit():
    def git(*words):
        return subprocess.run(["git", *words], cwd=pathlib.Path(__file__).parent, capture_output=True, text=True).stdout.strip()

    return git("rev-parse", "HEAD") + ("+" if git("status", "--porcelain", "--untracked-files=no") else "")


def said(words):
    """Returns the words of the command without file locations."""
    places, out, skip = {"--json", "--table", "--plots", "--data", "--note", "--commit"}, [], False
    for word in words:
        skip = (skip and not word.startswith("--")) or word.split("=")[0] in places
        if not skip:
            out.append(word)
    return out


def machine(a):
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
        "gpu": next((f"{d['name']}, driver {d['driver']}" for d in bifocal.devices() if d["kind"] == "cuda"), None),
        "python": platform.python_version(),
        "commit": a.commit or commit(),
        "date": datetime.date.today().isoformat(),
        "command": " ".join(["scripts/bench-peers", *said(sys.argv[1:])]),
        "quick": a.quick,
        "budget_s": a.budget,
        "clock": a.clock,
        "jobs": a.jobs,
        "note": a.note,
    }


def measure(a):
    import bifocal
    import estimators
    import features_suite
    import gpu_suite
    import interleaved
    import numbers_suite
    import real
    import robust
    import side_by_side
    import solvers_suite
    import stereo_suite

    interleaved.CLOCK = a.clock
    modules = (robust, real, features_suite, stereo_suite, numbers_suite, solvers_suite, gpu_suite)
    suites = dict(zip(SUITES, (robust.records, robust.sizes, *(module.records for module in modules[1:]))))
    a.projects, missing = estimators.installed(a.projects)
    for name, why in missing.items():
        print(f"{name}: not installed, left out ({why})", file=sys.stderr)
    a.estimators = [name for name in estimators.ALL if name.split()[0] in a.projects]
    about, records, begin = machine(a), [], time.perf_counter()
    with bifocal.threads(1):
        for suite in a.suites:
            for record in side_by_side.records(a) if suite == "robust" and a.jobs > 1 else suites[suite](a):
                records.append({**record, "machine": about})
                print(f"{time.perf_counter() - begin:6.1f} s  {record['case']} {record['name']}: {record['value']:.3f} {record['unit']}", file=sys.stderr)
                if a.json:
                    a.json.write_text(json.dumps(records, indent=1) + "\n")
    return records


def main():
    a = arguments()
    import report

    if a.publish:
        import publish

        publish.publish(a.publish, ROOT)
        return
    records = measure(a)
    text = report.head(records) + "\n\n" + report.table(records)
    print(text)
    if a.table:
        a.table.write_text(text)
    if a.plots:
        import plots

        plots.draw(records, a.plots)


if __name__ == "__main__":
    main()
