"""Many images at once: their features on one device, matches of their pairs, and the geometry that proves them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Union

from . import _core
from ._devices import device_id
from ._arrays import ArrayLike, frame_of, rgb_of
from ._core import Features, VerifiedPairs
from ._options import FloatMatchOptions, MatchOptions, RobustOptions, SiftOptions, SurfOptions, VerifyOptions

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    from ._robust import CameraLike, ModelKind

Path = Union[str, bytes, os.PathLike[str], os.PathLike[bytes]]
PairSelection = Literal["all", "exhaustive", "sequential", "retrieval", "gps"]

__all__ = ["Collected", "Collection", "VerifiedPairs", "collect", "list_photographs", "report"]


@dataclass(frozen=True)
class Collected:
    """Counts of `collect`, of earlier calls included."""

    was_complete: bool
    """True if the database was finished before."""
    resumed: bool
    images: int
    features: int
    pairs: int
    """Pairs that were chosen."""
    screened_out: int
    """Pairs left out because hardly any of their largest features match."""
    matched: int
    verified: int
    """Pairs with a geometry: neither degenerate nor a watermark."""
    left_out: list[tuple[str, str]]
    """Names of photographs that could not be read, with the reason."""
    passed_over: list[tuple[str, str]]
    """Names of other files and links, with the reason."""
    notes: list[str]
    seconds: dict[str, float]
    """Of each stage of this call."""


def list_photographs(photographs: Path | Sequence[Path]) -> tuple[list[str], list[tuple[str, str]]]:
    """Returns the photographs of files and folders in the order of names, and what was passed over, with the reason."""
    return _core.list_photographs(photographs)


def collect(
    photographs: Path | Sequence[Path],
    database: Path,
    *,
    pairs: PairSelection | Path = "all",
    partners: int | None = None,
    overlap: int | None = None,
    features: SiftOptions | SurfOptions | Path | None = None,
    matching: MatchOptions | FloatMatchOptions | Path | None = None,
    geometry: VerifyOptions | None = None,
    guided: bool = False,
    max_side: int | None = None,
    masks: Path | None = None,
    camera: CameraLike | None = None,
    camera_sharing: Literal["auto", "single", "each"] = "auto",
    camera_model: str = "SIMPLE_RADIAL",
    max_memory: int | None = None,
    overwrite: bool = False,
    device: str | None = "cpu",
    progress: Callable[[str, int, int, str], None] | None = None,
) -> Collected:
    """Matches photographs into a COLMAP database with verified pairs. An interrupted call is resumed by the same call.

    Args:
        photographs: A folder, or a list of files and folders.
        database: The file to write; until it is complete it has the name DATABASE.part.
        pairs: Which pairs are matched, or a file with two names a line. 'all' leaves out pairs whose largest features do not match.
        partners: 'retrieval': number of similar images that each is matched with.
        overlap: 'sequential': number of neighbours of an image.
        features: Options of SIFT or SURF; or hloc's features.h5, or a folder with NAME.npz, of another detector.
        matching: Options of matching; FloatMatchOptions for given features, or hloc's matches.h5 of these.
        geometry: Options of the verification.
        guided: Matches verified pairs again along their geometry.
        max_side: Larger photographs are reduced to find features, px.
        masks: Folder with NAME.png; no features where a mask is black.
        camera: Intrinsics of all photographs. By default the focal length of EXIF, or 1.2 times the longer side.
        camera_sharing: Which photographs share a camera: those of equal EXIF and size, all of a size, or none.
        camera_model: COLMAP's camera model of the database.
        max_memory: Most bytes that the process takes of the host's memory, and of each GPU's.
        overwrite: Replaces an existing database.
        device: 'cpu', 'cuda:0', 'cuda:all', ...
        progress: Called with the stage, the number done, the total and the unit. It may raise an exception to stop; Ctrl-C stops there, too.

    Raises:
        ValueError: If an option is out of range, or differs from those of the interrupted call.
        OSError: If a file cannot be read or written, or the database is another one.
    """
    given = isinstance(matching, FloatMatchOptions)
    matches = matching if isinstance(matching, (str, os.PathLike)) else None
    options: dict[str, object] = {"pairs": pairs, "partners": partners, "overlap": overlap, "features": features, "geometry": geometry, "guided": guided}
    options |= {"matching": None if given or matches else matching, "given_matching": matching if given else None, "matches": matches}
    options |= {"max_side": max_side, "masks": masks, "camera": camera, "camera_sharing": camera_sharing, "camera_model": camera_model}
    options |= {"max_memory": max_memory, "overwrite": overwrite}
    return Collected(**_core.collect(photographs, database, options, device_id(device) or "cpu", progress))


def report(database: Path, out: Path, photographs: Path | None = None, *, max_bytes: int = 24 << 20) -> dict[str, int]:
    """Writes one HTML page of a COLMAP database: view graph, verified pairs and their matches.

    Args:
        database: As `collect` or `colmap.verify` leave it.
        out: The page, one file that needs no network.
        photographs: Folder of the photographs, for small pictures of them.
        max_bytes: Size of the page.

    Returns:
        Counts: images, verified and contradicting pairs, components, bytes.

    Raises:
        OSError: If the database is missing, damaged or without images.
    """
    return _core.write_report(database, out, photographs, max_bytes)


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

    def detect(self, images: Iterable[ArrayLike], options: SiftOptions | SurfOptions | None = None, *, batch: int = 8, bgr: bool = False) -> range:
        """Finds the features of images; those of one size, one after another, `batch` at a time.

        Memory is taken for max_features of each image, 148 bytes a feature. An image of torch or CuPy in the memory of the collection's CUDA device
        is read there; it gets no features if it has more extrema than one in 12 px, which no photograph has.

        Args:
            images: uint8 or uint16, shape (H, W) or (H, W, C) each, as a sequence or one array.
            options: SiftOptions for RootSIFT or SurfOptions.
            batch: Images that are worked on at a time.
            bgr: Channels are in OpenCV's order blue, green, red instead of red, green, blue.

        Returns:
            The numbers of the images.
        """
        pictures = list(images)
        colours = [rgb_of(picture, bgr) for picture in pictures]
        first = self._collection.detect(colours, options, batch, frame_of(*pictures))
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
