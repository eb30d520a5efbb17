"""COLMAP databases and models as arrays, matches of any matcher, geometric verification and bundle adjustment that replace COLMAP's.
``from bifocal import colmap``.

hloc calls pycolmap's verifier by name, so that one line makes it use this module (docs/python.md)::

    hloc.triangulation.pycolmap.verify_matches = bifocal.colmap.verify_matches
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ._adjust import BundleAdjustment
from ._arguments import CancellationToken, check_public
from . import _core
from ._cameras import LensCamera
from ._colmap.option_fields import fields_of, is_value
from ._colmap.pair_writer import write_features_and_matches
from ._colmap.shared_keypoints import shared_keypoints
from ._colmap_database import Database, DatabaseCamera, DatabaseImage, PosePrior, TwoViewGeometry
from ._colmap_model import (
    FrameData,
    Georeference,
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
from ._colmap.control import Control, ControlMark, ControlPoint, ControlRms
from ._devices import device_id
from ._numbers import shown, whole
from ._mapping import Mapped, MapFigures, ModelDoubt, Undistorted, map_database, undistort_model
from ._options import BundleAdjustOptions, TwoViewGeometryOptions

if TYPE_CHECKING:
    from ._arrays import ArrayLike

__all__ = [
    "BundleAdjustOptions",
    "BundleAdjustment",
    "ContradictingPair",
    "Control",
    "ControlMark",
    "ControlPoint",
    "ControlRms",
    "Database",
    "DatabaseCamera",
    "DatabaseImage",
    "FrameData",
    "Georeference",
    "MapFigures",
    "ModelDoubt",
    "Mapped",
    "Model",
    "ModelCamera",
    "ModelFrame",
    "ModelImage",
    "ModelPoints",
    "ModelPose",
    "ModelRig",
    "PosePrior",
    "RigSensor",
    "TwoViewGeometry",
    "TwoViewGeometryOptions",
    "Undistorted",
    "Verification",
    "bundle_adjustment",
    "contradicting_pairs",
    "geometric_verification",
    "map_database",
    "read_model",
    "shared_keypoints",
    "undistort_model",
    "verify",
    "verify_matches",
    "write_model",
    "write_pairs",
]

Path = str | bytes | os.PathLike[str] | os.PathLike[bytes]


@dataclass(frozen=True)
class Verification:
    """Progress and result of a verification.

    Attributes:
        pairs: Number of pairs to verify: listed, with matches, and not verified before.
        done: Number of pairs that were verified.
        verified_before: Number of pairs that were verified before.
        unmatched: Number of listed pairs without matches.
        left_out: Number of pairs with an invalid row; at the end done + left_out = pairs.
        inliers: Number of inliers of all verified pairs.
        configurations: Number of verified pairs by configuration: 'calibrated', 'uncalibrated', 'planar_or_panoramic', 'degenerate', ...
        odd_rows: (row, reason, number of its pairs) for each invalid or doubtful row; such a row does not stop the verification of other pairs.
    """

    pairs: int
    done: int
    verified_before: int
    unmatched: int
    left_out: int
    inliers: int
    configurations: dict[str, int]
    odd_rows: list[tuple[str, str, int]]

    @property
    def verified(self) -> int:
        """Number of verified pairs that have a geometry: neither degenerate nor a watermark."""
        return sum(count for name, count in self.configurations.items() if name not in ("undefined", "degenerate", "watermark"))


def verify(
    database: Path,
    *,
    pairs: Path | None = None,
    options: TwoViewGeometryOptions | None = None,
    overwrite: bool = False,
    device: str | None = "auto",
    progress: Callable[[Verification], bool | None] | None = None,
) -> Verification:
    """Verifies the pairs of a COLMAP database geometrically and writes their geometries.

    An interrupted or ended verification is resumed by a further call. The database has the same bytes for any number of devices.

    Args:
        database: Name of the database.
        pairs: File of pairs, two image names a line; by default all pairs that have matches.
        options: Options of the verification.
        overwrite: Verifies pairs again that have a geometry; otherwise they are skipped.
        device: 'auto' (the first CUDA device, else an OpenCL GPU, else the CPU), 'cpu', 'cuda:0', ..., or several devices of one
            kind: 'cuda:all', 'cuda:0,cuda:1'.
        progress: Called with the counts between parts of the pairs, where Ctrl-C is also handled. False ends the verification.

    Returns:
        Verification with the counts of pairs.

    Raises:
        ValueError: If an option is out of range.
        OSError: If a file is missing, no COLMAP database, or cannot be written.
        RuntimeError: If a device is missing or fails.
    """
    tell = None if progress is None else lambda counts: progress(Verification(**counts))
    return Verification(**_core.verify_database(database, pairs, options, overwrite, device_id(device) or "auto", tell))


def _name(value: Any, argument: str) -> str:
    if not isinstance(value, (str, bytes, os.PathLike)):
        raise TypeError(f"{argument}: {shown(value)}, must be the name of an image")
    return os.fsdecode(value)


def _by_name(values: Mapping[str, Any] | None, argument: str) -> dict[str, Any]:
    return {_name(name, argument): value for name, value in (values or {}).items()}


def _names(pair: Any) -> tuple[str, str]:
    if not isinstance(pair, tuple) or len(pair) != 2:
        raise ValueError(f"matches: {shown(pair)}, must be a pair of names")
    return _name(pair[0], "matches"), _name(pair[1], "matches")


def write_pairs(
    database: Path,
    keypoints: Mapping[str, ArrayLike],
    matches: Mapping[tuple[str, str], ArrayLike],
    sizes: Mapping[str, tuple[int, int]] | None = None,
    *,
    cameras: Mapping[str, LensCamera | tuple[str, ArrayLike]] | None = None,
    options: TwoViewGeometryOptions | None = None,
    device: str | None = "auto",
    progress: Callable[[Verification], bool | None] | None = None,
) -> Verification:
    """Writes keypoints and matches of any matcher into a COLMAP database and verifies the pairs, so that a mapper can read it.

    Args:
        database: File, created if it is missing. An existing one keeps its cameras and images; keypoints and matches of the given images and
            pairs are replaced. If the keypoints of an image change, its descriptors and all its other pairs are removed, because their indices
            would be wrong.
        keypoints: Keypoints of each image name in px, shape (N, 2), NumPy or torch on any device. The centre of the first pixel is (0, 0): subtract
            0.5 from the keypoints of a matcher whose origin is the corner of that pixel.
        matches: Matches of each pair of image names, integers of shape (M, 2): indices of keypoints of the first and the second image.
        sizes: (width, height) of each image that the database does not have.
        cameras: LensCamera, or model and parameters, of new images with a known focal length. The centre of the first pixel is (0, 0): subtract 0.5
            from cx and cy of pycolmap (`LensCamera.from_colmap`). By default each image gets a separate camera, SIMPLE_RADIAL with a focal length
            of 1.2 times the longer side.
        options: Options of the verification.
        device: Device of the verification, as in `verify`: 'auto', 'cpu', 'cuda:0', 'cuda:all', ...
        progress: Called with the counts between parts of the pairs; False ends the verification.

    Returns:
        Verification with the counts of the pairs.

    Raises:
        ValueError: If an image has no size, a keypoint lies outside of its image, a match names a missing keypoint, a pair is given in both orders,
            or an option is out of range. The database is unchanged then.
        OSError: If the file is no COLMAP database.
        RuntimeError: If the device is missing; the database is unchanged then.
    """
    _core.check_verification(options, device_id(device) or "auto")
    is_new = not os.path.exists(database)
    try:
        with Database(database, "x" if is_new else "r+") as rows:
            pairs = {_names(pair): found for pair, found in matches.items()}
            write_features_and_matches(rows, _by_name(sizes, "sizes"), _by_name(keypoints, "keypoints"), pairs, _by_name(cameras, "cameras"))
    except BaseException:
        if is_new and os.path.exists(database):
            os.unlink(database)
        raise
    return verify(database, options=options, device=device, progress=progress)


@dataclass(frozen=True)
class ContradictingPair:
    """Pair of images whose rotation is more probably wrong than correct.

    Attributes:
        image1, image2: image_id of both images.
        name1, name2: Names of both images.
        inliers: Number of inliers of the pair.
        probability: Probability that the rotation is correct.
    """

    image1: int
    image2: int
    name1: str
    name2: str
    inliers: int
    probability: float


def contradicting_pairs(database: Path) -> list[ContradictingPair]:
    """Finds the pairs whose rotation contradicts the rotations of other pairs in triplets of images.

    `bifocal collect`, `verify` and `report` list these pairs as well. The database is not changed. C. Zach, M. Klopschitz, M. Pollefeys,
    Disambiguating visual relations using loop constraints, CVPR 2010.

    Args:
        database: Name of a database with verified pairs, of which those with a pose are tested.

    Returns:
        Contradicting pairs in the order of pair_id.

    Raises:
        OSError: If the file is missing or no COLMAP database.
    """
    return [ContradictingPair(*pair) for pair in _core.contradicting_pairs(database)]


# Options of pycolmap's TwoViewGeometryOptions with the same meaning here.
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
    "max_error": "threshold",
    "confidence": "confidence",
    "min_num_trials": "min_iterations",
    "max_num_trials": "max_iterations",
}
# Options that are refused unless they have this value, because they would change the result.
_OFF = {
    "min_inlier_ratio": 0.0,
    "filter_stationary_matches": False,
    "force_H_use": False,
    "multiple_models": False,
}
# Options that do not affect the result here.
_NOT_USED = {"multiple_ignore_watermark", "stationary_matches_max_error", "use_degensac", "use_sampson_refinement"}
_NOT_USED_OF_RANSAC = {"dyn_num_trials_multiplier", "num_threads"}
_COLMAPS_INLIER_RATIO = 0.25


def _options(options: Any, name: str = "options") -> TwoViewGeometryOptions:
    """Converts a dictionary or a pycolmap.TwoViewGeometryOptions to TwoViewGeometryOptions, which are returned unchanged."""
    if isinstance(options, TwoViewGeometryOptions):
        return options
    ours: dict[str, Any] = {}
    for field, value in fields_of(options, name, "pycolmap.TwoViewGeometryOptions or bifocal.colmap.TwoViewGeometryOptions").items():
        if field == "ransac":
            _take_ransac(fields_of(value, f"{name}: ransac", "pycolmap.RANSACOptions"), name, ours)
        elif field in _SAME:
            ours[_SAME[field]] = value
        elif field in _OFF:
            if not is_value(value, _OFF[field]):
                raise ValueError(f"{name}: {field} = {shown(value)}, must be {_OFF[field]} here")
        elif field not in _NOT_USED:
            raise ValueError(f"{name}: {field!r} is no option of pycolmap.TwoViewGeometryOptions")
    most = ours.setdefault("max_iterations", TwoViewGeometryOptions().max_iterations)
    ours["min_iterations"] = min(ours.get("min_iterations", TwoViewGeometryOptions().min_iterations), most)
    return TwoViewGeometryOptions(**ours)


def _take_ransac(ransac: dict[str, Any], name: str, ours: dict[str, Any]) -> None:
    for field, value in ransac.items():
        called = f"{name}: ransac: {field}"
        if field in ("min_num_trials", "max_num_trials"):
            ours[_SAME_OF_RANSAC[field]] = whole(value, called)
        elif field in _SAME_OF_RANSAC:
            ours[_SAME_OF_RANSAC[field]] = value
        elif field == "min_inlier_ratio":
            # COLMAP's default selects Bifocal's default, which depends on the number of matches.
            ours["min_inlier_ratio"] = 0.0 if is_value(value, _COLMAPS_INLIER_RATIO) else value
        elif field == "random_seed":
            ours["seed"] = max(0, whole(value, called))
        elif field not in _NOT_USED_OF_RANSAC:
            raise ValueError(f"{name}: ransac: {field!r} is no option of pycolmap.RANSACOptions")


def _until(token: Any) -> Callable[[Verification], bool] | None:
    return None if token is None else lambda done: not token.is_cancelled()


def verify_matches(
    database_path: Path,
    pairs_path: Path,
    options: Any = None,
    cancellation_token: CancellationToken | None = None,
    *,
    device: str | None = "auto",
) -> Verification:
    """Verifies the pairs of a file like pycolmap.verify_matches.

    The result is the same on every run and for any number of threads.

    Args:
        database_path: Name of the database.
        pairs_path: File of pairs, two image names a line.
        options: Dictionary, pycolmap.TwoViewGeometryOptions or TwoViewGeometryOptions. A seed of -1 means 0.
        cancellation_token: Object with is_cancelled(), which ends the verification when it returns True.
        device: As in `verify`: 'auto', 'cpu', 'cuda:0', 'cuda:all', ...

    Returns:
        Verification with the counts of pairs.

    Raises:
        ValueError: If an option is unknown, out of range, or would change the result but is not implemented.
        OSError: If a file is missing or no COLMAP database.
    """
    return verify(database_path, pairs=pairs_path, options=_options(options), device=device, progress=_until(cancellation_token))


def geometric_verification(
    database_path: Path,
    verifier_options: Any = None,
    pairing_options: Any = None,
    two_view_geometry_options: Any = None,
    cancellation_token: CancellationToken | None = None,
    *,
    device: str | None = "auto",
) -> Verification:
    """Verifies all pairs that have matches like pycolmap.geometric_verification.

    Args:
        database_path: Name of the database.
        verifier_options, pairing_options: Not used.
        two_view_geometry_options: Dictionary, pycolmap.TwoViewGeometryOptions or TwoViewGeometryOptions. A seed of -1 means 0.
        cancellation_token: Object with is_cancelled(), which ends the verification when it returns True.
        device: As in `verify`: 'auto', 'cpu', 'cuda:0', 'cuda:all', ...

    Returns:
        Verification with the counts of pairs.

    Raises:
        ValueError: If an option is unknown, out of range, or would change the result but is not implemented.
        OSError: If the file is missing or no COLMAP database.
    """
    options = _options(two_view_geometry_options, "two_view_geometry_options")
    return verify(database_path, options=options, device=device, progress=_until(cancellation_token))


check_public(__all__, globals())
