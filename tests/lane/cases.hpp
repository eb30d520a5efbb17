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

// [inputs][kInstances], the same numbers in every run; representable in float, so that every
// precision sees the same problem.
std::vector<double> make_inputs(const LaneCase& c);

// Values [outputs][kInstances].
using Outputs = std::vector<double>;
// Expects that enough instances of `got` agree with the double-precision scalar result. `epsilon`
// is the unit of `got`'s precision.
void expect_agreement(const LaneCase& c, const Outputs& reference, const Outputs& got,
                      bool is_float, const std::string& device);

// The double-precision scalar result.
Outputs reference_outputs(const LaneCase& c, const std::vector<double>& in);

enum class GroupInputs {
  epipolar,      // columns x1 y1 x2 y2, an essential matrix
  plane,         // the same, a homography
  scene_points,  // columns x y X Y Z, a pose [R, t]
};
struct GroupCase {
  std::string name;
  GroupInputs kind;
  int outputs;

  friend void PrintTo(const GroupCase& c, std::ostream* out) { *out << c.name; }
};
inline const std::vector<GroupCase>& group_cases() {
  static const std::vector<GroupCase> all = {
#define GROUP_CASE(name, kind, outputs) {#name, GroupInputs::kind, outputs},
#include "lane/group_cases.def"
#undef GROUP_CASE
  };
  return all;
}

inline constexpr int kGroupPoints = 1024;  // of which the last ones are NaN: padding
inline constexpr int kGroupPointsUsed = 1000;
inline constexpr int kGroupOutputs = 171;  // at most
struct GroupProblem {
  std::vector<double> points;  // [6][kGroupPoints], the last column weights
  std::vector<double> model;   // 12 numbers
};
// A noisy scene with outliers, the same in every run; representable in float.
GroupProblem make_group_problem(GroupInputs kind);
Outputs group_reference(const GroupCase& c, const GroupProblem& problem);
// Sums differ by the rounding of another order of additions.
void expect_group_agreement(const GroupCase& c, const Outputs& reference, const Outputs& got,
                            bool is_float, const std::string& device);

}  // namespace bifocal::test
