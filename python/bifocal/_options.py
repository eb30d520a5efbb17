"""Options of the calls: frozen, by keyword, with the defaults of the C++ headers, which explain them at length.

scripts/python-options writes this file. To change some: ``dataclasses.replace(options, threshold=3.0)``.
"""

from __future__ import annotations

from dataclasses import FrozenInstanceError, dataclass, field
from typing import Any, Literal, NoReturn

__all__ = [
    "AdjustOptions",
    "BundleAdjustOptions",
    "DisparityFilter",
    "FloatMatchOptions",
    "MatchOptions",
    "RobustOptions",
    "SgmOptions",
    "SiftOptions",
    "SsdOptions",
    "SurfOptions",
    "VerifyOptions",
]


@dataclass(frozen=True, kw_only=True, slots=True)
class RobustOptions:
    """Options of robust estimation (include/bifocal/robust.hpp)."""

    threshold: float = 2.0
    """px: largest error of an inlier (above 0 and finite)."""
    confidence: float = 0.999
    """Probability of having drawn a sample without outliers, which ends the sampling (above 0 and below 1)."""
    min_iterations: int = 100
    """Samples to draw at least (at most max_iterations) (at least 1)."""
    max_iterations: int = 300000
    """Most samples to draw (at least 1)."""
    min_inlier_ratio: float = 0.0
    """Fraction of correct matches worth looking for; 0: 0.1 of one pair (fundamental, shared_focal 0.15, radial_fundamental 0.3), 0.2 in batches (0 to 1)."""
    seed: int = 0
    """Seed of the sampling; the same one gives the same result."""
    dominant_plane: bool = False
    """Fundamental matrix: look for matches off a plane that most of them lie on, and give none that they do not prove."""
    belief: float = 0.0
    """A model is believed if fewer models as well supported are expected of outliers; larger: more models of few matches, right and wrong; 0: 0.01, of maps 0.001 (at least 0 and finite)."""


@dataclass(frozen=True, kw_only=True, slots=True)
class SiftOptions:
    """Options of `detect` (include/bifocal/features.hpp)."""

    max_features: int = 65536
    """Features kept of a picture, strongest first; 0: all (at least 0)."""
    octave_layers: int = 3
    """Scales an octave (1 to 16)."""
    contrast_threshold: float = 0.04
    """Least |DoG| times octave_layers, of image values in [0, 1] (at least 0 and below 1000)."""
    edge_threshold: float = 10.0
    """Largest ratio of principal curvatures (at least 1 and below 1000000)."""
    sigma: float = 1.6
    """px: blur of the first layer of an octave (0.8 to 8)."""
    upsample: bool = True
    """Start from the picture doubled in size."""
    root: bool = True
    """RootSIFT (L1-normalised, square root) instead of Lowe's clipped L2 norm."""
    balance: int = 0
    """Cells along the longer side that take turns where there are more features; 0: the strongest, wherever they are (0 to 128)."""
    domain_size_pooling: bool = False
    """Descriptors of three sizes of neighbourhood in one: more right matches between views that differ much, for 1.4 to 1.9 times the time."""
    affine_shape: bool = False
    """Features of ellipses instead of circles: a third to a half more right matches between views far apart, 2 to 7 % fewer between near ones, for 1.2 to 1.5 times the time."""


@dataclass(frozen=True, kw_only=True, slots=True)
class SurfOptions:
    """Options of `detect` for SURF (include/bifocal/features.hpp), which is under patents until about 2027 (docs/features.md)."""

    max_features: int = 65536
    """Features kept of a picture, strongest first; 0: all (at least 0)."""
    octaves: int = 4
    """Octaves of four filters each (1 to 5)."""
    threshold: float = 0.00025
    """Least determinant of the Hessian, of image values in [0, 1] and filters divided by their area (at least 0 and below 1000)."""
    numbers: Literal[64, 128] = 64
    """Numbers of a descriptor, padded to 128."""
    upright: bool = False
    """No orientations: for cameras that are not turned about their axis."""
    upsample: bool = False
    """Start from the picture doubled in size."""
    balance: int = 0
    """Cells along the longer side that take turns where there are more features; 0: the strongest, wherever they are (0 to 128)."""


@dataclass(frozen=True, kw_only=True, slots=True)
class MatchOptions:
    """Options of `match` (include/bifocal/features.hpp)."""

    max_ratio: float = 0.8
    """Nearest over second nearest distance of a match (Lowe's test), from 1 to 2; 1 and more: any (above 0)."""
    mutual: bool = True
    """Each has to be the other's nearest."""
    ratio_both_ways: bool = False
    """The ratio test also from 2 to 1."""
    max_distance: float = 0.0
    """Largest Euclidean distance of a match; 0: any (at least 0)."""


@dataclass(frozen=True, kw_only=True, slots=True)
class FloatMatchOptions:
    """Options of `match_descriptors` (include/bifocal/matching.hpp)."""

    normalise: bool = True
    """To unit length first: the nearest is the one of the largest cosine."""
    mutual: bool = True
    """Each has to be the other's nearest."""
    max_ratio: float = 1.0
    """Nearest over second nearest distance, from 1 to 2; 1 and more: any (above 0)."""
    max_distance: float = 0.0
    """Largest Euclidean distance, of unit vectors with a cosine of c sqrt(2 - 2 c); 0: any (at least 0)."""


@dataclass(frozen=True, kw_only=True, slots=True)
class DisparityFilter:
    """What happens to disparities after the winners are known, in this order (include/bifocal/stereo.hpp)."""

    cross_check: float = 1.0
    """px: largest difference of both directions; negative: no check."""
    uniqueness: int = 0
    """Per cent by which a match must be better than the best elsewhere (0 to 99)."""
    median: Literal[0, 3, 5] = 5
    """px: side of the median filter over known neighbours; 0: none."""
    speckle_size: int = 100
    """px: smaller regions become unknown; 0: none (0 to 1073741824)."""
    speckle_range: float = 2.0
    """px: neighbours of one region differ by at most this (at least 0)."""
    fill: Literal["none", "background", "mean", "planes"] = "planes"
    """How unknown pixels get a value."""
    fill_window: int = 15
    """px: side of the window that the mean is taken over (odd, 3 to 31)."""


@dataclass(frozen=True, kw_only=True, slots=True)
class SgmOptions:
    """Options of semi-global matching of census codes (include/bifocal/stereo.hpp)."""

    min_disparity: int = 0
    """px: start of the search (-1048576 to 1048576)."""
    disparities: int = 128
    """Searched: min_disparity to min_disparity + disparities - 1 (1 to 1024)."""
    census: Literal["sparse", "symmetric", "full"] = "sparse"
    """Code of a neighbourhood of 9 x 7, of 31, 31 or 62 bits."""
    paths: Literal[4, 8] = 8
    """8, or 4: along rows and columns only, faster."""
    P1: int = 9
    """bits: cost of a step of one disparity between neighbours (0 to 190)."""
    P2: int = 60
    """bits: cost of a larger one where the brightness is the same, at least P1 (0 to 190)."""
    P2_contrast: int = 11
    """Levels of 255: difference of brightness that halves P2; 0: P2 everywhere (0 to 65536)."""
    vertical_tolerance: int = 0
    """px: rows may be apart by this where rectification is not exact (0 to 2)."""
    white: int = 0
    """Brightest value of the pictures; 0: 255, or 65535 of 16 bits (0 to 65535)."""
    filter: DisparityFilter = field(default_factory=lambda: DisparityFilter(uniqueness=5))
    """What happens to the disparities."""
    max_memory: int = 0
    """bytes: most memory that the matcher takes; 0: any."""


@dataclass(frozen=True, kw_only=True, slots=True)
class SsdOptions:
    """Options of block matching by sums of squared differences (include/bifocal/stereo.hpp)."""

    min_disparity: int = 0
    """px: start of the search (-1048576 to 1048576)."""
    disparities: int = 64
    """Searched: min_disparity to min_disparity + disparities - 1 (1 to 1024)."""
    window: int = 15
    """px: side of the square window (odd, 3 to 31)."""
    filter: DisparityFilter = field(default_factory=lambda: DisparityFilter(median=0, speckle_size=0, fill='background'))
    """What happens to the disparities."""


@dataclass(frozen=True, kw_only=True, slots=True)
class VerifyOptions:
    """Options of `bifocal.colmap` (include/bifocal/colmap/verify.hpp)."""

    max_error: float = 4.0
    """px: largest error of an inlier (above 0 and finite)."""
    min_inliers: int = 15
    """A pair with fewer is degenerate (at least 1)."""
    confidence: float = 0.999
    """Probability of having drawn a sample without outliers (above 0 and below 1)."""
    min_iterations: int = 100
    """Samples to draw for each model at least (at least 1)."""
    max_iterations: int = 10000
    """Most samples to draw for each model (at least 1)."""
    min_inlier_ratio: float = 0.0
    """Fraction of right matches worth looking for; 0: 0.2, more of few matches (0 to 1)."""
    min_E_F_inlier_ratio: float = 0.95
    """Calibrated: E has more than this fraction of F's inliers (0 to 1)."""
    max_H_inlier_ratio: float = 0.8
    """Planar_or_panoramic: H has more than this fraction of E's or F's inliers (0 to 1)."""
    relative_pose: bool = False
    """Poses of planar pairs, too, and planes told from turns."""
    detect_watermark: bool = True
    """Look for watermarks."""
    watermark_min_inlier_ratio: float = 0.7
    """Fraction of the inliers that lies in the border and moves alike (0 to 1)."""
    watermark_border_size: float = 0.1
    """Width of the border, as a fraction of the picture's diagonal (0 to 1)."""
    watermark_max_error: float = 4.0
    """px: largest difference of what moves alike (above 0)."""
    seed: int = 0
    """Seed of the sampling; the same one gives the same result."""
    belief: float = 0.0
    """A model counts if fewer models as well supported are expected of outliers; larger: more models of few matches, right and wrong; 0: 0.01, of homographies 0.001 (at least 0 and finite)."""


@dataclass(frozen=True, kw_only=True, slots=True)
class AdjustOptions:
    """Options of `adjust` (include/bifocal/adjust.hpp)."""

    max_iterations: int = 100
    """Most steps that are tried (0 to 100000)."""
    loss: Literal["trivial", "huber", "soft_l1", "cauchy"] = "trivial"
    """Cost of an error."""
    loss_scale: float = 1.0
    """px: error at which a robust loss leaves least squares (above 0 and finite)."""
    function_tolerance: float = 1e-06
    """Stops when a step reduces the cost by a smaller part (at least 0 and finite)."""
    gradient_tolerance: float = 1e-10
    """Stops when no entry of the gradient is larger (at least 0 and finite)."""
    parameter_tolerance: float = 1e-08
    """Stops when a step is shorter, relative to the parameters (at least 0 and finite)."""
    solver: Literal["auto", "dense", "iterative"] = "auto"
    """Of the reduced system; auto: dense for small problems."""
    preconditioner: Literal["schur_jacobi", "power_series"] = "schur_jacobi"
    """Of conjugate gradients."""
    max_cg_iterations: int = 500
    """Most conjugate gradient iterations of a step (1 to 100000)."""
    cg_tolerance: float = 0.01
    """A step's system is solved to about this relative accuracy (1e-15 to 0.9)."""
    float_blocks: bool = False
    """Keeps derivatives in single precision: half the memory; residuals and decisions stay in double."""
    gauge: Literal["start", "free"] = "start"
    """Position, orientation and scale of the result."""
    covariance: bool = False
    """Computes covariances; needs the memory of the dense solver."""
    max_memory: int = 0
    """bytes: most memory of the device that the adjustment takes; 0: any (at least 0)."""


@dataclass(frozen=True, kw_only=True, slots=True)
class BundleAdjustOptions:
    """Options of `bifocal.colmap.bundle_adjustment` (include/bifocal/colmap/bundle_adjust.hpp)."""

    adjust: AdjustOptions = field(default_factory=lambda: AdjustOptions())
    """The solver."""
    refine_focal_length: bool = True
    """Adjust focal lengths."""
    refine_principal_point: bool = False
    """Adjust principal points, too."""
    refine_extra_params: bool = True
    """Adjust parameters of lenses."""
    refine_poses: bool = True
    """Adjust poses of images."""
    refine_points: bool = True
    """Adjust scene points."""
    min_track_length: int = 0
    """Points with fewer observations are left as they are (at least 0)."""
    separate_frames: bool = False
    """Adjust images of one frame independently and drop rigs and frames."""


def _refuse(options: Any, name: str, value: Any) -> NoReturn:
    # Names the option, or those that there are.
    changed = "options can't be changed, dataclasses.replace() makes a changed copy"
    if name in options.__dataclass_fields__:
        raise FrozenInstanceError(f"{name}: {changed}")
    raise AttributeError(f"{type(options).__name__} has no option '{name}', but {', '.join(options.__dataclass_fields__)}; {changed}")


for _name in __all__:
    setattr(globals()[_name], "__setattr__", _refuse)
