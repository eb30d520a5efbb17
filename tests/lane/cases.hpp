// SPDX-License-Identifier: BSD-3-Clause
// The list of lane cases, their inputs, and what it means for two devices to agree on one.
#pragma once

#include <ostream>
#include <string>
#include <vector>

namespace bifocal::test {

enum class Inputs {
  normal,  // standard normal numbers
  scene,   // inputs / 4 correspondences of a rigid scene, normalised: x1[] y1[] x2[] y2[]
  plane,   // the same of a planar scene
  p3p,     // three unit bearings [3][3], three points [3][3]
};

struct LaneCase {
  std::string name;
  int inputs, outputs;
  Inputs kind;
  double share_double, share_float;

  friend void PrintTo(const LaneCase& c, std::ostream* out) { *out << c.name; }
};

inline const std::vector<LaneCase>& lane_cases() {
  static const std::vector<LaneCase> all = {
#define LANE_CASE(name, inputs, outputs, kind, share_double, share_float) \
  {#name, inputs, outputs, Inputs::kind, share_double, share_float},
#include "lane/cases.def"
#undef LANE_CASE
  };
  return all;
}

inline constexpr int kInstances = 512;  // a multiple of every register's width

// [inputs][kInstances], the same numbers in every run; representable in float, so that every precision sees the same problem.
std::vector<double> make_inputs(const LaneCase& c);

// Values [outputs][kInstances].
using Outputs = std::vector<double>;
// Expects that enough instances of `got` agree with the double-precision scalar result. `epsilon` is the unit of `got`'s precision.
void expect_agreement(const LaneCase& c, const Outputs& reference, const Outputs& got, bool is_float,
                      const std::string& device);

// The double-precision scalar result.
Outputs reference_outputs(const LaneCase& c, const std::vector<double>& in);

}  // namespace bifocal::test
