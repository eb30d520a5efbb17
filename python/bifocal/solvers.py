"""Minimal solvers for many samples at once, and the properties of the kinds of models. include/bifocal/solvers.def and problems.def list both."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypedDict, cast

from . import _core
from ._devices import device_id
from ._arrays import ArrayLike, frame_of
from ._arguments import check_public
from ._names import MinimalSolver, ModelKind

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

__all__ = ["MinimalSolver", "ProblemInfo", "Solutions", "SolverShape", "problem_info", "solve_minimal", "solver_shape"]


class Solutions(NamedTuple):
    """Solutions of B samples.

    Attributes:
        solutions: Shape (max_solutions, solution_rows, B), NaN beyond the count of a sample.
        counts: Number of solutions of each sample, shape (B,).
    """

    solutions: NDArray[Any]
    counts: NDArray[numpy.int32]


class SolverShape(NamedTuple):
    """Array sizes of a minimal solver.

    Attributes:
        sample_rows: Number of values in a sample.
        max_solutions: Largest number of solutions of a sample.
        solution_rows: Number of values in a solution; matrices are row-major.
    """

    sample_rows: int
    max_solutions: int
    solution_rows: int


def solver_shape(solver: MinimalSolver) -> SolverShape:
    """Returns the array sizes of a minimal solver.

    Args:
        solver: Name of the solver, one of `MinimalSolver`.

    Returns:
        SolverShape with the number of values in a sample and in a solution, and the largest number of solutions.

    Raises:
        ValueError: If the name is unknown.
    """
    return SolverShape(*_core.solver_shape(solver))


def solve_minimal(solver: MinimalSolver, samples: ArrayLike, *, device: str | None = None) -> Solutions:
    """Solves many minimal samples at once.

    Args:
        solver: Name of the solver, one of `MinimalSolver`.
        samples: float32 or float64, shape (sample_rows, B): one row for each value of a sample, so that neighbouring samples are solved together.
        device: "cpu", "cuda:0", "opencl:0", ... or "auto"; by default the device of the samples.

    Returns:
        Solutions of the type of the samples.

    Raises:
        ValueError: If the name is unknown or the shape does not fit.
        RuntimeError: If the device is missing or does not have the solver.
    """
    return Solutions(*_core.solve_minimal(solver, samples, device_id(device), frame_of(samples)))


class ProblemInfo(TypedDict):
    """Properties of a kind of model.

    Attributes:
        symbol: Symbol of the matrix: H, F, E, R, S or A.
        sample_size: Number of matches in a minimal sample.
        degrees_of_freedom: Degrees of freedom of the model.
        cameras: Number of cameras that must be given: 0, 1 (for the image of scene points or for both images) or 2.
        is_two_view: True for matches between two images, False for image points with scene points.
        takes_depths: True if every match has two depths.
        has_pose: True if the estimate has R and t.
        estimates_focal_length: True if the estimate has `focal_length`.
        estimates_distortion: True if the estimate has `distortion`.
        triangulates: True if the estimate has `triangulated`, `in_front` and `median_parallax_deg`.
        is_built: False if this build has no minimal solver for the model.
    """

    symbol: str
    sample_size: int
    degrees_of_freedom: int
    cameras: int
    is_two_view: bool
    takes_depths: bool
    has_pose: bool
    estimates_focal_length: bool
    estimates_distortion: bool
    triangulates: bool
    is_built: bool


def problem_info(kind: ModelKind) -> ProblemInfo:
    """Returns the properties of a kind of model.

    Args:
        kind: Name of the model, one of `ModelKind`.

    Returns:
        Dictionary with the keys of `ProblemInfo`, such as the size of a minimal sample and the number of cameras that must be given.

    Raises:
        ValueError: If `kind` is unknown.
    """
    return cast("ProblemInfo", _core.problem_info(kind))


check_public(__all__, globals())
