"""A Pair goes to other processes by pickle, and its folder is read back. What is unknown is None."""

import copy
import json
import multiprocessing
import pickle
import shutil

import numpy as np
import pytest
from room import Room
from scenes import Scene

import bifocal

ROOM = Room(400, 300, 350.0)
MATCHES = ROOM.matches(600)
FLAT = bifocal.PairOptions(dense=False)
NEVER_READ = {"keypoints1", "keypoints2", "matches", "triangulated"}
ONLY_ALL_FILES = {"disparity_filled", "depth_deviation"}


def of_room(options):
    return bifocal.estimate_pair(ROOM.left, ROOM.right, ROOM.K, matches=MATCHES, options=options)


@pytest.fixture(scope="module")
def pair():
    return of_room(bifocal.PairOptions())


@pytest.fixture(scope="module")
def folder(pair, tmp_path_factory):
    made = tmp_path_factory.mktemp("pair")
    pair.write(made / "all", all_files=True)
    pair.write(made / "few")
    return made


def attributes(pair):
    """Returns the attributes of a pair; rectifications as their arrays. A dense attribute of a pair without depth is None."""
    found = {}
    for name in (n for n in dir(pair) if not n.startswith("_") and not callable(getattr(type(pair), n, None))):
        try:
            value = getattr(pair, name)
        except ValueError:
            value = None
        found[name] = (value.H1, value.H2, value.kind, value.is_reversed) if isinstance(value, bifocal.Rectification) else value
    return found


def is_same(a, b):
    if isinstance(a, (tuple, list)):
        return type(a) is type(b) and len(a) == len(b) and all(map(is_same, a, b))
    if isinstance(a, np.ndarray):
        return a.dtype == b.dtype and np.array_equal(a, b, equal_nan=a.dtype.kind == "f")
    return a == b


def differing(one, other, without=frozenset()):
    ours, theirs = attributes(one), attributes(other)
    assert len(ours) > 35
    return {name for name in ours if name not in without and not is_same(ours[name], theirs[name])}


@pytest.mark.parametrize("again", [lambda p: pickle.loads(pickle.dumps(p)), copy.copy, copy.deepcopy], ids=["pickle", "copy", "deepcopy"])
def test_a_copy_is_the_same(pair, again, tmp_path):
    made = again(pair)
    assert pair.has_depth and not differing(pair, made) and repr(made) == repr(pair)
    made.write(tmp_path / "out")
    pair.write(tmp_path / "ours")
    assert (tmp_path / "out/cloud.ply").read_bytes() == (tmp_path / "ours/cloud.ply").read_bytes()


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_a_pool_returns_pairs(method):
    expected = of_room(FLAT)
    with multiprocessing.get_context(method).Pool(2) as pool:
        for found in pool.map(of_room, [FLAT, FLAT]):
            assert not differing(expected, found, {"timings", "tries"})


def test_joblib_returns_pairs():
    joblib = pytest.importorskip("joblib")
    expected = of_room(FLAT)
    (found,) = joblib.Parallel(n_jobs=2)([joblib.delayed(of_room)(FLAT)])
    assert not differing(expected, found, {"timings", "tries"})


def test_a_pair_without_a_model_can_be_pickled():
    found = bifocal.estimate_pair(np.zeros((80, 90), np.uint8), np.zeros((80, 90), np.uint8))
    assert not found and not differing(found, pickle.loads(pickle.dumps(found)))


@pytest.mark.parametrize("damage", [lambda b: b[:-9], lambda b: b[: len(b) // 2], lambda b: b[:5000] + b"x" + b[5001:], lambda b: b"", lambda b: b + b"12345678"])
def test_a_damaged_pickle_is_refused(pair, damage):
    state, rectification = pair.__getstate__()
    for wrong in ((damage(state), rectification), (state, None)):
        with pytest.raises(ValueError, match="this pickle of a Pair is damaged, or of another version"):
            bifocal.Pair.__new__(bifocal.Pair).__setstate__(wrong)


def test_what_is_unknown_is_none(pair):
    assert pair.focal_length is pair.focal_deviation is pair.distortion is pair.distortion_deviation is None and pair.parallax_deg > 1
    empty = bifocal.estimate_pair(np.zeros((80, 90), np.uint8), np.zeros((80, 90), np.uint8))
    assert empty.focal_length is empty.parallax_deg is empty.R is empty.pose_covariance is None
    unknown = bifocal.estimate_pair(ROOM.left, ROOM.right, matches=MATCHES, options=FLAT)
    assert (unknown.focal_length is None) == (unknown.focal_deviation is None) and unknown.focal_length != 0
    s = Scene(n=40)
    few = bifocal.estimate_shared_focal_relative_pose(s.x1[:3], s.x2[:3], (640, 480))
    assert few.reason == "too_few_points" and few.focal_length is few.focal_deviation is few.median_parallax_deg is None
    lens = bifocal.estimate_radial_fundamental(s.x1[:3], s.x2[:3], (640, 480))
    assert lens.distortion is lens.distortion_deviation is None
    found = bifocal.estimate_fundamental(s.x1, s.x2)
    assert bifocal.two_view.covariance("fundamental", found.model, s.x1, s.x2, inliers=found.inliers).focal_variance is None


@pytest.mark.parametrize("name", ["all", "few"])
def test_a_folder_is_read_back(pair, folder, name):
    read = bifocal.read_pair(folder / name)
    absent = NEVER_READ | (set() if name == "all" else ONLY_ALL_FILES)
    assert read and read.ok and read.has_depth and repr(read).replace("PairFiles", "Pair") == repr(pair)
    assert {n for n in attributes(pair) if getattr(read, n) is None} == absent | {n for n, v in attributes(pair).items() if v is None} | {"tries"}
    digits = {"x1", "x2", "timings", "tries"} | absent  # nine digits; the folder's times include writing
    assert differing(pair, read, digits | (set() if name == "all" else {"disparity", "cloud"})) == set()
    assert np.allclose(read.x1, pair.x1, atol=1e-6) and np.allclose(read.x2, pair.x2, atol=1e-6)
    known = np.isfinite(pair.disparity)
    assert np.allclose(read.disparity[known], pair.disparity[known], atol=1 / 256) and np.array_equal(np.isfinite(read.disparity), known)
    assert len(read.cloud[0]) == len(read.cloud[1]) > 0 and read.cloud[0].dtype == np.float32
    assert not differing(read, pickle.loads(pickle.dumps(read)))


def test_a_folder_without_depth_or_model_is_read_back(tmp_path):
    for name, found in (("flat", of_room(FLAT)), ("none", bifocal.estimate_pair(np.zeros((80, 90), np.uint8), np.zeros((80, 90), np.uint8)))):
        found.write(tmp_path / name)
        read = bifocal.read_pair(str(tmp_path / name))
        assert not read.has_depth and read.dense_reason == found.dense_reason and read.depth is read.cloud is read.rectification is None
        assert (bool(read), read.outcome, read.num_inliers, len(read.x1)) == (bool(found), found.outcome, found.num_inliers, len(found.x1))
        assert is_same(read.R, found.R) and is_same(read.model, found.model)


def edited(file, change):
    made = json.loads(file.read_text())
    change(made)
    file.write_text(json.dumps(made))


def cut(file, size):
    file.write_bytes(file.read_bytes()[:-size])


DAMAGE = {
    "no JSON": ("geometry.json", lambda f: cut(f, 20)),
    "another JSON": ("geometry.json", lambda f: f.write_text('{"method": "sgm"}')),
    "a list": ("geometry.json", lambda f: f.write_text("[1, 2]")),
    "a matrix of 8": ("geometry.json", lambda f: edited(f, lambda g: g["pose"]["R"].pop())),
    "a text for a number": ("geometry.json", lambda f: edited(f, lambda g: g["pose"].update(t=["a", 0, 0]))),
    "no model": ("geometry.json", lambda f: edited(f, lambda g: g.pop("model"))),
    "another number of matches": ("matches.txt", lambda f: f.write_text(f.read_text().rpartition("\n")[0].rpartition("\n")[0] + "\n")),
    "a word in a match": ("matches.txt", lambda f: f.write_text(f.read_text() + "a b c d e\n")),
    "a cut cloud": ("cloud.ply", lambda f: cut(f, 3)),
    "another cloud": ("cloud.ply", lambda f: f.write_text("ply\nformat ascii 1.0\nend_header\n")),
    "a cut map": ("depth.pfm", lambda f: cut(f, 30)),
    "a map of another size": ("depth.pfm", lambda f: bifocal.depth.write_pfm(f, np.ones((4, 5)))),
    "an image of another size": ("rectified_right.png", lambda f: bifocal.write_image(f, np.zeros((5, 6, 3), np.uint8))),
    "a cut image": ("rectified_left.png", lambda f: cut(f, 50)),
    "another rectification": ("rectification.npz", lambda f: np.savez(f, a=np.ones(3))),
    "other disparities": ("disparity.png", lambda f: bifocal.write_image(f, np.zeros((5, 6), np.uint8))),
}


@pytest.mark.parametrize("name", DAMAGE)
def test_a_damaged_file_is_named(folder, tmp_path, name):
    file, damage = DAMAGE[name]
    shutil.copytree(folder / "few", tmp_path / "pair")
    damage(tmp_path / "pair" / file)
    with pytest.raises(OSError, match=file):
        bifocal.read_pair(tmp_path / "pair")


@pytest.mark.parametrize("file", ["geometry.json", "matches.txt", "cloud.ply", "depth.pfm", "rectification.npz", "rectified_left.png", "rectified_right.png", "disparity.png"])
def test_a_missing_file_is_named(folder, tmp_path, file):
    shutil.copytree(folder / "few", tmp_path / "pair")
    (tmp_path / "pair" / file).unlink()
    with pytest.raises(FileNotFoundError, match=file):
        bifocal.read_pair(tmp_path / "pair")


def test_a_folder_of_other_files_is_refused(tmp_path):
    with pytest.raises(FileNotFoundError, match="geometry.json"):
        bifocal.read_pair(tmp_path)
    with pytest.raises(FileNotFoundError, match="nowhere"):
        bifocal.read_pair(tmp_path / "nowhere")
