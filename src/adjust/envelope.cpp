// SPDX-License-Identifier: BSD-3-Clause
#include "adjust/envelope.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "runtime/cancel.hpp"
#include "runtime/integers.hpp"
#include "runtime/parallel.hpp"

namespace bifocal::adjustment {
namespace {

constexpr std::size_t kSums = 8;  // at once, in a fixed order

double dot_of(const double* a, const double* b, std::size_t count) {
  std::array<double, kSums> sums{};
  const std::size_t whole = count / kSums * kSums;
  for (std::size_t i = 0; i < whole; i += kSums)
    for (std::size_t k = 0; k < kSums; ++k) sums[k] += a[i + k] * b[i + k];
  for (std::size_t i = whole; i < count; ++i) sums[i - whole] += a[i] * b[i];
  return ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
}

constexpr std::size_t kBlock = 48;  // columns

// Factorises blocks of columns from left to right. After each block the rows below, which have
// entries in its columns, lose its products.
class Factorisation {
 public:
  Factorisation(std::vector<double>& matrix, const Envelope& envelope,
                std::span<const double> least_pivots)
      : envelope_(envelope), A_(matrix.data()), least_pivots_(least_pivots) {}

  std::size_t run() {
    const std::size_t n = envelope_.size();
    for (from_ = 0; from_ < n; from_ = to_) {
      check_cancelled();
      to_ = std::min(n, from_ + kBlock);
      for (std::size_t i = from_; i < to_; ++i)
        if (!factorise_row(i)) return i;
      find_rows_below();
      panel_.resize(kBlock * rows_.size());
      runtime::parallel_each(
          rows_.size(), [&](std::size_t k) { divide(k); }, 16);
      runtime::parallel_each(
          rows_.size(), [&](std::size_t k) { subtract(k); }, 8);
    }
    return n;
  }

 private:
  // Consecutive rows with entries in the block, and the number of the first among all such rows.
  struct Run {
    std::size_t first, end, number;
  };
  double* row_of(std::size_t i) const { return A_ + envelope_.origin[i]; }
  std::size_t first_of(std::size_t i) const { return std::max(envelope_.first[i], from_); }

  // Sum of row i at column j < to_ without the products of the block's columns before.
  double reduced(std::size_t i, std::size_t j) const {
    const double *const row = row_of(i), *const other = row_of(j);
    double sum = row[j];
    for (std::size_t k = std::max(first_of(i), first_of(j)); k < j; ++k) sum -= row[k] * other[k];
    return sum;
  }
  bool factorise_row(std::size_t i) const {
    for (std::size_t j = first_of(i); j < i; ++j) row_of(i)[j] = reduced(i, j) / row_of(j)[j];
    const double pivot = reduced(i, i);
    row_of(i)[i] = std::sqrt(pivot);
    return pivot > (least_pivots_.empty() ? 0 : least_pivots_[i]) && std::isfinite(pivot);
  }
  void find_rows_below() {
    rows_.clear();
    runs_.clear();
    for (std::size_t i = to_; i < envelope_.size(); ++i) {
      if (envelope_.first[i] >= to_) continue;
      if (runs_.empty() || runs_.back().end != i) runs_.push_back({i, i, rows_.size()});
      runs_.back().end = i + 1;
      rows_.push_back(i);
    }
  }
  // The entries of a row in the block. panel_: the same by columns.
  void divide(std::size_t k) {
    const std::size_t i = rows_[k];
    for (std::size_t j = from_; j < to_; ++j) {
      double& entry = panel_[(j - from_) * rows_.size() + k];
      entry = j < envelope_.first[i] ? 0.0 : row_of(i)[j] = reduced(i, j) / row_of(j)[j];
    }
  }
  void subtract(std::size_t k) const {
    const std::size_t i = rows_[k];
    double* const row = row_of(i);
    for (std::size_t column = first_of(i); column < to_; ++column) {
      const double factor = row[column];
      const double* const entries = &panel_[(column - from_) * rows_.size()];
      for (const Run& run : runs_) {
        if (run.first > i) break;
        const std::size_t end = std::min(run.end, i + 1);
        for (std::size_t j = std::max(run.first, envelope_.first[i]); j < end; ++j)
          row[j] -= factor * entries[run.number + j - run.first];
      }
    }
  }

  const Envelope& envelope_;
  double* A_;
  std::span<const double> least_pivots_;
  std::size_t from_ = 0, to_ = 0;  // the block's columns
  std::vector<std::size_t> rows_;  // below the block, with entries in its columns
  std::vector<Run> runs_;
  std::vector<double> panel_;
};

// Appends the nodes that are connected with `start` in the order of their distance from it. The
// neighbours of a node follow by their degrees.
void append_by_distance(const std::vector<std::vector<int>>& neighbours, int start,
                        std::vector<char>& is_done, std::vector<int>& order) {
  std::size_t next = order.size();
  order.push_back(start);
  is_done[at(start)] = 1;
  for (; next < order.size(); ++next) {
    std::vector<int> found;
    for (const int j : neighbours[at(order[next])])
      if (!is_done[at(j)]) is_done[at(j)] = 1, found.push_back(j);
    std::ranges::stable_sort(found, {}, [&](int j) { return neighbours[at(j)].size(); });
    order.insert(order.end(), found.begin(), found.end());
  }
}

}  // namespace

void Envelope::add_row(std::size_t from, std::size_t to) {
  first.push_back(from);
  origin.push_back(static_cast<std::ptrdiff_t>(entries) - static_cast<std::ptrdiff_t>(from));
  entries += to - from;
}

double Envelope::operations() const {
  double total = 0;
  for (std::size_t i = 0; i < size(); ++i) {
    const auto width = static_cast<double>(i - first[i]);
    total += 0.5 * width * width;
  }
  return total;
}

Envelope Envelope::dense(std::size_t size) {
  Envelope envelope;
  for (std::size_t i = 0; i < size; ++i) envelope.add_row(0, size);
  return envelope;
}

std::size_t factorised_rows(std::vector<double>& matrix, const Envelope& envelope,
                            std::span<const double> least_pivots) {
  return Factorisation(matrix, envelope, least_pivots).run();
}

void solve_factorised(std::span<const double> factor, const Envelope& envelope,
                      std::span<double> b) {
  for (std::size_t i = 0; i < envelope.size(); ++i) {
    const double* const row = factor.data() + envelope.origin[i];
    const std::size_t from = envelope.first[i];
    b[i] = (b[i] - dot_of(row + from, b.data() + from, i - from)) / row[i];
  }
  for (std::size_t i = envelope.size(); i-- > 0;) {
    const double* const row = factor.data() + envelope.origin[i];
    b[i] /= row[i];
    for (std::size_t k = envelope.first[i]; k < i; ++k) b[k] -= row[k] * b[i];
  }
}

std::vector<double> inverse_of_factorised(std::span<const double> factor,
                                          const Envelope& envelope) {
  const std::size_t n = envelope.size();
  std::vector<double> inverse(n * n, 0.0);
  runtime::parallel_each(n, [&](std::size_t i) {
    inverse[i * n + i] = 1;
    solve_factorised(factor, envelope, std::span(inverse).subspan(i * n, n));
  });
  return inverse;
}

std::vector<int> narrow_order(const std::vector<std::vector<int>>& neighbours) {
  std::vector<int> order, part;
  std::vector<char> is_done(neighbours.size()), is_visited(neighbours.size());
  for (std::size_t i = 0; i < neighbours.size(); ++i) {
    if (is_done[i]) continue;
    // The last node of a search is far from its start. The second search starts there.
    int start = static_cast<int>(i);
    part.clear();
    append_by_distance(neighbours, start, is_visited, part);
    start = part.back();
    append_by_distance(neighbours, start, is_done, order);
  }
  std::ranges::reverse(order);
  return order;
}

}  // namespace bifocal::adjustment
