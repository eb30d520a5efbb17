#!/usr/bin/env python3
"""Compares Bifocal's verification of COLMAP's databases with pycolmap's, on the same databases alternately, one thread each.

  scripts/bench-verify [--parts rates real mapping hloc] [--work DIR] [--text FILE]

rates: pairs per second of true pairs (2000 matches, half inliers) and of outliers. real: three sets of photographs in one database, features and
matches by pycolmap: configurations, inliers, accepted pairs across the sets, poses against measured poses. mapping: COLMAP's mappers on each set,
verified by either project. hloc: files of 10,000 pairs imported and verified (needs h5py and the program). `--work` keeps the database of the
photographs, which takes minutes to make. Times are CPU times."""

import argparse
import collections
import contextlib
import os
import pathlib
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time

import mapping
import numpy as np
import pycolmap

import bifocal
from bifocal import colmap

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "python" / "tests"))
from colmap_database import LARGEST, read_geometries, write_database  # noqa: E402

NAMES = ["undefined", "degenerate", "calibrated", "uncalibrated", "planar", "panoramic", "planar_or_panoramic", "watermark"]


def by_bifocal(database):
    with bifocal.threads(1):
        colmap.verify(database)


def by_pycolmap(database):
    options = pycolmap.TwoViewGeometryOptions()
    options.ransac.random_seed = 0
    verifier = pycolmap.GeometricVerifierOptions()
    verifier.num_threads = 1
    pycolmap.geometric_verification(str(database), verifier_options=verifier, two_view_geometry_options=options)


VERIFIERS = {"bifocal": by_bifocal, "pycolmap": by_pycolmap}


def timed(verify, database, work):
    """Returns the CPU seconds of a verification on a copy, and the copy."""
    copy = work / f"{database.stem}-{verify.__name__}.db"
    shutil.copy(database, copy)
    start = time.process_time()
    verify(copy)
    return time.process_time() - start, copy


def make_pairs(file, pairs, n, share, seed=0):
    """Makes pairs of two images of 1280 x 960, f 1000, noise 1 px, with a fraction of inliers."""
    rng = np.random.default_rng(seed)
    views, matches = [], {}
    for k in range(pairs):
        X = rng.uniform([-4, -3, 6], [4, 3, 12], (n, 3))
        a = rng.uniform(-0.3, 0.3)
        R = np.array([[np.cos(a), 0, -np.sin(a)], [0, 1, 0], [np.sin(a), 0, np.cos(a)]])
        Y = (X - [rng.uniform(0.7, 1.5), 0.1, 0]) @ R.T
        wrong = rng.permutation(n) >= round(share * n)
        for P in (X, Y):
            xy = 1000 * P[:, :2] / P[:, 2:] + [640.5, 480.5] + rng.normal(0, 1, (n, 2))
            xy[wrong] = rng.uniform([0, 0], [1280, 960], (wrong.sum(), 2))
            views.append(xy)
        matches[2 * k, 2 * k + 1] = np.c_[np.arange(n), np.arange(n)]
    write_database(file, views, matches, camera=(1, [1000.0, 1000.0, 640.5, 480.5]))


def rates(args, work, say):
    say("\npairs a second of processor time, one thread, median of 3 runs in turn (least, most); believed: share of the pairs")
    cases = [("true pairs, 2000 matches", 2000, 0.5)] + [(f"wrong matches, {n}", n, 0.0) for n in (20, 50, 100, 200)]
    for name, n, share in cases:
        row = {}
        files = {"bifocal": (work / "many.db", 400), "pycolmap": (work / "few.db", 40)}
        for file, pairs in files.values():
            file.unlink(missing_ok=True)
            make_pairs(file, pairs, n, share)
        for _ in range(3):
            for who, verify in VERIFIERS.items():
                file, pairs = files[who]
                seconds, copy = timed(verify, file, work)
                believed = np.mean([g[0] > 1 for g in read_geometries(copy).values()])
                row.setdefault(who, []).append((pairs / seconds, believed))
                copy.unlink()
        text = {}
        for who, runs in row.items():
            speeds = sorted(r[0] for r in runs)
            text[who] = f"{who} {statistics.median(speeds):.1f} ({speeds[0]:.1f}, {speeds[-1]:.1f}), believed {runs[0][1]:.3f}"
        ratio = statistics.median(r[0] for r in row["bifocal"]) / statistics.median(r[0] for r in row["pycolmap"])
        say(f"{name}: {text['bifocal']}; {text['pycolmap']}; {ratio:.0f} times")


def photographs(args, work):
    """Writes features and matches of the three sets into one database, every camera known."""
    kept = (args.work or work) / "photographs.db"
    if kept.exists():
        return kept
    part = kept.with_suffix(".part")
    part.unlink(missing_ok=True)
    images = work / "images"
    images.mkdir(exist_ok=True)
    for scene, measured in mapping.SCENES.items():
        (images / scene).symlink_to((args.data / "collections" / scene).resolve())
        options = pycolmap.ImageReaderOptions()
        options.camera_model = "PINHOLE"
        fx, fy, cx, cy = next(iter(mapping.truth_of(args.data, scene).values()))[0] if measured else (1452.94, 1452.94, 707.5, 531.5)
        options.camera_params = f"{fx},{fy},{cx + 0.5},{cy + 0.5}"
        names = [f"{scene}/{f.name}" for f in sorted((images / scene).iterdir()) if f.suffix.lower() == ".jpg"]
        pycolmap.extract_features(
            str(part), str(images), image_names=names, camera_mode=pycolmap.CameraMode.PER_FOLDER, reader_options=options
        )
    matching = pycolmap.FeatureMatchingOptions()
    matching.skip_geometric_verification = True
    pycolmap.match_exhaustive(str(part), matching_options=matching)
    part.rename(kept)
    return kept


@contextlib.contextmanager
def opened(database):
    """Connects to a database and closes it at the end, so that no log file remains."""
    with contextlib.closing(sqlite3.connect(database)) as db, db:
        yield db


def names_of(database):
    with opened(database) as db:
        return dict(db.execute("SELECT image_id - 1, name FROM images").fetchall())


def pose_error(E, true1, true2):
    """Returns the larger error of rotation and direction in degrees, for the best of the four poses in E."""
    (R1, C1), (R2, C2) = true1, true2
    R, t = R2 @ R1.T, R2 @ (C1 - C2)
    poses = bifocal.two_view.decompose_essential(E)

    def angle(c):
        return np.degrees(np.arccos(np.clip(c, -1, 1)))

    rotation = min(angle((np.trace(R.T @ np.asarray(q)) - 1) / 2) for q in (poses.R1, poses.R2))
    return max(rotation, angle(abs(np.asarray(poses.t) @ t) / np.linalg.norm(t)))


def orientations(data):
    out = {}
    for scene, measured in mapping.SCENES.items():
        for file in sorted((data / "strecha" / scene).glob("*.camera")) if measured else []:
            rows = [[float(v) for v in line.split()] for line in file.read_text().splitlines() if line.strip()]
            out[f"{scene}/{file.name.removesuffix('.camera')}"] = np.array(rows[4:7]).T, np.array(rows[7])
    return out


def real(args, work, say):
    known = photographs(args, work)
    truth = orientations(args.data)
    for prior in (1, 0):
        database = work / f"prior{prior}.db"
        shutil.copy(known, database)
        with opened(database) as db:
            db.execute("UPDATE cameras SET prior_focal_length = ?", (prior,))
            counts = dict(db.execute("SELECT pair_id, rows FROM matches WHERE rows > 0").fetchall())
        names = names_of(database)
        found, seconds = {}, {}
        for who, verify in VERIFIERS.items():
            seconds[who], copy = timed(verify, database, work)
            found[who] = read_geometries(copy)
        say(f"\n{len(names)} photographs of three places, {len(counts)} pairs with matches, focal lengths {'known' if prior else 'not known'}:")
        for who, pairs in found.items():
            kinds = collections.Counter(NAMES[g[0]] for g in pairs.values())
            across = [p for p, g in pairs.items() if g[0] > 1 and names[p[0]].split("/")[0] != names[p[1]].split("/")[0]]
            errors = {
                p: pose_error(g[3], truth[names[p[0]]], truth[names[p[1]]])
                for p, g in pairs.items()
                if g[0] > 1 and g[3] is not None and names[p[0]] in truth and names[p[1]] in truth and p not in across
            }
            wrong = [f"{names[p[0]]} {names[p[1]]} ({NAMES[pairs[p][0]]})" for p, e in errors.items() if e >= 5]
            poses = ""
            if errors:
                median = np.median(list(errors.values()))
                poses = f", {len(errors) - len(wrong)} of {len(errors)} E within 5 degrees of the truth (median {median:.3f}), not {wrong}"
            inliers = sum(len(g[1]) for g in pairs.values())
            say(f"  {who}: {len(counts) / seconds[who]:.1f} pairs/s, {inliers} inliers, {dict(kinds)}, {len(across)} across places{poses}")
        differ = [p for p in found["bifocal"] if found["bifocal"][p][0] != found["pycolmap"].get(p, (1,))[0]]
        say(f"  the same configuration: {100 * (1 - len(differ) / len(counts)):.2f} %; others:")
        for p in differ:
            a, b = found["bifocal"][p], found["pycolmap"].get(p, (1, []))
            matches = counts[(p[0] + 1) * LARGEST + p[1] + 1]
            say(f"    {names[p[0]]} {names[p[1]]}, {matches} matches: {NAMES[a[0]]} {len(a[1])}, pycolmap {NAMES[b[0]]} {len(b[1])}")


def only(database, scene, copy):
    shutil.copy(database, copy)
    with opened(copy) as db:
        kept = [k for (k,) in db.execute("SELECT image_id FROM images WHERE name LIKE ?", (scene + "/%",))]
        inside = ",".join(map(str, kept))
        for table in ("matches", "two_view_geometries"):
            db.execute(f"DELETE FROM {table} WHERE pair_id / {LARGEST} NOT IN ({inside}) OR pair_id % {LARGEST} NOT IN ({inside})")
        db.execute(f"DELETE FROM frame_data WHERE data_id NOT IN ({inside})")
        db.execute("DELETE FROM frames WHERE frame_id NOT IN (SELECT frame_id FROM frame_data)")
        db.execute(f"DELETE FROM images WHERE image_id NOT IN ({inside})")


def map_all(args, work, say):
    known = photographs(args, work)
    say("\nmappers on pairs that either verified; | " + " | ".join(mapping.COLUMNS) + " |")
    for scene, measured in mapping.SCENES.items():
        truth = {f"{scene}/{n}": c for n, c in mapping.truth_of(args.data, scene).items()} if measured else {}
        part = work / "scene.db"
        only(known, scene, part)
        for who, verify in VERIFIERS.items():
            seconds, copy = timed(verify, part, work)
            for how in ("incremental", "global"):
                database = work / "mapped.db"
                shutil.copy(copy, database)
                row = mapping.map_database(database, args.data / "collections", how, truth, work)
                images = len(list((args.data / "collections" / scene).glob("*.[jJ]*")))
                say(mapping.line({"scene": scene, "images": images, "cameras": "known", "front_end": who,
                                  "front_end_seconds": round(seconds, 2), **row}))


def hloc(args, work, say):
    import h5py

    rng = np.random.default_rng(0)
    images, keypoints, pairs = 150, 2048, 10000
    names = [f"db/{k:04}.jpg" for k in range(images)]
    everything = [(i, j) for i in range(images) for j in range(i + 1, images)][:pairs]
    with h5py.File(work / "features.h5", "w", libver="latest") as f:
        for name in names:
            group = f.create_group(name)
            group.create_dataset("keypoints", data=rng.uniform([0, 0], [1280, 960], (keypoints, 2)).astype(np.float32))
            group.create_dataset("image_size", data=np.array([1280, 960]))
    with h5py.File(work / "matches.h5", "w", libver="latest") as f:
        for i, j in everything:
            matches = np.full(keypoints, -1, np.int16)
            matches[rng.choice(keypoints, 25, replace=False)] = rng.choice(keypoints, 25, replace=False)
            group = f.create_group(names[i].replace("/", "-") + "/" + names[j].replace("/", "-"))
            group.create_dataset("matches0", data=matches)
            group.create_dataset("matching_scores0", data=np.ones(keypoints, np.float16))
    (work / "pairs.txt").write_text("".join(f"{names[i]} {names[j]}\n" for i, j in everything))
    for text, more in [("imported and verified", []), ("imported alone (no pair has enough matches)", ["--min-inliers", "26"])]:
        speeds = []
        for _ in range(3):
            for end in ("", "-wal", "-shm"):
                pathlib.Path(f"{work}/out.db{end}").unlink(missing_ok=True)
            start = os.times()
            subprocess.run(
                [sys.executable, "-m", "bifocal", "verify", "--features", "features.h5", "--matches", "matches.h5", "--pairs", "pairs.txt",
                 "--database", "out.db", "--threads", "1", *more], cwd=work, check=True, capture_output=True)
            end = os.times()
            speeds.append(pairs / (end.children_user + end.children_system - start.children_user - start.children_system))
        speeds.sort()
        say(f"\nhloc, {images} images of {keypoints} keypoints, {pairs} pairs of 25 wrong matches each, {text}: "
            f"{statistics.median(speeds):.0f} pairs/s of processor time ({speeds[0]:.0f}, {speeds[-1]:.0f})")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--parts", nargs="+", default=["rates", "real", "mapping"], choices=["rates", "real", "mapping", "hloc"])
    parser.add_argument("--data", type=pathlib.Path, default=mapping.DATA)
    parser.add_argument("--work", type=pathlib.Path, help="folder for the database of the photographs")
    parser.add_argument("--text", type=pathlib.Path, help="the lines go here as well")
    args = parser.parse_args()
    pycolmap.logging.minloglevel = pycolmap.logging.FATAL.value
    lines = []

    def say(text):
        print(text, flush=True)
        lines.append(text)

    say(f"Bifocal {bifocal.__version__}, pycolmap {pycolmap.__version__}")
    with tempfile.TemporaryDirectory() as folder:
        for part in args.parts:
            {"rates": rates, "real": real, "mapping": map_all, "hloc": hloc}[part](args, pathlib.Path(folder), say)
    if args.text:
        args.text.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
