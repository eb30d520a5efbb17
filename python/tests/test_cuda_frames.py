"""Tensors of torch and arrays of CuPy on a CUDA device are read in place, in the order of the caller's stream, and results stay on the device."""

import cuda_frames
import numpy as np
import pytest
from scenes import K, Scene

import bifocal
from bifocal._arrays import frame_of

if not any(d["kind"] == "cuda" for d in bifocal.devices()):
    pytest.skip("no CUDA device, or a package without CUDA", allow_module_level=True)
FRAMES = cuda_frames.installed()
if not FRAMES:
    pytest.skip("neither torch nor CuPy with a GPU", allow_module_level=True)

S = Scene(n=500, seed=5)
RNG = np.random.default_rng(6)


@pytest.fixture(params=FRAMES, ids=lambda f: f.name)
def frame(request):
    return request.param


def kind_of_call(kind):
    """Returns rows of points and the cameras of a kind of model."""
    if kind == "absolute_pose":
        return np.c_[S.x1, S.X], {"camera1": K}
    return S.rows, {"camera1": K} if "essential" in kind else {}


@pytest.mark.parametrize("kind", ["homography", "fundamental", "essential", "absolute_pose", "similarity", "affine", "upright_essential"])
def test_every_estimator_of_one_pair(frame, kind):
    rows, cameras = kind_of_call(kind)
    there = frame.put(rows)
    assert frame.address(frame_of(there).join(there, None)) == frame.address(there)  # the estimation gets this address
    expected = bifocal.estimate(kind, rows, device="cuda:0", **cameras)
    whole, halves, narrow = (
        bifocal.estimate(kind, there, **cameras),
        bifocal.estimate(kind, frame.put(rows[:, :2]), frame.put(rows[:, 2:]), **cameras),
        bifocal.estimate(kind, frame.put(rows[:, :2].astype(np.float32)), frame.put(rows[:, 2:].astype(np.float32)), **cameras),
    )
    for found in (whole, halves):
        assert found.reason == expected.reason and found.num_inliers == expected.num_inliers and found.rms == expected.rms
        for name in ("model", "inliers", "R", "t", "triangulated", "not_finite"):
            ours, own = getattr(found, name), getattr(expected, name)
            if own is None:
                assert ours is None
                continue
            assert frame.is_there(ours), name
            np.testing.assert_array_equal(frame.get(ours), own, err_msg=name)
        assert (found.in_front, found.median_parallax_deg) == (expected.in_front, expected.median_parallax_deg)
    if expected.ok:
        assert narrow.ok and abs(narrow.num_inliers - expected.num_inliers) <= 2 + 0.02 * expected.num_inliers


def test_helpers_weights_and_bad_points(frame):
    rows = S.rows.copy()
    rows[17, 2] = np.nan
    x1, x2 = frame.put(rows[:, :2]), frame.put(rows[:, 2:])
    weights, qualities = RNG.uniform(0.5, 2, len(rows)), RNG.uniform(size=len(rows))
    more = {"weights": frame.put(weights), "qualities": frame.put(qualities)}
    found = bifocal.estimate_relative_pose(x1, x2, K, **more)
    expected = bifocal.estimate_relative_pose(rows[:, :2], rows[:, 2:], K, weights=weights, qualities=qualities, device="cuda:0")
    np.testing.assert_array_equal(frame.get(found.R), expected.R)
    assert frame.get(found.not_finite).tolist() == [17] == expected.not_finite.tolist()
    assert bifocal.estimate_fundamental(x1, x2).ok and bifocal.estimate_absolute_pose(x1, frame.put(S.X), K).ok
    few = bifocal.estimate_homography(x1[:3], x2[:3])
    assert few.reason == "too_few_points" and len(few.inliers) == 3
    assert bifocal.estimate_homography(x1[:0], x2[:0]).reason == "too_few_points"


def test_batches_stay_there(frame):
    offsets = [0, 200, 500]
    expected = bifocal.estimate_batch("essential", S.rows, offsets, cameras1=K, device="cuda:0")
    found = bifocal.estimate_batch("essential", frame.put(S.rows), offsets, cameras1=K, weights=frame.put(np.ones(500)))
    for name in ("ok", "models", "R", "t", "inliers", "num_inliers", "rms"):
        assert frame.is_there(getattr(found, name)), name
        np.testing.assert_array_equal(frame.get(getattr(found, name)), getattr(expected, name), err_msg=name)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("count", [1, 3000])
def test_linear_algebra_there(frame, dtype, count):
    A = RNG.standard_normal((count, 9, 9)).astype(dtype)
    symmetric = A + A.transpose(0, 2, 1)
    for call, matrices in ((bifocal.linalg.svd, A), (bifocal.linalg.real_eigenpairs, A), (bifocal.linalg.symmetric_eigen, symmetric)):
        found, expected = call(frame.put(matrices)), call(matrices, device="cuda:0")
        for name, ours, own in zip(found._fields, found, expected):
            assert frame.is_there(ours), name
            np.testing.assert_array_equal(frame.get(ours), own, err_msg=name)
    U, singular, V, _ = bifocal.linalg.svd(frame.put(A[0]))
    assert np.allclose(frame.get(U) * frame.get(singular) @ frame.get(V).T, A[0], atol=1e-4 if dtype == np.float32 else 1e-12)


def test_minimal_solvers_there(frame):
    for solver in ("homography_4pt", "fundamental_7pt", "essential_5pt", "p3p"):
        samples = RNG.uniform(-1, 1, (bifocal.solvers.solver_shape(solver).sample_rows, 5000))
        found, expected = bifocal.solvers.solve_minimal(solver, frame.put(samples)), bifocal.solvers.solve_minimal(solver, samples, device="cuda:0")
        assert frame.is_there(found.solutions) and frame.is_there(found.counts)
        np.testing.assert_array_equal(frame.get(found.solutions), expected.solutions)
        np.testing.assert_array_equal(frame.get(found.counts), expected.counts)


def picture(seed, height=240, width=320):
    rng = np.random.default_rng(seed)
    return np.repeat(np.repeat(rng.integers(0, 255, (height // 8, width // 8), dtype=np.uint8), 8, 0), 8, 1)


def test_features_and_matches_there(frame):
    image = picture(1)
    for options in (None, bifocal.SurfOptions()):
        found, expected = bifocal.detect(frame.put(image), options), bifocal.detect(image, options, device="cuda:0")
        np.testing.assert_array_equal(found.xy, expected.xy)
        np.testing.assert_array_equal(found.descriptors, expected.descriptors)
        assert len(found) > 50
    one = RNG.integers(0, 80, (700, 128), dtype=np.uint8)
    two = np.r_[one[::-1], RNG.integers(0, 80, (300, 128), dtype=np.uint8)]
    found, expected = bifocal.match(frame.put(one), frame.put(two)), bifocal.match(one, two, device="cuda:0")
    assert frame.is_there(found.indices) and len(found) == len(expected) == 700
    np.testing.assert_array_equal(frame.get(found.indices), expected.indices)
    np.testing.assert_array_equal(frame.get(found.distance), expected.distance)
    assert len(bifocal.match(frame.put(one[:0]), frame.put(two))) == 0


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_float_descriptors_there(frame, dtype):
    one = RNG.standard_normal((500, 256)).astype(dtype)
    two = one[::-1] + (0.01 * RNG.standard_normal((500, 256))).astype(dtype)
    found = bifocal.match_descriptors(frame.put(one), frame.put(two))
    expected = bifocal.match_descriptors(one.astype(np.float32), two.astype(np.float32), device="cuda:0")
    assert frame.is_there(found.indices) and len(found) == 500
    np.testing.assert_array_equal(frame.get(found.indices), expected.indices)
    np.testing.assert_allclose(frame.get(found.distance), expected.distance, rtol=1e-3, atol=1e-5)
    raw = bifocal.match_descriptors(frame.put(one), frame.put(two), bifocal.FloatMatchOptions(normalise=False))
    assert (frame.get(raw.indices).sum(1) == 499).all()
    bad = one.copy()
    bad[3, 4] = np.nan
    with pytest.raises(ValueError, match="descriptors2: holds a NaN or an infinity"):
        bifocal.match_descriptors(frame.put(one), frame.put(bad))


def test_colours_and_sixteen_bits_there(frame):
    grey = picture(1)
    colour = np.stack([grey, grey // 2, 255 - grey // 3, grey], 2)  # converted to grey they keep contrast
    for given in (colour[:, :, :1], colour[:, :, :2], colour[:, :, :3], colour):
        for image in (given, given.astype(np.uint16) * 256 + 100):
            image = np.ascontiguousarray(image)
            if frame.name == "torch" and image.dtype == np.uint16 and not hasattr(__import__("torch"), "uint16"):
                continue
            found, expected = bifocal.detect(frame.put(image)), bifocal.detect(image)
            assert len(found) > 50 and abs(len(found) - len(expected)) <= 3
            np.testing.assert_array_equal(found.descriptors, bifocal.detect(image, device="cuda:0").descriptors)
    many = bifocal.Collection("cuda:0")
    many.detect(frame.put(np.stack([colour[:, :, :3]] * 3)))
    for k in range(3):
        np.testing.assert_array_equal(many.features(k).xy, bifocal.detect(np.ascontiguousarray(colour[:, :, :3]), device="cuda:0").xy)


def test_collections_read_images_there(frame):
    images = np.stack([picture(k) for k in range(3)] + [picture(0)])
    expected, one, many = (bifocal.Collection("cuda:0") for _ in range(3))
    expected.detect(list(images))
    assert one.detect(frame.put(images)) == range(4)  # one array, contiguous in memory
    many.detect([frame.put(image) for image in images] + [frame.put(picture(9, 160, 200))], batch=2)
    assert len(many) == 5
    for k in range(4):
        for found in (one, many):
            np.testing.assert_array_equal(found.features(k).descriptors, expected.features(k).descriptors)
    found = one.verify([[0, 3]], kind="homography")
    assert found.estimates.ok.all()
    with pytest.raises(ValueError, match=r"images\[0\]: in the memory of cuda:0, but device is 'cpu'"):
        bifocal.Collection().detect(frame.put(images))


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
def test_stereo_stays_there(frame, dtype):
    left = picture(2).astype(dtype) * (1 if dtype == np.uint8 else 256)
    right = np.roll(left, -8, 1)
    expected = bifocal.stereo(left, right, bifocal.SgmOptions(disparities=32), device="cuda:0")
    matcher = bifocal.StereoMatcher(320, 240, bifocal.SgmOptions(disparities=32), device="cuda:0", bits=8 * left.itemsize)
    l, r = frame.put(left), frame.put(right)
    runs = [matcher(l, r) for _ in range(4)]  # the third and later calls replay a recorded graph if the memory is the same
    for found in [*runs, bifocal.stereo(l, r, bifocal.SgmOptions(disparities=32))]:
        for name in ("raw", "filled", "confidence"):
            assert frame.is_there(getattr(found, name)), name
            np.testing.assert_array_equal(frame.get(getattr(found, name)), getattr(expected, name), err_msg=name)
        assert found.density == pytest.approx(expected.density, abs=1e-9)
    if dtype == np.uint8:
        ssd = bifocal.stereo(l, r, bifocal.SsdOptions(disparities=32))
        assert ssd.confidence is None and frame.is_there(ssd.raw)
        np.testing.assert_array_equal(frame.get(ssd.raw), bifocal.stereo(left, right, bifocal.SsdOptions(disparities=32)).raw)


@pytest.mark.parametrize("shape", [(240, 320), (240, 320, 3)])
@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
def test_rectified_pictures_stay_there(frame, shape, dtype):
    lens = bifocal.LensCamera("OPENCV_FISHEYE", (110, 110, 160, 120, 0.02, 0, 0, 0), 320, 240)
    found = bifocal.rectify(lens, lens, np.eye(3), [-1, 0.05, 0], max_angle_deg=60)
    image = RNG.integers(0, np.iinfo(dtype).max, shape, dtype=dtype)
    there = frame.put(image)
    for side in (0, 1):
        expected = found.resample(side, image)
        remapper = bifocal.Remapper(found, side, device="cuda:0")
        for picture in (found.resample(side, there), remapper(there), remapper(there)):
            assert frame.is_there(picture) and np.array_equal(frame.get(picture), expected)
        assert np.array_equal(remapper(image), expected)  # host arrays are copied to the device and back
    with pytest.raises(ValueError, match="image: in the memory of cuda:0, but device is 'cpu'"):
        bifocal.Remapper(found, 0)(there)
    with pytest.raises(ValueError, match=r"image: shape \(100, 320"):
        remapper(there[:100])
    with pytest.raises(TypeError, match="with gaps, must be contiguous uint8 or uint16 on a CUDA device"):
        remapper(frame.put(np.concatenate([image, image], 1))[:, :320])
    with pytest.raises(TypeError, match="image: float64, must be contiguous uint8 or uint16"):
        remapper(frame.put(image.astype(np.float64)))


def behind_slow_work(frame, values):
    """Returns an array with zeros that gets the values once slow work on the current stream is done."""
    there, waiting = frame.put(values), None
    waiting = frame.empty_like(there)
    zero = frame.slow_zero()
    frame.add_scalar(waiting, zero)
    waiting[...] = there
    return waiting


def test_work_on_the_callers_stream_is_waited_for(frame):
    """Each call would read zeros without waiting for the stream."""
    A = RNG.standard_normal((50, 6, 6))
    rows, image = S.rows, picture(3)
    expected_features = len(bifocal.detect(image, device="cuda:0"))
    expected = bifocal.estimate_batch("fundamental", rows, [0, 500], device="cuda:0").models
    with frame.side_stream() as side:
        frame.get(behind_slow_work(frame, A))  # first use: compiling, loading and allocating synchronise
        waiting = behind_slow_work(frame, A)
        busy_before = not frame.is_idle(side)
        found = bifocal.linalg.svd(waiting)
        assert busy_before, "the work was too short to show anything"
        np.testing.assert_allclose(frame.get((found.U * found.S[:, None, :]) @ found.V.swapaxes(1, 2)), A, atol=1e-12)
        models = bifocal.estimate_batch("fundamental", behind_slow_work(frame, rows), [0, 500]).models
        np.testing.assert_array_equal(frame.get(models), expected)
        one = bifocal.estimate_fundamental(behind_slow_work(frame, rows[:, :2]), behind_slow_work(frame, rows[:, 2:]))
        assert one.ok
        assert len(bifocal.detect(behind_slow_work(frame, image))) == expected_features
        images = bifocal.Collection("cuda:0")
        images.detect(behind_slow_work(frame, image[None]))
        assert images.counts().tolist() == [expected_features]
        raw = bifocal.stereo(behind_slow_work(frame, image), behind_slow_work(frame, np.roll(image, -8, 1))).raw
        np.testing.assert_array_equal(frame.get(raw), bifocal.stereo(image, np.roll(image, -8, 1), device="cuda:0").raw)
        x, y = np.meshgrid(np.arange(320.0), np.arange(240.0))
        unmoved = bifocal.Remapper.from_maps(x, y, (320, 240), device="cuda:0")
        np.testing.assert_array_equal(frame.get(unmoved(behind_slow_work(frame, image))), image)
        descriptors = RNG.integers(0, 80, (300, 128), dtype=np.uint8)
        assert len(bifocal.match(behind_slow_work(frame, descriptors), behind_slow_work(frame, descriptors))) == 300
        floats = RNG.standard_normal((200, 64))
        assert len(bifocal.match_descriptors(behind_slow_work(frame, floats), behind_slow_work(frame, floats))) == 200
        samples = RNG.uniform(-1, 1, (16, 1000))
        solved = bifocal.solvers.solve_minimal("homography_4pt", behind_slow_work(frame, samples)).solutions
        np.testing.assert_array_equal(frame.get(solved), bifocal.solvers.solve_minimal("homography_4pt", samples, device="cuda:0").solutions)


def test_memory_that_the_stream_still_uses_is_not_written(frame):
    """A result may get freed memory that pending work still writes: the call also waits for that work."""
    A = RNG.standard_normal((2000, 9, 9))
    ready = frame.put(A)
    with frame.side_stream():
        for _ in range(5):
            old = frame.empty_like(ready)
            frame.add_scalar(old, frame.slow_zero())  # writes after the slow work
            del old
            found = bifocal.linalg.svd(ready)
            for orthogonal in (found.U, found.V):
                identity = frame.get(orthogonal @ orthogonal.swapaxes(1, 2))
                np.testing.assert_allclose(identity, np.broadcast_to(np.eye(9), identity.shape), atol=1e-12)


def test_no_copy_of_the_points_goes_to_the_host():
    """Torch's profiler, which sees every copy of the process, finds no copy as large as the points."""
    torch = next((f for f in FRAMES if f.name == "torch"), None)
    if torch is None:
        pytest.skip("torch is not installed")
    n = 200_000
    points = torch.put(np.tile(S.rows, (n // 500, 1)))
    matrices = torch.put(RNG.standard_normal((20_000, 9, 9)))
    offsets = np.arange(0, n + 1, 500)
    calls = {
        "batch": lambda: bifocal.estimate_batch("homography", points, offsets),
        "svd": lambda: bifocal.linalg.svd(matrices),
    }
    for name, call in calls.items():
        call()
        with torch.module.profiler.profile(activities=[torch.module.profiler.ProfilerActivity.CUDA]) as profile:
            call()
            torch.module.cuda.synchronize()
        copies = [e for e in profile.profiler.kineto_results.events() if "Memcpy" in e.name()]
        large = [(e.name(), e.nbytes()) for e in copies if "Pageable" in e.name() or "Pinned" in e.name() if e.nbytes() >= 4_000_000]
        assert not large, (name, large)


def test_arrays_that_do_not_fit(frame):
    rows = frame.put(S.rows)
    with pytest.raises(ValueError, match="x2: in the memory of the host, but x1 in that of cuda:0"):
        bifocal.estimate_homography(rows[:, :2], S.x2)
    with pytest.raises(ValueError, match="x1: in the memory of cuda:0, but device is 'cpu'"):
        bifocal.estimate_homography(rows[:, :2], rows[:, 2:], device="cpu")
    with pytest.raises(ValueError, match=r"x2: shape \(500, 4\), must be \(N, 2\)"):
        bifocal.estimate_homography(rows[:, :2], rows)
    with pytest.raises(ValueError, match="x2: 499 points, but x1 has 500"):
        bifocal.estimate_homography(rows[:, :2], rows[1:, 2:])
    with pytest.raises(ValueError, match="x2: in the memory of cuda:0, must be in the host's"):
        bifocal.estimate_homography(S.x1, rows[:, 2:])
    with pytest.raises(TypeError, match="points: float64 with gaps, must be contiguous float64 on a CUDA device"):
        bifocal.estimate_batch("homography", frame.put(np.c_[S.rows, S.rows])[:, :4], [0, 500])
    with pytest.raises(TypeError, match="A: float64 with gaps, must be contiguous float32 or float64 on a CUDA device"):
        bifocal.linalg.svd(frame.put(np.ones((10, 9, 9))).swapaxes(1, 2))
    with pytest.raises(ValueError, match="A: in the memory of cuda:0, but device is 'cpu'"):
        bifocal.linalg.svd(frame.put(np.ones((10, 9, 9))), device="cpu")
    with pytest.raises(ValueError, match=r"image: shape \(9, 9, 5\), must be \(height, width\) or \(height, width, 1 to 4\)"):
        bifocal.detect(frame.put(np.ones((9, 9, 5), np.uint8)))
    with pytest.raises(TypeError, match="image: float32, must be contiguous uint8 or uint16 on a CUDA device"):
        bifocal.detect(frame.put(np.ones((9, 9), np.float32)))
    with pytest.raises(ValueError, match=r"left: shape \(9, 9\), the matcher is of \(240, 320\)"):
        bifocal.StereoMatcher(320, 240, device="cuda:0")(frame.put(np.ones((9, 9), np.uint8)), frame.put(np.ones((9, 9), np.uint8)))
    with pytest.raises(TypeError, match="features1: float64, must be contiguous uint8 on a CUDA device"):
        bifocal.match(frame.put(np.ones((9, 128))), frame.put(np.ones((9, 128))))
    if frame.name == "torch":
        with pytest.raises(TypeError, match=r"give points.detach\(\)"):
            bifocal.estimate_batch("essential", rows.clone().requires_grad_(), [0, 500], cameras1=K)
