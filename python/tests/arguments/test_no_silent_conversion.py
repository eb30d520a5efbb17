"""Values that would change are refused by name: colours, indices, flags, masks and types of arrays."""

import dataclasses

import numpy as np
import pytest
from scenes import K
from valid_calls import CALLS, GREY, S, X1, X2, batch, features, model
from valid_module_calls import MODULES

import bifocal
from bifocal import colmap

H = bifocal.estimate_homography


def write_with(folder, **fields):
    """Writes a model with other values of fields, 'points__rgb' or 'images__id' of the first image, and reads it back."""
    made = model()
    for name, value in fields.items():
        part, field = name.split("__")
        owner = getattr(made, part)
        setattr(owner[0] if isinstance(owner, list) else owner, field, value)
    colmap.write_model(folder / "model", made)
    return colmap.read_model(folder / "model")


@pytest.mark.parametrize(
    "field, value, message",
    [
        ("points__rgb", np.full((12, 3), 0.8), r"points.rgb: dtype float64, must be whole numbers from 0 to 255; give numpy.uint8\(numpy.round\(255 \* points.rgb\)\)"),
        ("points__rgb", np.full((12, 3), 128.0), "points.rgb: dtype float64"),
        ("points__rgb", np.full((12, 3), 300), r"points.rgb: \[0, 0\] = 300, must be 0 to 255"),
        ("points__rgb", np.full((12, 3), -1, np.int8), r"points.rgb: \[0, 0\] = -1"),
        ("points__rgb", np.ones((12, 3), bool), "points.rgb: dtype bool"),
        ("points__rgb", [["255"] * 3] * 12, "points.rgb: list"),
        ("points__tracks", model().points.tracks + 0.4, "points.tracks: dtype float64, must be whole numbers"),
        ("points__tracks", model().points.tracks.astype(int) - 5, r"points.tracks: \[0, 0\] = -4"),
        ("points__tracks", model().points.tracks > 0, "points.tracks: dtype bool"),
        ("points__tracks", model().points.tracks.astype(np.int64) + 2**32, r"points.tracks: \[0, 0\] = 4294967297"),
        ("points__ids", np.arange(1, 13.0), "points.ids: dtype float64"),
        ("points__ids", -np.arange(12), "points.ids: -11"),
        ("points__offsets", np.arange(13) * 2.0, "points.offsets: dtype float64"),
        ("points__xyz", np.ones((12, 3), complex), "points.xyz: dtype complex128"),
        ("points__xyz", np.full((12, 3), 2**60), r"points.xyz: \[0, 0\] = 1152921504606846976"),
        ("points__errors", None, "points.errors: None"),
        ("images__id", -1, r"images\[0\].id = -1, must be 0 to"),
        ("images__id", True, r"images\[0\].id: True, must be a whole number"),
        ("images__camera_id", 1.5, r"images\[0\].camera_id = 1.5"),
        ("images__name", 7, r"images\[0\].name: 7"),
        ("images__rotation", [1, 0, 0], r"images\[0\].rotation: shape \(3,\)"),
        ("images__translation", [np.nan, 0, 0], r"images\[0\].translation: .*must be finite"),
        ("images__point_ids", np.arange(12.0), r"images\[0\].point_ids: dtype float64"),
        ("images__xy", np.ones((11, 2)), r"images\[0\].xy: shape \(11, 2\), must be \(12, 2\)"),
        ("cameras__width", 1000.5, r"cameras\[0\].width = 1000.5, must be a whole number"),
        ("cameras__height", "64", r"cameras\[0\].height: '64'"),
        ("cameras__model", 1, r"cameras\[0\].model: 1, must be str"),
        ("cameras__params", ["100"] * 4, r"cameras\[0\].params"),
    ],
)
def test_fields_of_a_model_are_named(tmp_path, field, value, message):
    with pytest.raises((ValueError, TypeError), match=message):
        write_with(tmp_path, **{field: value})
    assert not (tmp_path / "model").exists()


def test_values_that_stay_the_same_are_taken(tmp_path):
    again = write_with(tmp_path, points__rgb=np.full((12, 3), 200), points__tracks=model().points.tracks.astype(np.int64), cameras__width=80.0)
    assert (again.points.rgb == 200).all() and again.points.rgb.dtype == np.uint8
    assert np.array_equal(again.points.tracks, model().points.tracks) and again.cameras[0].width == 80


@pytest.mark.parametrize("part, value", [("cameras", 5), ("images", [5]), ("points", None), ("rigs", [(1,)]), ("frames", {}), ("has_frames", 1)])
def test_parts_of_a_model_are_named(tmp_path, part, value):
    made = dataclasses.replace(model(), **{part: value})
    with pytest.raises(TypeError, match=part):
        colmap.write_model(tmp_path / "model", made)


F32, MASKED = np.float32, np.ma.masked_array(X1, X1 > 600)


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda f: bifocal.depth.write_ply(f / "a.ply", (np.ones((3, 3)), np.full((3, 3), 0.5))), "colours: dtype float64"),
        (lambda f: bifocal.depth.write_ply(f / "a.ply", (np.ones((3, 3)), np.full((3, 3), 256))), "256, must be 0 to 255"),
        (lambda f: bifocal.depth.write_ply(f / "a.ply", (np.ones((3, 3), complex), np.ones((3, 3), np.uint8))), "positions: dtype complex128"),
        (lambda f: bifocal.depth.write_pfm(f / "a.pfm", np.full((3, 3), 1e39)), r"image: \[0, 0\] = 1e\+39"),
        (lambda f: bifocal.Matches(np.array([[0.0, 1]])), "indices: dtype float64"),
        (lambda f: bifocal.Matches(np.array([[True, False]])), "indices: dtype bool"),
        (lambda f: bifocal.Matches([[0, 1]], [0.5]), r"distance: \[0\] = 0.5, must be a whole number"),
        (lambda f: bifocal.pairs.all_pairs(True), "images: True"),
        (lambda f: bifocal.pairs.image_components(3, [[0.0, 1]]), "pairs: dtype float64"),
        (lambda f: bifocal.pairs.suggested_partners(3, [[0, 1]], [1.0]), "inliers: dtype float64"),
        (lambda f: bifocal.estimate_batch("homography", X1[None], x2=X2[None], mask=np.ones((1, 40))), "mask: dtype float64, must be bool"),
        (lambda f: bifocal.estimate_batch("homography", X1[None], x2=X2[None], mask=np.ones((1, 40), int)), "mask: dtype int64, must be bool"),
        (lambda f: bifocal.estimate_batch("homography", S.rows, [0.0, 40]), "offsets: dtype float64"),
        (lambda f: bifocal.two_view.refine("homography", np.eye(3), X1, X2, inliers=np.arange(40, dtype=np.uint8)), r"inliers: \[2\] = 2, must be 0, 1 or 255"),
        (lambda f: bifocal.two_view.refine("homography", np.eye(3), X1, X2, inliers=np.ones(40)), "inliers: dtype float64"),
        (lambda f: bifocal.detect(GREY, mask=GREY / 255), "mask: dtype float64"),
        (lambda f: bifocal.detect(GREY / 255), r"image: dtype float64, must be uint8 or uint16; give \(image \* 255\).round\(\)"),
        (lambda f: bifocal.depth.score_disparity(bifocal.stereo(GREY, GREY), GREY, GREY / 255), "mask: dtype float64"),
        (lambda f: H(MASKED, X2), "x1: a masked array"),
        (lambda f: H(X1, X2, qualities=np.full(40, np.nan)), r"qualities: \[0\] = nan"),
        (lambda f: bifocal.estimate_batch("homography", S.rows, [0, 40], qualities=np.full(40, np.nan)), r"qualities: \[0\] = nan"),
        (lambda f: bifocal.doubts.find_repetition_batch(batch(), S.rows, qualities=np.full(40, np.nan)), r"qualities: \[0\] = nan"),
        (lambda f: H(X1 > 0, X2), "x1: dtype bool,"),
        (lambda f: H(X1, X2, options=bifocal.RobustOptions(max_iterations=np.float64(2.5))), "RobustOptions.max_iterations: "),
        (lambda f: H(X1, X2, options=bifocal.RobustOptions(threshold=True)), "RobustOptions.threshold: True, must be a number"),
        (lambda f: H(X1, X2, options=bifocal.RobustOptions(threshold=0)), "RobustOptions.threshold = 0"),
        (lambda f: H(X1, X2, threshold="2"), "threshold: '2', must be a number"),
        (lambda f: bifocal.pinhole_of(bifocal.Camera(9, 9, 1, 1, width=640.5)), "camera.width: 640.5, must be a whole number"),
        (lambda f: bifocal.match_descriptors(np.ones((128, 1000), F32), np.ones((128, 900), F32)), "give descriptors1.T"),
        (lambda f: bifocal.match_descriptors(np.ones((256, 700), F32), np.ones((256, 700), F32)), "give descriptors1.T"),
        (lambda f: bifocal.match(np.ones((128, 9), np.uint8), features()), r"features1: shape \(128, 9\), must be \(N, 128\); give features1.T"),
        (lambda f: bifocal.rectify_uncalibrated(K, (640.5, 480), (640, 480)), r"size1\[0\] = 640.5"),
        (lambda f: bifocal.rectify_uncalibrated(K, (1, 2, 3), (640, 480)), "size1: 3 whole numbers, must be 2"),
    ],
)
def test_conversions_are_refused_by_name(tmp_path, call, message):
    with pytest.raises((ValueError, TypeError), match=message):
        call(tmp_path)
    assert not list(tmp_path.iterdir())


def test_big_endian_arrays_and_unmasked_ones_are_taken():
    found = H(X1, X2)
    assert np.array_equal(H(X1.astype(">f8"), np.ma.masked_array(X2)).model, found.model)
    assert np.array_equal(bifocal.detect(np.ascontiguousarray(GREY.astype(">u2") * 256)[:, ::2]).xy, bifocal.detect((GREY.astype(np.uint16) * 256)[:, ::2]).xy)
    assert len(bifocal.match_descriptors(np.ones((128, 256), F32), np.ones((128, 256), F32))) >= 0


def test_cameras_of_an_adjustment_are_not_guessed():
    adjust, valid = MODULES["adjust"](None)
    camera, indices = valid.pop("cameras"), valid.pop("camera_indices")
    assert len(adjust(cameras=[camera], **valid).cameras) == 1
    for cameras, remedy in (([camera] * 2, "numpy.arange"), ([camera] * 3, "integers of shape")):
        with pytest.raises(ValueError, match=f"camera_indices: not given for {len(cameras)} cameras and 2 images.*{remedy}"):
            adjust(cameras=cameras, **valid)
    assert len(adjust(cameras=[camera] * 2, camera_indices=indices, **valid).cameras) == 2
    for name in ("camera_indices", "image_indices", "point_indices"):
        for kind in (float, bool):
            with pytest.raises(TypeError, match=f"{name}: dtype {kind.__name__}"):
                adjust(cameras=camera, **{**valid, "camera_indices": indices, name: np.asarray(valid.get(name, indices)).astype(kind)})
    with pytest.raises(TypeError, match="constant_images: .*booleans"):
        adjust(cameras=camera, constant_images=[0, 1], **valid)


@pytest.mark.parametrize("answer, is_ended", [(None, False), (True, False), (False, True), (np.False_, True), (0, None), ("yes", None), ([], None)])
def test_answers_of_progress(tmp_path, answer, is_ended):
    adjust, valid = MODULES["adjust"](None)
    colmap.write_model(tmp_path / "model", model())
    valid["points"] = valid["points"] + 0.01

    def runs():
        yield adjust(**{**valid, "progress": lambda _: answer}).reason
        yield colmap.bundle_adjustment(tmp_path / "model", tmp_path / "out", progress=lambda _: answer).reason

    if is_ended is None:
        for _ in range(2):
            with pytest.raises(TypeError, match="progress: returned"):
                list(runs())
    else:
        assert [reason == "stopped" for reason in runs()] == [is_ended] * 2


@pytest.mark.parametrize("name", ["constant_cameras", "constant_images", "constant_points"])
@pytest.mark.parametrize("value", [["0.png"], np.array([True, False]), [1.5], [-1], 1, "1"])
def test_constant_items_are_numbers(tmp_path, name, value):
    colmap.write_model(tmp_path / "model", model())
    with pytest.raises((ValueError, TypeError), match=name):
        colmap.bundle_adjustment(tmp_path / "model", tmp_path / "out", **{name: value})
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    "argument, value, message",
    [
        ("cameras", {"0.png": np.eye(3) * 1000}, r"cameras of '0.png': ndarray"),
        ("cameras", {"0.png": bifocal.Camera(1, 1, 1, 1)}, r"cameras of '0.png': Camera, must be a LensCamera or \(model, params\)"),
        ("cameras", {"0.png": ("PINHOLE", ["1"] * 4)}, r"cameras of '0.png'"),
        ("cameras", [1], r"cameras: \[1\], must be a dictionary"),
        ("matches", [("0.png", "1.png", [[0, 1]])], r"matches: .*must be a dictionary"),
        ("matches", {("0.png", "1.png"): np.ones((3, 2))}, r"matches of '0.png' and '1.png': dtype float64"),
        ("matches", {("0.png", "1.png"): np.ones((3, 2), bool)}, r"matches of '0.png' and '1.png': dtype bool"),
        ("matches", {"01": [[0, 1]]}, r"matches: '01', must be a pair of names"),
        ("matches", {(0, 1): [[0, 1]]}, r"matches: 0, must be the name of an image"),
        ("keypoints", {"0.png": np.ones((3, 2), complex)}, r"keypoints of '0.png': dtype complex128"),
        ("sizes", {"0.png": (80.5, 64)}, r"width of '0.png' = 80.5"),
        ("sizes", {"0.png": (True, False)}, r"width of '0.png': True"),
    ],
)
def test_arguments_of_write_pairs(tmp_path_factory, argument, value, message):
    write, valid = MODULES["colmap.write_pairs"](tmp_path_factory)
    valid[argument] = {**valid[argument], **value} if isinstance(value, dict) and argument in ("keypoints", "sizes") else value
    with pytest.raises((ValueError, TypeError), match=message):
        write(**valid)


def test_every_valid_call_is_valid(tmp_path_factory):
    for name in ("estimate", "stereo", "match"):
        call, valid = CALLS[name](tmp_path_factory)
        assert call(**valid) is not None
