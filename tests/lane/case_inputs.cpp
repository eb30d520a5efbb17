// SPDX-License-Identifier: BSD-3-Clause
#include <bifocal/solvers.hpp>
#include <random>

#include "lane/cases.hpp"
#include "synthetic/samples.hpp"

namespace bifocal::test {
namespace {

std::vector<double> solver_samples(Inputs kind) {
  static constexpr MinimalSolver solvers[] = {
#define SOLVER(name, ...) MinimalSolver::name,
#include <bifocal/solvers.def>
  };
  const int first = static_cast<int>(Inputs::problem) + 1;
  return synthetic::make_samples(solvers[static_cast<int>(kind) - first], kInstances).samples;
}

}  // namespace

std::vector<double> lane_inputs(const CaseUnit& unit, const LaneCase& c) {
  std::vector<double> all(static_cast<std::size_t>(c.inputs) * kInstances);
  if (c.kind == Inputs::normal) {
    std::mt19937_64 random(2026);
    std::normal_distribution<double> normal;
    for (double& v : all) v = normal(random);
  } else if (c.kind == Inputs::problem) {
    const auto instances = problem_instances(*unit.problem);
    for (std::size_t i = 0; i < kInstances; ++i) {
      for (std::size_t k = 0; k < instances[i].size(); ++k)
        all.at(k * kInstances + i) = instances[i][k];
    }
  } else {
    all = solver_samples(c.kind);
  }
  for (double& v : all) v = static_cast<float>(v);
  return all;
}

}  // namespace bifocal::test
