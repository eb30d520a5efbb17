"""Two-view geometry from photographs: matches, models, poses, rectification and depth.

    >>> import bifocal
    >>> found = bifocal.estimate_homography(x1, x2)          # x1, x2: px, shape (N, 2)
    >>> if found.ok: H, inliers = found.model, found.inliers

docs/python.md is the introduction; docs/conventions.md defines frames, units and signs.
"""

import os as _os
import pathlib as _pathlib
import typing as _typing


def _refuse_other_project(packages: _pathlib.Path) -> None:
    """Raises ImportError if `packages` also has the distribution `bifocal` of the Python package index, because both overwrite each other's files."""
    for metadata in packages.glob("bifocal-*.dist-info"):
        raise ImportError(
            f"{metadata}: the distribution 'bifocal' is another project with the same import name as bifocal-geometry; "
            "run `pip uninstall bifocal bifocal-geometry`, then install bifocal-geometry again"
        )


_refuse_other_project(_pathlib.Path(__file__).parent.parent)

from . import _core, depth, doubts, linalg, pairs, priors, results, solvers, two_view
from ._arguments import check_public as _check_public
from ._adjust import adjust
from ._cameras import Camera, LensCamera, distort_points, pinhole_of, undistort_points
from ._collection import Collection, collect, list_photographs, report
from ._core import Features, Matches
from ._dense import dense
from ._devices import devices, missing_devices, threads
from ._features import detect, match, match_descriptors, match_guided
from ._options import (
    AdjustOptions,
    CollectCameras,
    CollectOptions,
    DenseOptions,
    DisparityFilter,
    FloatMatchOptions,
    GivenFeatures,
    MapOptions,
    MatchOptions,
    PairOptions,
    RobustOptions,
    SgmOptions,
    SiftOptions,
    SsdOptions,
    SurfOptions,
)
from ._pair import Pair, estimate_pair
from ._pair_files import read_pair
from ._pictures import (
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
    Remapper,
    choose_rectification,
    read_rectification,
    rectify,
    rectify_polar,
    rectify_polar_uncalibrated,
    rectify_uncalibrated,
)
from ._robust import (
    ModelKind,
    estimate,
    estimate_absolute_pose,
    estimate_batch,
    estimate_fundamental,
    estimate_homography,
    estimate_relative_pose,
)
from ._stereo_matching import StereoMatcher, stereo
from ._unknown_cameras import (
    estimate_camera_pose_focal,
    estimate_monodepth_shared_focal_relative_pose,
    estimate_radial_fundamental,
    estimate_shared_focal_relative_pose,
)
from ._video import VideoMatcher, match_video
from .two_view import recover_pose, triangulate

if _typing.TYPE_CHECKING:
    from . import colmap
    from ._mapping import map_database
else:

    def __getattr__(name):
        """Imports the module `colmap` and `map_database` when they are first used, because they take a third of the time of the whole import."""
        if name in ("colmap", "map_database"):
            import importlib

            module = importlib.import_module(".colmap", __name__)
            return module if name == "colmap" else module.map_database
        for module in (solvers, pairs, priors, doubts, depth, two_view, results):
            if name in module.__all__:
                raise AttributeError(f"bifocal.{name} is now {module.__name__}.{name}")
        if name in ("BundleAdjustOptions", "TwoViewGeometryOptions"):
            raise AttributeError(f"bifocal.{name} is now bifocal.colmap.{name}")
        raise AttributeError(f"module 'bifocal' has no attribute {name!r}")


__version__: str = _core.version
_os.register_at_fork(after_in_child=_core.after_fork_in_child)

__all__ = [
    "AdjustOptions",
    "Camera",
    "CollectCameras",
    "CollectOptions",
    "Collection",
    "DenseOptions",
    "DisparityFilter",
    "Features",
    "FloatMatchOptions",
    "GivenFeatures",
    "LensCamera",
    "MapOptions",
    "MatchOptions",
    "Matches",
    "ModelKind",
    "Pair",
    "PairOptions",
    "Rectification",
    "Remapper",
    "RobustOptions",
    "SgmOptions",
    "SiftOptions",
    "SsdOptions",
    "StereoMatcher",
    "SurfOptions",
    "VideoMatcher",
    "adjust",
    "choose_rectification",
    "collect",
    "colmap",
    "dense",
    "depth",
    "detect",
    "devices",
    "distort_points",
    "doubts",
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
    "intrinsics_from_exif",
    "linalg",
    "list_photographs",
    "map_database",
    "match",
    "match_descriptors",
    "match_guided",
    "match_video",
    "missing_devices",
    "pairs",
    "pinhole_of",
    "priors",
    "read_calibration",
    "read_correspondences",
    "read_image",
    "read_pair",
    "read_rectification",
    "recover_pose",
    "rectify",
    "rectify_polar",
    "rectify_polar_uncalibrated",
    "rectify_uncalibrated",
    "report",
    "results",
    "solvers",
    "stereo",
    "threads",
    "triangulate",
    "two_view",
    "undistort_points",
    "warp",
    "write_image",
]

_check_public(__all__, globals())
