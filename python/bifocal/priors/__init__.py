"""Priors of bundle adjustment, for the argument `priors` of `bifocal.adjust`: measured positions, directions, rotations, points, heights and intrinsics.

Each has a robust loss of its residuals in standard deviations: 'trivial', 'huber', 'soft_l1' or 'cauchy', which leaves least squares at `loss_scale` standard
deviations. include/bifocal/adjust.hpp has the formulas.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from .._arguments import check_public
from .._arrays import ArrayLike
from .._numbers import array_of, host_array, indices_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    import numpy
    from numpy.typing import NDArray

    Numbers = NDArray[numpy.float64]
    Loss = Literal["trivial", "huber", "soft_l1", "cauchy"]

__all__ = ["DirectionPriors", "HeightPriors", "OrientationPriors", "ParameterPriors", "PointPriors", "PositionPriors", "Prior"]


def _each(value: ArrayLike, name: str, count: int, *shape: int) -> Numbers:
    """Returns float64 of shape (count, *shape) from one value for all or one for each."""
    import numpy as np

    given = host_array(value, name)
    if given.shape not in (shape, (count, *shape)):
        raise ValueError(f"{name}: shape {given.shape}, must be {shape} or {(count, *shape)}")
    rows = given if given.shape != shape else given.reshape(1, *shape)
    numbers: Numbers = array_of(rows, name, "float64", rows.shape).reshape(len(rows), int(np.prod(shape)))
    return np.repeat(numbers, count, axis=0) if given.shape == shape else numbers


class Prior(ABC):
    """Base of the priors of one kind."""

    loss: Loss
    loss_scale: float

    @abstractmethod
    def _table(self, counts: Mapping[str, int]) -> tuple[str, Any, list[Numbers]]:
        """Returns the name of the kind, indices and columns of numbers."""


def _indices(value: ArrayLike, name: str, below: int) -> Any:
    return indices_of(value, name, host_array(value, name).size, below)


@dataclass(frozen=True)
class PositionPriors(Prior):
    """Measured centres of cameras.

    Attributes:
        images: Indices of images, shape (K,).
        centres: Shape (K, 3), world units.
        covariances: Shape (3, 3) or (K, 3, 3), world units squared: symmetric and positive definite.
        loss, loss_scale: Robust loss.
    """

    images: ArrayLike
    centres: ArrayLike
    covariances: ArrayLike
    loss: Loss = "trivial"
    loss_scale: float = 1.0

    def _table(self, counts: Mapping[str, int]) -> tuple[str, Any, list[Numbers]]:
        images = _indices(self.images, "images", counts["images"])
        return "positions", images, [_each(self.centres, "centres", len(images), 3), _each(self.covariances, "covariances", len(images), 3, 3)]


@dataclass(frozen=True)
class DirectionPriors(Prior):
    """Directions of the world that were measured in the axes of a camera, as gravity.

    Attributes:
        images: Indices of images, shape (K,).
        world, camera: The direction in the world and in camera axes, of any length, shape (3,) or (K, 3).
        deviations: Of the angle, rad, one number or shape (K,).
        loss, loss_scale: Robust loss.
    """

    images: ArrayLike
    world: ArrayLike
    camera: ArrayLike
    deviations: ArrayLike
    loss: Loss = "trivial"
    loss_scale: float = 1.0

    def _table(self, counts: Mapping[str, int]) -> tuple[str, Any, list[Numbers]]:
        images = _indices(self.images, "images", counts["images"])
        n = len(images)
        return "directions", images, [_each(self.world, "world", n, 3), _each(self.camera, "camera", n, 3), _each(self.deviations, "deviations", n)]


@dataclass(frozen=True)
class OrientationPriors(Prior):
    """Measured rotations of cameras.

    Attributes:
        images: Indices of images, shape (K,).
        R: Rotations of X_camera = R X + t, shape (K, 3, 3).
        deviations: About the axes of the camera, rad, shape (3,) or (K, 3).
        loss, loss_scale: Robust loss.
    """

    images: ArrayLike
    R: ArrayLike
    deviations: ArrayLike
    loss: Loss = "trivial"
    loss_scale: float = 1.0

    def _table(self, counts: Mapping[str, int]) -> tuple[str, Any, list[Numbers]]:
        images = _indices(self.images, "images", counts["images"])
        return "orientations", images, [_each(self.R, "R", len(images), 3, 3), _each(self.deviations, "deviations", len(images), 3)]


@dataclass(frozen=True)
class PointPriors(Prior):
    """Measured positions of points, as of control points.

    Attributes:
        points: Indices of points, shape (K,).
        positions: Shape (K, 3), world units.
        covariances: Shape (3, 3) or (K, 3, 3), world units squared: symmetric and positive definite.
        loss, loss_scale: Robust loss.
    """

    points: ArrayLike
    positions: ArrayLike
    covariances: ArrayLike
    loss: Loss = "trivial"
    loss_scale: float = 1.0

    def _table(self, counts: Mapping[str, int]) -> tuple[str, Any, list[Numbers]]:
        points = _indices(self.points, "points", counts["points"])
        return "points", points, [_each(self.positions, "positions", len(points), 3), _each(self.covariances, "covariances", len(points), 3, 3)]


@dataclass(frozen=True)
class HeightPriors(Prior):
    """Measured heights of cameras above an unknown level that all share, such as the ground at the start of a flight.

    Attributes:
        images: Indices of images, shape (K,).
        heights: Shape (K,), world units.
        deviations: World units, one number or shape (K,).
        loss, loss_scale: Robust loss.
        up: Direction of heights in the world, of any length, shape (3,).
    """

    images: ArrayLike
    heights: ArrayLike
    deviations: ArrayLike
    loss: Loss = "trivial"
    loss_scale: float = 1.0
    up: ArrayLike = (0.0, 0.0, 1.0)

    def _table(self, counts: Mapping[str, int]) -> tuple[str, Any, list[Numbers]]:
        images = _indices(self.images, "images", counts["images"])
        return "heights", images, [_each(self.heights, "heights", len(images)), _each(self.deviations, "deviations", len(images))]


@dataclass(frozen=True)
class ParameterPriors(Prior):
    """Known values of intrinsic parameters.

    Attributes:
        cameras: Indices of cameras, shape (K,).
        params: Indices into the parameters of the camera, shape (K,).
        values: Shape (K,), in the unit of the parameter.
        deviations: In the unit of the parameter, one number or shape (K,).
        loss, loss_scale: Robust loss.
    """

    cameras: ArrayLike
    params: ArrayLike
    values: ArrayLike
    deviations: ArrayLike
    loss: Loss = "trivial"
    loss_scale: float = 1.0

    def _table(self, counts: Mapping[str, int]) -> tuple[str, Any, list[Numbers]]:
        cameras = _indices(self.cameras, "cameras", counts["cameras"])
        n = len(cameras)
        params = indices_of(self.params, "params", n, 2**31 - 1)
        return "parameters", cameras, [_each(params, "params", n), _each(self.values, "values", n), _each(self.deviations, "deviations", n)]


def tables_of(priors: Iterable[Prior], counts: Mapping[str, int]) -> dict[str, Any]:
    """Returns the values of the priors for the extension: of each kind indices, numbers, loss and its scale.

    Raises:
        ValueError: If a kind is given twice, a shape is wrong or an index is out of range.
    """
    import numpy as np

    tables: dict[str, Any] = {}
    for prior in priors:
        kind = type(prior).__name__
        try:
            name, indices, columns = prior._table(counts)
            up = array_of(prior.up, "up", "float64", (3,)) if isinstance(prior, HeightPriors) else np.zeros(0)
        except (TypeError, ValueError) as error:
            raise type(error)(f"priors: {kind}.{error}") from None
        if name in tables:
            raise ValueError(f"priors: two objects are {kind}, must be one for all")
        tables[name] = (indices, np.ascontiguousarray(np.hstack(columns)) if len(indices) else np.zeros((0, 1)), str(prior.loss), float(prior.loss_scale), up)
    return tables


check_public(__all__, globals())
