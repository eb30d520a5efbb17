// SPDX-License-Identifier: BSD-3-Clause
// Pairs of every problem, with a model near the truth.
#include <cmath>

#include "lane/cases.hpp"
#include "robust/pair_points.hpp"
#include "synthetic/problem_scenes.hpp"
#include "synthetic/random.hpp"

namespace bifocal::test {
namespace {

using namespace bifocal::robust;

struct Pair {
  synthetic::ProblemScene scene;
  GivenPair given;
  PairPoints points;
  std::vector<double> model;  // empty: no sample had a model
};

Pair make_pair(ModelKind problem, const synthetic::SceneOptions& options, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Pair pair{synthetic::make_problem_scene(problem, options, random), {}, {}, {}};
  pair.given = {pair.scene.numbers.data(), pair.scene.count(), {}, {}};
  if (!pair.scene.cameras.empty())
    pair.given.cameras = cameras_of(pair.scene.cameras.front(), pair.scene.cameras.back());
  pair.points.set(problem, pair.given, {.threshold = 2.5});
  // Keeps the best model of some samples.
  constexpr int kSamples = 64;
  const RansacSteps& steps = ransac_steps(problem);
  Hypotheses found;
  found.models.resize(static_cast<std::size_t>(kSamples * steps.slots * steps.model_size));
  found.counts.resize(kSamples);
  steps.solve(pair.points, seed, 0, kSamples, found);
  float best = 0;
  for (int i = 0; i < kSamples; ++i) {
    for (int s = 0; s < found.counts[static_cast<std::size_t>(i)]; ++s) {
      const float* model = found.models.data() + (i * steps.slots + s) * steps.model_size;
      const float score = steps.full_score(pair.points, model);
      if (!(score > best)) continue;
      best = score;
      pair.model.assign(model, model + steps.model_size);
    }
  }
  return pair;
}

}  // namespace

std::vector<std::vector<double>> problem_instances(ModelKind problem) {
  const RansacSteps& steps = ransac_steps(problem);
  std::vector<std::vector<double>> all;
  std::mt19937_64 random(5);
  std::normal_distribution<double> normal;
  for (std::uint64_t seed = 1; all.size() < kInstances; ++seed) {
    const int n = steps.sample_size + 1;
    const Pair pair = make_pair(problem, {.points = n, .inliers = 1, .noise = 0.3}, seed);
    if (pair.model.empty() || pair.points.count() < n) continue;
    const auto column = [&](int c, int i) {
      return pair.points.f64[static_cast<std::size_t>(c * pair.points.stride + i)];
    };
    std::vector<double> in;
    for (int c = 0; c < steps.columns; ++c) {
      for (int i = 0; i < steps.sample_size; ++i) in.push_back(column(c, i));
    }
    for (int c = 0; c < steps.columns; ++c)
      in.push_back(column(c, steps.sample_size) + 0.003 * normal(random));
    const double* given =
        pair.given.points + pair.points.order[static_cast<std::size_t>(n - 1)] * steps.columns;
    in.insert(in.end(), given, given + steps.columns);
    in.insert(in.end(), pair.given.cameras.begin(), pair.given.cameras.end());
    const pair_info& info = pair.points.info;
    in.insert(in.end(), std::begin(info.rays), std::end(info.rays));
    in.insert(in.end(), std::begin(info.focal), std::end(info.focal));
    in.insert(in.end(), {info.threshold, info.parallax});
    in.insert(in.end(), pair.model.begin(), pair.model.end());
    for (int k = 0; k < steps.dof; ++k) in.push_back(0.01 * normal(random));
    all.push_back(std::move(in));
  }
  return all;
}

GroupInputs group_inputs(ModelKind problem) {
  const Pair pair = make_pair(problem, {.points = 1000, .inliers = 0.7, .noise = 1}, 7);
  GroupInputs inputs{pair.points.count(), pair.points.stride, pair.points.f64, pair.points.info,
                     pair.model};
  const int columns = ransac_steps(problem).columns;
  inputs.points.resize(static_cast<std::size_t>((columns + 1) * inputs.stride));
  std::mt19937_64 random(8);
  for (int i = 0; i < inputs.stride; ++i) {
    inputs.points[static_cast<std::size_t>(columns * inputs.stride + i)] =
        i < inputs.count ? synthetic::uniform(random, 0, 1) : 0;
  }
  for (auto* numbers : {&inputs.points, &inputs.model}) {
    for (double& v : *numbers) v = static_cast<float>(v);
  }
  return inputs;
}

}  // namespace bifocal::test
