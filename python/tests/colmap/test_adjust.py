"""Bundle adjustment of arrays and of COLMAP's models."""

import dataclasses

import numpy as np
import pytest

import bifocal
from bifocal import colmap


def rotation(w):
    angle = np.linalg.norm(w)
    if angle == 0:
        return np.eye(3)
    x, y, z = w / angle
    K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * K @ K


def make_scene(images=6, points=60, noise=0.5, seed=0):
    """Truth and observations of a camera that moves past a cloud; every image sees every point."""
    random = np.random.default_rng(seed)
    X = random.uniform(-1, 1, (points, 3))
    R = np.array([rotation(random.normal(0, 0.15, 3)) for _ in range(images)])
    t = np.array([[0.4 * (k - images / 2), random.normal(0, 0.1), 4] for k in range(images)])
    camera = bifocal.LensCamera("SIMPLE_RADIAL", (800, 499.5, 399.5, -0.1), 1000, 800)
    Y = np.einsum("ijk,pk->ipj", R, X) + t[:, None]
    x = Y[..., :2] / Y[..., 2:]
    px = 800 * x * (1 - 0.1 * (x**2).sum(-1, keepdims=True)) + [499.5, 399.5]
    image, point = (a.ravel() for a in np.meshgrid(np.arange(images), np.arange(points), indexing="ij"))
    return camera, R, t, X, px.reshape(-1, 2) + random.normal(0, noise, (images * points, 2)), image, point


def disturbed(camera, R, t, X, *rest, seed=1):
    random = np.random.default_rng(seed)
    R = np.array([rotation(random.normal(0, 0.01, 3)) @ one for one in R])
    camera = dataclasses.replace(camera, params=(820, 499.5, 399.5, -0.05))
    return camera, R, t + random.normal(0, 0.02, t.shape), X + random.normal(0, 0.03, X.shape), *rest


def test_a_disturbed_scene_is_adjusted():
    start = disturbed(*make_scene())
    copies = [np.copy(a) for a in start[1:]]
    found = bifocal.adjust(*start)
    assert found.is_converged and found.final_cost < 0.01 * found.initial_cost
    assert found.used.all() and found.errors.mean() < 0.7
    assert np.isclose((found.errors**2).sum() / 2, found.final_cost)
    assert found.cameras[0].params[1:3] == (499.5, 399.5) and abs(found.cameras[0].params[0] - 800) < 15
    assert found.R.shape == (6, 3, 3) and np.allclose(found.R @ found.R.transpose(0, 2, 1), np.eye(3))
    assert found.history[0].cost == found.initial_cost and found.history[-1].cost == found.final_cost
    for given, copy in zip(start[1:], copies):
        assert (given == copy).all()
    again = bifocal.adjust(*start)
    assert (again.points == found.points).all() and again.final_cost == found.final_cost


def test_constant_parts_keep_their_values():
    start = disturbed(*make_scene())
    keep = np.arange(6) == 2
    found = bifocal.adjust(*start, constant_images=keep, constant_points=np.arange(60) < 3, constant_params=["focal_length", "principal_point"])
    assert (found.R[2] == start[1][2]).all() and (found.t[2] == start[2][2]).all() and (found.R[1] != start[1][1]).any()
    assert (found.points[:3] == start[3][:3]).all() and (found.points[3:] != start[3][3:]).any()
    assert found.cameras[0].params[0] == 820 and found.cameras[0].params[3] != -0.05
    nothing = bifocal.adjust(*start, constant_cameras=True, constant_images=True, constant_points=True)
    assert nothing.reason == "nothing to adjust" and (nothing.R == start[1]).all()


def test_rows_with_nan_are_left_out():
    camera, R, t, X, px, image, point = disturbed(*make_scene())
    px[7] = np.nan
    X[5] = np.nan
    found = bifocal.adjust(camera, R, t, X, px, image, point)
    assert set(np.flatnonzero(~found.used)) == {7, *np.flatnonzero(point == 5)}


def test_a_robust_loss_survives_outliers():
    camera, R, t, X, px, image, point = disturbed(*make_scene())
    px[::20] += 100
    options = bifocal.AdjustOptions(loss="cauchy", max_iterations=200)
    found = bifocal.adjust(camera, R, t, X, px, image, point, options=options)
    assert np.median(found.errors) < 0.8


def test_covariances_are_returned_on_request():
    start = disturbed(*make_scene())
    assert bifocal.adjust(*start).pose_covariances is None
    found = bifocal.adjust(*start, options=bifocal.AdjustOptions(covariance=True))
    assert found.pose_covariances.shape == (6, 6, 6) and found.point_covariances.shape == (60, 3, 3)
    assert found.camera_covariances[0].shape == (4, 4)
    assert np.linalg.eigvalsh(found.point_covariances).min() > 0
    assert np.isclose(2 * found.final_cost / found.redundancy, 0.25, rtol=0.2)


@pytest.mark.parametrize(
    ("constant", "freedom"),
    [
        ({}, {"position": 3, "rotation": 3, "scale": 1}),
        ({"constant_images": np.arange(6) == 2}, {"position": 0, "rotation": 0, "scale": 1}),
        ({"constant_points": np.arange(60) == 7}, {"position": 0, "rotation": 3, "scale": 1}),
        ({"constant_points": np.isin(np.arange(60), [7, 9])}, {"position": 0, "rotation": 1, "scale": 0}),
        ({"constant_images": np.isin(np.arange(6), [2, 4])}, {"position": 0, "rotation": 0, "scale": 0}),
    ],
)
def test_the_start_fixes_what_constants_leave_free(constant, freedom):
    start = disturbed(*make_scene())
    found = bifocal.adjust(*start, **constant, options=bifocal.AdjustOptions(covariance=True))
    assert found.freedom == freedom and found.undetermined == ""
    assert np.sqrt(found.pose_covariances[:, range(3, 6), range(3, 6)]).max() < 0.1
    if freedom["scale"] and "constant_images" in constant:
        before, after = (-np.einsum("nji,nj->ni", R, t) for R, t in (start[1:3], (found.R, found.t)))
        lengths = [np.linalg.norm(c - c[2], axis=1) for c in (before, after)]
        assert np.isclose(lengths[0].max(), lengths[1][lengths[0].argmax()], rtol=1e-12)


def test_an_image_that_is_not_determined_is_named(tmp_path):
    camera, R, t, X, px, image, point = disturbed(*make_scene())
    options = bifocal.AdjustOptions(covariance=True)
    kept = (image != 3) | (point < 2)
    found = bifocal.adjust(camera, R, t, X, px[kept], image[kept], point[kept], options=options)
    assert found.undetermined == "image 3" and found.pose_covariances is None and found.point_covariances is None


@pytest.mark.parametrize(("scale", "shift"), [(1, (448300, 5412600, 312)), (0.2, (4177800, 856200, 4728500)), (1e-5, 0), (1e5, (7e6, 0, 0))])
def test_unit_and_origin_of_the_world_do_not_matter(scale, shift):
    camera, R, t, X, *rest = disturbed(*make_scene())
    expected = bifocal.adjust(camera, R, t, X, *rest)
    found = bifocal.adjust(camera, R, scale * t - R @ np.broadcast_to(np.asarray(shift, float), 3), scale * X + shift, *rest)
    assert np.isclose(found.final_cost, expected.final_cost, rtol=1e-6) and found.reason == expected.reason
    assert np.isclose(found.cameras[0].params[0], expected.cameras[0].params[0], rtol=1e-6)
    assert np.allclose((found.points - shift) / scale, expected.points, atol=1e-6)


def test_progress_ends_the_adjustment():
    seen = []

    def progress(iteration):
        seen.append(iteration)
        return len(seen) < 2

    found = bifocal.adjust(*disturbed(*make_scene()), progress=progress)
    assert found.reason == "stopped" and len(seen) == 2
    assert found.final_cost == seen[-1].cost

    def fails(iteration):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        bifocal.adjust(*disturbed(*make_scene()), progress=fails)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda a: a.update(R=a["R"][0]), r"R: shape \(3, 3\), must be \(N, 3, 3\)"),
        (lambda a: a.update(t=a["t"][:4]), r"t: shape \(4, 3\), must be \(6, 3\)"),
        (lambda a: a.update(points=a["points"][:, :2]), r"points: shape \(60, 2\)"),
        (lambda a: a["image_indices"].__setitem__(3, 6), r"image_indices: \[3\] is 6, must be 0 to 5"),
        (lambda a: a.update(point_indices=a["point_indices"] * 1.0), "point_indices: dtype float64"),
        (lambda a: a.update(camera_indices=np.ones(6, int)), r"camera_indices: \[0\] is 1, must be 0 to 0"),
        (lambda a: a.update(constant_images=[True]), r"constant_images: shape \(1,\)"),
        (lambda a: a.update(constant_params="focal"), "constant_params: 'focal', must be a sequence"),
        (lambda a: a["R"].__imul__(2), "R"),
        (lambda a: a.update(options=bifocal.AdjustOptions(loss_scale=-1)), "AdjustOptions.loss_scale = -1"),
    ],
)
def test_wrong_arguments_are_named(change, message):
    names = ["cameras", "R", "t", "points", "observations", "image_indices", "point_indices"]
    arguments = dict(zip(names, disturbed(*make_scene())))
    change(arguments)
    with pytest.raises((ValueError, TypeError), match=message):
        bifocal.adjust(**arguments)


def make_model(scene):
    """A model of version 3 of the scene."""
    camera, R, t, X, px, image, point = scene
    f, cx, cy, k = camera.params

    def quaternion(R):
        w = np.sqrt(1 + np.trace(R)) / 2
        return np.array([w, *(np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]]) / (4 * w))])

    images = [
        colmap.ModelImage(i + 1, f"image{i}.jpg", 1, quaternion(R[i]), t[i], px[image == i], point[image == i] + 1) for i in range(len(R))
    ]
    tracks = [[[i + 1, p] for i in range(len(R))] for p in range(len(X))]
    points = colmap.ModelPoints(
        ids=np.arange(1, len(X) + 1),
        xyz=X,
        rgb=np.full((len(X), 3), 7, np.uint8),
        errors=np.full(len(X), -1.0),
        offsets=np.arange(len(X) + 1) * len(R),
        tracks=np.array(tracks, np.uint32).reshape(-1, 2),
    )
    return colmap.Model([colmap.ModelCamera(1, "SIMPLE_RADIAL", 1000, 800, np.array([f, cx, cy, k]))], images, points)


def expect_equal(a, b):
    """Dataclasses and lists of them with equal arrays."""
    assert type(a) is type(b)
    if dataclasses.is_dataclass(a):
        for name in (f.name for f in dataclasses.fields(a)):
            expect_equal(getattr(a, name), getattr(b, name))
    elif isinstance(a, (list, tuple)):
        assert len(a) == len(b)
        for one, other in zip(a, b):
            expect_equal(one, other)
    else:
        assert np.array_equal(a, b)


@pytest.mark.parametrize("format", ["binary", "text"])
def test_models_are_read_as_they_were_written(tmp_path, format):
    model = make_model(make_scene(images=2, points=5))
    camera = colmap.RigSensor(0, 1, None)
    unit = colmap.RigSensor(1, 3, colmap.ModelPose(np.array([0.5, 0.5, 0.5, 0.5]), np.array([1 / 3, 0, 0])))
    model.has_frames = True
    model.rigs = [colmap.ModelRig(4, [camera, unit])]
    for i in model.images:
        data = [colmap.FrameData(0, 1, i.id), colmap.FrameData(1, 3, 99)]
        model.frames.append(colmap.ModelFrame(i.id + 20, 4, colmap.ModelPose(i.rotation, i.translation), data))
    colmap.write_model(tmp_path / "a", model, format)
    once = colmap.read_model(tmp_path / "a")
    colmap.write_model(tmp_path / "b", once, format)
    expect_equal(once, colmap.read_model(tmp_path / "b"))
    expect_equal(model, once)


def test_wrong_models_are_refused(tmp_path):
    model = make_model(make_scene(images=2, points=5))
    model.points.offsets = model.points.offsets[:-1]
    with pytest.raises(ValueError, match=r"points.offsets: shape \(5,\), must be \(6,\)"):
        colmap.write_model(tmp_path / "a", model)
    model = make_model(make_scene(images=2, points=5))
    model.images[1].camera_id = 3
    with pytest.raises(ValueError, match="image 2: camera 3 is not in the model"):
        colmap.write_model(tmp_path / "a", model)
    for size in ({"width": 0}, {"height": 0}, {"height": -5}):
        model = make_model(make_scene(images=2, points=5))
        model.cameras[0] = dataclasses.replace(model.cameras[0], **size)
        with pytest.raises(ValueError, match=r"cameras\[0\]\.(width|height) = (0|-5), must be 1 to"):
            colmap.write_model(tmp_path / "a", model)
    with pytest.raises(ValueError, match="format: 'ply'"):
        colmap.write_model(tmp_path / "a", model, "ply")
    with pytest.raises(FileNotFoundError, match="none"):
        colmap.read_model(tmp_path / "none")


def test_a_model_is_adjusted(tmp_path):
    scene = disturbed(*make_scene())
    colmap.write_model(tmp_path / "a", make_model(scene))
    done = colmap.bundle_adjustment(tmp_path / "a", tmp_path / "b")
    assert done.is_converged and done.images == 6 and done.points == 60 and done.observations == 360
    assert done.final_error < 0.7 < 5 < done.initial_error
    arrays = bifocal.adjust(*scene)
    assert np.isclose(arrays.final_cost, done.final_cost, rtol=1e-6)
    after = colmap.read_model(tmp_path / "b")
    assert (after.points.rgb == 7).all() and np.isclose(after.points.errors.mean(), done.final_error)
    assert after.cameras[0].params[1:3].tolist() == [499.5, 399.5]
    assert done.pose_covariances is None and done.freedom == {"position": 3, "rotation": 3, "scale": 1}
    options = bifocal.colmap.BundleAdjustOptions(adjust=bifocal.AdjustOptions(covariance=True))
    done = colmap.bundle_adjustment(tmp_path / "a", tmp_path / "c", options, constant_images=[2])
    assert done.pose_covariances.shape == (6, 6, 6) and done.point_covariances.shape == (60, 3, 3) and done.undetermined == ""
    assert done.freedom["scale"] == 1 and not done.pose_covariances[1].any() and done.camera_covariances[0].shape == (4, 4)


def test_other_models_are_kept(tmp_path):
    """In another format, a part of a model, and through a link; a model may replace itself."""
    model = make_model(disturbed(*make_scene(images=3, points=20)))
    colmap.write_model(tmp_path / "a", model)
    colmap.write_model(tmp_path / "b", make_model(make_scene(images=2, points=5)), "text")
    (tmp_path / "b/notes.txt").write_text("mine")
    before = (tmp_path / "b/images.txt").read_bytes()
    (tmp_path / "part").mkdir()
    (tmp_path / "part/points3D.bin").write_text("mine")
    (tmp_path / "link").symlink_to("b")
    for out in ("b", "part", "link"):
        with pytest.raises(ValueError, match="there is a model already"):
            colmap.bundle_adjustment(tmp_path / "a", tmp_path / out)
        with pytest.raises(ValueError, match="there is a model already"):
            colmap.write_model(tmp_path / out, model)
    assert (tmp_path / "b/images.txt").read_bytes() == before and (tmp_path / "part/points3D.bin").read_text() == "mine"
    colmap.bundle_adjustment(tmp_path / "a", tmp_path / "b", overwrite=True)
    assert {f.name for f in (tmp_path / "b").iterdir()} == {"cameras.bin", "images.bin", "points3D.bin", "notes.txt"}
    colmap.write_model(tmp_path / "b", model, "text", overwrite=True)
    assert {f.name for f in (tmp_path / "b").iterdir()} == {"cameras.txt", "images.txt", "points3D.txt", "notes.txt"}
    (tmp_path / "same").symlink_to("a")
    colmap.bundle_adjustment(tmp_path / "a", tmp_path / "same")


def test_options_have_the_names_of_pycolmap(tmp_path):
    colmap.write_model(tmp_path / "a", make_model(disturbed(*make_scene())), "text")
    options = {
        "refine_focal_length": False,
        "refine_extra_params": False,
        "refine_rig_from_world": False,
        "ceres": {"loss_function_type": "SOFT_L1", "loss_function_scale": 2.0, "solver_options": {"max_num_iterations": 3, "eta": 0.1}},
    }
    done = colmap.bundle_adjustment(tmp_path / "a", tmp_path / "b", options, constant_points=[5, 9])
    assert done.iterations <= 3
    before, after = colmap.read_model(tmp_path / "a"), colmap.read_model(tmp_path / "b")
    assert (tmp_path / "b" / "images.txt").exists()
    expect_equal(before.cameras, after.cameras)
    assert all((x.translation == y.translation).all() for x, y in zip(before.images, after.images))
    changed = (before.points.xyz != after.points.xyz).any(1)
    assert changed.sum() == 58 and not changed[[4, 8]].any()
    with pytest.raises(ValueError, match="'refine_focal' is no option"):
        colmap.bundle_adjustment(tmp_path / "a", tmp_path / "b", {"refine_focal": True})
    with pytest.raises(ValueError, match="constant_rig_from_world_rotation = True"):
        colmap.bundle_adjustment(tmp_path / "a", tmp_path / "b", {"constant_rig_from_world_rotation": True})
    with pytest.raises(ValueError, match="image 77 is not in the model"):
        colmap.bundle_adjustment(tmp_path / "a", tmp_path / "b", constant_images=[77], overwrite=True)
