"""RootSIFT and SURF features and their matches (docs/features.md)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Union

from . import _core
from ._devices import device_id
from ._arrays import ArrayLike, frame_of, rgb_of
from ._core import Features, FloatMatches, Matches
from ._options import FloatMatchOptions, MatchOptions, SiftOptions, SurfOptions

if TYPE_CHECKING:
    FeaturesLike = Union[Features, ArrayLike]

__all__ = ["Features", "FloatMatches", "Matches", "detect", "match", "match_descriptors", "match_guided"]


def detect(
    image: ArrayLike,
    options: SiftOptions | SurfOptions | None = None,
    *,
    mask: ArrayLike | None = None,
    device: str | None = None,
    bgr: bool = False,
) -> Features:
    """Finds and describes RootSIFT features, or SURF features with SurfOptions.

    An array of torch or CuPy in a CUDA device's memory is read there; the features come to the host.

    Args:
        image: uint8 or uint16, shape (H, W) or (H, W, C). Colours become grey; of 16 bits the upper 8 are used, rounded.
        options: SiftOptions or SurfOptions.
        mask: uint8, shape (H, W); no features where it is 0.
        device: "cpu" (the default), "cuda:0", "opencl:0", ...
        bgr: Channels are in OpenCV's order blue, green, red instead of red, green, blue.

    Returns:
        Features, the strongest first.
    """
    return _core.detect(rgb_of(image, bgr), options, mask, device_id(device), frame_of(image))


def match(
    features1: FeaturesLike,
    features2: FeaturesLike,
    options: MatchOptions | None = None,
    *,
    distinct_places: bool = False,
    device: str | None = None,
) -> Matches:
    """Exact nearest neighbours with Lowe's ratio test. Of `detect`, or of descriptors uint8 [N, 128]. The same on every device.

    distinct_places: of the matches between the same two places, which features with several orientations have, the nearest is kept, as
    `bifocal pair` does; both arguments must be `Features`.
    Descriptors of torch and CuPy in a CUDA device's memory stay there; the result's arrays are then such, too.
    """
    return _core.match(features1, features2, options, device_id(device), frame_of(features1, features2), distinct_places)


def match_guided(
    features1: Features,
    features2: Features,
    model: ArrayLike,
    options: MatchOptions | None = None,
    *,
    kind: Literal["fundamental", "homography"] = "fundamental",
    max_error: float = 4.0,
    device: str | None = None,
) -> Matches:
    """Matches as `match` does candidates within `max_error` px (Sampson distance) of a model that is known: F, or H from picture 1 to 2."""
    return _core.match_guided(features1, features2, model, kind, max_error, options, device_id(device))


def match_descriptors(descriptors1: ArrayLike, descriptors2: ArrayLike, options: FloatMatchOptions | None = None, *, device: str | None = None) -> FloatMatches:
    """Nearest neighbours of float descriptors [N, D] of other tools: SuperPoint, ALIKED, DISK, XFeat. By default of unit length and mutual.

    Those of torch and CuPy in a CUDA device's memory stay there; the result's arrays are then such, too.
    """
    return _core.match_descriptors(descriptors1, descriptors2, options, device_id(device), frame_of(descriptors1, descriptors2))
