// SPDX-License-Identifier: BSD-3-Clause
// Cholesky factorisation of symmetric positive definite matrices within their envelopes, on all
// threads. A dense matrix has an envelope with full rows.
//   A. George, J. W. H. Liu, Computer solution of large sparse positive definite systems, 1981.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace bifocal::adjustment {

// The lower triangle of a symmetric matrix by rows, without the zeros before the first entry of
// each row. The factor has the same envelope.
struct Envelope {
  std::vector<std::size_t> first;      // column of the first entry of each row
  std::vector<std::ptrdiff_t> origin;  // entry (i, j) of row i is at origin[i] + j
  std::size_t entries = 0;

  // Row-major, with memory above the diagonal too.
  [[nodiscard]] static Envelope dense(std::size_t size);
  [[nodiscard]] std::size_t size() const { return first.size(); }
  // Appends a row with memory for the columns [from, to).
  void add_row(std::size_t from, std::size_t to);
  [[nodiscard]] double operations() const;  // of a factorisation, multiplications
};

// Replaces the lower triangle of the matrix by its factor L. Returns the number of rows before the
// first pivot that is not above its least value (empty: 0 for all); size() if there is none. The
// result does not depend on the number of threads.
[[nodiscard]] std::size_t factorised_rows(std::vector<double>& matrix, const Envelope& envelope,
                                          std::span<const double> least_pivots = {});
// Returns false if the matrix is not positive definite.
[[nodiscard]] inline bool factorise(std::vector<double>& matrix, const Envelope& envelope) {
  return factorised_rows(matrix, envelope) == envelope.size();
}
// Solves L L' x = b in place.
void solve_factorised(std::span<const double> factor, const Envelope& envelope,
                      std::span<double> b);
// Returns the inverse of L L', dense.
[[nodiscard]] std::vector<double> inverse_of_factorised(std::span<const double> factor,
                                                        const Envelope& envelope);

// Returns an order of the nodes of a graph in which neighbours are close: reverse Cuthill-McKee.
// Neighbours of a node are distinct.
[[nodiscard]] std::vector<int> narrow_order(const std::vector<std::vector<int>>& neighbours);

}  // namespace bifocal::adjustment
