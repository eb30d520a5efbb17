"""Runs the cases of robust estimation in several processes at a time, each on its own core. Their data fit into a core's cache."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from queue import SimpleQueue

RUN = pathlib.Path(__file__).with_name("run.py")


def cores():
    """Returns one processor of each core that this process may use."""
    out = {}
    for cpu in sorted(os.sched_getaffinity(0)):
        file = pathlib.Path(f"/sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list")
        out.setdefault(file.read_text() if file.exists() else cpu, cpu)
    return list(out.values())


def records(a):
    """Returns the records of robust.records, in the same order."""
    free = SimpleQueue()
    usable = cores()
    for cpu in usable[: a.jobs]:
        free.put(cpu)
    given = ["--projects", *a.projects, "--points", a.points, "--pairs", a.pairs, "--default-pairs", a.default_pairs, "--rounds", a.rounds]
    given += ["--budget", a.budget, "--clock", a.clock, "--suites", "robust", "--commit", "part"]

    def one(case):
        mode, problem, inliers = case
        cpu = free.get()
        try:
            with tempfile.TemporaryDirectory() as folder:
                file = pathlib.Path(folder) / "part.json"
                words = [*given, "--modes", mode, "--problems", problem, "--inliers", inliers, "--json", file]
                command = [sys.executable, RUN, *words]
                done = subprocess.run(list(map(str, command)), preexec_fn=lambda: os.sched_setaffinity(0, {cpu}), capture_output=True, text=True)
                if done.returncode != 0:
                    raise RuntimeError(f"{case}: {done.stderr[-2000:]}")
                return [{k: v for k, v in r.items() if k != "machine"} for r in json.loads(file.read_text())]
        finally:
            free.put(cpu)

    cases = [(mode, problem, inliers) for mode in a.modes for problem in a.problems for inliers in a.inliers]
    with ThreadPoolExecutor(min(a.jobs, len(usable))) as pool:
        for part in pool.map(one, cases):
            yield from part
