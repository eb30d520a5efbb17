"""Comparison with pycolmap: its decisions, and the models of its mappers from databases verified here. Skipped without pycolmap."""

import shutil
import sqlite3

import numpy as np
import pytest
from colmap_database import read_geometries, scene, write_database

import bifocal
from bifocal import colmap

pycolmap = pytest.importorskip("pycolmap")
pycolmap.logging.minloglevel = pycolmap.logging.FATAL.value


def centres(views):
    return np.array([[0.8 * k, 0, 0] for k in range(views)])


def spread(model, views):
    """Returns the largest error of a camera centre after the best similarity; the baseline is 0.8."""
    images = {i.name: i.projection_center() for i in model.images.values() if i.has_pose}
    found = np.array([images[f"view{k}.jpg"] for k in range(views)])
    true = centres(views)
    a, b = found - found.mean(0), true - true.mean(0)
    U, s, Vt = np.linalg.svd(b.T @ a)
    sign = np.diag([1, 1, np.sign(np.linalg.det(U @ Vt))])
    R = U @ sign @ Vt
    return np.linalg.norm(np.trace(np.diag(s) @ sign) / (a**2).sum() * a @ R.T - b, axis=1).max()


def mapped(database, folder, mapper):
    copy = folder / f"{mapper}.db"
    shutil.copy(database, copy)
    (folder / mapper).mkdir()
    run = getattr(pycolmap, mapper)
    return list(run(str(copy), str(folder), str(folder / mapper)).values())


@pytest.mark.parametrize("prior", [1, 0])
@pytest.mark.parametrize("mapper", ["incremental_mapping", "global_mapping"])
def test_mappers_take_what_is_written(tmp_path, mapper, prior):
    """The global mapper uses poses and matrices unchanged: it fails if one is transposed, inverted or in another order."""
    if not hasattr(pycolmap, mapper):
        pytest.skip(f"pycolmap {pycolmap.__version__} has no {mapper}")
    views, matches = scene(views=6, points=400)
    write_database(tmp_path / "a.db", views, matches, prior=prior)
    done = colmap.verify(tmp_path / "a.db")
    assert done.configurations == {"calibrated" if prior else "uncalibrated": 15}
    (model,) = mapped(tmp_path / "a.db", tmp_path, mapper)
    assert model.num_reg_images() == 6 and model.num_points3D() > 350
    assert model.compute_mean_reprojection_error() < 0.7
    assert spread(model, 6) < 0.02


def test_undecided_rows_are_decided(tmp_path):
    """hloc writes matches with configuration 0, which mappers from 4.2.1 on ignore. They are mapped after verification."""
    views, matches = scene(views=5)
    write_database(tmp_path / "a.db", views, matches)
    with sqlite3.connect(tmp_path / "a.db") as db:
        db.execute("INSERT INTO two_view_geometries SELECT pair_id, rows, cols, data, 0, NULL, NULL, NULL, NULL, NULL FROM matches")
    before = mapped(tmp_path / "a.db", tmp_path, "incremental_mapping")
    if pycolmap.__version__ >= "4.2.1":
        assert before == []
    shutil.rmtree(tmp_path / "incremental_mapping")
    (tmp_path / "pairs.txt").write_text("".join(f"view{i}.jpg view{j}.jpg\n" for i, j in matches))
    assert colmap.verify_matches(tmp_path / "a.db", tmp_path / "pairs.txt").done == 10
    (model,) = mapped(tmp_path / "a.db", tmp_path, "incremental_mapping")
    assert model.num_reg_images() == 5


def many_pairs(kinds, seed=0):
    """Returns keypoints and matches of separate image pairs: scenes, planes, rotations and wrong matches."""
    rng = np.random.default_rng(seed)
    views, matches, right = [], {}, []
    for k, kind in enumerate(kinds):
        n = int(rng.integers(60, 400)) if kind != "wrong" else int(rng.integers(20, 120))
        X = rng.uniform([-2, -1.5, 4], [2, 1.5, 8], (n, 3))
        if kind == "plane":
            X[:, 2] = 6 + 0.4 * X[:, 0] - 0.3 * X[:, 1]
        angle = 0.15
        R = np.array([[np.cos(angle), 0, -np.sin(angle)], [0, 1, 0], [np.sin(angle), 0, np.cos(angle)]])
        Y = (X - (0 if kind == "turn" else 1) * np.array([0.9, 0.1, 0])) @ R.T
        wrong = rng.uniform(size=n) < (1.0 if kind == "wrong" else rng.uniform(0.1, 0.5))
        for P in (X, Y):
            xy = 700 * P[:, :2] / P[:, 2:] + [320.5, 240.5] + rng.normal(0, 0.7, (n, 2))
            xy[wrong] = rng.uniform([0, 0], [640, 480], (wrong.sum(), 2))
            views.append(xy)
        matches[2 * k, 2 * k + 1] = np.c_[np.arange(n), np.arange(n)]
        right.append(~wrong)
    return views, matches, right


@pytest.mark.parametrize("prior", [1, 0])
def test_the_same_configurations(tmp_path, prior):
    kinds = ["scene"] * 60 + ["plane"] * 40 + ["turn"] * 40 + ["wrong"] * 60
    views, matches, right = many_pairs(kinds)
    write_database(tmp_path / "ours.db", views, matches, prior=prior)
    shutil.copy(tmp_path / "ours.db", tmp_path / "theirs.db")
    (tmp_path / "pairs.txt").write_text("".join(f"view{i}.jpg view{j}.jpg\n" for i, j in matches))
    pycolmap.verify_matches(str(tmp_path / "theirs.db"), str(tmp_path / "pairs.txt"))
    colmap.geometric_verification(tmp_path / "ours.db", two_view_geometry_options=pycolmap.TwoViewGeometryOptions())
    ours, theirs = read_geometries(tmp_path / "ours.db"), read_geometries(tmp_path / "theirs.db")
    same = [ours[p][0] == theirs[p][0] for p, kind in zip(matches, kinds, strict=True) if kind != "wrong"]
    print(f"prior {prior}: {np.mean(same):.1%} of {len(same)} true pairs the same")
    assert np.mean(same) >= 0.98
    # pycolmap accepts pairs of wrong matches with 15 random inliers; Bifocal requires significance.
    believed = [[found.get(p, (1,))[0] > 1 for p, kind in zip(matches, kinds, strict=True) if kind == "wrong"] for found in (ours, theirs)]
    print(f"believed of {len(believed[0])} pairs of wrong matches: {sum(believed[0])}, pycolmap {sum(believed[1])}")
    assert sum(believed[0]) == 0

    def recall(found):
        return np.mean([r[found[p][1][:, 0]].sum() / r.sum() for p, r in zip(matches, right, strict=True) if r.sum() > 0])

    print(f"of the right matches: {recall(ours):.4f}, pycolmap {recall(theirs):.4f}")
    assert recall(ours) > recall(theirs) - 0.005


def test_pycolmap_reads_every_field(tmp_path):
    views, matches = scene(views=2)
    write_database(tmp_path / "a.db", views, matches)
    colmap.verify(tmp_path / "a.db", options=bifocal.colmap.TwoViewGeometryOptions(relative_pose=True))
    try:
        db = pycolmap.Database.open(str(tmp_path / "a.db"))
    except TypeError:  # pycolmap before 3.13
        db = pycolmap.Database(str(tmp_path / "a.db"))
    g = db.read_two_view_geometry(1, 2)
    db.close()
    config, inliers, F, E, H = read_geometries(tmp_path / "a.db")[0, 1]
    assert int(g.config) == config == 2 and np.array_equal(g.inlier_matches, inliers)
    for theirs, ours in ((g.F, F), (g.E, E), (g.H, H)):
        assert (theirs is None) == (ours is None) and (ours is None or np.array_equal(theirs, ours))
    pose = g.cam2_from_cam1
    t = np.array(pose.translation)
    S = np.array([[0, -t[2], t[1]], [t[2], 0, -t[0]], [-t[1], t[0], 0]]) @ pose.rotation.matrix()
    assert min(np.abs(S / np.linalg.norm(S) + s * E / np.linalg.norm(E)).max() for s in (1, -1)) < 1e-6
    assert np.linalg.norm(np.cross(t, [-0.99, 0, -0.12])) < 0.02 and t[0] < 0
