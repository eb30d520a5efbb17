"""COLMAP's databases and models as arrays, geometric verification and bundle adjustment instead of COLMAP's. ``from bifocal import colmap``.

hloc calls pycolmap's verifier by one name, so that one line makes it use this one (docs/python.md)::

    hloc.triangulation.pycolmap.verify_matches = bifocal.colmap.verify_matches
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from . import _core
from ._colmap_database import Database, DatabaseCamera, DatabaseImage, TwoViewGeometry, write_features_and_matches
from ._colmap_model import (
    BundleAdjustment,
    FrameData,
    Model,
    ModelCamera,
    ModelFrame,
    ModelImage,
    ModelPoints,
    ModelPose,
    ModelRig,
    RigSensor,
    bundle_adjustment,
    read_model,
    write_model,
)
from ._devices import device_id
from ._options import VerifyOptions

if TYPE_CHECKING:
    from ._arrays import ArrayLike

__all__ = [
    "BundleAdjustment",
    "ContradictingPair",
    "Database",
    "DatabaseCamera",
    "DatabaseImage",
    "FrameData",
    "Model",
    "ModelCamera",
    "ModelFrame",
    "ModelImage",
    "ModelPoints",
    "ModelPose",
    "ModelRig",
    "RigSensor",
    "TwoViewGeometry",
    "Verification",
    "bundle_adjustment",
    "contradicting_pairs",
    "geometric_verification",
    "read_model",
    "verify",
    "verify_matches",
    "write_model",
    "write_pairs",
]

Path = str | bytes | os.PathLike[str] | os.PathLike[bytes]


@dataclass(frozen=True)
class Verification:
    """This is what a call has done."""

    pairs: int
    """To verify: listed, with matches, and not verified before."""
    done: int
    """So many of them are done."""
    skipped: int
    """Verified before."""
    unmatched: int
    """Listed, without a match."""
    left_out: int
    """So many have a row that can't be taken: done + left_out = pairs at the end."""
    inliers: int
    """The inliers of all pairs that are done."""
    configurations: dict[str, int]
    """Pairs done: 'calibrated', 'uncalibrated', 'planar_or_panoramic', 'degenerate', ..."""
    odd_rows: list[tuple[str, str, int]]
    """Rows that could not be taken as they are, each with the reason and the number of its pairs; one never stops the others."""

    @property
    def verified(self) -> int:
        """Number of pairs done that have a geometry: neither degenerate nor a watermark."""
        return sum(count for name, count in self.configurations.items() if name not in ("undefined", "degenerate", "watermark"))


def verify(
    database: Path,
    *,
    pairs: Path | None = None,
    options: VerifyOptions | None = None,
    overwrite: bool = False,
    device: str | None = "cpu",
    progress: Callable[[Verification], bool | None] | None = None,
) -> Verification:
    """Verifies the pairs of a database that have matches, or those that the file `pairs` lists, and writes their geometries.

    `device` may name several of one kind, `"cuda:all"` or `"cuda:0,cuda:1"`: the database has the same bytes whatever their number.
    Pairs that have a geometry are skipped, with `overwrite` done again. `progress` is called between pieces of the pairs; False ends the
    work, which a further call goes on with. Ctrl-C is answered there.
    """
    tell = None if progress is None else lambda counts: progress(Verification(**counts))
    return Verification(**_core.verify_database(database, pairs, options, overwrite, device_id(device) or "cpu", tell))


def write_pairs(
    database: Path,
    keypoints: Mapping[str, ArrayLike],
    matches: Mapping[tuple[str, str], ArrayLike],
    sizes: Mapping[str, tuple[int, int]] | None = None,
    *,
    cameras: Mapping[str, tuple[str, ArrayLike]] | None = None,
    options: VerifyOptions | None = None,
    device: str | None = "cpu",
    progress: Callable[[Verification], bool | None] | None = None,
) -> Verification:
    """Writes keypoints and matches of any matcher into a COLMAP database and verifies the pairs, so that a mapper can read it.

    Args:
        database: File, created if it is missing. An existing one keeps its cameras and images; keypoints and matches of the given images and
            pairs are replaced.
        keypoints: Of each image name, px, shape (N, 2), NumPy or torch on any device. The centre of the first pixel is (0, 0): subtract 0.5 from
            the keypoints of a matcher that counts from its corner.
        matches: Of each pair of image names, integers of shape (M, 2): indices of keypoints of the first and the second image.
        sizes: (width, height) of each image that the database does not have.
        cameras: Model and parameters (DatabaseCamera) of new images with a known focal length. By default an image gets a camera of its own,
            SIMPLE_RADIAL with a focal length of 1.2 times the longer side.
        options: Of the verification.
        device: Where pairs are verified in batches.
        progress: As of `verify`.

    Returns:
        Counts of the verified pairs, as `verify`.

    Raises:
        ValueError: If an image has no size, or a match names a keypoint that is not there. Nothing is written then.
        OSError: If the file is no COLMAP database.
    """
    is_new = not os.path.exists(database)
    try:
        with Database(database, "x" if is_new else "r+") as rows:
            write_features_and_matches(rows, sizes or {}, keypoints, matches, cameras or {})
    except ValueError:
        if is_new and os.path.exists(database):
            os.unlink(database)
        raise
    return verify(database, options=options, device=device, progress=progress)


@dataclass(frozen=True)
class ContradictingPair:
    """A pair whose rotation is more probably wrong than correct."""

    image1: int
    """image_id of the database, as `image2`."""
    image2: int
    name1: str
    name2: str
    inliers: int
    probability: float
    """Of the rotation being correct."""


def contradicting_pairs(database: Path) -> list[ContradictingPair]:
    """Returns the pairs with a pose whose rotation contradicts the rotations of other pairs in triplets of images, in the order of pair_id.

    `bifocal collect`, `verify` and `report` list the same pairs. The database stays as it is. C. Zach, M. Klopschitz, M. Pollefeys,
    Disambiguating visual relations using loop constraints, CVPR 2010.
    """
    return [ContradictingPair(*pair) for pair in _core.contradicting_pairs(database)]


# These options of pycolmap's TwoViewGeometryOptions have the same meaning here.
_SAME = {
    "min_num_inliers": "min_inliers",
    "min_E_F_inlier_ratio": "min_E_F_inlier_ratio",
    "max_H_inlier_ratio": "max_H_inlier_ratio",
    "watermark_min_inlier_ratio": "watermark_min_inlier_ratio",
    "watermark_border_size": "watermark_border_size",
    "watermark_detection_max_error": "watermark_max_error",
    "detect_watermark": "detect_watermark",
    "compute_relative_pose": "relative_pose",
}
_SAME_OF_RANSAC = {
    "max_error": "max_error",
    "confidence": "confidence",
    "min_num_trials": "min_iterations",
    "max_num_trials": "max_iterations",
}
# Refused unless they have this value, since they would change what is found.
_OFF = {
    "min_inlier_ratio": 0.0,
    "filter_stationary_matches": False,
    "force_H_use": False,
    "multiple_models": False,
}
# These have no part in what is found here.
_NOT_USED = {"multiple_ignore_watermark", "stationary_matches_max_error", "use_degensac", "use_sampson_refinement"}
_NOT_USED_OF_RANSAC = {"dyn_num_trials_multiplier", "num_threads"}
_COLMAPS_INLIER_RATIO = 0.25


def _fields(options: Any) -> dict[str, Any]:
    if options is None:
        return {}
    given = options if isinstance(options, Mapping) else options.todict()
    return dict(given)


def _options(options: Any) -> VerifyOptions:
    """Makes options of a dictionary, a pycolmap.TwoViewGeometryOptions, or ours."""
    if isinstance(options, VerifyOptions):
        return options
    if options is not None and not isinstance(options, Mapping) and not hasattr(options, "todict"):
        raise TypeError(f"options: {options!r}, must be a dictionary, pycolmap.TwoViewGeometryOptions or bifocal.VerifyOptions")
    ours: dict[str, Any] = {}
    for name, value in _fields(options).items():
        if name == "ransac":
            _take_ransac(_fields(value), ours)
        elif name in _SAME:
            ours[_SAME[name]] = value
        elif name in _OFF:
            if value != _OFF[name]:
                raise ValueError(f"options: {name} = {value}, must be {_OFF[name]} here")
        elif name not in _NOT_USED:
            raise ValueError(f"options: '{name}' is no option of pycolmap.TwoViewGeometryOptions")
    ours.setdefault("max_iterations", VerifyOptions().max_iterations)
    ours["min_iterations"] = min(ours.get("min_iterations", VerifyOptions().min_iterations), ours["max_iterations"])
    return VerifyOptions(**ours)


def _take_ransac(ransac: dict[str, Any], ours: dict[str, Any]) -> None:
    for name, value in ransac.items():
        if name in _SAME_OF_RANSAC:
            ours[_SAME_OF_RANSAC[name]] = value
        elif name == "min_inlier_ratio":
            # COLMAP's default is Bifocal's own, which depends on the number of matches.
            ours["min_inlier_ratio"] = 0.0 if value == _COLMAPS_INLIER_RATIO else value
        elif name == "random_seed":
            ours["seed"] = max(0, value)
        elif name not in _NOT_USED_OF_RANSAC:
            raise ValueError(f"options: ransac: '{name}' is no option of pycolmap.RANSACOptions")


def _until(token: Any) -> Callable[[Verification], bool] | None:
    return None if token is None else lambda done: not token.is_cancelled()


def verify_matches(
    database_path: Path,
    pairs_path: Path,
    options: Any = None,
    cancellation_token: Any = None,
    *,
    device: str | None = "cpu",
) -> Verification:
    """pycolmap.verify_matches: the pairs of a file, two names of images a line.

    options: a dictionary or pycolmap.TwoViewGeometryOptions. The same result on every run, whatever the threads; -1 as a seed is 0.
    """
    return verify(database_path, pairs=pairs_path, options=_options(options), device=device, progress=_until(cancellation_token))


def geometric_verification(
    database_path: Path,
    verifier_options: Any = None,
    pairing_options: Any = None,
    two_view_geometry_options: Any = None,
    cancellation_token: Any = None,
    *,
    device: str | None = "cpu",
) -> Verification:
    """pycolmap.geometric_verification: all pairs that have matches. verifier_options and pairing_options have no part in it."""
    return verify(database_path, options=_options(two_view_geometry_options), device=device, progress=_until(cancellation_token))
