"""Synthetic pairs with ground truth, and the errors of an estimate.

Scenes: 1280 x 960, f = 1000, centre (640, 480); rotation up to 30 degrees about a random axis, baseline 0.7 to 1.5, depth 4 to 12 (planar: a slanted
plane at depth 8); Gaussian noise in both images; outliers uniform in both. Pixels: centre of the first one (0, 0).
"""

from dataclasses import dataclass

import numpy as np

WIDTH, HEIGHT, F, CX, CY = 1280.0, 960.0, 1000.0, 640.0, 480.0
K = np.array([[F, 0, CX], [0, F, CY], [0, 0, 1.0]])
CLEAN = 200


@dataclass
class Scene:
    """One pair; `clean1`, `clean2` are pairs without noise that no estimator sees."""

    x1: np.ndarray
    x2: np.ndarray
    right: np.ndarray
    R: np.ndarray
    t: np.ndarray
    clean1: np.ndarray
    clean2: np.ndarray


def rotation(rng, most_deg):
    a = rng.normal(size=3)
    a /= np.linalg.norm(a)
    angle = np.radians(rng.uniform(0, most_deg))
    S = np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])
    return np.eye(3) + np.sin(angle) * S + (1 - np.cos(angle)) * S @ S


def _visible(rng, R, t, count, normal):
    """Returns `count` pairs that both cameras see, or None if the views overlap too little."""
    first, second, got = [], [], 0
    for _ in range(60):
        p = rng.uniform([0, 0], [WIDTH, HEIGHT], (4 * count + 64, 2))
        rays = np.c_[(p[:, 0] - CX) / F, (p[:, 1] - CY) / F, np.ones(len(p))]
        z = rng.uniform(4, 12, len(p)) if normal is None else 8.0 / (rays @ normal)
        Y = (rays * z[:, None]) @ R.T + t
        q = np.c_[F * Y[:, 0] / Y[:, 2] + CX, F * Y[:, 1] / Y[:, 2] + CY]
        seen = (z > 0.5) & (Y[:, 2] > 0.5) & (q[:, 0] >= 0) & (q[:, 0] < WIDTH) & (q[:, 1] >= 0) & (q[:, 1] < HEIGHT)
        first.append(p[seen])
        second.append(q[seen])
        got += int(seen.sum())
        if got >= count:
            return np.concatenate(first)[:count], np.concatenate(second)[:count]
    return None


def make(count, points=2000, inliers=0.5, noise=1.0, planar=False, seed=1):
    """Returns `count` scenes, equal for equal arguments."""
    rng = np.random.default_rng(seed)
    many = round(points * inliers)
    scenes = []
    while len(scenes) < count:
        R = rotation(rng, 30)
        c = rng.normal(size=3)
        t = -R @ (c / np.linalg.norm(c)) * rng.uniform(0.7, 1.5)
        normal = None
        if planar:
            normal = np.array([rng.uniform(-0.4, 0.4), rng.uniform(-0.4, 0.4), 1.0])
            normal /= np.linalg.norm(normal)
        found = _visible(rng, R, t, many + CLEAN, normal)
        if found is None:
            continue
        p, q = found
        true1, true2 = p[CLEAN:], q[CLEAN:]
        x1 = np.r_[true1 + noise * rng.normal(size=true1.shape), rng.uniform([0, 0], [WIDTH, HEIGHT], (points - many, 2))]
        x2 = np.r_[true2 + noise * rng.normal(size=true2.shape), rng.uniform([0, 0], [WIDTH, HEIGHT], (points - many, 2))]
        order = rng.permutation(points)
        scenes.append(Scene(x1[order], x2[order], order < many, R, t, p[:CLEAN], q[:CLEAN]))
    return scenes


def _homogeneous(x):
    return np.c_[x, np.ones(len(x))]


def error(problem, scene, model, R, t):
    """Returns the error of an estimate. E: the larger error of rotation and direction, degrees. F: mean Sampson distance of the clean pairs, H: mean
    transfer distance, px."""
    if problem == "essential":
        rotation_deg = np.degrees(np.arccos(np.clip((np.trace(scene.R.T @ R) - 1) / 2, -1, 1)))
        cosine = t @ scene.t / (np.linalg.norm(t) * np.linalg.norm(scene.t) + 1e-300)
        return max(rotation_deg, np.degrees(np.arccos(np.clip(cosine, -1, 1))))
    p, q = _homogeneous(scene.clean1), _homogeneous(scene.clean2)
    if problem == "fundamental":
        l2, l1 = p @ model.T, q @ model
        return float(np.mean(np.abs((l2 * q).sum(1)) / np.sqrt((l2[:, :2] ** 2).sum(1) + (l1[:, :2] ** 2).sum(1) + 1e-300)))
    w = p @ model.T
    return float(np.mean(np.linalg.norm(w[:, :2] / w[:, 2:] - scene.clean2, axis=1)))


def auc(errors, limit):
    """Returns the area under the recall curve up to `limit`, per cent (exact, by trapezoids)."""
    e = np.sort(errors)
    x = np.r_[0, e[e < limit], limit]
    y = np.r_[0, np.arange(1, (e < limit).sum() + 1) / len(e)]
    y = np.r_[y, y[-1]]
    return 100 * float(((x[1:] - x[:-1]) * (y[1:] + y[:-1]) / 2).sum()) / limit
