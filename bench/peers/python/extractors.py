"""Features and matchers of Bifocal and its peers behind one interface: an Extractor per project and kind of feature.

Each is made for a number of features (None: the project's default). With a number, every detector finds more candidates than its default does and
keeps the strongest, so that all have equal numbers; SIFT is then RootSIFT. Matches always pass the ratio test 0.8 and the mutual test.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable

import numpy as np

RATIO = 0.8
MORE = 0.25  # factor of a detector's own contrast threshold for a given number of features


@dataclass
class Extractor:
    extract: Callable[[np.ndarray], Any]  # uint8 [H, W] to its features
    points: Callable[[Any], np.ndarray]  # their places [N, 2], px; the centre of the first pixel is (0, 0); not timed
    match: Callable[[Any, Any], np.ndarray]  # features of two images to indices [M, 2]
    settings: dict
    like: str | None = None  # owner of the features, if only the matcher differs


def bifocal_sift(count):
    import bifocal

    options = bifocal.SiftOptions() if count is None else bifocal.SiftOptions(max_features=count, contrast_threshold=0.04 * MORE)
    return _bifocal(options, {"max_features": options.max_features, "contrast_threshold": options.contrast_threshold, "descriptor": "RootSIFT"})


def bifocal_surf(count):
    import bifocal

    options = bifocal.SurfOptions() if count is None else bifocal.SurfOptions(max_features=count, threshold=2.5e-4 * MORE)
    return _bifocal(options, {"max_features": options.max_features, "threshold": options.threshold, "descriptor": "SURF, 64 numbers"})


def _bifocal(options, settings):
    import bifocal

    match = bifocal.MatchOptions(max_ratio=RATIO, mutual=True)
    return Extractor(
        lambda image: bifocal.detect(image, options), lambda f: np.asarray(f.xy), lambda a, b: np.asarray(bifocal.match(a, b, match).indices), settings
    )


def _opencv(detector, norm, settings, root=False, quick=False):
    import cv2

    cv2.setNumThreads(1)
    matcher = cv2.FlannBasedMatcher({"algorithm": 1, "trees": 4}, {"checks": 32}) if quick else cv2.BFMatcher(norm)

    def extract(image):
        points, descriptors = detector.detectAndCompute(image, None)
        if root:
            descriptors = np.sqrt(descriptors / np.maximum(descriptors.sum(1, keepdims=True), 1e-12))
        return points, descriptors

    def match(a, b):
        two = matcher.knnMatch(a[1], b[1], 2)
        back = [m.trainIdx for m in matcher.match(b[1], a[1])]
        kept = [(p[0].queryIdx, p[0].trainIdx) for p in two if len(p) == 2 and p[0].distance < RATIO * p[1].distance]
        return np.array([(i, j) for i, j in kept if back[j] == i], int).reshape(-1, 2)

    settings |= {"matcher": "FLANN, 4 trees, 32 checks" if quick else "brute force"}
    return Extractor(extract, lambda f: cv2.KeyPoint.convert(f[0]), match, settings, "OpenCV SIFT" if quick else None)


def opencv_sift(count, quick=False):
    import cv2

    contrast = 0.04 if count is None else 0.04 * MORE
    settings = {"nfeatures": count or 0, "contrastThreshold": contrast, "descriptor": "SIFT" if count is None else "RootSIFT"}
    return _opencv(cv2.SIFT_create(nfeatures=count or 0, contrastThreshold=contrast), cv2.NORM_L2, settings, root=count is not None, quick=quick)


def opencv_sift_flann(count):
    return opencv_sift(count, quick=True)


def opencv_akaze(count):
    import cv2

    home = cv2 if hasattr(cv2, "AKAZE_create") else cv2.xfeatures2d  # OpenCV 5 has it in its contrib modules
    threshold = 0.001 if count is None else 0.001 * MORE
    more = {} if count is None else {"max_points": count}
    return _opencv(home.AKAZE_create(threshold=threshold, **more), cv2.NORM_HAMMING, {"max_points": count or -1, "threshold": threshold, "descriptor": "MLDB"})


def opencv_orb(count):
    import cv2

    fast = 20 if count is None else 5
    return _opencv(
        cv2.ORB_create(nfeatures=count or 500, fastThreshold=fast),
        cv2.NORM_HAMMING,
        {"nfeatures": count or 500, "fastThreshold": fast, "descriptor": "rotated BRIEF"},
    )


def pycolmap_sift(count):
    import pycolmap

    options = pycolmap.FeatureExtractionOptions()
    options.num_threads = 1
    if count is not None:
        options.sift.max_num_features = count
        options.sift.peak_threshold *= MORE
    extractor = pycolmap.FeatureExtractor.create(options, pycolmap.Device.cpu)
    matching = pycolmap.FeatureMatchingOptions()
    matching.num_threads = 1
    matching.sift.max_ratio = RATIO
    matcher = pycolmap.FeatureMatcher.create(matching, pycolmap.Device.cpu)

    def extract(image):
        points, descriptors = extractor.extract_from_uint8_array(image)
        if count is None or len(points) <= count:
            return points, descriptors
        # With several directions at a place it keeps more features than requested; largest first.
        return points[:count], pycolmap.FeatureDescriptors(descriptors.type, descriptors.data[:count])

    return Extractor(
        extract,
        lambda f: np.array([(p.x, p.y) for p in f[0]]) - 0.5,  # its first pixel has its centre at (0.5, 0.5)
        lambda a, b: matcher.match(*a, *b).astype(int),
        {
            "max_num_features": options.sift.max_num_features,
            "peak_threshold": options.sift.peak_threshold,
            "descriptor": "RootSIFT",
            "matcher": "nearest neighbours of faiss, max_distance 0.7",
        },
    )


def kornia_sift(count):
    import torch
    from kornia import feature

    torch.set_num_threads(1)
    found = count or 8000
    sift = feature.SIFTFeatureScaleSpace(num_features=found)

    @torch.no_grad()
    def extract(image):
        lafs, _, descriptors = sift(torch.from_numpy(image)[None, None].float() / 255)
        return lafs, descriptors[0]

    @torch.no_grad()
    def match(a, b):
        distances = torch.cdist(a[1], b[1])
        _, by_ratio = feature.match_snn(a[1], b[1], RATIO, distances)
        _, mutual = feature.match_mnn(a[1], b[1], distances)
        both = set(map(tuple, by_ratio.tolist())) & set(map(tuple, mutual.tolist()))
        return np.array(sorted(both), int).reshape(-1, 2)

    return Extractor(
        extract, lambda f: feature.get_laf_center(f[0])[0].numpy(), match, {"num_features": found, "descriptor": "RootSIFT", "matcher": "torch.cdist"}
    )


ALL = {
    "Bifocal RootSIFT": bifocal_sift,
    "Bifocal SURF": bifocal_surf,
    "OpenCV SIFT": opencv_sift,
    "OpenCV SIFT, FLANN": opencv_sift_flann,
    "OpenCV AKAZE": opencv_akaze,
    "OpenCV ORB": opencv_orb,
    "pycolmap SIFT": pycolmap_sift,
    "kornia SIFT": kornia_sift,
}
