"""Benchmark against peers (bench/peers/python): its scores, timings and records, and a run of Bifocal alone."""

import json
import pathlib
import re
import sys

import numpy as np
import pytest
from data_folder import DATA, long_only, needs_data

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench/peers/python"))

import disparity_truth  # noqa: E402
import interleaved  # noqa: E402
import oxford  # noqa: E402
import real  # noqa: E402
import report  # noqa: E402
import run  # noqa: E402
import sequences  # noqa: E402
import solvers_suite  # noqa: E402
import synthetic_pairs  # noqa: E402



def plain_score(disparity, truth):
    """Computes the expected values pixel by pixel."""
    judged = known = bad1 = bad2 = 0
    total = 0.0
    for d, t in zip(disparity.ravel(), truth.ravel()):
        if np.isnan(t):
            continue
        judged += 1
        if np.isnan(d):
            continue
        known += 1
        bad1 += abs(d - t) > 1
        bad2 += abs(d - t) > 2
        total += abs(d - t)
    return {"density": 100 * known / judged, "bad1": 100 * bad1 / known, "bad2": 100 * bad2 / known, "avgerr": total / known}, 100 * (bad2 + judged - known) / judged


def test_disparities_are_scored_as_by_a_plain_loop():
    rng = np.random.default_rng(0)
    truth = rng.uniform(0, 20, (20, 30))
    found = truth + rng.normal(0, 2, truth.shape)
    truth[rng.random(truth.shape) < 0.2] = np.nan
    found[rng.random(truth.shape) < 0.3] = np.nan
    got = disparity_truth.score(found, truth)
    want, all_bad = plain_score(found, truth)
    assert got.pop("bad2_all") == pytest.approx(all_bad)
    assert got == pytest.approx(want)


def test_holes_get_the_smaller_neighbour_of_their_row():
    n = np.nan
    found = disparity_truth.filled(np.array([[n, n, n, n], [n, 5, n, 3], [7, n, n, n], [n, n, n, n]], float))
    assert np.array_equal(found, [[0, 0, 0, 0], [5, 5, 3, 3], [7, 7, 7, 7], [7, 7, 7, 7]])


def test_pixels_that_one_camera_sees_are_not_judged():
    truth = np.array([[0.0, 2.0, 2.0, 1.0, np.nan]])
    right = np.array([[2.0, 9.0, 1.0, 9.0, 9.0]])
    # Pixel 0: its right pixel has disparity 2, an error of 2; 1: outside; 2: equal; 3: its right pixel 2 is equal; 4: unknown.
    assert disparity_truth.seen_by_both(truth, right).tolist() == [[False, False, True, True, False]]


def test_right_matches_are_within_three_pixels():
    pair = oxford.Pair("", "", "", np.array([[2.0, 0, 5], [0, 2, 0], [0, 0, 1]]))
    x1 = np.zeros((3, 2))
    assert pair.right(x1, np.array([[5.0, 2.9], [5, 3.1], [7, 2]])).tolist() == [True, False, True]


def test_right_matches_are_near_the_epipolar_line():
    pair = sequences.Pair("", "", "", np.array([[0.0, 0, 0], [0, 0, -1], [0, 1, 0]]))  # rows are epipolar lines
    x1 = np.array([[10.0, 20], [10, 20], [10, 20]])
    assert pair.right(x1, np.array([[500.0, 20], [3, 22], [3, 22.2]])).tolist() == [True, True, False]  # Sampson: the difference over the root of 2


def test_projects_are_measured_in_turn(monkeypatch):
    calls, now = [], [0.0]
    monkeypatch.setattr(interleaved.time, "perf_counter", lambda: now[0])

    def project(name, ms):
        def call(item):
            calls.append(name + item)
            now[0] += ms / 1e3
            return item

        return call

    taken = interleaved.measure({"a": project("a", 1), "b": project("b", 300)}, "xyz", 3, budget_s=0.5)
    # Project b is slow: it runs each item once, and its budget is spent after two items.
    assert calls == ["ax", "bx", "ay", "by", *["az", "ax", "ay"] * 2, "az"]
    assert taken["b"].found == ["x", "y"] and [len(m) for m in taken["a"].ms] == [3, 3, 3]
    # Every item is measured once before the first items get further rounds.
    few = interleaved.measure({"a": project("a", 1)}, "xyz", 3, budget_s=0.0045)["a"]
    assert [len(m) for m in few.ms] == [2, 2, 1] and len(interleaved.measure({"a": project("a", 1)}, "xyz", 1, most={"a": 2})["a"].ms) == 2
    record = interleaved.record("case", "b", "1", "ms/pair", taken["b"], taken["a"], {})
    assert record["value"] == pytest.approx(300) and record["ratio"] == pytest.approx(300) and record["runs"] == 2 and record["rounds"] == 1
    assert interleaved.record("case", "a", "1", "us/pair", taken["a"], taken["a"], {})["value"] == pytest.approx(1000)
    assert record["low"] is None and record["high"] is None  # of one round


def test_spreads_are_of_rounds_that_have_all_items():
    # The third round has the fast item only: its median is of other data.
    made = interleaved.record("case", "a", "1", "ms/pair", interleaved.Timings([[1.0, 1.1, 1.2], [9.0, 9.5], [400.0, 380.0]], [0] * 3), None, {})
    assert (made["value"], made["low"], made["high"]) == (9.25, 9.0, 9.5) and made["rounds"] == 3
    # Most items are fast in most rounds, though each is slow in two of three.
    rounds = [[1.0, 9, 9], [9.0, 1, 9], [9.0, 9, 1], [1.0, 1, 1], [1.0, 1, 1]]
    made = interleaved.record("case", "a", "1", "ms/pair", interleaved.Timings(rounds, [0] * 5), None, {})
    assert made["low"] <= made["value"] <= made["high"]
    once = interleaved.record("case", "a", "1", "ms/pair", interleaved.Timings([[1.0, 1.1], [300.0]], [0] * 2), None, {})
    assert once["value"] == pytest.approx(150.525) and once["low"] is None
    row = {"case": "stereo/matched", "settings": {}, "threads": 1, "device": "cpu", "density": 1, "bad2": 1, "bad2_filled": 1, "pairs": 2}
    assert "| 151 ms/pair |" in report.table([once | row]) and "| 9.25 (9, 9.5) ms/pair |" in report.table([{**made, "value": 9.25, "low": 9.0, "high": 9.5} | row])


def test_steps_are_added_round_by_round():
    assert interleaved.together([[1, 2, 3]], [[10, 20]], [[5, 5, 5]]) == [[16, 27]]


@pytest.mark.parametrize("kind", solvers_suite.POINTS)
def test_samples_have_their_model(kind):
    x1, x2, X, truth = solvers_suite.make(kind, 20)
    for a, b, P, model in zip(x1, x2, X, truth):
        a, b = np.c_[a, np.ones(len(a))], np.c_[b, np.ones(len(b))]
        if kind == "p3p":
            model = model.reshape(3, 4) / np.linalg.norm(model[:3])
            found = np.c_[P, np.ones(len(P))] @ model.T
            assert np.abs(found[:, :2] / found[:, 2:] - b[:, :2]).max() < 1e-9
        elif kind == "homography":
            found = a @ model.reshape(3, 3).T
            assert np.abs(found[:, :2] / found[:, 2:] - b[:, :2]).max() < 1e-9
        else:
            assert np.abs(((b @ model.reshape(3, 3)) * a).sum(1)).max() < 1e-9


def test_records_do_not_say_where_files_are():
    words = ["--quick", "--json", "/there/x.json", "--pairs", "3", "--data=/there", "--suites", "real", "stereo", "--note", "a b", "--jobs", "2"]
    assert run.said(words) == ["--quick", "--pairs", "3", "--suites", "real", "stereo", "--jobs", "2"]


def test_area_under_the_recall_curve():
    assert synthetic_pairs.auc(np.array([0.0, 0.0]), 1) == pytest.approx(100)
    assert synthetic_pairs.auc(np.array([0.5, 2.0]), 1) == pytest.approx(100 * (0.25 * 0.5 + 0.5 * 0.5))


def measured(folder, *words):
    file = folder / "records.json"
    run.measure(run.arguments(["--projects", "Bifocal", "--json", str(file), "--note", "a test", *words]))
    return json.loads(file.read_text())


@pytest.fixture(scope="module")
def photographs(tmp_path_factory):
    stereo = ("middlebury_2001", "middlebury_2003", "middlebury_2014_q", "fountain23_rectified", "opencv_samples")
    for name in ("oxford_affine", "collections/castle-P19", "correspondences/homogr", "correspondences/kusvod2", *stereo):
        needs_data(name)
    data = str(DATA)
    return measured(tmp_path_factory.mktemp("records"), "--data", data, "--rounds", "1", "--suites", "real", "features", "stereo", "--modes", "matched")


def test_a_run_of_bifocal_alone(tmp_path):
    records = measured(tmp_path, "--rounds", "2", "--suites", "robust", "solvers", "--pairs", "3", "--default-pairs", "2", "--points", "300", "--inliers", "0.5")
    assert {r["case"].split("/")[0] for r in records} == {"robust", "solvers"} and len(records) == 6 + 4
    for r in records:
        assert r["threads"] == 1 and r["value"] > 0 and (r["low"] is None or r["low"] <= r["value"] <= r["high"]) and r["machine"]["note"] == "a test"
    for r in records[:6]:
        assert {"threshold_px", "confidence", "max_samples"} <= set(r["settings"]) and r["failures"] == 0
    assert all(r["solved_share"] >= 0.98 for r in records[6:])
    text = report.table(records)
    assert "2.5 px (Sampson), confidence 0.999, 100000 samples, at least 100, 1 thread" in text and not report.unequal(records)
    records.append({**records[0], "settings": {**records[0]["settings"], "confidence": 0.99}})
    records.sort(key=lambda r: r["case"])
    assert len(report.unequal(records)) == 1


def test_cases_side_by_side(tmp_path):
    words = ["--suites", "robust", "--pairs", "2", "--points", "200", "--inliers", "0.6", "--modes", "matched", "--problems", "homography", "fundamental"]
    alone, beside = measured(tmp_path, *words), measured(tmp_path, *words, "--jobs", "2")
    same = ["case", "name", "settings", "median_error_px", "runs", "failures"]
    assert [[r[k] for k in same] for r in alone] == [[r[k] for k in same] for r in beside]
    assert beside[0]["machine"]["jobs"] == 2 and beside[0]["machine"]["commit"] == alone[0]["machine"]["commit"]


@long_only
def test_photographs_by_bifocal_alone(photographs):
    found = {(r["case"].rpartition("/")[0], r["name"]): r for r in photographs}
    castle, sift = found["features/castle", "Bifocal RootSIFT"], found["features/oxford", "Bifocal RootSIFT"]
    assert castle["features"] == 2000 and castle["precision"] > 0.7 and castle["runs"] == castle["pairs"] == 35
    assert sift["features"] == 2000 and sift["precision"] > 0.9 and len(sift["each"]) == sift["runs"] == sift["pairs"] == 11
    sgm = found["stereo", "Bifocal SGM, 8 paths"]
    assert sgm["bad2_filled"] < 6 and sgm["density"] > 90 and len(sgm["each"]) == 9
    assert set(found["stereo/held out", "Bifocal SGM, 8 paths"]["each"]) == {"aloe", "fountain23"}
    assert found["stereo", "Bifocal SSD"]["bad2_filled"] > sgm["bad2_filled"]
    # The library's own benchmark (docs/stereo.md) searches exactly the occurring disparities; here the number is a multiple of 16.
    assert sgm["each"]["tsukuba"]["bad2_filled"] == pytest.approx(2.11, abs=0.02)
    assert {len(real.read(DATA / "correspondences" / folder)) for folder in real.FOLDERS} <= set(range(5, 20))


@long_only
def test_records_are_published(tmp_path, photographs):
    pytest.importorskip("matplotlib")
    import publish

    words = ["--pairs", "20", "--points", "300", "--suites", "robust", "--modes", "matched"]
    records = measured(tmp_path, *words) + photographs
    records.insert(1, {**records[0], "name": "PoseLib", "ratio": 0.5, "auc1": 100.0})
    for folder in ("bench/results", "docs"):
        (tmp_path / folder).mkdir(parents=True)
    for page in ("docs/benchmarks.md", "docs/peers.md"):
        (tmp_path / page).write_text(f"before\n{publish.BEGIN}\nwhat was there\n{publish.END}\nafter\n")
    (tmp_path / "bench/results/README.md").write_text("| file | machine |\n|---|---|\n\ntext\n")
    file = tmp_path / "bench/results/new-peers.json"
    file.write_text(json.dumps(records))
    for _ in range(2):  # the second call must not change the files
        publish.publish(file, tmp_path)
        tables, page, results = ((tmp_path / f).read_text() for f in ("docs/benchmarks.md", "docs/peers.md", "bench/results/README.md"))
        assert tables.startswith("before\n") and tables.endswith("\nafter\n") and "what was there" not in tables and "../bench/results/new-peers.json" in tables
        assert results.count("new-peers.json") == 1 and results.endswith("\ntext\n")
    pictures = re.findall(r"\((images/.*?)\)", tables)
    assert len(pictures) == 3 and all((tmp_path / "docs" / picture).stat().st_size > 5000 for picture in pictures)
    assert "**100.0**" in tables and "PoseLib: 0.5 times the time" in page and "E, 50 % inliers (AUC@1)" in tables
    with pytest.raises(SystemExit, match="bench/results"):
        publish.publish(tmp_path / "records.json", tmp_path)
