"""COLMAP databases as NumPy arrays, and matches of any matcher written into one."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from . import _core
from ._arrays import ArrayLike

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

Path = str | bytes | os.PathLike[str] | os.PathLike[bytes]

CONFIGURATIONS = (
    "undefined",
    "degenerate",
    "calibrated",
    "uncalibrated",
    "planar",
    "panoramic",
    "planar_or_panoramic",
    "watermark",
    "multiple",
    "calibrated_rig",
)


@dataclass(frozen=True)
class DatabaseCamera:
    """A row of the table `cameras`."""

    id: int
    model: str
    """Name of COLMAP's camera model: 'PINHOLE', 'SIMPLE_RADIAL', 'OPENCV', ..."""
    width: int
    """px, as `height`."""
    height: int
    params: NDArray[numpy.float64]
    """Parameters in the order of the model, px, as COLMAP has them: the centre of the first pixel is (0.5, 0.5)."""
    has_prior_focal_length: bool


@dataclass(frozen=True)
class DatabaseImage:
    """A row of the table `images`."""

    id: int
    name: str
    camera_id: int


@dataclass(frozen=True)
class TwoViewGeometry:
    """A row of the table `two_view_geometries`, of the images in the order in which they were asked for."""

    configuration: str
    """'calibrated', 'uncalibrated', 'planar_or_panoramic', 'degenerate', ... (CONFIGURATIONS)."""
    inliers: NDArray[numpy.uint32]
    """Indices of keypoints, shape (N, 2)."""
    F: NDArray[numpy.float64] | None = None
    """Fundamental matrix, px, the centre of the first pixel is (0, 0)."""
    E: NDArray[numpy.float64] | None = None
    H: NDArray[numpy.float64] | None = None
    R: NDArray[numpy.float64] | None = None
    """Rotation of X2 = R X1 + t, as `t`."""
    t: NDArray[numpy.float64] | None = None


def numpy_of(values: ArrayLike) -> Any:
    """Returns an array of NumPy; tensors are detached and copied to the host."""
    import numpy as np

    if hasattr(values, "detach"):  # torch
        values = values.detach().cpu()
    elif hasattr(values, "get") and hasattr(values, "device"):  # CuPy
        values = values.get()
    return np.asarray(values)


def _indices(values: ArrayLike, name: str) -> Any:
    import numpy as np

    given = numpy_of(values)
    if given.size == 0:
        return np.zeros((0, 2), np.uint32)
    if given.ndim != 2 or given.shape[1] != 2 or given.dtype.kind not in "iu":
        raise ValueError(f"{name}: {given.dtype} of shape {given.shape}, must be integers of shape (N, 2)")
    if given.min() < 0 or given.max() > 2**32 - 1:
        raise ValueError(f"{name}: index {given.min() if given.min() < 0 else given.max()}, must be from 0 to 4294967295")
    return np.ascontiguousarray(given, np.uint32)


class Database:
    """A COLMAP database, version 3.8 to 4.2, as NumPy arrays.

    Coordinates are those of this package: the centre of the first pixel is (0, 0), poses are X2 = R X1 + t, and a pair may be named in either
    order. Camera parameters are an exception (DatabaseCamera.params). Damaged rows raise OSError with file, table and row.

    Args:
        file: Name of the database.
        mode: 'r' reads, 'r+' also writes, 'x' creates a new file.

    Raises:
        OSError: If the file is missing, no COLMAP database, or there already with mode 'x'.
        ValueError: If an argument of a method cannot be stored.
    """

    __slots__ = ("_rows",)

    def __init__(self, file: Path, mode: str = "r") -> None:
        self._rows = _core.ColmapDatabase(file, mode)

    def __repr__(self) -> str:
        return repr(self._rows)

    def __enter__(self) -> Database:
        return self

    def __exit__(self, *failure: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the file. Writes of an open transaction are lost."""
        self._rows.close()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Context in which all writes are stored together at its end, or none of them after an exception. Single writes take milliseconds each."""
        self._rows.begin()
        try:
            yield
        except BaseException:
            self._rows.end(False)
            raise
        self._rows.end(True)

    def cameras(self) -> list[DatabaseCamera]:
        """Returns all cameras in the order of their numbers."""
        return [DatabaseCamera(*row) for row in self._rows.cameras()]

    def images(self) -> list[DatabaseImage]:
        """Returns all images in the order of their numbers."""
        return [DatabaseImage(*row) for row in self._rows.images()]

    def keypoints(self, image_id: int) -> NDArray[numpy.float32]:
        """Returns the keypoints of an image, shape (N, C): x, y in px, and with C = 4 scale and orientation, with C = 6 the affine shape."""
        return self._rows.keypoints(image_id)

    def descriptors(self, image_id: int) -> NDArray[numpy.uint8]:
        """Returns the descriptors of an image, shape (N, D)."""
        return self._rows.descriptors(image_id)

    def matches(self, image_id1: int, image_id2: int) -> NDArray[numpy.uint32] | None:
        """Returns the indices of matched keypoints, shape (M, 2), None if the pair has no row."""
        return self._rows.matches(image_id1, image_id2)

    def geometry(self, image_id1: int, image_id2: int) -> TwoViewGeometry | None:
        """Returns the verified geometry of a pair, None if the pair has no row."""
        row = self._rows.geometry(image_id1, image_id2)
        return None if row is None else TwoViewGeometry(*row[1:])

    def match_counts(self) -> list[tuple[int, int, int]]:
        """Returns image_id1, image_id2 and the number of matches of each pair with a row."""
        return self._rows.match_rows()

    def geometry_counts(self) -> list[tuple[int, int, int, str]]:
        """Returns image_id1, image_id2, the number of inliers and the configuration of each pair with a row."""
        return self._rows.geometry_rows()

    def write_camera(
        self, model: str, width: int, height: int, params: ArrayLike, *, has_prior_focal_length: bool = False, camera_id: int = 0
    ) -> int:
        """Adds a camera and returns its number, the next free one if `camera_id` is 0."""
        return self._rows.write_camera(camera_id, model, width, height, numpy_of(params).astype(float).ravel().tolist(), has_prior_focal_length)

    def write_image(self, name: str | bytes, camera_id: int, *, image_id: int = 0) -> int:
        """Adds an image, named by its path below the folder of the images, and returns its number, the next free one if `image_id` is 0."""
        return self._rows.write_image(image_id, name, camera_id)

    def write_keypoints(self, image_id: int, keypoints: ArrayLike) -> None:
        """Writes keypoints, shape (N, 2), (N, 4) or (N, 6) as `keypoints` returns them, in place of earlier ones."""
        import numpy as np

        given = numpy_of(keypoints)
        if given.ndim != 2 or given.dtype.kind not in "fiu":
            raise ValueError(f"keypoints: {given.dtype} of shape {given.shape}, must be numbers of shape (N, 2), (N, 4) or (N, 6)")
        if not np.isfinite(given).all():
            raise ValueError("keypoints: not all are finite")
        self._rows.write_keypoints(image_id, np.ascontiguousarray(given, np.float32))

    def write_descriptors(self, image_id: int, descriptors: ArrayLike, *, type: int = 0) -> None:
        """Writes descriptors, uint8 of shape (N, D), in place of earlier ones; type: 0 SIFT, -1 unknown."""
        import numpy as np

        given = numpy_of(descriptors)
        if given.ndim != 2 or given.dtype != np.uint8:
            raise ValueError(f"descriptors: {given.dtype} of shape {given.shape}, must be uint8 of shape (N, D)")
        self._rows.write_descriptors(image_id, np.ascontiguousarray(given), type)

    def write_matches(self, image_id1: int, image_id2: int, matches: ArrayLike) -> None:
        """Writes indices of matched keypoints, integers of shape (M, 2), in place of earlier ones."""
        self._rows.write_matches(image_id1, image_id2, _indices(matches, "matches"))

    def write_geometry(self, image_id1: int, image_id2: int, geometry: TwoViewGeometry) -> None:
        """Writes the geometry of a pair in place of an earlier one."""
        g = geometry
        if g.configuration not in CONFIGURATIONS:
            raise ValueError(f"configuration: '{g.configuration}', must be one of {', '.join(CONFIGURATIONS)}")
        number = CONFIGURATIONS.index(g.configuration)
        self._rows.write_geometry(image_id1, image_id2, number, _indices(g.inliers, "inliers"), (g.F, g.E, g.H), (g.R, g.t))

    def erase_geometry(self, image_id1: int, image_id2: int) -> None:
        """Removes the geometry of a pair if it has one."""
        self._rows.erase_geometry(image_id1, image_id2)


def write_features_and_matches(
    database: Database,
    sizes: Mapping[str, tuple[int, int]],
    keypoints: Mapping[str, ArrayLike],
    matches: Mapping[tuple[str, str], ArrayLike],
    cameras: Mapping[str, tuple[str, ArrayLike]],
) -> None:
    """Writes images, keypoints and matches in one transaction; an image that the database has keeps its camera. Geometries of the pairs are removed."""
    with database.transaction():
        ids = {image.name: image.id for image in database.images()}
        counts: dict[str, int] = {}
        for name, points in keypoints.items():
            if name not in ids:
                if name not in sizes:
                    raise ValueError(f"sizes: no size of '{name}', which is not in the database")
                width, height = (int(side) for side in sizes[name])
                model, params = cameras.get(name, ("SIMPLE_RADIAL", (1.2 * max(width, height), width / 2, height / 2, 0.0)))
                camera = database.write_camera(model, width, height, params, has_prior_focal_length=name in cameras)
                ids[name] = database.write_image(name, camera)
            given = numpy_of(points)
            database.write_keypoints(ids[name], given)
            counts[name] = len(given)
        for (name1, name2), rows in matches.items():
            for name in (name1, name2):
                if name not in counts:
                    raise ValueError(f"matches: '{name}' has no keypoints")
            given = _indices(rows, f"matches of '{name1}' and '{name2}'")
            for column, name in enumerate((name1, name2)):
                if len(given) and given[:, column].max() >= counts[name]:
                    raise ValueError(
                        f"matches of '{name1}' and '{name2}': keypoint {given[:, column].max()} of '{name}', which has {counts[name]} keypoints"
                    )
            database.write_matches(ids[name1], ids[name2], given)
            database.erase_geometry(ids[name1], ids[name2])
