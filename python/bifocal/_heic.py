"""HEIC files through the package pillow-heif, and TIFF files through pillow in builds without libtiff. Neither is a dependency."""

from __future__ import annotations

import os
from typing import Any, NamedTuple

HEIC = (".heic", ".heif")
TIFF = (".tif", ".tiff")
_EXIF_START = b"Exif\0\0"


class Decoded(NamedTuple):
    """Photograph that a package has decoded.

    Attributes:
        file: Name of the file, as bytes of the file system.
        pixels: uint8 of shape (H, W) or (H, W, 3), rotated according to the EXIF orientation unless asked for as stored.
        exif: EXIF block that begins with "Exif" and two zeros; empty without one.
    """

    file: bytes
    pixels: Any
    exif: bytes


def decoded(file: Any, reads_tiff: bool = True, is_stored: bool = False) -> Decoded | None:
    """Decodes files whose format the library does not read.

    Args:
        file: A name of a file, or anything else, which has no such format.
        reads_tiff: True if the library reads TIFF itself.
        is_stored: True for pixels without the rotation by the EXIF orientation.

    Returns:
        The photograph; None for other formats.

    Raises:
        OSError: If the file does not exist, the package is not installed, or the file cannot be decoded.
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
        os.stat(name)
        raise OSError(f"{name}: needs the Python package {package}: pip install {package}") from error
    import numpy

    try:
        with Image.open(name) as opened:
            exif = _exif_of(opened)
            image = opened if is_stored else ImageOps.exif_transpose(opened)
            return Decoded(os.fsencode(name), numpy.asarray(image if image.mode in ("L", "RGB") else image.convert("RGB")), exif)
    except FileNotFoundError:
        raise
    except (OSError, ValueError) as error:
        raise OSError(f"{name}: can't be decoded: {error}") from error


def _exif_of(opened: Any) -> bytes:
    """Returns the EXIF block of an image of pillow, of a TIFF as pillow writes it; empty without one and if it is damaged."""
    block = opened.info.get("exif") or b""
    if not block:
        try:
            exif = opened.getexif()
            block = exif.tobytes() if exif else b""
        except Exception:  # pillow raises many types for a damaged block, without which the photograph can be used
            return b""
    return block if block.startswith(_EXIF_START) else _EXIF_START + block if block else b""
