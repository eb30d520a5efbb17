// SPDX-License-Identifier: BSD-3-Clause
// A problem in a build without its generated solver is described as usual and refused by name.
#define PROBLEM 8
#define PROBLEM_STEPS absent_radial_fundamental_steps
#include "robust/ransac_absent-inl.h"

#include <gtest/gtest.h>

#include <bifocal/error.hpp>

namespace bifocal::robust {
namespace {

TEST(AbsentProblem, is_described_and_refused) {
  constexpr ModelKind kind = ModelKind::radial_fundamental;
  static_assert(static_cast<int>(kind) == PROBLEM);
  const RansacSteps &absent = absent_radial_fundamental_steps(), &built = ransac_steps(kind);
  EXPECT_EQ(absent.sample_size, built.sample_size);
  EXPECT_EQ(absent.model_size, built.model_size);
  EXPECT_EQ(absent.cameras, built.cameras);
  EXPECT_TRUE(absent.unknown_distortion);
  EXPECT_EQ(absent.solve, nullptr);
  if (problem_info(kind).is_built) {
    EXPECT_NO_THROW(check_is_built("estimate", kind));
  }
  try {
    check_is_built("estimate", kind, absent);
    FAIL();
  } catch (const Error& e) {
    EXPECT_STREQ(e.what(),
                 "estimate: radial_fundamental is not in this build (it is with "
                 "-DBIFOCAL_PROBLEMS=all -DBIFOCAL_GENERATED_SOLVERS=ON)");
  }
}

}  // namespace
}  // namespace bifocal::robust
