// SPDX-License-Identifier: BSD-3-Clause
// Robust estimation in the suite `hashes`, for every problem of this build: batches of pairs with
// few and with many matches, also with weights and qualities, and the functions of a given model.
#include <fmt/format.h>

#include <bifocal/two_view.hpp>

#include "hashes/hashes.hpp"
#include "suites/robust_suite.hpp"

namespace bifocal::bench {
namespace {

constexpr double kThreshold = 2.5;  // px

// Returns scenes of 6 to 1500 matches, so that every range of match counts that RANSAC
// distinguishes occurs, each at inlier ratios of 0.9, 0.5, 0.25 and 0.
std::vector<ProblemScene> scenes_of(ModelKind problem) {
  std::mt19937_64 random(9);
  std::vector<ProblemScene> scenes;
  for (const int points : {6, 20, 60, 200, 700, 1500}) {
    for (const double inliers : {0.9, 0.5, 0.25, 0.0}) {
      scenes.push_back(make_problem_scene(
          problem, {.points = points, .inliers = inliers, .noise = points == 60 ? 0.2 : 1},
          random));
    }
  }
  // A scene with a dominant plane, and a camera that only rotated.
  scenes.push_back(
      make_problem_scene(problem, {.points = 300, .inliers = 0.7, .on_plane = 0.9}, random));
  scenes.push_back(
      make_problem_scene(problem, {.points = 300, .inliers = 0.7, .baseline = 0}, random));
  return scenes;
}

// Adds the outcome, the model, the pose, the statistics and the counts of an estimate, without the
// inlier mask.
void add_estimate(ResultBytes& out, const Estimate& e) {
  out.add(e.outcome);
  out.add_all(e.model), out.add_all(e.pose.R), out.add_all(e.pose.t);
  for (const double v :
       {e.focal_length, e.focal_deviation, e.score, e.rms, e.noise, e.significance})
    out.add(v);
  out.add(e.num_inliers), out.add(e.iterations);
}

// The scenes as one batch, at least one scene. numbers: the points of all scenes; the points of
// scene i have indices offsets[i] to offsets[i + 1] - 1. Weights follow from the index of a point,
// qualities from its index and label. All scenes get the camera of the first scene.
struct SceneBatches {
  explicit SceneBatches(const std::vector<ProblemScene>& scenes) : kind(scenes.front().problem) {
    offsets.push_back(0);
    for (const ProblemScene& s : scenes) {
      for (std::size_t i = 0; i < s.labels.size(); ++i) {
        weights.push_back(static_cast<double>(i * 7 % 11) / 8);
        qualities.push_back(s.labels[i] + static_cast<double>(i * 5 % 13) / 8);
      }
      numbers.insert(numbers.end(), s.numbers.begin(), s.numbers.end());
      offsets.push_back(static_cast<std::int64_t>(weights.size()));
    }
    if (!scenes.front().cameras.empty()) camera = {scenes.front().cameras.front()};
  }
  [[nodiscard]] BatchEstimate estimate(Queue& queue, bool with_priors,
                                       const RobustOptions& options) const {
    const double* w = with_priors ? weights.data() : nullptr;
    const double* q = with_priors ? qualities.data() : nullptr;
    const BatchInput input{.offsets = offsets,
                           .cameras1 = camera,
                           .cameras2 = camera,
                           .weights = w,
                           .qualities = q,
                           .options = options};
    return synthetic::with_points(kind, numbers.data(), [&](const auto* points) {
      return estimate_batch(queue, kind, points, input);
    });
  }

  ModelKind kind;
  std::vector<double> numbers, weights, qualities;
  std::vector<std::int64_t> offsets;
  std::vector<Intrinsics> camera;
};

void hash_batches(Context& context, ModelKind problem) {
  struct How {
    const char* name;
    bool with_priors;
    RobustOptions options;
  };
  const How kinds[] = {
      {"batch", false, {.threshold = kThreshold}},
      {"priors", true, {.threshold = kThreshold}},
      // A given inlier ratio makes a batch draw as many samples as a single pair.
      {"sought", false, {.threshold = kThreshold, .min_inlier_ratio = 0.2, .seed = 7}},
      {"wide", false, {.threshold = 12, .dominant_plane = true}},
  };
  for (const How& how : kinds) {
    report_hash(context, fmt::format("hashes/robust/{}/{}", to_string(problem), how.name),
                [&](Queue& queue, ResultBytes& out) {
                  const SceneBatches batches(scenes_of(problem));
                  const BatchEstimate found = batches.estimate(queue, how.with_priors, how.options);
                  for (const Estimate& e : found.pairs) add_estimate(out, e);
                  out.add_all(found.inliers);
                });
  }
}

// Hashes a fit of the true model, its errors and its covariance, which are computed on the host. A
// model with distortion is more than a matrix, so these problems are left out.
void hash_given_model(Context& context, ModelKind problem) {
  if (problem_info(problem).estimates_distortion) return;
  report_hash(context, fmt::format("hashes/robust/{}/refine", to_string(problem)),
              [&](Queue&, ResultBytes& out) {
                std::mt19937_64 random(4);
                const ProblemScene s =
                    make_problem_scene(problem, {.points = 300, .inliers = 0.8}, random);
                const RefineOptions options{.threshold = kThreshold};
                Refined r;
                if (problem_info(problem).is_two_view) {
                  const std::vector<PointPair> points = s.pairs();
                  r = refine(problem, s.result, points, s.cameras, {}, options);
                  out.add_all(residuals(problem, r.model, points, s.cameras));
                  out.add_all(covariance(problem, s.result, points, s.cameras, s.labels).model);
                } else {
                  const std::span points(s.scene_points(), s.labels.size());
                  r = refine(s.pose, points, s.cameras.front(), {}, options);
                  out.add_all(residuals(r.pose, points, s.cameras.front()));
                  out.add_all(covariance(s.pose, points, s.cameras.front(), s.labels).pose);
                }
                out.add_all(r.model), out.add_all(r.pose.R), out.add_all(r.pose.t);
                out.add(r.count), out.add(r.steps), out.add(r.rms);
              });
}

}  // namespace

// Hashes batches on the device of the context. Functions of a given model run on a CPU only.
void hash_robust_estimates(Context& context) {
  const bool on_cpu = Device(context.device).info().kind == DeviceKind::cpu;
  for (const ModelKind problem : kModelKinds) {
    if (!problem_info(problem).is_built) continue;
    hash_batches(context, problem);
    if (on_cpu) hash_given_model(context, problem);
  }
}

}  // namespace bifocal::bench
