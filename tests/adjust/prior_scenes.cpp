// SPDX-License-Identifier: BSD-3-Clause
#include "adjust/prior_scenes.hpp"

#include <algorithm>
#include <functional>
#include <numbers>

namespace bifocal::test {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

Vec3 difference(const Vec3& a, const Vec3& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }

// Lower factor of the covariance of positions.
constexpr Mat3 kRoot = {0.05, 0, 0, 0.01, 0.05, 0, 0.03, -0.02, 0.1};

// scale^2 rho(s / scale^2) / 2.
double loss_of(AdjustLoss loss, double scale, double s) {
  const double u = s / (scale * scale);
  double rho = u;
  if (loss == AdjustLoss::huber && u > 1) rho = 2 * std::sqrt(u) - 1;
  if (loss == AdjustLoss::soft_l1) rho = 2 * (std::sqrt(1 + u) - 1);
  if (loss == AdjustLoss::cauchy) rho = std::log(1 + u);
  return 0.5 * scale * scale * rho;
}
double loss_of(const PriorLoss& loss, double s) { return loss_of(loss.loss, loss.scale, s); }

// d' C^-1 d.
double square_of(const Mat3& C, const Vec3& d) { return dot(d, times(inverse(C), d)); }

// The rotation vector by its angle and the antisymmetric part.
Vec3 vector_of(const Mat3& R) {
  const double angle = std::acos(std::clamp(0.5 * (R[0] + R[4] + R[8] - 1), -1.0, 1.0));
  const double factor = angle < 1e-4 ? 0.5 + angle * angle / 12 : 0.5 * angle / std::sin(angle);
  return {factor * (R[7] - R[5]), factor * (R[2] - R[6]), factor * (R[3] - R[1])};
}

double heights_cost(const AdjustProblem& problem) {
  const AdjustPriors& priors = problem.priors;
  if (priors.heights.empty()) return 0;
  std::vector<double> values;
  for (const HeightPrior& p : priors.heights)
    values.push_back(dot(unit(priors.up), centre_of(problem.images[at(p.image)])) - p.height);
  const auto cost = [&](double level) {
    double sum = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double r = (values[i] - level) / priors.heights[i].deviation;
      sum += loss_of(priors.height_loss, r * r);
    }
    return sum;
  };
  // Golden section.
  double a = *std::ranges::min_element(values), b = *std::ranges::max_element(values);
  const double part = 1 / std::numbers::phi;
  for (int k = 0; k < 100; ++k) {
    const double x = b - part * (b - a), y = a + part * (b - a);
    (cost(x) < cost(y) ? b : a) = cost(x) < cost(y) ? y : x;
  }
  return cost(0.5 * (a + b));
}

double priors_cost(const AdjustProblem& problem) {
  const AdjustPriors& p = problem.priors;
  double sum = heights_cost(problem);
  for (const PositionPrior& prior : p.positions)
    sum += loss_of(p.position_loss,
                   square_of(prior.covariance,
                             difference(centre_of(problem.images[at(prior.image)]), prior.centre)));
  for (const PointPrior& prior : p.points)
    sum += loss_of(
        p.point_loss,
        square_of(prior.covariance, difference(problem.points[at(prior.point)], prior.position)));
  for (const DirectionPrior& prior : p.directions) {
    const Vec3 seen = times(problem.images[at(prior.image)].cam_from_world.R, unit(prior.world));
    const Vec3 d = difference(seen, unit(prior.camera));
    sum += loss_of(p.direction_loss, dot(d, d) / (prior.deviation * prior.deviation));
  }
  for (const OrientationPrior& prior : p.orientations) {
    const Mat3& R = problem.images[at(prior.image)].cam_from_world.R;
    Vec3 e = vector_of(times(R, transposed(prior.R)));
    for (std::size_t k = 0; k < 3; ++k) e[k] /= prior.deviations[k];
    sum += loss_of(p.orientation_loss, dot(e, e));
  }
  for (const ParameterPrior& prior : p.parameters) {
    const double value = problem.cameras[at(prior.camera)].params[at(prior.param)];
    const double r = (value - prior.value) / prior.deviation;
    sum += loss_of(p.parameter_loss, r * r);
  }
  return sum;
}

}  // namespace

Vec3 centre_of(const AdjustImage& image) {
  const Vec3 c = times(transposed(image.cam_from_world.R), image.cam_from_world.t);
  return {-c[0], -c[1], -c[2]};
}

void move_to(AdjustImage& image, const Vec3& centre) {
  const Vec3 t = times(image.cam_from_world.R, centre);
  image.cam_from_world.t = {-t[0], -t[1], -t[2]};
}

AdjustPriors priors_of(const AdjustProblem& truth, const PriorKinds& kinds, std::mt19937_64& random,
                       double noise) {
  std::normal_distribution<double> normal(0, 1);
  const auto vector = [&](double a, double b, double c) {
    const double x = normal(random), y = normal(random), z = normal(random);
    return Vec3{noise * a * x, noise * b * y, noise * c * z};
  };
  const auto sum = [](const Vec3& a, const Vec3& b) {
    return Vec3{a[0] + b[0], a[1] + b[1], a[2] + b[2]};
  };
  AdjustPriors priors;
  priors.up = {0, -2, 0};
  for (int i = 0; i < static_cast<int>(truth.images.size()); ++i) {
    const AdjustImage& image = truth.images[at(i)];
    const Mat3& R = image.cam_from_world.R;
    if (kinds.positions)
      priors.positions.push_back({i, sum(centre_of(image), times(kRoot, vector(1, 1, 1))),
                                  times(kRoot, transposed(kRoot))});
    if (kinds.directions) {
      const Vec3 seen = times(small_rotation(vector(0.01, 0.01, 0.01)), times(R, Vec3{0, 1, 0}));
      priors.directions.push_back({i, {0, 3, 0}, seen, 0.01});
    }
    if (kinds.orientations)
      priors.orientations.push_back(
          {i, times(small_rotation(vector(0.01, 0.02, 0.03)), R), {0.01, 0.02, 0.03}});
    if (kinds.heights)
      priors.heights.push_back({i, -centre_of(image)[1] - 100 + vector(0.04, 0, 0)[0], 0.04});
  }
  for (int p = 0; kinds.points && p < static_cast<int>(truth.points.size()); p += 10)
    priors.points.push_back({p,
                             sum(truth.points[at(p)], vector(0.02, 0.02, 0.02)),
                             {4e-4, 0, 0, 0, 4e-4, 0, 0, 0, 4e-4}});
  for (int c = 0; kinds.parameters && c < static_cast<int>(truth.cameras.size()); ++c)
    priors.parameters.push_back({c, 0, truth.cameras[at(c)].params[0] + vector(3, 0, 0)[0], 3});
  return priors;
}

double plain_cost(const AdjustProblem& problem, const AdjustOptions& options) {
  std::vector<LensCamera> lenses;
  for (const AdjustCamera& k : problem.cameras) lenses.emplace_back(k.model, k.params);
  double sum = 0;
  for (const AdjustObservation& o : problem.observations) {
    const LensCamera& lens = lenses[at(problem.images[at(o.image)].camera)];
    const Vec2 px = projected(problem, lens, o.image, problem.points[at(o.point)]);
    const double x = px[0] - o.x, y = px[1] - o.y;
    sum += loss_of(options.loss, options.loss_scale, x * x + y * y);
  }
  return sum + options.deviation_px * options.deviation_px * priors_cost(problem);
}

double plain_gradient(const AdjustProblem& problem, const AdjustOptions& options) {
  double largest = 0;
  const double cost = plain_cost(problem, options);
  const auto look = [&](double size, const std::function<void(AdjustProblem&, double)>& step) {
    AdjustProblem more = problem, less = problem;
    step(more, size), step(less, -size);
    const double a = plain_cost(more, options), b = plain_cost(less, options);
    const double first = (a - b) / (2 * size), second = (a - 2 * cost + b) / (size * size);
    largest = std::max(largest, std::abs(first) / std::sqrt(std::abs(second) + 1e-12));
  };
  for (std::size_t i = 0; i < problem.images.size(); ++i)
    for (std::size_t k = 0; k < 3; ++k) {
      look(1e-5, [=](AdjustProblem& p, double s) {
        Vec3 w = {0, 0, 0};
        w[k] = s;
        const Vec3 centre = centre_of(p.images[i]);
        p.images[i].cam_from_world.R = times(p.images[i].cam_from_world.R, small_rotation(w));
        move_to(p.images[i], centre);
      });
      look(1e-4, [=](AdjustProblem& p, double s) {
        Vec3 centre = centre_of(p.images[i]);
        centre[k] += s;
        move_to(p.images[i], centre);
      });
    }
  for (std::size_t i = 0; i < problem.points.size(); ++i)
    for (std::size_t k = 0; k < 3; ++k)
      look(1e-4, [=](AdjustProblem& p, double s) { p.points[i][k] += s; });
  for (std::size_t c = 0; c < problem.cameras.size(); ++c) {
    look(1e-2, [=](AdjustProblem& p, double s) { p.cameras[c].params[0] += s; });
    look(1e-5, [=](AdjustProblem& p, double s) { p.cameras[c].params[3] += s; });
  }
  return largest;
}

}  // namespace bifocal::test
