"""Drop-in replacements of PoseLib's estimate_* functions and minimal solvers: ``from bifocal import poselib``.

Options are PoseLib's dictionaries of version 2.0 (`ransac_opt`, `bundle_opt`, `initial_...`) and of version 3.0 (one `opt`). These are used:
max_iterations, min_iterations, success_prob, max_reproj_error, max_epipolar_error, max_error, seed, progressive_sampling. Other options,
dyn_num_trials_mult among them, initial models and the options of the final fit are ignored. The solvers take one sample a call;
`bifocal.solvers.solve_minimal` takes many.
"""

from __future__ import annotations

import sys
from typing import Any, Mapping

import numpy as np
from numpy.typing import NDArray

from ._arguments import check_public
from ._drop_in import agreed, unit_of
from ._numbers import number, reals, whole
from ._cameras import LensCamera
from ._options import RobustOptions
from ._poselib.poses import CameraPose, ImagePair, PinholeCamera
from ._poselib.solvers import essential_matrix_5pt, p3p, p4pf, relpose_5pt, relpose_upright_3pt, shared_focal_relpose_6pt
from ._robust import Estimate, ModelKind, estimate
from ._unknown_cameras import estimate_shared_focal_relative_pose as estimate_shared_focal

__all__ = [
    "BundleOptions",
    "CameraPose",
    "ImagePair",
    "RansacOptions",
    "essential_matrix_5pt",
    "estimate_absolute_pose",
    "estimate_fundamental",
    "estimate_homography",
    "estimate_relative_pose",
    "estimate_shared_focal_relative_pose",
    "p3p",
    "p4pf",
    "relpose_5pt",
    "relpose_upright_3pt",
    "shared_focal_relpose_6pt",
]

Array = NDArray[Any]
Options = Mapping[str, Any]
Info = dict[str, Any]

def RansacOptions() -> dict[str, Any]:
    """Returns PoseLib's dictionary of RANSAC options with the defaults for missing keys. Keys after progressive_sampling are not used."""
    return {
        "max_iterations": 100000,
        "min_iterations": 100,
        "success_prob": 0.9999,
        "max_reproj_error": 12.0,
        "max_epipolar_error": 1.0,
        "seed": 0,
        "progressive_sampling": False,
        "dyn_num_trials_mult": 3.0,
        "max_prosac_iterations": 100000,
        "real_focal_check": False,
    }


def BundleOptions() -> dict[str, Any]:
    """Returns PoseLib's dictionary of options of the final fit, which are not used here."""
    return {
        "max_iterations": 100,
        "loss_scale": 1.0,
        "loss_type": "CAUCHY",
        "gradient_tol": 1e-10,
        "step_tol": 1e-8,
        "initial_lambda": 1e-3,
        "min_lambda": 1e-10,
        "max_lambda": 1e10,
        "verbose": False,
    }


def _camera(camera: Any, name: str) -> LensCamera:
    """Converts a dictionary, or an object with the same fields (poselib.Camera, pycolmap.Camera), to a LensCamera."""

    def get(key: str) -> Any:
        if isinstance(camera, Mapping):
            if key not in camera:
                raise ValueError(f"{name}: no '{key}', must have model, width, height and params")
            return camera[key]
        if not hasattr(camera, key):
            raise TypeError(f"{name}: {type(camera).__name__}, must be a dictionary with model, width, height and params")
        return getattr(camera, key)

    has_field = isinstance(camera, Mapping) or hasattr(camera, "model")
    model = get("model") if has_field else get("model_name")()
    model = getattr(model, "name", model)
    try:
        params = reals(get("params"), f"{name}: params").ravel().tolist()
        return LensCamera(str(model), tuple(params), whole(get("width"), f"{name}: width"), whole(get("height"), f"{name}: height"))
    except ValueError as e:
        raise ValueError(str(e).replace("camera:", f"{name}:", 1)) from None


def _options(opt: Options | None, keys: tuple[str, ...], default: float, scale: float) -> RobustOptions:
    """Converts PoseLib's options. `keys`: names of the threshold in the order of precedence; `scale` converts it to Bifocal's error."""
    given = _given(opt)
    threshold = next((number(given[k], k) for k in keys if k in given), default)
    most = whole(given.get("max_iterations", 100000), "max_iterations")
    if not 0 < threshold < 1e150:
        raise ValueError(f"{next((k for k in keys if k in given), keys[0])} = {threshold}, must be above 0 and finite")
    return RobustOptions(
        threshold=threshold * scale,
        confidence=min(number(given.get("success_prob", 0.9999), "success_prob"), 1 - 1e-12),
        min_iterations=min(whole(given.get("min_iterations", 100), "min_iterations"), most),
        max_iterations=most,
        seed=whole(given.get("seed", 0), "seed"),
    )


def _given(opt: Options | None) -> dict[str, Any]:
    """Merges the options of both versions of PoseLib into one dictionary."""
    if opt is not None and not isinstance(opt, Mapping):
        raise TypeError(f"ransac_opt: {type(opt).__name__}, must be a dictionary")
    given: dict[str, Any] = dict(opt or {})
    ransac = given.pop("ransac", None)
    if ransac is not None and not isinstance(ransac, Mapping):
        raise TypeError(f"ransac: {type(ransac).__name__}, must be a dictionary")
    return {**given, **(ransac or {})}


def _qualities(opt: Options | None, points: Any) -> Array | None:
    """Returns descending qualities for PROSAC if progressive_sampling is set, because the points are sorted by quality; otherwise None."""
    given = _given(opt)
    return -np.arange(len(points), dtype=np.float64) if given.get("progressive_sampling") and hasattr(points, "__len__") else None


def _info(found: Estimate, threshold: float) -> Info:
    """Returns PoseLib's dictionary about an estimate.

    model_score is the truncated squared error in px^2, smaller is better (PoseLib uses its own unit); the largest float without a model.
    """
    n, has_model = len(found.inliers), agreed(found)
    count = found.num_inliers if has_model else 0
    return {
        "refinements": 1 if has_model else 0,
        "iterations": found.iterations,
        "num_inliers": count,
        "inlier_ratio": count / max(n, 1),
        "model_score": (n - found.score) * threshold**2 if has_model else sys.float_info.max,
        "inliers": found.inliers.tolist() if has_model else [False] * n,
    }


def _places(values: Any, name: str, columns: int = 2) -> Array:
    """Returns points of shape (N, columns)."""
    given = reals(values, name)
    if given.ndim != 2 or given.shape[1] != columns:
        raise ValueError(f"{name}: shape {given.shape}, must be (N, {columns})")
    return given


def _two_places(points2D_1: Any, points2D_2: Any) -> tuple[Array, Array]:
    x1, x2 = _places(points2D_1, "points2D_1"), _places(points2D_2, "points2D_2")
    if len(x1) != len(x2):
        raise ValueError(f"points2D_2: {len(x2)} points, but points2D_1 has {len(x1)}")
    return x1, x2


def _matrix(kind: ModelKind, x1: Any, x2: Any, opt: Options | None, keys: tuple[str, ...], default: float, scale: float) -> tuple[Array, Info]:
    options = _options(opt, keys, default, scale)
    found = estimate(kind, x1, x2, options=options, qualities=_qualities(opt, x1))
    return found.model.copy() if agreed(found) else np.zeros((3, 3)), _info(found, options.threshold / scale)


_EPIPOLAR = ("max_epipolar_error", "max_error")
_REPROJECTION = ("max_reproj_error", "max_error")


def estimate_fundamental(
    points2D_1: Any, points2D_2: Any, ransac_opt: Options | None = None, bundle_opt: Options | None = None, initial_F: Any = None
) -> tuple[Array, Info]:
    """Estimates a fundamental matrix like poselib.estimate_fundamental.

    Args:
        points2D_1, points2D_2: Matches in px, shape (N, 2).
        ransac_opt: Options; max_epipolar_error is the threshold in px, 1 by default.
        bundle_opt, initial_F: Not used.

    Returns:
        F of shape (3, 3), zeros without a model, and a dictionary with inliers and counts.
    """
    return _matrix("fundamental", *_two_places(points2D_1, points2D_2), ransac_opt, _EPIPOLAR, 1.0, 1.0)


def estimate_homography(
    points2D_1: Any, points2D_2: Any, ransac_opt: Options | None = None, bundle_opt: Options | None = None, initial_H: Any = None
) -> tuple[Array, Info]:
    """Estimates a homography like poselib.estimate_homography.

    Args:
        points2D_1, points2D_2: Matches in px, shape (N, 2).
        ransac_opt: Options; max_reproj_error is the threshold, a distance in the second image in px, 12 by default.
        bundle_opt, initial_H: Not used.

    Returns:
        H of shape (3, 3), zeros without a model, and a dictionary with inliers and counts.
    """
    x1, x2 = _two_places(points2D_1, points2D_2)
    with np.errstate(all="ignore"):
        unit = unit_of(x1, x2)
        H, info = _matrix("homography", x1 * unit, x2, ransac_opt, _REPROJECTION, 12.0, float(np.sqrt(0.5)))
        H = H @ np.diag([unit, unit, 1.0])
        return H / max(float(np.linalg.norm(H)), sys.float_info.min), info


def _pose(found: Estimate) -> CameraPose:
    """Returns the pose of an estimate; the identity without a model."""
    if agreed(found) and found.R is not None and found.t is not None:
        return CameraPose(found.R.copy(), found.t.copy())
    return CameraPose()


def estimate_relative_pose(
    points2D_1: Any,
    points2D_2: Any,
    camera1: Any,
    camera2: Any,
    ransac_opt: Options | None = None,
    bundle_opt: Options | None = None,
    initial_pose: Any = None,
) -> tuple[CameraPose, Info]:
    """Estimates a relative pose like poselib.estimate_relative_pose.

    Args:
        points2D_1, points2D_2: Matches in px, shape (N, 2).
        camera1, camera2: Dictionaries with model, width, height and params, or objects with these fields.
        ransac_opt: Options; max_epipolar_error is the threshold in px, 1 by default.
        bundle_opt, initial_pose: Not used.

    Returns:
        Pose of camera 2 from camera 1 with |t| = 1, the identity without a model, and a dictionary with inliers and counts.
    """
    options = _options(ransac_opt, _EPIPOLAR, 1.0, 1.0)
    first, second = _camera(camera1, "camera1"), _camera(camera2, "camera2")
    x1, x2 = _two_places(points2D_1, points2D_2)
    found = estimate("essential", x1, x2, camera1=first, camera2=second, options=options, qualities=_qualities(ransac_opt, x1))
    return _pose(found), _info(found, options.threshold)


def estimate_shared_focal_relative_pose(
    points2D_1: Any,
    points2D_2: Any,
    pp: Any = (0.0, 0.0),
    ransac_opt: Options | None = None,
    bundle_opt: Options | None = None,
    initial_image_pair: Any = None,
) -> tuple[ImagePair, Info]:
    """Estimates a relative pose and a shared focal length like poselib.estimate_shared_focal_relative_pose.

    Args:
        points2D_1, points2D_2: Matches in px, shape (N, 2).
        pp: Principal point cx, cy in px.
        ransac_opt: Options; max_epipolar_error is the threshold in px, 1 by default.
        bundle_opt, initial_image_pair: Not used.

    Returns:
        ImagePair with pose and cameras, the identity and focal length 1 without a model, and a dictionary with inliers, counts and
        `focal_deviation` in px, which is infinite if two views do not determine the focal length.
    """
    options = _options(ransac_opt, _EPIPOLAR, 1.0, 1.0)
    centre = reals(pp, "pp").ravel()
    if centre.size != 2:
        raise ValueError(f"pp: {centre.size} numbers, must be cx and cy")
    x1, x2 = _two_places(points2D_1, points2D_2)
    found = estimate_shared_focal(x1, x2, centre, options=options, qualities=_qualities(ransac_opt, x1))
    f = found.focal_length if agreed(found) and found.focal_length else 1.0
    info = _info(found, options.threshold)
    deviation = found.focal_deviation if agreed(found) else None
    info["focal_deviation"] = float("inf") if deviation is None else deviation
    first, second = (PinholeCamera([f, *centre.tolist()]) for _ in range(2))
    return ImagePair(_pose(found), first, second), info


def estimate_absolute_pose(
    points2D: Any,
    points3D: Any,
    camera: Any,
    ransac_opt: Options | None = None,
    bundle_opt: Options | None = None,
    initial_pose: Any = None,
) -> tuple[CameraPose, Info]:
    """Estimates a camera pose from scene points like poselib.estimate_absolute_pose.

    Args:
        points2D: Image points in px, shape (N, 2).
        points3D: Scene points, shape (N, 3).
        camera: Dictionary with model, width, height and params, or an object with these fields.
        ransac_opt: Options; max_reproj_error is the threshold in px, 12 by default.
        bundle_opt, initial_pose: Not used.

    Returns:
        Pose of the camera from the world, the identity without a model, and a dictionary with inliers and counts.
    """
    options = _options(ransac_opt, _REPROJECTION, 12.0, 1.0)
    x, X = _places(points2D, "points2D"), _places(points3D, "points3D", 3)
    if len(x) != len(X):
        raise ValueError(f"points3D: {len(X)} points, but points2D has {len(x)}")
    found = estimate("absolute_pose", x, X, camera1=_camera(camera, "camera"), options=options, qualities=_qualities(ransac_opt, x))
    return _pose(found), _info(found, options.threshold)


check_public(__all__, globals())
