"""Maps between images in different units: px of an image to metres on a table and back, millimetres to kilometres, a scale of 0.0005."""

import numpy as np
import pytest
from data_folder import needs_data

import bifocal
from bifocal import cv, poselib


def table():
    """Returns points in px and in m, flags of correct matches, and a threshold: 1 mm of noise, 32 of 40 matches correct."""
    rows = np.loadtxt(needs_data("field_cases/table_px_metres.txt"))
    return rows[:, :2], rows[:, 2:4], np.arange(len(rows)) < 32, 0.01


def scaled(s):
    """Returns 60 matches of a similarity with scale s: 45 correct, noise of 0.3 px times s."""
    rng = np.random.default_rng(4)
    x1 = rng.uniform(0, 1000, (60, 2))
    x2 = s * (x1 @ [[0.96, 0.28], [-0.28, 0.96]] + [30, 40] + rng.normal(0, 0.3, (60, 2)))
    right = np.arange(60) < 45
    x2[~right] = s * rng.uniform(0, 1000, (15, 2))
    return x1, x2, right, 3 * s


def inverse():
    x1, x2, right, _ = table()
    return x2, x1, right, 15.0


def mm_to_km():
    x1, x2, right, _ = scaled(1.0)
    return x1, x2 * 1e-6, right, 3e-6


CASES = {"table": table, "inverse": inverse, "mm to km": mm_to_km, "0.0005": lambda: scaled(0.0005), "2000": lambda: scaled(2000.0)}


def drop_in(call):
    def find(x1, x2, threshold):
        model, mask = call(x1, x2, threshold)
        return None if model is None else np.vstack([model, [0, 0, 1]])[:3], mask.ravel() > 0

    return find


def of_poselib(x1, x2, threshold):
    H, info = poselib.estimate_homography(x1, x2, {"max_reproj_error": threshold})
    return H, np.array(info["inliers"])


HOMOGRAPHIES = {
    "cv.findHomography": drop_in(lambda a, b, t: cv.findHomography(a, b, cv.RANSAC, t)),
    "cv.findHomography, params": drop_in(lambda a, b, t: cv.findHomography(a, b, with_threshold(t))),
    "poselib.estimate_homography": of_poselib,
}
AFFINE = {
    "cv.estimateAffine2D": drop_in(lambda a, b, t: cv.estimateAffine2D(a, b, ransacReprojThreshold=t)),
    "cv.estimateAffinePartial2D": drop_in(lambda a, b, t: cv.estimateAffinePartial2D(a, b, ransacReprojThreshold=t)),
}


def with_threshold(t):
    params = cv.UsacParams()
    params.threshold = t
    return params


def check(find, case, where):
    x1, x2, right, threshold = CASES[case]()
    model, inliers = find(x1, x2, threshold)
    assert model is not None and np.array_equal(inliers, right), where
    y = np.c_[x1, np.ones(len(x1))] @ model.T
    distance = np.linalg.norm(y[:, :2] / y[:, 2:] - x2, axis=1)[right]
    assert np.sqrt((distance**2).mean()) < 0.5 * threshold, where
    other = np.linalg.norm(y[:, :2] / y[:, 2:] - x2, axis=1)[~right]
    assert (other > threshold).all(), where


@pytest.mark.parametrize("name", HOMOGRAPHIES)
@pytest.mark.parametrize("case", CASES)
def test_homographies(name, case):
    check(HOMOGRAPHIES[name], case, (name, case))


@pytest.mark.parametrize("name", AFFINE)
@pytest.mark.parametrize("case", ["mm to km", "0.0005", "2000"])
def test_affine_maps(name, case):
    check(AFFINE[name], case, (name, case))


def test_affine_maps_of_the_table():
    """The table was photographed at an angle, so that affine maps fit a part of the points: OpenCV 5.0.0 has 29 and 15 of the 32 at 2 cm."""
    x1, x2, right, _ = table()
    for call, least in ((cv.estimateAffine2D, 27), (cv.estimateAffinePartial2D, 13)):
        model, mask = call(x1, x2, ransacReprojThreshold=0.02)
        inliers = mask.ravel() > 0
        assert inliers.sum() >= least and not inliers[~right].any()
        assert (np.linalg.norm(np.c_[x1, np.ones(40)] @ model.T - x2, axis=1)[inliers] < 0.03).all()


@pytest.mark.parametrize("kind", ["homography", "affine", "similarity"])
@pytest.mark.parametrize("case", ["table", "inverse", "mm to km", "0.0005", "2000"])
def test_estimates(kind, case):
    """Bifocal's threshold is a distance of the point pair, in the smaller unit of both images."""
    if kind != "homography" and case in ("table", "inverse"):
        pytest.skip("the table was seen at a slant")
    x1, x2, right, threshold = CASES[case]()
    threshold = {"inverse": 0.01, "2000": 3.0}.get(case, threshold)
    found = bifocal.estimate(kind, x1, x2, options=bifocal.RobustOptions(threshold=threshold))
    assert found.ok and np.array_equal(found.inliers, right)
