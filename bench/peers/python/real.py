"""Real matches: photographs with manually selected reference points (homogr, kusvod2) or labelled correct matches (evd).

A set is solved if the mean error of its reference points is at most 3 px (F: Sampson 2 px; evd: half of the correct matches within 5 px).
"""

import pathlib
import sys

import numpy as np

import estimators
import interleaved
import robust

# The tentative matches in these files of kusvod2 belong to other images of the set.
MIXED_UP = {"Brussels", "Dresden", "Leuven1", "Leuven2"}
FOLDERS = {"homogr": "homography", "evd": "homography", "kusvod2": "fundamental"}


def read(folder):
    """Yields (name, x1, x2, reference1, reference2) of each set of a folder."""
    sets = []
    for file in sorted(pathlib.Path(folder).glob("*_pts.txt")):
        name = file.name.removesuffix("_pts.txt")
        if folder.name == "kusvod2" and name in MIXED_UP:
            continue
        rows = np.array([[*map(float, (*line.split()[:5], line.split()[-1]))] for line in open(file) if line.strip()])
        columns = (0, 1, 2, 3) if folder.name == "evd" else (0, 1, 3, 4)
        known, points = rows[:, -1] > 0, rows[:, columns]
        given = points if folder.name == "evd" else points[~known]
        sets.append((name, *(np.ascontiguousarray(a) for a in (given[:, :2], given[:, 2:], points[known, :2], points[known, 2:]))))
    return sets


def errors(problem, model, p, q):
    """Returns the error of reference points in px."""
    p, q = np.c_[p, np.ones(len(p))], np.c_[q, np.ones(len(q))]
    if problem == "homography":
        w = p @ model.T
        return np.linalg.norm(w[:, :2] / w[:, 2:] - q[:, :2], axis=1)
    l2, l1 = p @ model.T, q @ model
    return np.abs((l2 * q).sum(1)) / np.sqrt((l2[:, :2] ** 2).sum(1) + (l1[:, :2] ** 2).sum(1) + 1e-300)


def figure(folder, problem, model, p, q):
    """Returns (error, solved)."""
    if model is None:
        return np.inf, False
    e = errors(problem, np.asarray(model), p, q)
    if folder == "evd":
        middle = float(np.median(e))
        return middle, middle <= 5
    mean = float(np.mean(e))
    return mean, mean <= (3 if problem == "homography" else 2)


def records(arguments):
    for folder, problem in FOLDERS.items():
        sets = read(arguments.data / "correspondences" / folder)
        if not sets:
            print(f"{arguments.data / 'correspondences' / folder}: no matches there, left out", file=sys.stderr)
            continue
        made = {name: estimators.ALL[name](problem, robust.MATCHED) for name in arguments.estimators}
        runs = {name: lambda one, run=run: run(one[1], one[2]) for name, (run, _) in made.items()}
        taken = interleaved.measure(runs, sets, arguments.rounds, arguments.budget)
        for name, own in taken.items():
            figures = [figure(folder, problem, got and got[0], *one[3:]) for one, got in zip(sets, own.found)]
            more = {
                "solved": sum(ok for _, ok in figures),
                "sets": len(figures),
                "pairs": len(sets),
                "median_error_px": float(np.median([e for e, _ in figures])),
                "solved_sets": [one[0] for one, (_, ok) in zip(sets, figures) if ok],
            }
            label = f"real/{folder}/{problem}"
            yield interleaved.record(label, name, estimators.version(name), "ms/pair", own, taken.get("Bifocal"), made[name][1], **more)
