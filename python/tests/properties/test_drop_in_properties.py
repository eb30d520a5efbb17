"""The drop-in modules give the values of OpenCV and PoseLib on inputs that are not ideal."""

import numpy as np
import pytest
from registry import TwoViews, holds, projected, rotation_of

import bifocal.cv
import bifocal.poselib
from bifocal import cv


def camera_and_lens(rng):
    K = np.array([[rng.uniform(300, 700), 0, 160 + rng.uniform(-9, 9)], [0, rng.uniform(300, 700), 120 + rng.uniform(-9, 9)], [0, 0, 1]])
    return K, rng.uniform(-1, 1, 5) * (0.1, 0.05, 1e-3, 1e-3, 0.01)


@holds("cv.computeCorrespondEpilines", reference="OpenCV", cases=100)
def test_epipolar_lines(rng):
    """Lines have OpenCV's values and signs, for two, three and many points, homogeneous with any z, in either image."""
    cv2 = pytest.importorskip("cv2")
    F = rng.normal(size=(3, 3))
    n = int(rng.choice([1, 2, 3, 17]))
    for points in (rng.uniform(0, 900, (n, 2)), rng.uniform(0, 900, (n, 1, 2)), np.c_[rng.uniform(0, 900, (n, 2)), rng.uniform(-2, 2, n)]):
        for which in (1, 2):
            try:
                theirs = cv2.computeCorrespondEpilines(points, which, F)
            except cv2.error:
                continue
            ours = cv.computeCorrespondEpilines(points, which, F)
            assert ours.shape == theirs.shape and np.allclose(ours, theirs, rtol=1e-5, atol=1e-6), f"{points.shape}"


@holds("cv.triangulatePoints", reference="OpenCV", cases=60)
def test_triangulated_points_of_opencv(rng):
    """Homogeneous points are OpenCV's up to scale, in any unit and with noise."""
    cv2 = pytest.importorskip("cv2")
    s = TwoViews(rng, n=20, noise=0.5)
    P1, P2 = s.K1 @ np.eye(3, 4), s.K2 @ np.c_[s.R, s.t]
    ours, theirs = (m.triangulatePoints(P1, P2, s.x1.T, s.x2.T) for m in (cv, cv2))
    a, b = ours / np.linalg.norm(ours, axis=0), theirs / np.linalg.norm(theirs, axis=0)
    assert np.abs(a * np.sign((a * b).sum(0)) - b).max() < 1e-6


@holds("cv.estimateAffine2D", "cv.estimateAffinePartial2D", reference="OpenCV", cases=40, allowed=1)
def test_affine_maps(rng):
    """With 30 % outliers the map is within 1 px of the true one, as OpenCV's is, in the image."""
    cv2 = pytest.importorskip("cv2")
    x1 = rng.uniform([0, 0], [1280, 960], (60, 2))
    angle, scale = rng.uniform(-3, 3), rng.uniform(0.3, 3)
    S = scale * np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    for name, A in (("estimateAffine2D", S + rng.normal(size=(2, 2)) * 0.2), ("estimateAffinePartial2D", S)):
        x2 = x1 @ A.T + (300, -50)
        near = x2 + 0.3 * rng.normal(size=x2.shape)
        near[:18] = rng.uniform(-2000, 2000, (18, 2))
        for module in (cv, cv2):
            M, mask = getattr(module, name)(x1, near)
            assert M is not None and np.abs(x1 @ M[:, :2].T + M[:, 2] - x2).max() < 1 + scale, f"{module.__name__} {name}"
            assert mask.ravel()[18:].mean() > 0.95


@holds("cv.stereoRectify", "cv.reprojectImageTo3D", reference="OpenCV", cases=30)
def test_stereo_rectification(rng):
    """R1, R2 and P1, P2 are OpenCV's to 1e-6 for horizontal and vertical rigs, and points of a disparity map are OpenCV's."""
    cv2 = pytest.importorskip("cv2")
    (K1, D1), (K2, D2) = camera_and_lens(rng), camera_and_lens(rng)
    R = rotation_of(rng.normal(size=3) * 0.05)
    along = rng.integers(2)  # a horizontal or a vertical rig
    t = rng.normal(size=3) * 0.05 + np.eye(3)[along] * rng.choice([-1, 1])
    ours, theirs = (m.stereoRectify(K1, D1, K2, D2, (320, 240), R, t[:, None]) for m in (cv, cv2))
    for a, b in zip(ours[:5], theirs[:5]):
        assert np.allclose(a, b, rtol=1e-4, atol=1e-4 * np.abs(b).max()), f"{a} {b}"
    disparity = rng.uniform(1, 30, (12, 15)).astype(np.float32)
    assert np.allclose(cv.reprojectImageTo3D(disparity, theirs[4]), cv2.reprojectImageTo3D(disparity, theirs[4]), rtol=1e-4, atol=1e-4)


@holds("cv.initUndistortRectifyMap", "cv.remap", reference="OpenCV", cases=30)
def test_maps_and_sampling(rng):
    """Maps are OpenCV's to 1e-3 px; sampled pixels differ by at most 2 of 255 where both are inside."""
    cv2 = pytest.importorskip("cv2")
    K, D = camera_and_lens(rng)
    R = rotation_of(rng.normal(size=3) * 0.05)
    ours, theirs = (m.initUndistortRectifyMap(K, D, R, K, (160, 120), m.CV_32FC1) for m in (cv, cv2))
    assert max(np.abs(a - b).max() for a, b in zip(ours, theirs)) < 1e-3
    image = cv2.GaussianBlur(rng.integers(0, 256, (120, 160)).astype(np.uint8), (5, 5), 2)
    a, b = (m.remap(image, *theirs, m.INTER_LINEAR).astype(int) for m in (cv, cv2))
    inside = (theirs[0] > 1) & (theirs[0] < 158) & (theirs[1] > 1) & (theirs[1] < 118)
    assert np.abs(a - b)[inside].max(initial=0) <= 2


@holds("poselib.p4pf", "poselib.shared_focal_relpose_6pt", reference="truth", cases=40, allowed=2)
def test_solvers_with_unknown_focal_lengths(rng):
    """The true focal length is among the solutions within 1 %."""
    f, R, t = rng.uniform(500, 2000), rotation_of(rng.normal(size=3) * 0.2), rng.normal(size=3)
    K = np.diag([f, f, 1.0])
    X = np.c_[rng.uniform(-2, 2, (6, 2)), rng.uniform(5, 10, 6)]
    x1, x2 = projected(X, K), projected(X @ R.T + t, K)
    _, lengths = bifocal.poselib.p4pf(x2[:4], X[:4], False)
    assert min((abs(g / f - 1) for g in lengths), default=1) < 0.01, f"p4pf: {lengths}, truth {f}"
    unit = lambda x: np.c_[x, np.ones(len(x))] * rng.uniform(0.5, 2)
    lengths = [pair.camera1.focal() for pair in bifocal.poselib.shared_focal_relpose_6pt(unit(x1), unit(x2))]
    assert min((abs(g / f - 1) for g in lengths), default=1) < 0.01, f"six points: {lengths}, truth {f}"
