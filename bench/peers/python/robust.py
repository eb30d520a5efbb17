"""Robust estimation: every project on the same pairs in turn."""

import time

import numpy as np

import estimators
import scenes

PROBLEMS = ("essential", "fundamental", "homography")
MATCHED_PX = 2.5
SLOW_S = 0.2  # a pair that takes longer is not measured again


def measure(pairs, problem, runs, rounds):
    """times [estimator][pair]: the least of the rounds; what the first round found."""
    times = {name: np.full(len(pairs), np.inf) for name in runs}
    found = {name: [] for name in runs}
    for k, pair in enumerate(pairs):
        for turn in range(rounds):
            for name, run in runs.items():
                if turn > 0 and times[name][k] > SLOW_S:
                    continue
                begin = time.perf_counter()
                got = run(pair.x1, pair.x2)
                times[name][k] = min(times[name][k], time.perf_counter() - begin)
                if turn == 0:
                    found[name].append(got)
    return times, found


def judge(problem, pairs, found):
    """Figures of quality of one estimator."""
    worst = 180.0 if problem == "essential" else np.inf
    errors = np.array([worst if f is None else scenes.error(problem, p, f[0], f[1], f[2]) for p, f in zip(pairs, found)])
    errors = np.where(np.isfinite(errors), errors, worst)
    masks = [np.zeros(len(p.x1), bool) if f is None else np.asarray(f[3], bool) for p, f in zip(pairs, found)]
    hits = sum(int((m & p.right).sum()) for m, p in zip(masks, pairs))
    out = {
        "failures": sum(f is None for f in found),
        "precision": hits / max(1, sum(int(m.sum()) for m in masks)),
        "recall": hits / max(1, sum(int(p.right.sum()) for p in pairs)),
    }
    if problem == "essential":
        out |= {"auc1": scenes.auc(errors, 1), "auc5": scenes.auc(errors, 5), "median_error_deg": float(np.median(errors))}
    else:
        out |= {"median_error_px": float(np.median(errors)), "error_90_px": float(np.quantile(errors, 0.9))}
    return out


def case(problem, points, inliers, mode, count, rounds, names):
    """Records of one case, one an estimator."""
    pairs = scenes.make(count, points, inliers, planar=problem == "homography")
    px = MATCHED_PX if mode == "matched" else None
    runs = {name: estimators.ALL[name](problem, px) for name in names}
    for run in runs.values():  # what is loaded or compiled once
        run(pairs[0].x1, pairs[0].x2)
    times, found = measure(pairs, problem, runs, rounds)
    own = float(np.median(times["Bifocal"])) if "Bifocal" in times else None
    for name in names:
        ms = 1e3 * times[name]
        value = float(np.median(ms))
        record = {
            "suite": "peers",
            "case": f"robust/{problem}/n{points}/inliers{round(100 * inliers)}/{mode}",
            "device": "cpu",
            "name": name,
            "version": estimators.version(name),
            "unit": "ms/pair",
            "value": value,
            "mad": float(np.median(np.abs(ms - value))),
            "mean": float(ms.mean()),
            "runs": count,
            "rounds": rounds,
            **judge(problem, pairs, found[name]),
        }
        if own is not None and name != "Bifocal":
            record["ratio"] = value / (1e3 * own)  # how many times Bifocal's time
        yield record


def records(arguments):
    for mode in arguments.modes:
        for problem in arguments.problems:
            for inliers in arguments.inliers:
                count = arguments.pairs if mode == "matched" else arguments.default_pairs
                yield from case(problem, arguments.points, inliers, mode, count, arguments.rounds, arguments.estimators)
