"""Options of the calls: frozen, by keyword, with the defaults of the C++ headers, which explain them at length.

To change some: ``dataclasses.replace(options, threshold=3.0)``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

__all__ = [
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
    """Of robust estimation (include/bifocal/robust.hpp)."""

    threshold: float = 2.0
    """px: a correspondence with a larger error is an outlier."""
    confidence: float = 0.999
    """Of having drawn an all-inlier sample, which ends the sampling."""
    min_iterations: int = 100
    """Samples drawn at least (at most max_iterations)."""
    max_iterations: int = 300000
    min_inlier_ratio: float = 0.0
    """Fraction of right matches that is worth looking for. 0: the kind's own for one pair (0.1; fundamental and shared_focal 0.15), 0.2 in batches."""
    seed: int = 0
    dominant_plane: bool = False
    """Fundamental matrices: look for one that is not that of a plane which holds most of the inliers."""


@dataclass(frozen=True, kw_only=True, slots=True)
class SiftOptions:
    """Of `detect` (include/bifocal/features.hpp)."""

    max_features: int = 65536
    """The strongest are kept; 0: all."""
    octave_layers: int = 3
    contrast_threshold: float = 0.04
    edge_threshold: float = 10.0
    sigma: float = 1.6
    upsample: bool = True
    """Start from the picture doubled in size."""
    root: bool = True
    """RootSIFT instead of Lowe's clipped L2 norm."""
    balance: int = 0
    """Square cells along the longer side that take turns where there are more than max_features; 0: the strongest, wherever they are."""
    domain_size_pooling: bool = False
    """Descriptors of three sizes of neighbourhood in one (DSP-SIFT): more right matches between views that differ much, for 1.4 to 1.9 times the time."""
    affine_shape: bool = False
    """Features of ellipses instead of circles (`Features.shapes`): a third to a half more right matches between views far apart, 2 to 7 % fewer between near ones, for 1.2 to 1.5 times the time."""


@dataclass(frozen=True, kw_only=True, slots=True)
class SurfOptions:
    """Of `detect`, for SURF (include/bifocal/surf.hpp), which is under patents until about 2027 (docs/features.md)."""

    max_features: int = 65536
    """The strongest are kept; 0: all."""
    octaves: int = 4
    threshold: float = 2.5e-4
    """On the determinant of the Hessian."""
    numbers: Literal[64, 128] = 64
    """Of a descriptor, padded to 128."""
    upright: bool = False
    """No orientations."""
    upsample: bool = False
    """Start from the picture doubled in size."""
    balance: int = 0
    """As of SiftOptions."""


@dataclass(frozen=True, kw_only=True, slots=True)
class MatchOptions:
    """Of `match` (include/bifocal/features.hpp)."""

    max_ratio: float = 0.8
    """Lowe's ratio test; >= 1: off."""
    mutual: bool = True
    """Each has to be the other's nearest."""
    ratio_both_ways: bool = False
    max_distance: float = 0.0
    """As the header has it; 0: any."""


@dataclass(frozen=True, kw_only=True, slots=True)
class FloatMatchOptions:
    """Of `match_descriptors` (include/bifocal/matching.hpp)."""

    normalise: bool = True
    """To unit length first."""
    mutual: bool = True
    """Each has to be the other's nearest."""
    max_ratio: float = 1.0
    """Nearest over second nearest distance; >= 1: off."""
    max_distance: float = 0.0
    """Euclidean; of unit vectors with a cosine of c it is sqrt(2 - 2 c). 0: any."""


@dataclass(frozen=True, kw_only=True, slots=True)
class DisparityFilter:
    """What happens to disparities after the winners are known, in this order (include/bifocal/stereo.hpp)."""

    cross_check: float = 1.0
    """px: largest difference of the two directions; negative: no check."""
    uniqueness: int = 0
    """Per cent by which the winner has to be better than the best one elsewhere."""
    median: int = 5
    """Side of the median: 0, 3 or 5."""
    speckle_size: int = 100
    """px: smaller regions become unknown; 0: none."""
    speckle_range: float = 2.0
    fill: Literal["none", "background", "mean"] = "background"
    fill_window: int = 15


@dataclass(frozen=True, kw_only=True, slots=True)
class SgmOptions:
    """Semi-global matching of census codes (include/bifocal/stereo.hpp)."""

    min_disparity: int = 0
    disparities: int = 128
    """Searched: min_disparity to min_disparity + disparities - 1; 1 to 1024 of them."""
    census: Literal["sparse", "symmetric", "full"] = "sparse"
    paths: int = 8
    """8, or 4: along rows and columns only."""
    P1: int = 9
    P2: int = 60
    P2_contrast: int = 11
    vertical_tolerance: int = 0
    """px, 0 to 2: rows may be apart by this."""
    white: int = 0
    """Brightest value of a picture; 0: 255 of 8 bits, 65535 of 16."""
    filter: DisparityFilter = field(default_factory=lambda: DisparityFilter(uniqueness=5))
    max_memory: int = 0
    """Bytes that the matcher may take; 0: any number."""


@dataclass(frozen=True, kw_only=True, slots=True)
class SsdOptions:
    """Block matching by sums of squared differences (include/bifocal/stereo.hpp)."""

    min_disparity: int = 0
    disparities: int = 64
    window: int = 15
    """Side, odd, 3 to 31."""
    filter: DisparityFilter = field(default_factory=lambda: DisparityFilter(median=0, speckle_size=0))


@dataclass(frozen=True, kw_only=True, slots=True)
class VerifyOptions:
    """Of `bifocal.colmap` (include/bifocal/colmap_verify.hpp)."""

    max_error: float = 4.0
    """px: Sampson distance from E and F, |x2 - H x1| of H."""
    min_inliers: int = 15
    """Fewer prove nothing: 'degenerate'."""
    confidence: float = 0.999
    min_iterations: int = 100
    max_iterations: int = 10000
    min_inlier_ratio: float = 0.0
    """Fraction of right matches that is worth looking for; 0: 0.2, more of few matches."""
    min_E_F_inlier_ratio: float = 0.95
    """'calibrated': E has more than this fraction of F's inliers."""
    max_H_inlier_ratio: float = 0.8
    """'planar_or_panoramic': H has more than this fraction of E's or F's inliers."""
    relative_pose: bool = False
    """Poses of planar pairs and of those with F alone too, and planes told from turns, where the cameras are known."""
    detect_watermark: bool = True
    watermark_min_inlier_ratio: float = 0.7
    watermark_border_size: float = 0.1
    """Of the pictures' diagonals."""
    watermark_max_error: float = 4.0
    seed: int = 0
