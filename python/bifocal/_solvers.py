"""Minimal solvers, many samples at once (include/bifocal/solvers.def lists them)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from . import _core
from ._arrays import ArrayLike, frame_of

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

__all__ = ["MinimalSolver", "Solutions", "SolverShape", "solve_minimal", "solver_shape"]

MinimalSolver = Literal[
    "homography_4pt",
    "fundamental_7pt",
    "fundamental_8pt",
    "essential_5pt",
    "p3p",
    "essential_5pt_action",
    "homography_svd",
    "essential_upright_3pt",
    "relative_pose_6pt_shared_focal",
    "homography_5pt_shared_radial",
    "fundamental_8pt_one_sided_radial",
    "fundamental_9pt_shared_radial",
    "relative_pose_6pt_one_sided_focal",
    "essential_6pt_one_sided_radial",
    "p4p_focal_radial",
    "p35p_focal",
    "essential_4pt_known_angle",
    "relative_pose_3pt_monodepth_shared_focal",
    "relative_pose_4pt_gravity_shared_focal",
]


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
    return Solutions(*_core.solve_minimal(solver, samples, device, frame_of(samples)))
