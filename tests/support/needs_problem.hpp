// SPDX-License-Identifier: BSD-3-Clause
// Skips tests of robust problems that are not in this build
// (BIFOCAL_PROBLEMS, BIFOCAL_GENERATED_SOLVERS).
#pragma once

#include <gtest/gtest.h>

#include <bifocal/robust.hpp>

namespace bifocal {

inline void PrintTo(ModelKind problem, std::ostream* out) { *out << to_string(problem); }

namespace test {

// Called in SetUp() or as the first line of a test.
inline void skip_unless_built(ModelKind problem) {
  if (!problem_info(problem).is_built)
    GTEST_SKIP() << to_string(problem)
                 << " is not in this build (BIFOCAL_PROBLEMS, BIFOCAL_GENERATED_SOLVERS)";
}

// A fixture for tests of one problem.
template <ModelKind Problem>
class NeedsProblem : public testing::Test {
 protected:
  void SetUp() override { skip_unless_built(Problem); }
};

}  // namespace test
}  // namespace bifocal

// Ends a test of a problem that is not built; used without braces, like GTEST_SKIP.
#define SKIP_UNLESS_PROBLEM_IS_BUILT(problem)  \
  ::bifocal::test::skip_unless_built(problem); \
  if (testing::Test::IsSkipped()) return
