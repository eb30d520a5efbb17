"""Robust estimation of homographies, fundamental and essential matrices, poses, of one pair or of many in one call.

Points are pixels, the centre of the first pixel is (0, 0). Every estimator returns an `Estimate`: `ok` says whether there is a model, `reason`
why not. Correspondences with a NaN or an infinity are left out and listed in `not_finite`. ValueError and TypeError name an argument that
does not fit. docs/robust.md has the method and its accuracy.

Tensors of torch and arrays of CuPy may be given; the arrays of the result are such then, on the same device. On a CUDA device points are read
where they lie and searched there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict, Union, cast

from . import _core
from ._devices import device_id
from ._arrays import ArrayLike, frame_of
from ._doubts import Repetition, find_repetition, mirror_doubt
from ._core import BatchEstimate, Estimate
from ._names import ModelKind
from ._options import RobustOptions
from ._thresholds import with_threshold

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ._cameras import Camera, LensCamera

    CameraLike = Union[Camera, LensCamera, ArrayLike]

__all__ = [
    "BatchEstimate",
    "Estimate",
    "ModelKind",
    "ProblemInfo",
    "Repetition",
    "estimate",
    "estimate_absolute_pose",
    "estimate_batch",
    "estimate_fundamental",
    "estimate_homography",
    "estimate_relative_pose",
    "find_repetition",
    "mirror_doubt",
    "problem_info",
]


class ProblemInfo(TypedDict):
    """What a kind of model is found from."""

    symbol: str
    sample_size: int
    degrees_of_freedom: int
    cameras: int
    is_two_view: bool
    takes_depths: bool
    has_pose: bool
    estimates_focal_length: bool
    estimates_distortion: bool
    triangulates: bool
    is_built: bool


def problem_info(kind: ModelKind) -> ProblemInfo:
    """Returns properties of a kind of model: the size of a minimal sample, the number of known cameras, ..."""
    return cast("ProblemInfo", _core.problem_info(kind))


def estimate(
    kind: ModelKind,
    x1: ArrayLike,
    x2: ArrayLike | None = None,
    *,
    camera1: CameraLike | None = None,
    camera2: CameraLike | None = None,
    threshold: float | None = None,
    options: RobustOptions | None = None,
    weights: ArrayLike | None = None,
    qualities: ArrayLike | None = None,
    device: str | None = None,
    depths: ArrayLike | None = None,
) -> Estimate:
    """Estimates a model of any kind.

    One dense float64 array of rows is read without a copy; two arrays, float32 and arrays with gaps are put together in C++.

    Args:
        kind: Name of the model, of `ModelKind`.
        x1, x2: Matches in px, shape (N, 2) each, or x1 alone as rows x1 y1 x2 y2. For "absolute_pose" and "camera_pose_focal" x2 are scene points,
            shape (N, 3), or x1 alone has rows x y X Y Z. For "monodepth_shared_focal" x1 alone has rows x1 y1 x2 y2 depth1 depth2.
        camera1, camera2: Intrinsics in px, of kinds with known cameras.
        threshold: Largest error of an inlier in px, 2 by default; replaces `options.threshold`.
        options: All numbers of the sampling.
        weights: Importance of each match, shape (N,), at least 0.
        qualities: Likelihood of each match to be correct in any unit, shape (N,); the highest are sampled first (PROSAC).
        device: "cpu" (the default), "cuda:0", "opencl:0", ...; one pair is fastest on the CPU.
        depths: Of "monodepth_shared_focal", shape (N, 2).

    Returns:
        An Estimate with the model, its inliers and the reason if it is not `ok`.

    Raises:
        ValueError: If shapes differ or an option is out of range.
    """
    frame = frame_of(x1, x2, depths, weights, qualities)
    chosen = with_threshold(options, threshold)
    return _core.estimate(kind, x1, x2, camera1, camera2, weights, qualities, chosen, device_id(device), frame, depths)


def estimate_homography(
    x1: ArrayLike,
    x2: ArrayLike | None = None,
    *,
    threshold: float | None = None,
    options: RobustOptions | None = None,
    weights: ArrayLike | None = None,
    qualities: ArrayLike | None = None,
    device: str | None = None,
) -> Estimate:
    """Estimates the homography H with x2 ~ H x1 of matches in px. Takes the arguments of `estimate`."""
    frame, chosen = frame_of(x1, x2, weights, qualities), with_threshold(options, threshold)
    return _core.estimate("homography", x1, x2, None, None, weights, qualities, chosen, device_id(device), frame)


def estimate_fundamental(
    x1: ArrayLike,
    x2: ArrayLike | None = None,
    *,
    threshold: float | None = None,
    options: RobustOptions | None = None,
    weights: ArrayLike | None = None,
    qualities: ArrayLike | None = None,
    device: str | None = None,
) -> Estimate:
    """Estimates the fundamental matrix F with x2' F x1 = 0 of matches in px. Takes the arguments of `estimate`."""
    frame, chosen = frame_of(x1, x2, weights, qualities), with_threshold(options, threshold)
    return _core.estimate("fundamental", x1, x2, None, None, weights, qualities, chosen, device_id(device), frame)


def estimate_relative_pose(
    x1: ArrayLike,
    x2: ArrayLike,
    camera1: CameraLike,
    camera2: CameraLike | None = None,
    *,
    threshold: float | None = None,
    options: RobustOptions | None = None,
    weights: ArrayLike | None = None,
    qualities: ArrayLike | None = None,
    device: str | None = None,
) -> Estimate:
    """Estimates the relative pose of two calibrated cameras, X2 = R X1 + t with |t| = 1, and the essential matrix (`model`).

    Args:
        x1, x2: Matches in px, shape (N, 2).
        camera1, camera2: Intrinsics in px, also with a lens; camera2 is camera1 by default.
        threshold, options, weights, qualities, device: As in `estimate`.
    """
    frame, chosen = frame_of(x1, x2, weights, qualities), with_threshold(options, threshold)
    return _core.estimate("essential", x1, x2, camera1, camera2, weights, qualities, chosen, device_id(device), frame)


def estimate_absolute_pose(
    x: ArrayLike,
    X: ArrayLike,
    camera: CameraLike,
    *,
    threshold: float | None = None,
    options: RobustOptions | None = None,
    weights: ArrayLike | None = None,
    qualities: ArrayLike | None = None,
    device: str | None = None,
) -> Estimate:
    """Estimates the pose of a calibrated camera from scene points, X_camera = R X + t.

    Args:
        x: Image points in px, shape (N, 2).
        X: Scene points, shape (N, 3).
        camera: Intrinsics in px, also with a lens.
        threshold, options, weights, qualities, device: As in `estimate`.
    """
    frame, chosen = frame_of(x, X, weights, qualities), with_threshold(options, threshold)
    return _core.estimate("absolute_pose", x, X, camera, None, weights, qualities, chosen, device_id(device), frame)


def estimate_batch(
    kind: ModelKind,
    points: ArrayLike,
    offsets: ArrayLike,
    *,
    cameras1: CameraLike | Sequence[CameraLike] | None = None,
    cameras2: CameraLike | Sequence[CameraLike] | None = None,
    threshold: float | None = None,
    options: RobustOptions | None = None,
    weights: ArrayLike | None = None,
    qualities: ArrayLike | None = None,
    device: str | None = None,
) -> BatchEstimate:
    """Estimates models of P pairs in one call; Ctrl-C is answered between parts of the batch.

    Each estimate equals the result of a call of its own with the same min_inlier_ratio above 0; 0 means 0.2 here and less alone. A dense float64 array is
    not copied. One in the memory of a CUDA device (torch, CuPy) stays there, and the estimation runs there.

    Args:
        kind: Name of the model, of `ModelKind`.
        points: Rows x1 y1 x2 y2 (depth1 depth2), or x y X Y Z of poses from scene points, of all pairs.
        offsets: Pair k has the rows offsets[k] to offsets[k + 1], shape (P + 1,).
        cameras1, cameras2: One camera for all pairs or one each: cameras, numbers fx fy cx cy of shape (P, 4), or shape (P, 3, 3). cameras2 is
            cameras1 by default.
        threshold, options, weights, qualities, device: As in `estimate`.

    Raises:
        TypeError: If `kind` takes fewer cameras.
        ValueError: If shapes differ or an option is out of range.
    """
    frame, chosen = frame_of(points, weights, qualities), with_threshold(options, threshold)
    return _core.estimate_batch(kind, points, offsets, cameras1, cameras2, weights, qualities, chosen, device_id(device), frame)
