"""OpenCV's StereoSGBM, implemented by semi-global matching of census codes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._numbers import whole
from .._options import DisparityFilter, SgmOptions
from .._stereo_matching import StereoMatcher
from .arrays import Given

STEREO_SGBM_MODE_SGBM, STEREO_SGBM_MODE_HH, STEREO_SGBM_MODE_SGBM_3WAY, STEREO_SGBM_MODE_HH4 = range(4)


def _picture(given: Any, name: str) -> NDArray[Any]:
    try:
        return np.asarray(given)
    except (ValueError, TypeError, RuntimeError):
        raise TypeError(f"{name}: {type(given).__name__}, must be a picture") from None


class StereoSGBM:
    """OpenCV's semi-global matching with Bifocal's costs: Hamming distances of census codes with penalties that fit them.

    blockSize, P1, P2 and preFilterCap are kept and not used. Modes HH4 and SGBM_3WAY use 4 paths, the other modes 8. Some values follow OpenCV's
    code instead of its documentation: disp12MaxDiff <= 0 means 1, a negative uniquenessRatio means 10, and columns whose search would leave the
    right image are unknown: the first minDisparity + numDisparities, and with a negative minDisparity the last -minDisparity. Every argument has a
    getter and a setter, such as getNumDisparities() and setNumDisparities(n).

    Args:
        minDisparity: Start of the disparity search in px.
        numDisparities: Number of searched disparities.
        disp12MaxDiff: Largest difference of the disparities of both directions in px.
        uniquenessRatio: Per cent by which a match must be better than the best match elsewhere.
        speckleWindowSize: Smaller regions of similar disparity become unknown, in px; 0 disables the filter.
        speckleRange: Largest difference of neighbouring disparities in such a region, in px.
        mode: STEREO_SGBM_MODE_*.
        blockSize, P1, P2, preFilterCap: Not used.

    Raises:
        ValueError: If mode is not 0 to 3.
    """

    def __init__(
        self,
        minDisparity: int = 0,
        numDisparities: int = 16,
        blockSize: int = 3,
        P1: int = 0,
        P2: int = 0,
        disp12MaxDiff: int = 0,
        preFilterCap: int = 0,
        uniquenessRatio: int = 0,
        speckleWindowSize: int = 0,
        speckleRange: int = 0,
        mode: int = STEREO_SGBM_MODE_SGBM,
    ) -> None:
        self._given = {
            "MinDisparity": whole(minDisparity, "minDisparity"),
            "NumDisparities": whole(numDisparities, "numDisparities"),
            "BlockSize": blockSize,
            "P1": P1,
            "P2": P2,
            "Disp12MaxDiff": whole(disp12MaxDiff, "disp12MaxDiff"),
            "PreFilterCap": preFilterCap,
            "UniquenessRatio": whole(uniquenessRatio, "uniquenessRatio"),
            "SpeckleWindowSize": whole(speckleWindowSize, "speckleWindowSize"),
            "SpeckleRange": whole(speckleRange, "speckleRange"),
            "Mode": whole(mode, "mode"),
        }
        if self._given["Mode"] not in range(4):
            raise ValueError(f"mode = {mode}, must be 0 to 3")
        self._matcher: StereoMatcher | None = None
        self._made_for: object = None

    def __repr__(self) -> str:
        numbers = ", ".join(f"{name[0].lower()}{name[1:]}={value}" for name, value in self._given.items())
        return f"StereoSGBM({numbers})"

    @staticmethod
    def create(*args: Any, **kwargs: Any) -> StereoSGBM:
        """Makes a matcher.

        Args:
            args, kwargs: Arguments of the constructor.

        Returns:
            StereoSGBM with these numbers.
        """
        return StereoSGBM(*args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        """Returns the getter or setter of an argument, such as getNumDisparities() and setNumDisparities(n)."""
        given = self.__dict__.get("_given", {})
        if name[:3] == "get" and name[3:] in given:
            return lambda: given[name[3:]]
        if name[:3] == "set" and name[3:] in given:
            return lambda value: given.__setitem__(name[3:], value)
        raise AttributeError(f"StereoSGBM has no {name}")

    def _options(self) -> SgmOptions:
        g = self._given
        check = DisparityFilter(
            cross_check=g["Disp12MaxDiff"] if g["Disp12MaxDiff"] > 0 else 1,
            uniqueness=g["UniquenessRatio"] if g["UniquenessRatio"] >= 0 else 10,
            median=3,
            speckle_size=max(0, g["SpeckleWindowSize"]),
            speckle_range=max(0, g["SpeckleRange"]),
            fill="none",
        )
        few = g["Mode"] in (STEREO_SGBM_MODE_SGBM_3WAY, STEREO_SGBM_MODE_HH4)
        return SgmOptions(min_disparity=g["MinDisparity"], disparities=g["NumDisparities"], paths=4 if few else 8, filter=check)

    def compute(self, left: Given, right: Given, disparity: NDArray[Any] | None = None) -> NDArray[np.int16]:
        """Matches a rectified pair.

        Args:
            left, right: uint8, shape (H, W), or (H, W, 3) in the order BGR.
            disparity: int16, shape (H, W), filled with the result.

        Returns:
            Disparities times 16, int16 of shape (H, W); (minDisparity - 1) * 16 if unknown.

        Raises:
            ValueError: If the shapes differ.
        """
        picture, other = _picture(left, "left"), _picture(right, "right")
        if picture.ndim not in (2, 3):
            raise ValueError(f"left: shape {picture.shape}, must be (height, width) or (height, width, channels)")
        key = picture.shape[:2], self._options()
        if self._matcher is None or self._made_for != key:
            self._matcher = StereoMatcher(picture.shape[1], picture.shape[0], key[1])
            self._made_for = key
        # OpenCV orders colours as blue, green, red.
        pair = [np.ascontiguousarray(p[:, :, ::-1]) if p.ndim == 3 and p.shape[2] == 3 else p for p in (picture, other)]
        raw = self._matcher(*pair).raw.copy()
        first = self._given["MinDisparity"]
        raw[:, : max(first + self._given["NumDisparities"], 0)] = np.nan
        raw[:, max(raw.shape[1] + min(first, 0), 0) :] = np.nan
        out = np.where(np.isnan(raw), (self._given["MinDisparity"] - 1) * 16, np.rint(np.nan_to_num(raw) * 16)).astype(np.int16)
        if disparity is not None:
            disparity[...] = out
        return out


StereoSGBM_create = StereoSGBM.create
