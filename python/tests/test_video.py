"""Frames of a video give the same results as separate calls for each pair of images."""

import numpy as np
import pytest
from test_images import texture

import bifocal

PLANE = texture(200, 420, seed=3)
FRAMES = [np.ascontiguousarray(PLANE[2 * i : 2 * i + 160, 6 * i : 6 * i + 240]) for i in range(5)]
FRAMES[3] = texture(160, 240, seed=9)
DEVICES = ["cpu", *(d["id"] for d in bifocal.devices() if d["id"] in ("opencl:0", "cuda:0"))]
RATIO = bifocal.MatchOptions(max_ratio=0.9)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("options", [bifocal.SiftOptions(max_features=800), bifocal.SurfOptions(max_features=800)])
def test_frames_have_what_pairs_have(device, options):
    found = list(bifocal.match_video(iter(FRAMES), options, kind="homography", matching=RATIO, partners=2, device=device))
    assert [f.number for f in found] == [0, 1, 2, 3, 4]
    alone = [bifocal.detect(frame, options, device=device) for frame in FRAMES]
    for i, frame in enumerate(found):
        assert len(frame) == len(alone[i]) and np.array_equal(frame.xy, alone[i].xy)
        others = [i - 1 - k for k in range(min(i, 2))]
        assert frame.pairs.pairs.tolist() == [[other, i] for other in others]
        assert frame.pairs.estimates.ok.tolist() == [3 not in (i, other) for other in others]
        for k, other in enumerate(others):
            own = slice(frame.pairs.offsets[k], frame.pairs.offsets[k + 1])
            matches = bifocal.match(alone[other], alone[i], RATIO, distinct_places=True).indices
            assert np.array_equal(frame.pairs.matches.indices[own], matches)
            assert np.array_equal(frame.points[own], np.c_[alone[other].xy[matches[:, 0]], alone[i].xy[matches[:, 1]]].astype(float))
            if frame.pairs.estimates.ok[k]:
                shift = frame.pairs.estimates.models[k] / frame.pairs.estimates.models[k][2, 2]
                step = i - other
                assert np.abs(shift - [[1, 0, -6 * step], [0, 1, -2 * step], [0, 0, 1]]).max() < 0.3
                assert frame.pairs.estimates.inliers[own].sum() > 20


def test_colours_cameras_and_single_calls():
    matcher = bifocal.VideoMatcher(240, 160, kind="essential", camera=bifocal.Camera(300, 300, 120, 80), matching=RATIO)
    assert matcher.memory == 0 and "240 x 160 px on cpu" in repr(matcher) and matcher.finish() is None
    assert matcher.add(np.repeat(FRAMES[0][:, :, None], 3, 2)) is None
    first, second = matcher.add(FRAMES[1].astype(np.uint16) * 257), matcher.finish()
    assert first.number == 0 and len(first.pairs) == 0 and first.points.shape == (0, 4)
    assert second.number == 1 and len(second.pairs.matches) == len(second.points) > 20
    assert np.array_equal(first.xy, bifocal.detect(FRAMES[0], bifocal.SiftOptions(max_features=8192)).xy)
    assert list(bifocal.match_video([])) == []


@pytest.mark.parametrize(
    "call, kind, message",
    [
        (lambda: bifocal.VideoMatcher(240, 160, partners=0), ValueError, r"partners = 0"),
        (lambda: bifocal.VideoMatcher(0, 160), ValueError, r"width = 0, must be 1"),
        (lambda: bifocal.VideoMatcher(240, 160, kind="essential"), ValueError, r"camera is not given"),
        (lambda: bifocal.VideoMatcher(240, 160, camera=[1, 1, 0, 0]), ValueError, r"camera is given"),
        (lambda: bifocal.VideoMatcher(240, 160, bifocal.SiftOptions(sigma=0)), ValueError, r"sigma = 0"),
        (lambda: bifocal.VideoMatcher(240, 160, min_matches=0), ValueError, r"min_matches = 0"),
        (lambda: bifocal.VideoMatcher(240, 160, device="abacus"), ValueError, r"abacus"),
        (lambda: bifocal.VideoMatcher(240, 160).add(FRAMES[0][:-1]), ValueError, r"a frame of 240 x 159 px, made for 240 x 160"),
        (lambda: bifocal.VideoMatcher(240, 160).add(FRAMES[0].astype(float)), TypeError, r"frame: dtype float64, must be uint8 or uint16"),
        (lambda: list(bifocal.match_video([3])), ValueError, r"frames: the first is int"),
    ],
)
def test_refused(call, kind, message):
    with pytest.raises(kind, match=message):
        call()
