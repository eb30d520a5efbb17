// SPDX-License-Identifier: BSD-3-Clause
// Each solver finds the true solution of random valid samples.
#include "solvers/batches.hpp"

namespace bifocal::test {
namespace {

constexpr int kSamples = 100000;

TEST(Recovery, homography_4pt) {
  const SampleBatch batch = planar_batch(MinimalSolver::homography_4pt, kSamples);
  const auto f64 = errors_to_truth(batch, solve<double>(batch), matrix_distance);
  const auto f32 = errors_to_truth(batch, solve<float>(batch), matrix_distance);
  EXPECT_LE(failure_rate("homography_4pt f64", f64, 1e-6), 0.01);
  EXPECT_LE(failure_rate("homography_4pt f32", f32, 1e-2), 0.05);
}

TEST(Recovery, homography_svd) {
  const SampleBatch batch = planar_batch(MinimalSolver::homography_svd, kSamples);
  const auto f64 = errors_to_truth(batch, solve<double>(batch), matrix_distance);
  const auto f32 = errors_to_truth(batch, solve<float>(batch), matrix_distance);
  EXPECT_LE(failure_rate("homography_svd f64", f64, 1e-6), 0.001);
  EXPECT_LE(failure_rate("homography_svd f32", f32, 1e-2), 0.01);
}

TEST(Recovery, fundamental_7pt) {
  const SampleBatch batch = general_batch(MinimalSolver::fundamental_7pt, kSamples);
  const auto f64 = errors_to_truth(batch, solve<double>(batch), matrix_distance);
  const auto f32 = errors_to_truth(batch, solve<float>(batch), matrix_distance);
  EXPECT_LE(failure_rate("fundamental_7pt f64", f64, 1e-6), 0.01);
  EXPECT_LE(failure_rate("fundamental_7pt f32", f32, 1e-2), 0.01);
}

TEST(Recovery, fundamental_8pt) {
  const SampleBatch batch = general_batch(MinimalSolver::fundamental_8pt, kSamples);
  const auto f64 = errors_to_truth(batch, solve<double>(batch), matrix_distance);
  const auto f32 = errors_to_truth(batch, solve<float>(batch), matrix_distance);
  EXPECT_LE(failure_rate("fundamental_8pt f64", f64, 1e-6), 0.01);
  EXPECT_LE(failure_rate("fundamental_8pt f32", f32, 1e-2), 0.05);
}

TEST(Recovery, p3p) {
  const SampleBatch batch = resection_batch(kSamples);
  const auto f64 = errors_to_truth(batch, solve<double>(batch), pose_distance);
  const auto f32 = errors_to_truth(batch, solve<float>(batch), pose_distance);
  EXPECT_LE(failure_rate("p3p f64", f64, 1e-6), 0.01);
  EXPECT_LE(failure_rate("p3p f32", f32, 1e-2), 0.05);
}

TEST(Recovery, essential_5pt) {
  const SampleBatch batch = general_batch(MinimalSolver::essential_5pt, kSamples);
  const auto f64 = errors_to_truth(batch, solve<double>(batch), matrix_distance);
  const auto f32 = errors_to_truth(batch, solve<float>(batch), matrix_distance);
  EXPECT_LE(failure_rate("essential_5pt f64", f64, 1e-6), 0.02);
  EXPECT_LE(failure_rate("essential_5pt f32", f32, 1e-2), 0.15);
}

TEST(Recovery, essential_5pt_action) {
  const SampleBatch batch = general_batch(MinimalSolver::essential_5pt_action, kSamples);
  const auto f64 = errors_to_truth(batch, solve<double>(batch), matrix_distance);
  const auto f32 = errors_to_truth(batch, solve<float>(batch), matrix_distance);
  EXPECT_LE(failure_rate("essential_5pt_action f64", f64, 1e-6), 0.0005);
  EXPECT_LE(failure_rate("essential_5pt_action f32", f32, 1e-2), 0.03);
}

}  // namespace
}  // namespace bifocal::test
