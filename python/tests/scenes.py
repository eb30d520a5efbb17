"""Scenes with known geometry: matches of two views in px, by default half of them wrong."""

import numpy as np

K = np.array([[1000.0, 0, 640], [0, 1000, 480], [0, 0, 1]])


def rotation(axis, degrees):
    a = np.asarray(axis, float) / np.linalg.norm(axis)
    S = np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])
    th = np.radians(degrees)
    return np.eye(3) + np.sin(th) * S + (1 - np.cos(th)) * S @ S


class Scene:
    """Scene with general depth or a plane; `right` flags the correct matches."""

    def __init__(self, n=600, right=0.5, noise=0.5, seed=0, plane=False):
        rng = np.random.default_rng(seed)
        self.R = rotation(rng.normal(size=3), 8.0)
        t = rng.normal(size=3)
        self.t = t / np.linalg.norm(t)
        pixels = rng.uniform([0, 0], [1280, 960], (n, 2))
        rays = np.c_[pixels, np.ones(n)] @ np.linalg.inv(K).T
        normal = np.array([0.1, -0.2, 1.0])
        depth = 8.0 / (rays @ normal) if plane else rng.uniform(4, 12, n)
        self.X = rays * depth[:, None]
        Y = self.X @ self.R.T + self.t
        self.clean1 = pixels
        q = Y @ K.T
        self.clean2 = q[:, :2] / q[:, 2:]
        self.right = rng.permutation(n) < round(right * n)
        self.x1 = self.clean1 + noise * rng.normal(size=(n, 2))
        self.x2 = self.clean2 + noise * rng.normal(size=(n, 2))
        wrong = ~self.right
        self.x2[wrong] = rng.uniform([0, 0], [1280, 960], (wrong.sum(), 2))
        self.H = K @ (self.R + np.outer(self.t, normal) / 8.0) @ np.linalg.inv(K)
        tx = np.array([[0, -self.t[2], self.t[1]], [self.t[2], 0, -self.t[0]], [-self.t[1], self.t[0], 0]])
        self.E = tx @ self.R

    @property
    def rows(self):
        return np.ascontiguousarray(np.c_[self.x1, self.x2])


def angle_deg(R1, R2):
    return np.degrees(np.arccos(np.clip((np.trace(R1.T @ R2) - 1) / 2, -1, 1)))


def direction_deg(a, b):
    return np.degrees(np.arccos(np.clip(a @ b / np.linalg.norm(a) / np.linalg.norm(b), -1, 1)))


def sampson(F, x1, x2):
    p, q = np.c_[x1, np.ones(len(x1))], np.c_[x2, np.ones(len(x2))]
    l2, l1 = p @ F.T, q @ F
    return np.abs((q * l2).sum(1)) / np.sqrt((l2[:, :2] ** 2).sum(1) + (l1[:, :2] ** 2).sum(1))


def transfer(H, x1, x2):
    q = np.c_[x1, np.ones(len(x1))] @ np.asarray(H).T
    return np.linalg.norm(q[:, :2] / q[:, 2:] - x2, axis=1)
