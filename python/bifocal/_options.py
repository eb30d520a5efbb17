"""Options of the calls: frozen, by keyword, with the defaults of the C++ headers, which explain them at length.

scripts/python-options writes this file. To change some: ``dataclasses.replace(options, threshold=3.0)``.
"""

from __future__ import annotations

from dataclasses import FrozenInstanceError, dataclass, field
from typing import Any, Literal, NoReturn

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
    """Options of robust estimation (include/bifocal/robust.hpp)."""

    threshold: float = 2.0
    """px: largest error of an inlier (above 0 and finite)."""
    confidence: float = 0.999
    """Probability of an outlier-free sample at which sampling ends (above 0 and below 1)."""
    min_iterations: int = 100
    """Minimum number of samples (at most max_iterations) (at least 1)."""
    max_iterations: int = 300000
    """Maximum number of samples (at least 1)."""
    min_inlier_ratio: float = 0.0
    """Fraction of correct matches that sampling must be able to find; 0: 0.1 for one pair (fundamental, shared_focal 0.15, radial_fundamental 0.3), 0.2 in batches (0 to 1)."""
    seed: int = 0
    """Seed of the sampling; equal seeds give equal results."""
    dominant_plane: bool = False
    """Fundamental matrix: if most matches lie on a plane, search for matches off the plane, and reject the model unless they prove it."""
    belief: float = 0.0
    """Level of significance: a model is accepted if the expected number of equally good models among outliers is smaller; a higher level accepts more models with few matches, correct and wrong; 0: 0.01, for homography, similarity and affine 0.001 (at least 0 and finite)."""


@dataclass(frozen=True, kw_only=True, slots=True)
class SiftOptions:
    """Options of `detect` (include/bifocal/features.hpp)."""

    max_features: int = 65536
    """Largest number of features per image; the strongest are kept; 0: all (at least 0)."""
    octave_layers: int = 3
    """Scales per octave (1 to 16)."""
    contrast_threshold: float = 0.04
    """Smallest |DoG| times octave_layers, for image values in [0, 1] (at least 0 and below 1000)."""
    edge_threshold: float = 10.0
    """Largest ratio of principal curvatures (at least 1 and below 1000000)."""
    sigma: float = 1.6
    """px: blur of the first layer of an octave (0.8 to 8)."""
    upsample: bool = True
    """Start from the image enlarged to twice its size."""
    root: bool = True
    """RootSIFT (L1-normalised, square root) instead of Lowe's clipped L2 norm."""
    balance: int = 0
    """Spread features over square cells, this number along the longer side; 0: keep the strongest of the whole image (0 to 128)."""
    domain_size_pooling: bool = False
    """Descriptors that combine three sizes of neighbourhood: more correct matches between very different views, for 1.4 to 1.9 times the time."""
    affine_shape: bool = False
    """Features on ellipses instead of circles: a third to a half more correct matches between distant views, 2 to 7 % fewer between near views, for 1.2 to 1.5 times the time."""


@dataclass(frozen=True, kw_only=True, slots=True)
class SurfOptions:
    """Options of `detect` for SURF (include/bifocal/features.hpp), which is under patents until about 2027 (docs/features.md)."""

    max_features: int = 65536
    """Largest number of features per image; the strongest are kept; 0: all (at least 0)."""
    octaves: int = 4
    """Octaves of four filters each (1 to 5)."""
    threshold: float = 0.00025
    """Smallest determinant of the Hessian, for image values in [0, 1] and filters divided by their area (at least 0 and below 1000)."""
    numbers: Literal[64, 128] = 64
    """Numbers per descriptor, padded to 128."""
    upright: bool = False
    """No orientations: for cameras without rotation about the optical axis."""
    upsample: bool = False
    """Start from the image enlarged to twice its size."""
    balance: int = 0
    """Spread features over square cells, this number along the longer side; 0: keep the strongest of the whole image (0 to 128)."""


@dataclass(frozen=True, kw_only=True, slots=True)
class MatchOptions:
    """Options of `match` (include/bifocal/features.hpp)."""

    max_ratio: float = 0.8
    """Largest ratio of nearest and second nearest distance (Lowe's test), from image 1 to 2; 1 or more: no test (above 0)."""
    mutual: bool = True
    """Matches must be nearest neighbours in both directions."""
    ratio_both_ways: bool = False
    """Apply the ratio test also from image 2 to 1."""
    max_distance: float = 0.0
    """Largest Euclidean distance of a match; 0: no limit (at least 0)."""


@dataclass(frozen=True, kw_only=True, slots=True)
class FloatMatchOptions:
    """Options of `match_descriptors` (include/bifocal/matching.hpp)."""

    normalise: bool = True
    """Normalise to unit length first: the nearest descriptor has the largest cosine."""
    mutual: bool = True
    """Matches must be nearest neighbours in both directions."""
    max_ratio: float = 1.0
    """Largest ratio of nearest and second nearest distance, from image 1 to 2; 1 or more: no test (above 0)."""
    max_distance: float = 0.0
    """Largest Euclidean distance, sqrt(2 - 2 c) for unit vectors with a cosine of c; 0: no limit (at least 0)."""


@dataclass(frozen=True, kw_only=True, slots=True)
class DisparityFilter:
    """What happens to disparities after the winners are known, in this order (include/bifocal/stereo.hpp)."""

    cross_check: float = 1.0
    """px: largest difference of the disparities of both directions; negative: no check."""
    uniqueness: int = 0
    """Percentage by which a match must be better than the best elsewhere (0 to 99)."""
    median: Literal[0, 3, 5] = 5
    """px: side of the median filter over known neighbours; 0: no filter."""
    speckle_size: int = 100
    """px: regions with fewer pixels become unknown; 0: keep all regions (0 to 1073741824)."""
    speckle_range: float = 2.0
    """px: largest difference between neighbours in one region (at least 0)."""
    fill: Literal["none", "background", "mean", "planes"] = "planes"
    """How unknown pixels get a disparity."""
    fill_window: int = 15
    """px: side of the window for the mean (odd, 3 to 31)."""


@dataclass(frozen=True, kw_only=True, slots=True)
class SgmOptions:
    """Options of semi-global matching of census codes (include/bifocal/stereo.hpp)."""

    min_disparity: int = 0
    """px: first disparity of the search (-1048576 to 1048576)."""
    disparities: int = 128
    """Number of disparities in the search: min_disparity to min_disparity + disparities - 1 (1 to 1024)."""
    census: Literal["sparse", "symmetric", "full"] = "sparse"
    """Census code of the 9 x 7 neighbourhood, with 31, 31 or 62 bits."""
    paths: Literal[4, 8] = 8
    """8, or 4: rows and columns only, faster."""
    P1: int = 9
    """bits: cost of a disparity step of 1 between neighbours (0 to 190)."""
    P2: int = 60
    """bits: cost of a larger step between neighbours of equal brightness, at least P1 (0 to 190)."""
    P2_contrast: int = 11
    """Levels of 255: difference in brightness that halves P2; 0: constant P2 (0 to 65536)."""
    vertical_tolerance: int = 0
    """px: largest vertical offset of rows if the rectification is not exact (0 to 2)."""
    white: int = 0
    """Brightest value of the images; 0: 255, or 65535 for 16 bits (0 to 65535)."""
    filter: DisparityFilter = field(default_factory=lambda: DisparityFilter(uniqueness=5))
    """Filters of the disparity map."""
    max_memory: int = 0
    """bytes: memory limit of the matcher; 0: no limit."""


@dataclass(frozen=True, kw_only=True, slots=True)
class SsdOptions:
    """Options of block matching by sums of squared differences (include/bifocal/stereo.hpp)."""

    min_disparity: int = 0
    """px: first disparity of the search (-1048576 to 1048576)."""
    disparities: int = 64
    """Number of disparities in the search: min_disparity to min_disparity + disparities - 1 (1 to 1024)."""
    window: int = 15
    """px: side of the square window (odd, 3 to 31)."""
    filter: DisparityFilter = field(default_factory=lambda: DisparityFilter(median=0, speckle_size=0, fill='background'))
    """Filters of the disparity map."""


@dataclass(frozen=True, kw_only=True, slots=True)
class VerifyOptions:
    """Options of `bifocal.colmap` (include/bifocal/colmap/verify.hpp)."""

    max_error: float = 4.0
    """px: largest error of an inlier (above 0 and finite)."""
    min_inliers: int = 15
    """Pairs with fewer inliers are degenerate (at least 1)."""
    confidence: float = 0.999
    """Probability of an outlier-free sample at which sampling ends (above 0 and below 1)."""
    min_iterations: int = 100
    """Minimum number of samples for each model (at least 1)."""
    max_iterations: int = 10000
    """Maximum number of samples for each model (at least 1)."""
    min_inlier_ratio: float = 0.0
    """Fraction of correct matches that sampling must be able to find; 0: 0.2, more for few matches (0 to 1)."""
    min_E_F_inlier_ratio: float = 0.95
    """Calibrated: E has more than this fraction of F's inliers (0 to 1)."""
    max_H_inlier_ratio: float = 0.8
    """Planar_or_panoramic: H has more than this fraction of E's or F's inliers (0 to 1)."""
    relative_pose: bool = False
    """Also compute poses of planar pairs, and distinguish planar from panoramic pairs."""
    detect_watermark: bool = True
    """Detect watermarks."""
    watermark_min_inlier_ratio: float = 0.7
    """Fraction of the inliers that lie near the border and have the same shift (0 to 1)."""
    watermark_border_size: float = 0.1
    """Width of the border, as a fraction of the image diagonal (0 to 1)."""
    watermark_max_error: float = 4.0
    """px: largest difference between the shifts of a watermark's inliers (above 0)."""
    seed: int = 0
    """Seed of the sampling; equal seeds give equal results."""
    belief: float = 0.0
    """Level of significance: a model is accepted if the expected number of equally good models among outliers is smaller; a higher level accepts more models with few matches, correct and wrong; 0: 0.01, for homographies 0.001 (at least 0 and finite)."""


def _refuse(options: Any, name: str, value: Any) -> NoReturn:
    # Names the option, or those that there are.
    changed = "options can't be changed, dataclasses.replace() makes a changed copy"
    if name in options.__dataclass_fields__:
        raise FrozenInstanceError(f"{name}: {changed}")
    raise AttributeError(f"{type(options).__name__} has no option '{name}', but {', '.join(options.__dataclass_fields__)}; {changed}")


for _name in __all__:
    setattr(globals()[_name], "__setattr__", _refuse)
