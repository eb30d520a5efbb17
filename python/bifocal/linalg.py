"""Linear algebra of many small matrices at once (docs/linalg.md).

Matrices A have shape (B, rows, cols), or (rows, cols) for a single matrix, whose results have no batch dimension. float32 stays float32. Tensors
of torch and arrays of CuPy give results of the same library; on a CUDA device they are read and written in place.

`status` has a number for each matrix: 0 converged, 1 not converged within the sweeps, 2 a NaN or an infinity in the matrix (its results are NaN).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Union

from ._arguments import check_public
from . import _core
from ._devices import device_id
from ._arrays import ArrayLike, frame_of

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    Numbers = Union[int, NDArray[numpy.int32]]

__all__ = ["RealEigenpairs", "Svd", "SymmetricEigen", "real_eigenpairs", "svd", "symmetric_eigen"]


class Svd(NamedTuple):
    """Singular value decomposition A = U diag(S) V'.

    Attributes:
        U: Left singular vectors, shape (B, rows, min(rows, cols)).
        S: Singular values in descending order, shape (B, cols); the last cols - rows are zero if rows < cols.
        V: Right singular vectors in the columns, shape (B, cols, cols); numpy.linalg.svd returns V' instead.
        status: 0 converged, 1 not converged, 2 not finite; shape (B,).
    """

    U: NDArray[Any]
    S: NDArray[Any]
    V: NDArray[Any]
    status: Numbers


class RealEigenpairs(NamedTuple):
    """Real eigenvalues and unit eigenvectors of unsymmetric matrices.

    Attributes:
        values: Real eigenvalues, then NaN, shape (B, n).
        vectors: Shape (B, n, n); column k belongs to values[k].
        counts: Number of real eigenvalues, shape (B,).
        status: 0 converged, 1 not converged, 2 not finite; shape (B,).
    """

    values: NDArray[Any]
    vectors: NDArray[Any]
    counts: Numbers
    status: Numbers


class SymmetricEigen(NamedTuple):
    """Eigenvalue decomposition A = V diag(values) V' of symmetric matrices.

    Attributes:
        values: Eigenvalues in descending order, shape (B, n).
        vectors: Unit eigenvectors V, shape (B, n, n); column k belongs to values[k].
        status: 0 converged, 1 not converged, 2 not finite; shape (B,).
    """

    values: NDArray[Any]
    vectors: NDArray[Any]
    status: Numbers


def svd(A: ArrayLike, *, device: str | None = None) -> Svd:
    """Computes singular values and vectors of many matrices.

    Args:
        A: float32 or float64, shape (B, rows, cols) or (rows, cols), at most 32 columns and 1024 rows.
        device: "cpu", "cuda:0", "opencl:0", ... or "auto"; by default the device of A.

    Returns:
        Svd with U, S, V and a status for each matrix.

    Raises:
        ValueError: If the shape is out of range.
    """
    return Svd(*_core.svd(A, device_id(device), frame_of(A)))


def real_eigenpairs(A: ArrayLike, *, device: str | None = None) -> RealEigenpairs:
    """Computes the real eigenvalues and eigenvectors of many unsymmetric matrices.

    Args:
        A: float32 or float64, shape (B, n, n) or (n, n), n <= 127.
        device: "cpu", "cuda:0", "opencl:0", ... or "auto"; by default the device of A.

    Returns:
        RealEigenpairs with values, vectors, counts and a status for each matrix.

    Raises:
        ValueError: If the shape is out of range.
    """
    return RealEigenpairs(*_core.real_eigenpairs(A, device_id(device), frame_of(A)))


def symmetric_eigen(A: ArrayLike, *, device: str | None = None) -> SymmetricEigen:
    """Computes the eigenvalues and eigenvectors of many symmetric matrices, of which only the lower triangle is read.

    Args:
        A: float32 or float64, shape (B, n, n) or (n, n), n <= 32.
        device: "cpu", "cuda:0", "opencl:0", ... or "auto"; by default the device of A.

    Returns:
        SymmetricEigen with values, vectors and a status for each matrix.

    Raises:
        ValueError: If the shape is out of range.
    """
    return SymmetricEigen(*_core.symmetric_eigen(A, device_id(device), frame_of(A)))


check_public(__all__, globals())
