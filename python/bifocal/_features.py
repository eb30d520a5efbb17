"""SIFT and SURF features and their matches (docs/features.md)."""

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
    """Detects and describes RootSIFT features, or SURF features with SurfOptions.

    An image of torch or CuPy on a CUDA device is read in place; the features are returned on the host.

    Args:
        image: uint8 or uint16, shape (H, W) or (H, W, C). Colours are converted to grey; of 16 bits the upper 8 are used, rounded.
        options: SiftOptions or SurfOptions.
        mask: bool or integers, shape (H, W); features are detected where it is not 0.
        device: "cpu" (the default), "cuda:0", "opencl:0", ... or "auto"
        bgr: True if the channels have OpenCV's order blue, green, red instead of red, green, blue.

    Returns:
        Features, the strongest first.

    Raises:
        ValueError: If a shape does not fit, or an option is out of range.
        RuntimeError: If the device is missing or fails.
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
    """Matches descriptors by exact nearest neighbours and Lowe's ratio test. Every device gives the same matches.

    Descriptors of torch and CuPy on a CUDA device stay there, and the arrays of the result belong to the same library and device.

    Args:
        features1, features2: Features of `detect`, or descriptors, uint8 of shape (N, 128).
        options: Options of the ratio and mutual tests.
        distinct_places: Keeps the nearest of several matches between the same two places, which features with several orientations have, as
            `bifocal pair` does. Both arguments must be `Features`.
        device: "cpu", "cuda:0", "opencl:0", ... or "auto"; by default the device of the descriptors.

    Returns:
        Matches in the order of the features of the first image.

    Raises:
        ValueError: If a shape does not fit, or an option is out of range.
        TypeError: If descriptors are not uint8, or `distinct_places` is given with descriptors.
    """
    return _core.match(features1, features2, options, device_id(device), frame_of(features1, features2), distinct_places)


def match_guided(
    features1: Features,
    features2: Features,
    model: ArrayLike,
    options: MatchOptions | None = None,
    *,
    kind: Literal["fundamental", "homography"] = "fundamental",
    threshold: float = 4.0,
    device: str | None = None,
) -> Matches:
    """Matches features along a given model: candidates lie within `threshold` px (Sampson distance).

    Args:
        features1, features2: Features of `detect`, which have positions.
        model: F in px with x2' F x1 = 0, or H with x2 ~ H x1, shape (3, 3).
        options: Options of the ratio and mutual tests, which apply to the candidates.
        kind: Whether `model` is a fundamental matrix or a homography.
        threshold: Largest error of a candidate in px.
        device: "cpu" (the default), "cuda:0", "opencl:0", ... or "auto"

    Returns:
        Matches in the order of the features of the first image.

    Raises:
        ValueError: If the kind is unknown, the model is not finite, or an option is out of range.
        TypeError: If an argument is not `Features`.
    """
    return _core.match_guided(features1, features2, model, kind, threshold, options, device_id(device))


def match_descriptors(descriptors1: ArrayLike, descriptors2: ArrayLike, options: FloatMatchOptions | None = None, *, device: str | None = None) -> FloatMatches:
    """Matches float descriptors of other detectors (SuperPoint, ALIKED, DISK, XFeat) by exact nearest neighbours.

    By default descriptors are scaled to unit length and matches are mutual. Descriptors of torch and CuPy on a CUDA device stay there, and the arrays
    of the result belong to the same library and device.

    Args:
        descriptors1, descriptors2: Descriptors of shape (N1, D) and (N2, D).
        options: Options of the normalisation and of the tests.
        device: "cpu", "cuda:0", "opencl:0", ... or "auto"; by default the device of the descriptors.

    Returns:
        FloatMatches in the order of the first descriptors.

    Raises:
        ValueError: If the lengths of the descriptors differ, or an option is out of range.
    """
    return _core.match_descriptors(descriptors1, descriptors2, options, device_id(device), frame_of(descriptors1, descriptors2))
