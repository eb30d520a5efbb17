"""COLMAP's sparse models as NumPy arrays, and their bundle adjustment."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple

from . import _core
from ._adjust import AdjustIteration, BundleAdjustment, iteration_callback
from ._arguments import CancellationToken
from ._colmap.model_values import values_of
from ._colmap.option_fields import fields_of, is_value
from ._colmap.control import control_arguments, control_of
from ._devices import device_id
from ._numbers import shown, whole_from
from ._options import AdjustOptions, BundleAdjustOptions

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    Numbers = NDArray[numpy.float64]

Path = str | bytes | os.PathLike[str] | os.PathLike[bytes]


class ModelPose(NamedTuple):
    """A rigid motion.

    Attributes:
        rotation: Quaternion w x y z of any length above 0.
        translation: Shape (3,).
    """

    rotation: Numbers
    translation: Numbers


@dataclass
class ModelCamera:
    """A camera of a model, in the same pixels as ModelImage.xy. Functions with camera arguments take it like a LensCamera.

    Attributes:
        id: camera_id.
        model: Name of COLMAP's camera model: 'PINHOLE', 'SIMPLE_RADIAL', 'OPENCV', ...
        width, height: Size of the images in px.
        params: Parameters in the order of the model, px; the centre of the first pixel is (0, 0). cx and cy of the file and of pycolmap are larger
            by 0.5: do not subtract it again, and do not add it before `write_model`.
    """

    id: int
    model: str
    width: int
    height: int
    params: Numbers
    first_pixel: ClassVar[float] = 0.0


@dataclass
class ModelImage:
    """An image of a model with its pose and its features.

    Attributes:
        id, name: image_id and name of the file.
        camera_id: Camera of the image.
        rotation, translation: Quaternion w x y z and vector of X_camera = R X + t.
        xy: Features in px, shape (N, 2); the centre of the first pixel is (0, 0).
        point_ids: Number of the point of each feature, shape (N,); -1 without one.
    """

    id: int
    name: str
    camera_id: int
    rotation: Numbers
    translation: Numbers
    xy: Numbers
    point_ids: NDArray[numpy.int64]


@dataclass
class ModelPoints:
    """The scene points of a model as arrays.

    Attributes:
        ids: point3D_id, shape (P,).
        xyz, rgb: Coordinates and colours, shape (P, 3) each.
        errors: Mean reprojection errors in px, shape (P,); -1: unknown.
        offsets: Point k has rows offsets[k] to offsets[k + 1] of `tracks`, shape (P + 1,).
        tracks: Rows of the number of an image and the index of its feature, shape (T, 2).
    """

    ids: NDArray[numpy.int64]
    xyz: Numbers
    rgb: NDArray[numpy.uint8]
    errors: Numbers
    offsets: NDArray[numpy.int64]
    tracks: NDArray[numpy.uint32]


class RigSensor(NamedTuple):
    """A sensor of a rig.

    Attributes:
        type: 0: camera, 1: inertial measurement unit.
        id: camera_id, if the sensor is a camera.
        sensor_from_rig: None for the reference sensor, which is the first one, and if unknown.
    """

    type: int
    id: int
    sensor_from_rig: ModelPose | None


class ModelRig(NamedTuple):
    """Sensors fixed to each other, the reference sensor first.

    Attributes:
        id: rig_id.
        sensors: Sensors of the rig.
    """

    id: int
    sensors: list[RigSensor]


class FrameData(NamedTuple):
    """A record of a sensor, such as an image.

    Attributes:
        type, sensor_id: Type and id of the sensor.
        id: Number of the image, if the sensor is a camera.
    """

    type: int
    sensor_id: int
    id: int


class ModelFrame(NamedTuple):
    """Records of the sensors of a rig at one time.

    Attributes:
        id, rig_id: frame_id, and the rig of the frame.
        rig_from_world: Pose of the rig; None if unknown.
        data: Records of the sensors.
    """

    id: int
    rig_id: int
    rig_from_world: ModelPose
    data: list[FrameData]


class Georeference(NamedTuple):
    """The frame of a model that was moved to the positions of its images or to control points: metres, and east, north and up of an origin.

    Attributes:
        origin: WGS84 latitude and longitude in degrees, altitude in metres; None: the frame of the given positions.
        positions: Number of positions of images of the model.
        outliers: Names of images whose positions the others contradict.
        residuals: Differences of positions and model along the axes, root mean squares without outliers, in metres.
        position_deviations: Standard deviations of the middle of the cameras by those of the positions, in metres.
        rotation_deviations: Those of the rotation about the axes, in degrees.
        scale_deviation: That of the scale, relative.
        is_adjusted: The positions acted in the adjustment.
        control_points: Number of control points that determined the frame; then `positions` is 0.
        control_residuals: Model minus place of the control points along the axes, root mean squares in metres.
        check_points: Number of check points.
        check_residuals: Model minus place of the check points along the axes, root mean squares in metres.
    """

    origin: tuple[float, float, float] | None
    positions: int
    outliers: list[str]
    residuals: tuple[float, float, float]
    position_deviations: tuple[float, float, float]
    rotation_deviations: tuple[float, float, float]
    scale_deviation: float
    is_adjusted: bool
    control_points: int = 0
    control_residuals: tuple[float, float, float] = (0, 0, 0)
    check_points: int = 0
    check_residuals: tuple[float, float, float] = (0, 0, 0)


def georeference_of(found: tuple[Any, ...] | None) -> Georeference | None:
    """Makes a georeference of the tuple of _core."""
    return None if found is None else Georeference(*found[:-1], *found[-1])


@dataclass
class Model:
    """A sparse model. Lists are in the order of the files.

    Attributes:
        cameras: Cameras by number.
        images: Images by number.
        points: Scene points.
        has_frames: False for models of versions before 4, which have no rigs and frames.
        rigs: Rigs by number.
        frames: Frames by number.
        georeference: Its frame, the file georeference.json; None: not known.
    """

    cameras: list[ModelCamera]
    images: list[ModelImage]
    points: ModelPoints
    has_frames: bool = False
    rigs: list[ModelRig] = field(default_factory=list)
    frames: list[ModelFrame] = field(default_factory=list)
    georeference: Georeference | None = None


def read_model(folder: Path) -> Model:
    """Reads a COLMAP model, binary or text, with or without rigs and frames.

    Args:
        folder: With cameras, images and points3D; `.bin` is preferred to `.txt`.

    Returns:
        The model, with the centre of the first pixel at (0, 0) for observations and cameras. The pose of an image in a frame follows from the frame.

    Raises:
        OSError: If a file is missing, damaged or contradicts another one; the message names file and item.
    """
    found = _core.read_model(folder)
    rigs = [ModelRig(i, [RigSensor(t, s, None if p is None else ModelPose(*p)) for t, s, p in sensors]) for i, sensors in found["rigs"]]
    frames = [ModelFrame(i, rig, ModelPose(*pose), [FrameData(*d) for d in data]) for i, rig, pose, data in found["frames"]]
    return Model(
        cameras=[ModelCamera(*k) for k in found["cameras"]],
        images=[ModelImage(*i) for i in found["images"]],
        points=ModelPoints(*found["points"]),
        has_frames=found["has_frames"],
        rigs=rigs,
        frames=frames,
        georeference=georeference_of(found["georeference"]),
    )


def write_model(folder: Path, model: Model, format: Literal["binary", "text"] = "binary", *, overwrite: bool = False) -> None:
    """Writes a COLMAP model. A failed or interrupted call leaves the old model.

    Args:
        folder: Created if it is missing.
        model: As of `read_model`.
        format: 'binary' or 'text'; numbers of text files have 17 significant digits.
        overwrite: Replaces a model of the folder, in both formats. Other files of the folder stay.

    Raises:
        ValueError: If the folder has a model and `overwrite` is False, if shapes differ, a number is out of range, or the model contradicts itself; the
            message names the item.
        TypeError: If a field has another type: colours that are not uint8 or whole numbers from 0 to 255, numbers of items that are not integers.
        OSError: If the folder cannot be written to.
    """
    if format not in ("binary", "text"):
        raise ValueError(f"format: {format!r}, must be 'binary' or 'text'")
    _core.write_model(folder, values_of(model), format == "text", overwrite)


# Options of pycolmap.BundleAdjustmentOptions (4.2 and 3.11) with the same meaning here.
_SAME = {
    "refine_focal_length": "refine_focal_length",
    "refine_principal_point": "refine_principal_point",
    "refine_extra_params": "refine_extra_params",
    "refine_rig_from_world": "refine_poses",
    "refine_extrinsics": "refine_poses",
    "refine_points3D": "refine_points",
    "min_track_length": "min_track_length",
}
_SAME_OF_SOLVER = {
    "max_num_iterations": "max_iterations",
    "function_tolerance": "function_tolerance",
    "gradient_tolerance": "gradient_tolerance",
    "parameter_tolerance": "parameter_tolerance",
}
# These have no part in the result: frames of several images are refused, and the solver is another one.
_NOT_USED = {"refine_sensor_from_rig", "print_summary", "backend", "caspar"}


_CERES = "pycolmap.CeresBundleAdjustmentOptions"


def _take_ceres(given: Mapping[str, Any], ours: dict[str, Any]) -> None:
    for name, value in given.items():
        if name == "loss_function_type":
            ours["loss"] = str(getattr(value, "name", value)).lower()
        elif name == "loss_function_scale":
            ours["loss_scale"] = value
        elif name == "solver_options":
            fields = fields_of(value, "options: solver_options", "pyceres.SolverOptions")
            ours.update({own: fields[name] for name, own in _SAME_OF_SOLVER.items() if name in fields})


def _options(options: Any) -> BundleAdjustOptions:
    """Makes options of a dictionary, a pycolmap.BundleAdjustmentOptions, or ours."""
    if isinstance(options, BundleAdjustOptions):
        return options
    ours: dict[str, Any] = {}
    solver: dict[str, Any] = {}
    ceres = {"loss_function_type", "loss_function_scale", "solver_options"}
    for name, value in fields_of(options, "options", "pycolmap.BundleAdjustmentOptions or bifocal.colmap.BundleAdjustOptions").items():
        if name in _SAME:
            ours[_SAME[name]] = value
        elif name == "ceres":
            _take_ceres(fields_of(value, "options: ceres", _CERES), solver)
        elif name in ceres:  # of version 3
            _take_ceres({name: value}, solver)
        elif name == "constant_rig_from_world_rotation":
            if not is_value(value, False):
                raise ValueError(f"options: {name} = {shown(value)}, must be False here")
        elif name not in _NOT_USED and not str(name).startswith(("use_gpu", "gpu_index", "min_num_", "max_num_", "auto_select")):
            raise ValueError(f"options: {name!r} is no option of pycolmap.BundleAdjustmentOptions")
    return BundleAdjustOptions(adjust=AdjustOptions(**solver), **ours)


def _item_numbers(values: Iterable[int], name: str) -> list[int]:
    """Returns numbers of items; flags of all items are no numbers."""
    if isinstance(values, (str, bytes)) or not hasattr(values, "__iter__"):
        raise TypeError(f"{name}: {shown(values)}, must be a list of numbers of items")
    return [whole_from(value, f"{name}[{k}]", 0, 2**63 - 1) for k, value in enumerate(values)]


def bundle_adjustment(
    model_in: Path,
    model_out: Path,
    options: Any = None,
    cancellation_token: CancellationToken | None = None,
    *,
    constant_cameras: Iterable[int] = (),
    constant_images: Iterable[int] = (),
    constant_points: Iterable[int] = (),
    format: Literal["binary", "text"] | None = None,
    control: Path | None = None,
    check: Iterable[str] = (),
    overwrite: bool = False,
    device: str | None = "auto",
    progress: Callable[[AdjustIteration], bool | None] | None = None,
) -> BundleAdjustment:
    """Adjusts a COLMAP model; pycolmap.bundle_adjustment for folders.

    Args:
        model_in, model_out: Folder of the model and folder of the adjusted model, which may be the same.
        options: A dictionary with names of pycolmap.BundleAdjustmentOptions, such an object, or BundleAdjustOptions.
        cancellation_token: Of pycolmap; once cancelled, the best model so far is written.
        constant_cameras, constant_images, constant_points: Numbers (camera_id, image_id, point3D_id) of items that are not adjusted.
        format: Format of the output; by default the format of the input.
        control: File of control points (docs/formats.md) that place the model and act in the adjustment.
        check: Names of points of `control` that are only compared with the model.
        overwrite: Replaces another model in `model_out`. Other files of the folder stay.
        device: Where the adjustment runs: 'auto' (the first CUDA device, else an OpenCL GPU, else the CPU), 'cpu', 'cuda:0', ...
        progress: Called after each iteration; False ends the adjustment, and the best model so far is written; True and None go on.

    Returns:
        Costs, errors and the reason of the end.

    Raises:
        OSError: If the model or `control` is missing or damaged, or the model cannot be written.
        ValueError: If `model_out` has another model, an option is out of range, a number or a check point is unknown, a frame of several images would be
            adjusted, or fewer than three control points are determined.
    """
    if format not in (None, "binary", "text"):
        raise ValueError(f"format: {format!r}, must be 'binary', 'text' or None")

    def go_on(iteration: AdjustIteration) -> bool | None:
        if cancellation_token is not None and cancellation_token.is_cancelled():
            return False
        return True if progress is None else progress(iteration)

    given = {"constant_cameras": constant_cameras, "constant_images": constant_images, "constant_points": constant_points}
    constant = [_item_numbers(numbers, name) for name, numbers in given.items()]
    callback = None if cancellation_token is None and progress is None else iteration_callback(go_on)
    output = format or "", overwrite, *control_arguments(control, check)
    found = _core.adjust_model(model_in, model_out, _options(options), constant, output, device_id(device) or "auto", callback)
    history = [AdjustIteration(**i) for i in found.pop("history")]
    return BundleAdjustment(history=history, control=control_of(found.pop("control")), **found)
