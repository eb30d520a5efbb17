"""Makes a database with any number of pairs from a real one by noise and permutation, for bench/long_run.py. Needs NumPy."""

import multiprocessing
import shutil
import sqlite3

import numpy as np

LARGEST = 2147483647


class Source:
    """Reads features and matches of the images of a database, with indices from 0."""

    def __init__(self, file):
        db = sqlite3.connect(file)
        images = db.execute("SELECT image_id, camera_id FROM images ORDER BY image_id").fetchall()
        place = {number: k for k, (number, _) in enumerate(images)}
        self.cameras = [camera for _, camera in images]
        features = {i: np.frombuffer(data, "<f4").reshape(-1, cols) for i, cols, data in db.execute("SELECT image_id, cols, data FROM keypoints")}
        self.keypoints = [features[number] for number, _ in images]
        self.matches = {}
        for pair, rows, data in db.execute("SELECT pair_id, rows, data FROM matches"):
            if rows:
                a, b, both = place[pair // LARGEST], place[pair % LARGEST], np.frombuffer(data, "<u4").reshape(-1, 2)
                self.matches[a, b], self.matches[b, a] = both, both[:, ::-1]
        db.close()
        self.matched = np.zeros((len(images), len(images)), bool)
        for a, b in self.matches:
            self.matched[a, b] = True
        # features with a match: the source of outliers
        self.used = [np.unique(np.concatenate([m[:, 0] for (a, _), m in self.matches.items() if a == k] or [[]])).astype("<u4") for k in range(len(images))]
        self.can_be_wrong = ~self.matched & (np.array([len(u) for u in self.used]) > 0)[:, None]
        self.can_be_wrong &= self.can_be_wrong.T


def choose_pairs(source, pairs, wrong, rng):
    """Returns the smallest number of copies of the images with the given numbers of true and false pairs, and both lists as sorted [pairs, 2]."""
    need = {"matched": pairs - round(pairs * wrong), "can_be_wrong": round(pairs * wrong)}
    count = 2
    while True:
        old = np.arange(count) % len(source.cameras)
        available = {kind: np.argwhere(np.triu(getattr(source, kind)[np.ix_(old, old)], 1)) for kind in need}
        if all(len(available[kind]) >= need[kind] for kind in need):
            break
        if count > 100 * len(source.cameras) and not all(len(t) for t in available.values()):
            raise SystemExit("the source has no pairs with matches, or no others")
        count = max(count + 1, int(count * 1.02))
    chosen = [available[kind][rng.choice(len(available[kind]), need[kind], replace=False)] for kind in need]
    chosen = np.concatenate(chosen)
    return count, chosen[np.lexsort((chosen[:, 1], chosen[:, 0]))]


_work = None  # state of the processes: Source, pairs by their first image, fewest and most matches, seed


def _rows_of(first):
    """Makes the rows of table matches for pairs of an image and later images."""
    source, by_first, fewest, most, seed = _work
    rng = np.random.default_rng([seed, first])
    old, rows = first % len(source.cameras), []
    for second in by_first[first]:
        other = second % len(source.cameras)
        size = int(np.exp(rng.uniform(np.log(fewest), np.log(most + 1))))
        real = source.matches.get((old, other))
        if real is not None:
            both = real[rng.permutation(len(real))[:size]]
        else:  # features of both images that match elsewhere, paired at random
            size = min(size, len(source.used[old]), len(source.used[other]))
            both = np.stack([source.used[k][rng.permutation(len(source.used[k]))[:size]] for k in (old, other)], axis=1)
        rows.append(((first + 1) * LARGEST + int(second) + 1, len(both), both.astype("<u4").tobytes()))
    return rows


def make_database(file, target, pairs, wrong=0.5, fewest=20, most=200, seed=0):
    """Writes `target`; returns its numbers of images and of matches.

    Its images are copies of the images of `file`, one after another, with noise of 0.3 px on their features. A fraction `wrong` of its pairs consists of
    images without matches in the source and has only outliers; the remaining pairs have the matches of the source, in another order. Each pair has
    `fewest` to `most` matches, with equal shares per power of two; fewer if the source has fewer.
    """
    global _work
    source = Source(file)
    rng = np.random.default_rng(seed)
    count, chosen = choose_pairs(source, pairs, wrong, rng)
    starts = np.searchsorted(chosen[:, 0], np.arange(count + 1))
    _work = (source, [chosen[starts[k] : starts[k + 1], 1] for k in range(count)], fewest, most, seed)
    shutil.copy(file, target)
    db = sqlite3.connect(target, isolation_level=None)
    for table in ("descriptors", "matches", "two_view_geometries", "keypoints", "images"):
        db.execute(f"DELETE FROM {table}")
    db.execute("DROP TABLE IF EXISTS bifocal_collect")
    db.execute("VACUUM")
    db.execute("PRAGMA journal_mode = OFF")
    db.execute("PRAGMA synchronous = OFF")
    db.execute("BEGIN")
    for k in range(count):
        old = k % len(source.cameras)
        moved = source.keypoints[old].copy()
        moved[:, :2] += rng.normal(0, 0.3, (len(moved), 2)).astype("<f4")
        db.execute("INSERT INTO images (image_id, name, camera_id) VALUES (?, ?, ?)", (k + 1, f"{k + 1}.jpg", source.cameras[old]))
        db.execute("INSERT INTO keypoints (image_id, rows, cols, data) VALUES (?, ?, ?, ?)", (k + 1, *moved.shape, moved.tobytes()))
    total = 0
    with multiprocessing.get_context("fork").Pool() as pool:
        for rows in pool.imap(_rows_of, range(count), chunksize=4):
            db.executemany("INSERT INTO matches (pair_id, rows, cols, data) VALUES (?, ?, 2, ?)", rows)
            total += sum(n for _, n, _ in rows)
    db.execute("COMMIT")
    db.execute("PRAGMA journal_mode = WAL")
    db.close()
    return count, total
