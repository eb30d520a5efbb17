// SPDX-License-Identifier: BSD-3-Clause
// Fundamental matrices of scenes with a dominant plane, with the option for it: ms per pair on one
// core and the number of correct matrices, compared with the same estimate without the option and
// with OpenCV in the same run.
#include <fmt/format.h>

#include <algorithm>
#include <bifocal/robust.hpp>
#include <chrono>
#include <functional>

#include "peers/opencv_estimates.hpp"
#include "robust_suite.hpp"
#include "synthetic/accuracy.hpp"
#ifdef BIFOCAL_PEER_OPENCV
#include <opencv2/core/version.hpp>
#endif

namespace bifocal::bench {
namespace {

constexpr int kTrials = 40, kPoints = 2000;
constexpr double kThreshold = 2.5;

using Estimator = std::function<FoundModel(const TwoViewScene&)>;

FoundModel estimate(const TwoViewScene& s, bool dominant_plane) {
  const EstimateResult r =
      estimate(ModelKind::fundamental, s.points,
               {.options = {.threshold = kThreshold, .dominant_plane = dominant_plane}});
  return {r.ok(), r.model, {}};
}

struct Scores {
  std::vector<double> ms, errors;
  int failures = 0;
};

void run_scene(const TwoViewScene& scene, const Estimator& estimator, Scores& scores) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  const FoundModel e = estimator(scene);
  scores.ms.push_back(std::chrono::duration<double, std::milli>(Clock::now() - start).count());
  scores.errors.push_back(e.ok ? mean_sampson_px(e.model, scene.clean) : 180);
  scores.failures += !e.ok;
}

void add(const std::string& prefix, const Scores& s, Record& record) {
  const auto right =
      std::count_if(s.errors.begin(), s.errors.end(), [](double e) { return e < 1; });
  record.extra[prefix + "mean_error_px"] = median(s.errors);
  record.extra[prefix + "percent_below_1px"] =
      100.0 * static_cast<double>(right) / static_cast<double>(s.errors.size());
  record.extra[prefix + "failures"] = s.failures;
  record.extra[prefix + "ms"] = median(s.ms);
}

// on_plane: per cent of the inliers; with 100 the clean pairs are on the plane as well.
void run_case(Context& context, int inliers, int on_plane) {
  const std::string name = fmt::format("robust/plane{}/fundamental/n{}/inliers{}/thr{:.1f}",
                                       on_plane, kPoints, inliers, kThreshold);
  if (!context.wanted(name)) return;
  std::vector<Estimator> estimators = {[](const TwoViewScene& s) { return estimate(s, true); },
                                       [](const TwoViewScene& s) { return estimate(s, false); }};
#ifdef BIFOCAL_PEER_OPENCV
  estimators.emplace_back(
      [](const TwoViewScene& s) { return opencv_fundamental(s.points, kThreshold); });
#endif
  const SceneOptions options = {.points = kPoints,
                                .inliers = inliers / 100.0,
                                .planar = on_plane == 100,
                                .on_plane = on_plane == 100 ? 0 : on_plane / 100.0};
  std::vector<Scores> scores(estimators.size());
  std::mt19937_64 random(1);
  for (int i = 0; i < kTrials; ++i) {
    const TwoViewScene scene = make_scene(options, random);
    for (size_t k = 0; k < estimators.size(); ++k) {
      if (i == 0) (void)estimators[k](scene);  // warm-up
      run_scene(scene, estimators[k], scores[k]);
    }
  }
  Record record = pairs_record(name, scores[0].ms, kTrials);
  add("", scores[0], record);
  add("without_", scores[1], record);
#ifdef BIFOCAL_PEER_OPENCV
  record.reference = Reference{"OpenCV " CV_VERSION " USAC_MAGSAC", median(scores[2].ms)};
  add("reference_", scores[2], record);
#endif
  context.report(std::move(record));
}

}  // namespace

void run_robust_planes(Context& context) {
  for (const int inliers : {80, 50}) {
    for (const int on_plane : {0, 80, 90, 95, 100}) run_case(context, inliers, on_plane);
  }
}

}  // namespace bifocal::bench
