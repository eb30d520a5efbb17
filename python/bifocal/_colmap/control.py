"""Control points: results of `map_database` and `colmap.bundle_adjustment`."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple, Union

Path = Union[str, bytes, "os.PathLike[str]", "os.PathLike[bytes]"]


class ControlPoint(NamedTuple):
    """A control point or check point next to the model.

    Attributes:
        name: Its name.
        use: 'control' (it determined the model), 'check' (only compared), 'too_few_marks', 'contradictory_marks', 'narrow' (no two rays meet at an angle
            of a degree) or 'contradictory' (its position contradicts the other points).
        marks: Number of marks that agree.
        position: Point of these marks in the world of the model, in metres; NaN if they determine none.
        residual: Position minus stated place: east, north and up in metres.
        rms_px: Root mean square reprojection error of these marks in px.
    """

    name: str
    use: str
    marks: int
    position: tuple[float, float, float]
    residual: tuple[float, float, float]
    rms_px: float


class ControlMark(NamedTuple):
    """A mark of a control point in a photograph.

    Attributes:
        point: Name of the point.
        image: Photograph, as the file names it.
        line: Line of the file.
        is_in_model: The model has the photograph.
        agrees: The mark agrees with the other marks of its point.
        error_px: Distance from the projection of the point in px; NaN without one.
    """

    point: str
    image: str
    line: int
    is_in_model: bool
    agrees: bool
    error_px: float


class ControlRms(NamedTuple):
    """Root mean squares of the residuals of points in metres.

    Attributes:
        points: Number of points.
        horizontal: Of the horizontal residuals.
        up: Of the residuals of heights.
        total: Of the lengths.
    """

    points: int
    horizontal: float
    up: float
    total: float


@dataclass(frozen=True)
class Control:
    """Control points and a model that they determined.

    Attributes:
        points: Points of the file, without those of other models.
        marks: Their marks.
        control: Residuals of control points.
        check: Residuals of check points.
        doubts: Contradictions as sentences.
        origin: WGS84 latitude and longitude in degrees and altitude in metres of the model's east, north and up; None if `reason` is not ''.
        reason: Why the points do not determine the model, which then was left as it is; '' if they do.
    """

    points: list[ControlPoint]
    marks: list[ControlMark]
    control: ControlRms
    check: ControlRms
    doubts: list[str]
    origin: tuple[float, float, float] | None
    reason: str


def control_of(found: tuple[Any, ...] | None) -> Control | None:
    """Makes a result of the tuple of _core."""
    if found is None:
        return None
    points, marks, control, check, *rest = found
    return Control([ControlPoint(*p) for p in points], [ControlMark(*m) for m in marks], ControlRms(*control), ControlRms(*check), *rest)


def control_arguments(control: Path | None, check: Iterable[str]) -> tuple[Path | None, list[str]]:
    """Returns the tuple that functions of _core take."""
    names = list(check)
    if names and control is None:
        raise ValueError("check: needs the argument control")
    return control, names
