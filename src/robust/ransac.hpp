// SPDX-License-Identifier: BSD-3-Clause
// The constants of a problem, the steps of RANSAC for it on the widest SIMD registers of this
// machine, and RANSAC as a loop over these steps. On a GPU the same steps are kernels
// (ransac_device.cpp).
#pragma once

#include <array>
#include <bifocal/robust.hpp>
#include <cstdint>
#include <vector>

#include "robust/pair_state.hpp"

namespace bifocal::robust {

struct PairPoints;  // pair_points.hpp
struct GivenPair;

using Cameras = std::array<double, CAMERA_NUMBERS>;

struct RansacLimits {
  int min_iterations, max_iterations;
  double log_failure, min_inlier_ratio;
};
[[nodiscard]] RansacLimits limits_of(const RobustOptions& options);
// Returns log10 of the level of the significance test. usual: LOG10_FALSE_ALARMS of the problem,
// used unless the options set the level.
[[nodiscard]] double log10_alarms_of(int usual, const RobustOptions& options);

// The models of a round: [slots][model_size] of each sample, and the number of solutions of each.
struct Hypotheses {
  std::vector<float> models;
  std::vector<int> counts;
  std::vector<float> scores;  // best score of each sample; -1: none above the floor, -2: no model
  std::vector<int> slots;     // index of that model among the sample's models
};

// The constants of a problem's file in src/robust/problems.
struct ProblemNumbers {
  int columns, depths, sample_size, free_matches, slots, model_size, dof, residuals, cameras;
  bool two_views, has_pose, dominant_plane, unknown_focal, unknown_distortion, is_copy_limited,
      triangulates, doubts_translation;
  int clean_samples, tolerated_sample_outliers, target_percent, sample_cost, log10_false_alarms;
};
// Returns the constants of L, the lane functions of a problem.
template <class L>
constexpr ProblemNumbers numbers_of_problem() {
  return {L::COLUMNS,
          L::DEPTHS,
          L::SAMPLE_SIZE,
          L::FREE_MATCHES,
          L::SLOTS,
          L::MODEL_SIZE,
          L::DOF,
          L::RESIDUALS,
          L::CAMERAS,
          L::TWO_VIEWS,
          L::HAS_POSE,
          L::DOMINANT_PLANE,
          L::UNKNOWN_FOCAL,
          L::UNKNOWN_DISTORTION,
          L::IS_COPY_LIMITED,
          L::TRIANGULATES,
          L::DOUBTS_TRANSLATION,
          L::CLEAN_SAMPLES,
          L::TOLERATED_SAMPLE_OUTLIERS,
          L::TARGET_PERCENT,
          L::SAMPLE_COST,
          L::LOG10_FALSE_ALARMS};
}

// Functions are null in a build without the problem's solver (check_is_built).
struct RansacSteps : ProblemNumbers {
  // Steps of RANSAC, as in ransac/ransac.kernels.
  void (*prepare)(const GivenPair&, const RobustOptions&, PairPoints&);
  void (*solve)(const PairPoints&, std::uint64_t seed, int first, int count, Hypotheses&);
  void (*score)(const PairPoints&, float floor, int count, Hypotheses&);
  int (*decide)(PairPoints&, const RansacLimits&, int count, const Hypotheses&);
  void (*planes)(PairPoints&, std::uint64_t seed, const RansacLimits&);
  void (*finish)(const GivenPair&, PairPoints&, ransac_result&);
  // Parts of the result: matrix [9] and pose [12].
  void (*result_matrix)(const pair_info* info, const double* rays, const double* model,
                        double* matrix);
  void (*result_pose)(const pair_info* info, const double* model, const double* side, double* pose);
  double (*model_focal)(const double* model);       // in the unit of the rays; 1 if f is known
  double (*model_distortion)(const double* model);  // in scoring coordinates
  double (*hypotheses_before_giving_up)(double points);
  // Score of a model over all points, for tests and measurements.
  float (*full_score)(const PairPoints&, const float* model);
};
[[nodiscard]] const RansacSteps& ransac_steps(ModelKind problem);
// Throws Error(device) if this build has no solver for the problem's samples.
void check_is_built(const char* where, ModelKind problem);
void check_is_built(const char* where, ModelKind problem, const RansacSteps& steps);

// Returns the smallest inlier ratio that RANSAC is expected to find in one pair with this number of
// matches. From 1000 matches on it is TARGET_PERCENT; for fewer matches it is the ratio that can be
// found in the time that 1000 matches take.
[[nodiscard]] double one_pair_ratio(ModelKind problem, double matches, double confidence);

// Runs RANSAC on a pair that has been prepared (PairPoints::set).
void run_ransac(ModelKind problem, const GivenPair& given, const RobustOptions& options,
                PairPoints& pair, ransac_result& result);

}  // namespace bifocal::robust
