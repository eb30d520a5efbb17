// SPDX-License-Identifier: BSD-3-Clause
// Skips tests of problems that this build has no minimal solver for
// (BIFOCAL_GENERATED_SOLVERS=OFF).
#pragma once

#include <gtest/gtest.h>

#include <bifocal/robust.hpp>

namespace bifocal::test {

// Called in SetUp() or as the first line of a test.
inline void skip_without_solver(ModelKind problem) {
  if (!problem_info(problem).is_built)
    GTEST_SKIP() << to_string(problem)
                 << " needs a generated minimal solver (-DBIFOCAL_GENERATED_SOLVERS=ON)";
}

// A fixture for tests of one problem.
template <ModelKind Problem>
class NeedsSolver : public testing::Test {
 protected:
  void SetUp() override { skip_without_solver(Problem); }
};

}  // namespace bifocal::test

// Ends a test of a problem without its solver; without braces, as GTEST_SKIP.
#define SKIP_WITHOUT_SOLVER(problem)             \
  ::bifocal::test::skip_without_solver(problem); \
  if (testing::Test::IsSkipped()) return
