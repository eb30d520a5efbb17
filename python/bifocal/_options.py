"""Option classes: frozen dataclasses with keyword arguments and the defaults of the C++ headers, which explain each option at length.

``dataclasses.replace(options, threshold=3.0)`` returns a changed copy. scripts/python-options writes this file.
"""

from __future__ import annotations

from dataclasses import FrozenInstanceError, dataclass, field
from typing import TYPE_CHECKING, Any, Literal, NoReturn

if TYPE_CHECKING:
    from ._collection import Path
    from ._robust import CameraLike

__all__ = [
    "AdjustOptions",
    "BundleAdjustOptions",
    "CollectCameras",
    "CollectOptions",
    "DenseOptions",
    "DisparityFilter",
    "FloatMatchOptions",
    "GivenFeatures",
    "MapOptions",
    "MatchOptions",
    "NearOptions",
    "PairOptions",
    "RetrievalOptions",
    "RobustOptions",
    "ScreenOptions",
    "SequentialOptions",
    "SgmOptions",
    "SiftOptions",
    "SsdOptions",
    "SurfOptions",
    "TwoViewGeometryOptions",
]


@dataclass(frozen=True, kw_only=True, slots=True)
class RobustOptions:
    """Options of robust estimation, for `estimate` and all other estimators (include/bifocal/robust.hpp).

    Attributes:
        threshold: Largest error of an inlier. Unit: px. Range: above 0 and finite.
        confidence: Probability of an outlier-free sample at which sampling ends. Range: above 0 and below 1.
        min_iterations: Minimum number of samples (at most max_iterations). Range: at least 1.
        max_iterations: Maximum number of samples. Range: at least 1.
        min_inlier_ratio: Fraction of correct matches that sampling must be able to find; 0: 0.1 for one pair (fundamental, shared_focal 0.15, radial_fundamental 0.3), 0.2 in batches. Range: 0 to 1.
        seed: Seed of the sampling; equal seeds give equal results.
        dominant_plane: Fundamental matrix: if most matches lie on a plane, search for matches off the plane, and reject the model unless they prove it.
        belief: Level of significance: a model is accepted if the expected number of equally good models among outliers is smaller; a higher level accepts more models with few matches, correct and wrong; 0: 0.01, for homography, similarity and affine 0.001. Range: at least 0 and finite.
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
        max_features: Largest number of features per image; the strongest are kept; 0: all. Range: at least 0.
        octave_layers: Scales per octave. Range: 1 to 16.
        contrast_threshold: Smallest |DoG| times octave_layers, for image values in [0, 1]. Range: at least 0 and below 1000.
        edge_threshold: Largest ratio of principal curvatures. Range: at least 1 and below 1000000.
        sigma: Blur of the first layer of an octave. Unit: px. Range: 0.8 to 8.
        upsample: Start from the image enlarged to twice its size.
        root: RootSIFT (L1-normalised, square root) instead of Lowe's clipped L2 norm.
        balance: Spread features over square cells, this number along the longer side; 0: keep the strongest of the whole image. Range: 0 to 128.
        domain_size_pooling: Descriptors that combine three sizes of neighbourhood: more correct matches between very different views, for 1.4 to 1.9 times the time.
        affine_shape: Features on ellipses instead of circles: a third to a half more correct matches between distant views, 2 to 7 % fewer between near views, for 1.2 to 1.5 times the time.
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
        max_features: Largest number of features per image; the strongest are kept; 0: all. Range: at least 0.
        octaves: Octaves of four filters each. Range: 1 to 5.
        threshold: Smallest determinant of the Hessian, for image values in [0, 1] and filters divided by their area. Range: at least 0 and below 1000.
        numbers: Numbers per descriptor, padded to 128.
        upright: No orientations: for cameras without rotation about the optical axis.
        upsample: Start from the image enlarged to twice its size.
        balance: Spread features over square cells, this number along the longer side; 0: keep the strongest of the whole image. Range: 0 to 128.
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
        max_ratio: Largest ratio of nearest and second nearest distance (Lowe's test), from image 1 to 2; 1 or more: no test. Range: above 0.
        mutual: Matches must be nearest neighbours in both directions.
        ratio_both_ways: Apply the ratio test also from image 2 to 1.
        max_distance: Largest Euclidean distance of a match; 0: no limit. Range: at least 0.
    """

    max_ratio: float = 0.8
    mutual: bool = True
    ratio_both_ways: bool = False
    max_distance: float = 0.0


@dataclass(frozen=True, kw_only=True, slots=True)
class FloatMatchOptions:
    """Options of matching float descriptors, for `match_descriptors` (include/bifocal/matching.hpp).

    Attributes:
        normalise: Normalise to unit length first: the nearest descriptor has the largest cosine.
        mutual: Matches must be nearest neighbours in both directions.
        max_ratio: Largest ratio of nearest and second nearest distance, from image 1 to 2; 1 or more: no test. Range: above 0.
        max_distance: Largest Euclidean distance, sqrt(2 - 2 c) for unit vectors with a cosine of c; 0: no limit. Range: at least 0.
    """

    normalise: bool = True
    mutual: bool = True
    max_ratio: float = 1.0
    max_distance: float = 0.0


@dataclass(frozen=True, kw_only=True, slots=True)
class DisparityFilter:
    """Filters of a computed disparity map, applied in the order of the attributes (include/bifocal/stereo.hpp).

    Attributes:
        cross_check: Largest difference of the disparities of both directions; negative: no check. Unit: px.
        uniqueness: Percentage by which a match must be better than the best elsewhere. Range: 0 to 99.
        median: Side of the median filter over known neighbours; 0: no filter. Unit: px.
        speckle_size: Regions with fewer pixels become unknown; 0: keep all regions. Unit: px. Range: 0 to 1073741824.
        speckle_range: Largest difference between neighbours in one region. Unit: px. Range: at least 0.
        fill: How unknown pixels get a disparity.
        fill_window: Side of the window for the mean. Unit: px. Range: odd, 3 to 31.
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
        min_disparity: First disparity of the search. Unit: px. Range: -1048576 to 1048576.
        disparities: Number of disparities in the search: min_disparity to min_disparity + disparities - 1. Range: 1 to 1024.
        census: Census code of the 9 x 7 neighbourhood, with 31, 31 or 62 bits.
        paths: 8, or 4: rows and columns only, faster.
        P1: Cost of a disparity step of 1 between neighbours. Unit: bits. Range: 0 to 190.
        P2: Cost of a larger step between neighbours of equal brightness, at least P1. Unit: bits. Range: 0 to 190.
        P2_contrast: Difference in brightness that halves P2; 0: constant P2. Unit: levels of 255. Range: 0 to 65536.
        vertical_tolerance: Largest vertical offset of rows if the rectification is not exact. Unit: px. Range: 0 to 2.
        white: Brightest value of the images; 0: 255, or 65535 for 16 bits. Range: 0 to 65535.
        filter: Filters of the disparity map.
        max_memory: Memory limit of the matcher; 0: no limit. Unit: bytes.
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
        min_disparity: First disparity of the search. Unit: px. Range: -1048576 to 1048576.
        disparities: Number of disparities in the search: min_disparity to min_disparity + disparities - 1. Range: 1 to 1024.
        window: Side of the square window. Unit: px. Range: odd, 3 to 31.
        filter: Filters of the disparity map.
    """

    min_disparity: int = 0
    disparities: int = 64
    window: int = 15
    filter: DisparityFilter = field(default_factory=lambda: DisparityFilter(median=0, speckle_size=0, fill='background'))


@dataclass(frozen=True, kw_only=True, slots=True)
class TwoViewGeometryOptions:
    """Options of geometric verification, for `bifocal.colmap.verify` and `collect` (include/bifocal/colmap/verify.hpp).

    Attributes:
        threshold: Largest error of an inlier. Unit: px. Range: above 0 and finite.
        min_inliers: Pairs with fewer inliers are degenerate. Range: at least 1.
        confidence: Probability of an outlier-free sample at which sampling ends. Range: above 0 and below 1.
        min_iterations: Minimum number of samples for each model. Range: at least 1.
        max_iterations: Maximum number of samples for each model. Range: at least 1.
        min_inlier_ratio: Fraction of correct matches that sampling must be able to find; 0: 0.2, more for few matches. Range: 0 to 1.
        min_E_F_inlier_ratio: Calibrated: E has more than this fraction of F's inliers. Range: 0 to 1.
        max_H_inlier_ratio: Planar_or_panoramic: H has more than this fraction of E's or F's inliers. Range: 0 to 1.
        relative_pose: Also compute poses of planar pairs, and distinguish planar from panoramic pairs.
        detect_watermark: Detect watermarks.
        watermark_min_inlier_ratio: Fraction of the inliers that lie near the border and have the same shift. Range: 0 to 1.
        watermark_border_size: Width of the border, as a fraction of the image diagonal. Range: 0 to 1.
        watermark_max_error: Largest difference between the shifts of a watermark's inliers. Unit: px. Range: above 0.
        seed: Seed of the sampling; equal seeds give equal results.
        belief: Level of significance: a model is accepted if the expected number of equally good models among outliers is smaller; a higher level accepts more models with few matches, correct and wrong; 0: 0.01, for homographies 0.001. Range: at least 0 and finite.
    """

    threshold: float = 4.0
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


@dataclass(frozen=True, kw_only=True, slots=True)
class AdjustOptions:
    """Options of bundle adjustment, for `adjust` (include/bifocal/adjust.hpp).

    Attributes:
        max_iterations: Most steps that are tried. Range: 0 to 100000.
        loss: Cost of an error.
        loss_scale: Error at which a robust loss leaves least squares. Unit: px. Range: above 0 and finite.
        function_tolerance: Stops when a step reduces the cost by a smaller part. Range: at least 0 and finite.
        gradient_tolerance: Stops when no entry of the gradient is larger. Range: at least 0 and finite.
        parameter_tolerance: Stops when a step is shorter, relative to the parameters. Range: at least 0 and finite.
        solver: Solver of the reduced system; auto: dense for small problems, sparse for long chains of images.
        preconditioner: Preconditioner of conjugate gradients.
        max_cg_iterations: Most conjugate gradient iterations of a step. Range: 1 to 100000.
        cg_tolerance: A step's system is solved to about this relative accuracy. Range: 1e-15 to 0.9.
        float_blocks: Keeps derivatives in single precision: half the memory; residuals and decisions stay in double.
        gauge: Position, orientation and scale of the result.
        covariance: Computes covariances; needs the memory of the dense solver.
        deviation_px: Standard deviation of an observation in x and in y; weighs observations against priors and scales covariances. Unit: px. Range: above 0 and finite.
        max_memory: Most memory of the device that the adjustment takes; 0: any. Unit: bytes. Range: at least 0.
    """

    max_iterations: int = 100
    loss: Literal["trivial", "huber", "soft_l1", "cauchy"] = "trivial"
    loss_scale: float = 1.0
    function_tolerance: float = 1e-06
    gradient_tolerance: float = 1e-10
    parameter_tolerance: float = 1e-08
    solver: Literal["auto", "dense", "sparse", "iterative"] = "auto"
    preconditioner: Literal["schur_jacobi", "power_series"] = "schur_jacobi"
    max_cg_iterations: int = 500
    cg_tolerance: float = 0.01
    float_blocks: bool = False
    gauge: Literal["start", "free"] = "start"
    covariance: bool = False
    deviation_px: float = 1.0
    max_memory: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class BundleAdjustOptions:
    """Options of `bifocal.colmap.bundle_adjustment` (include/bifocal/colmap/bundle_adjust.hpp).

    Attributes:
        adjust: The solver.
        refine_focal_length: Adjust focal lengths.
        refine_principal_point: Adjust principal points, too.
        refine_extra_params: Adjust parameters of lenses.
        refine_poses: Adjust poses of images.
        refine_points: Adjust scene points.
        min_track_length: Points with fewer observations are left as they are. Range: at least 0.
        separate_frames: Adjust images of one frame independently and drop rigs and frames.
    """

    adjust: AdjustOptions = field(default_factory=lambda: AdjustOptions())
    refine_focal_length: bool = True
    refine_principal_point: bool = False
    refine_extra_params: bool = True
    refine_poses: bool = True
    refine_points: bool = True
    min_track_length: int = 0
    separate_frames: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class MapOptions:
    """Options of `bifocal.colmap.map_database` (include/bifocal/mapping.hpp).

    Attributes:
        min_inliers: Pairs with fewer inliers are not used. Range: at least 5.
        min_images: Smallest model that is kept. Range: at least 2.
        threshold: Largest reprojection error of an observation. Unit: px. Range: above 0 and finite.
        min_angle_deg: Smallest angle between two rays of a point. Unit: degrees. Range: above 0 and below 90.
        max_rotation_error_deg: Pairs whose rotation differs more from the averaged rotations are removed. Unit: degrees. Range: above 0 and below 180.
        min_resection_inliers: Inliers that the absolute pose of an added image has at least. Range: at least 6.
        max_positioning_tracks: Tracks per image from which cameras are positioned; the others are added later. Range: at least 20.
        max_adjust_iterations: Most steps of each bundle adjustment. Range: 1 to 100000.
        refine_focal_length: Adjust focal lengths; a prior is kept where the matches do not determine it.
        refine_principal_point: Adjust principal points that are the image's centre, of cameras with at least three images that determine them to 0.2 % of the width.
        refine_extra_params: Adjust parameters of lenses.
        positions: Positions of the images (GPS): auto gives the model metres and north, and adjusts with the positions that agree with it; use: adjusts in any case; ignore.
        seed: Seed of all random choices; the same one gives the same models.
    """

    min_inliers: int = 15
    min_images: int = 3
    threshold: float = 4.0
    min_angle_deg: float = 1.5
    max_rotation_error_deg: float = 10.0
    min_resection_inliers: int = 30
    max_positioning_tracks: int = 400
    max_adjust_iterations: int = 50
    refine_focal_length: bool = True
    refine_principal_point: bool = True
    refine_extra_params: bool = True
    positions: Literal["auto", "ignore", "use"] = "auto"
    seed: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class DenseOptions:
    """Options of `dense` (include/bifocal/dense.hpp).

    Attributes:
        views: Images with which each image is matched. Range: 1 to 16.
        min_agreeing: Other images whose depths must agree with a depth. Range: 1 to 8.
        max_size: Longest side of the depth maps; larger images are reduced. Unit: px. Range: 64 to 4000.
        min_depth: Smallest depth; 0: from the points or the cameras. Range: at least 0 and finite.
        max_depth: Largest depth; 0: from the points or the cameras. Range: at least 0 and finite.
        max_memory: Memory for images and maps on the device. Unit: bytes.
    """

    views: int = 8
    min_agreeing: int = 2
    max_size: int = 2000
    min_depth: float = 0.0
    max_depth: float = 0.0
    max_memory: int = 4294967296


@dataclass(frozen=True, kw_only=True, slots=True)
class RetrievalOptions:
    """Options of `ImageIndex`, and of pairs by similarity in `CollectOptions` (include/bifocal/pair_selection.hpp).

    Attributes:
        words: Centres of the vocabulary. Range: 1 to 4096.
        features: Features that describe an image; the largest are used. Range: at least 1.
        training: Training descriptors of the vocabulary, evenly from all images. Range: 1 to 16777216.
        iterations: Rounds of k-means. Range: 1 to 10000.
        seed: Seed of k-means.
    """

    words: int = 128
    features: int = 2000
    training: int = 100000
    iterations: int = 15
    seed: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class PairOptions:
    """Options of `estimate_pair` (include/bifocal/two_photographs.hpp).

    Attributes:
        kind: Model to estimate; auto: essential with both cameras, otherwise fundamental (with distortion if the matches determine it), or homography.
        camera1: Camera of the first image.
        camera2: Camera of the second image.
        lens_is_unknown: Only the focal length of the cameras is known: estimate the distortion from the matches and remove it (default with EXIF).
        focal_deviation: Standard deviation of the given focal lengths, as a fraction; 0: 0.001, with EXIF 0.04. Range: 0 to 1.
        principal_point_deviation: Standard deviation of the principal point, as a fraction of the longer side; 0: 0.001 if given, 0.01 if assumed. Range: 0 to 1.
        sift: How features are found.
        surf: SURF features instead.
        matching: How features are matched.
        guided: Match again along the estimated model, and estimate again.
        escalate: Try affine shapes and guided matching if the result is rejected, doubted or has fewer than 50 inliers.
        robust: How the model is estimated.
        dense: Rectify, match densely and compute depth if the camera moved.
        max_dense_pixels: Largest number of pixels for dense matching. Unit: px. Range: at least 1.
        near_depth: Depth of the nearest surface, in baselines; 0: from the matches. Range: at least 0 and finite.
        far_depth: Depth of the farthest surface, in baselines; 0: from the matches. Range: at least 0 and finite.
        min_disparity: First disparity of the dense search in the rectified pair. Unit: px. Range: -1048576 to 1048576.
        max_disparity: End of the dense search: disparities below this. Unit: px. Range: -1048576 to 1048576.
    """

    kind: Literal["auto", "homography", "fundamental", "essential"] = "auto"
    camera1: CameraLike | None = None
    camera2: CameraLike | None = None
    lens_is_unknown: bool = False
    focal_deviation: float = 0.0
    principal_point_deviation: float = 0.0
    sift: SiftOptions = field(default_factory=lambda: SiftOptions())
    surf: SurfOptions | None = None
    matching: MatchOptions = field(default_factory=lambda: MatchOptions())
    guided: bool = False
    escalate: bool = True
    robust: RobustOptions = field(default_factory=lambda: RobustOptions())
    dense: bool = True
    max_dense_pixels: int = 2000000
    near_depth: float = 0.0
    far_depth: float = 0.0
    min_disparity: int | None = None
    max_disparity: int | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class ScreenOptions:
    """Screen of pairs, of `CollectOptions` (include/bifocal/pair_selection.hpp).

    Attributes:
        features: Number of features of each image that are matched; the largest are used. Range: at least 1.
        min_matches: Smallest number of matches among the largest features of a pair. Range: at least 0.
        max_ratio: Largest ratio of nearest and second nearest distance; matches are mutual. Range: above 0.
    """

    features: int = 1024
    min_matches: int = 6
    max_ratio: float = 0.75


@dataclass(frozen=True, kw_only=True, slots=True)
class SequentialOptions:
    """Pairs of neighbours, of `CollectOptions` (include/bifocal/pair_selection.hpp).

    Attributes:
        overlap: Next images that each image is paired with. Range: at least 1.
        quadratic: Also pair images at distances of 1, 2, 4, ... positions.
    """

    overlap: int = 10
    quadratic: bool = True


@dataclass(frozen=True, kw_only=True, slots=True)
class NearOptions:
    """Pairs by GPS position, of `CollectOptions` (include/bifocal/pair_selection.hpp).

    Attributes:
        max_distance_m: Largest distance of a pair. Unit: m. Range: at least 0.
        most: Largest number of pairs per image. Range: at least 1.
    """

    max_distance_m: float = 100.0
    most: int = 50


@dataclass(frozen=True, kw_only=True, slots=True)
class GivenFeatures:
    """Features of another tool, of `CollectOptions` (include/bifocal/collect.hpp).

    Attributes:
        source: Hloc's FILE.h5, or a folder with PHOTOGRAPH.jpg.npz.
        matches: Hloc's matches.h5 instead of matching the descriptors.
        matching: How their descriptors are matched.
    """

    source: Path | None = None
    matches: Path | None = None
    matching: FloatMatchOptions = field(default_factory=lambda: FloatMatchOptions())


@dataclass(frozen=True, kw_only=True, slots=True)
class CollectCameras:
    """Cameras of the database, of `CollectOptions` (include/bifocal/collect.hpp).

    Attributes:
        sharing: Photographs that share a camera: auto, equal make, model, focal length and size in EXIF, or without make and model if one camera explains them; single, equal size; each, none.
        model: Camera model of the database.
        intrinsics: Intrinsics of all photographs; default: focal length from EXIF, or a guess. Unit: px.
    """

    sharing: Literal["auto", "single", "each"] = "auto"
    model: Literal["SIMPLE_PINHOLE", "PINHOLE", "SIMPLE_RADIAL", "RADIAL", "OPENCV", "FULL_OPENCV"] = "SIMPLE_RADIAL"
    intrinsics: CameraLike | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class CollectOptions:
    """Options of `collect` (include/bifocal/collect.hpp).

    Attributes:
        pairs: Pairs to match.
        screen: All: screen of the pairs.
        links: All: rejected pairs per component that may link it and are matched, too, best first. Range: at least 0.
        sequential: Sequential: which neighbours are paired.
        loop_period: Sequential: period in images of the search for loops; 0: no search. Range: at least 0.
        loop_partners: Sequential: most similar images tried for a loop. Range: at least 1.
        retrieval: Retrieval, and loops of sequential: similarity of images.
        partners: Retrieval: number of images that each image is matched with. Range: at least 1.
        gps: Gps and auto: which images are near each other.
        pairs_file: File: list of pairs, two names on a line.
        sift: How features are found.
        surf: SURF features instead.
        masks: Folder with PHOTOGRAPH.png: no features where a mask is black.
        max_side: Larger photographs are reduced for feature detection; 0: never. Unit: px. Range: at least 0.
        matching: How features are matched.
        given: Features of another tool instead.
        guided: Match again along the estimated geometry, and verify again.
        min_matches: Pairs with fewer matches count as unmatched. Range: at least 1.
        geometry: Options of verification.
        cameras: Cameras of the database.
        max_memory: Limit of the process's host memory (500M, 4G), and of the memory on each GPU. Unit: bytes. Range: at least 1.
        block_size: Images whose features are in memory simultaneously; 0: limited by max_memory only. Range: at least 0.
        overwrite: Replace the database, and discard unfinished work with other options.
    """

    pairs: Literal["auto", "all", "exhaustive", "sequential", "retrieval", "gps", "file"] = "auto"
    screen: ScreenOptions = field(default_factory=lambda: ScreenOptions())
    links: int = 10
    sequential: SequentialOptions = field(default_factory=lambda: SequentialOptions())
    loop_period: int = 10
    loop_partners: int = 10
    retrieval: RetrievalOptions = field(default_factory=lambda: RetrievalOptions())
    partners: int = 20
    gps: NearOptions = field(default_factory=lambda: NearOptions(most=15))
    pairs_file: Path | None = None
    sift: SiftOptions = field(default_factory=lambda: SiftOptions(max_features=12288, contrast_threshold=0.02))
    surf: SurfOptions | None = None
    masks: Path | None = None
    max_side: int = 3200
    matching: MatchOptions = field(default_factory=lambda: MatchOptions(max_ratio=0.75))
    given: GivenFeatures = field(default_factory=lambda: GivenFeatures())
    guided: bool = False
    min_matches: int = 15
    geometry: TwoViewGeometryOptions = field(default_factory=lambda: TwoViewGeometryOptions())
    cameras: CollectCameras = field(default_factory=lambda: CollectCameras())
    max_memory: int = 4294967296
    block_size: int = 0
    overwrite: bool = False


def _refuse(options: Any, name: str, value: Any) -> NoReturn:
    # Names the option, or lists all options if the name is unknown.
    changed = "options can't be changed, dataclasses.replace() makes a changed copy"
    if name in options.__dataclass_fields__:
        raise FrozenInstanceError(f"{name}: {changed}")
    raise AttributeError(f"{type(options).__name__} has no option '{name}', but {', '.join(options.__dataclass_fields__)}; {changed}")


def _state_of(options: Any) -> list[Any]:
    """Returns the values of all options, for pickle and copy."""
    return [getattr(options, name) for name in options.__dataclass_fields__]


def _set_state(options: Any, state: list[Any]) -> None:
    """Sets the values of all options, for pickle and copy."""
    for name, value in zip(options.__dataclass_fields__, state):
        object.__setattr__(options, name, value)


for _name in __all__:
    for _method, _function in (("__setattr__", _refuse), ("__getstate__", _state_of), ("__setstate__", _set_state)):
        setattr(globals()[_name], _method, _function)
