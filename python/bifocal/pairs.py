"""Selection of the image pairs worth matching, and of distinct matches (include/bifocal/pair_selection.hpp).

Pairs are arrays of image numbers, int32 of shape (P, 2). Unless stated otherwise the first number of a pair is the smaller one, pairs are sorted, and
no pair occurs twice.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Union

from . import _core
from ._arrays import ArrayLike
from ._core import Features
from ._arguments import check_public
from ._numbers import whole_from
from ._options import NearOptions, RetrievalOptions, ScreenOptions, SequentialOptions

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    Path = Union[str, bytes, os.PathLike[str], os.PathLike[bytes]]
    Pairs = NDArray[numpy.int32]

__all__ = [
    "ImageIndex",
    "NearOptions",
    "RetrievalOptions",
    "ScreenOptions",
    "SequentialOptions",
    "all_pairs",
    "image_components",
    "keep_distinct_places",
    "linking_pairs",
    "near_pairs",
    "read_pairs",
    "retrieval_pairs",
    "sequential_pairs",
    "suggested_partners",
    "tidy_pairs",
]


def all_pairs(images: int) -> Pairs:
    """Returns every pair of two images once.

    Args:
        images: Number of images.

    Returns:
        Pairs (0, 1), (0, 2), ..., (1, 2), ..., shape (P, 2).

    Raises:
        ValueError: If the number is negative.
    """
    return _core.all_pairs(whole_from(images, "images", 0))


def tidy_pairs(pairs: ArrayLike) -> Pairs:
    """Orders the two images of each pair, sorts the pairs, and removes duplicates and pairs of an image with itself.

    Args:
        pairs: Image numbers, shape (P, 2).

    Returns:
        Remaining pairs, shape (K, 2).

    Raises:
        ValueError: If a number is negative or the shape does not fit.
        TypeError: If the numbers are not integers.
    """
    return _core.tidy_pairs(pairs)


def sequential_pairs(images: int, *, overlap: int = 10, quadratic: bool = True) -> Pairs:
    """Pairs each image of a sequence with the images after it, by the rules of COLMAP's sequential matcher.

    Args:
        images: Number of consecutive images.
        overlap: Number of next images that each image is paired with.
        quadratic: Also pairs images at distances of 1, 2, 4, ..., 2^(overlap - 1), so that a few bad images do not break the chain.

    Returns:
        Pairs, shape (P, 2).

    Raises:
        ValueError: If the number of images is negative or overlap is below 1.
    """
    return _core.sequential_pairs(whole_from(images, "images", 0), whole_from(overlap, "overlap", 1), quadratic)


def near_pairs(positions: ArrayLike, *, max_distance_m: float = 100.0, max_partners: int = 50) -> Pairs:
    """Pairs each image with the nearest images by position.

    Args:
        positions: Latitude and longitude of each image in degrees, shape (N, 2). A row with NaN has no position, and its image is in no pair.
        max_distance_m: Largest distance of a pair in m.
        max_partners: Largest number of partners that an image chooses, at least 1.

    Returns:
        Pairs, shape (P, 2).

    Raises:
        ValueError: If a latitude is not within -90 to 90, a longitude not within -180 to 180, or an option is out of range.
    """
    return _core.near_pairs(positions, max_distance_m, whole_from(max_partners, "max_partners", 1))


class ImageIndex:
    """Similarity of images by vectors of their features (VLAD), with a vocabulary from the same features and without external training data.

    H. Jegou, M. Douze, C. Schmid, P. Perez, Aggregating local descriptors into a compact image representation, CVPR 2010. Equal features give equal
    vectors on every machine. Memory: 16 kB for each image with 128 words.

    Args:
        features: Features of each image.
        options: RetrievalOptions.

    Raises:
        ValueError: If an option is out of range.
        TypeError: If an element is not Features.
    """

    __slots__ = ("_index",)

    def __init__(self, features: Sequence[Features], options: RetrievalOptions | None = None) -> None:
        self._index = _core.ImageIndex(list(features), options)

    def __len__(self) -> int:
        return len(self._index)

    def similarity(self, image1: int, image2: int) -> float:
        """Returns the cosine of the angle between the vectors of two images.

        Args:
            image1, image2: Numbers of the images.

        Returns:
            Similarity in [-1, 1]; 0 for an image without features.

        Raises:
            ValueError: If an image does not exist.
        """
        return self._index.similarity(whole_from(image1, "image1", 0), whole_from(image2, "image2", 0))

    def nearest(self, image: int, count: int) -> NDArray[numpy.int32]:
        """Finds the images that are most similar to an image.

        Args:
            image: Number of the image.
            count: Largest number of images to return.

        Returns:
            Numbers of other images with features, the most similar first, shape (K,).

        Raises:
            ValueError: If the image does not exist, or count is negative.
        """
        return self._index.nearest(whole_from(image, "image", 0), whole_from(count, "count", 0))


def retrieval_pairs(index: ImageIndex, partners: int = 20, *, step: int = 1) -> Pairs:
    """Pairs each image with its most similar images.

    Args:
        index: ImageIndex of the images.
        partners: Number of similar images that each image is paired with.
        step: Only every `step`-th image, from the first one, chooses partners.

    Returns:
        Pairs, shape (P, 2).

    Raises:
        ValueError: If partners or step is below 1.
        TypeError: If `index` is not an ImageIndex.
    """
    if not isinstance(index, ImageIndex):
        raise TypeError(f"index: {type(index).__name__}, must be an ImageIndex")
    return _core.retrieval_pairs(index._index, whole_from(partners, "partners", 1), whole_from(step, "step", 1))


def suggested_partners(images: int, pairs: ArrayLike, inliers: ArrayLike, *, max_proposals: int = 1) -> Pairs:
    """Suggests further pairs from matched pairs, because images with a common partner probably show the same scene.

    The score of a candidate is the smaller number of inliers of the two pairs that connect it with an image through a common partner.

    Args:
        images: Number of images.
        pairs: Pairs that were matched, verified or not, shape (P, 2).
        inliers: Number of inliers of each pair, 0 without a geometry, shape (P,).
        max_proposals: Largest number of candidates that each image proposes, at least 1.

    Returns:
        Rows (image, proposed image) that were not matched, sorted by image, the best proposal of an image first, shape (K, 2). No pair occurs twice.

    Raises:
        ValueError: If an image does not exist, the numbers of pairs and inliers differ, or an option is out of range.
    """
    return _core.suggested_partners(whole_from(images, "images", 0), pairs, inliers, whole_from(max_proposals, "max_proposals", 1))


def linking_pairs(images: int, verified: ArrayLike, left_out: ArrayLike, matches: ArrayLike, *, max_links: int = 1) -> Pairs:
    """Chooses the pairs most likely to link the components in which verified pairs leave the images.

    Args:
        images: Number of images.
        verified: Verified pairs, shape (P, 2).
        left_out: Pairs to choose from, for example the pairs that `Collection.screen` left out, shape (K, 2).
        matches: Number of matches of each pair of `left_out`, shape (K,).
        max_links: Largest number of pairs to other components for each component, at least 1; the pairs with the most matches are chosen.

    Returns:
        Chosen pairs, shape (C, 2).

    Raises:
        ValueError: If an image does not exist, the numbers of pairs and matches differ, or an option is out of range.
    """
    return _core.linking_pairs(whole_from(images, "images", 0), verified, left_out, matches, whole_from(max_links, "max_links", 1))


def image_components(images: int, pairs: ArrayLike) -> NDArray[numpy.int32]:
    """Computes the connected components of a graph of images.

    Args:
        images: Number of images.
        pairs: Edges of the graph, shape (P, 2).

    Returns:
        Lowest image of the component of each image, shape (images,).

    Raises:
        ValueError: If an image does not exist.
    """
    return _core.image_components(whole_from(images, "images", 0), pairs)


def read_pairs(file: Path, names: Sequence[str]) -> Pairs:
    """Reads pairs from a text file with two image names on a line. Empty lines and lines that begin with # are skipped.

    Args:
        file: Name of the file.
        names: Name of each image. A name may contain blanks if only one division of a line gives two of the names.

    Returns:
        Pairs of indices into `names`, shape (P, 2).

    Raises:
        OSError: If the file cannot be read, or a line has an unknown name, not two names, or one name twice.
        TypeError: If a name is not a string.
    """
    for k, name in enumerate(names):
        if not isinstance(name, str):
            raise TypeError(f"names: [{k}] is {type(name).__name__}, must be str")
    return _core.read_pairs(file, [os.fsencode(name) for name in names])


def keep_distinct_places(x1: ArrayLike, x2: ArrayLike | None = None, distance: ArrayLike | None = None) -> NDArray[numpy.bool_]:
    """Marks one of several matches between the same two positions, which detectors give that describe a point once for each orientation.

    A duplicate match counts twice in a RANSAC without being further evidence. `match(..., distinct_places=True)` does this for `Features`.

    Args:
        x1, x2: Image coordinates of the matches, shape (N, 2); or x1 alone as rows x1 y1 x2 y2. Positions are the same if all numbers are equal.
        distance: Distance of the descriptors of each match, shape (N,). The match of smallest distance is kept, by default the first match.

    Returns:
        True for matches to keep, shape (N,).

    Raises:
        ValueError: If shapes differ, or a number is not finite.
    """
    return _core.keep_distinct_places(x1, x2, distance)


check_public(__all__, globals())
