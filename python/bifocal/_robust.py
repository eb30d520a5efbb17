"""Robust estimation of homographies, fundamental and essential matrices, poses, of one pair or of many in one call.

Points are pixels, the centre of the first pixel is (0, 0). An estimator returns an `Estimate`, whatever happens: `ok` says whether there is
a model, `reason` why not. Correspondences with a NaN or an infinity are left out and listed in `not_finite`. ValueError and TypeError
name an argument that does not fit. docs/robust.md has the method and its accuracy.

Tensors of torch and arrays of CuPy may be given; the arrays of the result are such then, on the same device. On a CUDA device points are read
where they lie and searched there.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypedDict, Union, cast

from . import _core
from ._devices import device_id
from ._arrays import ArrayLike, frame_of
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
    "ProblemInfo",
    "Repetition",
    "estimate",
    "estimate_absolute_pose",
    "estimate_batch",
    "estimate_camera_pose_focal",
    "estimate_fundamental",
    "estimate_homography",
    "estimate_monodepth_shared_focal_relative_pose",
    "estimate_radial_fundamental",
    "estimate_relative_pose",
    "estimate_shared_focal_relative_pose",
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
    """What a kind of model is found from: the size of a minimal sample, how many cameras have to be known, ..."""
    return cast("ProblemInfo", _core.problem_info(kind))


def estimate_homography(
    x1: ArrayLike,
    x2: ArrayLike | None = None,
    *,
    options: RobustOptions | None = None,
    weights: ArrayLike | None = None,
    qualities: ArrayLike | None = None,
    device: str | None = None,
) -> Estimate:
    """H with x2 ~ H x1, from matches x1, x2 [N, 2] px, or x1 alone as rows x1 y1 x2 y2 [N, 4].

    weights [N], >= 0: how much a match counts. qualities [N]: the higher, the likelier right (PROSAC). device: "cpu" (the default),
    "cuda:0", "opencl:0", ...; one pair is fastest on the CPU.
    """
    return _core.estimate("homography", x1, x2, None, None, weights, qualities, options, device_id(device), frame_of(x1, x2, weights, qualities))


def estimate_fundamental(
    x1: ArrayLike,
    x2: ArrayLike | None = None,
    *,
    options: RobustOptions | None = None,
    weights: ArrayLike | None = None,
    qualities: ArrayLike | None = None,
    device: str | None = None,
) -> Estimate:
    """F with x2' F x1 = 0 in px. Arguments as of `estimate_homography`."""
    return _core.estimate("fundamental", x1, x2, None, None, weights, qualities, options, device_id(device), frame_of(x1, x2, weights, qualities))


def estimate_relative_pose(
    x1: ArrayLike,
    x2: ArrayLike,
    camera1: CameraLike,
    camera2: CameraLike | None = None,
    *,
    options: RobustOptions | None = None,
    weights: ArrayLike | None = None,
    qualities: ArrayLike | None = None,
    device: str | None = None,
) -> Estimate:
    """R and t with X2 = R X1 + t, |t| = 1, and the essential matrix (`model`), from matches in px and their cameras.

    camera2: that of the second picture, where it is another. Cameras may have a lens. Other arguments as of `estimate_homography`.
    """
    return _core.estimate("essential", x1, x2, camera1, camera2, weights, qualities, options, device_id(device), frame_of(x1, x2, weights, qualities))


def _camera_at(principal_point: ArrayLike, aspect_ratio: float) -> tuple[float, float, float, float]:
    """A camera of which no more is known."""
    from ._numbers import number, reals

    c = reals(principal_point, "principal_point").ravel().tolist()
    if len(c) != 2:
        raise ValueError(f"principal_point: {len(c)} numbers, must be cx and cy")
    return (number(aspect_ratio, "aspect_ratio"), 1.0, c[0], c[1])


def estimate_shared_focal_relative_pose(
    x1: ArrayLike,
    x2: ArrayLike,
    principal_point: ArrayLike,
    *,
    aspect_ratio: float = 1.0,
    options: RobustOptions | None = None,
    weights: ArrayLike | None = None,
    qualities: ArrayLike | None = None,
    device: str | None = None,
) -> Estimate:
    """R, t, F (`model`) and the focal length (`focal_length`, px) of two pictures of one camera that nobody knows it of.

    principal_point: cx, cy; aspect_ratio: fx / fy. `focal_deviation` is the focal length's standard deviation, large or
    infinite where two views do not tell it: parallel optical axes, axes that meet at equal distances, all matches on one plane. Other
    arguments as of `estimate_homography`.
    """
    camera = _camera_at(principal_point, aspect_ratio)
    frame = frame_of(x1, x2, weights, qualities)
    return _core.estimate("shared_focal", x1, x2, camera, None, weights, qualities, options, device_id(device), frame)


def estimate_monodepth_shared_focal_relative_pose(
    x1: ArrayLike,
    x2: ArrayLike,
    depths: ArrayLike,
    principal_point: ArrayLike,
    *,
    aspect_ratio: float = 1.0,
    options: RobustOptions | None = None,
    weights: ArrayLike | None = None,
    qualities: ArrayLike | None = None,
    device: str | None = None,
) -> Estimate:
    """`estimate_shared_focal_relative_pose` of matches whose depths a network has told from each picture alone: three matches a sample.

    depths [N, 2]: along the optical axes of picture 1 and of picture 2, in a unit of either's own, those of picture 2 with any number added.
    Samples are solved by them (RePoseD, ICCV 2025), errors and the fit are without. A match with a depth that is not finite and above 0 has no
    part in the model, but gets its inlier flag.
    """
    camera = _camera_at(principal_point, aspect_ratio)
    frame = frame_of(x1, x2, depths, weights, qualities)
    return _core.estimate("monodepth_shared_focal", x1, x2, camera, None, weights, qualities, options, device_id(device), frame, depths)


def estimate_radial_fundamental(
    x1: ArrayLike,
    x2: ArrayLike,
    centre: ArrayLike,
    *,
    unit: float | None = None,
    aspect_ratio: float = 1.0,
    options: RobustOptions | None = None,
    weights: ArrayLike | None = None,
    qualities: ArrayLike | None = None,
    device: str | None = None,
) -> Estimate:
    """F (`model`) and the distortion k (`distortion`) of two pictures by one lens that nobody calibrated.

    A point is at x / (1 + k |x|^2) without the distortion, with x = (px - centre) / unit; F is for such points, taken back to px. centre: cx, cy,
    the middle of the picture as a rule. unit: px; by default the distance of the centre from the corner (0, 0), half of the picture's
    diagonal, in which k = -0.3 is that of a wide angle. aspect_ratio: fx / fy. Inliers and errors are those of the points as they are given, distorted.
    `distortion_deviation` is infinite where k is open. Other arguments as of `estimate_homography`.
    """
    from ._numbers import number, reals

    c = reals(centre, "centre").ravel().tolist()
    if len(c) != 2:
        raise ValueError(f"centre: {len(c)} numbers, must be cx and cy")
    f = math.hypot(*c) if unit is None else number(unit, "unit")
    a = number(aspect_ratio, "aspect_ratio")
    camera = (f, f / a if a else 0.0, c[0], c[1])
    frame = frame_of(x1, x2, weights, qualities)
    return _core.estimate("radial_fundamental", x1, x2, camera, None, weights, qualities, options, device_id(device), frame)


def estimate_absolute_pose(
    x: ArrayLike,
    X: ArrayLike,
    camera: CameraLike,
    *,
    options: RobustOptions | None = None,
    weights: ArrayLike | None = None,
    qualities: ArrayLike | None = None,
    device: str | None = None,
) -> Estimate:
    """R and t of the camera from the world, from scene points X [N, 3] seen at x [N, 2] px. Other arguments as of `estimate_relative_pose`."""
    return _core.estimate("absolute_pose", x, X, camera, None, weights, qualities, options, device_id(device), frame_of(x, X, weights, qualities))


def estimate_camera_pose_focal(
    x: ArrayLike,
    X: ArrayLike,
    principal_point: ArrayLike,
    *,
    aspect_ratio: float = 1.0,
    options: RobustOptions | None = None,
    weights: ArrayLike | None = None,
    qualities: ArrayLike | None = None,
    device: str | None = None,
) -> Estimate:
    """R and t of the camera from the world and its focal length (`focal_length`, px), from scene points X [N, 3] seen at x [N, 2] px.

    principal_point: cx, cy; aspect_ratio: fx / fy. `focal_deviation` is the focal length's standard deviation, large or infinite where the
    points do not tell it: on a plane parallel to the picture. Other arguments as of `estimate_homography`.
    """
    camera = _camera_at(principal_point, aspect_ratio)
    return _core.estimate("camera_pose_focal", x, X, camera, None, weights, qualities, options, device_id(device), frame_of(x, X, weights, qualities))


def estimate(
    kind: ModelKind,
    x1: ArrayLike,
    x2: ArrayLike | None = None,
    *,
    camera1: CameraLike | None = None,
    camera2: CameraLike | None = None,
    options: RobustOptions | None = None,
    weights: ArrayLike | None = None,
    qualities: ArrayLike | None = None,
    device: str | None = None,
    depths: ArrayLike | None = None,
) -> Estimate:
    """Any kind of model. "absolute_pose" and "camera_pose_focal" take pixels x1 [N, 2] and scene points x2 [N, 3], or x1 alone as rows x y X Y Z;
    "monodepth_shared_focal" takes depths [N, 2] beside x1 and x2, or x1 alone as rows x1 y1 x2 y2 depth1 depth2.

    One dense float64 array of rows is read where it lies; two arrays, float32 and arrays with gaps are put together in C++.
    """
    frame = frame_of(x1, x2, depths, weights, qualities)
    return _core.estimate(kind, x1, x2, camera1, camera2, weights, qualities, options, device_id(device), frame, depths)


@dataclass(frozen=True)
class Repetition:
    """Result of `find_repetition`."""

    is_doubted: bool
    reason: str
    """Why, with numbers; '' without a doubt."""
    rival_inliers: int
    """Inliers of the best model of the outliers; 0 if there is none."""
    rival_ratio: float
    """Inliers of the rival by inliers of the model, both less a minimal sample."""


def find_repetition(
    found: Estimate,
    x1: ArrayLike,
    x2: ArrayLike | None = None,
    *,
    camera1: CameraLike | None = None,
    camera2: CameraLike | None = None,
    options: RobustOptions | None = None,
    weights: ArrayLike | None = None,
    qualities: ArrayLike | None = None,
    device: str | None = None,
) -> Repetition:
    """Tests an epipolar model against a model of repeated structure: windows, columns and tiles that look alike give outliers that agree.

    It is doubted if the best model of the outliers, its rival, has more than 0.3 of its inliers. `found` is what `estimate` gave for the
    other arguments, which are the same here. Costs a second estimation. Other models, and models that are not ok, are not doubted.
    ValueError for scene points and depths.

    N. Jiang, P. Tan, L.-F. Cheong, Seeing double without confusion, CVPR 2012.
    """
    return Repetition(*_core.find_repetition(found, x1, x2, camera1, camera2, weights, qualities, options, device_id(device)))


def mirror_doubt(
    found: Estimate,
    x1: ArrayLike,
    x2: ArrayLike | None = None,
    *,
    camera1: CameraLike | None = None,
    camera2: CameraLike | None = None,
    options: RobustOptions | None = None,
    weights: ArrayLike | None = None,
    qualities: ArrayLike | None = None,
    device: str | None = None,
) -> str:
    """Why one of the pictures seems to be mirrored: clearly more matches agree with a pose once x2 is mirrored. '' without a doubt.

    Arguments as of `find_repetition`. Of models with cameras; others fit mirrored matches as well. Costs a second estimation unless nearly
    all matches are inliers.
    """
    return _core.mirror_doubt(found, x1, x2, camera1, camera2, weights, qualities, options, device_id(device))


def estimate_batch(
    kind: ModelKind,
    points: ArrayLike,
    offsets: ArrayLike,
    *,
    cameras1: CameraLike | Sequence[CameraLike] | None = None,
    cameras2: CameraLike | Sequence[CameraLike] | None = None,
    options: RobustOptions | None = None,
    weights: ArrayLike | None = None,
    qualities: ArrayLike | None = None,
    device: str | None = None,
) -> BatchEstimate:
    """P pairs in one call: pair k has the rows offsets[k] to offsets[k + 1] of points, x1 y1 x2 y2 (depth1 depth2), or x y X Y Z.

    Each estimate is that of its own call with the same min_inlier_ratio above 0 (0 means less deep here than alone). A dense float64 array is not copied; nor is one
    in the memory of a CUDA device (torch, CuPy), which is also where it is worked on. cameras1, cameras2: one for all pairs or one each
    (cameras, [P, 4] numbers fx fy cx cy, or [P, 3, 3]); cameras2 as cameras1 when not given
    (TypeError where a pair takes fewer). Ctrl-C is answered between parts of the batch.
    """
    frame = frame_of(points, weights, qualities)
    return _core.estimate_batch(kind, points, offsets, cameras1, cameras2, weights, qualities, options, device_id(device), frame)
