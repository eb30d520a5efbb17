"""Reads the files of `bifocal pair` and `Pair.write` (docs/formats.md#output-files)."""

from __future__ import annotations

import errno
import json
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn, Union

from . import _core
from ._core import Rectification

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    Path = Union[str, bytes, os.PathLike[str], os.PathLike[bytes]]
    Floats = NDArray[numpy.float64]
    Map = NDArray[numpy.float32]
    Pixels = NDArray[numpy.uint8]
    Numbers = tuple[float, float, float, float]

__all__ = ["PairFiles", "read_pair"]

_PLY = (
    "ply\nformat binary_little_endian 1.0\n{comment}element vertex {count}\nproperty float x\nproperty float y\nproperty float z\n"
    "property uchar red\nproperty uchar green\nproperty uchar blue\nend_header\n"
)


@dataclass(frozen=True, eq=False, repr=False)
class PairFiles:
    """Geometry of two photographs from the files of a folder, with the attributes of `Pair`.

    `keypoints1`, `keypoints2`, `matches` and `triangulated` are None, because no file has them.

    Attributes:
        outcome: 'ok' or the cause: 'no_model', ...
        kind: Kind of the model; None without a model.
        reason: Reason for this model or for a missing model, in words.
        doubts: Reasons to doubt the cameras or the model; empty without one.
        model: H or F in px, or E of normalised points, shape (3, 3); None without a model.
        R, t: Pose X2 = R X1 + t; None without a pose.
        pose_covariance, rotation_deviation_deg, direction_deviation_deg: Covariance (6, 6) and standard deviations of the pose; None if not determined.
        parallax_deg: Median angle between the rays of an inlier, in degrees; None without a pose.
        x1, x2: Matched points in px, shape (M, 2), with nine digits.
        inliers: Inlier flag of each match, shape (M,).
        num_inliers: Number of inliers.
        focal_length, focal_deviation: Estimated focal length and its standard deviation in px; None if it was given or is not determined.
        distortion, distortion_deviation: Estimated coefficient of the division model and its standard deviation; None if not determined.
        device: Device of all stages.
        timings: Duration of each stage, with writing, in ms.
        tries: Tries of an escalated pair as in `Pair.tries`; None if there was only one.
        has_depth: True if the pair was matched densely. Otherwise the attributes below are None.
        dense_reason: Reason for missing depth; '' if has_depth.
        rectification: Rectification of the pair.
        rectified_left, rectified_right: Rectified images, RGB.
        disparity: Disparities in px, shape (H, W), NaN if unknown; without the file disparity_raw.pfm (`all_files`) to the steps of disparity.png, which
            stores negative ones as unknown.
        disparity_filled: Disparities with unknown pixels filled; None without `all_files`.
        disparity_range: Range (min_disparity, disparities) of the search in px.
        depth: Depth of the pixels of photograph 1 in units of the baseline, shape (H, W), NaN if unknown.
        depth_deviation: Standard deviation of depth; None without `all_files`.
        cloud: Points in the frame of camera 1 and their colours; at most about 500,000 without `all_files`.
        depth_cameras: fx, fy, cx, cy of both cameras for depth, and 'given', 'estimated' or 'assumed'.
        keypoints1, keypoints2, matches, triangulated: None.
    """

    outcome: str
    kind: str | None
    reason: str
    doubts: list[str]
    model: Floats | None
    R: Floats | None
    t: Floats | None
    pose_covariance: Floats | None
    rotation_deviation_deg: float | None
    direction_deviation_deg: float | None
    parallax_deg: float | None
    x1: Floats
    x2: Floats
    inliers: NDArray[numpy.bool_]
    num_inliers: int
    focal_length: float | None
    focal_deviation: float | None
    distortion: float | None
    distortion_deviation: float | None
    device: str
    timings: dict[str, float]
    tries: list[tuple[str, str, bool, int, bool, float]] | None
    has_depth: bool
    dense_reason: str
    rectification: Rectification | None = None
    rectified_left: Pixels | None = None
    rectified_right: Pixels | None = None
    disparity: Map | None = None
    disparity_filled: Map | None = None
    disparity_range: tuple[int, int] | None = None
    depth: Map | None = None
    depth_deviation: Map | None = None
    cloud: tuple[Map, Pixels] | None = None
    depth_cameras: tuple[Numbers, Numbers, str] | None = None
    keypoints1: None = None
    keypoints2: None = None
    matches: None = None
    triangulated: None = None

    @property
    def ok(self) -> bool:
        """True if a model was found."""
        return self.outcome == "ok"

    def __bool__(self) -> bool:
        return self.ok

    def __repr__(self) -> str:
        if not self.ok:
            return f"<PairFiles: {self.outcome}>"
        pose, depth = ", pose" if self.R is not None else "", ", depth" if self.has_depth else ""
        doubted = ", doubted" if self.doubts else ""
        return f"<PairFiles: ok, {self.kind}, {self.num_inliers} of {len(self.x1)} matches are inliers{pose}{depth}{doubted}>"


def read_pair(folder: Path) -> PairFiles:
    """Reads the folder that `Pair.write` or `bifocal pair` wrote.

    Args:
        folder: Name of the folder.

    Returns:
        PairFiles with the attributes of the `Pair`. Attributes without a file are None: `keypoints1`, `keypoints2`, `matches`, `triangulated`, and
        `disparity_filled` and `depth_deviation` of a folder without `all_files`.

    Raises:
        OSError: If a file is missing, damaged, or not of such a folder; names the file.
    """
    place = os.fsdecode(folder)
    file = os.path.join(place, "geometry.json")
    geometry = _json_of(file)
    try:
        fields = _fields(geometry)
        counts = geometry["matches"], geometry["inliers"]
        dense = _Dense.of(geometry)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        said = f"{error.args[0]!r} is missing" if isinstance(error, KeyError) else str(error)
        _refuse(file, f"not of a pair, {said}")
    return PairFiles(**fields, **_matches(os.path.join(place, "matches.txt"), *counts), **(dense.read(place) if dense else {}))


def _refuse(file: str, cause: str) -> NoReturn:
    raise OSError(f"{os.fsencode(file).decode('utf-8', 'backslashreplace')}: {cause}")


def _bytes_of(file: str) -> bytes:
    if not os.path.exists(file):
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), file)
    if not os.path.isfile(file):
        _refuse(file, "is no file")
    with open(file, "rb") as opened:
        return opened.read()


def _json_of(file: str) -> Any:
    data = _bytes_of(file)
    try:
        return json.loads(data)
    except (ValueError, RecursionError) as error:
        _refuse(file, f"no JSON: {error}")


def _numbers(values: Any, *shape: int) -> Floats:
    """Returns finite float64 of a shape; ValueError otherwise."""
    import numpy as np

    made = np.array(values, np.float64)
    if made.size != np.prod(shape) or not np.isfinite(made).all():
        raise ValueError(f"{made.size} numbers, must be {int(np.prod(shape))} finite numbers")
    return made.reshape(shape)


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r} in place of a text")
    return value


def _fields(g: Any) -> dict[str, Any]:
    """Returns the fields of PairFiles that geometry.json has."""
    outcome, model, pose, deviation = _text(g["outcome"]), g.get("model"), g.get("pose"), g.get("pose_deviation")
    if (outcome == "ok") != (model is not None):
        raise ValueError(f"outcome {outcome!r} {'with' if model else 'without'} a model")
    estimated, repetition = g.get("estimated_camera", {}), g.get("repetition", {})
    matrix = None if model is None else next(model[name] for name in ("H", "F", "E") if name in model)
    tries = g.get("tries")
    return {
        "outcome": outcome,
        "kind": None if model is None else _text(model["kind"]),
        "reason": _text(g["reason"]),
        "doubts": [_text(doubt) for doubt in (g.get("doubt"), repetition.get("reason")) if doubt],
        "model": None if matrix is None else _numbers(matrix, 3, 3),
        "R": None if pose is None else _numbers(pose["R"], 3, 3),
        "t": None if pose is None else _numbers(pose["t"], 3),
        "pose_covariance": None if deviation is None else _numbers(deviation["covariance"], 6, 6),
        "rotation_deviation_deg": None if deviation is None else float(deviation["rotation_deg"]),
        "direction_deviation_deg": None if deviation is None else float(deviation["direction_deg"]),
        "parallax_deg": None if pose is None else float(g["median_parallax_deg"]),
        **{name: estimated.get(name) for name in ("focal_length", "focal_deviation", "distortion", "distortion_deviation")},
        "device": _text(g["device"]),
        "timings": {_text(stage): float(ms) for stage, ms in g["timings_ms"].items()},
        "tries": tries and [(t["name"], t["outcome"], t["doubted"], t["inliers"], t["taken"], t["ms"]) for t in tries],
        "has_depth": "dense" in g,
        "dense_reason": "" if "dense" in g else _text(g["dense_reason"]),
    }


def _matches(file: str, count: int, inliers: int) -> dict[str, Any]:
    """Returns the fields of matches.txt, whose numbers must be those of geometry.json."""
    import numpy as np

    if count == 0:
        empty = np.zeros((0, 2))
        _bytes_of(file)
        return {"x1": empty, "x2": empty.copy(), "inliers": np.zeros(0, bool), "num_inliers": 0}
    x1, x2, flags, _ = _core.read_correspondences(file)
    if flags is None or not np.isin(flags, (0, 1)).all():
        _refuse(file, "its last column is no flag of inliers")
    if (len(x1), int(flags.sum())) != (count, inliers):
        _refuse(file, f"has {int(flags.sum())} inliers of {len(x1)} matches, geometry.json {inliers} of {count}")
    return {"x1": x1, "x2": x2, "inliers": flags.astype(bool), "num_inliers": inliers}


def _cloud(file: str, count: int) -> tuple[Map, Pixels]:
    """Reads the cloud that `Pair.write` wrote."""
    import numpy as np

    data = _bytes_of(file)
    head, end, rows = data.partition(b"end_header\n")
    lines = [line for line in (head + end).decode("latin-1").splitlines(True) if not line.startswith("comment ")]
    if "".join(lines) != _PLY.format(comment="", count=count):
        _refuse(file, f"no cloud of {count} points as a pair has it")
    kind = np.dtype([("xyz", "<f4", 3), ("rgb", "u1", 3)])
    if len(rows) != count * kind.itemsize:
        _refuse(file, f"{len(rows)} bytes in place of {count * kind.itemsize} after the header")
    read = np.frombuffer(rows, kind)
    return np.ascontiguousarray(read["xyz"]), np.ascontiguousarray(read["rgb"])


@dataclass(frozen=True)
class _Dense:
    """Part of geometry.json about the files of depth."""

    range: tuple[int, int]
    png_scale: float
    cameras: tuple[Numbers, Numbers, str]
    points: int
    depth_shape: tuple[int, int] | None

    @classmethod
    def of(cls, geometry: Any) -> _Dense | None:
        """Returns the dense part of geometry.json; None without one."""
        if "dense" not in geometry:
            return None
        d, first = geometry["dense"], geometry["images"][0]
        one, two = ((c["fx"], c["fy"], c["cx"], c["cy"]) for c in (d["depth_camera1"], d["depth_camera2"]))
        _numbers([*one, *two], 8)
        is_undistorted = "distortion" in geometry.get("estimated_camera", {})
        shape = None if is_undistorted else (int(first["height"]), int(first["width"]))
        least, count, points = int(d["min_disparity"]), int(d["disparities"]), int(d["cloud_points"])
        return cls((least, count), float(d["disparity_png_scale"]), (one, two, _text(d["depth_cameras"])), points, shape)

    def read(self, folder: str) -> dict[str, Any]:
        """Returns the fields of the files of depth."""
        import numpy as np

        def name(file: str) -> str:
            return os.path.join(folder, file)

        def pfm(file: str, shape: tuple[int, ...] | None) -> Any:
            read = _core.read_pfm(name(file))
            if shape is not None and read.shape != shape:
                _refuse(name(file), f"has {read.shape[1]} x {read.shape[0]} px in place of {shape[1]} x {shape[0]}")
            return np.where(np.isinf(read), np.float32(np.nan), read)

        left, right = (_core.read_image(name(f"rectified_{side}.png"), False) for side in ("left", "right"))
        shape = left.shape[:2]
        if right.shape[:2] != shape:
            _refuse(name("rectified_right.png"), "has another size than rectified_left.png")
        rectification = _core.read_rectification(name("rectification.npz"))
        if (rectification.height, rectification.width) != shape:
            _refuse(name("rectification.npz"), "is of images of another size than rectified_left.png")
        if os.path.exists(name("disparity_raw.pfm")):
            disparity = pfm("disparity_raw.pfm", shape)
        else:
            disparity = _core.read_disparity(name("disparity.png"), self.png_scale)
            if disparity.shape != shape:
                _refuse(name("disparity.png"), "has another size than rectified_left.png")
        depth = pfm("depth.pfm", self.depth_shape)
        return {
            "rectification": rectification,
            "rectified_left": left,
            "rectified_right": right,
            "disparity": disparity,
            "disparity_filled": pfm("disparity.pfm", shape) if os.path.exists(name("disparity.pfm")) else None,
            "disparity_range": self.range,
            "depth": depth,
            "depth_deviation": pfm("depth_deviation.pfm", depth.shape) if os.path.exists(name("depth_deviation.pfm")) else None,
            "cloud": _cloud(name("cloud.ply"), self.points),
            "depth_cameras": self.cameras,
        }
