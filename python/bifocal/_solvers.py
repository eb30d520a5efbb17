"""Minimal solvers, many samples at once (include/bifocal/solvers.def lists them)."""

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
    """The solutions of B samples."""

    solutions: NDArray[Any]
    """[most solutions of a sample, numbers of one, B]; NaN beyond a sample's count."""
    counts: NDArray[numpy.int32]
    """[B]"""


class SolverShape(NamedTuple):
    """How the samples and solutions of a solver look."""

    sample_rows: int
    max_solutions: int
    solution_rows: int


def solver_shape(solver: MinimalSolver) -> SolverShape:
    """How the samples and solutions of a solver look."""
    return SolverShape(*_core.solver_shape(solver))


def solve_minimal(solver: MinimalSolver, samples: ArrayLike, *, device: str | None = None) -> Solutions:
    """Solves samples [numbers of one, B], float32 or float64: one row for each number, so that neighbours are solved side by side."""
    return Solutions(*_core.solve_minimal(solver, samples, device_id(device), frame_of(samples)))
