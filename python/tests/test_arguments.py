"""Arguments that do not fit raise ValueError or TypeError with the name and the given value."""

import dataclasses
import pathlib
import runpy

import numpy as np
import pytest
from scenes import K, Scene

import bifocal

S = Scene(n=50)
X1, X2 = S.x1, S.x2
H, F, POSE = bifocal.estimate_homography, bifocal.estimate_fundamental, bifocal.estimate_relative_pose
DEPTHS = bifocal.estimate_monodepth_shared_focal_relative_pose
OPTIONS = bifocal.RobustOptions
PICTURE = np.zeros((960, 1280), np.uint8)


def pair_of(**arguments):
    return bifocal.estimate_pair(PICTURE, PICTURE, **arguments)


CASES = [
    (lambda: H(X1[:, :1], X2), ValueError, r"x1: shape \(50, 1\), must be \(N, 2\)"),
    (lambda: H(X1, X2[:, 0]), ValueError, r"x2: shape \(50,\), must be \(N, 2\)"),
    (lambda: H(X1, X2[:49]), ValueError, r"x2: 49 points, but x1 has 50"),
    (lambda: H(X1), ValueError, r"points: shape \(50, 2\), must be \(N, 4\)"),
    (lambda: H(X1.astype(complex), X2), TypeError, r"x1: dtype complex128, must be float32, float64 or whole numbers"),
    (lambda: H(X1 > 0, X2), TypeError, r"x1: dtype bool, must be"),
    (lambda: H("points", X2), TypeError, r"x1: str of dtype <U6, must be an array of numbers"),
    (lambda: H(None, X2), TypeError, r"x1: None, must be an array"),
    (lambda: H([[1, 2], [3]], X2), TypeError, r"x1: \[\[1, 2\], \[3\]\], must be an array"),
    (lambda: H(X1.astype(object), X2), TypeError, r"x1: ndarray of dtype object"),
    (lambda: bifocal.estimate_absolute_pose(X1, X2, K), ValueError, r"X: shape \(50, 2\), must be \(N, 3\)"),
    (lambda: POSE(X1, X2, None), TypeError, r"camera1: None, must be a bifocal.Camera"),
    (lambda: POSE(X1, X2, K, np.eye(4)), ValueError, r"camera2: shape \(4, 4\), must be \(3, 3\)"),
    (lambda: POSE(X1, X2, (1, 2, 3)), ValueError, r"camera1: shape \(3,\), must be \(4,\)"),
    (lambda: POSE(X1, X2, K * np.nan), ValueError, r"camera1: \[0, 0\] = nan, must be finite"),
    (lambda: POSE(X1, X2, (np.inf, 1, 1, 1)), ValueError, r"camera1 = \(inf, 1, 1, 1\), must be finite"),
    (lambda: POSE(X1, X2, (-1, 1, 1, 1)), ValueError, r"camera1 = \(-1, 1, 1, 1\), must be finite with fx, fy > 0"),
    (lambda: POSE(X1, X2, K + [[0, 2, 0], [0] * 3, [0] * 3]), ValueError, r"camera1: must be .* has skew 2"),
    (lambda: POSE(X1, X2, bifocal.Camera("a", 1, 1, 1)), TypeError, r"camera1.fx: 'a', must be a number"),
    (lambda: POSE(X1, X2, bifocal.Camera(9, 9, 1, 1, k1=np.nan)), ValueError, r"camera1.k1 = nan, must be finite"),
    (lambda: bifocal.estimate_shared_focal_relative_pose(X1, X2, (1, 2, 3)), ValueError, r"principal_point: 3 numbers"),
    (lambda: bifocal.estimate_shared_focal_relative_pose(X1, X2, (np.nan, 2)), ValueError, r"camera = \(1, 1, nan, 2\)"),
    (lambda: bifocal.estimate_camera_pose_focal(X1, np.c_[X2, X2[:, 0]], (1,)), ValueError, r"principal_point: 1 numbers"),
    (lambda: bifocal.estimate_camera_pose_focal(X1, X2, (1, 2)), ValueError, r"X: shape \(50, 2\), must be \(N, 3\)"),
    (lambda: DEPTHS(X1, X2, np.ones((50, 3)), (1, 2)), ValueError, r"depths: shape \(50, 3\), must be \(N, 2\)"),
    (lambda: DEPTHS(X1, X2, np.ones((49, 2)), (1, 2)), ValueError, r"depths: 49 points, but x1 has 50"),
    (lambda: DEPTHS(X1, X2, None, (1, 2)), TypeError, r"depths: None, must be an array"),
    (lambda: DEPTHS(X1, X2, X1 > 0, (1, 2)), TypeError, r"depths: dtype bool, must be"),
    (lambda: bifocal.estimate("monodepth_shared_focal", S.rows, camera1=K), ValueError, r"points: shape \(50, 4\), must be \(N, 6\)"),
    (lambda: bifocal.estimate("monodepth_shared_focal", np.c_[S.rows, X1], camera1=K, depths=X1), TypeError, r"depths: given beside rows"),
    (lambda: bifocal.estimate("shared_focal", X1, X2, camera1=K, depths=X1), TypeError, r"depths: given, but this kind of model takes none"),
    (lambda: bifocal.estimate_batch("monodepth_shared_focal", S.rows, [0, 50], cameras1=K), ValueError, r"points: shape \(50, 4\), must be \(N, 6\)"),
    (lambda: bifocal.estimate_radial_fundamental(X1, X2, (1, 2, 3)), ValueError, r"centre: 3 numbers"),
    (lambda: bifocal.estimate_radial_fundamental(X1, X2, (0, 0)), ValueError, r"camera = \(0, 0, 0, 0\)"),
    (lambda: bifocal.estimate_radial_fundamental(X1, X2, (1, 2), aspect_ratio=0), ValueError, r"aspect_ratio = 0"),
    (lambda: bifocal.two_view.residuals("radial_fundamental", np.eye(3), X1, X2, camera1=K), ValueError, r"residuals: the model of radial_fundamental has a distortion"),
    (lambda: bifocal.estimate("shared_focal", X1, X2), TypeError, r"camera: None, must be"),
    (lambda: bifocal.estimate("homography", X1, X2, camera1=K), TypeError, r"camera1, camera2: given, but this kind"),
    (lambda: bifocal.estimate("trifocal", X1, X2), ValueError, r"kind: 'trifocal', must be one of 'homography', "),
    (lambda: H(X1, X2, weights=np.ones(49)), ValueError, r"weights: 49 numbers for 50 points"),
    (lambda: H(X1, X2, weights=np.full(50, -1.0)), ValueError, r"weights\[0\] = -1"),
    (lambda: H(X1, X2, weights=np.full(50, np.nan)), ValueError, r"weights\[0\] = nan"),
    (lambda: H(X1, X2, weights=np.ones((50, 1))), ValueError, r"weights: shape \(50, 1\), must be \(N,\)"),
    (lambda: H(X1, X2, qualities=[1.0]), ValueError, r"qualities: 1 numbers for 50 points"),
    (lambda: pair_of(matches=(X1 + 2900, X2)), ValueError, r"matches: point 0 of image 1 at \(.*\) lies outside of the image of 1280 x 960 px"),
    (lambda: pair_of(matches=(X1 - 2900, X2)), ValueError, r"matches: point 0 of image 1 at"),
    (lambda: pair_of(matches=(X1, X2, X1)), ValueError, r"matches: 3 arrays, must be 2"),
    (lambda: pair_of(matches=(X1, X2), mask1=np.ones((960, 1280))), ValueError, r"mask1: not used with given matches"),
    (lambda: pair_of(camera2=(1, 1, 1, 1)), ValueError, r"camera2: given without camera1"),
    (lambda: pair_of(options=bifocal.PairOptions(near_depth=10, far_depth=1)), ValueError, r"near_depth = 10, far_depth = 1: near must be less"),
    (lambda: bifocal.Features(1e39 * X1, np.zeros((50, 128), np.uint8)), ValueError, r"xy: \[0\] = .*, must be a finite number of float32"),
    (lambda: bifocal.Features(X1, np.zeros((50, 128), np.uint8), sigma=-X1[:, 0]), ValueError, r"sigma: \[0\] = .*, must be above 0"),
    (lambda: bifocal.Features(X1, np.zeros((50, 128), np.uint8), angle_deg=np.full(50, np.nan)), ValueError, r"angle_deg: \[0\] = nan"),
    (lambda: H(X1, X2, options=OPTIONS(threshold=0)), ValueError, r"RobustOptions.threshold = 0: must be above 0 and finite"),
    (lambda: H(X1, X2, options=OPTIONS(threshold=np.nan)), ValueError, r"threshold = nan"),
    (lambda: H(X1, X2, options=OPTIONS(confidence=1)), ValueError, r"confidence = 1: must be above 0 and below 1"),
    (lambda: H(X1, X2, options=OPTIONS(threshold="2")), TypeError, r"RobustOptions.threshold: '2', must be a number"),
    (lambda: H(X1, X2, options=OPTIONS(min_iterations=0.5)), TypeError, r"RobustOptions.min_iterations: 0.5, must be a whole"),
    (lambda: H(X1, X2, options=OPTIONS(seed=-1)), TypeError, r"RobustOptions.seed: -1, must be a whole number from 0"),
    (lambda: H(X1, X2, options={"threshold": 2}), TypeError, r"options: .*must be RobustOptions"),
    (lambda: H(X1, X2, device="abacus"), ValueError, r"abacus"),
    (lambda: H(X1, X2, device="cuda:99"), RuntimeError, r"cuda:99"),
    (lambda: bifocal.detect(np.zeros((5, 5))), TypeError, r"image: dtype float64, must be uint8 or uint16"),
    (lambda: bifocal.detect(np.zeros(5, np.uint8)), ValueError, r"image: shape \(5,\), must be \(height, width\)"),
    (lambda: bifocal.detect(np.zeros((5, 5, 9), np.uint8)), ValueError, r"image: shape \(5, 5, 9\)"),
    (lambda: bifocal.match(np.zeros((3, 64), np.uint8), np.zeros((3, 128), np.uint8)), ValueError, r"features1: shape \(3, 64\)"),
    (lambda: bifocal.match(np.zeros((3, 128), np.uint8), np.zeros((3, 128))), TypeError, r"features2: dtype float64, must be uint8"),
    (lambda: bifocal.read_image("/nowhere/at.png"), OSError, r"/nowhere/at.png"),
    (lambda: bifocal.stereo(np.zeros((9, 9), np.uint8), np.zeros((9, 8), np.uint8)), ValueError, r"right: shape \(9, 8\), but left"),
    (lambda: bifocal.stereo(np.zeros((9, 9), np.uint8), np.zeros((9, 9), np.uint16)), TypeError, r"right: dtype uint16, but left"),
    (lambda: bifocal.StereoMatcher(9, 9, bits=12), ValueError, r"bits: 12, must be 8 or 16"),
    (lambda: bifocal.StereoMatcher(9, 9, bifocal.SgmOptions(paths=5)), ValueError, r"paths"),
    (lambda: bifocal.StereoMatcher(9, 9, bifocal.SgmOptions(census="dense")), ValueError, r"SgmOptions.census: 'dense', must be one of"),
    (lambda: bifocal.StereoMatcher(9, 9)(np.zeros((9, 8), np.uint8), np.zeros((9, 8), np.uint8)), ValueError, r"8"),
    (lambda: bifocal.linalg.svd(np.zeros(3)), ValueError, r"A: shape \(3,\), must be \(B, rows, cols\)"),
    (lambda: bifocal.linalg.svd(np.zeros((2, 40, 40))), ValueError, r"40"),
    (lambda: bifocal.linalg.real_eigenpairs(np.zeros((2, 3))), ValueError, r"A: shape \(2, 3\), must be \(B, n, n\)"),
    (lambda: bifocal.solvers.solve_minimal("p4p", np.zeros((1, 1))), ValueError, r"solver: 'p4p', must be one of 'homography_4pt'"),
    (lambda: bifocal.solvers.solve_minimal("p3p", np.zeros((5, 1))), ValueError, r"samples: shape \(5, 1\), must be \(18, N\)"),
    (lambda: bifocal.rectify(bifocal.Camera(9, 9, 1, 1), bifocal.Camera(9, 9, 1, 1), np.eye(3), [1, 0, 0]), ValueError, r"camera1: width 0"),
    (lambda: bifocal.rectify_uncalibrated(np.full((3, 3), np.inf), (9, 9), (9, 9)), ValueError, r"F: \[0, 0\] = inf"),
    (lambda: bifocal.detect(None), TypeError, r"image: None, must be an array"),
    (lambda: bifocal.detect(np.zeros((5, 5), np.uint8), bifocal.SurfOptions(numbers=65)), ValueError, r"SurfOptions.numbers = 65"),
    (lambda: bifocal.detect(np.zeros((5, 5), np.uint8), bifocal.SurfOptions(upright=3.5)), TypeError, r"SurfOptions.upright: 3.5"),
    (lambda: bifocal.detect(np.zeros((5, 5), np.uint8), bifocal.SiftOptions(balance=200)), ValueError, r"SiftOptions.balance = 200"),
    (lambda: bifocal.detect(np.zeros((5, 5), np.uint8), bifocal.SiftOptions(affine_shape="yes")), TypeError, r"SiftOptions.affine_shape: 'yes'"),
    (lambda: bifocal.detect(np.zeros((5, 5), np.uint8), bifocal.SiftOptions(domain_size_pooling="yes")), TypeError, r"SiftOptions.domain_size_pooling: 'yes'"),
    (lambda: bifocal.detect(np.zeros((5, 5), np.uint8), mask=np.zeros((4, 5), np.uint8)), ValueError, r"mask of 5 x 4 px"),
    (lambda: bifocal.detect(np.zeros((5, 5), np.uint8), mask=np.zeros((5, 5))), TypeError, r"mask: dtype float64"),
    (lambda: bifocal.estimate_batch("homography", None, [0]), TypeError, r"points: None, must be an array"),
    (lambda: bifocal.estimate_batch("homography", S.rows, None), ValueError, r"points: shape .*, must be \(B, N, D\) without offsets"),
    (lambda: bifocal.threads(-1).__enter__(), ValueError, r"count = -1"),
]


@pytest.mark.parametrize("case", range(len(CASES)))
def test_refused(case):
    call, kind, message = CASES[case]
    with pytest.raises(kind, match=message):
        call()


def batch(points=S.rows, offsets=(0, 25, 50), **more):
    return bifocal.estimate_batch("essential", points, offsets, **{"cameras1": K, **more})


@pytest.mark.parametrize(
    "more, kind, message",
    [
        ({"points": S.rows[:, :3]}, ValueError, r"points: shape \(50, 3\), must be \(N, 4\)"),
        ({"offsets": [0, 60]}, ValueError, r"offsets: end at 60, but there are 50 points"),
        ({"offsets": [0, 30, 20]}, ValueError, r"offsets\[2\] = 20 after 30"),
        ({"offsets": [-1, 20]}, ValueError, r"offsets must begin with a number >= 0"),
        ({"offsets": np.array([0.0, 50])}, TypeError, r"offsets: dtype float64, must be whole"),
        ({"offsets": np.zeros(0, int)}, ValueError, r"offsets: shape \(0,\)"),
        ({"cameras1": np.ones((3, 4))}, ValueError, r"cameras1: 3 cameras for 2 pairs"),
        ({"cameras2": [K, K[:2]]}, ValueError, r"cameras2\[1\]: shape \(2, 3\), must be \(3, 3\)"),
        ({"cameras1": [K, bifocal.Camera(9, 9, 1, 1, k1=np.nan)]}, ValueError, r"cameras1\[1\].k1 = nan"),
        ({"weights": np.ones(49)}, ValueError, r"weights: 49 numbers for 50 points"),
        ({"weights": -np.ones(50)}, ValueError, r"weights\[0\] = -1"),
    ],
)
def test_refused_batch(more, kind, message):
    with pytest.raises(kind, match=message):
        batch(**more)


@pytest.mark.parametrize("kind, cameras", [("fundamental", "no camera"), ("shared_focal", "one camera, cameras1")])
def test_a_second_camera_is_refused_where_a_pair_takes_fewer(kind, cameras):
    first = {"cameras1": K} if kind == "shared_focal" else {}
    with pytest.raises(TypeError, match=rf"cameras2: given, but a pair of this kind of model takes {cameras}"):
        bifocal.estimate_batch(kind, S.rows, (0, 25, 50), cameras2=K, **first)


def test_options_and_names_are_what_their_script_writes():
    script = pathlib.Path(__file__).parents[2] / "scripts/python-options"
    made = runpy.run_path(str(script))
    assert pathlib.Path(bifocal._options.__file__).read_text() == made["text_of"](bifocal._core.option_fields()), f"run {script}"
    assert pathlib.Path(bifocal._names.__file__).read_text() == made["names_text"](), f"run {script}"


def test_options_are_frozen_by_keyword_and_as_in_cpp():
    def defaults(members):
        return {name: defaults(default) if isinstance(default, dict) else default for name, (_, default, *_) in members.items()}

    classes = bifocal._core.option_fields()
    assert set(classes) == set(bifocal._options.__all__)
    for name, fields in classes.items():
        one = getattr(bifocal._options, name)()
        assert dataclasses.asdict(one) == defaults(fields), name
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(one, next(iter(fields)), 1)
        with pytest.raises(TypeError):
            getattr(bifocal._options, name)(1)
    assert "threshold=2.5" in repr(OPTIONS(threshold=2.5))


def test_lists_of_names_are_those_of_cpp():
    from typing import get_args

    assert list(get_args(bifocal.ModelKind)) == bifocal._core.model_kinds()
    for solver in get_args(bifocal.solvers.MinimalSolver):
        bifocal.solvers.solver_shape(solver)
    with pytest.raises(ValueError) as refused:
        bifocal.solvers.solver_shape("none")
    assert [w for w in str(refused.value).split("'")[3::2]] == list(get_args(bifocal.solvers.MinimalSolver))
