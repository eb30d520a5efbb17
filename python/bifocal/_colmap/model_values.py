"""A model as the values that the extension writes. Every field is checked: a wrong one raises TypeError or ValueError with item and field."""

from __future__ import annotations

import os
from typing import Any

from .._numbers import array_of, colours_of, flag, shown, whole_from


def _items(model: Any, field: str, kind: str) -> list[tuple[str, Any]]:
    """Returns name and value of each item of a list of the model."""
    values = getattr(model, field, None)
    if not isinstance(values, (list, tuple)):
        raise TypeError(f"model.{field}: {shown(values)}, must be a list of {kind}")
    return [(f"{field}[{k}]", value) for k, value in enumerate(values)]


def _fields(item: Any, name: str, kind: str, fields: str) -> list[Any]:
    """Returns the fields of an item."""
    wanted = fields.split()
    if not all(hasattr(item, field) for field in wanted):
        raise TypeError(f"{name}: {shown(item)}, must be a {kind}")
    return [getattr(item, field) for field in wanted]


def _whole(value: Any, name: str, most: int = 2**32 - 1) -> int:
    return whole_from(value, name, 0, most)


def _text(value: Any, name: str) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{name}: {shown(value)}, must be str")
    return value


def _numbers(value: Any, name: str, count: int) -> list[float]:
    """Returns finite numbers; -1: any count."""
    import numpy as np

    array = array_of(value, name, "float64", (count,))
    if not np.isfinite(array).all():
        raise ValueError(f"{name}: {array.tolist()}, must be finite")
    numbers: list[float] = array.tolist()
    return numbers


def _pose(pose: Any, name: str) -> tuple[list[float], list[float]]:
    rotation, translation = _fields(pose, name, "ModelPose", "rotation translation")
    return _numbers(rotation, f"{name}.rotation", 4), _numbers(translation, f"{name}.translation", 3)


def _camera(camera: Any, name: str) -> tuple[Any, ...]:
    number, model, width, height, params = _fields(camera, name, "ModelCamera", "id model width height params")
    sides = whole_from(width, f"{name}.width", 1), whole_from(height, f"{name}.height", 1)
    return _whole(number, f"{name}.id"), _text(model, f"{name}.model"), *sides, _numbers(params, f"{name}.params", -1)


def _image(image: Any, name: str) -> tuple[Any, ...]:
    number, file, camera, xy, ids = _fields(image, name, "ModelImage", "id name camera_id xy point_ids")
    if not isinstance(file, (str, bytes, os.PathLike)):
        raise TypeError(f"{name}.name: {shown(file)}, must be the name of a file")
    point_ids = array_of(ids, f"{name}.point_ids", "int64", (-1,))
    places = array_of(xy, f"{name}.xy", "float64", (len(point_ids), 2))
    return (_whole(number, f"{name}.id"), file, _whole(camera, f"{name}.camera_id"), *_pose(image, name), places, point_ids)


def _points(points: Any) -> tuple[Any, ...]:
    ids, xyz, rgb, errors, offsets, tracks = _fields(points, "model.points", "ModelPoints", "ids xyz rgb errors offsets tracks")
    ids = array_of(ids, "points.ids", "int64", (-1,))
    n = len(ids)
    if n and ids.min() < 0:
        raise ValueError(f"points.ids: {ids.min()}, must be 0 or more")
    offsets = array_of(offsets, "points.offsets", "int64", (n + 1,))
    tracks = array_of(tracks, "points.tracks", "uint32", (-1, 2))
    if offsets[0] != 0 or offsets[-1] != len(tracks) or (offsets[1:] < offsets[:-1]).any():
        raise ValueError(f"points.offsets: must rise from 0 to {len(tracks)}, the number of rows of points.tracks")
    xyz = array_of(xyz, "points.xyz", "float64", (n, 3))
    return ids, xyz, colours_of(rgb, "points.rgb", n), array_of(errors, "points.errors", "float64", (n,)), offsets, tracks


def _rig(rig: Any, name: str) -> tuple[Any, ...]:
    (number,) = _fields(rig, name, "ModelRig", "id")
    sensors = []
    for called, sensor in [(f"{name}.{k}", value) for k, value in _items(rig, "sensors", "RigSensor")]:
        kind, own, pose = _fields(sensor, called, "RigSensor", "type id sensor_from_rig")
        placed = None if pose is None else _pose(pose, f"{called}.sensor_from_rig")
        sensors.append((_whole(kind, f"{called}.type"), _whole(own, f"{called}.id"), placed))
    return _whole(number, f"{name}.id"), sensors


def _frame(frame: Any, name: str) -> tuple[Any, ...]:
    number, rig, pose = _fields(frame, name, "ModelFrame", "id rig_id rig_from_world")
    data = []
    for called, record in [(f"{name}.{k}", value) for k, value in _items(frame, "data", "FrameData")]:
        kind, sensor, own = _fields(record, called, "FrameData", "type sensor_id id")
        data.append((_whole(kind, f"{called}.type"), _whole(sensor, f"{called}.sensor_id"), _whole(own, f"{called}.id", 2**64 - 1)))
    return _whole(number, f"{name}.id"), _whole(rig, f"{name}.rig_id"), _pose(pose, f"{name}.rig_from_world"), data


def _georeference(place: Any) -> tuple[Any, ...] | None:
    if place is None:
        return None
    name = "model.georeference"
    names = "origin positions outliers residuals position_deviations rotation_deviations scale_deviation is_adjusted"
    of_control = "control_points control_residuals check_points check_residuals"
    origin, positions, outliers, *deviations, scale, is_adjusted, points, residuals, checks, errors = _fields(place, name, "Georeference", f"{names} {of_control}")
    places = [tuple(_numbers(value, f"{name}.{field}", 3)) for value, field in zip(deviations, names.split()[3:6], strict=True)]
    where = None if origin is None else tuple(_numbers(origin, f"{name}.origin", 3))
    control = _whole(points, f"{name}.control_points"), tuple(_numbers(residuals, f"{name}.control_residuals", 3))
    check = _whole(checks, f"{name}.check_points"), tuple(_numbers(errors, f"{name}.check_residuals", 3))
    return where, _whole(positions, f"{name}.positions"), list(outliers), *places, float(scale), flag(is_adjusted, f"{name}.is_adjusted"), control + check


def values_of(model: Any) -> dict[str, Any]:
    """Returns the dictionary that `_core.write_model` takes."""
    return {
        "cameras": [_camera(camera, name) for name, camera in _items(model, "cameras", "ModelCamera")],
        "images": [_image(image, name) for name, image in _items(model, "images", "ModelImage")],
        "points": _points(model.points),
        "has_frames": flag(model.has_frames, "model.has_frames"),
        "rigs": [_rig(rig, name) for name, rig in _items(model, "rigs", "ModelRig")],
        "frames": [_frame(frame, name) for name, frame in _items(model, "frames", "ModelFrame")],
        "georeference": _georeference(model.georeference),
    }
