"""Depth maps of the photographs of a COLMAP model, and a cloud of points."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, Union

from . import _core
from ._devices import device_id
from ._options import DenseOptions

Path = Union[str, bytes, os.PathLike[str], os.PathLike[bytes]]

__all__ = ["DenseImage", "DenseModel", "dense"]


class DenseImage(NamedTuple):
    """An image of `DenseModel`.

    Attributes:
        name: Name of the image in the model; its depth map is OUT/depth/NAME.npz.
        known: Share of the pixels with a depth, from 0 to 1.
        reason: Why no depth is known; empty if there are depths.
    """

    name: str
    known: float
    reason: str


@dataclass(frozen=True)
class DenseModel:
    """Result of `dense`.

    Attributes:
        images: Images in the order of the model.
        points: Number of points of the cloud OUT/fused.ply.
        resumed: Number of images that an interrupted call had matched.
        out: The folder.
    """

    images: list[DenseImage]
    points: int
    resumed: int
    out: str


def dense(
    model: Path,
    images: Path,
    out: Path,
    *,
    options: DenseOptions | None = None,
    maps: bool = True,
    format: str = "npz",
    overwrite: bool = False,
    device: str | None = "auto",
    progress: Callable[[str, int, int], None] | None = None,
) -> DenseModel:
    """Computes depth maps of the photographs of a COLMAP model by PatchMatch on many views, and fuses them to a cloud.

    Writes OUT/depth/NAME.npz for each image, the undistorted cameras as a COLMAP model in OUT/cameras, and OUT/fused.ply (docs/formats.md). Files take
    their places when all are complete. An interrupted call is resumed by the same call; until then OUT/.dense has the work. The result is the same on
    every run and for any number of threads on one kind of device.

    Args:
        model: Folder of a model, such as 'sparse/0'.
        images: Folder of the photographs. They are read as stored, without rotation by EXIF.
        out: The folder to write.
        options: Number of views, size of the maps, range of depths, memory.
        maps: False writes the cloud alone.
        format: Of the depth maps: 'npz', or 'colmap': a dense workspace of COLMAP instead of OUT/depth and OUT/cameras.
        overwrite: Replaces files of these names; other files stay.
        device: 'auto' (the first CUDA device, else an OpenCL GPU, else the CPU), 'cpu', 'cuda:0', ...
        progress: Called after each image with the stage ('match', 'refine' or 'agree'), the number of finished images and the number of all images. An
            exception raised in it, or Ctrl-C, interrupts the call.

    Returns:
        DenseModel with the known share of each image.

    Raises:
        ValueError: If an option is out of range, a file to write exists already and `overwrite` is False, or a name of an image leaves the folder.
        OSError: If the model or all photographs cannot be read, a photograph has another size than its camera, or a file cannot be written.
        RuntimeError: If the device is missing or fails, or has too little memory.
    """
    if format not in ("npz", "colmap"):
        raise ValueError(f"format={format!r}: must be 'npz' or 'colmap'")
    found = _core.dense(model, images, out, options, format if maps else "none", overwrite, device_id(device) or "auto", progress)
    return dense_of(found, out)


def dense_of(found: dict[str, Any], out: Path) -> DenseModel:
    """Makes a result of the dictionary of _core."""
    return DenseModel([DenseImage(*image) for image in found["images"]], found["points"], found["resumed"], os.fsdecode(out))
