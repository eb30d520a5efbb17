"""Many images at once: their features on one device, matches of their pairs, and the geometry that proves them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from . import _core
from ._devices import device_id
from ._arrays import ArrayLike, frame_of
from ._core import Features, VerifiedPairs
from ._options import MatchOptions, RobustOptions, SiftOptions, SurfOptions

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    from ._robust import CameraLike, ModelKind

__all__ = ["Collection", "VerifiedPairs"]


class Collection:
    """Features of many images in the memory of one device ("cpu", "cuda:0", "opencl:0").

    Calls of several threads come one after the other.
    """

    __slots__ = ("_collection",)

    def __init__(self, device: str | None = "cpu") -> None:
        self._collection = _core.Collection(device_id(device) or "cpu")

    def __len__(self) -> int:
        return len(self._collection)

    def __repr__(self) -> str:
        return repr(self._collection)

    def add(self, features: Features) -> int:
        """Adds the features of one image; returns its number."""
        return self._collection.add(features)

    def detect(self, images: Iterable[ArrayLike], options: SiftOptions | SurfOptions | None = None, *, batch: int = 8) -> range:
        """Finds the features of images, uint8 or uint16 [H, W] or [H, W, C]; those of one size, one after another, `batch` at a time.

        RootSIFT, or SURF with SurfOptions. Returns their numbers. Room is taken for max_features of each, 148 bytes a feature. Of torch and CuPy also images in the memory
        of the collection's CUDA device, as a sequence or as one array [B, H, W] or [B, H, W, C], which are read there. (A picture that has more extrema than
        one in 12 px, which no photograph has, gets no features then.)
        """
        pictures = list(images)
        first = self._collection.detect(pictures, options, batch, frame_of(*pictures))
        return range(first, len(self._collection))

    def features(self, image: int) -> Features:
        """Brings the features of an image from the device."""
        return self._collection.get(image)

    def counts(self) -> NDArray[numpy.int32]:
        """Tells how many features each image has."""
        return self._collection.counts()

    def screen(
        self, pairs: ArrayLike | None = None, *, features: int = 1024, min_matches: int = 6, max_ratio: float = 0.75
    ) -> NDArray[numpy.int32]:
        """Which pairs ([P, 2] numbers; None: all pairs) are worth matching: [K, 2], in their order.

        Those that have min_matches matches among the features of largest scale of each image (C. Wu, 3DV 2013), at a fraction of the cost of verify().
        """
        return self._collection.screen(pairs, features, min_matches, max_ratio)

    def verify(
        self,
        pairs: ArrayLike | None = None,
        *,
        kind: ModelKind = "fundamental",
        cameras: CameraLike | Sequence[CameraLike] | None = None,
        matching: MatchOptions | None = None,
        options: RobustOptions | None = None,
        min_matches: int = 15,
        guided: bool = False,
        distinct_places: bool = True,
    ) -> VerifiedPairs:
        """Matches pairs of images ([P, 2] numbers; None: all pairs) and estimates their geometry.

        cameras: of all images or one each, for kinds that take them; where one has a lens, features are undistorted first. Pairs with fewer matches than min_matches are 'too_few_points'.
        guided: verified pairs are matched again along their model, and verified again; what has more inliers stays.
        distinct_places: of the matches between the same two places, which features with several orientations have, the nearest is kept, as `bifocal pair` does.
        Ctrl-C is answered between parts.
        """
        return self._collection.verify(pairs, kind, cameras, matching, options, min_matches, guided, distinct_places)
