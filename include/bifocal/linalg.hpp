// SPDX-License-Identifier: BSD-3-Clause
// Batched linear algebra for many small matrices: singular value decompositions, eigenpairs of
// symmetric matrices, and real eigenpairs of unsymmetric matrices. Runs on the CPU, CUDA
// and OpenCL.
//
//   // element (i, j) of matrix b is at A[(9 i + j) n + b]
//   std::vector<float> A(9 * 9 * n), S(9 * n), V(9 * 9 * n);
//   svd<float>(queue, {A.data(), 9, 9, n}, {.S = S.data(), .V = V.data()});
//
// A matrix with a NaN or an infinity has status not_finite and NaN results. A matrix that did not
// converge has status not_converged: an SVD then satisfies A = U diag(S) V', but U or V is not yet
// orthogonal; eigenpairs are NaN. Neither affects other matrices of the batch.
//
// A call is asynchronous on its queue if all of its memory is in the device. With host memory it
// returns when the results are available; copies overlap the work. Results are the same for any
// number of threads and any batch size, except that svd on a GPU uses another kernel for large
// batches than for small batches.
#pragma once

#include <bifocal/device.hpp>
#include <bifocal/fields.hpp>

#include <cstddef>

namespace bifocal {

// Order of the elements of a batch in memory.
enum class MatrixLayout {
  interleaved,  // element e = i cols + j of matrix b is at data[e stride + b]; stride >= count; 0
                // means count
  strided,  // element e of matrix b is at data[b stride + e], one row-major matrix after another;
            // stride >= rows cols; 0 means rows cols
};

// A batch of `count` matrices with the size rows x cols. Outputs have the same layout: interleaved
// outputs use the stride of the input, strided outputs are dense. Statuses and counts have one
// number per matrix.
template <class T>
struct MatrixBatch {
  Memory<const T> data = {};
  int rows = 0, cols = 0, count = 0;
  MatrixLayout layout = MatrixLayout::interleaved;
  std::ptrdiff_t stride = 0;
};

// Whether the algorithm succeeded on one matrix.
enum class LinalgStatus : int {
  converged = 0,
  not_converged = 1,  // not within the permitted number of sweeps
  not_finite = 2,     // the matrix holds a NaN or an infinity
};

// Output of svd(): A = U diag(S) V' with S in descending order.
template <class T>
struct SvdOutput {
  Memory<T> S = {};  // n x 1; the last n - m are zero if m < n
  Memory<T> V = {};  // n x n, orthogonal; columns are right singular vectors
  Memory<T> U = {};  // m x min(m, n), columns are left singular vectors; nullptr: not computed
  Memory<int> status = {};  // LinalgStatus, count numbers; nullptr: not stored
};
struct SvdOptions {
  int max_sweeps = 30;
};
constexpr const char* name_of(const SvdOptions&) { return "SvdOptions"; }
template <MaybeConst<SvdOptions> Options, class Visit>
void fields(Options& options, const Visit& visit) {
  auto& [max_sweeps] = options;
  BIFOCAL_FIELD(max_sweeps, "largest number of sweeps over all pairs of columns",
                Range::at_least(1));
}
// Computes singular values and vectors of m x n matrices, m <= 1024, n <= 32, by one-sided Jacobi
// (M. Hestenes, Inversion of matrices by biorthogonalization, 1958; J. Demmel, K. Veselic, Jacobi's
// method is more accurate than QR, 1992), after a Householder QR if m > n. Throws Error(usage) if a
// size or stride is out of range.
template <class T>
void svd(Queue& queue, const MatrixBatch<T>& A, const SvdOutput<T>& out,
         const SvdOptions& options = {});

// Computes the right singular vector of the smallest singular value only: the unit vector x (n x 1)
// with the smallest |A x|, which is the null vector if m = n - 1. Uses Householder QR and inverse
// iteration on R (G. Golub, C. Van Loan, Matrix Computations, 5.4), several times faster than svd.
// On a GPU, square and tall matrices use svd, which is faster there.
template <class T>
void smallest_singular_vector(Queue& queue, const MatrixBatch<T>& A, Memory<T> x,
                              Memory<int> status = {});

// Output of symmetric_eigen(): A = V diag(L) V' with the eigenvalues L in descending order.
template <class T>
struct SymmetricEigenOutput {
  Memory<T> values = {};   // n x 1
  Memory<T> vectors = {};  // n x n, columns are eigenvectors; nullptr: not computed
  Memory<int> status = {};
};
// Computes eigenvalues and orthonormal eigenvectors of symmetric n x n matrices, n <= 32. Reads the
// lower triangle. Uses cyclic Jacobi (C. Jacobi, 1846; Golub, Van Loan, 8.5); on a GPU, svd of A
// plus a multiple of the identity.
template <class T>
void symmetric_eigen(Queue& queue, const MatrixBatch<T>& A, const SymmetricEigenOutput<T>& out,
                     const SvdOptions& options = {});

// Output of real_eigenpairs(): real eigenvalues and their right eigenvectors.
template <class T>
struct EigenOutput {
  // N x 1: first the real eigenvalues in the order in which they were found, then NaN.
  Memory<T> values = {};
  Memory<T> vectors = {};    // n x n: column k is the unit eigenvector of the k-th real eigenvalue;
                             // unused columns are NaN; nullptr: not stored
  Memory<int> counts = {};   // number of real eigenvalues for each matrix, count numbers
  Memory<int> status = {};   // LinalgStatus, count numbers; nullptr: not stored
  Memory<T> residuals = {};  // largest |A v - l v| / |A| (Frobenius norm) over the pairs of a
                             // matrix, count numbers; nullptr: not stored
  Memory<T> real_parts = {}, imaginary_parts = {};  // n x 1: all eigenvalues, with conjugate pairs
                                                    // for complex eigenvalues; nullptr: not stored
};
struct EigenOptions {
  bool balance = true;
  int max_sweeps_per_value = 30;
};
constexpr const char* name_of(const EigenOptions&) { return "EigenOptions"; }
template <MaybeConst<EigenOptions> Options, class Visit>
void fields(Options& options, const Visit& visit) {
  auto& [balance, max_sweeps_per_value] = options;
  BIFOCAL_FIELD(balance, "first scale rows and columns to similar lengths");
  BIFOCAL_FIELD(max_sweeps_per_value,
                "largest number of steps for a matrix of n rows, divided by n", Range::at_least(1));
}
// Computes real eigenvalues and their right eigenvectors of unsymmetric n x n matrices, n <= 127.
// Intended for minimal solvers, whose solutions are the real eigenpairs of an action matrix, and
// for nonderogatory matrices: if equal eigenvalues have several independent eigenvectors, each gets
// one eigenvector, and these are not a basis of the eigenspace.
//
// Balances the matrix (B. Parlett, C. Reinsch, 1969), reduces it to Hessenberg form by Householder
// reflections, applies double-shift QR with deflation and exceptional shifts (J. Francis, The QR
// transformation, 1961), finds each eigenvector by one step of inverse iteration with exact shift
// on the Hessenberg form (J. Wilkinson; LAPACK's dhsein), and transforms it back.
template <class T>
void real_eigenpairs(Queue& queue, const MatrixBatch<T>& A, const EigenOutput<T>& out,
                     const EigenOptions& options = {});

}  // namespace bifocal
