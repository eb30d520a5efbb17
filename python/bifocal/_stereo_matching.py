"""Dense matching of rectified pairs, depth maps and point clouds (docs/stereo.md)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypedDict, Union

from . import _core
from ._devices import device_id
from ._arrays import ArrayLike, frame_of, rgb_of
from ._core import DisparityMap, Rectification
from ._numbers import floats_of, host_array, whole_from
from ._options import SgmOptions, SsdOptions

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    from ._robust import CameraLike

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
    "disparity_range",
    "score_disparity",
    "stereo",
    "vertical_disparity",
]


class DenseMatches(NamedTuple):
    """Position in the right photograph of each pixel of the left photograph, float32 of shape (H, W) each.

    Attributes:
        x, y: Position in px; NaN if unknown.
        dx, dy: Shift of the position in px if the disparity grows by 1 px.
        is_swapped: True if the left photograph is photograph 2, as in the rectification.
    """

    x: NDArray[numpy.float32]
    y: NDArray[numpy.float32]
    dx: NDArray[numpy.float32]
    dy: NDArray[numpy.float32]
    is_swapped: bool = False


class DepthMap(NamedTuple):
    """Depth of each pixel of a photograph, float32 of shape (H, W).

    Attributes:
        depth: Z in the frame of the photograph's camera, in the unit of t; NaN if unknown.
        deviation: Standard deviation of the depth to first order, in the same unit.
    """

    depth: NDArray[numpy.float32]
    deviation: NDArray[numpy.float32]


class PointCloud(NamedTuple):
    """Points with colours.

    Attributes:
        xyz: Positions, float32 of shape (N, 3).
        rgb: Colours, uint8 of shape (N, 3).
    """

    xyz: NDArray[numpy.float32]
    rgb: NDArray[numpy.uint8]


class DisparityScore(TypedDict):
    """Errors of a disparity map against the truth; a figure is NaN if no pixel counts.

    Attributes:
        density: Percentage of known pixels.
        bad1, bad2: Percentage of known pixels with an error above 1 px and above 2 px.
        avgerr: Mean error of the known pixels, in px.
        bad1_filled, bad2_filled: Percentage of all pixels of the filled map that have an error above 1 px and above 2 px, or no value.
        avgerr_filled: Mean error of the filled map, in px.
        scored: Number of pixels with a true disparity that count.
    """

    density: float
    bad1: float
    bad2: float
    avgerr: float
    bad1_filled: float
    bad2_filled: float
    avgerr_filled: float
    scored: int


def dense_matches(rectification: Rectification, disparity: ArrayLike | DisparityMap) -> DenseMatches:
    """Converts disparities of the rectified left image to matches between pixels of the photographs.

    Args:
        rectification: Planar or polar. Its left photograph is photograph 2 if `is_swapped`.
        disparity: Disparities of the rectified left image in px, shape (H, W), NaN if unknown, or a DisparityMap, whose `raw` is used.

    Returns:
        DenseMatches with the position in the right photograph for each pixel of the left photograph.

    Raises:
        ValueError: If the sizes differ.
    """
    values = disparity.raw if isinstance(disparity, DisparityMap) else disparity
    x, y, dx, dy = _core.dense_matches(rectification, floats_of(values, "disparity"))
    return DenseMatches(x, y, dx, dy, rectification.is_swapped)


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
    """Computes the depth of each matched pixel of the left photograph from the pose of the cameras.

    Args:
        matches: Result of `dense_matches`. If it `is_swapped`, the depth is that of photograph 2, in the frame of camera 2.
        camera1, camera2: Pinhole cameras of photographs 1 and 2.
        R, t: Relative pose X2 = R X1 + t; the depth has the unit of t.
        disparity_deviation: Standard deviation of a disparity in px.
        pose_covariance: Covariance of rotation and translation, shape (6, 6) (`relative_pose_covariance`); None means an exact pose.
        max_deviation: Largest deviation as a fraction of the depth; depths with a larger one are unknown.

    Returns:
        DepthMap with depth and its standard deviation.

    Raises:
        ValueError: If a camera is invalid or has a lens, t is zero, or an option is out of range.
    """
    arrays = tuple(floats_of(values, "matches") for values in matches[:4])
    return DepthMap(*_core.depth_map(arrays, matches.is_swapped, (camera1, camera2), R, t, disparity_deviation, pose_covariance, max_deviation))


def depth_to_cloud(depth: ArrayLike, colour: ArrayLike, camera: CameraLike, *, step: int = 1) -> PointCloud:
    """Converts a depth map to points in the frame of the camera.

    Args:
        depth: Depths, shape (H, W), NaN if unknown.
        colour: The photograph, uint8 of shape (H, W) or (H, W, 3).
        camera: Pinhole camera of the photograph.
        step: Takes every step-th pixel across and down.

    Returns:
        PointCloud in the unit of the depths.

    Raises:
        ValueError: If the sizes differ, `step` is below 1, or the camera has a lens.
    """
    return PointCloud(*_core.depth_to_cloud(floats_of(depth, "depth"), colour, camera, step))


def disparity_range(rectification: Rectification, x1: ArrayLike, x2: ArrayLike) -> tuple[int, int]:
    """Computes the range of the disparity search from matches of the photographs that obey their geometry.

    The range is wider than the range of the matches by a fifth and at least 8 px at both ends.

    Args:
        rectification: Rectification of the photographs.
        x1, x2: Inlier matches in px of the photographs, shape (N, 2).

    Returns:
        (min_disparity, disparities) for SgmOptions or SsdOptions, in px; disparities = 0 without matches.
    """
    return _core.disparity_range(rectification, x1, x2)


def vertical_disparity(rectification: Rectification, x1: ArrayLike, x2: ArrayLike) -> tuple[float, float, int]:
    """Measures the row differences of matches after rectification, 0 for a perfect rectification.

    Args:
        rectification: Rectification of the photographs.
        x1, x2: Inlier matches in px of the photographs, shape (N, 2).

    Returns:
        Median and 95th percentile of the absolute row difference in px, and the number of matches that were counted.
    """
    return _core.vertical_disparity(rectification, x1, x2)


def score_disparity(disparity: DisparityMap, truth: ArrayLike, mask: ArrayLike | None = None) -> DisparityScore:
    """Compares a disparity map with the truth.

    Args:
        disparity: Result of `stereo`.
        truth: True disparities in px, shape (H, W), NaN if unknown.
        mask: uint8 of shape (H, W), of which only pixels of value 255 count, or bool.

    Returns:
        Dictionary with the keys of `DisparityScore`: percentages of known and of wrong pixels, and the mean error in px.

    Raises:
        ValueError: If the sizes differ.
    """
    chosen = None if mask is None else host_array(mask, "mask")
    if chosen is not None and chosen.dtype.kind == "b":
        chosen = chosen.astype("uint8") * 255
    maps = floats_of(disparity.raw, "disparity"), floats_of(disparity.filled, "disparity"), floats_of(truth, "truth")
    score: DisparityScore = _core.score_disparity(*maps, chosen)
    return score


def stereo(left: ArrayLike, right: ArrayLike, options: StereoOptions | None = None, *, device: str | None = None, bgr: bool = False) -> DisparityMap:
    """Matches a rectified pair densely.

    Grey images of torch or CuPy on a CUDA device stay there, and so do the maps of the result.

    Args:
        left, right: uint8 or uint16, shape (H, W) or (H, W, 3).
        options: SgmOptions (semi-global matching, the default) or SsdOptions (block matching, uint8 only).
        device: "cpu" (the default), "cuda:0", "opencl:0", ... or "auto"
        bgr: True if the channels have OpenCV's order blue, green, red instead of red, green, blue.

    Returns:
        DisparityMap in px; x_right = x_left - disparity.

    Raises:
        ValueError: If the shapes differ, or an option is out of range.
        RuntimeError: If the device is missing or fails.
    """
    images = rgb_of(left, bgr), rgb_of(right, bgr)
    return _core.stereo(*images, options if options is not None else SgmOptions(), device_id(device), frame_of(left, right))


def disparity_doubt(
    disparity: DisparityMap, options: StereoOptions | None = None, left: ArrayLike | None = None, right: ArrayLike | None = None, *, device: str = "cpu"
) -> str:
    """Tests whether the disparities of a pair are plausible.

    A doubt is raised if less than a tenth of the pixels is known, or most known pixels are at an end of the search range. With the images, their
    features are matched, and a doubt is raised if at least a tenth of the matches have disparities outside of the search.

    Args:
        disparity: Result of `stereo` on the host.
        options: Options that it was computed with; by default SgmOptions().
        left, right: The images, uint8, shape (H, W) or (H, W, 3); both or none.
        device: Device of the matching: "cpu" (the default), "cuda:0", "opencl:0", ... or "auto"

    Returns:
        Reason for the doubt in words; '' without a doubt.

    Raises:
        ValueError: If one image is missing, or the shapes differ.
    """
    used = options if options is not None else SgmOptions()
    if (left is None) != (right is None):
        raise ValueError("left, right: both images are needed, or none")
    if left is not None:
        doubt = _core.search_doubt(left, right, used.min_disparity, used.disparities, device)
        if doubt:
            return doubt
    return _core.disparity_doubt(disparity, used.min_disparity, used.disparities)


class StereoMatcher:
    """Dense matcher for many rectified pairs of one size, which takes its memory once.

    Calls from several threads run one after another; for more than one pair at a time make more matchers.

    Args:
        width, height: Size of the images in px.
        options: SgmOptions (semi-global matching, the default) or SsdOptions (block matching, uint8 only).
        device: "cpu" (the default), "cuda:0", "opencl:0", ... or "auto"
        bits: 8 for uint8 images, 16 for uint16 images.

    Raises:
        ValueError: If a size or an option is out of range.
        RuntimeError: If the device is missing or has too little memory.
    """

    __slots__ = ("_matcher",)

    def __init__(
        self, width: int, height: int, options: StereoOptions | None = None, *, device: str | None = None, bits: int = 8
    ) -> None:
        """Takes the memory of the matcher.

        Args:
            width, height: Size of the images in px.
            options: SgmOptions (the default) or SsdOptions.
            device: "cpu" (the default), "cuda:0", "opencl:0", ... or "auto"
            bits: 8 for uint8 images, 16 for uint16 images.
        """
        size = whole_from(width, "width", 1), whole_from(height, "height", 1)
        self._matcher = _core.StereoMatcher(*size, options if options is not None else SgmOptions(), device_id(device) or "cpu", bits)

    def __call__(self, left: ArrayLike, right: ArrayLike, *, bgr: bool = False) -> DisparityMap:
        """Matches a rectified pair densely.

        Args:
            left, right: Images of the size and type of the matcher, shape (H, W) or (H, W, 3).
            bgr: True if the channels have OpenCV's order blue, green, red instead of red, green, blue.

        Returns:
            DisparityMap in px; x_right = x_left - disparity.

        Raises:
            ValueError: If the shape or type of an image differs from the matcher's.
        """
        return self._matcher(rgb_of(left, bgr), rgb_of(right, bgr), frame_of(left, right))

    @property
    def memory(self) -> int:
        """Device memory of the matcher in bytes."""
        return self._matcher.memory

    def __repr__(self) -> str:
        return repr(self._matcher)
