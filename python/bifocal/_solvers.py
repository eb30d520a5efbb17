"""Minimal solvers for many samples at once; include/bifocal/solvers.def lists them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from . import _core
from ._devices import device_id
from ._arrays import ArrayLike, frame_of
from ._names import MinimalSolver

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

__all__ = ["MinimalSolver", "Solutions", "SolverShape", "solve_minimal", "solver_shape"]


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
