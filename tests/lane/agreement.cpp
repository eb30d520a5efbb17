// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "lane/cases.hpp"

namespace bifocal::test {
namespace {

// An instance has output k at [k kInstances].
using Instance = const double*;
double output(Instance i, int k) { return i[static_cast<std::ptrdiff_t>(k) * kInstances]; }

bool close(double a, double b, double tolerance) {
  return std::isnan(a) ? std::isnan(b) : std::abs(a - b) <= tolerance * (1 + std::abs(a));
}

// Compares solutions regardless of their order.
bool same_solutions(const LaneCase& c, Instance a, Instance b, double tolerance) {
  const int rows = c.solution_rows, count = static_cast<int>(output(a, c.outputs - 1));
  if (output(b, c.outputs - 1) != count) return false;
  const auto same = [&](int s, int t) {
    for (int k = 0; k < rows; ++k) {
      if (!close(output(a, s * rows + k), output(b, t * rows + k), tolerance)) return false;
    }
    return true;
  };
  for (int s = 0; s < count; ++s) {
    int t = 0;
    while (t < count && !same(s, t)) ++t;
    if (t == count) return false;
  }
  return true;
}

bool same_outputs(const LaneCase& c, Instance a, Instance b, double tolerance) {
  if (c.solution_rows > 0) return same_solutions(c, a, b, tolerance);
  for (int k = 0; k < c.outputs; ++k) {
    if (!close(output(a, k), output(b, k), tolerance)) return false;
  }
  return true;
}

}  // namespace

void expect_agreement(const LaneCase& c, const Outputs& reference, const Outputs& got,
                      bool is_float, const std::string& where) {
  int agree = 0;
  for (std::size_t i = 0; i < kInstances; ++i)
    agree += same_outputs(c, &reference[i], &got[i], is_float ? 1e-3 : 1e-8);
  const double share = static_cast<double>(agree) / kInstances;
  EXPECT_GE(share, is_float ? c.share_float : c.share_double) << c.name << " on " << where;
  if (share < 1)
    fmt::print("{:28} {:24} {:.2f} % of instances agree\n", c.name, where, 100 * share);
}

void expect_agreement(const GroupCase& c, const Outputs& reference, const Outputs& got,
                      bool is_float, const std::string& where) {
  double largest = 0;
  for (const double v : reference) largest = std::max(largest, std::abs(v));
  for (std::size_t k = 0; k < reference.size(); ++k) {
    EXPECT_NEAR(reference[k], got[k], (is_float ? 2e-4 : 1e-11) * largest)
        << c.name << " number " << k << " on " << where;
  }
}

}  // namespace bifocal::test
