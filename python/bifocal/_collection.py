"""Collections of many images: features on one device, matches of image pairs, and their verified geometry."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, Union

from . import _core
from ._colmap.control import control_arguments
from ._devices import device_id
from ._arrays import ArrayLike, frame_of, rgb_of
from ._core import Features, VerifiedPairs
from ._numbers import whole_from
from ._options import CollectOptions, MatchOptions, RobustOptions, SiftOptions, SurfOptions
from ._estimator_arguments import with_threshold

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    from ._dense import DenseModel
    from ._mapping import Mapped, Undistorted
    from ._robust import CameraLike, ModelKind

Path = Union[str, bytes, os.PathLike[str], os.PathLike[bytes]]

__all__ = ["Collected", "Collection", "VerifiedPairs", "collect", "list_photographs", "report"]


@dataclass(frozen=True)
class FocalLengths:
    """Cameras of a database or a model, and the range of their focal lengths.

    Attributes:
        cameras: Number of cameras.
        with_prior: Number of cameras whose focal length has a source such as EXIF.
        least: Smallest focal length, px.
        largest: Largest focal length, px.
    """

    cameras: int
    with_prior: int
    least: float
    largest: float


@dataclass(frozen=True)
class Collected:
    """Result of `collect`; the counts include earlier calls for the same database.

    Attributes:
        was_complete: True if the database was finished before this call.
        resumed: True if an interrupted call was resumed.
        images: Number of images in the database.
        features: Number of features of all images.
        pairs: Number of selected pairs.
        screened_out: Number of pairs left out because too few of their largest features match.
        matched: Number of pairs with enough matches for a verification.
        verified: Number of pairs with a geometry: neither degenerate nor a watermark.
        focal_lengths: Cameras of the database.
        left_out: Names of photographs that could not be read, each with the reason.
        other_files: Names of other files and links, each with the reason.
        notes: Further remarks, such as photographs without a position or doubtful intrinsics.
        contradicting: A sentence for each pair whose rotation contradicts other pairs.
        seconds: Duration of each stage of this call, in s.
        device: Devices of this call, such as 'cpu' or 'cuda:0,cuda:1'; 'auto' is resolved.
        model: Result of `map_database` if the argument `model` is given and a pair is verified, else None.
        undistorted: Result of `colmap.undistort_model` of the first model if the argument `undistort` is given, else None.
        dense: Result of `bifocal.dense` of the first model if the argument `dense` is given, else None.
    """

    was_complete: bool
    resumed: bool
    images: int
    features: int
    pairs: int
    screened_out: int
    matched: int
    verified: int
    focal_lengths: FocalLengths
    left_out: list[tuple[str, str]]
    other_files: list[tuple[str, str]]
    notes: list[str]
    contradicting: list[str]
    seconds: dict[str, float]
    device: str
    model: Mapped | None = None
    undistorted: Undistorted | None = None
    dense: DenseModel | None = None


def list_photographs(photographs: Path | Sequence[Path]) -> tuple[list[str], list[tuple[str, str]]]:
    """Lists the photographs in files and folders.

    Args:
        photographs: A folder, or a list of files and folders.

    Returns:
        Names of the photographs, sorted with digits as numbers, and (name, reason) of each other file or link.

    Raises:
        OSError: If a file or folder does not exist.
    """
    return _core.list_photographs(photographs)


def collect(
    photographs: Path | Sequence[Path],
    database: Path,
    *,
    options: CollectOptions | None = None,
    model: Path | None = None,
    undistort: Path | None = None,
    dense: Path | None = None,
    ply: Path | None = None,
    format: Literal["binary", "text"] = "binary",
    overwrite_model: bool = False,
    strict: bool = False,
    device: str | None = "auto",
    progress: Callable[[str, int, int, str], None] | None = None,
) -> Collected:
    """Matches photographs into a COLMAP database with verified pairs, and makes a sparse model on request. An interrupted call is resumed by the same call.

    Args:
        photographs: A folder, or a list of files and folders: JPEG, PNG, TIFF, WebP, BMP, PGM or PPM, but not HEIC, which must be converted first.
        database: The file to write; until it is complete it has the name DATABASE.part.
        options: Options of all stages: pairs, features, cameras, memory, `overwrite`, ...
        model: Folder of sparse models, which `map_database` makes of the finished database with its default options.
        undistort: Folder of undistorted images and their model, which `colmap.undistort_model` makes of the first written model; needs `model`.
        dense: Folder of depth maps and a cloud, which `bifocal.dense` makes of the first written model with its default options; needs `model`.
        ply: File for the points of the first model in PLY; needs `model`. None writes none.
        format: Format of the models.
        overwrite_model: Replaces models, undistorted images, depth maps and `ply` that are there already.
        strict: Writes no model that is doubted.
        device: 'auto', 'cpu', 'cuda:0', 'cuda:all', ... 'auto' is the device that began the work on this database; for a new database the first
            CUDA device, else an OpenCL GPU, else the CPU, and the CPU with a RuntimeWarning if that GPU cannot be used. The first of several
            devices maps and computes depth.
        progress: Called with the stage, the number done, the total and the unit. An exception raised in it, or Ctrl-C, interrupts the call.

    Returns:
        Collected with the counts of images, pairs and verified pairs.

    Raises:
        ValueError: If an option is out of range, or differs from the options of the interrupted call; or if a folder has a model and
            `overwrite_model` is False, also a folder of undistorted images or depth maps that has files of their names.
        OSError: If a file cannot be read or written, or the database exists and was made of other photographs or options.
        RuntimeError: If a device is missing or fails, also the device that began an interrupted call.
    """
    chosen = device_id(device) or "auto"
    for name, folder in (("undistort", undistort), ("dense", dense), ("ply", ply)):
        if folder is not None and model is None:
            raise ValueError(f"{name}: needs the argument model")
    found = _core.collect(photographs, database, options, (model, undistort, dense, ply, overwrite_model, strict, format == "text"), chosen, progress)
    mapped, undistorted, depth = found.pop("model"), found.pop("undistorted"), found.pop("dense")
    collected = Collected(focal_lengths=FocalLengths(*found.pop("focal_lengths")), **found)
    if model is None or mapped is None:
        return collected
    from ._dense import dense_of
    from ._mapping import Undistorted, mapped_of

    return replace(
        collected,
        model=mapped_of(mapped, model),
        undistorted=undistorted and Undistorted(**undistorted),
        dense=dense_of(depth, dense) if depth and dense is not None else None,
    )


def report(
    database: Path, out: Path, photographs: Path | None = None, *, model: Path | None = None, dense: Path | None = None,
    control: Path | None = None, check: Iterable[str] = (), max_bytes: int = 24 << 20, overwrite: bool = False,
) -> dict[str, int]:
    """Writes an HTML report of a COLMAP database: view graph, verified pairs and their matches, sparse and dense models.

    Args:
        database: Database of `collect` or `colmap.verify`.
        out: The HTML file, which needs no other files and no network.
        photographs: Folder of the photographs, for thumbnails.
        model: Folder of a sparse model, or of the models of `map_database`, to show.
        dense: Output folder of `dense`, to show its cloud and depth maps.
        control: File of control points to compare with the models.
        check: Names of check points of `control`.
        max_bytes: Largest size of the page in bytes.
        overwrite: Replaces a file that is no earlier page of this database.

    Returns:
        Counts with the keys images, verified, contradicting (pairs), components and bytes.

    Raises:
        ValueError: If `out` exists already, is no page of this database and `overwrite` is False.
        OSError: If the database is missing, damaged or without images, or a folder has no model or no cloud.
    """
    return _core.write_report(database, out, photographs, (model, dense), control_arguments(control, check), whole_from(max_bytes, "max_bytes", 0, 2**63 - 1), overwrite)


class Collection:
    """Features of many images in the memory of one device.

    Calls from several threads run one after another.

    Args:
        device: "cpu", "cuda:0", "opencl:0", ... or "auto"
    """

    __slots__ = ("_collection",)

    def __init__(self, device: str | None = "cpu") -> None:
        """Opens the device of the collection.

        Args:
            device: "cpu", "cuda:0", "opencl:0", ... or "auto"

        Raises:
            ValueError: If the name of the device is unknown.
            RuntimeError: If the device is missing.
        """
        self._collection = _core.Collection(device_id(device) or "cpu")

    def __len__(self) -> int:
        """Returns the number of images."""
        return len(self._collection)

    def __repr__(self) -> str:
        return repr(self._collection)

    def add(self, features: Features) -> int:
        """Adds the features of one image.

        Args:
            features: Features of `detect`.

        Returns:
            Number of the image, counted from 0.
        """
        return self._collection.add(features)

    def detect(self, images: Iterable[ArrayLike], options: SiftOptions | SurfOptions | None = None, *, batch: int = 8, bgr: bool = False) -> range:
        """Detects and adds the features of images.

        Consecutive images of one size are processed `batch` at a time. Memory is taken for max_features of each image, 148 bytes a feature. An
        image of torch or CuPy in the memory of the collection's CUDA device is read there; it gets no features if it has more extrema than one in
        12 px, which no photograph has.

        Args:
            images: uint8 or uint16, shape (H, W) or (H, W, C) each, as a sequence or one array.
            options: SiftOptions for RootSIFT or SurfOptions.
            batch: Number of images that are processed at a time.
            bgr: True if the channels have OpenCV's order blue, green, red instead of red, green, blue.

        Returns:
            The numbers of the images.

        Raises:
            ValueError: If a shape does not fit, or an option is out of range.
        """
        pictures = list(images)
        colours = [rgb_of(picture, bgr) for picture in pictures]
        first = self._collection.detect(colours, options, batch, frame_of(*pictures))
        return range(first, len(self._collection))

    def features(self, image: int) -> Features:
        """Copies the features of an image from the device.

        Args:
            image: Number of the image.

        Returns:
            Features, the strongest first.
        """
        return self._collection.get(image)

    def counts(self) -> NDArray[numpy.int32]:
        """Returns the number of features of each image, shape (number of images,)."""
        return self._collection.counts()

    def screen(
        self, pairs: ArrayLike | None = None, *, features: int = 1024, min_matches: int = 6, max_ratio: float = 0.75
    ) -> NDArray[numpy.int32]:
        """Selects the pairs worth matching by the features of largest scale alone (C. Wu, 3DV 2013), at a fraction of the cost of `verify`.

        Args:
            pairs: Image numbers, shape (P, 2); by default all pairs.
            features: Number of features of largest scale that are matched for each image.
            min_matches: Number of matches among these features that a pair needs.
            max_ratio: Largest ratio of nearest to second nearest distance; matches are mutual.

        Returns:
            Selected pairs in the order of `pairs`, shape (K, 2).

        Raises:
            ValueError: If an image does not exist, or an option is out of range.
        """
        return self._collection.screen(pairs, features, min_matches, max_ratio)

    def verify(
        self,
        pairs: ArrayLike | None = None,
        *,
        kind: ModelKind = "fundamental",
        cameras: CameraLike | Sequence[CameraLike] | None = None,
        matching: MatchOptions | None = None,
        threshold: float | None = None,
        options: RobustOptions | None = None,
        min_matches: int = 15,
        guided: bool = False,
        distinct_places: bool = True,
    ) -> VerifiedPairs:
        """Matches pairs of images and estimates their geometry. Ctrl-C is handled between parts of the pairs.

        Args:
            pairs: Image numbers, shape (P, 2); by default all pairs.
            kind: Name of the model, one of `ModelKind` for two views.
            cameras: Intrinsics of all images or one for each image, for kinds that take them. Features of a camera with a lens are undistorted first.
            matching: Options of matching.
            threshold: Largest error of an inlier in px; replaces the threshold of `options`.
            options: Options of the robust estimation.
            min_matches: Pairs with fewer matches have the reason 'too_few_points'.
            guided: Matches verified pairs again along their model and verifies them again; the result with more inliers is kept.
            distinct_places: Keeps the nearest of several matches between the same two places, which features with several orientations have, as
                `bifocal pair` does.

        Returns:
            VerifiedPairs with the matches and the geometry of each pair.

        Raises:
            ValueError: If an image does not exist, or an option is out of range.
            TypeError: If `kind` needs cameras and has none, or takes none.
        """
        robust = with_threshold(options, threshold)
        return self._collection.verify(pairs, kind, cameras, matching, robust, min_matches, guided, distinct_places)
