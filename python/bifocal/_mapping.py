"""Sparse models from the verified pairs of a COLMAP database, and their undistorted images."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from . import _core
from ._collection import FocalLengths
from ._colmap_model import Georeference, georeference_of
from ._colmap.control import Control, control_arguments, control_of
from ._devices import device_id
from ._options import MapOptions

Path = str | bytes | os.PathLike[str] | os.PathLike[bytes]


class ModelDoubt(NamedTuple):
    """A reason why a model may be wrong; it changes no result (docs/models.md).

    Attributes:
        kind: 'focal_length', 'distortion', 'not_converged', 'few_points', 'no_parallax', 'static_matches', 'folded', 'cameras', 'curved',
            'positions' or 'control'.
        value: The doubted quantity.
        limit: Where the doubt begins.
        images: Numbers of the images that it concerns; empty if it concerns the model.
        pairs: Numbers of the images of each pair that it concerns.
        text: The doubt as a sentence.
    """

    kind: str
    value: float
    limit: float
    images: list[int]
    pairs: list[tuple[int, int]]
    text: str


class MapFigures(NamedTuple):
    """Counts of one model, and its doubts.

    Attributes:
        images: Number of registered images.
        points: Number of points.
        observations: Number of observations of all points.
        mean_error: Mean reprojection error of the observations in px.
        doubts: Reasons why the model may be wrong.
        given: Its cameras as the database has them.
        focal_lengths: Its cameras.
        georeference: Its frame by the positions of its images; None: they do not determine one, or are ignored.
        control: Control points compared with it; None without `control`.
        folder: Folder of the model; None if it is doubted and not written because of `strict`.
    """

    images: int
    points: int
    observations: int
    mean_error: float
    doubts: list[ModelDoubt]
    given: FocalLengths
    focal_lengths: FocalLengths
    georeference: Georeference | None
    control: Control | None
    folder: str | None


@dataclass(frozen=True)
class Mapped:
    """Result of `map_database`.

    Attributes:
        models: Counts and doubts of the models OUT/0, OUT/1, ..., from the most images to the fewest.
        left_out: Names of images in no model, each with a reason: 'camera', 'no_pair', 'small_component', 'contradictory' or 'few_points'.
        damaged_rows: Rows of the database that were not used, each with the reason.
        without_colours: Names of photographs that could not be read for colours, each with the reason.
        pairs: Number of verified pairs with a relative pose.
        removed_pairs: Number of pairs that were removed because they contradict other pairs.
        seconds: Duration of each stage in s.
    """

    models: list[MapFigures]
    left_out: list[tuple[str, str]]
    damaged_rows: list[tuple[str, str]]
    without_colours: list[tuple[str, str]]
    pairs: int
    removed_pairs: int
    seconds: dict[str, float]


def map_database(
    database: Path,
    out: Path,
    images: Path | None = None,
    *,
    options: MapOptions | None = None,
    overwrite: bool = False,
    strict: bool = False,
    ply: Path | None = None,
    control: Path | None = None,
    check: Iterable[str] = (),
    format: Literal["binary", "text"] = "binary",
    device: str | None = "auto",
    progress: Callable[[str, int, int], None] | None = None,
) -> Mapped:
    """Makes sparse models of the verified pairs of a COLMAP database by global structure from motion (Pan et al., ECCV 2024).

    Each connected component of the verified pairs becomes a model OUT/0, OUT/1, ... in COLMAP's formats. `read_model` reads them. A
    result without models writes no file. The result is the same on every run and for any number of threads.

    Args:
        database: Database of `bifocal.collect`, `verify` or COLMAP.
        out: Folder of the models.
        images: Folder of the photographs, for the colours of points.
        options: Thresholds, limits and the seed.
        overwrite: Replaces the models in all numbered folders of `out`; their other files stay.
        strict: Writes no model that is doubted; the others are OUT/0, OUT/1, ...
        ply: File for the points of the first model in PLY; None writes none.
        control: File of control points and their marks in photographs (docs/formats.md); they place each model that they determine, and correct its
            shape.
        check: Names of points of `control` that are only compared with the models.
        format: Format of the models.
        device: Where poses are estimated and adjusted: 'auto' (the first CUDA device, else an OpenCL GPU, else the CPU), 'cpu', 'cuda:0', ... All
            other stages run on the CPU.
        progress: Called at the start of each stage with its name, the number of the model and the number of images registered so far. An exception
            raised in it, or Ctrl-C at the start of a stage, ends the call without models.

    Returns:
        Mapped with the counts of the models and the images that are in none.

    Raises:
        ValueError: If an option is out of range, or the folder has models, or `ply` exists, and `overwrite` is False; also if a
            check point is unknown, or fewer than three control points have two marks in images of the database.
        OSError: If the database is missing or damaged, if no photograph can be used, if keypoints are in pixels of photographs rotated by EXIF, or if
            a model cannot be written.
        RuntimeError: If the device is missing or fails.
    """
    flags = overwrite, strict, format == "text"
    given = control_arguments(control, check)
    found = _core.map_database(database, (out, ply), images, options, flags, given, device_id(device) or "auto", progress)
    return mapped_of(found, out)


def mapped_of(found: dict[str, Any], out: Path) -> Mapped:
    """Makes a result of the dictionary of _core."""
    written = found.pop("written")
    folders = {place: os.path.join(os.fsdecode(out), str(number)) for number, place in enumerate(written)}
    models = [
        MapFigures(
            images,
            points,
            observations,
            mean_error,
            [ModelDoubt(*doubt) for doubt in doubts],
            FocalLengths(*given),
            FocalLengths(*adjusted),
            georeference_of(where),
            control_of(control),
            folders.get(place),
        )
        for place, (images, points, observations, mean_error, doubts, given, adjusted, where, control) in enumerate(found.pop("models"))
    ]
    return Mapped(models=models, **found)


@dataclass(frozen=True)
class Undistorted:
    """Result of `undistort_model`.

    Attributes:
        images: Number of written images.
        points: Number of points of the written model.
        outside: Number of observations of points outside of the undistorted images.
        left_out: Names of images whose photograph cannot be read, each with the reason.
    """

    images: int
    points: int
    outside: int
    left_out: list[tuple[str, str]]


def undistort_model(
    model: Path,
    photographs: Path,
    out: Path,
    *,
    jpeg_quality: int = 95,
    overwrite: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> Undistorted:
    """Writes photographs without lens distortion and their model, for programs that take pinhole cameras, such as Gaussian splatting.

    The images are OUT/images/NAME, the model with PINHOLE cameras is OUT/sparse/0, in COLMAP's binary format. A camera keeps its focal lengths; its
    images are cropped to the largest rectangle around the principal point without blank pixels, at most twice as far from the principal point as the
    sides of the photograph. JPEG and PNG files keep their format, others become NAME.png; PNG files of 16 bits keep them. Photographs of a camera
    without distortion are copied.

    Args:
        model: Folder of a model, such as 'sparse/0'.
        photographs: Folder of the photographs. They are read as stored, without rotation by EXIF.
        out: The folder to write, which does not contain the photographs in its folder `images`.
        jpeg_quality: Quality of JPEG files, 1 to 100.
        overwrite: Replaces files of these names and a model in OUT/sparse/0; other files stay.
        progress: Called now and then with the numbers of finished and of all images. An exception raised in it, or Ctrl-C, ends the call without a model.

    Returns:
        Undistorted with the number of images and those left out.

    Raises:
        ValueError: If an argument is out of range, a file to write exists already and `overwrite` is False, or the folder `images` of `out` has the
            photographs.
        OSError: If the model or all photographs cannot be read, if keypoints are in pixels of photographs rotated by EXIF, or if a file cannot be
            written.
    """
    return Undistorted(**_core.undistort_model(model, photographs, out, jpeg_quality, overwrite, progress))
