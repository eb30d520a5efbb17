"""OpenCV's SIFT, implemented by Bifocal's detector."""

from __future__ import annotations

from typing import Any, Iterable, Optional, Tuple

import numpy as np

from .._features import Features, detect
from .._numbers import number, reals, whole
from .._options import SiftOptions
from .arrays import Array, Flag, Given
from .keypoints import keypoint_class, places
from .lens import is_empty

NORM_L2 = 4
_CV_32F = 5
# OpenCV counts the eight directions of each histogram in the opposite sense. This order is its own inverse.
_ORDER = (np.arange(0, 128, 8)[:, None] + np.array([0, 7, 6, 5, 4, 3, 2, 1])).ravel()

Described = Tuple[Tuple[Any, ...], Optional[Array]]


def _octaves(sigma: Array, first: float, layers: int) -> Array:
    """Returns OpenCV's packed octaves: octave (-1: the doubled image), layer, and position between layers."""
    steps = layers * np.log2(np.maximum(sigma, 1e-6) / first)
    layer = np.rint(steps)
    octave = np.maximum(np.floor((layer - 1) / layers), -1)
    between = np.clip(np.rint((steps - layer + 0.5) * 255), 0, 255)
    packed = (octave.astype(np.int64) & 255) | (np.clip(layer - layers * octave, 0, 255).astype(np.int64) << 8) | (between.astype(np.int64) << 16)
    out: Array = packed.astype(np.int32)
    return out


def _keypoints(found: Features, options: SiftOptions) -> tuple[Any, ...]:
    make = keypoint_class()
    octaves = _octaves(found.sigma.astype(np.float64), options.sigma, options.octave_layers)
    rows = zip(found.xy.tolist(), (2 * found.sigma).tolist(), found.angle_deg.tolist(), found.response.tolist(), octaves.tolist())
    return tuple(make(x, y, size, angle, response, octave) for (x, y), size, angle, response, octave in rows)


def features_of(keypoints: Iterable[Any], descriptors: Any) -> Features:
    """Converts OpenCV's keypoints and descriptors, the inverse of `SIFT.detectAndCompute` (bifocal.Features.from_keypoints)."""
    kept = list(keypoints)
    numbers = np.zeros((0, 128)) if descriptors is None and not kept else reals(descriptors, "descriptors")
    if numbers.shape != (len(kept), 128):
        raise ValueError(f"descriptors: shape {numbers.shape}, must be ({len(kept)}, 128), one row for each keypoint")
    if not ((numbers >= 0) & (numbers <= 255)).all():
        raise ValueError("descriptors: a number is not within 0 to 255, as those of cv2.SIFT are")
    if len(kept) and 0 < numbers.max() <= 1:
        raise ValueError("descriptors: no number is above 1, but those of cv2.SIFT are 0 to 255; bifocal.match_descriptors takes any floats")
    try:
        rest = np.array([(k.size / 2, max(k.angle, 0) % 360, k.response) for k in kept], np.float64).reshape(-1, 3)
    except (AttributeError, TypeError, ValueError) as error:
        raise TypeError(f"keypoints: must have pt, size, angle and response, as cv2.KeyPoint has: {error}") from error
    return Features(places(kept), np.rint(numbers[:, _ORDER]).astype(np.uint8), *rest.T)


class SIFT:
    """OpenCV's SIFT with Bifocal's detector and descriptors.

    Keypoints and descriptors have OpenCV's meaning and order of elements, so that both can be matched with each other, but the values differ:
    features are sorted by strength, and lie where OpenCV finds them with `enable_precise_upscale=True`. Without this option OpenCV's keypoints lie
    0.25 px right of and below the true position. `bifocal.detect` returns RootSIFT in arrays instead of objects.

    Args:
        nfeatures: Number of features kept; 0 keeps all.
        nOctaveLayers: Number of scales in an octave.
        contrastThreshold: Least contrast of a feature, for image values in [0, 1].
        edgeThreshold: Largest ratio of principal curvatures.
        sigma: Blur of the first layer in px.
    """

    def __init__(
        self,
        nfeatures: int = 0,
        nOctaveLayers: int = 3,
        contrastThreshold: float = 0.04,
        edgeThreshold: float = 10,
        sigma: float = 1.6,
        *_: Any,
        **__: Any,
    ) -> None:
        self._nfeatures, self._layers = whole(nfeatures, "nfeatures"), whole(nOctaveLayers, "nOctaveLayers")
        self._contrast, self._edge = number(contrastThreshold, "contrastThreshold"), number(edgeThreshold, "edgeThreshold")
        self._sigma = number(sigma, "sigma")

    def __repr__(self) -> str:
        return (
            f"SIFT(nfeatures={self._nfeatures}, nOctaveLayers={self._layers}, contrastThreshold={self._contrast}, "
            f"edgeThreshold={self._edge}, sigma={self._sigma})"
        )

    @staticmethod
    def create(*args: Any, **kwargs: Any) -> SIFT:
        """Makes a detector.

        Args:
            args, kwargs: Arguments of the constructor.

        Returns:
            SIFT with these numbers.
        """
        return SIFT(*args, **kwargs)

    def getNFeatures(self) -> int:
        """Returns the number of features kept; 0 means all."""
        return self._nfeatures

    def getNOctaveLayers(self) -> int:
        """Returns the number of scales in an octave."""
        return self._layers

    def getContrastThreshold(self) -> float:
        """Returns the least contrast of a feature."""
        return self._contrast

    def getEdgeThreshold(self) -> float:
        """Returns the largest ratio of principal curvatures."""
        return self._edge

    def getSigma(self) -> float:
        """Returns the blur of the first layer in px."""
        return self._sigma

    def defaultNorm(self) -> int:
        """Returns NORM_L2, the norm for matching."""
        return NORM_L2

    def descriptorSize(self) -> int:
        """Returns the number of elements of a descriptor."""
        return 128

    def descriptorType(self) -> int:
        """Returns CV_32F, the type of a descriptor."""
        return _CV_32F

    def _options(self) -> SiftOptions:
        return SiftOptions(
            max_features=max(self._nfeatures, 0),
            octave_layers=self._layers,
            contrast_threshold=self._contrast,
            edge_threshold=self._edge,
            sigma=self._sigma,
            root=False,
        )

    def detectAndCompute(self, image: Given, mask: Given | None, descriptors: Any = None, useProvidedKeypoints: Flag = False) -> Described:
        """Detects and describes keypoints.

        Args:
            image: uint8, shape (H, W), or (H, W, 3) in the order BGR.
            mask: uint8, shape (H, W), pixels of value 0 have no keypoints; None: no mask.
            descriptors: Ignored.
            useProvidedKeypoints: Must be False.

        Returns:
            A tuple of KeyPoint (of cv2 if cv2 is imported), and descriptors, float32 (N, 128); None without keypoints.

        Raises:
            ValueError: If keypoints are provided; Bifocal describes only its own keypoints.
        """
        if useProvidedKeypoints:
            raise ValueError("useProvidedKeypoints = True, must be False: only keypoints that this call finds are described")
        options = self._options()
        found = detect(image, options, mask=None if is_empty(mask) else mask, bgr=True)
        return _keypoints(found, options), found.descriptors[:, _ORDER].astype(np.float32) if len(found) else None

    def detect(self, image: Given, mask: Given | None = None) -> tuple[Any, ...]:
        """Detects keypoints.

        Args:
            image: uint8, shape (H, W), or (H, W, 3) in the order BGR.
            mask: uint8, shape (H, W), pixels of value 0 have no keypoints; None: no mask.

        Returns:
            A tuple of KeyPoint (of cv2 if cv2 is imported).
        """
        return self.detectAndCompute(image, mask)[0]


SIFT_create = SIFT.create
