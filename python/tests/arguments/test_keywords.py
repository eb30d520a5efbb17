"""Keywords of all functions of one kind: threshold= for estimators, bgr= for functions of images."""

import inspect

import numpy as np
import pytest
from scenes import K, Scene

import bifocal

ESTIMATORS = [getattr(bifocal, n) for n in bifocal.__all__ if n.startswith("estimate") and n != "estimate_pair"]
ESTIMATORS += [bifocal.doubts.find_repetition, bifocal.doubts.find_repetition_batch, bifocal.doubts.mirror_doubt]
SCENE = Scene(n=200, seed=3)
IMAGE = np.kron(np.random.default_rng(0).integers(0, 256, (30, 40, 3)), np.ones((8, 8, 1))).astype(np.uint8)
F = np.array([[0, 0, 0], [0, 0, -1.0], [0, 1, 0]])
BGR = np.ascontiguousarray(IMAGE[:, :, ::-1])


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda function: function.__name__)
def test_every_estimator_has_a_threshold(estimator):
    parameter = inspect.signature(estimator).parameters["threshold"]
    assert parameter.kind is inspect.Parameter.KEYWORD_ONLY and parameter.default is None


@pytest.mark.parametrize("threshold", [0.5, 2.0, 8.0])
def test_a_threshold_is_that_of_the_options(threshold):
    given = {"seed": 7, "confidence": 0.9}
    calls = {
        "homography": lambda **o: bifocal.estimate_homography(SCENE.x1, SCENE.x2, **o),
        "pose": lambda **o: bifocal.estimate_relative_pose(SCENE.x1, SCENE.x2, K, **o),
        "batch": lambda **o: bifocal.estimate_batch("fundamental", np.c_[SCENE.x1, SCENE.x2], [0, 100, 200], **o),
    }
    for call in calls.values():
        short, long = call(threshold=threshold, options=bifocal.RobustOptions(**given)), call(options=bifocal.RobustOptions(threshold=threshold, **given))
        assert np.array_equal(short.model if hasattr(short, "model") else short.models, long.model if hasattr(long, "model") else long.models)
        assert np.array_equal(short.inliers, long.inliers)


def test_collections_and_videos_have_a_threshold():
    pattern = np.kron(np.random.default_rng(4).integers(0, 256, (30, 40)), np.ones((8, 8))).astype(np.uint8)
    frames = [np.ascontiguousarray(pattern[:, 4 * i : 4 * i + 280]) for i in range(2)]
    frames[1] = np.roll(frames[1], 1, 0)
    collection = bifocal.Collection()
    collection.detect(frames)
    few = bifocal.RobustOptions(threshold=0.05, seed=7)
    short = collection.verify(kind="homography", threshold=0.05, options=bifocal.RobustOptions(seed=7))
    assert np.array_equal(short.estimates.inliers, collection.verify(kind="homography", options=few).estimates.inliers)
    assert short.estimates.num_inliers[0] < collection.verify(kind="homography", threshold=4).estimates.num_inliers[0]
    video = [list(bifocal.match_video(frames, kind="homography", **o))[1].pairs.estimates for o in ({"threshold": 0.05}, {"threshold": 4.0})]
    assert video[0].num_inliers[0] < video[1].num_inliers[0]
    matcher = bifocal.VideoMatcher(280, 240, kind="homography", threshold=0.05)
    matcher.add(frames[0])
    matcher.add(frames[1])
    assert np.array_equal(matcher.finish().pairs.estimates.inliers, video[0].inliers)
    with pytest.raises(ValueError, match="threshold = 0"):
        collection.verify(threshold=0)
    with pytest.raises(TypeError, match="robust: SiftOptions, must be RobustOptions"):
        bifocal.VideoMatcher(280, 240, threshold=1, robust=bifocal.SiftOptions())


def test_files_of_bgr_images(tmp_path):
    file = tmp_path / "a.png"
    alpha = np.dstack([BGR, IMAGE[:, :, 0]])
    for given, stored in ((BGR, IMAGE), (alpha, np.dstack([IMAGE, IMAGE[:, :, 0]])), (IMAGE[:, :, 0], IMAGE[:, :, 0])):
        bifocal.write_image(file, given, bgr=True)
        assert np.array_equal(bifocal.read_image(file), stored)
        again = bifocal.read_image(file, bgr=True)
        assert np.array_equal(again, given) and again.flags.c_contiguous
    deep = IMAGE.astype(np.uint16) * 257
    bifocal.write_image(file, deep[:, :, ::-1], bgr=True)
    assert np.array_equal(bifocal.read_image(file), IMAGE)


def test_a_threshold_out_of_range_is_named():
    with pytest.raises(ValueError, match="threshold = -1"):
        bifocal.estimate_homography(SCENE.x1, SCENE.x2, threshold=-1)
    with pytest.raises(TypeError, match="options: SiftOptions, must be RobustOptions"):
        bifocal.estimate_homography(SCENE.x1, SCENE.x2, threshold=1, options=bifocal.SiftOptions())


def test_bgr_images_give_what_rgb_images_give():
    options = bifocal.SgmOptions(disparities=32)
    matcher, collection = bifocal.StereoMatcher(320, 240, options), bifocal.Collection()
    collection.detect([IMAGE])
    collection.detect([BGR], bgr=True)
    x = np.random.default_rng(1).uniform(0, 200, (5, 2))
    pairs = [
        (bifocal.detect(IMAGE).response, bifocal.detect(BGR, bgr=True).response),
        (collection.features(0).response, collection.features(1).response),
        (bifocal.stereo(IMAGE, IMAGE, options).raw, bifocal.stereo(BGR, BGR, options, bgr=True).raw),
        (matcher(IMAGE, IMAGE).raw, matcher(BGR, BGR, bgr=True).raw),
        (bifocal.draw_epipolar_lines(IMAGE, IMAGE, x, x, F), bifocal.draw_epipolar_lines(BGR, BGR, x, x, F, bgr=True)[:, :, ::-1]),
        (bifocal.draw_matches(IMAGE, IMAGE, x, x), bifocal.draw_matches(BGR, BGR, x, x, bgr=True)[:, :, ::-1]),
    ]
    for rgb, bgr in pairs:
        assert np.array_equal(rgb, bgr, equal_nan=rgb.dtype.kind == "f")
    frames = list(bifocal.match_video([BGR, BGR], bgr=True)), list(bifocal.match_video([IMAGE, IMAGE]))
    assert np.array_equal(frames[0][1].xy, frames[1][1].xy)


def test_the_order_of_channels_changes_the_grey_values():
    assert not np.array_equal(bifocal.detect(IMAGE).response[:20], bifocal.detect(BGR).response[:20])
    grey = IMAGE[:, :, 0]
    assert np.array_equal(bifocal.detect(grey).xy, bifocal.detect(grey, bgr=True).xy)
    four = np.dstack([BGR, grey])
    assert np.array_equal(bifocal.detect(np.dstack([IMAGE, grey])).xy, bifocal.detect(four, bgr=True).xy)


def test_estimate_pair_takes_bgr_photographs():
    shifted = IMAGE[:, 8:], IMAGE[:, :-8]
    options = bifocal.PairOptions(dense=False)
    rgb = bifocal.estimate_pair(*(np.ascontiguousarray(i) for i in shifted), options=options)
    bgr = bifocal.estimate_pair(*(np.ascontiguousarray(i[:, :, ::-1]) for i in shifted), options=options, bgr=True)
    assert np.array_equal(rgb.x1, bgr.x1) and len(rgb.x1) > 0


def test_threads_print_their_number():
    assert repr(bifocal.threads(2)) == "threads(2)"
