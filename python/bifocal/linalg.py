"""Linear algebra of many small matrices at once (docs/linalg.md): A is [B, rows, cols], or one matrix without B; float32 stays float32.
Tensors of torch and arrays of CuPy give such; on a CUDA device they are read and written there.

`status` has a number for each matrix: 0 converged, 1 not within the sweeps, 2 a NaN or an infinity in the matrix (its results are NaN).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Union

from . import _core
from ._devices import device_id
from ._arrays import ArrayLike, frame_of

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    Numbers = Union[int, NDArray[numpy.int32]]

__all__ = ["RealEigenpairs", "Svd", "SymmetricEigen", "real_eigenpairs", "svd", "symmetric_eigen"]


class Svd(NamedTuple):
    """A = U diag(S) V'."""

    U: NDArray[Any]
    """[B, rows, min(rows, cols)]"""
    S: NDArray[Any]
    """[B, cols], descending; the last cols - rows are zero where rows < cols."""
    V: NDArray[Any]
    """[B, cols, cols]: right singular vectors in its columns (numpy.linalg.svd returns V')."""
    status: Numbers


class RealEigenpairs(NamedTuple):
    """Real eigenvalues and unit eigenvectors of unsymmetric matrices."""

    values: NDArray[Any]
    """[B, n]: the real ones first, then NaN."""
    vectors: NDArray[Any]
    """[B, n, n]: column k belongs to values[k]."""
    counts: Numbers
    """[B]: how many are real."""
    status: Numbers


class SymmetricEigen(NamedTuple):
    """A = V diag(values) V', descending."""

    values: NDArray[Any]
    vectors: NDArray[Any]
    status: Numbers


def svd(A: ArrayLike, *, device: str | None = None) -> Svd:
    """Singular values and vectors; at most 32 columns and 1024 rows."""
    return Svd(*_core.svd(A, device_id(device), frame_of(A)))


def real_eigenpairs(A: ArrayLike, *, device: str | None = None) -> RealEigenpairs:
    """The real eigenpairs of unsymmetric n x n matrices, n <= 127."""
    return RealEigenpairs(*_core.real_eigenpairs(A, device_id(device), frame_of(A)))


def symmetric_eigen(A: ArrayLike, *, device: str | None = None) -> SymmetricEigen:
    """The eigenpairs of symmetric n x n matrices, n <= 32, of which the lower triangle is read."""
    return SymmetricEigen(*_core.symmetric_eigen(A, device_id(device), frame_of(A)))
