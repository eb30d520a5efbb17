// SPDX-License-Identifier: BSD-3-Clause
#include <bifocal/colmap/bundle_adjust.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "collection/colmap/model/frames.hpp"

namespace bifocal::colmap {
namespace {

struct Errors {
  double mean = 0, rms = 0;
};

// Returns statistics of the used observations with a finite error.
Errors statistics(const std::vector<double>& errors, const std::vector<ObservationUse>& uses) {
  double sum = 0, squares = 0;
  std::int64_t count = 0;
  for (std::size_t i = 0; i < errors.size(); ++i) {
    if (uses[i] != ObservationUse::used || !std::isfinite(errors[i])) continue;
    sum += errors[i], squares += errors[i] * errors[i], ++count;
  }
  if (count == 0) return {};
  return {sum / static_cast<double>(count), std::sqrt(squares / static_cast<double>(count))};
}

// The error of a point is the mean of all its observations in the problem.
void set_errors(Model& model, const AdjustProblem& problem, const std::vector<double>& errors) {
  std::vector<double> sums(model.points.size());
  std::vector<int> counts(model.points.size());
  for (std::size_t i = 0; i < errors.size(); ++i) {
    const auto point = static_cast<std::size_t>(problem.observations[i].point);
    if (std::isfinite(errors[i])) sums[point] += errors[i], ++counts[point];
  }
  for (std::size_t i = 0; i < model.points.size(); ++i)
    if (counts[i] > 0) model.points[i].error = sums[i] / counts[i];
}

std::int64_t count_true(const std::vector<bool>& flags) {
  return std::count(flags.begin(), flags.end(), true);
}

void count_used(const AdjustProblem& problem, BundleAdjustResult& result) {
  std::vector<bool> cameras(problem.cameras.size()), images(problem.images.size()),
      points(problem.points.size());
  for (std::size_t i = 0; i < problem.observations.size(); ++i) {
    if (result.adjustment.uses[i] != ObservationUse::used) continue;
    const AdjustObservation& o = problem.observations[i];
    const auto image = static_cast<std::size_t>(o.image);
    images[image] = points[static_cast<std::size_t>(o.point)] = true;
    cameras[static_cast<std::size_t>(problem.images[image].camera)] = true;
  }
  result.cameras = count_true(cameras);
  result.images = count_true(images);
  result.points = count_true(points);
}

std::string undetermined_of(const Model& model, const BundleAdjustResult& result) {
  const AdjustResult& a = result.adjustment;
  if (a.undetermined_image >= 0) {
    const ModelImage& image = model.images[static_cast<std::size_t>(a.undetermined_image)];
    return fmt::format("image {} ({})", image.id, image.name);
  }
  if (a.undetermined_camera < 0) return {};
  return fmt::format("camera {}",
                     result.camera_ids[static_cast<std::size_t>(a.undetermined_camera)]);
}

}  // namespace

void set_point_errors(Model& model) {
  // Constant poses may be those of a rig.
  const AdjustProblem problem = adjust_problem(model, {.refine_poses = false});
  set_errors(model, problem, reprojection_errors(problem));
}

BundleAdjustResult describe_adjustment(const Model& model, const AdjustProblem& problem,
                                       AdjustResult adjustment,
                                       const std::vector<double>& errors_before) {
  BundleAdjustResult result;
  result.adjustment = std::move(adjustment);
  const std::vector<ObservationUse>& uses = result.adjustment.uses;
  const Errors first = statistics(errors_before, uses),
               last = statistics(reprojection_errors(problem), uses);
  result.initial_error = first.mean, result.initial_rms = first.rms;
  result.final_error = last.mean, result.final_rms = last.rms;
  count_used(problem, result);
  result.camera_ids = model::used_camera_ids(model);
  result.undetermined = undetermined_of(model, result);
  return result;
}

BundleAdjustResult bundle_adjust(Queue& queue, Model& model, const BundleAdjustOptions& options) {
  check_options(options);
  AdjustProblem problem = adjust_problem(model, options);
  const std::vector<double> before = reprojection_errors(problem);
  AdjustResult adjustment = adjust(queue, problem, options.adjust);
  BundleAdjustResult result = describe_adjustment(model, problem, std::move(adjustment), before);
  take_adjusted(model, problem, options);
  set_errors(model, problem, reprojection_errors(problem));
  return result;
}

BundleAdjustResult bundle_adjust(Model& model, const BundleAdjustOptions& options) {
  Queue queue(Device("cpu"));
  return bundle_adjust(queue, model, options);
}

}  // namespace bifocal::colmap
