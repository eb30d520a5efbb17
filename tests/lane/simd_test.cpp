// SPDX-License-Identifier: BSD-3-Clause
// Every lane function as double, float and as SIMD registers of every target this machine has gives
// the same values. Also the model of a file that is compiled once for every target.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "lane/simd_test.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include "lane/simd-inl.h"

#include "lane/case_class.h"

HWY_BEFORE_NAMESPACE();
namespace bifocal::HWY_NAMESPACE {

void run_simd_float(const std::string& name, int inputs, int outputs, const float* in, float* out,
                    int n) {
  run_lane_case<case_class<simd<float>>>(name, inputs, outputs, in, out, n);
}
void run_simd_double(const std::string& name, int inputs, int outputs, const double* in,
                     double* out, int n) {
  run_lane_case<case_class<simd<double>>>(name, inputs, outputs, in, out, n);
}
void run_scalar_float(const std::string& name, int inputs, int outputs, const float* in, float* out,
                      int n) {
  run_lane_case<case_class<float>>(name, inputs, outputs, in, out, n);
}

void run_group_float(const std::string& name, const float* points, int n, const float* model,
                     float* out) {
  run_group_case<case_class<simd<float>>>(name, points, n, model, out);
}
void run_group_double(const std::string& name, const double* points, int n, const double* model,
                      double* out) {
  run_group_case<case_class<simd<double>>>(name, points, n, model, out);
}

}  // namespace bifocal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include <gtest/gtest.h>

#include "lane/cases.hpp"
#include "support/targets.hpp"

namespace bifocal {
HWY_EXPORT(run_simd_float);
HWY_EXPORT(run_simd_double);
HWY_EXPORT(run_scalar_float);
HWY_EXPORT(run_group_float);
HWY_EXPORT(run_group_double);
namespace test {
namespace {

class Lane : public testing::TestWithParam<LaneCase> {};

TEST_P(Lane, agrees_on_scalars_and_every_simd_target) {
  const LaneCase& c = GetParam();
  const std::vector<double> in = make_inputs(c);
  const std::vector<float> in_float(in.begin(), in.end());
  const Outputs reference = reference_outputs(c, in);
  std::vector<float> out_float(reference.size());
  Outputs out(reference.size());
  for_each_target([&](const std::string& target) {
    HWY_DYNAMIC_DISPATCH(run_simd_double)
    (c.name, c.inputs, c.outputs, in.data(), out.data(), kInstances);
    expect_agreement(c, reference, out, false, target + " double");
    HWY_DYNAMIC_DISPATCH(run_simd_float)
    (c.name, c.inputs, c.outputs, in_float.data(), out_float.data(), kInstances);
    expect_agreement(c, reference, Outputs(out_float.begin(), out_float.end()), true,
                     target + " float");
    HWY_DYNAMIC_DISPATCH(run_scalar_float)
    (c.name, c.inputs, c.outputs, in_float.data(), out_float.data(), kInstances);
    expect_agreement(c, reference, Outputs(out_float.begin(), out_float.end()), true,
                     target + " scalar float");
  });
}

INSTANTIATE_TEST_SUITE_P(, Lane, testing::ValuesIn(lane_cases()),
                         [](const auto& test) { return test.param.name; });

class Group : public testing::TestWithParam<GroupCase> {};

TEST_P(Group, agrees_on_scalars_and_every_simd_target) {
  const GroupCase& c = GetParam();
  const GroupProblem problem = make_group_problem(c.kind);
  const std::vector<float> points(problem.points.begin(), problem.points.end());
  const std::vector<float> model(problem.model.begin(), problem.model.end());
  const Outputs reference = group_reference(c, problem);
  std::vector<float> out_float(reference.size());
  Outputs out(reference.size());
  for_each_target([&](const std::string& target) {
    HWY_DYNAMIC_DISPATCH(run_group_double)
    (c.name, problem.points.data(), kGroupPoints, problem.model.data(), out.data());
    expect_group_agreement(c, reference, out, false, target + " double");
    HWY_DYNAMIC_DISPATCH(run_group_float)
    (c.name, points.data(), kGroupPoints, model.data(), out_float.data());
    expect_group_agreement(c, reference, Outputs(out_float.begin(), out_float.end()), true,
                           target + " float");
  });
}

INSTANTIATE_TEST_SUITE_P(, Group, testing::ValuesIn(group_cases()),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace test
}  // namespace bifocal
#endif
