// SPDX-License-Identifier: BSD-3-Clause
#include <bifocal/adjust.hpp>
#include <bifocal/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "adjust/priors/priors.hpp"
#include "runtime/integers.hpp"

namespace bifocal::adjustment {
namespace {

// A pivot of a covariance, relative to its diagonal, that rounding may leave of a singular one.
constexpr double kLeastPivot = 1e-12;
constexpr double kAsymmetry = 1e-6;  // of a covariance, relative to its diagonal

template <class... T>
[[noreturn]] void refuse(fmt::format_string<T...> message, T&&... values) {
  throw Error(ErrorCode::usage,
              "adjust: priors." + fmt::format(message, std::forward<T>(values)...));
}

void check_index(const std::string& name, int index, std::size_t count, std::string_view things) {
  if (index < 0 || at(index) >= count)
    refuse("{} = {}, there are {} {}", name, index, count, things);
}

template <class Numbers>
void check_finite(const std::string& name, const Numbers& numbers) {
  for (std::size_t k = 0; k < numbers.size(); ++k)
    if (!std::isfinite(numbers[k])) refuse("{}[{}] = {}, must be finite", name, k, numbers[k]);
}
void check_finite_number(const std::string& name, double value) {
  if (!std::isfinite(value)) refuse("{} = {}, must be finite", name, value);
}
void check_positive(const std::string& name, double value) {
  if (!(value > 0 && std::isfinite(value)))
    refuse("{} = {}, must be positive and finite", name, value);
}
void check_direction(const std::string& name, const Vec3& direction) {
  check_finite(name, direction);
  if (!(std::isnormal(dot(direction, direction))))
    refuse("{} has length {}, must be a direction", name, norm(direction));
}

void check_covariance(const std::string& name, const Mat3& C) {
  check_finite(name, C);
  for (std::size_t i = 0; i < 3; ++i) {
    check_positive(fmt::format("{}[{}]", name, 4 * i), C[4 * i]);
    for (std::size_t j = 0; j < i; ++j)
      if (const double a = C[3 * i + j], b = C[3 * j + i];
          std::abs(a - b) > kAsymmetry * std::sqrt(C[4 * i] * C[4 * j]))
        refuse("{} is not symmetric: {} and {}", name, b, a);
  }
  const double yx = C[3] / C[0], yy = C[4] - yx * C[3], zy = C[7] - yx * C[6];
  const double zz = C[8] - C[6] * C[6] / C[0] - zy * zy / yy;
  if (!(yy > kLeastPivot * C[4] && zz > kLeastPivot * C[8]))
    refuse("{} is not positive definite: determinant {}", name, determinant(C));
}

void check_loss(std::string_view name, const PriorLoss& loss) {
  if (static_cast<std::size_t>(loss.loss) >= std::size(kAdjustLossWords))
    refuse("{}.loss = {}, must be an AdjustLoss", name, static_cast<int>(loss.loss));
  check_positive(fmt::format("{}.scale", name), loss.scale);
}

// Calls check(prior, "NAME[i]") for every prior.
template <class Prior, class Check>
void check_each(std::string_view name, const std::vector<Prior>& priors, const Check& check) {
  for (std::size_t i = 0; i < priors.size(); ++i) check(priors[i], fmt::format("{}[{}]", name, i));
}

void check_parameter(const AdjustProblem& problem, const ParameterPrior& prior,
                     const std::string& name) {
  check_index(name + ".camera", prior.camera, problem.cameras.size(), "cameras");
  check_index(name + ".param", prior.param, problem.cameras[at(prior.camera)].params.size(),
              "params of its camera");
  check_finite_number(name + ".value", prior.value);
  check_positive(name + ".deviation", prior.deviation);
}

}  // namespace

void check_priors(const AdjustProblem& problem) {
  const AdjustPriors& priors = problem.priors;
  const std::size_t images = problem.images.size();
  check_each("positions", priors.positions, [&](const PositionPrior& p, const std::string& name) {
    check_index(name + ".image", p.image, images, "images");
    check_finite(name + ".centre", p.centre);
    check_covariance(name + ".covariance", p.covariance);
  });
  check_each("directions", priors.directions,
             [&](const DirectionPrior& p, const std::string& name) {
               check_index(name + ".image", p.image, images, "images");
               check_direction(name + ".world", p.world);
               check_direction(name + ".camera", p.camera);
               check_positive(name + ".deviation", p.deviation);
             });
  check_each("orientations", priors.orientations,
             [&](const OrientationPrior& p, const std::string& name) {
               check_index(name + ".image", p.image, images, "images");
               if (const std::string fault = rotation_fault(p.R); !fault.empty())
                 refuse("{}.R {}", name, fault);
               for (std::size_t k = 0; k < 3; ++k)
                 check_positive(fmt::format("{}.deviations[{}]", name, k), p.deviations[k]);
             });
  check_each("points", priors.points, [&](const PointPrior& p, const std::string& name) {
    check_index(name + ".point", p.point, problem.points.size(), "points");
    check_finite(name + ".position", p.position);
    check_covariance(name + ".covariance", p.covariance);
  });
  check_each("heights", priors.heights, [&](const HeightPrior& p, const std::string& name) {
    check_index(name + ".image", p.image, images, "images");
    check_finite_number(name + ".height", p.height);
    check_positive(name + ".deviation", p.deviation);
  });
  check_each(
      "parameters", priors.parameters,
      [&](const ParameterPrior& p, const std::string& name) { check_parameter(problem, p, name); });
  check_loss("position_loss", priors.position_loss);
  check_loss("direction_loss", priors.direction_loss);
  check_loss("orientation_loss", priors.orientation_loss);
  check_loss("point_loss", priors.point_loss);
  check_loss("height_loss", priors.height_loss);
  check_loss("parameter_loss", priors.parameter_loss);
  check_direction("up", priors.up);
}

}  // namespace bifocal::adjustment
