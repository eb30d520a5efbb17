// SPDX-License-Identifier: BSD-3-Clause
// Lane conformance: small functions, "cases", around the lane and group functions, which every
// device runs on the same numbers. A unit is a text with its cases: what depends on no problem
// (lane_cases.list), or one problem of bifocal/problems.def (problem_cases.list).
#pragma once

#include <bifocal/robust.hpp>
#include <optional>
#include <string>
#include <vector>

#include "robust/pair_state.hpp"
#include "runtime/kernel_table.hpp"

namespace bifocal::test {

// What the instances of a case are made of.
enum class Inputs {
  normal,   // standard normal numbers
  problem,  // a sample, a point and a model of the problem: problem_cases.lane.h
#define SOLVER(name, ...) name,  // samples of that solver
#include <bifocal/solvers.def>
};

struct LaneCase {
  std::string name;
  int inputs, outputs;
  int solution_rows;  // of cases whose outputs are solutions in any order, else 0
  Inputs kind;
  double share_double, share_float;  // of instances that must agree
};
struct GroupCase {
  std::string name;
  int outputs;
};

struct CaseUnit {
  std::string name;
  const char* text;  // of OpenCL
  std::optional<ModelKind> problem;
  std::vector<LaneCase> lanes;
  std::vector<GroupCase> groups;
  // The kernels run_NAME: of the SIMD target in force (constant SIMD: 1) and of scalars (0).
  void (*add_cpu)(runtime::CpuTable& table);
  void (*add_cuda)(runtime::CudaTable& table);  // nullptr: this build has none
};
[[nodiscard]] const std::vector<CaseUnit>& case_units();

inline constexpr int kInstances = 512;  // a multiple of every register's width

// Representable in float, so that every precision sees the same problem.
// [inputs][kInstances]
[[nodiscard]] std::vector<double> lane_inputs(const CaseUnit& unit, const LaneCase& c);
struct GroupInputs {
  int count, stride;
  std::vector<double> points;  // [columns][stride], and the weights [stride]
  robust::pair_info info;
  std::vector<double> model;
};
[[nodiscard]] GroupInputs group_inputs(ModelKind problem);

// Numbers of the instances [kInstances], one behind the other: CASE_INPUTS of each.
[[nodiscard]] std::vector<std::vector<double>> problem_instances(ModelKind problem);

// [outputs][kInstances], or of a group [outputs]
using Outputs = std::vector<double>;
// Expects that enough instances agree with the scalar result in double.
void expect_agreement(const LaneCase& c, const Outputs& reference, const Outputs& got,
                      bool is_float, const std::string& where);
// Sums differ by the rounding of another order of additions.
void expect_agreement(const GroupCase& c, const Outputs& reference, const Outputs& got,
                      bool is_float, const std::string& where);

}  // namespace bifocal::test
