// SPDX-License-Identifier: BSD-3-Clause
// Focal lengths of cameras without a prior, from the fundamental matrices of all pairs.
//
// E = K2' F K1 has two equal singular values, so 2 E E' E - trace(E E') E = 0. Its norm relative to
// |E|^3 is the residual of a pair; unknowns are factors of the given focal lengths.
//   P. Mendonca, R. Cipolla, A simple technique for self-calibration, CVPR 1999;
//   C. Sweeney et al., Optimizing the viewing graph for structure-from-motion, ICCV 2015.
#include <algorithm>
#include <cmath>
#include <vector>

#include "mapping/scene.hpp"

namespace bifocal::mapping {
namespace {

constexpr double kScale = 0.03;       // residual at which the Cauchy loss leaves least squares
constexpr double kPriorSpread = 0.3;  // of log factors about their common value
constexpr double kLeast = 0.3, kMost = 3.5;  // range of the factors
constexpr int kCommonSteps = 60, kSweeps = 30;
constexpr double kEnoughInliers = 300;  // the weight of a pair does not grow beyond

// A pair whose F constrains unknown focal lengths. F holds for points relative to the principal
// points, divided by the given focal lengths.
struct Constraint {
  int camera1 = 0, camera2 = 0;
  Mat3 E{};
  double weight = 1;
};

double residual(const Constraint& c, double factor1, double factor2) {
  Mat3 E = c.E;
  for (std::size_t i : {0U, 1U, 2U}) {
    E[3 * i] *= factor1, E[3 * i + 1] *= factor1;
    E[i] *= factor2, E[3 + i] *= factor2;
  }
  const Mat3 EE = times(E, transposed(E)), EEE = times(EE, E);
  const double trace = EE[0] + EE[4] + EE[8];
  double squares = 0;
  for (std::size_t i = 0; i < 9; ++i)
    squares += (2 * EEE[i] - trace * E[i]) * (2 * EEE[i] - trace * E[i]);
  return std::sqrt(squares) / (trace * std::sqrt(trace));
}

double cost_of(const Constraint& c, const std::vector<double>& logs) {
  const double r = residual(c, std::exp(logs[static_cast<std::size_t>(c.camera1)]),
                            std::exp(logs[static_cast<std::size_t>(c.camera2)])) /
                   kScale;
  return c.weight * std::log1p(r * r);
}

template <class Index>
bool has_prior(const Scene& scene, Index camera) {
  return scene.graph->cameras[static_cast<std::size_t>(camera)].has_prior_focal_length;
}

std::vector<Constraint> constraints_of(const Scene& scene) {
  std::vector<Constraint> out;
  for (const MapPair& pair : scene.graph->pairs) {
    const bool has_depth = pair.configuration == colmap::Configuration::uncalibrated ||
                           pair.configuration == colmap::Configuration::calibrated;
    const View &view1 = scene.view(pair.image1), &view2 = scene.view(pair.image2);
    if (!pair.F || !has_depth || !view1.is_valid || !view2.is_valid) continue;
    if (has_prior(scene, view1.camera) && has_prior(scene, view2.camera)) continue;
    const Mat3 E = times(transposed(scene.lens(view2).intrinsics().matrix()),
                         times(*pair.F, scene.lens(view1).intrinsics().matrix()));
    const double inliers = static_cast<double>(pair.inliers.size());
    out.push_back({view1.camera, view2.camera, E, std::min(1.0, inliers / kEnoughInliers)});
  }
  return out;
}

// Estimates one factor for all unknown focal lengths. Its logarithm minimises the cost.
double common_log(const Scene& scene, const std::vector<Constraint>& constraints) {
  double best_cost = 0, best = 0;
  for (int step = 0; step <= kCommonSteps; ++step) {
    const double log =
        std::log(kLeast) + std::log(kMost / kLeast) * step / static_cast<double>(kCommonSteps);
    std::vector<double> logs(scene.cameras.size());
    for (std::size_t i = 0; i < logs.size(); ++i)
      if (!has_prior(scene, i)) logs[i] = log;
    double cost = 0;
    for (const Constraint& c : constraints) cost += cost_of(c, logs);
    if (step == 0 || cost < best_cost) best_cost = cost, best = log;
  }
  return best;
}

// Minimises the cost over one camera's factor by a search on ever finer grids.
void improve(std::size_t camera, const std::vector<const Constraint*>& own, double common,
             double width, std::vector<double>& logs) {
  const auto cost_at = [&](double log) {
    logs[camera] = log;
    const double offset = (log - common) / kPriorSpread;
    double cost = 0.5 * offset * offset;
    for (const Constraint* c : own) cost += cost_of(*c, logs);
    return cost;
  };
  double best = logs[camera], best_cost = cost_at(best);
  for (; width > 1e-3; width *= 0.4) {
    const double centre = best;
    for (const double step : {-1.0, -0.5, 0.5, 1.0}) {
      const double log = centre + step * width;
      if (log < std::log(kLeast) || log > std::log(kMost)) continue;
      const double cost = cost_at(log);
      if (cost < best_cost) best_cost = cost, best = log;
    }
  }
  logs[camera] = best;
}

}  // namespace

void calibrate(Scene& scene) {
  const std::vector<Constraint> constraints = constraints_of(scene);
  if (constraints.empty()) return;
  std::vector<std::vector<const Constraint*>> own(scene.cameras.size());
  for (const Constraint& c : constraints) {
    own[static_cast<std::size_t>(c.camera1)].push_back(&c);
    if (c.camera2 != c.camera1) own[static_cast<std::size_t>(c.camera2)].push_back(&c);
  }
  const double common = common_log(scene, constraints);
  std::vector<double> logs(scene.cameras.size());
  for (std::size_t i = 0; i < logs.size(); ++i)
    if (!has_prior(scene, i)) logs[i] = common;
  double width = 0.3;
  for (int sweep = 0; sweep < kSweeps; ++sweep, width = std::max(0.02, 0.8 * width))
    for (std::size_t i = 0; i < logs.size(); ++i)
      if (!has_prior(scene, i) && !own[i].empty()) improve(i, own[i], common, width, logs);
  for (std::size_t i = 0; i < logs.size(); ++i) {
    std::optional<LensCamera>& camera = scene.cameras[i];
    if (has_prior(scene, i) || !camera) continue;
    std::vector<double> params(camera->params().begin(), camera->params().end());
    const int focal = LensCamera::focal_lengths(camera->model());
    for (int k = 0; k < focal; ++k) params[static_cast<std::size_t>(k)] *= std::exp(logs[i]);
    set_parameters(*camera, params);
  }
}

}  // namespace bifocal::mapping
