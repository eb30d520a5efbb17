#!/usr/bin/env python3
"""Compares a long run in shards whose processes are killed at random with an undisturbed run.

    bench/long_run.py SOURCE.db FOLDER [--pairs 1000000] [--wrong 0.5] [--pairs-per-shard 10000] [--workers 1 2 3] [--kills 10]
                      [--device cpu] [--threads 1] [--manager own|dask]

SOURCE.db: output of `bifocal collect` on real photographs. FOLDER gets a database made from it with the given number of pairs (made_collection.py).
The database is verified in one run by `bifocal verify`; then it is planned and verified in shards by 1, 2 and 3 workers, while --kills processes are
killed at random moments: the manager that distributes the shards (four in ten), else a worker. The merge follows and is killed as well. Checks: the
file of a finished shard never changes, every pair has a row, and the databases are equal byte for byte.

--manager own: processes `bifocal run-shard --serve` of this file; dask: `python -m bifocal.cluster`. Needs NumPy.
"""

import argparse
import concurrent.futures
import contextlib
import json
import os
import pathlib
import random
import select
import shutil
import signal
import sqlite3
import subprocess
import sys
import time

from made_collection import make_database

TRY_AGAIN = 75


# ---- The manager, a separate process: distributes the shards without a file.


def manage(plan, database, workers, device, threads, program):
    left = [k for k in range(shards_of(plan)) if not result_of(plan, k).exists()]
    command = [program, "run-shard", plan, "--serve", "--database", database, "--device", device, "--threads", str(threads)]

    def start():
        return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    servers = [start() for _ in range(min(workers, len(left)))]
    doing = {}
    while left or doing:
        for k, server in enumerate(servers):
            if k not in doing and left:
                doing[k] = left.pop(0)
                with contextlib.suppress(BrokenPipeError):
                    server.stdin.write(b"%d\n" % doing[k])
                    server.stdin.flush()
        ready, _, _ = select.select([servers[k].stdout for k in doing], [], [])
        for k in [k for k in doing if servers[k].stdout in ready]:
            line = servers[k].stdout.readline()
            answer = json.loads(line) if line.endswith(b"\n") else {"code": servers[k].wait()}
            shard = doing.pop(k)
            if answer["code"] in (TRY_AGAIN, -signal.SIGKILL):
                left.append(shard)
                servers[k].kill()
                servers[k].wait()
                servers[k] = start()
            elif answer["code"] != 0:
                sys.exit(f"shard {shard}: {answer}")
    for server in servers:
        server.stdin.close()
        server.wait()


def shards_of(plan):
    return int(json.loads(pathlib.Path(plan, "plan.json").read_text())["shards"])


def result_of(plan, shard):
    return pathlib.Path(plan, f"shard-{shard}.result")


# ---- The process that kills at random.


def processes_below(pid):
    """Returns the numbers and command lines of all processes except this one."""
    found = []
    for task in pathlib.Path(f"/proc/{pid}/task").glob("*"):
        with contextlib.suppress(OSError):
            for child in map(int, (task / "children").read_text().split()):
                found.append((child, pathlib.Path(f"/proc/{child}/cmdline").read_bytes()))
                found += processes_below(child)
    return found


class Run:
    def __init__(self, chosen, plan, database, workers):
        self.chosen, self.plan, self.database, self.workers = chosen, plan, database, workers
        self.shards = shards_of(plan)
        self.killed = {"worker": 0, "manager": 0, "merge": 0}
        self.files, self.written_again = {}, 0

    def start_manager(self):
        c = self.chosen
        if c.manager == "own":
            words = [__file__, "--manage", self.plan, self.database, self.workers, c.device, c.threads, c.program]
        else:
            words = ["-m", "bifocal.cluster", self.plan, "--workers", self.workers, "--device", c.device, "--threads", c.threads]
            words += ["--database", self.database, "--program", c.program, "--retries", "1000"]
        with (self.plan.parent / "manager.log").open("ab") as log:
            return subprocess.Popen([sys.executable, *map(str, words)], stdout=log, stderr=log)

    def count_finished(self):
        """Returns the number of finished shards. An existing file must not change until the end."""
        for k in range(self.shards):
            with contextlib.suppress(FileNotFoundError):
                status = result_of(self.plan, k).stat()
                known = self.files.setdefault(k, (status.st_ino, status.st_mtime_ns))
                self.written_again += known != (status.st_ino, status.st_mtime_ns)
        return len(self.files)

    def compute(self):
        kills = self.chosen.kills
        moments = sorted(random.sample(range(max(self.shards - self.workers, kills)), kills))
        victims = random.sample(["manager", "worker"], counts=[kills * 4 // 10, kills - kills * 4 // 10], k=kills)
        waiting = list(zip(moments, victims, strict=True))
        while self.count_finished() < self.shards:
            manager = self.start_manager()
            while manager.poll() is None:
                if waiting and self.count_finished() >= waiting[0][0]:
                    time.sleep(random.uniform(0, self.chosen.pairs_per_shard / 5000 / self.workers))
                    if self.kill_one(manager, waiting[0][1]):
                        waiting.pop(0)
                time.sleep(0.02)
            if manager.returncode not in (0, TRY_AGAIN, -signal.SIGKILL):
                sys.exit(f"the manager ended with {manager.returncode}: {self.plan.parent / 'manager.log'}")

    def kill_one(self, manager, victim):
        # Selects Dask's workers and their programs; a manager without workers is left to start.
        workers = [pid for pid, line in processes_below(manager.pid) if b"run-shard" in line or b"spawn_main" in line]
        if not workers:
            return False
        with contextlib.suppress(ProcessLookupError):
            os.kill(manager.pid if victim == "manager" else random.choice(workers), signal.SIGKILL)
            self.killed[victim] += 1
            return True
        return False

    def merge(self):
        command = [self.chosen.program, "merge", str(self.plan), "--into", str(self.database)]
        for _ in range(self.chosen.kills // 3):
            process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(random.uniform(0.01, self.chosen.pairs / 100_000))
            process.kill()
            self.killed["merge"] += process.wait() < 0
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def check(self, whole):
        """Returns the faults as text, empty without faults."""
        wrong = [f"{self.written_again} shards written again"] if self.written_again else []
        db = sqlite3.connect(self.database)
        rows = db.execute("SELECT count(*) FROM two_view_geometries").fetchone()[0]
        db.close()
        if rows != self.chosen.pairs:
            wrong.append(f"{rows} rows")
        if subprocess.run(["cmp", str(whole), str(self.database)]).returncode != 0:
            wrong.append("OTHER BYTES")
        return ", ".join(wrong)


def finish(run, whole, computed):
    """Merges and compares in one thread, during the next run."""
    start = time.monotonic()
    run.merge()
    merged = time.monotonic() - start
    wrong = run.check(whole)
    print(f"{run.workers} workers: {computed:.1f} s, merge {merged:.1f} s, killed {run.killed}: {wrong or 'the same bytes'}", flush=True)
    shutil.rmtree(run.plan)
    run.database.unlink()
    return not wrong


def disturbed(chosen, clean, whole):
    finishing = []
    with concurrent.futures.ThreadPoolExecutor() as background:
        for workers in chosen.workers:
            plan, database = chosen.folder / f"plan-{workers}", chosen.folder / f"part-{workers}.db"
            shutil.copy(clean, database)
            command = [chosen.program, "plan", str(database), "--out", str(plan), "--pairs-per-shard", str(chosen.pairs_per_shard)]
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
            run = Run(chosen, plan, database, workers)
            start = time.monotonic()
            run.compute()
            finishing.append(background.submit(finish, run, whole, time.monotonic() - start))
    return all(one.result() for one in finishing)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("source", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--pairs", type=int, default=1_000_000)
    parser.add_argument("--wrong", type=float, default=0.5, help="share of pairs with wrong matches alone")
    parser.add_argument("--matches", type=int, nargs=2, default=(20, 200), metavar=("FEWEST", "MOST"))
    parser.add_argument("--pairs-per-shard", type=int, default=10_000)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2, 3], metavar="N")
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--threads", type=int, default=1, help="of each worker, and of the run that nobody disturbs")
    parser.add_argument("--manager", choices=("own", "dask"), default="own")
    parser.add_argument("--program", default=os.environ.get("BIFOCAL_PROGRAM", "bifocal"))
    return parser.parse_args()


def main():
    chosen = arguments()
    random.seed(chosen.seed)
    chosen.folder.mkdir(parents=True, exist_ok=True)
    clean, whole = chosen.folder / "clean.db", chosen.folder / "whole.db"
    if clean.exists():
        sys.exit(f"{clean} exists already: choose an empty folder")
    begin = start = time.monotonic()
    images, matches = make_database(chosen.source, clean, chosen.pairs, chosen.wrong, *chosen.matches, chosen.seed)
    size = clean.stat().st_size / 1e6
    print(f"made in {time.monotonic() - start:.1f} s: {images} images, {chosen.pairs} pairs, {matches} matches, {size:.0f} MB", flush=True)
    shutil.copy(clean, whole)
    start = time.monotonic()
    done = subprocess.run(
        [chosen.program, "verify", str(whole), "--device", chosen.device, "--threads", str(chosen.threads)],
        check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
    )  # fmt: skip
    print(f"undisturbed: {time.monotonic() - start:.1f} s; {'; '.join(done.stdout.splitlines())}", flush=True)
    fine = disturbed(chosen, clean, whole)
    print(f"all: {time.monotonic() - begin:.1f} s", flush=True)
    return 0 if fine else 1


if __name__ == "__main__":
    if sys.argv[1:2] == ["--manage"]:
        p, database, workers, device, threads, program = sys.argv[2:]
        manage(pathlib.Path(p), database, int(workers), device, int(threads), program)
        sys.exit()
    sys.exit(main())
