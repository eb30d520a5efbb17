"""pycolmap beside: models that each writes and the other reads, and bundle adjustment of both. Skipped without pycolmap."""

import numpy as np
import pytest

from bifocal import colmap

pycolmap = pytest.importorskip("pycolmap")
if not hasattr(pycolmap, "SyntheticNoiseOptions"):
    pytest.skip(f"pycolmap {pycolmap.__version__} makes no models of rigs", allow_module_level=True)
pycolmap.logging.minloglevel = pycolmap.logging.FATAL.value

FILES = ("rigs", "cameras", "frames", "images", "points3D")
MODELS = [name for name in pycolmap.CameraModelId.__members__ if name != "INVALID"]
LENSES = [name for name in MODELS if name not in ("RAD_TAN_THIN_PRISM_FISHEYE", "EQUIRECTANGULAR")]
# Without a lens these models determine not all of their parameters.
TYPICAL = {"EUCM": [0.55, 1.1], "FULL_OPENCV": [0.2, 0.05, 1e-3, -2e-3, 0.01, 0.3, 0.02, 0.01]}


def synthesize(model, cameras=1, noise=False):
    options = pycolmap.SyntheticDatasetOptions()
    options.num_rigs, options.num_cameras_per_rig, options.num_frames_per_rig, options.num_points3D = 2, cameras, 5, 100
    number = getattr(pycolmap.CameraModelId, model)
    options.camera_model_id = number
    params = list(pycolmap.Camera.create_from_model_id(1, number, 800.0, 1024, 768).params)
    options.camera_params = params[:4] + TYPICAL[model] if model in TYPICAL else params
    pycolmap.set_random_seed(1)
    made = pycolmap.synthesize_dataset(options)
    if noise:
        disturbed = pycolmap.SyntheticNoiseOptions()
        disturbed.point2D_stddev, disturbed.point3D_stddev = 1, 0.05
        disturbed.rig_from_world_translation_stddev, disturbed.rig_from_world_rotation_stddev = 0.02, 0.5
        pycolmap.synthesize_noise(disturbed, made)
    return made


def cost(model):
    errors = [
        image.project_point(model.points3D[p.point3D_id].xyz) - p.xy
        for image in model.images.values()
        for p in image.points2D
        if p.has_point3D()
    ]
    return np.square(errors).sum() / 2


@pytest.mark.parametrize("model", MODELS)
def test_files_have_the_bytes_of_pycolmap(tmp_path, model):
    made = synthesize(model, cameras=2)
    for folder in ("binary", "text"):
        (tmp_path / folder).mkdir()
    made.write_binary(str(tmp_path / "binary"))
    made.write_text(str(tmp_path / "text"))
    for source in ("binary", "text"):
        read = colmap.read_model(tmp_path / source)
        for format, ending in (("binary", "bin"), ("text", "txt")):
            colmap.write_model(tmp_path / f"{source}_{format}", read, format)
            for name in FILES:
                ours = (tmp_path / f"{source}_{format}" / f"{name}.{ending}").read_bytes()
                assert ours == (tmp_path / format / f"{name}.{ending}").read_bytes(), (source, format, name)


@pytest.mark.parametrize("model", LENSES)
def test_the_cost_is_that_of_ceres(tmp_path, model):
    synthesize(model, noise=True).write_binary(str(tmp_path))
    options = {"ceres": {"solver_options": {"function_tolerance": 1e-12}}}
    colmap.bundle_adjustment(tmp_path, tmp_path / "ours", options)
    ours = pycolmap.Reconstruction(str(tmp_path / "ours"))
    theirs = pycolmap.Reconstruction(str(tmp_path))
    settings = pycolmap.BundleAdjustmentOptions()
    settings.print_summary = False
    pycolmap.bundle_adjustment(theirs, settings)
    assert cost(ours) < (1 + 1e-6) * cost(theirs)
    errors = {i: p.error for i, p in ours.points3D.items()}
    ours.update_point_3d_errors()
    assert np.allclose([errors[i] for i in ours.points3D], [p.error for p in ours.points3D.values()], atol=1e-6)
    assert len(ours.frames) == 10


def test_options_of_pycolmap_are_taken(tmp_path):
    synthesize("PINHOLE", noise=True).write_binary(str(tmp_path))
    options = pycolmap.BundleAdjustmentOptions()
    options.refine_points3D = False
    options.ceres.solver_options.max_num_iterations = 2
    done = colmap.bundle_adjustment(tmp_path, tmp_path / "ours", options)
    assert done.iterations <= 2
    before, after = colmap.read_model(tmp_path), colmap.read_model(tmp_path / "ours")
    assert (before.points.xyz == after.points.xyz).all()
