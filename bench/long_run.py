#!/usr/bin/env python3
"""A long run in shards with everything killed at random, beside one that nobody disturbs.

    bench/long_run.py SOURCE.db FOLDER [--pairs 1000000] [--matches 100] [--pairs-per-shard 10000] [--workers 3] [--kills 10]

SOURCE.db: of `bifocal collect` from real photographs. FOLDER gets a database of that many pairs: its images are those of SOURCE.db with
noise of 0.3 px on their features, its matches theirs in another order, at most so many a pair. It is verified at once by `bifocal verify`;
then planned, and done by 1, 2 and 3 workers (--workers says up to how many) while processes are killed: workers, all at once with what
hands out their work, and the merge. The databases must be equal byte for byte. Needs NumPy.
"""

import argparse
import json
import os
import pathlib
import random
import shutil
import sqlite3
import subprocess
import sys
import time

import numpy as np

LARGEST = 2147483647


def make_database(source, target, pairs, limit, seed=0):
    """Copies of copies of the images, in turn, until so many pairs of them have matches."""
    rng = np.random.default_rng(seed)
    shutil.copy(source, target)
    db = sqlite3.connect(target)
    images = db.execute("SELECT image_id, camera_id FROM images ORDER BY image_id").fetchall()
    keypoints = {i: np.frombuffer(data, "<f4").reshape(-1, cols) for i, cols, data in db.execute("SELECT image_id, cols, data FROM keypoints")}
    matches = {
        (pair // LARGEST, pair % LARGEST): np.frombuffer(data, "<u4").reshape(-1, 2)
        for pair, rows, data in db.execute("SELECT pair_id, rows, data FROM matches")
        if rows
    }
    if not matches:
        sys.exit(f"{source}: has no matches")
    for table in ("descriptors", "matches", "two_view_geometries", "keypoints", "images"):
        db.execute(f"DELETE FROM {table}")
    made, origin = 0, {}
    while made < pairs:
        number = len(origin) + 1
        old, camera = images[(number - 1) % len(images)]
        moved = keypoints[old].copy()
        moved[:, :2] += rng.normal(0, 0.3, (len(moved), 2)).astype("<f4")
        db.execute("INSERT INTO images (image_id, name, camera_id) VALUES (?, ?, ?)", (number, f"{number}.jpg", camera))
        db.execute("INSERT INTO keypoints (image_id, rows, cols, data) VALUES (?, ?, ?, ?)", (number, *moved.shape, moved.tobytes()))
        for other, its in origin.items():
            rows = matches.get((its, old))
            if rows is None and (old, its) in matches:
                rows = matches[old, its][:, ::-1]
            if rows is None or made == pairs:
                continue
            rows = np.ascontiguousarray(rows[rng.permutation(len(rows))[:limit]])
            db.execute("INSERT INTO matches (pair_id, rows, cols, data) VALUES (?, ?, 2, ?)", (other * LARGEST + number, len(rows), rows.tobytes()))
            made += 1
        origin[number] = old
    db.commit()
    db.execute("VACUUM")
    db.close()
    return len(origin)


class Run:
    def __init__(self, program, plan, database, workers, kills):
        self.program, self.plan, self.database, self.workers = program, plan, database, workers
        self.waiting_kills, self.killed = kills, {"worker": 0, "all": 0, "merge": 0}

    def start(self, *arguments):
        return subprocess.Popen([self.program, *map(str, arguments)], stdout=subprocess.DEVNULL)

    def shards(self, seconds_between_kills):
        """What is left to do is what has no file; a manager that is killed loses nothing else."""
        everything = json.loads((self.plan / "plan.json").read_text())["shards"]
        while left := [k for k in range(everything) if not (self.plan / f"shard-{k}.result").exists()]:
            random.shuffle(left)
            self.manager(left, seconds_between_kills)

    def manager(self, left, between):
        running, next_kill = [], time.monotonic() + random.uniform(0, 2 * between)
        while left or running:
            while left and len(running) < self.workers:
                running.append(self.start("run-shard", self.plan, left.pop(), "--database", self.database, "--threads", 1))
            for process in [p for p in running if p.poll() is not None]:
                running.remove(process)
                if process.returncode > 0:
                    sys.exit(f"run-shard ended with {process.returncode}")
            if running and self.waiting_kills > 0 and time.monotonic() > next_kill:
                self.waiting_kills -= 1
                next_kill = time.monotonic() + random.uniform(0, 2 * between)
                manager_too = random.random() < 0.3
                for process in running if manager_too else [random.choice(running)]:
                    process.kill()
                    process.wait()
                self.killed["all" if manager_too else "worker"] += 1
                if manager_too:
                    return
            time.sleep(0.01)

    def merge(self, kills):
        for _ in range(kills):
            process = self.start("merge", self.plan, "--into", self.database)
            time.sleep(random.uniform(0.01, 0.3))
            process.kill()
            self.killed["merge"] += process.wait() < 0
        subprocess.run([self.program, "merge", str(self.plan), "--into", str(self.database)], check=True, stdout=subprocess.DEVNULL)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("source", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--pairs", type=int, default=1_000_000)
    parser.add_argument("--matches", type=int, default=100)
    parser.add_argument("--pairs-per-shard", type=int, default=10_000)
    parser.add_argument("--workers", type=int, default=3)
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--program", default=os.environ.get("BIFOCAL_PROGRAM", "bifocal"))
    chosen = parser.parse_args()
    random.seed(chosen.seed)
    chosen.folder.mkdir(parents=True, exist_ok=True)
    clean, whole = chosen.folder / "clean.db", chosen.folder / "whole.db"
    if clean.exists():
        sys.exit(f"{clean} exists already: choose an empty folder")
    images = make_database(chosen.source, clean, chosen.pairs, chosen.matches, chosen.seed)
    print(f"{images} images, {chosen.pairs} pairs, {clean.stat().st_size / 1e6:.0f} MB", flush=True)

    shutil.copy(clean, whole)
    start = time.monotonic()
    subprocess.run([chosen.program, "verify", str(whole), "--threads", "1"], check=True, stdout=subprocess.DEVNULL)
    undisturbed = time.monotonic() - start
    print(f"undisturbed, one thread: {undisturbed:.1f} s", flush=True)
    wrong = 0
    for workers in range(1, chosen.workers + 1):
        plan, database = chosen.folder / f"plan-{workers}", chosen.folder / f"part-{workers}.db"
        shutil.copy(clean, database)
        command = [chosen.program, "plan", str(database), "--out", str(plan), "--pairs-per-shard", str(chosen.pairs_per_shard)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        run = Run(chosen.program, plan, database, workers, chosen.kills)
        start = time.monotonic()
        run.shards(undisturbed / workers / (chosen.kills + 1))
        computed = time.monotonic() - start
        run.merge(chosen.kills // 3)
        same = subprocess.run(["cmp", str(whole), str(database)]).returncode == 0
        wrong += not same
        print(f"{workers} workers: {computed:.1f} s, killed {run.killed}: {'the same bytes' if same else 'OTHER BYTES'}", flush=True)
        shutil.rmtree(plan)
        database.unlink()
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
