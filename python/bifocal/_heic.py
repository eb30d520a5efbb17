"""HEIC files through the package pillow-heif, and TIFF files through pillow in builds without libtiff. Neither is a dependency."""

from __future__ import annotations

import os
from typing import Any

HEIC = (".heic", ".heif")
TIFF = (".tif", ".tiff")


def pixels_of(file: Any, reads_tiff: bool = True) -> Any:
    """Decodes files whose format the library does not read.

    Args:
        file: A name of a file, or anything else, which has no such format.
        reads_tiff: True if the library reads TIFF itself.

    Returns:
        uint8 of shape (H, W) or (H, W, 3), rotated according to the EXIF orientation; None for other formats.

    Raises:
        OSError: If the package is not installed, or the file cannot be decoded.
    """
    if not isinstance(file, (str, bytes, os.PathLike)):
        return None
    name = os.fsdecode(file)
    lower = name.lower()
    if not lower.endswith(HEIC if reads_tiff else HEIC + TIFF):
        return None
    package = "pillow-heif" if lower.endswith(HEIC) else "pillow"
    try:
        if package == "pillow-heif":
            import pillow_heif  # type: ignore[import-not-found,unused-ignore]

            pillow_heif.register_heif_opener()
        from PIL import Image, ImageOps  # type: ignore[import-not-found,import-untyped,unused-ignore]
    except ImportError as error:
        raise OSError(f"{name}: needs the Python package {package}: pip install {package}") from error
    import numpy

    try:
        with Image.open(name) as opened:
            image = ImageOps.exif_transpose(opened)
            return numpy.asarray(image if image.mode in ("L", "RGB") else image.convert("RGB"))
    except FileNotFoundError:
        raise
    except (OSError, ValueError) as error:
        raise OSError(f"{name}: can't be decoded: {error}") from error
