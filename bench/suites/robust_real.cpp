// SPDX-License-Identifier: BSD-3-Clause
// Real matches: kusvod2 (fundamental matrices) and homogr (homographies), with errors on their
// reference points, and a pair of fountain-P11 (essential matrix) with known pose. Each run has
// another order of the matches, which has the effect of another seed in OpenCV.
#include <fmt/format.h>

#include <algorithm>
#include <bifocal/robust.hpp>
#include <chrono>
#include <functional>

#include "peers/opencv_estimates.hpp"
#include "synthetic/accuracy.hpp"
#include "synthetic/real_matches.hpp"
#include "robust_suite.hpp"
#ifdef BIFOCAL_PEER_OPENCV
#include <opencv2/core/version.hpp>
#endif

namespace bifocal::bench {

using namespace synthetic;
namespace {

constexpr int kRuns = 20;

using Matches = std::vector<PointPair>;
using Estimator = std::function<FoundModel(const Matches&, std::uint64_t seed)>;

struct Task {
  std::vector<RealMatches> sets;
  double threshold;
  Estimator ours, opencv;
  std::function<double(const RealMatches&, const FoundModel&)> error;
  std::string unit;           // of the error
  std::vector<double> close;  // errors below which a run counts as good
};

struct Scores {
  std::vector<double> set_ms, set_errors;  // medians over the runs of each set
  std::vector<double> errors;              // of all runs
  int failures = 0;
};

void run_set(const Task& task, const RealMatches& set, const std::vector<Estimator>& estimators,
             std::vector<Scores>& scores) {
  using Clock = std::chrono::steady_clock;
  std::vector<std::vector<double>> ms(estimators.size()), errors(estimators.size());
  std::mt19937_64 random(1);
  Matches matches = set.matches;
  for (int run = -1; run < kRuns; ++run) {  // the first run is a warm-up
    std::shuffle(matches.begin(), matches.end(), random);
    for (size_t k = 0; k < estimators.size(); ++k) {
      const auto start = Clock::now();
      const FoundModel e = estimators[k](matches, static_cast<std::uint64_t>(run + 1));
      const double time = std::chrono::duration<double, std::milli>(Clock::now() - start).count();
      if (run < 0) continue;
      ms[k].push_back(time);
      errors[k].push_back(e.ok ? task.error(set, e) : 1e9);
      scores[k].failures += !e.ok;
    }
  }
  for (size_t k = 0; k < estimators.size(); ++k) {
    scores[k].set_ms.push_back(median(ms[k]));
    scores[k].set_errors.push_back(median(errors[k]));
    scores[k].errors.insert(scores[k].errors.end(), errors[k].begin(), errors[k].end());
  }
}

void add(const std::string& prefix, const Task& task, const Scores& s, Record& record) {
  record.extra[prefix + "median_error_" + task.unit] = median(s.set_errors);
  for (const double limit : task.close) {
    const auto good = std::count_if(s.errors.begin(), s.errors.end(),
                                    [&](double error) { return error < limit; });
    record.extra[fmt::format("{}percent_below_{}{}", prefix, limit, task.unit)] =
        100.0 * static_cast<double>(good) / static_cast<double>(s.errors.size());
  }
  double total = 0;
  for (const double ms : s.set_ms) total += ms;
  record.extra[prefix + "mean_ms"] = total / static_cast<double>(s.set_ms.size());
  record.extra[prefix + "failures"] = s.failures;
}

void run_case(Context& context, const std::string& set, const Task& task) {
  const std::string name = fmt::format("robust/real/{}/thr{:.1f}", set, task.threshold);
  if (!context.wanted(name) || task.sets.empty() || task.sets[0].matches.empty()) return;
  std::vector<Estimator> estimators = {task.ours};
  if (task.opencv) estimators.push_back(task.opencv);
  std::vector<Scores> scores(estimators.size());
  for (const RealMatches& matches : task.sets) run_set(task, matches, estimators, scores);
  Record record = pairs_record(name, scores[0].set_ms, kRuns);
  record.extra["sets"] = task.sets.size();
  add("", task, scores[0], record);
#ifdef BIFOCAL_PEER_OPENCV
  record.reference = Reference{"OpenCV " CV_VERSION " USAC_MAGSAC", median(scores[1].set_ms)};
  add("reference_", task, scores[1], record);
#endif
  context.report(std::move(record));
}

FoundModel plain(const EstimateResult& r) { return {r.ok(), r.model, {}}; }

Task kusvod2(const Context& context, double threshold) {
  Task task{read_real_matches(context.data_folder + "/correspondences/kusvod2"),
            threshold,
            [=](const Matches& m, std::uint64_t seed) {
              return plain(estimate(ModelKind::fundamental, m,
                                    {.options = {.threshold = threshold, .seed = seed}}));
            },
            {},
            [](const RealMatches& set, const FoundModel& e) {
              return mean_sampson_px(e.model, set.reference);
            },
            "px",
            {2, 5}};
#ifdef BIFOCAL_PEER_OPENCV
  task.opencv = [=](const Matches& m, std::uint64_t) { return opencv_fundamental(m, threshold); };
#endif
  return task;
}

Task homogr(const Context& context, double threshold) {
  Task task{read_real_matches(context.data_folder + "/correspondences/homogr"),
            threshold,
            [=](const Matches& m, std::uint64_t seed) {
              return plain(estimate(ModelKind::homography, m,
                                    {.options = {.threshold = threshold, .seed = seed}}));
            },
            {},
            [](const RealMatches& set, const FoundModel& e) {
              return mean_transfer_px(e.model, set.reference);
            },
            "px",
            {2, 5}};
#ifdef BIFOCAL_PEER_OPENCV
  task.opencv = [=](const Matches& m, std::uint64_t) { return opencv_homography(m, threshold); };
#endif
  return task;
}

Task fountain(const Context& context, double threshold) {
  const PosedMatches posed = read_fountain(context.data_folder + "/strecha/fountain-P11");
  const Intrinsics camera1 = posed.camera1, camera2 = posed.camera2;
  Task task{{{"fountain", posed.matches, {}}},
            threshold,
            [=](const Matches& m, std::uint64_t seed) {
              const RelativePoseResult r =
                  estimate_relative_pose(ModelKind::essential, m,
                                         {.cameras = std::array{camera1, camera2},
                                          .options = {.threshold = threshold, .seed = seed}});
              return FoundModel{r.ok(), r.model, r.pose};
            },
            {},
            [truth = posed.truth](const RealMatches&, const FoundModel& e) {
              return std::max(rotation_error_deg(e.pose.R, truth.R),
                              direction_error_deg(e.pose.t, truth.t));
            },
            "deg",
            {0.25, 0.5, 1}};
#ifdef BIFOCAL_PEER_OPENCV
  task.opencv = [=](const Matches& m, std::uint64_t) {
    return opencv_essential(m, camera1, camera2, threshold);
  };
#endif
  return task;
}

}  // namespace

void run_robust_real(Context& context) {
  for (const double threshold : {2.0, 1.0}) {
    run_case(context, "kusvod2", kusvod2(context, threshold));
    run_case(context, "homogr", homogr(context, threshold == 2 ? 3 : 1));
    run_case(context, "fountain", fountain(context, threshold == 2 ? 2.5 : 1));
  }
}

}  // namespace bifocal::bench
