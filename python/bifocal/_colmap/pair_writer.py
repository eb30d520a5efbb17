"""Keypoints and matches of any matcher in a COLMAP database."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any

from .._arrays import ArrayLike
from .._cameras import LensCamera
from .._colmap_database import Database, camera_params, index_pairs, keypoint_rows
from .._numbers import host_array, shown, whole_from

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray


def _size(size: tuple[int, int], name: str) -> tuple[int, int]:
    given = host_array(size, f"sizes of '{name}'")  # LightGlue's sizes are tensors
    if given.shape != (2,):
        raise ValueError(f"sizes of '{name}': {shown(size)}, must be (width, height)")
    return whole_from(given[0], f"sizes: width of '{name}'", 1), whole_from(given[1], f"sizes: height of '{name}'", 1)


def _points(given: ArrayLike, size: tuple[int, int], name: str) -> NDArray[numpy.float32]:
    """Returns keypoints of shape (N, 2); ValueError if one lies outside of the image, as after a forgotten change of scale."""
    import numpy as np

    points = keypoint_rows(given, f"keypoints of '{name}'")
    (width, height), (x, y) = size, points.T
    margin = 4  # px, as in collect
    outside = np.flatnonzero((x < -margin) | (y < -margin) | (x > width + margin) | (y > height + margin))
    if len(outside):
        k = outside[0]
        raise ValueError(f"keypoints of '{name}': keypoint {k} at ({x[k]:g}, {y[k]:g}) lies outside of the image of {width} x {height} px")
    return points


def _check_names(
    keypoints: Mapping[str, ArrayLike], matches: Mapping[tuple[str, str], ArrayLike], cameras: Mapping[str, Any], known: Collection[str]
) -> None:
    """Raises ValueError for pairs given in both orders, pairs of unknown images, and cameras of unknown images."""
    for name in cameras:
        if name not in known:
            raise ValueError(f"cameras: '{name}' is the name of no image")
    for pair in matches:
        for name in pair:
            if name not in keypoints:
                raise ValueError(f"matches: '{name}' has no keypoints")
        if pair[0] == pair[1]:
            raise ValueError(f"matches: a pair of '{pair[0]}' with itself")
        if pair[::-1] in matches:
            raise ValueError(f"matches: {pair} and {pair[::-1]} are one pair, must be given once")


def _model_and_params(camera: Any, name: str, size: tuple[int, int]) -> tuple[str, list[float]]:
    """Returns model and parameters of a camera that is given for an image."""
    called = f"cameras of '{name}'"
    if isinstance(camera, LensCamera):
        if camera.width > 0 and camera.height > 0 and (camera.width, camera.height) != size:
            raise ValueError(f"{called}: of {camera.width} x {camera.height} px, the image has {size[0]} x {size[1]} px")
        return camera.model, list(camera.params)
    if not isinstance(camera, (tuple, list)) or len(camera) != 2 or not isinstance(camera[0], str):
        raise TypeError(f"{called}: {shown(camera)}, must be a LensCamera or (model, params) such as ('PINHOLE', (fx, fy, cx, cy))")
    return camera[0], camera_params(camera[1], called)


def _image_id(database: Database, name: str, size: tuple[int, int], camera: Any) -> int:
    """Adds an image with a separate camera."""
    width, height = size
    guessed = ("SIMPLE_RADIAL", [1.2 * max(width, height), (width - 1) / 2, (height - 1) / 2, 0.0])
    model, params = guessed if camera is None else _model_and_params(camera, name, size)
    number = database.write_camera(model, width, height, params, has_prior_focal_length=camera is not None)
    return database.write_image(name, number)


def _replace_keypoints(database: Database, image: int, points: NDArray[numpy.float32]) -> None:
    """Writes keypoints. If they differ from existing keypoints, the descriptors, matches and geometries that refer to the old keypoints are removed."""
    import numpy as np

    half = np.float32(0.5)  # as the database stores them
    old = database.keypoints(image)
    if len(old) and np.array_equal(old[:, :2], points + half - half):
        return
    database.erase_keypoints(image)
    database.write_keypoints(image, points)


def write_features_and_matches(
    database: Database,
    sizes: Mapping[str, tuple[int, int]],
    keypoints: Mapping[str, ArrayLike],
    matches: Mapping[tuple[str, str], ArrayLike],
    cameras: Mapping[str, LensCamera | tuple[str, ArrayLike]],
) -> None:
    """Writes images, keypoints and matches in one transaction.

    An image that the database already has keeps its camera. If its keypoints change, its descriptors and the matches and geometries of all its pairs
    are removed. Geometries of the given pairs are removed.

    Args:
        database: Database that is open for writing.
        sizes: (width, height) of each image that the database does not have.
        keypoints: Keypoints of each image name in px, shape (N, 2).
        matches: Matches of each pair of image names, integers of shape (M, 2).
        cameras: LensCamera, or model and parameters, of new images with a known focal length.

    Raises:
        ValueError: If an image has no size, a keypoint lies outside of its image, a match names a missing keypoint, a pair is given in both orders,
            or a camera is of no image or of another size.
    """
    with database.transaction():
        sizes_of = {camera.id: (camera.width, camera.height) for camera in database.cameras()}
        there = {image.name: sizes_of[image.camera_id] for image in database.images()}
        ids = {image.name: image.id for image in database.images()}
        _check_names(keypoints, matches, cameras, {*keypoints, *sizes, *ids})
        counts: dict[str, int] = {}
        for name, given in keypoints.items():
            if name not in there and name not in sizes:
                raise ValueError(f"sizes: no size of '{name}', which is not in the database")
            size = there[name] if name in there else _size(sizes[name], name)
            points = _points(given, size, name)
            if name not in ids:
                ids[name] = _image_id(database, name, size, cameras.get(name))
            _replace_keypoints(database, ids[name], points)
            counts[name] = len(points)
        for (name1, name2), rows in matches.items():
            indices = index_pairs(rows, f"matches of '{name1}' and '{name2}'")
            for column, name in enumerate((name1, name2)):
                if len(indices) and indices[:, column].max() >= counts[name]:
                    raise ValueError(
                        f"matches of '{name1}' and '{name2}': keypoint {indices[:, column].max()} of '{name}', which has {counts[name]} keypoints"
                    )
            database.write_matches(ids[name1], ids[name2], indices)
            database.erase_geometry(ids[name1], ids[name2])
