"""Dense matching of rectified pairs, depth and point clouds (docs/stereo.md)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypedDict, Union

from . import _core
from ._devices import device_id
from ._arrays import ArrayLike, frame_of, rgb_of
from ._core import DisparityMap, Rectification
from ._options import SgmOptions, SsdOptions

if TYPE_CHECKING:
    import os

    import numpy
    from numpy.typing import NDArray

    from ._robust import CameraLike

    Path = Union[str, bytes, os.PathLike[str], os.PathLike[bytes]]
    StereoOptions = Union[SgmOptions, SsdOptions]

__all__ = [
    "DenseMatches",
    "DepthMap",
    "DisparityMap",
    "PointCloud",
    "StereoMatcher",
    "dense_matches",
    "depth_map",
    "depth_to_cloud",
    "disparity_doubt",
    "disparity_range",
    "read_disparity",
    "read_pfm",
    "score_disparity",
    "stereo",
    "turbo_picture",
    "vertical_disparity",
    "write_pfm",
    "write_ply",
]


class DenseMatches(NamedTuple):
    """For each pixel of the left photograph its place in the right one, float32 [H, W] each."""

    x: NDArray[numpy.float32]
    """px, NaN if unknown, as `y`."""
    y: NDArray[numpy.float32]
    dx: NDArray[numpy.float32]
    """px by which (x, y) moves if the disparity grows by 1 px, as `dy`."""
    dy: NDArray[numpy.float32]


class DepthMap(NamedTuple):
    """Depth of each pixel of a photograph, float32 [H, W]."""

    depth: NDArray[numpy.float32]
    """Z in the frame of camera 1, in the unit of t; NaN if unknown."""
    deviation: NDArray[numpy.float32]
    """Standard deviation of the depth, to first order, in the same unit."""


class PointCloud(NamedTuple):
    """Points with colours."""

    xyz: NDArray[numpy.float32]
    """Shape (N, 3)."""
    rgb: NDArray[numpy.uint8]
    """Shape (N, 3)."""


class DisparityScore(TypedDict):
    """Errors of a disparity map against the truth; a figure is NaN if there is nothing to count."""

    density: float
    bad1: float
    bad2: float
    avgerr: float
    bad1_filled: float
    bad2_filled: float
    avgerr_filled: float
    scored: int


def _floats(values: ArrayLike, name: str) -> Any:
    """Returns float32 [H, W] without gaps."""
    import numpy as np

    given = np.asarray(values)
    if given.ndim != 2 or given.dtype.kind not in "fiu":
        raise ValueError(f"{name}: {given.dtype} of shape {given.shape}, must be numbers of shape (H, W)")
    return np.ascontiguousarray(given, np.float32)


def dense_matches(rectification: Rectification, disparity: ArrayLike | DisparityMap) -> DenseMatches:
    """Converts disparities of the rectified left image to matches between pixels of the photographs.

    Args:
        rectification: Planar or polar. Its left photograph is photograph 2 if `is_swapped`.
        disparity: Shape (H, W) of the rectified images, px, NaN if unknown; of a DisparityMap `raw` is taken.

    Raises:
        ValueError: If the sizes differ.
    """
    values = disparity.raw if isinstance(disparity, DisparityMap) else disparity
    return DenseMatches(*_core.dense_matches(rectification, _floats(values, "disparity")))


def depth_map(
    matches: DenseMatches,
    camera1: CameraLike,
    camera2: CameraLike,
    R: ArrayLike,
    t: ArrayLike,
    *,
    disparity_deviation: float = 0.5,
    pose_covariance: ArrayLike | None = None,
    max_deviation: float = 0.25,
) -> DepthMap:
    """Computes the depth of each matched pixel from the pose of the cameras.

    Args:
        matches: Of `dense_matches`.
        camera1, camera2: Pinholes of the photographs.
        R, t: X2 = R X1 + t; depth has the unit of t.
        disparity_deviation: Standard deviation of a disparity, px.
        pose_covariance: Shape (6, 6), of rotation and translation (`relative_pose_covariance`); None: the pose is exact.
        max_deviation: Depths with a larger deviation, as a fraction of the depth, are unknown.

    Raises:
        ValueError: If a camera is invalid or has a lens, t is zero, or an option is out of its range.
    """
    arrays = tuple(_floats(values, "matches") for values in matches)
    return DepthMap(*_core.depth_map(arrays, (camera1, camera2), R, t, disparity_deviation, pose_covariance, max_deviation))


def depth_to_cloud(depth: ArrayLike, colour: ArrayLike, camera: CameraLike, *, step: int = 1) -> PointCloud:
    """Converts a depth map to points in the frame of the camera.

    Args:
        depth: Shape (H, W), NaN if unknown.
        colour: The photograph, uint8 (H, W) or (H, W, 3).
        camera: Pinhole of the photograph.
        step: Only every step-th pixel across and down is taken.
    """
    return PointCloud(*_core.depth_to_cloud(_floats(depth, "depth"), colour, camera, step))


def disparity_range(rectification: Rectification, x1: ArrayLike, x2: ArrayLike) -> tuple[int, int]:
    """Returns (min_disparity, disparities) for SgmOptions, from matches of the photographs that obey their geometry.

    The range is wider than that of the matches by a fifth and at least 8 px at both ends. disparities = 0 without matches.
    """
    return _core.disparity_range(rectification, x1, x2)


def vertical_disparity(rectification: Rectification, x1: ArrayLike, x2: ArrayLike) -> tuple[float, float, int]:
    """Returns median and 95th percentile of the row differences of matches after rectification, px, and the number of matches counted."""
    return _core.vertical_disparity(rectification, x1, x2)


def score_disparity(disparity: DisparityMap, truth: ArrayLike, mask: ArrayLike | None = None) -> DisparityScore:
    """Compares a disparity map with the truth, NaN if unknown.

    Args:
        mask: uint8 (H, W): only pixels of value 255 count.

    Returns:
        Percentage of known pixels, of errors above 1 and 2 px, and the mean error in px, over known pixels and (`_filled`) over all, where a
        pixel without a value counts as bad.
    """
    score: DisparityScore = _core.score_disparity(_floats(disparity.raw, "disparity"), _floats(disparity.filled, "disparity"), _floats(truth, "truth"), mask)
    return score


def turbo_picture(values: ArrayLike, lo: float, hi: float) -> NDArray[numpy.uint8]:
    """Draws a disparity or depth map in colours over [lo, hi], with a legend; unknown pixels (NaN) are black."""
    return _core.turbo_picture(_floats(values, "values"), lo, hi)


def read_pfm(file: Path) -> NDArray[numpy.float32]:
    """Reads a portable float map of one channel, top row first."""
    return _core.read_pfm(file)


def write_pfm(file: Path, image: ArrayLike) -> None:
    """Writes a portable float map of one channel, shape (H, W)."""
    _core.write_pfm(file, _floats(image, "image"))


def read_disparity(file: Path, scale: float = 1.0) -> NDArray[numpy.float32]:
    """Reads a PFM, or a picture whose values are divided by `scale` (KITTI: 256); unknown disparities are NaN."""
    return _core.read_disparity(file, scale)


def write_ply(file: Path, cloud: PointCloud | tuple[ArrayLike, ArrayLike]) -> None:
    """Writes points and colours as binary PLY (float x y z, uchar red green blue)."""
    import numpy as np

    xyz, rgb = cloud
    _core.write_ply(file, np.ascontiguousarray(xyz, np.float32), np.ascontiguousarray(rgb, np.uint8))


def stereo(left: ArrayLike, right: ArrayLike, options: StereoOptions | None = None, *, device: str | None = None, bgr: bool = False) -> DisparityMap:
    """Matches a rectified pair densely. Grey images of torch or CuPy in a CUDA device's memory stay there, and so do the maps.

    Args:
        left, right: uint8 or uint16, shape (H, W) or (H, W, 3).
        options: SgmOptions (semi-global matching, the default) or SsdOptions (block matching).
        device: "cpu" (the default), "cuda:0", "opencl:0", ...
        bgr: Channels are in OpenCV's order blue, green, red instead of red, green, blue.

    Returns:
        A DisparityMap, in px; x_right = x_left - disparity.
    """
    images = rgb_of(left, bgr), rgb_of(right, bgr)
    return _core.stereo(*images, options if options is not None else SgmOptions(), device_id(device), frame_of(left, right))


def disparity_doubt(disparity: DisparityMap, options: StereoOptions | None = None) -> str:
    """A reason to doubt the disparities that were found with these options, in words; '' without one.

    Less than a tenth of the pixels is known, or most of these are at an end of the search.
    """
    used = options if options is not None else SgmOptions()
    return _core.disparity_doubt(disparity, used.min_disparity, used.disparities)


class StereoMatcher:
    """`stereo` of pairs of one size, one after the other: memory is taken once.

    Calls of several threads come one after the other; for more than one pair at a time make more matchers.
    """

    __slots__ = ("_matcher",)

    def __init__(
        self, width: int, height: int, options: StereoOptions | None = None, *, device: str | None = None, bits: int = 8
    ) -> None:
        self._matcher = _core.StereoMatcher(width, height, options if options is not None else SgmOptions(), device_id(device) or "cpu", bits)

    def __call__(self, left: ArrayLike, right: ArrayLike, *, bgr: bool = False) -> DisparityMap:
        """Matches a pair. Arguments and result are those of `stereo`."""
        return self._matcher(rgb_of(left, bgr), rgb_of(right, bgr), frame_of(left, right))

    @property
    def memory(self) -> int:
        """Bytes of the device's memory that it takes."""
        return self._matcher.memory

    def __repr__(self) -> str:
        return repr(self._matcher)
