"""Robust estimation of homographies, fundamental and essential matrices and poses, from one pair or from many pairs in one call.

Points are in px; the centre of the first pixel is (0, 0). Every estimator returns an `Estimate`: `ok` is True if a model was found, `reason`
names the cause otherwise. Correspondences with a NaN or an infinity are left out and listed in `not_finite`. ValueError and TypeError name the
argument that does not fit. docs/robust.md explains the method and measures its accuracy.

Points may be tensors of torch or arrays of CuPy. The arrays of the result then belong to the same library and device. Points on a CUDA device
are read in place, and the estimation runs on that device.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Union

from . import _core
from ._arrays import ArrayLike, frame_of
from ._estimator_arguments import rows_of_padded, with_threshold
from ._devices import device_id
from ._core import BatchEstimate, Estimate
from ._names import ModelKind
from ._options import RobustOptions

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ._cameras import Camera, LensCamera

    CameraLike = Union[Camera, LensCamera, ArrayLike]

__all__ = [
    "BatchEstimate",
    "Estimate",
    "ModelKind",
    "estimate",
    "estimate_absolute_pose",
    "estimate_batch",
    "estimate_fundamental",
    "estimate_homography",
    "estimate_relative_pose",
]


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

    One dense float64 array of rows is read without a copy. Two arrays, float32 arrays and arrays with gaps are copied into such rows.

    Args:
        kind: Name of the model, one of `ModelKind`.
        x1, x2: Matches in px, shape (N, 2) each, or x1 alone as rows x1 y1 x2 y2. For "absolute_pose" and "camera_pose_focal" x2 are scene points,
            shape (N, 3), or x1 alone has rows x y X Y Z. For "monodepth_shared_focal" x1 alone has rows x1 y1 x2 y2 depth1 depth2.
        camera1, camera2: Intrinsics in px, for kinds with known cameras. camera2 is camera1 by default.
        threshold: Largest error of an inlier in px, 2 by default; replaces `options.threshold`.
        options: Options of the sampling.
        weights: Importance of each match, shape (N,), at least 0.
        qualities: Likelihood of each match to be correct in any unit, shape (N,), no NaN; the highest are sampled first (PROSAC, Chum and Matas, CVPR
            2005).
        device: "cpu" (the default), "cuda:0", "opencl:0", ... or "auto"; one pair is fastest on the CPU.
        depths: Depths for "monodepth_shared_focal", shape (N, 2).

    Returns:
        Estimate with the model, its inliers, and `reason` if it is not `ok`.

    Raises:
        ValueError: If shapes differ, or a camera, weight or option is out of range.
        TypeError: If `kind` takes fewer cameras or no depths.
        RuntimeError: If the device is missing or fails.
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
    """Estimates the homography H with x2 ~ H x1.

    Args:
        x1, x2: Matches in px, shape (N, 2) each, or x1 alone as rows x1 y1 x2 y2.
        threshold: Largest error of an inlier in px, 2 by default; replaces `options.threshold`.
        options, weights, qualities, device: Sampling options, importance and likelihood of each match, device: the same as in `estimate`.

    Returns:
        Estimate with H as `model`, scaled to norm 1, and the inliers.

    Raises:
        ValueError: If shapes differ, or a weight or an option is out of range.
    """
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
    """Estimates the fundamental matrix F with x2' F x1 = 0.

    Args:
        x1, x2: Matches in px, shape (N, 2) each, or x1 alone as rows x1 y1 x2 y2.
        threshold: Largest error of an inlier in px, 2 by default; replaces `options.threshold`.
        options, weights, qualities, device: Sampling options, importance and likelihood of each match, device: the same as in `estimate`.

    Returns:
        Estimate with F as `model`, of rank 2 and scaled to norm 1, and the inliers.

    Raises:
        ValueError: If shapes differ, or a weight or an option is out of range.
    """
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
    """Estimates the relative pose of two calibrated cameras, X2 = R X1 + t with |t| = 1, and the essential matrix.

    Args:
        x1, x2: Matches in px, shape (N, 2).
        camera1, camera2: Intrinsics in px, with or without lens distortion; camera2 is camera1 by default.
        threshold: Largest error of an inlier in px, 2 by default; replaces `options.threshold`.
        options, weights, qualities, device: Sampling options, importance and likelihood of each match, device: the same as in `estimate`.

    Returns:
        Estimate with `R`, `t`, E of normalised points as `model`, and the inliers. If the camera only rotated, it is not `ok`, `reason` is
        "rotation_only", R is the rotation and t is 0.

    Raises:
        ValueError: If shapes differ, or a camera, weight or option is out of range.
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
        X: Scene points in any unit, shape (N, 3).
        camera: Intrinsics in px, with or without lens distortion.
        threshold: Largest reprojection error of an inlier in px, 2 by default; replaces `options.threshold`.
        options, weights, qualities, device: Sampling options, importance and likelihood of each point, device: the same as in `estimate`.

    Returns:
        Estimate with `R`, `t` in the unit of X, and the inliers.

    Raises:
        ValueError: If shapes differ, or the camera, a weight or an option is out of range.
    """
    frame, chosen = frame_of(x, X, weights, qualities), with_threshold(options, threshold)
    return _core.estimate("absolute_pose", x, X, camera, None, weights, qualities, chosen, device_id(device), frame)


def estimate_batch(
    kind: ModelKind,
    points: ArrayLike,
    offsets: ArrayLike | None = None,
    *,
    x2: ArrayLike | None = None,
    mask: ArrayLike | None = None,
    cameras1: CameraLike | Sequence[CameraLike] | None = None,
    cameras2: CameraLike | Sequence[CameraLike] | None = None,
    threshold: float | None = None,
    options: RobustOptions | None = None,
    weights: ArrayLike | None = None,
    qualities: ArrayLike | None = None,
    device: str | None = None,
) -> BatchEstimate:
    """Estimates models of P pairs in one call.

    Each result equals the result of a single `estimate` with the same min_inlier_ratio above 0. The default 0 means 0.2 in a batch and less for a
    single pair. A dense float64 array is not copied. An array on a CUDA device (torch, CuPy) stays there, and the estimation runs there. Ctrl-C is
    handled between parts of the batch.

    Args:
        kind: Name of the model, one of `ModelKind`.
        points: Matches of all pairs in px as rows x1 y1 x2 y2 (and depth1 depth2), or rows x y X Y Z for poses from scene points.
            Without offsets a padded batch of shape (B, N, D) with B pairs, or image 1 alone, (B, N, 2), with `x2`.
        offsets: Integers, shape (P + 1,); pair k has the rows offsets[k] to offsets[k + 1] - 1.
        x2: Positions in image 2 of a padded batch, shape (B, N, 2), or scene points, shape (B, N, 3).
        mask: Valid matches of a padded batch, shape (B, N). `inliers` of the result has one flag for each valid match, in the order of `mask`:
            `flags = numpy.zeros((B, N), bool); flags[mask] = result.inliers`.
        cameras1, cameras2: One camera for all pairs or one for each pair: cameras, numbers fx fy cx cy of shape (P, 4), or matrices of shape
            (P, 3, 3). cameras2 is cameras1 by default.
        threshold: Largest error of an inlier in px, 2 by default; replaces `options.threshold`.
        options: Options of the sampling.
        weights, qualities: Importance (at least 0) and likelihood of each match, one number for each row, as in `estimate`.
        device: "cpu", "cuda:0", "opencl:0", ... or "auto"; by default the device of the points.

    Returns:
        BatchEstimate with one array for each property of an Estimate.

    Raises:
        TypeError: If `kind` takes fewer cameras, or an array on a CUDA device is not contiguous float64.
        ValueError: If shapes differ, or an option is out of range.
    """
    if offsets is None:
        points, offsets = rows_of_padded(points, x2, mask)
    elif x2 is not None or mask is not None:
        raise TypeError("estimate_batch: x2 and mask belong to padded batches, which have no offsets")
    frame, chosen = frame_of(points, weights, qualities), with_threshold(options, threshold)
    return _core.estimate_batch(kind, points, offsets, cameras1, cameras2, weights, qualities, chosen, device_id(device), frame)
