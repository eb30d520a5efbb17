// SPDX-License-Identifier: BSD-3-Clause
#include "adjust/priors/priors.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "adjust/rotation.hpp"
#include "math/median.hpp"
#include "runtime/integers.hpp"

namespace bifocal::adjustment {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
// Reweighted means of the level of heights, at most; they end when the level moves no further.
constexpr int kMeans = 1000;
constexpr double kStill = 1e-14;  // standard deviations

Vec3 difference(const Vec3& a, const Vec3& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }

// Cost of a squared residual s, in units of deviation_px^2, and its derivative by s / 2.
struct Loss {
  double cost, slope;
};
Loss loss_of(const PriorLoss& loss, double s) {
  const double scale2 = loss.scale * loss.scale, u = s / scale2, root = std::sqrt(1 + u);
  switch (loss.loss) {
    case AdjustLoss::trivial:
      break;
    case AdjustLoss::huber:
      if (u <= 1) break;
      return {0.5 * scale2 * (2 * std::sqrt(u) - 1), 1 / std::sqrt(u)};
    case AdjustLoss::soft_l1:
      return {scale2 * u / (1 + root), 1 / root};
    case AdjustLoss::cauchy:
      return {0.5 * scale2 * std::log1p(u), 1 / (1 + u)};
  }
  return {0.5 * s, 1};
}

// L^-1 of C = L L', row-major, times a factor.
Mat3 whitening_of(const Mat3& C, double factor) {
  const double a = std::sqrt(C[0]), b = C[3] / a, d = C[6] / a;
  const double c = std::sqrt(C[4] - b * b), e = (C[7] - d * b) / c;
  const double f = std::sqrt(C[8] - d * d - e * e);
  const double x = factor / a, y = factor / c, z = factor / f;
  return {x, 0, 0, -b / c * x, y, 0, (b / c * e - d) / f * x, -e / f * y, z};
}

// A residual of up to three numbers, and its derivative by a step of three neighbouring unknowns.
struct Residual {
  Vec3 r = {0, 0, 0};
  Mat3 J{};

  [[nodiscard]] double square() const { return dot(r, r); }
};

// With R exp([w]x) d = R d - R [d]x w for a unit vector d.
Residual direction_residual(const DirectionPrior& prior, const Mat3& R) {
  const Vec3 d = unit(prior.world), seen = unit(prior.camera);
  Residual out{difference(times(R, d), seen), times(R, cross_matrix(d))};
  for (double& v : out.r) v /= prior.deviation;
  for (double& v : out.J) v /= -prior.deviation;
  return out;
}

// With log(exp([R w]x) exp([e]x)) = e + A R w, where A is the inverse of the left Jacobian of e.
Residual orientation_residual(const OrientationPrior& prior, const Mat3& R) {
  const Vec3 e = rotation_vector(times(R, transposed(nearest_rotation(prior.R))));
  const double angle = norm(e), q = angle * angle;
  const double factor = angle > 1e-3 ? 1 / q - 0.5 / (angle * std::tan(0.5 * angle)) : 1.0 / 12;
  const Mat3 E = cross_matrix(e), E2 = times(E, E);
  Mat3 A = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  for (std::size_t k = 0; k < 9; ++k) A[k] += factor * E2[k] - 0.5 * E[k];
  Residual out{e, times(A, R)};
  for (std::size_t k = 0; k < 3; ++k) out.r[k] /= prior.deviations[k];
  for (std::size_t k = 0; k < 9; ++k) out.J[k] /= prior.deviations[k / 3];
  return out;
}

LanePriors lane_priors(const std::vector<PointPrior>& priors, const Arrangement& arrangement,
                       const LocalFrame& frame) {
  LanePriors out{.lanes = {}, .first = {0}, .prior = {}, .positions = {}, .whitenings = {}};
  if (priors.empty()) return out;
  std::vector<std::pair<int, int>> by_lane;  // lane, prior
  std::vector<std::pair<int, int>> lane_of;  // point, lane
  for (std::size_t lane = 0; lane < arrangement.lane_point.size(); ++lane)
    lane_of.emplace_back(arrangement.lane_point[lane], static_cast<int>(lane));
  std::ranges::sort(lane_of);
  for (std::size_t i = 0; i < priors.size(); ++i) {
    const auto found =
        std::ranges::lower_bound(lane_of, priors[i].point, {}, &std::pair<int, int>::first);
    if (found != lane_of.end() && found->first == priors[i].point)
      by_lane.emplace_back(found->second, static_cast<int>(i));
  }
  std::ranges::sort(by_lane);
  for (const auto& [lane, i] : by_lane) {
    if (out.lanes.empty() || out.lanes.back() != lane) {
      out.lanes.push_back(lane);
      out.first.push_back(out.first.back());
    }
    ++out.first.back();
    const PointPrior& prior = priors[at(i)];
    const Vec3 position = frame.local(prior.position);
    const Mat3 whitening = whitening_of(prior.covariance, 1 / frame.scale);
    out.prior.push_back(i);
    out.positions.insert(out.positions.end(), position.begin(), position.end());
    out.whitenings.insert(out.whitenings.end(), whitening.begin(), whitening.end());
  }
  return out;
}

Residual whitened(const Mat3& whitening, const Vec3& offset) {
  return {times(whitening, offset), whitening};
}

}  // namespace

// Heights above the level, their weights and their cost in units of deviation_px^2.
struct Priors::Heights {
  double level = 0, cost = 0, sum = 0;     // level: above the origin of the local frame
  std::vector<double> residuals, weights;  // of each prior; NaN, 0: it does not act. World units
};

Priors::Priors(const AdjustProblem& problem, const Arrangement& arrangement,
               const Unknowns& unknowns, double deviation_px)
    : priors_(problem.priors),
      unknowns_(unknowns),
      used_images_(arrangement.used_images),
      weight_(deviation_px * deviation_px),
      has_views_(!priors_.positions.empty() || !priors_.directions.empty() ||
                 !priors_.orientations.empty() || !priors_.heights.empty() ||
                 !priors_.parameters.empty()),
      first_images_(problem.cameras.size(), -1),
      up_(unit(priors_.up)),
      points_(lane_priors(priors_.points, arrangement, unknowns.frame())) {
  for (std::size_t i = problem.images.size(); i-- > 0;)
    if (used_images_[i]) first_images_[at(problem.images[i].camera)] = static_cast<int>(i);
  for (const PositionPrior& prior : priors_.positions)
    whitenings_.push_back(whitening_of(prior.covariance, 1 / unknowns.frame().scale));
}

// Calls visit(list, index, first unknown, residual, loss) for every prior of poses and parameters
// that acts. The first unknown is -1 for a constant parameter. `list` is a member of
// PriorResiduals.
template <class Visit>
void Priors::each(const Views& views, const Visit& visit) const {
  const auto unknown = [](int image, int k) { return 6 * image + k; };
  for (std::size_t i = 0; i < priors_.positions.size(); ++i) {
    const PositionPrior& prior = priors_.positions[i];
    if (!acts_on_image(prior.image)) continue;
    const Vec3 local = unknowns_.frame().local(prior.centre);
    const Residual r =
        whitened(whitenings_[i], difference(views.poses[at(prior.image)].centre, local));
    visit(&PriorResiduals::positions, i, unknown(prior.image, 3), r, priors_.position_loss);
  }
  for (std::size_t i = 0; i < priors_.directions.size(); ++i) {
    const DirectionPrior& prior = priors_.directions[i];
    if (!acts_on_image(prior.image)) continue;
    const Residual r = direction_residual(prior, views.poses[at(prior.image)].R);
    visit(&PriorResiduals::directions, i, unknown(prior.image, 0), r, priors_.direction_loss);
  }
  for (std::size_t i = 0; i < priors_.orientations.size(); ++i) {
    const OrientationPrior& prior = priors_.orientations[i];
    if (!acts_on_image(prior.image)) continue;
    const Residual r = orientation_residual(prior, views.poses[at(prior.image)].R);
    visit(&PriorResiduals::orientations, i, unknown(prior.image, 0), r, priors_.orientation_loss);
  }
  for (std::size_t i = 0; i < priors_.parameters.size(); ++i) {
    const ParameterPrior& prior = priors_.parameters[i];
    if (first_images_[at(prior.camera)] < 0) continue;
    const double value = views.params[at(prior.camera)][at(prior.param)];
    const Residual r = {{(value - prior.value) / prior.deviation, 0, 0}, {1 / prior.deviation}};
    const std::vector<int>& adjusted = unknowns_.adjusted_params(prior.camera);
    const auto slot = std::ranges::find(adjusted, prior.param);
    const auto place = static_cast<std::size_t>(slot - adjusted.begin());
    const int first = slot == adjusted.end()
                          ? -1
                          : static_cast<int>(unknowns_.camera_start(prior.camera) + place);
    visit(&PriorResiduals::parameters, i, first, r, priors_.parameter_loss);
  }
}

// The level of least cost: a mean with the weights of the robust loss, which starts at the median.
Priors::Heights Priors::heights(const Views& views) const {
  const std::vector<HeightPrior>& priors = priors_.heights;
  Heights out{.residuals = std::vector<double>(priors.size(), kNaN),
              .weights = std::vector<double>(priors.size(), 0.0)};
  std::vector<double> values;
  for (std::size_t i = 0; i < priors.size(); ++i) {
    if (!acts_on_image(priors[i].image)) continue;
    const Vec3& centre = views.poses[at(priors[i].image)].centre;
    values.push_back(dot(up_, centre) / unknowns_.frame().scale - priors[i].height);
    out.residuals[i] = values.back();
  }
  if (values.empty()) return out;
  const double start = upper_median(values);
  for (double& r : out.residuals) r -= start;
  const bool is_robust = priors_.height_loss.loss != AdjustLoss::trivial;
  double level = 0, sum = 0, move = 0;  // above the start
  for (int mean = 0; mean < kMeans; ++mean) {
    sum = 0, move = 0;
    for (std::size_t i = 0; i < priors.size(); ++i) {
      if (!acts_on_image(priors[i].image)) continue;
      const double d = priors[i].deviation, r = (out.residuals[i] - level) / d;
      out.weights[i] = loss_of(priors_.height_loss, r * r).slope / (d * d);
      sum += out.weights[i];
      move += out.weights[i] * (out.residuals[i] - level);
    }
    level += move / sum;
    if (!is_robust || std::abs(move) <= kStill * std::sqrt(sum)) break;
  }
  out.level = start + level, out.sum = sum;
  for (std::size_t i = 0; i < priors.size(); ++i) {
    if (!acts_on_image(priors[i].image)) continue;
    out.residuals[i] -= level;
    const double r = out.residuals[i] / priors[i].deviation;
    out.cost += loss_of(priors_.height_loss, r * r).cost;
  }
  return out;
}

PriorTerms Priors::linearise(const Views& views) const {
  const std::size_t size = unknowns_.size();
  PriorTerms out{.gradient = std::vector<double>(size, 0.0),
                 .rows = std::vector<double>(3 * size, 0.0),
                 .level = {}};
  each(views, [&](auto, std::size_t, int first, const Residual& r, const PriorLoss& given) {
    const Loss loss = loss_of(given, r.square());
    out.cost += weight_ * loss.cost;
    const double weight = weight_ * loss.slope;
    const Mat3 &J = r.J, B = times(transposed(J), J);
    const Vec3 g = times(transposed(J), r.r);
    const int count = first < 0 ? 0 : at(first) < unknowns_.camera_start(0) ? 3 : 1;
    for (int k = 0; k < count; ++k) {
      out.gradient[at(first + k)] += weight * g[at(k)];
      for (int l = 0; l < 3; ++l) out.rows[at(3 * (first + k) + l)] += weight * B[at(3 * k + l)];
    }
  });
  if (has_level()) {
    const Heights found = heights(views);
    const double unit = 1 / unknowns_.frame().scale;
    out.cost += weight_ * found.cost;
    out.level.assign(size, 0.0);
    for (std::size_t i = 0; i < found.weights.size(); ++i) {
      const std::size_t first = 6 * at(priors_.heights[i].image) + 3;
      const double w = weight_ * found.weights[i] * unit;
      if (w == 0) continue;
      for (std::size_t k = 0; k < 3; ++k) {
        out.gradient[first + k] += w * found.residuals[i] * up_[k];
        for (std::size_t l = 0; l < 3; ++l)
          out.rows[3 * (first + k) + l] += w * unit * up_[k] * up_[l];
        out.level[first + k] += w * up_[k] / std::sqrt(weight_ * found.sum);
      }
    }
  }
  for (std::size_t i = 0; i < size; ++i) {
    if (unknowns_.is_active()[i]) continue;
    out.gradient[i] = 0;
    std::fill_n(&out.rows[3 * i], 3, 0.0);
    if (has_level()) out.level[i] = 0;
  }
  return out;
}

double Priors::cost(const Views& views) const {
  double sum = 0;
  each(views, [&](auto, std::size_t, int, const Residual& r, const PriorLoss& loss) {
    sum += weight_ * loss_of(loss, r.square()).cost;
  });
  return sum + (has_level() ? weight_ * heights(views).cost : 0);
}

void Priors::report(const Views& views, const std::vector<PointRecord>& points,
                    AdjustResult& result) const {
  PriorResiduals& out = result.prior_residuals;
  out.positions.assign(priors_.positions.size(), kNaN);
  out.directions.assign(priors_.directions.size(), kNaN);
  out.orientations.assign(priors_.orientations.size(), kNaN);
  out.points.assign(priors_.points.size(), kNaN);
  out.parameters.assign(priors_.parameters.size(), kNaN);
  result.prior_cost = cost(views);
  each(views, [&](auto list, std::size_t i, int, const Residual& r, const PriorLoss&) {
    const bool is_number = list == &PriorResiduals::parameters;
    (out.*list)[i] = is_number ? r.r[0] : std::sqrt(r.square());
  });
  for (std::size_t k = 0; k < points_.lanes.size(); ++k)
    for (int p = points_.first[k]; p < points_.first[k + 1]; ++p) {
      const double* const X = &points_.positions[at(3 * p)];
      Mat3 whitening;
      std::copy_n(&points_.whitenings[at(9 * p)], 9, whitening.begin());
      const Residual r =
          whitened(whitening, difference(points[at(points_.lanes[k])].X, {X[0], X[1], X[2]}));
      out.points[at(points_.prior[at(p)])] = std::sqrt(r.square());
      result.prior_cost += weight_ * loss_of(priors_.point_loss, r.square()).cost;
    }
  const Heights found = heights(views);
  out.level = found.level + dot(up_, unknowns_.frame().origin);
  for (std::size_t i = 0; i < found.residuals.size(); ++i)
    out.heights.push_back(found.residuals[i] / priors_.heights[i].deviation);
}

std::int64_t Priors::rows() const {
  std::int64_t sum = 3 * static_cast<std::int64_t>(points_.prior.size());
  const auto count = [&](const auto& list, int numbers) {
    for (const auto& prior : list) sum += acts_on_image(prior.image) ? numbers : 0;
  };
  count(priors_.positions, 3);
  count(priors_.directions, 2);
  count(priors_.orientations, 3);
  count(priors_.heights, 1);
  for (const ParameterPrior& prior : priors_.parameters)
    sum += first_images_[at(prior.camera)] < 0 ? 0 : 1;
  return sum - (has_level() ? 1 : 0);
}

}  // namespace bifocal::adjustment
