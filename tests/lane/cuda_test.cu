// SPDX-License-Identifier: BSD-3-Clause
// Every lane and group file compiles with nvcc, and every case gives the same values on a CUDA
// device as on a scalar. Without a device the test is skipped: compiling is then what it proves.
#include <gtest/gtest.h>

#include <type_traits>

#include "lane/cases.hpp"
#include "lane/scalar.hpp"

namespace bifocal::test {
namespace {

#define LANE_STRIDE 1  // lane arrays of a case are a thread's own
template <class Real>
struct cuda_class {
  static constexpr int PROBLEM = 2;
#include "lane/cuda_begin.h"
#include "lane/case_lists.h"
#include "lane/cpp_end.h"
};

#define LANE_CASE(name, inputs, outputs, ...)                              \
  template <class T>                                                       \
  __global__ void run_##name(const T* in, T* out, int n) {                 \
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); \
    if (i >= n) return;                                                    \
    T a[inputs], b[outputs];                                               \
    for (int k = 0; k < (inputs); ++k) a[k] = in[k * n + i];               \
    cuda_class<T>::case_##name(a, b);                                      \
    for (int k = 0; k < (outputs); ++k) out[k * n + i] = b[k];             \
  }
#include "lane/cases.def"
#undef LANE_CASE

template <class T>
Outputs run(const LaneCase& c, const std::vector<double>& inputs) {
  const std::vector<T> in(inputs.begin(), inputs.end());
  std::vector<T> out(static_cast<size_t>(c.outputs) * kInstances);
  T *device_in = nullptr, *device_out = nullptr;
  EXPECT_EQ(cudaMalloc(&device_in, in.size() * sizeof(T)), cudaSuccess);
  EXPECT_EQ(cudaMalloc(&device_out, out.size() * sizeof(T)), cudaSuccess);
  cudaMemcpy(device_in, in.data(), in.size() * sizeof(T), cudaMemcpyHostToDevice);
#define LANE_CASE(case_name, ...) \
  if (c.name == #case_name)       \
    run_##case_name<T><<<kInstances / 64, 64>>>(device_in, device_out, kInstances);
#include "lane/cases.def"
#undef LANE_CASE
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  EXPECT_EQ(cudaMemcpy(out.data(), device_out, out.size() * sizeof(T), cudaMemcpyDeviceToHost),
            cudaSuccess);
  cudaFree(device_in);
  cudaFree(device_out);
  return Outputs(out.begin(), out.end());
}

#define GROUP_CASE(case_name, kind, outputs)                                               \
  template <class T>                                                                       \
  __global__ void run_group_##case_name(const T* points, int n, const T* models, T* out) { \
    T model[12], result[outputs];                                                          \
    for (int k = 0; k < 12; ++k) model[k] = models[k];                                     \
    cuda_class<T>::group_case_##case_name(points, n, model, result);                       \
    if (threadIdx.x == 0) {                                                                \
      for (int k = 0; k < (outputs); ++k) out[k] = result[k];                              \
    }                                                                                      \
  }
#include "lane/group_cases.def"
#undef GROUP_CASE

template <class T>
Outputs run(const GroupCase& c, const GroupProblem& problem) {
  const std::vector<T> points(problem.points.begin(), problem.points.end());
  const std::vector<T> model(problem.model.begin(), problem.model.end());
  std::vector<T> out(static_cast<size_t>(c.outputs));
  T *device_points = nullptr, *device_model = nullptr, *device_out = nullptr;
  EXPECT_EQ(cudaMalloc(&device_points, points.size() * sizeof(T)), cudaSuccess);
  EXPECT_EQ(cudaMalloc(&device_model, model.size() * sizeof(T)), cudaSuccess);
  EXPECT_EQ(cudaMalloc(&device_out, out.size() * sizeof(T)), cudaSuccess);
  cudaMemcpy(device_points, points.data(), points.size() * sizeof(T), cudaMemcpyHostToDevice);
  cudaMemcpy(device_model, model.data(), model.size() * sizeof(T), cudaMemcpyHostToDevice);
#define GROUP_CASE(case_name, ...) \
  if (c.name == #case_name)        \
    run_group_##case_name<T><<<1, 32>>>(device_points, kGroupPoints, device_model, device_out);
#include "lane/group_cases.def"
#undef GROUP_CASE
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  EXPECT_EQ(cudaMemcpy(out.data(), device_out, out.size() * sizeof(T), cudaMemcpyDeviceToHost),
            cudaSuccess);
  cudaFree(device_points);
  cudaFree(device_model);
  cudaFree(device_out);
  return Outputs(out.begin(), out.end());
}

TEST(Cuda, cases_agree_with_the_scalar) {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0)
    GTEST_SKIP() << "no CUDA device: compiled only";
  for (const LaneCase& c : lane_cases()) {
    const std::vector<double> in = make_inputs(c);
    const Outputs reference = reference_outputs(c, in);
    expect_agreement(c, reference, run<double>(c, in), false, "CUDA double");
    expect_agreement(c, reference, run<float>(c, in), true, "CUDA float");
  }
  for (const GroupCase& c : group_cases()) {
    const GroupProblem problem = make_group_problem(c.kind);
    const Outputs reference = group_reference(c, problem);
    expect_group_agreement(c, reference, run<double>(c, problem), false, "CUDA double");
    expect_group_agreement(c, reference, run<float>(c, problem), true, "CUDA float");
  }
}

}  // namespace
}  // namespace bifocal::test
