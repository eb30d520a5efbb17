"""Option classes: frozen dataclasses with keyword arguments and the defaults of the C++ headers, which explain each option at length.

``dataclasses.replace(options, threshold=3.0)`` returns a changed copy. scripts/python-options writes this file.
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
    """Options of robust estimation, for `estimate` and all other estimators (include/bifocal/robust.hpp).

    Attributes:
        threshold: Largest error of an inlier. Unit: px. Range: above 0 and finite.
        confidence: Probability of having drawn a sample without outliers, which ends the sampling. Range: above 0 and below 1.
        min_iterations: Samples to draw at least (at most max_iterations). Range: at least 1.
        max_iterations: Most samples to draw. Range: at least 1.
        min_inlier_ratio: Fraction of correct matches worth looking for; 0: 0.1 of one pair (fundamental, shared_focal 0.15, radial_fundamental 0.3), 0.2 in batches. Range: 0 to 1.
        seed: Seed of the sampling; the same one gives the same result.
        dominant_plane: Fundamental matrix: look for matches off a plane that most of them lie on, and give none that they do not prove.
        belief: A model is believed if fewer models as well supported are expected of outliers; larger: more models of few matches, right and wrong; 0: 0.01, of maps 0.001. Range: at least 0 and finite.
    """

    threshold: float = 2.0
    confidence: float = 0.999
    min_iterations: int = 100
    max_iterations: int = 300000
    min_inlier_ratio: float = 0.0
    seed: int = 0
    dominant_plane: bool = False
    belief: float = 0.0


@dataclass(frozen=True, kw_only=True, slots=True)
class SiftOptions:
    """Options of SIFT features, for `detect` (include/bifocal/features.hpp).

    Attributes:
        max_features: Features kept of a picture, strongest first; 0: all. Range: at least 0.
        octave_layers: Scales an octave. Range: 1 to 16.
        contrast_threshold: Least |DoG| times octave_layers, of image values in [0, 1]. Range: at least 0 and below 1000.
        edge_threshold: Largest ratio of principal curvatures. Range: at least 1 and below 1000000.
        sigma: Blur of the first layer of an octave. Unit: px. Range: 0.8 to 8.
        upsample: Start from the picture doubled in size.
        root: RootSIFT (L1-normalised, square root) instead of Lowe's clipped L2 norm.
        balance: Cells along the longer side that take turns where there are more features; 0: the strongest, wherever they are. Range: 0 to 128.
        domain_size_pooling: Descriptors of three sizes of neighbourhood in one: more right matches between views that differ much, for 1.4 to 1.9 times the time.
        affine_shape: Features of ellipses instead of circles: a third to a half more right matches between views far apart, 2 to 7 % fewer between near ones, for 1.2 to 1.5 times the time.
    """

    max_features: int = 65536
    octave_layers: int = 3
    contrast_threshold: float = 0.04
    edge_threshold: float = 10.0
    sigma: float = 1.6
    upsample: bool = True
    root: bool = True
    balance: int = 0
    domain_size_pooling: bool = False
    affine_shape: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class SurfOptions:
    """Options of SURF features, for `detect` (include/bifocal/features.hpp). SURF is patented until about 2027 (docs/features.md).

    Attributes:
        max_features: Features kept of a picture, strongest first; 0: all. Range: at least 0.
        octaves: Octaves of four filters each. Range: 1 to 5.
        threshold: Least determinant of the Hessian, of image values in [0, 1] and filters divided by their area. Range: at least 0 and below 1000.
        numbers: Numbers of a descriptor, padded to 128.
        upright: No orientations: for cameras that are not turned about their axis.
        upsample: Start from the picture doubled in size.
        balance: Cells along the longer side that take turns where there are more features; 0: the strongest, wherever they are. Range: 0 to 128.
    """

    max_features: int = 65536
    octaves: int = 4
    threshold: float = 0.00025
    numbers: Literal[64, 128] = 64
    upright: bool = False
    upsample: bool = False
    balance: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class MatchOptions:
    """Options of matching 8-bit descriptors, for `match` and `match_guided` (include/bifocal/features.hpp).

    Attributes:
        max_ratio: Nearest over second nearest distance of a match (Lowe's test), from 1 to 2; 1 and more: any. Range: above 0.
        mutual: Each has to be the other's nearest.
        ratio_both_ways: The ratio test also from 2 to 1.
        max_distance: Largest Euclidean distance of a match; 0: any. Range: at least 0.
    """

    max_ratio: float = 0.8
    mutual: bool = True
    ratio_both_ways: bool = False
    max_distance: float = 0.0


@dataclass(frozen=True, kw_only=True, slots=True)
class FloatMatchOptions:
    """Options of matching float descriptors, for `match_descriptors` (include/bifocal/matching.hpp).

    Attributes:
        normalise: To unit length first: the nearest is the one of the largest cosine.
        mutual: Each has to be the other's nearest.
        max_ratio: Nearest over second nearest distance, from 1 to 2; 1 and more: any. Range: above 0.
        max_distance: Largest Euclidean distance, of unit vectors with a cosine of c sqrt(2 - 2 c); 0: any. Range: at least 0.
    """

    normalise: bool = True
    mutual: bool = True
    max_ratio: float = 1.0
    max_distance: float = 0.0


@dataclass(frozen=True, kw_only=True, slots=True)
class DisparityFilter:
    """Filters of a computed disparity map, applied in the order of the attributes (include/bifocal/stereo.hpp).

    Attributes:
        cross_check: Largest difference of both directions; negative: no check. Unit: px.
        uniqueness: Per cent by which a match must be better than the best elsewhere. Range: 0 to 99.
        median: Side of the median filter over known neighbours; 0: none. Unit: px.
        speckle_size: Smaller regions become unknown; 0: none. Unit: px. Range: 0 to 1073741824.
        speckle_range: Neighbours of one region differ by at most this. Unit: px. Range: at least 0.
        fill: How unknown pixels get a value.
        fill_window: Side of the window that the mean is taken over. Unit: px. Range: odd, 3 to 31.
    """

    cross_check: float = 1.0
    uniqueness: int = 0
    median: Literal[0, 3, 5] = 5
    speckle_size: int = 100
    speckle_range: float = 2.0
    fill: Literal["none", "background", "mean", "planes"] = "planes"
    fill_window: int = 15


@dataclass(frozen=True, kw_only=True, slots=True)
class SgmOptions:
    """Options of semi-global matching of census codes, for `stereo` and `StereoMatcher` (include/bifocal/stereo.hpp).

    Attributes:
        min_disparity: Start of the search. Unit: px. Range: -1048576 to 1048576.
        disparities: Searched: min_disparity to min_disparity + disparities - 1. Range: 1 to 1024.
        census: Code of a neighbourhood of 9 x 7, of 31, 31 or 62 bits.
        paths: 8, or 4: along rows and columns only, faster.
        P1: Cost of a step of one disparity between neighbours. Unit: bits. Range: 0 to 190.
        P2: Cost of a larger one where the brightness is the same, at least P1. Unit: bits. Range: 0 to 190.
        P2_contrast: Difference of brightness that halves P2; 0: P2 everywhere. Unit: levels of 255. Range: 0 to 65536.
        vertical_tolerance: Rows may be apart by this where rectification is not exact. Unit: px. Range: 0 to 2.
        white: Brightest value of the pictures; 0: 255, or 65535 of 16 bits. Range: 0 to 65535.
        filter: What happens to the disparities.
        max_memory: Most memory that the matcher takes; 0: any. Unit: bytes.
    """

    min_disparity: int = 0
    disparities: int = 128
    census: Literal["sparse", "symmetric", "full"] = "sparse"
    paths: Literal[4, 8] = 8
    P1: int = 9
    P2: int = 60
    P2_contrast: int = 11
    vertical_tolerance: int = 0
    white: int = 0
    filter: DisparityFilter = field(default_factory=lambda: DisparityFilter(uniqueness=5))
    max_memory: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class SsdOptions:
    """Options of block matching by sums of squared differences, for `stereo` and `StereoMatcher` (include/bifocal/stereo.hpp).

    Attributes:
        min_disparity: Start of the search. Unit: px. Range: -1048576 to 1048576.
        disparities: Searched: min_disparity to min_disparity + disparities - 1. Range: 1 to 1024.
        window: Side of the square window. Unit: px. Range: odd, 3 to 31.
        filter: What happens to the disparities.
    """

    min_disparity: int = 0
    disparities: int = 64
    window: int = 15
    filter: DisparityFilter = field(default_factory=lambda: DisparityFilter(median=0, speckle_size=0, fill='background'))


@dataclass(frozen=True, kw_only=True, slots=True)
class VerifyOptions:
    """Options of geometric verification, for `bifocal.colmap.verify` and `collect` (include/bifocal/colmap/verify.hpp).

    Attributes:
        max_error: Largest error of an inlier. Unit: px. Range: above 0 and finite.
        min_inliers: A pair with fewer is degenerate. Range: at least 1.
        confidence: Probability of having drawn a sample without outliers. Range: above 0 and below 1.
        min_iterations: Samples to draw for each model at least. Range: at least 1.
        max_iterations: Most samples to draw for each model. Range: at least 1.
        min_inlier_ratio: Fraction of right matches worth looking for; 0: 0.2, more of few matches. Range: 0 to 1.
        min_E_F_inlier_ratio: Calibrated: E has more than this fraction of F's inliers. Range: 0 to 1.
        max_H_inlier_ratio: Planar_or_panoramic: H has more than this fraction of E's or F's inliers. Range: 0 to 1.
        relative_pose: Poses of planar pairs, too, and planes told from turns.
        detect_watermark: Look for watermarks.
        watermark_min_inlier_ratio: Fraction of the inliers that lies in the border and moves alike. Range: 0 to 1.
        watermark_border_size: Width of the border, as a fraction of the picture's diagonal. Range: 0 to 1.
        watermark_max_error: Largest difference of what moves alike. Unit: px. Range: above 0.
        seed: Seed of the sampling; the same one gives the same result.
        belief: A model counts if fewer models as well supported are expected of outliers; larger: more models of few matches, right and wrong; 0: 0.01, of homographies 0.001. Range: at least 0 and finite.
    """

    max_error: float = 4.0
    min_inliers: int = 15
    confidence: float = 0.999
    min_iterations: int = 100
    max_iterations: int = 10000
    min_inlier_ratio: float = 0.0
    min_E_F_inlier_ratio: float = 0.95
    max_H_inlier_ratio: float = 0.8
    relative_pose: bool = False
    detect_watermark: bool = True
    watermark_min_inlier_ratio: float = 0.7
    watermark_border_size: float = 0.1
    watermark_max_error: float = 4.0
    seed: int = 0
    belief: float = 0.0


def _refuse(options: Any, name: str, value: Any) -> NoReturn:
    # Names the option, or lists all options if the name is unknown.
    changed = "options can't be changed, dataclasses.replace() makes a changed copy"
    if name in options.__dataclass_fields__:
        raise FrozenInstanceError(f"{name}: {changed}")
    raise AttributeError(f"{type(options).__name__} has no option '{name}', but {', '.join(options.__dataclass_fields__)}; {changed}")


for _name in __all__:
    setattr(globals()[_name], "__setattr__", _refuse)
