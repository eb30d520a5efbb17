"""Dense matching of rectified pairs (docs/stereo.md)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Union

from . import _core
from ._devices import device_id
from ._arrays import ArrayLike, frame_of
from ._core import DisparityMap
from ._options import SgmOptions, SsdOptions

if TYPE_CHECKING:
    StereoOptions = Union[SgmOptions, SsdOptions]

__all__ = ["DisparityMap", "StereoMatcher", "disparity_doubt", "stereo"]


def stereo(left: ArrayLike, right: ArrayLike, options: StereoOptions | None = None, *, device: str | None = None) -> DisparityMap:
    """Disparities of one pair, uint8 or uint16, grey or RGB; semi-global matching unless `options` are SsdOptions.

    Grey pictures of torch or CuPy in a CUDA device's memory stay there, and so do the maps.
    """
    return _core.stereo(left, right, options if options is not None else SgmOptions(), device_id(device), frame_of(left, right))


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

    def __call__(self, left: ArrayLike, right: ArrayLike) -> DisparityMap:
        return self._matcher(left, right, frame_of(left, right))

    @property
    def memory(self) -> int:
        """Bytes of the device's memory that it takes."""
        return self._matcher.memory

    def __repr__(self) -> str:
        return repr(self._matcher)
