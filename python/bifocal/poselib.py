"""PoseLib's estimate_* by Bifocal's estimators: ``from bifocal import poselib``.

Options are PoseLib's dictionaries, those of 2.0 (`ransac_opt`, `bundle_opt`, `initial_...`) and of 3.0 (one `opt`). Used: max_iterations,
min_iterations, success_prob, max_reproj_error, max_epipolar_error, max_error, seed, progressive_sampling. Others do not apply and are passed
over: initial models, the options of the last fit, dyn_num_trials_mult.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Mapping

import numpy as np
from numpy.typing import NDArray

from .cameras import LensCamera
from .options import RobustOptions
from .robust import Estimate, ModelKind, estimate
from .robust import estimate_shared_focal_relative_pose as estimate_shared_focal

__all__ = [
    "BundleOptions",
    "CameraPose",
    "ImagePair",
    "RansacOptions",
    "estimate_absolute_pose",
    "estimate_fundamental",
    "estimate_homography",
    "estimate_relative_pose",
    "estimate_shared_focal_relative_pose",
]

Array = NDArray[Any]
Options = Mapping[str, Any]
Info = dict[str, Any]

def RansacOptions() -> dict[str, Any]:
    """What is used of a dictionary of options, with the values that stand for keys that are not given."""
    return {
        "max_iterations": 100000,
        "min_iterations": 100,
        "success_prob": 0.9999,
        "max_reproj_error": 12.0,
        "max_epipolar_error": 1.0,
        "seed": 0,
        "progressive_sampling": False,
    }


def BundleOptions() -> dict[str, Any]:
    """Nothing: the last fit has no options here."""
    return {}


@dataclass
class CameraPose:
    """X_camera = R X_world + t."""

    R: Array = field(default_factory=lambda: np.eye(3))
    t: Array = field(default_factory=lambda: np.zeros(3))

    @property
    def q(self) -> Array:
        """[4]: the quaternion w x y z."""
        K = np.array(
            [
                [np.trace(self.R) + 1, 0, 0, 0],
                [self.R[2, 1] - self.R[1, 2], 1 + 2 * self.R[0, 0] - np.trace(self.R), 0, 0],
                [self.R[0, 2] - self.R[2, 0], self.R[0, 1] + self.R[1, 0], 1 + 2 * self.R[1, 1] - np.trace(self.R), 0],
                [
                    self.R[1, 0] - self.R[0, 1],
                    self.R[0, 2] + self.R[2, 0],
                    self.R[1, 2] + self.R[2, 1],
                    1 + 2 * self.R[2, 2] - np.trace(self.R),
                ],
            ]
        )
        K = np.tril(K) + np.tril(K, -1).T  # 4 q q'
        row = K[np.argmax(np.diag(K))]
        q: Array = row / np.copysign(np.linalg.norm(row), row[0])
        return q

    @property
    def Rt(self) -> Array:
        """[3, 4]"""
        Rt: Array = np.c_[self.R, self.t]
        return Rt

    def center(self) -> Array:
        """[3]: of the camera, in the world."""
        c: Array = -self.R.T @ self.t
        return c


def _camera(camera: Any, name: str) -> LensCamera:
    """Of a dictionary, or of an object with the same fields (poselib.Camera, pycolmap.Camera)."""

    def get(key: str) -> Any:
        if isinstance(camera, Mapping):
            if key not in camera:
                raise ValueError(f"{name}: no '{key}', must have model, width, height and params")
            return camera[key]
        return getattr(camera, key)

    model = get("model") if isinstance(camera, Mapping) or hasattr(camera, "model") else camera.model_name()
    model = getattr(model, "name", model)
    try:
        return LensCamera(str(model), tuple(get("params")), int(get("width")), int(get("height")))
    except ValueError as e:
        raise ValueError(str(e).replace("camera:", f"{name}:", 1)) from None


def _options(opt: Options | None, keys: tuple[str, ...], default: float, scale: float) -> RobustOptions:
    """`keys`: names of the threshold, the first one there counts; `scale` takes it to Bifocal's error."""
    given: dict[str, Any] = dict(opt or {})
    given.update(given.pop("ransac", None) or {})
    threshold = next((float(given[k]) for k in keys if k in given), default)
    most = int(given.get("max_iterations", 100000))
    return RobustOptions(
        threshold=threshold * scale,
        confidence=min(float(given.get("success_prob", 0.9999)), 1 - 1e-12),
        min_iterations=min(int(given.get("min_iterations", 100)), most),
        max_iterations=most,
        seed=int(given.get("seed", 0)),
    )


def _qualities(opt: Options | None, points: Any) -> Array | None:
    """PROSAC of points in falling order of quality."""
    given: dict[str, Any] = dict(opt or {})
    given.update(given.get("ransac") or {})
    return -np.arange(len(points), dtype=np.float64) if given.get("progressive_sampling") and hasattr(points, "__len__") else None


def _info(found: Estimate, threshold: float) -> Info:
    """model_score: the MSAC score in px^2, the smaller the better (PoseLib has it in units of its own)."""
    n = len(found.inliers)
    return {
        "refinements": 1 if found.ok else 0,
        "iterations": found.iterations,
        "num_inliers": found.num_inliers,
        "inlier_ratio": found.num_inliers / max(n, 1),
        "model_score": (n - found.gain) * threshold**2,
        "inliers": found.inliers.tolist(),
    }


def _matrix(kind: ModelKind, x1: Any, x2: Any, opt: Options | None, keys: tuple[str, ...], default: float, scale: float) -> tuple[Array, Info]:
    options = _options(opt, keys, default, scale)
    found = estimate(kind, x1, x2, options=options, qualities=_qualities(opt, x1))
    return found.model.copy(), _info(found, options.threshold / scale)


_EPIPOLAR = ("max_epipolar_error", "max_error")
_REPROJECTION = ("max_reproj_error", "max_error")


def estimate_fundamental(
    points2D_1: Any, points2D_2: Any, ransac_opt: Options | None = None, bundle_opt: Options | None = None, initial_F: Any = None
) -> tuple[Array, Info]:
    """F [3, 3] (zeros without a model) and the dictionary of what was found."""
    return _matrix("fundamental", points2D_1, points2D_2, ransac_opt, _EPIPOLAR, 1.0, 1.0)


def estimate_homography(
    points2D_1: Any, points2D_2: Any, ransac_opt: Options | None = None, bundle_opt: Options | None = None, initial_H: Any = None
) -> tuple[Array, Info]:
    """H [3, 3] (zeros without a model). max_reproj_error is a distance in the second image."""
    return _matrix("homography", points2D_1, points2D_2, ransac_opt, _REPROJECTION, 12.0, float(np.sqrt(0.5)))


def _pose(found: Estimate) -> CameraPose:
    if found.ok and found.R is not None and found.t is not None:
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
    """The pose of camera 2 from camera 1, |t| = 1 (the identity without a model)."""
    options = _options(ransac_opt, _EPIPOLAR, 1.0, 1.0)
    first, second = _camera(camera1, "camera1"), _camera(camera2, "camera2")
    found = estimate(
        "essential",
        points2D_1,
        points2D_2,
        camera1=first,
        camera2=second,
        options=options,
        qualities=_qualities(ransac_opt, points2D_1),
    )
    return _pose(found), _info(found, options.threshold)


@dataclass
class PinholeCamera:
    """A camera of PoseLib's that an estimate returns: SIMPLE_PINHOLE with f, cx, cy. Other calls here take it as a camera."""

    params: list[float]
    model: str = "SIMPLE_PINHOLE"
    width: int = -1
    height: int = -1

    def model_name(self) -> str:
        return self.model

    def focal(self) -> float:
        return self.params[0]

    def principal_point(self) -> Array:
        return np.array(self.params[1:])


@dataclass
class ImagePair:
    """Of `estimate_shared_focal_relative_pose`: the pose of camera 2 from camera 1, and both cameras."""

    pose: CameraPose
    camera1: PinholeCamera
    camera2: PinholeCamera


def estimate_shared_focal_relative_pose(
    points2D_1: Any,
    points2D_2: Any,
    pp: Any = (0.0, 0.0),
    ransac_opt: Options | None = None,
    bundle_opt: Options | None = None,
    initial_image_pair: Any = None,
) -> tuple[ImagePair, Info]:
    """The pose and the focal length of two pictures of one camera with the principal point pp (the identity and 1 without a model).

    The dictionary has `focal_deviation` as well, px: infinite where two views do not tell the focal length.
    """
    options = _options(ransac_opt, _EPIPOLAR, 1.0, 1.0)
    found = estimate_shared_focal(points2D_1, points2D_2, pp, options=options, qualities=_qualities(ransac_opt, points2D_1))
    f = found.focal_length if found.ok and found.focal_length else 1.0
    info = _info(found, options.threshold)
    info["focal_deviation"] = found.focal_deviation if found.ok else float("inf")
    first, second = (PinholeCamera([f, float(pp[0]), float(pp[1])]) for _ in range(2))
    return ImagePair(_pose(found), first, second), info


def estimate_absolute_pose(
    points2D: Any,
    points3D: Any,
    camera: Any,
    ransac_opt: Options | None = None,
    bundle_opt: Options | None = None,
    initial_pose: Any = None,
) -> tuple[CameraPose, Info]:
    """The pose of the camera from the world (the identity without a model)."""
    options = _options(ransac_opt, _REPROJECTION, 12.0, 1.0)
    found = estimate(
        "absolute_pose",
        points2D,
        points3D,
        camera1=_camera(camera, "camera"),
        options=options,
        qualities=_qualities(ransac_opt, points2D),
    )
    return _pose(found), _info(found, options.threshold)
