"""RootSIFT features and their matches (docs/features.md)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Union

from . import _core
from ._arrays import ArrayLike
from ._core import Features, Matches
from .options import MatchOptions, SiftOptions

if TYPE_CHECKING:
    FeaturesLike = Union[Features, ArrayLike]

__all__ = ["Features", "Matches", "detect", "match"]


def detect(image: ArrayLike, options: SiftOptions | None = None, *, device: str | None = None) -> Features:
    """Features of a picture, uint8 [H, W] or [H, W, C] (RGB becomes grey)."""
    return _core.detect(image, options, device)


def match(features1: FeaturesLike, features2: FeaturesLike, options: MatchOptions | None = None, *, device: str | None = None) -> Matches:
    """Exact nearest neighbours with Lowe's ratio test. Of `detect`, or of descriptors uint8 [N, 128]. The same on every device."""
    return _core.match(features1, features2, options, device)
