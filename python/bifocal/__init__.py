"""Two-view geometry: two photographs in, geometry out.

    >>> import bifocal
    >>> found = bifocal.estimate_homography(x1, x2)          # x1, x2: [N, 2] px
    >>> if found.ok: H, right = found.model, found.inliers

docs/python.md is the tour; docs/conventions.md states frames, units and signs once.
"""

import os as _os

from . import _core, colmap, linalg
from ._cameras import Camera, LensCamera, distort_points, intrinsics_doubt, pinhole_of, undistort_points
from ._collection import Collection, VerifiedPairs
from ._covariances import Covariance, absolute_pose_covariance, covariance, relative_pose_covariance
from ._devices import devices, missing_devices, threads
from ._features import Features, FloatMatches, Matches, detect, match, match_descriptors, match_guided
from ._options import (
    DisparityFilter,
    FloatMatchOptions,
    MatchOptions,
    RobustOptions,
    SgmOptions,
    SiftOptions,
    SsdOptions,
    SurfOptions,
    VerifyOptions,
)
from ._pictures import draw_matches, read_image, write_image
from ._rectification import (
    Rectification,
    Remapper,
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
    estimate_camera_pose_focal,
    estimate_fundamental,
    estimate_homography,
    estimate_monodepth_shared_focal_relative_pose,
    estimate_radial_fundamental,
    estimate_relative_pose,
    estimate_shared_focal_relative_pose,
    find_repetition,
    mirror_doubt,
    problem_info,
)
from ._solvers import MinimalSolver, Solutions, SolverShape, solve_minimal, solver_shape
from ._stereo_matching import DisparityMap, StereoMatcher, disparity_doubt, stereo
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
from ._video import VideoFrame, VideoMatcher, match_video

__version__: str = _core.version
_os.register_at_fork(after_in_child=_core.after_fork_in_child)

__all__ = [
    "BatchEstimate",
    "Camera",
    "Collection",
    "Covariance",
    "DisparityFilter",
    "DisparityMap",
    "EssentialPoses",
    "Estimate",
    "Features",
    "FloatMatchOptions",
    "FloatMatches",
    "LensCamera",
    "MatchOptions",
    "Matches",
    "MinimalSolver",
    "ModelChoice",
    "ModelKind",
    "PlaneMotion",
    "ProblemInfo",
    "RecoveredPose",
    "Rectification",
    "Refined",
    "Remapper",
    "Repetition",
    "RobustOptions",
    "SgmOptions",
    "SiftOptions",
    "Solutions",
    "SolverShape",
    "SsdOptions",
    "StereoMatcher",
    "SurfOptions",
    "VerifiedPairs",
    "VerifyOptions",
    "VideoFrame",
    "VideoMatcher",
    "absolute_pose_covariance",
    "choose_model",
    "colmap",
    "covariance",
    "decompose_essential",
    "decompose_homography",
    "detect",
    "devices",
    "disparity_doubt",
    "distort_points",
    "draw_matches",
    "estimate",
    "estimate_absolute_pose",
    "estimate_batch",
    "estimate_camera_pose_focal",
    "estimate_fundamental",
    "estimate_homography",
    "estimate_monodepth_shared_focal_relative_pose",
    "estimate_relative_pose",
    "estimate_radial_fundamental",
    "estimate_shared_focal_relative_pose",
    "find_repetition",
    "intrinsics_doubt",
    "linalg",
    "match",
    "match_descriptors",
    "match_guided",
    "match_video",
    "mirror_doubt",
    "missing_devices",
    "pinhole_of",
    "pose_residuals",
    "problem_info",
    "read_image",
    "read_rectification",
    "recover_pose",
    "rectify",
    "rectify_polar",
    "rectify_polar_uncalibrated",
    "rectify_uncalibrated",
    "refine",
    "refine_absolute_pose",
    "relative_pose_covariance",
    "residuals",
    "solve_minimal",
    "solver_shape",
    "stereo",
    "threads",
    "triangulate",
    "undistort_points",
    "write_image",
]
