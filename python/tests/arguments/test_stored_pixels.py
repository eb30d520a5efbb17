"""Photographs are read as stored on request, without the rotation by their EXIF orientation."""

import struct
import zlib

import numpy as np
import pytest

import bifocal

GREY = np.random.default_rng(0).integers(0, 256, (64, 80)).astype(np.uint8)


def with_orientation(file, orientation):
    """Adds an EXIF orientation to a PNG file."""
    block = b"II*\0" + struct.pack("<IHHHIHHI", 8, 1, 0x0112, 3, 1, orientation, 0, 0)
    png = file.read_bytes()
    chunk = b"eXIf" + block
    file.write_bytes(png[:33] + struct.pack(">I", len(block)) + chunk + struct.pack(">I", zlib.crc32(chunk)) + png[33:])


@pytest.mark.parametrize("orientation, shown", [(3, GREY[::-1, ::-1]), (6, np.rot90(GREY, -1))])
def test_photographs_are_read_as_stored(tmp_path, orientation, shown):
    file = tmp_path / "a.png"
    bifocal.write_image(file, GREY)
    with_orientation(file, orientation)
    assert np.array_equal(bifocal.read_image(file), shown) and np.array_equal(bifocal.read_image(file, stored=False), shown)
    assert np.array_equal(bifocal.read_image(file, stored=True), GREY)
    colour = np.dstack([GREY, GREY // 2, GREY // 3])
    bifocal.write_image(file, colour)
    with_orientation(file, orientation)
    assert np.array_equal(bifocal.read_image(file, stored=True, bgr=True), colour[:, :, ::-1])
