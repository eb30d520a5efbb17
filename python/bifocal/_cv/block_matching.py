"""OpenCV's StereoBM, implemented by block matching with sums of squared differences."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._numbers import whole
from .._options import DisparityFilter, SsdOptions
from .._stereo_matching import StereoMatcher
from .arrays import Given

STEREO_BM_PREFILTER_NORMALIZED_RESPONSE, STEREO_BM_PREFILTER_XSOBEL = 0, 1
_NUMBERS = {
    "MinDisparity": 0,
    "NumDisparities": 64,
    "BlockSize": 21,
    "SpeckleWindowSize": 0,
    "SpeckleRange": 0,
    "Disp12MaxDiff": -1,
    "PreFilterType": STEREO_BM_PREFILTER_XSOBEL,
    "PreFilterSize": 9,
    "PreFilterCap": 31,
    "TextureThreshold": 10,
    "UniquenessRatio": 15,
    "SmallerBlockSize": 0,
}


class StereoBM:
    """OpenCV's block matching with Bifocal's costs: sums of squared differences instead of absolute differences of filtered images.

    The filters before matching, the threshold for texture and SmallerBlockSize are kept and not used. A uniquenessRatio above 0 means that both
    directions have to agree within 1 px, unless disp12MaxDiff sets another difference. Pixels whose block or search would leave an image are unknown,
    as in OpenCV. Every number has a getter and a setter, such as getNumDisparities() and setNumDisparities(n). `bifocal.stereo` is more accurate by
    default (semi-global matching of census codes) and returns float disparities.

    Args:
        numDisparities: Number of searched disparities, a multiple of 16; 0 means 64.
        blockSize: Side of the block in px, odd, 3 to 31.

    Raises:
        ValueError: If a number is out of range.
    """

    def __init__(self, numDisparities: int = 0, blockSize: int = 21) -> None:
        self._given = dict(_NUMBERS)
        self._set("NumDisparities", numDisparities if numDisparities else 64)
        self._set("BlockSize", blockSize)
        self._matcher: StereoMatcher | None = None
        self._made_for: object = None

    def __repr__(self) -> str:
        return f"StereoBM(numDisparities={self._given['NumDisparities']}, blockSize={self._given['BlockSize']})"

    @staticmethod
    def create(numDisparities: int = 0, blockSize: int = 21) -> StereoBM:
        """Makes a matcher, as the constructor does.

        Args:
            numDisparities: Number of searched disparities, a multiple of 16; 0 means 64.
            blockSize: Side of the block in px, odd, 3 to 31.

        Returns:
            StereoBM with these numbers.
        """
        return StereoBM(numDisparities, blockSize)

    def _set(self, name: str, value: Any) -> None:
        number, argument = whole(value, name[0].lower() + name[1:]), name[0].lower() + name[1:]
        if name == "BlockSize" and not (3 <= number <= 31 and number % 2):
            raise ValueError(f"{argument} = {value}, must be odd, 3 to 31")
        if name == "NumDisparities" and not (16 <= number <= 1024 and number % 16 == 0):
            raise ValueError(f"{argument} = {value}, must be a multiple of 16, 16 to 1024")
        self._given[name] = number

    def __getattr__(self, name: str) -> Any:
        """Returns the getter or setter of a number, such as getNumDisparities() and setNumDisparities(n)."""
        given = self.__dict__.get("_given", {})
        if name[:3] == "get" and name[3:] in given:
            return lambda: given[name[3:]]
        if name[:3] == "set" and name[3:] in given:
            return lambda value: self._set(name[3:], value)
        raise AttributeError(f"StereoBM has no {name}")

    def _options(self) -> SsdOptions:
        g = self._given
        check = DisparityFilter(
            cross_check=float(g["Disp12MaxDiff"] if g["Disp12MaxDiff"] >= 0 or g["UniquenessRatio"] <= 0 else 1),
            median=0,
            speckle_size=max(0, g["SpeckleWindowSize"]),
            speckle_range=float(max(0, g["SpeckleRange"])),
            fill="none",
        )
        return SsdOptions(min_disparity=g["MinDisparity"], disparities=g["NumDisparities"], window=g["BlockSize"], filter=check)

    def _forget(self, raw: NDArray[Any]) -> None:
        """Marks pixels as unknown whose block or search would leave an image."""
        half = self._given["BlockSize"] // 2
        reach = self._given["NumDisparities"] - 1 + self._given["MinDisparity"]
        for part in (raw[:half], raw[raw.shape[0] - half :], raw[:, : half + max(reach, 0)], raw[:, raw.shape[1] - half + min(reach, 0) :]):
            part[...] = np.nan

    def compute(self, left: Given, right: Given, disparity: NDArray[Any] | None = None) -> NDArray[np.int16]:
        """Matches a rectified pair.

        Args:
            left, right: uint8, shape (H, W).
            disparity: int16, shape (H, W), filled with the result.

        Returns:
            Disparities times 16, int16 of shape (H, W); (minDisparity - 1) * 16 if unknown.

        Raises:
            TypeError: If the images are not uint8 of one shape.
        """
        pair = [np.asarray(image) for image in (left, right)]
        if any(image.ndim != 2 or image.dtype != np.uint8 for image in pair) or pair[0].shape != pair[1].shape:
            kinds = " and ".join(f"{image.dtype} of shape {image.shape}" for image in pair)
            raise TypeError(f"left, right: {kinds}, must be uint8 of one shape (H, W)")
        key = pair[0].shape, self._options()
        if self._matcher is None or self._made_for != key:
            self._matcher = StereoMatcher(pair[0].shape[1], pair[0].shape[0], key[1])
            self._made_for = key
        raw = self._matcher(*(np.ascontiguousarray(image) for image in pair)).raw.copy()
        self._forget(raw)
        out = np.where(np.isnan(raw), (self._given["MinDisparity"] - 1) * 16, np.rint(np.nan_to_num(raw) * 16)).astype(np.int16)
        if disparity is not None:
            disparity[...] = out
        return out


StereoBM_create = StereoBM.create
