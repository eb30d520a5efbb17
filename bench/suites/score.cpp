// SPDX-License-Identifier: BSD-3-Clause
// Scoring: MSAC score of one model over many points, G point-hypotheses per second on one core.
#include <algorithm>
#include <random>

#include "frame/bench.hpp"
#include "robust/pair_points.hpp"

namespace bifocal::bench {
namespace {

constexpr int kPoints = 2000, kModels = 256;

struct Case {
  const char* name;
  ModelKind problem;
  double poselib;  // G/s of PoseLib 3.0.0 in double on one core of another x86 machine with AVX-512
};
constexpr Case kCases[] = {{"score/sampson/f32", ModelKind::fundamental, 0.33},
                           {"score/transfer/f32", ModelKind::homography, 0.497},
                           {"score/reprojection/f32", ModelKind::absolute_pose, 0.403}};

void run_case(Context& context, const Case& c) {
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal;
  std::vector<float> models(12 * kModels);
  for (float& v : models) v = static_cast<float>(normal(random));
  robust::PairPoints pair;
  std::vector<double> points(5 * kPoints);
  for (double& v : points) v = normal(random);
  pair.set(c.problem, {points.data(), kPoints, {1, 1, 0, 0, 1, 1, 0, 0}, {}}, {});
  pair.info.threshold = 100;
  const robust::RansacSteps& steps = robust::ransac_steps(c.problem);
  const Sample ours = measure([&] {  // no early exit: every model sees every point
    float sum = 0;
    for (int m = 0; m < kModels; ++m)
      sum += steps.full_score(pair, &models[12 * static_cast<size_t>(m)]);
    keep(sum);
  });
  constexpr double kWork = 1e-9 * kPoints * kModels;
  Record record;
  record.suite = "score";
  record.case_name = c.name;
  record.unit = "G/s";
  record.value = kWork / ours.median;
  record.mad = record.value * ours.mad / ours.median;
  record.runs = ours.runs;
  record.higher_is_better = true;
  record.reference = Reference{"PoseLib 3.0.0, f64 (recorded)", c.poselib};
  record.extra["points"] = kPoints;
  context.report(std::move(record));
}

}  // namespace

void run_score(Context& context) {
  for (const Case& c : kCases) {
    if (context.wanted(c.name)) run_case(context, c);
  }
}

}  // namespace bifocal::bench
