"""COLMAP databases as NumPy arrays."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from . import _core
from ._arrays import ArrayLike
from ._numbers import array_of, host_array, whole_from

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
    """Row of the table `cameras`, in the same pixels as the keypoints. Functions with camera arguments take it like a LensCamera.

    Attributes:
        id: camera_id of the row.
        model: Name of COLMAP's camera model: 'PINHOLE', 'SIMPLE_RADIAL', 'OPENCV', ...
        width, height: Size of the images in px.
        params: Parameters in the order of the model, px; the centre of the first pixel is (0, 0). cx and cy of the file and of pycolmap are larger
            by 0.5: do not subtract it again.
        has_prior_focal_length: True if the focal length is known, for example from EXIF.
    """

    id: int
    model: str
    width: int
    height: int
    params: NDArray[numpy.float64]
    has_prior_focal_length: bool
    first_pixel: ClassVar[float] = 0.0


@dataclass(frozen=True)
class DatabaseImage:
    """Row of the table `images`.

    Attributes:
        id: image_id of the row.
        name: Path of the photograph below the folder of the images.
        camera_id: Number of its camera.
    """

    id: int
    name: str
    camera_id: int


@dataclass(frozen=True)
class TwoViewGeometry:
    """Row of the table `two_view_geometries`, for the images in the order of the arguments of `Database.geometry`.

    Attributes:
        configuration: 'calibrated', 'uncalibrated', 'planar_or_panoramic', 'degenerate', ... (CONFIGURATIONS).
        inliers: Indices of keypoints of both images, shape (N, 2).
        F: Fundamental matrix in px with (0, 0) the centre of the first pixel, shape (3, 3), or None.
        E: Essential matrix, shape (3, 3), or None.
        H: Homography in px with (0, 0) the centre of the first pixel, shape (3, 3), or None.
        R, t: Rotation and translation of X2 = R X1 + t, or None.
    """

    configuration: str
    inliers: NDArray[numpy.uint32]
    F: NDArray[numpy.float64] | None = None
    E: NDArray[numpy.float64] | None = None
    H: NDArray[numpy.float64] | None = None
    R: NDArray[numpy.float64] | None = None
    t: NDArray[numpy.float64] | None = None


@dataclass(frozen=True)
class PosePrior:
    """Position and direction of gravity of an image from sources other than its pixels, such as EXIF.

    Attributes:
        image_id: Number of the image.
        coordinates: 'wgs84', 'cartesian' or 'undefined': the coordinates of `position`.
        position: Projection centre: degrees north, degrees east and altitude in m, or x, y, z; shape (3,), or None.
        covariance: Covariance of the position, shape (3, 3), or None: east, north, up in m^2 for 'wgs84', otherwise in squares of its units.
        gravity: Direction down in the axes of the camera (x right, y down, z forward), unit length, shape (3,), or None.
    """

    image_id: int
    coordinates: str
    position: NDArray[numpy.float64] | None = None
    covariance: NDArray[numpy.float64] | None = None
    gravity: NDArray[numpy.float64] | None = None


def index_pairs(values: ArrayLike, name: str) -> Any:
    """Returns uint32 indices of keypoints, shape (N, 2)."""
    return array_of(values, name, "uint32", (-1, 2))


def _floats(values: ArrayLike, name: str, columns: tuple[int, ...]) -> NDArray[numpy.float32]:
    """Returns finite float32 with one of these numbers of columns."""
    import numpy as np

    given = host_array(values, name)
    if given.ndim != 2 or given.shape[1] not in columns:
        raise ValueError(f"{name}: shape {given.shape}, must be {' or '.join(f'(N, {c})' for c in columns)}")
    floats: NDArray[numpy.float32] = array_of(given, name, "float32", given.shape)
    if not np.isfinite(floats).all():
        raise ValueError(f"{name}: not all are finite numbers of float32")
    return floats


def keypoint_rows(values: ArrayLike, name: str) -> NDArray[numpy.float32]:
    """Returns finite float32 positions of shape (N, 2)."""
    return _floats(values, name, (2,))


def camera_params(values: ArrayLike, name: str) -> list[float]:
    """Returns finite parameters of a camera."""
    import numpy as np

    params = array_of(values, name, "float64", (-1,))
    if not np.isfinite(params).all():
        raise ValueError(f"{name}: {params.tolist()}, must be finite")
    values_: list[float] = params.tolist()
    return values_


def _id(value: int, name: str) -> int:
    return whole_from(value, name, 0)


class Database:
    """COLMAP database of version 3.8 to 4.2 as NumPy arrays.

    The centre of the first pixel is (0, 0) as everywhere in this package, for keypoints, cameras, F and H. Poses are X2 = R X1 + t, and a pair may be
    named in either order. A damaged row raises OSError with file, table and row.

    Args:
        file: Name of the database.
        mode: 'r' reads, 'r+' also writes, 'x' creates a new file.

    Raises:
        OSError: If the file is missing or no COLMAP database, or exists with mode 'x'.
        ValueError: If `mode` is unknown.
    """

    __slots__ = ("_rows",)

    def __init__(self, file: Path, mode: str = "r") -> None:
        """Opens a database.

        Args:
            file: Name of the database.
            mode: 'r' reads, 'r+' also writes, 'x' creates a new file.
        """
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
        """Context that stores all writes together at its end, and discards all of them after an exception. A single write takes milliseconds."""
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
        """Returns the keypoints of an image.

        Args:
            image_id: Number of the image.

        Returns:
            Shape (N, C): x, y in px; with C = 4 also scale and orientation, with C = 6 also the affine shape.
        """
        return self._rows.keypoints(_id(image_id, "image_id"))

    def descriptors(self, image_id: int) -> NDArray[numpy.uint8]:
        """Returns the descriptors of an image.

        Args:
            image_id: Number of the image.

        Returns:
            uint8 of shape (N, D).
        """
        return self._rows.descriptors(_id(image_id, "image_id"))

    def matches(self, image_id1: int, image_id2: int) -> NDArray[numpy.uint32] | None:
        """Returns the matches of a pair.

        Args:
            image_id1, image_id2: Numbers of the images in either order.

        Returns:
            Indices of matched keypoints, shape (M, 2), in the order of the arguments; None if the pair has no row.
        """
        return self._rows.matches(_id(image_id1, "image_id1"), _id(image_id2, "image_id2"))

    def geometry(self, image_id1: int, image_id2: int) -> TwoViewGeometry | None:
        """Returns the verified geometry of a pair.

        Args:
            image_id1, image_id2: Numbers of the images in either order.

        Returns:
            TwoViewGeometry in the order of the arguments; None if the pair has no row.
        """
        row = self._rows.geometry(_id(image_id1, "image_id1"), _id(image_id2, "image_id2"))
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
        """Adds a camera.

        Args:
            model: Name of COLMAP's camera model: 'PINHOLE', 'SIMPLE_RADIAL', 'OPENCV', ...
            width, height: Size of the images in px.
            params: Parameters in the order of the model, px; the centre of the first pixel is (0, 0). The file gets cx and cy larger by 0.5: do not
                add it before, and subtract it from parameters of pycolmap (`LensCamera.from_colmap`).
            has_prior_focal_length: True if the focal length is known.
            camera_id: Number of the camera; 0 takes the next free number.

        Returns:
            Number of the camera.

        Raises:
            ValueError: If the model is unknown or the parameters do not fit it.
        """
        w, h, number = (_id(value, name) for value, name in ((width, "width"), (height, "height"), (camera_id, "camera_id")))
        return self._rows.write_camera(number, model, w, h, camera_params(params, "params"), has_prior_focal_length)

    def write_image(self, name: str | bytes, camera_id: int, *, image_id: int = 0) -> int:
        """Adds an image.

        Args:
            name: Path of the photograph below the folder of the images.
            camera_id: Number of its camera.
            image_id: Number of the image; 0 takes the next free number.

        Returns:
            Number of the image.
        """
        return self._rows.write_image(_id(image_id, "image_id"), name, _id(camera_id, "camera_id"))

    def write_keypoints(self, image_id: int, keypoints: ArrayLike) -> None:
        """Writes the keypoints of an image and replaces existing keypoints. Matches keep their indices (see `erase_keypoints`).

        Args:
            image_id: Number of the image.
            keypoints: Shape (N, 2), (N, 4) or (N, 6), as `keypoints` returns them.

        Raises:
            ValueError: If the shape does not fit or a number is not finite.
        """
        self._rows.write_keypoints(_id(image_id, "image_id"), _floats(keypoints, "keypoints", (2, 4, 6)))

    def erase_keypoints(self, image_id: int) -> None:
        """Removes the keypoints and descriptors of an image, and the matches and geometries of all its pairs.

        Indices of matches would be wrong for other keypoints.

        Args:
            image_id: Number of the image.
        """
        self._rows.erase_keypoints(_id(image_id, "image_id"))

    def write_descriptors(self, image_id: int, descriptors: ArrayLike, *, type: int = 0) -> None:
        """Writes the descriptors of an image and replaces existing descriptors.

        Args:
            image_id: Number of the image.
            descriptors: uint8 of shape (N, D).
            type: 0 for SIFT, -1 for an unknown type.

        Raises:
            ValueError: If the descriptors are not uint8 of shape (N, D).
        """
        import numpy as np

        given = host_array(descriptors, "descriptors")
        if given.ndim != 2 or given.dtype != np.uint8:
            raise ValueError(f"descriptors: {given.dtype} of shape {given.shape}, must be uint8 of shape (N, D)")
        self._rows.write_descriptors(_id(image_id, "image_id"), np.ascontiguousarray(given), whole_from(type, "type", -1))

    def write_matches(self, image_id1: int, image_id2: int, matches: ArrayLike) -> None:
        """Writes the matches of a pair and replaces existing matches.

        Args:
            image_id1, image_id2: Numbers of the images in either order.
            matches: Indices of matched keypoints in the order of the images, integers of shape (M, 2).

        Raises:
            ValueError: If the shape does not fit or an index is negative.
        """
        self._rows.write_matches(_id(image_id1, "image_id1"), _id(image_id2, "image_id2"), index_pairs(matches, "matches"))

    def pose_priors(self) -> list[PosePrior]:
        """Reads the priors of images.

        Returns:
            PosePrior of each image that has one, in the order of the numbers.
        """
        return [PosePrior(*row) for row in self._rows.pose_priors()]

    def write_pose_prior(self, prior: PosePrior) -> None:
        """Writes the prior of an image and replaces an existing prior. The first prior creates the table of COLMAP 4.

        Args:
            prior: Prior of an existing image.

        Raises:
            ValueError: If the image is missing, a value is not finite, the covariance is not symmetric and positive definite, or the gravity is not of
                unit length.
        """
        self._rows.write_pose_prior(_id(prior.image_id, "image_id"), prior.coordinates, prior.position, prior.covariance, prior.gravity)

    def write_geometry(self, image_id1: int, image_id2: int, geometry: TwoViewGeometry) -> None:
        """Writes the geometry of a pair and replaces an existing geometry.

        Args:
            image_id1, image_id2: Numbers of the images in either order.
            geometry: Geometry in the order of the images.

        Raises:
            ValueError: If the configuration is unknown or an index is negative.
        """
        g = geometry
        if g.configuration not in CONFIGURATIONS:
            raise ValueError(f"configuration: {g.configuration!r}, must be one of {', '.join(CONFIGURATIONS)}")
        number = CONFIGURATIONS.index(g.configuration)
        pair = _id(image_id1, "image_id1"), _id(image_id2, "image_id2")
        self._rows.write_geometry(*pair, number, index_pairs(g.inliers, "inliers"), (g.F, g.E, g.H), (g.R, g.t))

    def erase_geometry(self, image_id1: int, image_id2: int) -> None:
        """Removes the geometry of a pair if it has one.

        Args:
            image_id1, image_id2: Numbers of the images in either order.
        """
        self._rows.erase_geometry(_id(image_id1, "image_id1"), _id(image_id2, "image_id2"))
