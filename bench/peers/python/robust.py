"""Robust estimation: every project on the same pairs in turn."""

import time

import numpy as np

import estimators
import scenes

PROBLEMS = ("essential", "fundamental", "homography")
MATCHED_PX = 2.5
SLOW_S = 0.2  # a pair that takes longer is not measured again


def measure(pairs, runs, rounds, budget_s):
    """Of each estimator: seconds of the pairs, the least of the rounds, and what the first round found. One whose budget is spent does not
    see the pairs that are left."""
    times = {name: [] for name in runs}
    found = {name: [] for name in runs}
    spent = dict.fromkeys(runs, 0.0)
    for pair in pairs:
        here = [name for name in runs if spent[name] < budget_s]
        for turn in range(rounds):
            for name in here:
                if turn > 0 and times[name][-1] > SLOW_S:
                    continue
                begin = time.perf_counter()
                got = runs[name](pair.x1, pair.x2)
                took = time.perf_counter() - begin
                spent[name] += took
                if turn == 0:
                    found[name].append(got)
                    times[name].append(took)
                else:
                    times[name][-1] = min(times[name][-1], took)
    return {name: np.array(t) for name, t in times.items()}, found


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


def case(problem, inliers, mode, arguments):
    """Records of one case, one an estimator."""
    points, rounds, names = arguments.points, arguments.rounds, arguments.estimators
    count = arguments.pairs if mode == "matched" else arguments.default_pairs
    pairs = scenes.make(count, points, inliers, planar=problem == "homography")
    px = MATCHED_PX if mode == "matched" else None
    runs = {name: estimators.ALL[name](problem, px) for name in names}
    for run in runs.values():  # what is loaded or compiled once
        run(pairs[0].x1, pairs[0].x2)
    times, found = measure(pairs, runs, rounds, arguments.budget)
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
            "runs": len(ms),
            "rounds": rounds,
            **judge(problem, pairs[: len(ms)], found[name]),
        }
        if own is not None and name != "Bifocal":
            record["ratio"] = value / (1e3 * own)  # how many times Bifocal's time
        yield record


def records(arguments):
    for mode in arguments.modes:
        for problem in arguments.problems:
            for inliers in arguments.inliers:
                yield from case(problem, inliers, mode, arguments)
