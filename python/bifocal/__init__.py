"""Two-view geometry from photographs: matches, models, poses, rectification and depth.

    >>> import bifocal
    >>> found = bifocal.estimate_homography(x1, x2)          # x1, x2: px, shape (N, 2)
    >>> if found.ok: H, inliers = found.model, found.inliers

docs/python.md is the introduction; docs/conventions.md defines frames, units and signs.
"""

import os as _os
import pathlib as _pathlib
from typing import TYPE_CHECKING as _TYPE_CHECKING


def _refuse_other_project(packages: _pathlib.Path) -> None:
    """Raises ImportError if `packages` also has the distribution `bifocal` of the Python package index, because both overwrite each other's files."""
    for metadata in packages.glob("bifocal-*.dist-info"):
        raise ImportError(
            f"{metadata}: the distribution 'bifocal' is another project with the same import name as bifocal-geometry; "
            "run `pip uninstall bifocal bifocal-geometry`, then install bifocal-geometry again"
        )


_refuse_other_project(_pathlib.Path(__file__).parent.parent)

from . import _core, _texts, linalg
from ._arguments import check_public as _check_public
from ._adjust import Adjusted, AdjustIteration, adjust
from ._cameras import Camera, LensCamera, distort_points, intrinsics_doubt, pinhole_of, undistort_points
from ._collection import Collected, Collection, VerifiedPairs, collect, list_photographs, report
from ._covariances import Covariance, absolute_pose_covariance, covariance, relative_pose_covariance
from ._dense import DenseImage, DenseModel, dense
from ._devices import devices, missing_devices, threads
from ._disparity_files import read_disparity, read_pfm, turbo_picture, write_pfm, write_ply
from ._features import Features, FloatMatches, Matches, detect, match, match_descriptors, match_guided
from ._options import (
    AdjustOptions,
    BundleAdjustOptions,
    CollectCameras,
    CollectOptions,
    DenseOptions,
    DisparityFilter,
    FloatMatchOptions,
    GivenFeatures,
    MapOptions,
    MatchOptions,
    NearOptions,
    PairOptions,
    RetrievalOptions,
    RobustOptions,
    ScreenOptions,
    SequentialOptions,
    SgmOptions,
    SiftOptions,
    SsdOptions,
    SurfOptions,
    TwoViewGeometryOptions,
)
from ._pair import Pair, estimate_pair
from ._pair_selection import (
    ImageIndex,
    all_pairs,
    image_components,
    keep_distinct_places,
    linking_pairs,
    near_pairs,
    read_pairs,
    retrieval_pairs,
    sequential_pairs,
    suggested_partners,
    tidy_pairs,
)
from ._pictures import (
    Calibration,
    Correspondences,
    draw_epipolar_lines,
    draw_matches,
    intrinsics_from_exif,
    read_calibration,
    read_correspondences,
    read_image,
    warp,
    write_image,
)
from ._rectification import (
    Rectification,
    RectificationChoice,
    Remapper,
    choose_rectification,
    read_rectification,
    rectify,
    rectify_polar,
    rectify_polar_uncalibrated,
    rectify_uncalibrated,
)
from ._robust import (
    BatchEstimate,
    Estimate,
    ModelKind,
    ProblemInfo,
    Repetition,
    estimate,
    estimate_absolute_pose,
    estimate_batch,
    estimate_fundamental,
    estimate_homography,
    estimate_relative_pose,
    find_repetition,
    find_repetition_batch,
    mirror_doubt,
    problem_info,
)
from ._solvers import MinimalSolver, Solutions, SolverShape, solve_minimal, solver_shape
from ._stereo_matching import (
    DenseMatches,
    DepthMap,
    DisparityMap,
    PointCloud,
    StereoMatcher,
    dense_matches,
    depth_map,
    depth_to_cloud,
    disparity_doubt,
    disparity_range,
    score_disparity,
    stereo,
    vertical_disparity,
)
from ._two_view import (
    EssentialPoses,
    ModelChoice,
    PlaneMotion,
    RecoveredPose,
    Refined,
    choose_model,
    decompose_essential,
    decompose_homography,
    pose_residuals,
    recover_pose,
    refine,
    refine_absolute_pose,
    residuals,
    triangulate,
)
from ._unknown_cameras import (
    estimate_camera_pose_focal,
    estimate_monodepth_shared_focal_relative_pose,
    estimate_radial_fundamental,
    estimate_shared_focal_relative_pose,
)
from ._video import VideoFrame, VideoMatcher, match_video

if _TYPE_CHECKING:
    from collections.abc import Callable as _Callable
    from types import ModuleType as _ModuleType

    from . import colmap
    from ._mapping import map_database


def __getattr__(name: str) -> "_ModuleType | _Callable[..., object]":
    """Imports the module `colmap` and `map_database` when they are first used, because they take a third of the time of the whole import."""
    if name in ("colmap", "map_database"):
        import importlib

        module = importlib.import_module(".colmap", __name__)
        return module if name == "colmap" else module.map_database
    raise AttributeError(f"module 'bifocal' has no attribute {name!r}")


__version__: str = _core.version
_os.register_at_fork(after_in_child=_core.after_fork_in_child)

__all__ = [
    "AdjustIteration",
    "AdjustOptions",
    "Adjusted",
    "BatchEstimate",
    "BundleAdjustOptions",
    "Calibration",
    "Camera",
    "CollectCameras",
    "CollectOptions",
    "Collected",
    "Collection",
    "Correspondences",
    "Covariance",
    "DenseImage",
    "DenseMatches",
    "DenseModel",
    "DenseOptions",
    "DepthMap",
    "DisparityFilter",
    "DisparityMap",
    "EssentialPoses",
    "Estimate",
    "Features",
    "FloatMatchOptions",
    "FloatMatches",
    "GivenFeatures",
    "ImageIndex",
    "LensCamera",
    "MapOptions",
    "MatchOptions",
    "Matches",
    "MinimalSolver",
    "ModelChoice",
    "ModelKind",
    "NearOptions",
    "Pair",
    "PairOptions",
    "PlaneMotion",
    "PointCloud",
    "ProblemInfo",
    "RecoveredPose",
    "Rectification",
    "RectificationChoice",
    "Refined",
    "Remapper",
    "Repetition",
    "RetrievalOptions",
    "RobustOptions",
    "ScreenOptions",
    "SequentialOptions",
    "SgmOptions",
    "SiftOptions",
    "Solutions",
    "SolverShape",
    "SsdOptions",
    "StereoMatcher",
    "SurfOptions",
    "VerifiedPairs",
    "TwoViewGeometryOptions",
    "VideoFrame",
    "VideoMatcher",
    "absolute_pose_covariance",
    "adjust",
    "all_pairs",
    "choose_model",
    "choose_rectification",
    "collect",
    "colmap",
    "covariance",
    "decompose_essential",
    "decompose_homography",
    "dense",
    "dense_matches",
    "depth_map",
    "depth_to_cloud",
    "detect",
    "devices",
    "disparity_doubt",
    "disparity_range",
    "distort_points",
    "draw_epipolar_lines",
    "draw_matches",
    "estimate",
    "estimate_absolute_pose",
    "estimate_batch",
    "estimate_camera_pose_focal",
    "estimate_fundamental",
    "estimate_homography",
    "estimate_monodepth_shared_focal_relative_pose",
    "estimate_pair",
    "estimate_radial_fundamental",
    "estimate_relative_pose",
    "estimate_shared_focal_relative_pose",
    "find_repetition",
    "find_repetition_batch",
    "image_components",
    "intrinsics_doubt",
    "intrinsics_from_exif",
    "keep_distinct_places",
    "linalg",
    "linking_pairs",
    "list_photographs",
    "map_database",
    "match",
    "match_descriptors",
    "match_guided",
    "match_video",
    "mirror_doubt",
    "missing_devices",
    "near_pairs",
    "pinhole_of",
    "pose_residuals",
    "problem_info",
    "read_calibration",
    "read_correspondences",
    "read_disparity",
    "read_image",
    "read_pairs",
    "read_pfm",
    "read_rectification",
    "recover_pose",
    "rectify",
    "rectify_polar",
    "rectify_polar_uncalibrated",
    "rectify_uncalibrated",
    "refine",
    "refine_absolute_pose",
    "relative_pose_covariance",
    "report",
    "residuals",
    "retrieval_pairs",
    "score_disparity",
    "sequential_pairs",
    "solve_minimal",
    "solver_shape",
    "stereo",
    "suggested_partners",
    "threads",
    "tidy_pairs",
    "triangulate",
    "turbo_picture",
    "undistort_points",
    "vertical_disparity",
    "warp",
    "write_image",
    "write_pfm",
    "write_ply",
]

_check_public(__all__, globals())
