// SPDX-License-Identifier: BSD-3-Clause
// Scoring: MSAC gain of one model over many points, G point-hypotheses a second on one core.
#include <algorithm>
#include <random>

#include "bench.hpp"
#include "robust/columns.hpp"

namespace bifocal::bench {
namespace {

constexpr int kPoints = 2000, kModels = 256;

struct Case {
  const char* name;
  robust::ErrorModel error;
  double poselib;  // G/s of PoseLib 3.0.0 in double on one core of another x86 machine with AVX-512
};
constexpr Case kCases[] = {{"score/sampson/f32", robust::ErrorModel::epipolar, 0.33},
                           {"score/transfer/f32", robust::ErrorModel::transfer, 0.497},
                           {"score/reprojection/f32", robust::ErrorModel::reprojection, 0.403}};

void run_case(Context& context, const Case& c) {
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal;
  std::vector<float> models(12 * kModels);
  for (float& v : models) v = static_cast<float>(normal(random));
  const robust::Columns columns(kPoints, 5, [&](int, int) { return normal(random); });
  const robust::Points points = columns.points();
  const robust::Kernels kernels = robust::kernels_for(c.error);
  robust::Stages all{};  // nothing is given up: every model sees every point
  all.ends[0] = points.f32.padded;
  all.floors[0] = -1;
  all.count = 1;
  const Sample ours = measure([&] {
    float sum = 0;
    for (int m = 0; m < kModels; ++m)
      sum += kernels.gain(points.f32, &models[12 * static_cast<size_t>(m)], all, 100);
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
