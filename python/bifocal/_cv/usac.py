"""OpenCV's robust methods and UsacParams, converted to options of Bifocal's single robust method."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any, Optional, Tuple

import numpy as np

from . import arrays as _cv
from .arrays import Array
from .._numbers import number, whole, whole_from
from .._options import RobustOptions
from .._robust import Estimate, ModelKind, estimate

SAMPLING_UNIFORM, SAMPLING_PROGRESSIVE_NAPSAC, SAMPLING_NAPSAC, SAMPLING_PROSAC = range(4)
SCORE_METHOD_RANSAC, SCORE_METHOD_MSAC, SCORE_METHOD_MAGSAC, SCORE_METHOD_LMEDS = range(4)
LOCAL_OPTIM_NULL, LOCAL_OPTIM_INNER_LO, LOCAL_OPTIM_INNER_AND_ITER_LO, LOCAL_OPTIM_GC, LOCAL_OPTIM_SIGMA = range(5)
NEIGH_FLANN_KNN, NEIGH_GRID, NEIGH_FLANN_RADIUS = range(3)
NONE_POLISHER, LSQ_POLISHER, MAGSAC, COV_POLISHER = range(4)

LMEDS, RANSAC, RHO = 4, 8, 16
FM_7POINT, FM_8POINT, FM_LMEDS, FM_RANSAC = 1, 2, 4, 8
USAC_DEFAULT, USAC_PARALLEL, USAC_FM_8PTS, USAC_FAST, USAC_ACCURATE, USAC_PROSAC, USAC_MAGSAC = range(32, 39)
USAC = set(range(32, 39))
ROBUST = {LMEDS, RANSAC, RHO} | USAC

# OpenCV's thresholds are distances in one image. Bifocal's threshold is the distance of the point pair, which is smaller by sqrt(2) if both
# images have the same scale.
ONE_IMAGE = float(np.sqrt(0.5))

Found = Tuple[Optional[Array], Optional[Array]]


@dataclass
class UsacParams:
    """OpenCV's UsacParams with its defaults. The functions also accept an object of cv2.

    NAPSAC and PROGRESSIVE_NAPSAC, which sample neighbours together, and SCORE_METHOD_LMEDS, which has no threshold, are refused. The remaining
    choices are checked and not used, because Bifocal has a single score, a single refinement and the same result for any number of threads.

    Attributes:
        confidence: Probability of having drawn a sample without outliers.
        isParallel: Not used.
        loIterations: Not used.
        loMethod: Not used.
        loSampleSize: Not used.
        maxIterations: Most samples to draw.
        neighborsSearch: Not used.
        randomGeneratorState: Seed of the sampling; 0 is the seed of all other functions.
        sampler: SAMPLING_UNIFORM, or SAMPLING_PROSAC for points sorted by quality, the best first.
        score: SCORE_METHOD_RANSAC, SCORE_METHOD_MSAC or SCORE_METHOD_MAGSAC, which all mean Bifocal's MSAC score.
        threshold: Largest error of an inlier in px, as in OpenCV.
        final_polisher: Not used.
        final_polisher_iterations: Not used.
    """

    confidence: float = 0.99
    isParallel: bool = False
    loIterations: int = 5
    loMethod: int = LOCAL_OPTIM_INNER_LO
    loSampleSize: int = 14
    maxIterations: int = 5000
    neighborsSearch: int = NEIGH_GRID
    randomGeneratorState: int = 0
    sampler: int = SAMPLING_UNIFORM
    score: int = SCORE_METHOD_MSAC
    threshold: float = 1.5
    final_polisher: int = COV_POLISHER
    final_polisher_iterations: int = 3


FIELDS = {name for name in UsacParams.__dataclass_fields__}
# Number of values of each choice, and the reason for each refused value.
_CHOICES = {"loMethod": 5, "neighborsSearch": 3, "sampler": 4, "score": 4, "final_polisher": 4}
_REFUSED = {
    ("sampler", SAMPLING_NAPSAC): "samples of neighbours are not there: SAMPLING_UNIFORM or SAMPLING_PROSAC",
    ("sampler", SAMPLING_PROGRESSIVE_NAPSAC): "samples of neighbours are not there: SAMPLING_UNIFORM or SAMPLING_PROSAC",
    ("score", SCORE_METHOD_LMEDS): "a score without a threshold is not there: SCORE_METHOD_MSAC, MAGSAC or RANSAC",
}


def given(params: Any) -> bool:
    """Returns True if an argument is a UsacParams of this module or of cv2."""
    return not isinstance(params, (int, float, np.ndarray)) and all(hasattr(params, name) for name in FIELDS)


def form(method: Any, threshold: Any, mask: Any, params: Any) -> tuple[Any, float, Any]:
    """Converts both forms of a call, (.., method, threshold, .., mask) and (.., params, mask), to (params or None, threshold, mask)."""
    if params is None and given(method):
        params = method
        if isinstance(threshold, np.ndarray):  # the mask is in the place of the threshold
            mask, threshold = threshold, 3.0
    if params is not None and not given(params):
        raise TypeError(f"params: {type(params).__name__}, must be UsacParams")
    if isinstance(threshold, np.ndarray) and threshold.ndim > 0:
        raise TypeError(f"ransacReprojThreshold: an array of shape {threshold.shape}, must be a number")
    return params, 3.0 if threshold is None else number(threshold, "ransacReprojThreshold"), mask


def check_method(method: Any, function: str, methods: set[int]) -> None:
    """Raises ValueError unless the method is in `methods`, and TypeError unless it is an integer."""
    if not isinstance(method, (int, np.integer)):
        raise TypeError(f"{function}: method: {type(method).__name__}, must be one of {sorted(methods)}")
    if method not in methods:
        raise ValueError(f"{function}: method = {method}, must be one of {sorted(methods)}")


NAMES_OF_NUMBERS = "ransacReprojThreshold", "confidence", "maxIters"


def robust_options(
    threshold: Any, confidence: Any, max_iterations: Any, names: tuple[str, str, str] = NAMES_OF_NUMBERS, unit: float = 1.0
) -> RobustOptions:
    """Makes options from the numbers of a call. `names` are their argument names in messages; `unit` converts the threshold to Bifocal's px."""
    threshold, confidence = number(threshold, names[0]), number(confidence, names[1])
    most = 300000 if max_iterations is None else whole_from(max_iterations, names[2], 1)
    for name, value, right, text in zip(
        names,
        (threshold, confidence),
        (0 < threshold < np.inf, 0 < confidence < 1),
        ("above 0 and finite", "above 0 and below 1"),
    ):
        if not right:
            raise ValueError(f"{name} = {value}, must be {text}")
    return RobustOptions(threshold=threshold * unit, confidence=confidence, max_iterations=most)


def find(kind: ModelKind, x1: Array, x2: Array, params: Any, unit: float = 1.0, **cameras: Any) -> Estimate:
    """Estimates a model with the options of `params`, whose threshold times `unit` is in Bifocal's px."""
    for name, count in _CHOICES.items():
        value = whole(getattr(params, name), f"params.{name}")
        if not 0 <= value < count:
            raise ValueError(f"params.{name} = {value}, must be 0 to {count - 1}")
        if (name, value) in _REFUSED:
            raise ValueError(f"params.{name} = {value}: {_REFUSED[name, value]}")
    seed = whole(params.randomGeneratorState, "params.randomGeneratorState")
    if not 0 <= seed < 2**64:
        raise ValueError(f"params.randomGeneratorState = {seed}, must be 0 or more")
    names = "params.threshold", "params.confidence", "params.maxIterations"
    options = dataclasses.replace(robust_options(params.threshold, params.confidence, params.maxIterations, names, unit), seed=seed)
    qualities = np.linspace(1.0, 0.5, len(x1)) if params.sampler == SAMPLING_PROSAC and len(x1) else None
    return estimate(kind, x1, x2, options=options, qualities=qualities, **cameras)
