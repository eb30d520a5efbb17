"""Robust estimation: every project on the same pairs, alternately."""

import numpy as np

import estimators
import interleaved
import synthetic_pairs

PROBLEMS = ("essential", "fundamental", "homography")
SIZES, RIGHT = (50, 200, 4096, 16384), 0.7  # matches of the suite `sizes`: few matches, and dense matches as from networks
MATCHED = estimators.Setting()


def judge(problem, pairs, found):
    """Returns the accuracy figures of one estimator."""
    worst = 180.0 if problem == "essential" else np.inf
    errors = np.array([worst if f is None else synthetic_pairs.error(problem, p, f[0], f[1], f[2]) for p, f in zip(pairs, found)])
    errors = np.where(np.isfinite(errors), errors, worst)
    masks = [np.zeros(len(p.x1), bool) if f is None else np.asarray(f[3], bool) for p, f in zip(pairs, found)]
    hits = sum(int((m & p.right).sum()) for m, p in zip(masks, pairs))
    out = {
        "failures": sum(f is None for f in found),
        "precision": hits / max(1, sum(int(m.sum()) for m in masks)),
        "recall": hits / max(1, sum(int(p.right.sum()) for p in pairs)),
    }
    if problem == "essential":
        out |= {"auc1": synthetic_pairs.auc(errors, 1), "auc5": synthetic_pairs.auc(errors, 5), "median_error_deg": float(np.median(errors))}
    else:
        out |= {"median_error_px": float(np.median(errors)), "error_90_px": float(np.quantile(errors, 0.9))}
    return out


def case(suite, problem, points, inliers, mode, arguments):
    """Returns the records of one case, one per estimator."""
    count = arguments.pairs if mode == "matched" else arguments.default_pairs
    pairs = synthetic_pairs.make(count, points, inliers, planar=problem == "homography")
    made = {name: estimators.ALL[name](problem, MATCHED if mode == "matched" else None) for name in arguments.estimators}
    runs = {name: lambda pair, run=run: run(pair.x1, pair.x2) for name, (run, _) in made.items()}
    easy = synthetic_pairs.make(1, 200, 0.9, planar=problem == "homography")[0]
    for run in runs.values():  # loads and compiles once
        run(easy)
    taken = interleaved.measure(runs, pairs, arguments.rounds, arguments.budget)
    for name, own in taken.items():
        seen = pairs[: len(own.ms)]
        figures = judge(problem, seen, own.found)
        if "Bifocal" in taken and len(seen) < count:
            figures["beside"] = judge(problem, seen, taken["Bifocal"].found[: len(seen)])
        label = f"{suite}/{problem}/n{points}/inliers{round(100 * inliers)}/{mode}"
        yield interleaved.record(label, name, estimators.version(name), "ms/pair", own, taken.get("Bifocal"), made[name][1], pairs=count, **figures)


def records(arguments):
    for mode in arguments.modes:
        for problem in arguments.problems:
            for inliers in arguments.inliers:
                yield from case("robust", problem, arguments.points, inliers, mode, arguments)


def sizes(arguments):
    """Returns records by the number of matches, in the form of `records`."""
    for problem in arguments.problems:
        for points in SIZES:
            yield from case("sizes", problem, points, RIGHT, "matched", arguments)
