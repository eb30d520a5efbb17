"""Video matching: frames on one device, each matched with its predecessors, and the verified geometry of these pairs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from . import _core
from ._devices import device_id
from ._arrays import ArrayLike, frame_of, rgb_of
from ._core import VideoFrame
from ._numbers import whole_from
from ._options import MatchOptions, RobustOptions, SiftOptions, SurfOptions
from ._estimator_arguments import with_threshold

if TYPE_CHECKING:
    from ._robust import CameraLike, ModelKind

__all__ = ["VideoFrame", "VideoMatcher", "match_video"]


class VideoMatcher:
    """Matches frames of one size. While features of a frame are detected, the previous frame is matched with its `partners` predecessors.

    Memory does not grow with the number of frames. Results equal `detect`, `match` and `estimate_batch` for each pair. Calls from several threads
    run one after another.

    Args:
        width, height: Size of the frames in px.
        options: SiftOptions (by default with at most 8192 features) or SurfOptions.
        kind: Name of the model, one of `ModelKind` for two views.
        camera: Pinhole camera of all frames, for kinds that take cameras.
        matching: Options of matching.
        threshold: Largest error of an inlier in px; replaces the threshold of `robust`.
        robust: Options of the robust estimation.
        min_matches: Pairs with fewer matches have the reason 'too_few_points'.
        partners: Number of preceding frames that each frame is matched with, 1 to 256.
        device: "cpu" (the default), "cuda:0", "opencl:0", ... or "auto"

    Raises:
        ValueError: If an option is out of range, or the camera has a lens.
        RuntimeError: If the device is missing or has too little memory.
    """

    __slots__ = ("_matcher",)

    def __init__(
        self,
        width: int,
        height: int,
        options: SiftOptions | SurfOptions | None = None,
        *,
        kind: ModelKind = "fundamental",
        camera: CameraLike | None = None,
        matching: MatchOptions | None = None,
        threshold: float | None = None,
        robust: RobustOptions | None = None,
        min_matches: int = 15,
        partners: int = 1,
        device: str | None = "cpu",
    ) -> None:
        policy = _core.FramePolicy(kind, camera, matching, with_threshold(robust, threshold, "robust"), min_matches, partners)
        size = whole_from(width, "width", 1), whole_from(height, "height", 1)
        self._matcher = _core.VideoMatcher(*size, options, policy, device_id(device) or "cpu")

    def __repr__(self) -> str:
        return repr(self._matcher)

    @property
    def memory(self) -> int:
        """Device memory of the matcher in bytes."""
        return self._matcher.memory

    def add(self, frame: ArrayLike, *, bgr: bool = False) -> VideoFrame | None:
        """Adds a frame and returns the result of the previous frame.

        A frame of torch or CuPy in the memory of the matcher's CUDA device is read there.

        Args:
            frame: uint8 or uint16, shape (H, W) or (H, W, C).
            bgr: True if the channels have OpenCV's order blue, green, red instead of red, green, blue.

        Returns:
            VideoFrame of the previous frame; None for the first frame.

        Raises:
            ValueError: If the frame has another size than the matcher.
        """
        return self._matcher.add(rgb_of(frame, bgr), frame_of(frame))

    def finish(self) -> VideoFrame | None:
        """Returns the result of the last frame, None without a frame. The next frame starts a new video."""
        return self._matcher.finish()


def match_video(
    frames: Iterable[ArrayLike],
    options: SiftOptions | SurfOptions | None = None,
    *,
    kind: ModelKind = "fundamental",
    camera: CameraLike | None = None,
    matching: MatchOptions | None = None,
    threshold: float | None = None,
    robust: RobustOptions | None = None,
    min_matches: int = 15,
    partners: int = 1,
    device: str | None = "cpu",
    bgr: bool = False,
) -> Iterator[VideoFrame]:
    """Matches each frame of a video with its predecessors and yields the result of each frame, one frame later.

    Args:
        frames: Images of one size, uint8 or uint16, shape (H, W) or (H, W, C).
        options: SiftOptions (by default with at most 8192 features) or SurfOptions.
        kind: Name of the model, one of `ModelKind` for two views.
        camera: Pinhole camera of all frames, for kinds that take cameras.
        matching: Options of matching.
        threshold: Largest error of an inlier in px; replaces the threshold of `robust`.
        robust: Options of the robust estimation.
        min_matches: Pairs with fewer matches have the reason 'too_few_points'.
        partners: Number of preceding frames that each frame is matched with, 1 to 256.
        device: "cpu" (the default), "cuda:0", "opencl:0", ... or "auto"
        bgr: True if the channels have OpenCV's order blue, green, red instead of red, green, blue.

    Yields:
        VideoFrame for each frame, in the order of the frames.

    Raises:
        ValueError: If the frames differ in size, an option is out of range, or the camera has a lens.
    """
    matcher: VideoMatcher | None = None
    for frame in frames:
        if matcher is None:
            height, width = _shape_of(frame)
            matcher = VideoMatcher(
                width,
                height,
                options,
                kind=kind,
                camera=camera,
                matching=matching,
                threshold=threshold,
                robust=robust,
                min_matches=min_matches,
                partners=partners,
                device=device,
            )
        before = matcher.add(frame, bgr=bgr)
        if before is not None:
            yield before
    last = matcher.finish() if matcher is not None else None
    if last is not None:
        yield last


def _shape_of(frame: ArrayLike) -> tuple[int, int]:
    """Returns (height, width) of the first frame."""
    shape = getattr(frame, "shape", None)
    if shape is None or len(shape) < 2:
        raise ValueError(f"frames: the first is {type(frame).__name__} of shape {shape}, must be (height, width) or (height, width, 1 to 4)")
    return int(shape[0]), int(shape[1])
