"""Drop-in replacements of PoseLib's minimal solvers, one sample a call.

Image points are rays of shape (m, 3) and any length, with positive or negative z. A solution is kept if all points lie in front of the cameras,
as in PoseLib.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._numbers import reals
from .poses import CameraPose, ImagePair, PinholeCamera
from ..solvers import MinimalSolver, solve_minimal
from ..two_view import decompose_essential

__all__ = ["essential_matrix_5pt", "p3p", "p4pf", "relpose_5pt", "relpose_upright_3pt", "shared_focal_relpose_6pt"]

Array = NDArray[Any]


def _points(values: Any, name: str, count: int, columns: int) -> Array:
    """Returns points of shape (count, columns). More points than a solver takes are an error, because they would be ignored."""
    given = reals(values, name)
    if given.shape != (count, columns):
        raise ValueError(f"{name}: shape {given.shape}, must be ({count}, {columns})")
    if not np.isfinite(given).all():
        raise ValueError(f"{name}: has numbers that are not finite")
    return given


def _rays(values: Any, name: str, count: int) -> Array:
    given = _points(values, name, count, 3)
    lengths = np.linalg.norm(given, axis=1)
    if not (lengths > 0).all():
        raise ValueError(f"{name}: ray {int(np.argmin(lengths))} has no length")
    rays: Array = given / lengths[:, None]
    return rays


def _solve(solver: MinimalSolver, sample: Array) -> Array:
    """Returns the solutions of one sample, shape (count, solution_rows)."""
    solutions, counts = solve_minimal(solver, np.ascontiguousarray(sample, dtype=np.float64)[:, None])
    found: Array = np.asarray(solutions)[: int(counts[0]), :, 0]
    return found


def _turns() -> list[Array]:
    """Returns rotations of shape (3, 3) that move many directions to the z axis; the first one is the identity."""
    turns = []
    for k in range(32):  # axes along a spiral on the sphere, starting at z
        z = 1 - k / 32
        r, angle = np.sqrt(1 - z * z), 2.4 * k
        axis = np.array([r * np.cos(angle), r * np.sin(angle), z])
        side = np.cross([0.0, 1.0, 0.0], axis)
        side /= np.linalg.norm(side)
        turns.append(np.stack([side, np.cross(axis, side), axis]))
    return turns


_TURNS = _turns()


def _along(rays: Array) -> Array:
    """Returns the rotation of shape (3, 3) after which no ray is near the plane z = 0, because a solver divides by z."""
    return max(_TURNS, key=lambda turn: np.abs(rays @ turn[2]).min())


def _sample(a: Array, b: Array) -> Array:
    return np.concatenate([a[:, 0] / a[:, 2], a[:, 1] / a[:, 2], b[:, 0] / b[:, 2], b[:, 1] / b[:, 2]])


def _in_front(pose: CameraPose, a: Array, b: Array) -> bool:
    """Returns True if all rays meet in front of both cameras: the depths d1, d2 of d1 R a + t = d2 b are positive."""
    for ray1, ray2 in zip(a @ pose.R.T, b):
        depths = np.linalg.lstsq(np.c_[ray1, -ray2], -pose.t, rcond=None)[0]
        if not (depths > 0).all():
            return False
    return True


def _poses(E: Array, a: Array, b: Array) -> list[CameraPose]:
    found = decompose_essential(E)
    poses = [CameraPose(np.asarray(R).copy(), sign * np.asarray(found.t)) for R in (found.R1, found.R2) for sign in (1.0, -1.0)]
    return [pose for pose in poses if _in_front(pose, a, b)]


def essential_matrix_5pt(x1: Any, x2: Any) -> list[Array]:
    """Computes essential matrices with x2' E x1 = 0 from five pairs of rays (D. Nister, PAMI 2004; by Bifocal's `essential_5pt_action`).

    Args:
        x1, x2: Rays, shape (5, 3).

    Returns:
        At most ten matrices of shape (3, 3).

    Raises:
        ValueError: If the shape does not fit, or a ray is zero or not finite.
    """
    a, b = _rays(x1, "x1", 5), _rays(x2, "x2", 5)
    turn1, turn2 = _along(a), _along(b)
    found = _solve("essential_5pt_action", _sample(a @ turn1.T, b @ turn2.T))
    return [turn2.T @ row.reshape(3, 3) @ turn1 for row in found]


def relpose_5pt(x1: Any, x2: Any) -> list[CameraPose]:
    """Computes relative poses from five pairs of rays (D. Nister, PAMI 2004).

    Args:
        x1, x2: Rays, shape (5, 3).

    Returns:
        Poses of camera 2 from camera 1 with |t| = 1 and all points in front of both cameras.

    Raises:
        ValueError: If the shape does not fit, or a ray is zero or not finite.
    """
    a, b = _rays(x1, "x1", 5), _rays(x2, "x2", 5)
    return [pose for E in essential_matrix_5pt(a, b) for pose in _poses(E, a, b)]


def relpose_upright_3pt(x1: Any, x2: Any) -> list[CameraPose]:
    """Computes relative poses of cameras that rotate about their y axes alone, from three pairs of rays.

    Args:
        x1, x2: Rays that are not near the plane z = 0, shape (3, 3).

    Returns:
        Poses of camera 2 from camera 1 with |t| = 1 and all points in front of both cameras.

    Raises:
        ValueError: If the shape does not fit, or a ray is not finite or has z = 0.
    """
    a, b = _rays(x1, "x1", 3), _rays(x2, "x2", 3)
    for name, rays in (("x1", a), ("x2", b)):
        if not (rays[:, 2] != 0).all():
            raise ValueError(f"{name}: ray {int(np.argmin(np.abs(rays[:, 2])))} has z = 0")
    found = _solve("essential_upright_3pt", _sample(a, b))
    return [pose for row in found for pose in _poses(row.reshape(3, 3), a, b) if pose.R[1, 1] > 1 - 1e-6]


def shared_focal_relpose_6pt(x1: Any, x2: Any) -> list[ImagePair]:
    """Computes relative poses and focal lengths of one camera from six pairs of points.

    Args:
        x1, x2: Points (x, y, 1) relative to the principal point in any unit, shape (6, 3).

    Returns:
        Image pairs with |t| = 1 and the focal length in the unit of the points.

    Raises:
        ValueError: If the shape does not fit, or a point is not finite or has z = 0.
    """
    a, b = _points(x1, "x1", 6, 3), _points(x2, "x2", 6, 3)
    for name, points in (("x1", a), ("x2", b)):
        if not (points[:, 2] != 0).all():
            raise ValueError(f"{name}: point {int(np.argmin(np.abs(points[:, 2])))} has z = 0")
    a, b = a / a[:, 2:], b / b[:, 2:]
    pairs = []
    # The solver is accurate for coordinates of about 1.
    unit = float(np.abs(np.stack([a[:, :2], b[:, :2]])).max()) or 1.0
    scale = np.array([1 / unit, 1 / unit, 1.0])
    for row in _solve("relative_pose_6pt_shared_focal", _sample(a * scale, b * scale)):
        f = float(row[9])
        K = np.diag([f, f, 1.0])
        rays1, rays2 = (points * scale / np.diag(K) for points in (a, b))
        cameras = [PinholeCamera([f * unit, 0.0, 0.0]) for _ in range(2)]
        pairs += [ImagePair(pose, *cameras) for pose in _poses(K @ row[:9].reshape(3, 3) @ K, rays1, rays2)]
    return pairs


def p3p(x: Any, X: Any) -> list[CameraPose]:
    """Computes poses of a camera from three rays and scene points.

    Args:
        x: Rays, shape (3, 3).
        X: Scene points, shape (3, 3).

    Returns:
        At most four poses of the camera from the world.

    Raises:
        ValueError: If the shape does not fit, or a ray is zero or not finite.
    """
    rays, points = _rays(x, "x", 3), _points(X, "X", 3, 3)
    found = _solve("p3p", np.concatenate([rays.ravel(), points.ravel()]))
    return [CameraPose(row[:9].reshape(3, 3).copy(), row[9:].copy()) for row in found]


def p4pf(x: Any, X: Any, filter_solutions: bool = True) -> tuple[list[CameraPose], list[float]]:
    """Computes poses and focal lengths of a camera from four image points and scene points.

    The solver uses seven of the eight equations (P3.5P: C. Wu, CVPR 2015).

    Args:
        x: Image points relative to the principal point in any unit, shape (4, 2).
        X: Scene points, shape (4, 3).
        filter_solutions: Keeps only the solution with the least error in the eighth equation.

    Returns:
        At most ten poses of the camera from the world, and their focal lengths in the unit of x.

    Raises:
        ValueError: If the shape does not fit or a number is not finite.
    """
    points, scene = _points(x, "x", 4, 2), _points(X, "X", 4, 3)
    unit = float(np.abs(points).max()) or 1.0
    found = _solve("p35p_focal", np.concatenate([points[:, 0] / unit, points[:, 1] / unit, scene.ravel()]))
    poses = [CameraPose(row[:9].reshape(3, 3).copy(), row[9:12].copy()) for row in found]
    lengths = [float(row[12]) * unit for row in found]
    if not filter_solutions or len(poses) < 2:
        return poses, lengths

    def error(k: int) -> float:
        seen = scene @ poses[k].R.T + poses[k].t
        return float(np.abs(lengths[k] * seen[:, :2] / seen[:, 2:] - points).max())

    best = min(range(len(poses)), key=error)
    return [poses[best]], [lengths[best]]
