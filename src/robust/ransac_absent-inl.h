// SPDX-License-Identifier: BSD-3-Clause
// A problem whose samples are solved by a generated solver, in a build without generated solvers:
// its constants only, so that it can still be named and described. The body of a compiled unit
// (CMakeLists.txt), which defines PROBLEM and PROBLEM_STEPS as for ransac_problem-inl.h.
#include "lane/scalar.hpp"
#include "robust/ransac.hpp"

namespace bifocal::robust {
namespace {

template <class Real>
struct absent_problem {
  using uniform = absent_problem<double>;
#include "lane/cpp_begin.h"

#include "robust/ransac/ransac.list"

#include "lane/cpp_end.h"
};

constexpr RansacSteps absent() {
  RansacSteps steps{};
  static_cast<ProblemNumbers&>(steps) = numbers_of_problem<absent_problem<double>>();
  return steps;
}
constexpr RansacSteps kAbsent = absent();

}  // namespace

const RansacSteps& PROBLEM_STEPS();
const RansacSteps& PROBLEM_STEPS() { return kAbsent; }

}  // namespace bifocal::robust
