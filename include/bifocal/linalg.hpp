// SPDX-License-Identifier: BSD-3-Clause
// Linear algebra of many small matrices at once: singular values and vectors, eigenpairs of
// symmetric matrices, real eigenpairs of unsymmetric ones; on the CPU, CUDA and OpenCL.
//
//   std::vector<float> A(9 * 9 * n), S(9 * n), V(9 * 9 * n);        // element (i, j) of matrix b
//   at A[(9 i + j) n + b] svd<float>(queue, {A.data(), 9, 9, n}, {.S = S.data(), .V = V.data()});
//
// A matrix with a NaN or an infinity has its own status and NaN results; one that did not converge
// has its status and what was reached (A = U diag(S) V' holds still, but U or V is not orthogonal
// yet; eigenpairs: NaN). Neighbours are not disturbed. A call is asynchronous on its queue when all
// of its memory is the device's; with host memory it returns when the results are there, and copies
// overlap the work in pieces. Results are the same for any number of threads and any batch size,
// but that svd on a GPU takes another kernel for large batches than for small ones.
#pragma once

#include <bifocal/device.hpp>
#include <bifocal/fields.hpp>

#include <cstddef>

namespace bifocal {

enum class MatrixLayout {
  interleaved,  // element e = i cols + j of matrix b at data[e stride + b]; stride >= count (0:
                // count)
  strided,  // at data[b stride + e]: one row-major matrix behind the other; stride >= rows cols (0:
            // rows cols)
};

// `count` matrices of rows x cols. Outputs lie in the same layout: interleaved ones with the stride
// of the input, strided ones densely. Statuses and counts are one number a matrix.
template <class T>
struct MatrixBatch {
  Memory<const T> data = {};
  int rows = 0, cols = 0, count = 0;
  MatrixLayout layout = MatrixLayout::interleaved;
  std::ptrdiff_t stride = 0;
};

// This says how the work on one matrix ended.
enum class LinalgStatus : int {
  converged = 0,
  not_converged = 1,  // within the stated number of sweeps
  not_finite = 2,     // the matrix holds a NaN or an infinity
};

// Singular values S (descending) with A = U diag(S) V', of m x n matrices, n <= 32: one-sided
// Jacobi (M. Hestenes, Inversion of matrices by biorthogonalization, 1958; J. Demmel, K. Veselic,
// Jacobi's method is more accurate than QR, 1992), after a Householder QR where m > n. m <= 1024.
template <class T>
struct SvdOutput {
  Memory<T> S = {};  // n x 1; the last n - m are zero where m < n
  Memory<T> V = {};  // n x n, orthogonal, right singular vectors in its columns
  Memory<T> U = {};  // m x min(m, n), left singular vectors in its columns; nullptr: not computed
  Memory<int> status = {};  // LinalgStatus, count numbers; nullptr: not wanted
};
struct SvdOptions {
  int max_sweeps = 30;
};
constexpr const char* name_of(const SvdOptions&) { return "SvdOptions"; }
template <MaybeConst<SvdOptions> Options, class Visit>
void fields(Options& options, const Visit& visit) {
  auto& [max_sweeps] = options;
  BIFOCAL_FIELD(max_sweeps, "sweeps over all pairs of columns, at most", Range::at_least(1));
}
template <class T>
void svd(Queue& queue, const MatrixBatch<T>& A, const SvdOutput<T>& out,
         const SvdOptions& options = {});

// The right singular vector of the smallest singular value alone: the unit x (n x 1) of smallest |A
// x|; the null vector where m = n - 1. Householder QR and inverse iteration on R (G. Golub, C. Van
// Loan, Matrix Computations, 5.4), several times faster than svd; of square and tall matrices on a
// GPU by svd, which is faster there.
template <class T>
void smallest_singular_vector(Queue& queue, const MatrixBatch<T>& A, Memory<T> x,
                              Memory<int> status = {});

// Eigenvalues (descending) and orthonormal eigenvectors of symmetric n x n matrices, n <= 32: A = V
// diag(L) V', by cyclic Jacobi (C. Jacobi, 1846; Golub, Van Loan, 8.5), on a GPU
// by svd of A plus a multiple of the identity. Reads the lower triangle.
template <class T>
struct SymmetricEigenOutput {
  Memory<T> values = {};   // n x 1
  Memory<T> vectors = {};  // n x n, in its columns; nullptr: not wanted
  Memory<int> status = {};
};
template <class T>
void symmetric_eigen(Queue& queue, const MatrixBatch<T>& A, const SymmetricEigenOutput<T>& out,
                     const SvdOptions& options = {});

// Real eigenvalues and their right eigenvectors of unsymmetric n x n matrices, n <= 127: balancing
// (B. Parlett, C. Reinsch, 1969), Householder reduction to Hessenberg form, double-shift QR with
// deflation and exceptional shifts (J. Francis, The QR transformation, 1961), one inverse-iteration
// solve with exact shift per real eigenvalue on the Hessenberg form (J. Wilkinson; LAPACK's
// dhsein), transformed back. Made for minimal solvers, whose solutions are the real eigenpairs of
// an action matrix; meant for nonderogatory matrices: equal eigenvalues of a matrix with several
// independent eigenvectors each get one eigenvector, not a basis.
template <class T>
struct EigenOutput {
  Memory<T> values = {};     // n x 1: the real eigenvalues first, in the order found; then NaN
  Memory<T> vectors = {};    // n x n: element (i, k) is component i of the k-th real eigenvalue's
                             // unit eigenvector; unused columns NaN; nullptr: not wanted
  Memory<int> counts = {};   // number of real eigenvalues, count numbers
  Memory<int> status = {};   // nullptr: not wanted
  Memory<T> residuals = {};  // largest |A v - l v| / |A| (Frobenius) of a matrix's pairs, count
                             // numbers; nullptr: not wanted
  Memory<T> real_parts = {}, imaginary_parts = {};  // n x 1: all eigenvalues, complex ones as
                                                    // conjugate pairs; nullptr: not wanted
};
struct EigenOptions {
  bool balance = true;
  int max_sweeps_per_value = 30;
};
constexpr const char* name_of(const EigenOptions&) { return "EigenOptions"; }
template <MaybeConst<EigenOptions> Options, class Visit>
void fields(Options& options, const Visit& visit) {
  auto& [balance, max_sweeps_per_value] = options;
  BIFOCAL_FIELD(balance, "scale rows and columns to like lengths first");
  BIFOCAL_FIELD(max_sweeps_per_value, "most steps of a matrix of n rows, divided by n",
                Range::at_least(1));
}
template <class T>
void real_eigenpairs(Queue& queue, const MatrixBatch<T>& A, const EigenOutput<T>& out,
                     const EigenOptions& options = {});

}  // namespace bifocal
