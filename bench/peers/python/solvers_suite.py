"""Minimal solvers on the same samples without noise: Bifocal's and kornia's take all samples in one call, PoseLib's and OpenCV's one per call.

A sample is solved if one of its solutions is the true model to 1e-6, both of norm 1.
"""

import numpy as np

import estimators
import interleaved
import synthetic_pairs

SAMPLES = 1000
POINTS = {"homography": 4, "fundamental": 7, "essential": 5, "p3p": 3}


def _unit(M):
    M = np.asarray(M, np.float64).ravel()
    return M / np.linalg.norm(M)


def make(kind, count=SAMPLES, seed=3):
    """Returns normalised points x1, x2 [count, m, 2], scene points X [count, m, 3] of camera 1, and the true model of each sample."""
    m, out, seed_of = POINTS[kind], [], np.random.default_rng(seed)
    while len(out) < count:
        rng = np.random.default_rng(seed_of.integers(1 << 60))
        R = synthetic_pairs.rotation(rng, 30)
        c = rng.normal(size=3)
        t = -R @ (c / np.linalg.norm(c)) * rng.uniform(0.7, 1.5)
        normal = np.array([rng.uniform(-0.4, 0.4), rng.uniform(-0.4, 0.4), 1.0])
        normal /= np.linalg.norm(normal)
        rays = np.c_[rng.uniform(-0.6, 0.6, m), rng.uniform(-0.5, 0.5, m), np.ones(m)]
        X = rays * (8.0 / (rays @ normal) if kind == "homography" else rng.uniform(4, 12, m))[:, None]
        Y = X @ R.T + t
        if Y[:, 2].min() < 0.5:
            continue
        S = np.array([[0, -t[2], t[1]], [t[2], 0, -t[0]], [-t[1], t[0], 0]])
        truth = {"homography": R + np.outer(t, normal) / 8.0, "p3p": np.c_[R, t]}.get(kind, S @ R)
        out.append((rays[:, :2], Y[:, :2] / Y[:, 2:], X, _unit(truth)))
    return [np.stack(column) for column in zip(*out)]


def bifocal(kind):
    import bifocal

    solver = {"homography": "homography_4pt", "fundamental": "fundamental_7pt", "essential": "essential_5pt", "p3p": "p3p"}[kind]

    def prepare(x1, x2, X):
        if kind == "p3p":
            bearings = np.concatenate([x2, np.ones((*x2.shape[:2], 1))], 2)
            parts = [bearings / np.linalg.norm(bearings, axis=2, keepdims=True), X]
            return np.ascontiguousarray(np.concatenate([p.reshape(len(p), -1).T for p in parts]))
        return np.ascontiguousarray(np.concatenate([x[..., k].T for x in (x1, x2) for k in (0, 1)]))

    def models(found):
        solutions, counts = found
        for b, count in enumerate(counts):
            one = solutions[:count, :, b]
            yield [np.c_[s[:9].reshape(3, 3), s[9:]] for s in one] if kind == "p3p" else list(one)

    return prepare, lambda samples: bifocal.solvers.solve_minimal(solver, samples), models


def _one_a_call(call, of_model):
    return lambda samples: [call(*s) for s in samples], lambda found: ([of_model(m) for m in one] for one in found)


def _bearings(x):
    rows = np.concatenate([x, np.ones((*x.shape[:2], 1))], 2)
    return rows / np.linalg.norm(rows, axis=2, keepdims=True)


def poselib(kind):
    import poselib

    if kind == "p3p":
        run, models = _one_a_call(poselib.p3p, lambda pose: np.c_[np.array(pose.R), np.array(pose.t)])
        return lambda x1, x2, X: list(zip(_bearings(x2), X)), run, models
    if kind == "essential":
        run, models = _one_a_call(poselib.essential_matrix_5pt, np.asarray)
        return lambda x1, x2, X: list(zip(_bearings(x1), _bearings(x2))), run, models
    return None


def opencv(kind):
    import cv2

    cv2.setNumThreads(1)
    if kind == "p3p":

        def call(x, X):
            count, rotations, translations = cv2.solveP3P(X, x, np.eye(3), None, cv2.SOLVEPNP_P3P)
            return list(zip(rotations[:count], translations[:count]))

        run, models = _one_a_call(call, lambda m: np.c_[cv2.Rodrigues(m[0])[0], m[1]])
        return lambda x1, x2, X: list(zip(x2, X)), run, models
    if kind == "essential":  # with five points findEssentialMat returns every solution
        call = lambda a, b: np.reshape([] if (E := cv2.findEssentialMat(a, b, np.eye(3))[0]) is None else E, (-1, 3, 3))  # noqa: E731
    elif kind == "fundamental":
        call = lambda a, b: np.reshape([] if (F := cv2.findFundamentalMat(a, b, cv2.FM_7POINT)[0]) is None else F, (-1, 3, 3))  # noqa: E731
    else:
        call = lambda a, b: [cv2.findHomography(a, b)[0]]  # noqa: E731
    run, models = _one_a_call(call, np.asarray)
    return lambda x1, x2, X: list(zip(x1, x2)), run, models


def kornia(kind):
    import torch
    from kornia.geometry import epipolar, homography

    torch.set_num_threads(1)
    call = {"homography": homography.find_homography_dlt, "fundamental": epipolar.fundamental.run_7point, "essential": epipolar.find_essential}.get(kind)
    if call is None:
        return None

    def models(found):
        for one in found.numpy():
            yield [m for m in one.reshape(-1, 9) if np.isfinite(m).all() and np.abs(m).max() > 0]

    def run(samples):
        with torch.no_grad():
            return call(*samples)

    return lambda x1, x2, X: (torch.from_numpy(x1), torch.from_numpy(x2)), run, models


PROJECTS = {"Bifocal": bifocal, "PoseLib": poselib, "OpenCV": opencv, "kornia": kornia}


def solved(models, truth):
    """Returns the fraction of solved samples."""
    hits = 0
    for some, true in zip(models, truth):
        hits += any(min(np.abs(_unit(m) - true).max(), np.abs(_unit(m) + true).max()) < 1e-6 for m in some)
    return hits / len(truth)


def records(arguments):
    for kind, points in POINTS.items():
        x1, x2, X, truth = make(kind)
        made = {name: own for name, own_of in PROJECTS.items() if name in arguments.projects and (own := own_of(kind)) is not None}
        samples = {name: prepare(x1, x2, X) for name, (prepare, _, _) in made.items()}
        runs = {name: lambda _, run=run, of=samples[name]: run(of) for name, (_, run, _) in made.items()}
        taken = interleaved.measure(runs, [None], max(5, arguments.rounds), per=SAMPLES)
        for name, own in taken.items():
            settings = {"samples": SAMPLES, "calls": 1 if name in ("Bifocal", "kornia") else SAMPLES}
            share = solved(made[name][2](own.found[0]), truth)
            yield interleaved.record(f"solvers/{kind}_{points}pt", name, estimators.version(name), "us/sample", own, taken.get("Bifocal"), settings, solved_share=share)
