// SPDX-License-Identifier: BSD-3-Clause
#include <bifocal/error.hpp>
#include <bifocal/geometry.hpp>

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "adjust/arrangement.hpp"
#include "adjust/priors/priors.hpp"
#include "runtime/parallel.hpp"
#include "scene/projection.hpp"

namespace bifocal::adjustment {
namespace {

using namespace scene;

template <class... T>
[[noreturn]] void refuse(fmt::format_string<T...> message, T&&... values) {
  throw Error(ErrorCode::usage, "adjust: " + fmt::format(message, std::forward<T>(values)...));
}

void check_flags(const std::string& name, std::size_t flags, std::size_t wanted) {
  if (flags != 0 && flags != wanted)
    refuse("{} has {} flags, must be empty or have {}", name, flags, wanted);
}

void check_camera(const AdjustCamera& camera, std::size_t c) {
  const CameraModel* const model = supported_model(camera.model);
  if (!model) refuse("cameras[{}].model is {}, which is not supported", c, camera.model);
  const auto wanted = static_cast<std::size_t>(model->parameter_count());
  if (camera.params.size() != wanted)
    refuse("cameras[{}] has {} params, {} has {}", c, camera.params.size(), camera.model, wanted);
  check_flags(fmt::format("cameras[{}].constant_params", c), camera.constant_params.size(), wanted);
  for (std::size_t i = 0; i < wanted; ++i) {
    if (!std::isfinite(camera.params[i]))
      refuse("cameras[{}].params[{}] = {}, must be finite", c, i, camera.params[i]);
    if (static_cast<int>(i) < model->focal_lengths && camera.params[i] <= 0)
      refuse("cameras[{}].params[{}] = {}, a focal length must be positive", c, i,
             camera.params[i]);
  }
}

void check_image(const AdjustImage& image, std::size_t i, std::size_t cameras) {
  if (image.camera < 0 || static_cast<std::size_t>(image.camera) >= cameras)
    refuse("images[{}].camera = {}, there are {} cameras", i, image.camera, cameras);
  for (const double v : image.cam_from_world.t)
    if (!std::isfinite(v)) refuse("images[{}].cam_from_world.t has {}, must be finite", i, v);
  if (const std::string fault = rotation_fault(image.cam_from_world.R); !fault.empty())
    refuse("images[{}].cam_from_world.R {}", i, fault);
}

void check_observations(const AdjustProblem& problem) {
  const std::size_t images = problem.images.size(), points = problem.points.size();
  for (std::size_t k = 0; k < problem.observations.size(); ++k) {
    const AdjustObservation& o = problem.observations[k];
    if (o.image < 0 || static_cast<std::size_t>(o.image) >= images)
      refuse("observations[{}].image = {}, there are {} images", k, o.image, images);
    if (o.point < 0 || static_cast<std::size_t>(o.point) >= points)
      refuse("observations[{}].point = {}, there are {} points", k, o.point, points);
  }
}

void check_size(const char* name, std::size_t size) {
  constexpr std::size_t kMost = std::numeric_limits<int>::max() / 16;
  if (size > kMost) refuse("{} {}, at most {} are supported", size, name, kMost);
}

bool is_finite(const Vec3& point) {
  return std::isfinite(point[0]) && std::isfinite(point[1]) && std::isfinite(point[2]);
}

// True if the point is in front of the camera and within the range of the lens model.
bool is_seen(const AdjustImage& image, const Projection& camera, const Vec3& point) {
  Vec3 X = times(image.cam_from_world.R, point);
  for (std::size_t k = 0; k < 3; ++k) X[k] += image.cam_from_world.t[k];
  const Vec2 px = camera.px_of(X);
  return std::isfinite(px[0]) && std::isfinite(px[1]);
}

// Marks observations of points without priors that fewer than two images see.
void mark_single_views(const AdjustProblem& problem, std::vector<ObservationUse>& uses) {
  constexpr int kNone = -1, kSeveral = -2;
  std::vector<char> has_prior(problem.points.size(), 0);
  for (const PointPrior& prior : problem.priors.points)
    has_prior[static_cast<std::size_t>(prior.point)] = 1;
  std::vector<int> image_of(problem.points.size(), kNone);
  for (std::size_t k = 0; k < uses.size(); ++k) {
    if (uses[k] != ObservationUse::used) continue;
    const AdjustObservation& o = problem.observations[k];
    int& image = image_of[static_cast<std::size_t>(o.point)];
    image = image == kNone || image == o.image ? o.image : kSeveral;
  }
  for (std::size_t k = 0; k < uses.size(); ++k) {
    const auto point = static_cast<std::size_t>(problem.observations[k].point);
    const bool is_constant = !problem.constant_points.empty() && problem.constant_points[point];
    if (uses[k] == ObservationUse::used && image_of[point] != kSeveral && !is_constant &&
        has_prior[point] == 0)
      uses[k] = ObservationUse::single_view;
  }
}

}  // namespace

void check_problem(const AdjustProblem& problem) {
  check_size("cameras", problem.cameras.size());
  check_size("images", problem.images.size());
  check_size("points", problem.points.size());
  check_size("observations", problem.observations.size());
  check_flags("constant_points", problem.constant_points.size(), problem.points.size());
  for (std::size_t c = 0; c < problem.cameras.size(); ++c) check_camera(problem.cameras[c], c);
  for (std::size_t i = 0; i < problem.images.size(); ++i)
    check_image(problem.images[i], i, problem.cameras.size());
  check_observations(problem);
  check_priors(problem);
}

void check_device(const Device& device) {
  if (!device.info().has_double)
    throw Error(ErrorCode::device,
                fmt::format("adjust: {} has no double precision", device.info().id));
}

std::vector<ObservationUse> observation_uses(const AdjustProblem& problem) {
  std::vector<Projection> cameras;
  for (const AdjustCamera& camera : problem.cameras)
    cameras.emplace_back(*supported_model(camera.model), camera.params);
  std::vector<ObservationUse> uses(problem.observations.size(), ObservationUse::used);
  runtime::parallel_each(
      uses.size(),
      [&](std::size_t k) {
        const AdjustObservation& o = problem.observations[k];
        const AdjustImage& image = problem.images[static_cast<std::size_t>(o.image)];
        const Vec3& point = problem.points[static_cast<std::size_t>(o.point)];
        if (!std::isfinite(o.x) || !std::isfinite(o.y) || !is_finite(point))
          uses[k] = ObservationUse::not_finite;
        else if (!is_seen(image, cameras[static_cast<std::size_t>(image.camera)], point))
          uses[k] = ObservationUse::behind;
      },
      4096);
  mark_single_views(problem, uses);
  return uses;
}

}  // namespace bifocal::adjustment
