"""Bundle adjustment of arrays."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from . import _core
from ._arrays import ArrayLike
from ._cameras import LensCamera
from ._colmap.control import Control
from ._devices import device_id
from ._numbers import array_of, flags_of, indices_of
from ._options import AdjustOptions
from .priors import Prior, tables_of

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    Numbers = NDArray[numpy.float64]

__all__ = ["Adjusted", "AdjustIteration", "BundleAdjustment", "adjust"]


@dataclass(frozen=True)
class AdjustIteration:
    """State of a bundle adjustment after one iteration; number 0 is the start.

    Attributes:
        iteration: Number of the iteration; 0 is the start.
        cost: Cost of the best model so far, px^2.
        trial_cost: Cost after the step of this iteration, px^2.
        gradient: Largest entry of the gradient.
        step: Length of the step, relative to the length of all parameters.
        damping: Lambda of Levenberg and Marquardt.
        cg_iterations: Iterations of conjugate gradients; 0 for the dense solver.
        is_accepted: True if the step was taken.
        seconds: Seconds since the start of the call.
    """

    iteration: int
    cost: float
    trial_cost: float
    gradient: float
    step: float
    damping: float
    cg_iterations: int
    is_accepted: bool
    seconds: float


@dataclass(frozen=True)
class Adjusted:
    """Result of `adjust`, in the order of its arguments.

    Attributes:
        cameras: Adjusted cameras.
        R, t: Rotations, shape (I, 3, 3), and translations, shape (I, 3), of X_camera = R X + t.
        points: Adjusted points, shape (P, 3).
        errors: Distance in px of each observation from the projection of its point, shape (N,); NaN if the camera does not see the point.
        used: False for observations that were left out, shape (N,): not finite, behind the camera, or of a point with one observation.
        initial_cost, final_cost: Sum of the costs of the used observations and priors at the start and at the end, px^2.
        prior_cost: The part of `final_cost` that priors have, px^2.
        prior_residuals: Of each prior in standard deviations, by kind: 'positions', 'directions', 'orientations', 'points', 'heights' and 'parameters';
            NaN if its image, point or camera has no used observations.
        height_level: Level above which heights are measured, along `HeightPriors.up`, world units; 0 without heights.
        iterations: Number of iterations.
        reason: Cause of the end: 'function tolerance', 'max iterations', ...
        is_converged: True if a tolerance was reached.
        parts: Number of parts of the scene that share no point.
        redundancy: Number of observed values and of values of priors, minus parameters, plus degrees of freedom of the gauge.
        freedom: Degrees of freedom that neither observations nor constants nor priors determine, so that the start does: 'position', 'rotation' and 'scale',
            sums over the parts.
        history: State after each iteration.
        undetermined: With `AdjustOptions.covariance`: the image or the camera that the observations do not determine, such as 'image 3'; then
            there are no covariances. '' otherwise.
        camera_covariances: Covariance of the parameters of each camera for observations with a standard deviation of `AdjustOptions.deviation_px`;
            None without `AdjustOptions.covariance`.
        pose_covariances: Shape (I, 6, 6): rotation in camera axes in rad, then centre; None without `AdjustOptions.covariance`.
        point_covariances: Shape (P, 3, 3); None without `AdjustOptions.covariance`.
    """

    cameras: list[LensCamera]
    R: Numbers
    t: Numbers
    points: Numbers
    errors: Numbers
    used: NDArray[numpy.bool_]
    initial_cost: float
    final_cost: float
    prior_cost: float
    prior_residuals: dict[str, Numbers]
    height_level: float
    iterations: int
    reason: str
    is_converged: bool
    parts: int
    redundancy: int
    freedom: dict[str, int]
    undetermined: str
    history: list[AdjustIteration]
    camera_covariances: list[Numbers] | None
    pose_covariances: Numbers | None
    point_covariances: Numbers | None


@dataclass(frozen=True)
class BundleAdjustment:
    """Result of `bundle_adjustment`.

    Attributes:
        cameras, images, points, observations: Number of used cameras, images, points and observations.
        initial_cost, final_cost: Sum of the costs of the used observations in px^2.
        initial_error, final_error: Mean reprojection error of the used observations in px.
        iterations, history: Number of iterations, and the state after each.
        reason: Cause of the end: 'function tolerance', 'max iterations', ...
        is_converged: True if a tolerance was reached.
        parts: Number of parts of the model that share no point.
        redundancy: Number of observed values, minus parameters, plus degrees of freedom of the gauge.
        freedom: Degrees of freedom that neither observations nor constants determine, so that the start does: 'position', 'rotation' and 'scale',
            sums over the parts.
        undetermined: With the option `covariance`: the image or the camera that the observations do not determine; then there are no covariances.
            '' otherwise.
        camera_covariances: Covariance of the parameters of each camera that images have, in the order of the model, for observations with a
            standard deviation of 1 px; None without the option `covariance`.
        pose_covariances, point_covariances: As in `Adjusted`, in the order of the model.
        control: Control points next to the adjusted model; None without the argument `control`.
    """

    cameras: int
    images: int
    points: int
    observations: int
    initial_cost: float
    final_cost: float
    initial_error: float
    final_error: float
    iterations: int
    reason: str
    is_converged: bool
    parts: int
    redundancy: int
    freedom: dict[str, int]
    undetermined: str
    history: list[AdjustIteration]
    camera_covariances: list[Numbers] | None
    pose_covariances: Numbers | None
    point_covariances: Numbers | None
    control: Control | None = None


_PARAMS = ("focal_length", "principal_point", "extra_params")


def _constant_params(camera: LensCamera, constant: Collection[str]) -> list[bool]:
    """Returns a flag for each parameter that is not adjusted."""
    first = _core.focal_length_count(camera.model)
    counts = (first, 2, len(camera.params) - first - 2)
    return [name in constant for name, count in zip(_PARAMS, counts) for _ in range(count)]


def _images(cameras: list[LensCamera], R: ArrayLike, t: ArrayLike, camera_indices: ArrayLike | None, constant: Collection[str]) -> dict[str, Any]:
    import numpy as np

    unknown = [name for name in constant if name not in _PARAMS]
    if unknown or isinstance(constant, str):
        raise ValueError(f"constant_params: {constant!r}, must be a list of {', '.join(map(repr, _PARAMS))}")
    rotations = array_of(R, "R", "float64", (-1, 3, 3))
    if camera_indices is None and len(cameras) != 1:
        example = "numpy.arange(len(R)) if each image has its own" if len(cameras) == len(rotations) else "integers of shape (len(R),)"
        text = f"not given for {len(cameras)} cameras and {len(rotations)} images, must be the camera of each image: {example}"
        raise ValueError(f"camera_indices: {text}")
    used = np.zeros(len(rotations), np.int32) if camera_indices is None else camera_indices
    return {
        "cameras": [(camera.model, list(camera.params), _constant_params(camera, constant)) for camera in cameras],
        "R": rotations,
        "t": array_of(t, "t", "float64", (len(rotations), 3)),
        "camera_indices": indices_of(used, "camera_indices", len(rotations), len(cameras)),
    }


def _observations(points: ArrayLike, observations: ArrayLike, image_indices: ArrayLike, point_indices: ArrayLike, images: int) -> dict[str, Any]:
    scene = array_of(points, "points", "float64", (-1, 3))
    seen = array_of(observations, "observations", "float64", (-1, 2))
    return {
        "points": scene,
        "observations": seen,
        "image_indices": indices_of(image_indices, "image_indices", len(seen), images),
        "point_indices": indices_of(point_indices, "point_indices", len(seen), len(scene)),
    }


def adjust(
    cameras: LensCamera | Sequence[LensCamera],
    R: ArrayLike,
    t: ArrayLike,
    points: ArrayLike,
    observations: ArrayLike,
    image_indices: ArrayLike,
    point_indices: ArrayLike,
    camera_indices: ArrayLike | None = None,
    *,
    constant_params: Collection[str] = ("principal_point",),
    constant_cameras: ArrayLike | bool = False,
    constant_images: ArrayLike | bool = False,
    constant_points: ArrayLike | bool = False,
    priors: Sequence[Prior] = (),
    options: AdjustOptions | None = None,
    device: str | None = "auto",
    progress: Callable[[AdjustIteration], bool | None] | None = None,
) -> Adjusted:
    """Adjusts cameras, poses and scene points to minimise reprojection errors (include/bifocal/adjust.hpp).

    Args:
        cameras: Intrinsics of one camera, or of each camera, px; (0, 0) is the centre of the first pixel.
        R, t: Poses X_camera = R X + t, shapes (I, 3, 3) and (I, 3).
        points: Scene points, shape (P, 3). Points with NaN are left out.
        observations: Image coordinates, px, shape (N, 2). Rows with NaN are left out.
        image_indices, point_indices: Image and point of each observation, integers of shape (N,).
        camera_indices: Camera of each image, integers of shape (I,); can be left out if there is one camera.
        constant_params: Parameters of all cameras that are not adjusted: 'focal_length', 'principal_point', 'extra_params'.
        constant_cameras, constant_images, constant_points: Booleans, one each or one for all: cameras, poses and points that are not adjusted.
        priors: Measured positions, directions and others, one object of `bifocal.priors` for each kind. Give `AdjustOptions(deviation_px=...)`, the
            standard deviation of an observation, with them. The start should be near the priors.
        options: Of the solver.
        device: Where the adjustment runs: 'auto' (the first CUDA device, else an OpenCL GPU, else the CPU), 'cpu', 'cuda:0', ...
        progress: Called after each iteration; False ends the adjustment with the best scene so far, True and None go on.

    Returns:
        The adjusted scene. The arguments stay as they are.

    Raises:
        ValueError: If shapes differ, an index or an option is out of range, or there are several cameras without `camera_indices`.
        TypeError: If indices are not integers, flags not booleans, or `progress` returns neither a bool nor None.
    """
    all_cameras = [cameras] if isinstance(cameras, LensCamera) else list(cameras)
    arrays = _images(all_cameras, R, t, camera_indices, constant_params)
    arrays.update(_observations(points, observations, image_indices, point_indices, len(arrays["R"])))
    arrays["constant_cameras"] = flags_of(constant_cameras, "constant_cameras", len(all_cameras))
    arrays["constant_images"] = flags_of(constant_images, "constant_images", len(arrays["R"]))
    arrays["constant_points"] = flags_of(constant_points, "constant_points", len(arrays["points"]))
    counts = {"images": len(arrays["R"]), "points": len(arrays["points"]), "cameras": len(all_cameras)}
    arrays["priors"] = tables_of(priors, counts)
    found = _core.adjust_arrays(arrays, options, device_id(device) or "auto", iteration_callback(progress))
    return _result(all_cameras, found)


def _result(cameras: list[LensCamera], found: dict[str, Any]) -> Adjusted:
    history = [AdjustIteration(**i) for i in found.pop("history")]
    params = found.pop("params")
    adjusted = [LensCamera(c.model, tuple(p), c.width, c.height) for c, p in zip(cameras, params)]
    return Adjusted(cameras=adjusted, history=history, **found)


def iteration_callback(progress: Callable[[AdjustIteration], bool | None] | None) -> Callable[[dict[str, Any]], bool | None] | None:
    """Returns a function of the dictionary that the extension gives."""
    return None if progress is None else lambda values: progress(AdjustIteration(**values))
