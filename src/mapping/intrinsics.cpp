// SPDX-License-Identifier: BSD-3-Clause
// Which intrinsics the observations determine.
#include <bifocal/colmap/bundle_adjust.hpp>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include "mapping/scene.hpp"

namespace bifocal::mapping {
namespace {

constexpr double kHeldDeviation = 0.1;  // of a focal length from which on its prior is held
constexpr double kDrift = 1.002;        // factor from a prior below which it need not be held
// Half of the values of a normal distribution are farther than 1 / 1.48 deviations.
constexpr double kDeviationOfOne = 1.4826;
constexpr std::size_t kFewestViews = 3;  // that share a camera whose principal point is adjusted
constexpr double kPrincipalDeviation = 0.002;  // of the width
constexpr double kFarthestPrincipal = 0.03;    // of the width, from the centre
constexpr double kCentre = 0.51;               // px from the centre of the image: assumed

std::size_t focal_count(const LensCamera& camera) {
  return static_cast<std::size_t>(LensCamera::focal_lengths(camera.model()));
}

// Adds a radial coefficient to a lens that has only one: without it the shape of a wrong lens
// determines a focal length that points do not.
void add_coefficient(AdjustCamera& camera) {
  if (camera.model != "SIMPLE_RADIAL" && camera.model != "SIMPLE_RADIAL_FISHEYE") return;
  camera.model.erase(0, std::string_view("SIMPLE_").size());
  camera.params.push_back(0);
  camera.constant_params.push_back(false);
}

// A principal point in the centre of the image, in either origin of pixels, is assumed, except with
// two known focal lengths (--intrinsics).
bool has_assumed_principal_point(const Scene& scene, std::size_t camera) {
  const LensCamera& lens = *scene.cameras[camera];
  if (focal_count(lens) == 2 && scene.graph->cameras[camera].has_prior_focal_length) return false;
  const std::vector<double>& given = scene.graph->cameras[camera].params;
  const std::size_t cx = focal_count(lens);
  return std::abs(given[cx] - 0.5 * static_cast<double>(lens.width() - 1)) <= kCentre &&
         std::abs(given[cx + 1] - 0.5 * static_cast<double>(lens.height() - 1)) <= kCentre;
}

}  // namespace

std::vector<std::size_t> used_cameras(const Scene& scene) {
  std::vector<std::size_t> cameras;
  for (const View& view : scene.views)
    if (view.is_registered) cameras.push_back(static_cast<std::size_t>(view.camera));
  std::ranges::sort(cameras);
  cameras.erase(std::ranges::unique(cameras).begin(), cameras.end());
  return cameras;
}

adjustment::IntrinsicDeviations deviations_of_cameras(const Scene& scene,
                                                      const colmap::Model& model,
                                                      const MapOptions& options,
                                                      const std::vector<bool>& with_principal,
                                                      FurtherCoefficient further) {
  AdjustProblem problem =
      colmap::adjust_problem(model, {.refine_focal_length = options.refine_focal_length,
                                     .refine_principal_point = true,
                                     .refine_extra_params = options.refine_extra_params});
  const std::vector<std::size_t> cameras = used_cameras(scene);
  for (std::size_t k = 0; k < cameras.size(); ++k) {
    const std::size_t c = cameras[k], cx = focal_count(*scene.cameras[c]);
    std::vector<bool>& constant = problem.cameras[k].constant_params;
    for (std::size_t i = 0; i < cx; ++i)
      if (scene.has_held_focal[c]) constant[i] = true;
    for (const std::size_t i : {cx, cx + 1})
      if (!with_principal[c]) constant[i] = true;
    if (further == FurtherCoefficient::radial && options.refine_extra_params)
      add_coefficient(problem.cameras[k]);
  }
  return adjustment::intrinsic_deviations(problem, {.loss = AdjustLoss::soft_l1});
}

std::vector<double> focal_deviations(const Scene& scene, const colmap::Model& model,
                                     const MapOptions& options) {
  const std::vector<std::size_t> cameras = used_cameras(scene);
  std::vector<bool> with_principal = scene.has_free_principal;
  for (const std::size_t c : cameras)
    with_principal[c] = with_principal[c] || has_assumed_principal_point(scene, c);
  const auto found = [&](const std::vector<bool>& principal) {
    return deviations_of_cameras(scene, model, options, principal, FurtherCoefficient::radial);
  };
  const adjustment::IntrinsicDeviations own = found(scene.has_free_principal);
  const bool is_same = with_principal == scene.has_free_principal || !own.is_exact;
  const adjustment::IntrinsicDeviations wide = is_same ? own : found(with_principal);
  std::vector<double> out;
  for (std::size_t k = 0; k < cameras.size(); ++k) {
    out.push_back(own.deviations[k][0]);
    if (wide.deviations[k][0] <= kHeldDeviation * scene.cameras[cameras[k]]->params()[0])
      out[k] = std::max(out[k], kDeviationOfOne * std::abs(wide.steps[k][0]));
  }
  return out;
}

Review review_of(const Scene& scene, const MapOptions& options) {
  std::vector<std::size_t> views(scene.cameras.size());
  for (const View& view : scene.views)
    if (view.is_registered) ++views[static_cast<std::size_t>(view.camera)];
  std::vector<bool> may_be_free(scene.cameras.size()), may_be_held(scene.cameras.size());
  const std::vector<std::size_t> cameras = used_cameras(scene);
  for (const std::size_t c : cameras) {
    may_be_free[c] = options.refine_principal_point && views[c] >= kFewestViews &&
                     has_assumed_principal_point(scene, c);
    const double factor = scene.cameras[c]->params()[0] / scene.graph->cameras[c].params[0];
    may_be_held[c] = options.refine_focal_length && !scene.has_held_focal[c] &&
                     scene.graph->cameras[c].has_prior_focal_length &&
                     std::max(factor, 1 / factor) > kDrift;
  }
  Review review;
  if (std::ranges::none_of(cameras,
                           [&](std::size_t c) { return may_be_free[c] || may_be_held[c]; }))
    return review;
  const std::vector<std::vector<double>> deviations =
      deviations_of_cameras(scene, model_of(scene), options, may_be_free, FurtherCoefficient::none)
          .deviations;
  for (std::size_t k = 0; k < cameras.size(); ++k) {
    const std::size_t c = cameras[k], cx = focal_count(*scene.cameras[c]);
    const double limit = kPrincipalDeviation * static_cast<double>(scene.cameras[c]->width());
    if (may_be_held[c] && !(deviations[k][0] <= kHeldDeviation * scene.cameras[c]->params()[0]))
      review.held.push_back(c);
    else if (may_be_free[c] && deviations[k][cx] < limit && deviations[k][cx + 1] < limit)
      review.free.push_back(c);
  }
  return review;
}

void hold_priors(Scene& scene, const std::vector<std::size_t>& cameras) {
  for (const std::size_t c : cameras) {
    set_parameters(*scene.cameras[c], scene.graph->cameras[c].params);
    scene.has_held_focal[c] = true;
  }
  set_rays(scene);
}

void forget_reviews(Scene& scene) {
  bool has_changed = false;
  for (std::size_t c = 0; c < scene.cameras.size(); ++c) {
    if (scene.has_free_principal[c]) {
      const std::vector<double>& given = scene.graph->cameras[c].params;
      std::vector<double> params(scene.cameras[c]->params().begin(),
                                 scene.cameras[c]->params().end());
      const std::size_t cx = focal_count(*scene.cameras[c]);
      params[cx] = given[cx], params[cx + 1] = given[cx + 1];
      set_parameters(*scene.cameras[c], params);
      has_changed = true;
    }
    scene.has_free_principal[c] = scene.has_held_focal[c] = false;
  }
  if (has_changed) set_rays(scene);
}

bool has_far_principal_point(const Scene& scene) {
  return std::ranges::any_of(used_cameras(scene), [&](std::size_t c) {
    if (!scene.has_free_principal[c]) return false;
    const LensCamera& lens = *scene.cameras[c];
    const std::vector<double>& given = scene.graph->cameras[c].params;
    const std::size_t cx = focal_count(lens);
    return std::hypot(lens.params()[cx] - given[cx], lens.params()[cx + 1] - given[cx + 1]) >
           kFarthestPrincipal * static_cast<double>(lens.width());
  });
}

}  // namespace bifocal::mapping
