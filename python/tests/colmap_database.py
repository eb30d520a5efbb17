"""COLMAP databases written and read by sqlite3 alone, independently of the tested code."""

import sqlite3

import numpy as np

LARGEST = 2147483647

SCHEMA = """
CREATE TABLE cameras (camera_id INTEGER PRIMARY KEY, model INTEGER NOT NULL, width INTEGER NOT NULL, height INTEGER NOT NULL,
  params BLOB, prior_focal_length INTEGER NOT NULL);
CREATE TABLE images (image_id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, camera_id INTEGER NOT NULL);
CREATE TABLE keypoints (image_id INTEGER PRIMARY KEY, rows INTEGER, cols INTEGER, data BLOB);
CREATE TABLE descriptors (image_id INTEGER PRIMARY KEY, rows INTEGER, cols INTEGER, data BLOB);
CREATE TABLE matches (pair_id INTEGER PRIMARY KEY, rows INTEGER, cols INTEGER, data BLOB);
CREATE TABLE two_view_geometries (pair_id INTEGER PRIMARY KEY, rows INTEGER, cols INTEGER, data BLOB, config INTEGER NOT NULL,
  F BLOB, E BLOB, H BLOB, qvec BLOB, tvec BLOB);
PRAGMA user_version = 3900;
"""


def blob(values, dtype):
    return np.ascontiguousarray(values, dtype).tobytes()


def write_database(file, views, matches, prior=1, camera=(1, [700.0, 700.0, 320.5, 240.5])):
    """Writes a database. views: keypoints [N, 2] of each image, px from the corner of the first pixel; matches: {(i, j): [M, 2]}, 0 <= i < j."""
    with sqlite3.connect(file) as db:
        db.executescript(SCHEMA)
        model, params = camera
        db.execute("INSERT INTO cameras VALUES (1, ?, 640, 480, ?, ?)", (model, blob(params, "<f8"), prior))
        for k, xy in enumerate(views):
            db.execute("INSERT INTO images VALUES (?, ?, 1)", (k + 1, f"view{k}.jpg"))
            db.execute("INSERT INTO keypoints VALUES (?, ?, 2, ?)", (k + 1, len(xy), blob(xy, "<f4")))
        for (i, j), rows in matches.items():
            db.execute("INSERT INTO matches VALUES (?, ?, 2, ?)", ((i + 1) * LARGEST + j + 1, len(rows), blob(rows, "<u4")))


def read_geometries(file):
    """Returns {(i, j): (config, inliers [M, 2], F, E, H)} with images counted from 0; None for a missing matrix."""
    with sqlite3.connect(file) as db:
        rows = db.execute("SELECT pair_id, rows, data, config, F, E, H FROM two_view_geometries").fetchall()
    out = {}
    for pair, count, data, config, *matrices in rows:
        inliers = np.frombuffer(data or b"", "<u4").reshape(count, 2)
        out[pair // LARGEST - 1, pair % LARGEST - 1] = (
            config,
            inliers,
            *(None if m is None else np.frombuffer(m, "<f8").reshape(3, 3) for m in matrices),
        )
    return out


def scene(views=4, points=300, seed=0, noise=0.5):
    """Returns keypoints of points seen by cameras on an arc (f = 700 px, px from the corner) and matches of all pairs; every fourth match is wrong."""
    rng = np.random.default_rng(seed)
    X = rng.uniform([-2, -1.5, 4], [2, 1.5, 8], (points, 3))
    xy = []
    for k in range(views):
        angle = 0.12 * k
        R = np.array([[np.cos(angle), 0, -np.sin(angle)], [0, 1, 0], [np.sin(angle), 0, np.cos(angle)]])
        x = (X - [0.8 * k, 0, 0]) @ R.T
        xy.append(700 * x[:, :2] / x[:, 2:] + [320.5, 240.5] + rng.normal(0, noise, (points, 2)))
    matches = {}
    for i in range(views):
        for j in range(i + 1, views):
            right = np.arange(points)
            wrong = rng.permutation(points)[: points // 4]
            right[wrong] = np.roll(wrong, 1)
            matches[i, j] = np.c_[np.arange(points), right]
    return xy, matches
