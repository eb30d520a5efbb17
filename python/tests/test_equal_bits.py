"""Results that are equal on every device and processor: semi-global matching, remapping and the matching of 8-bit descriptors. Their hashes come from
x86-64 with AVX-512."""
import hashlib

import numpy
import pytest

import bifocal

random = numpy.random.RandomState(7)  # its stream never changes
HEIGHT, WIDTH = 120, 200
SCENE = random.randint(0, 256, (HEIGHT, WIDTH + 16)).astype(numpy.uint8)
LEFT, RIGHT = SCENE[:, :WIDTH].copy(), SCENE[:, 9 : 9 + WIDTH].copy()
DESCRIPTORS = random.randint(0, 256, (2, 300, 128)).astype(numpy.uint8)
DESCRIPTORS[1, :150] = DESCRIPTORS[0, 100:250] // 2 * 2


def hash_of(*arrays):
    """Returns a hash of all bytes, with one value for every NaN."""
    digest = hashlib.sha256()
    for array in arrays:
        array = numpy.ascontiguousarray(array)
        if array.dtype.kind == "f":
            array = numpy.where(numpy.isnan(array), numpy.array(-1, array.dtype), array)
        digest.update(array.tobytes())
    return digest.hexdigest()[:16]


def semi_global():
    found = bifocal.stereo(LEFT, RIGHT)
    return hash_of(found.raw, found.filled)


def remapped():
    row, column = numpy.mgrid[0:100, 0:150].astype(numpy.float64)
    map_x, map_y = 1.125 * column + 0.25 * row - 3, 0.9375 * row - 0.03125 * column + 2
    remapper = bifocal.Remapper.from_maps(map_x, map_y, (WIDTH, HEIGHT))
    return hash_of(remapper(LEFT), remapper(LEFT.astype(numpy.uint16) * 257))


def matched():
    xy = numpy.arange(600, dtype=numpy.float32).reshape(300, 2)
    first, second = (bifocal.Features(xy, descriptors) for descriptors in DESCRIPTORS)
    found = bifocal.match(first, second)
    return hash_of(found.indices, found.distance)


HASHES = {semi_global: "ece1abaa12e44acb", remapped: "9d16566fb78f8ab6", matched: "9f8f2cee2a1030d2"}


@pytest.mark.parametrize("call", HASHES, ids=lambda call: call.__name__)
def test_bits_are_equal_on_every_processor(call):
    assert call() == HASHES[call]
