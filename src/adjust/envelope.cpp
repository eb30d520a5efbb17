// SPDX-License-Identifier: BSD-3-Clause
#include "adjust/envelope.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "runtime/cancel.hpp"
#include "runtime/integers.hpp"

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

bool factorise(std::vector<double>& matrix, const Envelope& envelope) {
  double* const A = matrix.data();
  for (std::size_t i = 0; i < envelope.size(); ++i) {
    if (i % 64 == 0) check_cancelled();
    double* const row = A + envelope.origin[i];
    for (std::size_t j = envelope.first[i]; j < i; ++j) {
      const std::size_t from = std::max(envelope.first[i], envelope.first[j]);
      const double* const other = A + envelope.origin[j];
      row[j] = (row[j] - dot_of(row + from, other + from, j - from)) / other[j];
    }
    const double* const own = row + envelope.first[i];
    const double pivot = row[i] - dot_of(own, own, i - envelope.first[i]);
    if (!(pivot > 0 && std::isfinite(pivot))) return false;
    row[i] = std::sqrt(pivot);
  }
  return true;
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
