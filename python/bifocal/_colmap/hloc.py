"""Features and matches of hloc: its HDF5 files, and their import into COLMAP databases. hloc's px are this package's: (0, 0) is the centre of the first pixel.

The extension calls `open_file` for the files of `collect` and `import_files` for the files of the command `verify`.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np

from .._colmap_database import Database
from .hdf5 import File
from ..pairs import read_pairs

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

LONGEST_SIDE = 2**20  # px, of an image
PAIRS_OF_TRANSACTION = 1024
COMPARED = 256  # largest number of verified pairs whose matches are compared with the file


def _dashed(name: str) -> str:
    """Returns the name of an image in a file of matches."""
    return name.replace("/", "-")


class FeatureFile(File):
    """hloc's features.h5: each image has a group of its name with `keypoints` [N, 2], `image_size` [2] and, if they are matched, `descriptors` [D, N]."""

    def __init__(self, name: str) -> None:
        """Opens the file and lists its images.

        Args:
            name: Name of the file.

        Raises:
            OSError: If the file cannot be read, or a file of matches cannot distinguish two of its images ('a/b.jpg' and 'a-b.jpg').
        """
        super().__init__(name)
        images = [path.removesuffix("/keypoints") for path in self.paths() if path.endswith("/keypoints")]
        by_dashed: dict[str, str] = {}
        for image in images:
            other = by_dashed.setdefault(_dashed(image), image)
            if other != image:
                raise OSError(f"{name}: images '{other}' and '{image}' have the same name in a file of matches")
        self.images = dict.fromkeys(sorted(images, key=os.fsencode))

    def size(self, image: str) -> tuple[int, int]:
        """Returns width and height of an image in px.

        Args:
            image: Name of the image.

        Raises:
            OSError: If they are missing, or not 1 to 2^20.
        """
        path = f"{image}/image_size"
        sides = self._needed(path, self.integers(path)).ravel()
        if len(sides) != 2:
            self.refuse(path, f"has {len(sides)} numbers, must be a width and a height")
        if sides.min() < 1 or sides.max() > LONGEST_SIDE:
            self.refuse(path, f"{sides[0]} x {sides[1]} px, must be 1 to {LONGEST_SIDE}")
        return int(sides[0]), int(sides[1])

    def keypoints(self, image: str) -> NDArray[np.float32]:
        """Returns the keypoints of an image in px, shape (N, 2).

        Args:
            image: Name of the image.

        Raises:
            OSError: If they are missing, have another shape or are not finite.
        """
        path = f"{image}/keypoints"
        points = self._needed(path, self.floats(path))
        if points.ndim != 2 or points.shape[1] != 2:
            self.refuse(path, f"shape {list(points.shape)}, must be [N, 2]")
        finite = np.isfinite(points).all(axis=1)
        if not finite.all():
            k = int(np.argmin(finite))
            self.refuse(path, f"[{k}] = ({points[k, 0]:g}, {points[k, 1]:g}), must be finite")
        return points

    def features(self, image: str, width: int, height: int, has_descriptors: bool) -> tuple[NDArray[np.float32], NDArray[np.float32] | None, bool]:
        """Returns the features of a photograph for `collect`.

        Args:
            image: Name of the photograph.
            width, height: Size of the photograph in px.
            has_descriptors: True if the descriptors are needed.

        Returns:
            Keypoints of shape (N, 2); descriptors of shape (N, D) as float32, None without; True if the file has them as uint8.

        Raises:
            OSError: If the features are missing, damaged or of an image of another size.
        """
        if image not in self.images:
            raise OSError(f"{self.name}: has no image '{image}'")
        size = self.size(image)
        if size != (width, height):
            self.refuse(f"{image}/image_size", f"{size[0]} x {size[1]} px, but the photograph has {width} x {height}")
        points, path = self.keypoints(image), f"{image}/descriptors"
        if not has_descriptors:
            return points, None, False
        columns = self._needed(path, self.floats(path))
        if columns.ndim != 2 or len(columns) < 1:
            self.refuse(path, f"shape {list(columns.shape)}, must be [D, N]")
        if columns.shape[1] != len(points):
            self.refuse(path, f"{columns.shape[1]} descriptors of {len(points)} keypoints")
        return points, np.ascontiguousarray(columns.T), self.holds_bytes(path)

    def _needed(self, path: str, values: NDArray[Any] | None) -> NDArray[Any]:
        if values is None:
            raise OSError(f"{self.name}: has no {path}")
        return values


class MatchFile(File):
    """hloc's matches.h5: each pair has a group 'a.jpg/b.jpg', in old versions 'a.jpg_b.jpg', with '/' in names replaced by '-'. Its data set `matches0` [N]
    has the index of the match in the second image for each keypoint of the first, or -1."""

    def pairs(self, names: list[str]) -> NDArray[np.int32]:
        """Returns the pairs that have matches.

        Args:
            names: Names of images. Pairs of other images are ignored.

        Returns:
            Indices into `names`, shape (P, 2).
        """
        index = {_dashed(name): k for k, name in enumerate(names)}
        found = []
        for path in self.paths():
            group, _, values = path.rpartition("/")
            if values != "matches0":
                continue
            for k in [k for k, letter in enumerate(group) if letter in "/_"]:
                if group[:k] in index and group[k + 1 :] in index:
                    found.append((index[group[:k]], index[group[k + 1 :]]))
        return np.array(found, np.int32).reshape(-1, 2)

    def matches(self, image1: str, image2: str) -> NDArray[np.uint32] | None:
        """Returns the matches of a pair.

        Args:
            image1, image2: Names of the images, in either order.

        Returns:
            Indices of keypoints in the order of the arguments, shape (M, 2); None if the file does not have the pair.

        Raises:
            OSError: If the file is damaged, or an index is below -1, which more than 32,767 keypoints cause in int16.
        """
        a, b = _dashed(image1), _dashed(image2)
        for path, is_swapped in ((f"{a}/{b}", False), (f"{b}/{a}", True), (f"{a}_{b}", False), (f"{b}_{a}", True)):
            values = self.integers(path + "/matches0")
            if values is None:
                continue
            values = values.ravel()
            first = np.flatnonzero(values != -1)
            second = values[first]
            wrong = (second < 0) | (second > 0xFFFFFFFF)
            if wrong.any():
                k = first[np.argmax(wrong)]
                self.refuse(path + "/matches0", f"[{k}] = {values[k]}, must be an index or -1")
            return np.column_stack((second, first) if is_swapped else (first, second)).astype(np.uint32)
        return None


def open_file(name: str, has_matches: bool) -> FeatureFile | MatchFile:
    """Opens a file of hloc.

    Args:
        name: Name of the file.
        has_matches: True for a file of matches, False for a file of features.

    Raises:
        OSError: If the file cannot be read or h5py is not installed.
    """
    return MatchFile(name) if has_matches else FeatureFile(name)


def import_files(features: str, matches: str, pairs: str, database: str, overwrite: bool) -> list[tuple[str, str, int, bool]]:
    """Writes keypoints, and the matches of listed pairs, into a database, whose pairs can then be verified. An interrupted import is resumed.

    An existing database keeps its cameras and images. An empty or new one gets the images of the features in the order of their names, each with a
    SIMPLE_RADIAL camera with f = 1.2 times the longer side and no prior focal length. A failure removes a new database.

    Args:
        features: hloc's features.h5.
        matches: hloc's matches.h5.
        pairs: File of pairs, two image names on a line.
        database: Name of the database.
        overwrite: Also replaces the matches of verified pairs.

    Returns:
        (row, reason, number of pairs, True if they were left out) for each pair with an invalid index, and for each camera of another image size.

    Raises:
        OSError: If a file cannot be read or written, a listed image has no features, a listed pair no matches, or the database has keypoints or matches
            of another run of hloc.
    """
    source = FeatureFile(features), MatchFile(matches)
    is_new = not os.path.exists(database)
    try:
        with Database(database, "x" if is_new else "r+") as rows:
            return _Import(rows, database, *source).run(pairs, overwrite)
    except BaseException:
        for end in ("", "-wal", "-shm"):
            if is_new and os.path.exists(database + end):
                os.remove(database + end)
        raise


class _Import:
    """Import of hloc's files into an open database."""

    def __init__(self, rows: Database, database: str, features: FeatureFile, matches: MatchFile) -> None:
        self.rows, self.database, self.features, self.matches = rows, database, features, matches
        if not rows.images():
            self._add_images()
        images = rows.images()
        self.names = [image.name for image in images]
        self.ids = [image.id for image in images]
        self.cameras = [image.camera_id for image in images]

    def run(self, pairs: str, overwrite: bool) -> list[tuple[str, str, int, bool]]:
        """Writes all rows and returns those to report."""
        listed = read_pairs(pairs, self.names)
        for k in np.unique(listed):
            if self.names[k] not in self.features.images:
                raise OSError(f"{self.features.name}: has no image '{self.names[k]}', which {pairs} lists")
        counts = self._add_keypoints()
        return self._other_sizes(listed) + self._add_matches(listed, counts, overwrite)

    def _add_images(self) -> None:
        with self.rows.transaction():
            for name in self.features.images:
                width, height = self.features.size(name)
                camera = self.rows.write_camera("SIMPLE_RADIAL", width, height, [1.2 * max(width, height), (width - 1) / 2, (height - 1) / 2, 0])
                self.rows.write_image(name, camera)

    def _add_keypoints(self) -> dict[int, int]:
        """Adds the keypoints of the images that have none yet. Returns their number for each index of an image."""
        counts = {}
        with self.rows.transaction():
            for k, name in enumerate(self.names):
                if name not in self.features.images:
                    continue
                points = self.features.keypoints(name)
                stored = self.rows.keypoints(self.ids[k])
                counts[k] = len(points)
                if len(stored):
                    self._check_same(name, stored, points)
                else:
                    self.rows.write_keypoints(self.ids[k], points)
        return counts

    def _check_same(self, name: str, stored: NDArray[np.float32], points: NDArray[np.float32]) -> None:
        """Raises OSError for keypoints of another run, whose numbers the matches do not have."""
        if len(stored) != len(points):
            raise OSError(f"{self.database}: has {len(stored)} keypoints of '{name}', the features have {len(points)}")
        other = ~_are_equal(stored[:, :2].astype(np.float64), points.astype(np.float64)).all(axis=1)
        if other.any():
            k = int(np.argmax(other))
            raise OSError(
                f"{self.database}: has other keypoints of '{name}' than {self.features.name}: keypoint {k} is at ({stored[k, 0]:g}, {stored[k, 1]:g}), "
                f"not at ({points[k, 0]:g}, {points[k, 1]:g}); write a new database"
            )

    def _other_sizes(self, listed: NDArray[np.int32]) -> list[tuple[str, str, int, bool]]:
        """Returns the cameras whose size differs from the size of the images that the features belong to."""
        odd = []
        try:
            cameras = {camera.id: camera for camera in self.rows.cameras()}
        except OSError:  # damaged rows are reported by the verification
            return []
        for k, pairs in zip(*np.unique(listed, return_counts=True)):
            camera, name = cameras.get(self.cameras[k]), self.names[k]
            if camera is None or camera.width < 1 or self.features.integers(f"{name}/image_size") is None:
                continue
            width, height = self.features.size(name)
            if (width, height) != (camera.width, camera.height):
                reason = f"{camera.width} x {camera.height} px, but the features of '{name}' are of {width} x {height}"
                odd.append((f"table cameras, camera_id {camera.id}", reason, int(pairs), False))
        return odd

    def _add_matches(self, listed: NDArray[np.int32], counts: dict[int, int], overwrite: bool) -> list[tuple[str, str, int, bool]]:
        """Writes the matches of all pairs that are not verified yet, and removes geometries of other matches. Returns pairs with an invalid index."""
        matched = {(a, b): count for a, b, count in self.rows.match_counts()}
        finished = {pair for pair, count in matched.items() if count == 0}
        finished |= {(a, b) for a, b, _, configuration in self.rows.geometry_counts() if configuration != "undefined"}
        is_finished = [not overwrite and (self.ids[i], self.ids[j]) in finished for i, j in listed]
        self._check_finished(listed[is_finished])
        odd = []
        for part in _parts(listed[np.logical_not(is_finished)]):
            with self.rows.transaction():
                for i, j in part:
                    found = self._of(i, j)
                    pair = self.ids[i], self.ids[j]
                    wrong = (found >= [counts[i], counts[j]]).any(axis=1)
                    if wrong.any():
                        k = int(np.argmax(wrong))
                        reason = f"match {k} is of keypoints {found[k, 0]} and {found[k, 1]}, but the images have {counts[i]} and {counts[j]}"
                        odd.append((f"{self.matches.name}: '{self.names[i]}' and '{self.names[j]}'", reason, 1, True))
                    elif pair not in matched or not np.array_equal(self.rows.matches(*pair), found):  # type: ignore[arg-type]
                        self.rows.write_matches(*pair, found)
                        self.rows.erase_geometry(*pair)
        return odd

    def _check_finished(self, finished: NDArray[np.int32]) -> None:
        """Raises OSError if verified pairs have other matches than the file. A sample suffices, because a new run of a matcher changes nearly all pairs."""
        for i, j in finished[:: len(finished) // COMPARED + 1]:
            stored, given = self.rows.matches(self.ids[i], self.ids[j]), self._of(i, j)
            if stored is not None and not np.array_equal(np.unique(stored, axis=0), np.unique(given, axis=0)):
                raise OSError(
                    f"{self.database}: has other matches than {self.matches.name}: '{self.names[i]}' and '{self.names[j]}'; "
                    "verify them again with --overwrite"
                )

    def _of(self, i: int, j: int) -> NDArray[np.uint32]:
        found = self.matches.matches(self.names[i], self.names[j])
        if found is None:
            raise OSError(f"{self.matches.name}: has no matches of '{self.names[i]}' and '{self.names[j]}'")
        return found


def _parts(pairs: NDArray[np.int32]) -> Iterator[NDArray[np.int32]]:
    for first in range(0, len(pairs), PAIRS_OF_TRANSACTION):
        yield pairs[first : first + PAIRS_OF_TRANSACTION]


def _are_equal(stored: NDArray[np.float64], given: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Marks coordinates in px that agree up to rounding. hloc may have written the database from float16, which is rounded after 0.5 px is added."""
    _, exponent = np.frexp(given)
    unit = np.ldexp(1.0, exponent - 11)  # of float16
    is_half = (given != 0) & (np.fmod(given, unit) == 0)
    equal: NDArray[np.bool_] = np.abs(stored - given) <= np.maximum(0.01, np.where(is_half, np.abs(given) / 2048, 0))
    return equal
