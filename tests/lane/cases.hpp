// SPDX-License-Identifier: BSD-3-Clause
// Lane conformance: every device runs small functions, called cases, around the lane and group
// functions on the same numbers. A unit is a source with its cases: the problem-independent
// functions (lane_cases.list), or one problem of bifocal/problems.def (problem_cases.list).
#pragma once

#include <bifocal/robust.hpp>
#include <optional>
#include <string>
#include <vector>

#include "robust/pair_state.hpp"
#include "runtime/kernel_table.hpp"

namespace bifocal::test {

// The kind of numbers in the instances of a case.
enum class Inputs {
  normal,   // standard normal numbers
  problem,  // a sample, a point and a model of the problem: problem_cases.lane.h
#define SOLVER(name, ...) name,  // samples of that solver
#include <bifocal/solvers.def>
};

struct LaneCase {
  std::string name;
  int inputs, outputs;
  int solution_rows;  // rows of solutions in any order, else 0
  Inputs kind;
  double share_double, share_float;  // fractions of instances that must agree
};
struct GroupCase {
  std::string name;
  int outputs;
};

struct CaseUnit {
  std::string name;
  const char* source;  // of OpenCL, by its name
  std::optional<ModelKind> problem;
  std::vector<LaneCase> lanes;
  std::vector<GroupCase> groups;
  // Add the kernels run_NAME, for the active SIMD target (constant SIMD: 1) and for scalars (0).
  void (*add_cpu)(runtime::CpuTable& table);
  void (*add_cuda)(runtime::CudaTable& table);  // nullptr: no CUDA in this build
};
[[nodiscard]] const std::vector<CaseUnit>& case_units();

inline constexpr int kInstances = 512;  // a multiple of every register's width

// Returns numbers that are representable in float, so that every precision sees the same problem,
// in the layout [inputs][kInstances].
[[nodiscard]] std::vector<double> lane_inputs(const CaseUnit& unit, const LaneCase& c);
struct GroupInputs {
  int count, stride;
  std::vector<double> points;  // [columns][stride], and the weights [stride]
  robust::pair_info info;
  std::vector<double> model;
};
[[nodiscard]] GroupInputs group_inputs(ModelKind problem);

// Returns the numbers of kInstances instances in succession, CASE_INPUTS numbers for each.
[[nodiscard]] std::vector<std::vector<double>> problem_instances(ModelKind problem);

// Layout [outputs][kInstances], or [outputs] for a group.
using Outputs = std::vector<double>;
// Expects that enough instances agree with the scalar result in double.
void expect_agreement(const LaneCase& c, const Outputs& reference, const Outputs& got,
                      bool is_float, const std::string& where);
// Sums may differ by rounding, because additions have another order.
void expect_agreement(const GroupCase& c, const Outputs& reference, const Outputs& got,
                      bool is_float, const std::string& where);

}  // namespace bifocal::test
