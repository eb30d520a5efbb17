// SPDX-License-Identifier: BSD-3-Clause
// A problem whose samples are solved by a generated solver, in a build without these: its numbers,
// by which it can be named and described. The body of a compiled unit (CMakeLists.txt), which
// defines PROBLEM and PROBLEM_STEPS as for engine_problem.hpp.
#include "lane/scalar.hpp"
#include "robust/engine.hpp"

namespace bifocal::robust {
namespace {

template <class Real>
struct absent_problem {
  using uniform = absent_problem<double>;
#include "lane/cpp_begin.h"

#include "robust/search/engine.list"

#include "lane/cpp_end.h"
};

constexpr EngineSteps absent() {
  EngineSteps steps{};
  static_cast<ProblemNumbers&>(steps) = numbers_of_problem<absent_problem<double>>();
  return steps;
}
constexpr EngineSteps kAbsent = absent();

}  // namespace

const EngineSteps& PROBLEM_STEPS();
const EngineSteps& PROBLEM_STEPS() { return kAbsent; }

}  // namespace bifocal::robust
