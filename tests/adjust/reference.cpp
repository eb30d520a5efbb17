// SPDX-License-Identifier: BSD-3-Clause
#include "adjust/reference.hpp"

#include <Eigen/Dense>

#include <cmath>

#include "adjust/scenes.hpp"

namespace bifocal::test {
namespace {

// A number of a problem that is adjusted.
struct Unknown {
  enum Kind { rotation, translation, param, point } kind;
  std::size_t owner, number;
};

std::vector<Unknown> unknowns_of(const AdjustProblem& problem) {
  std::vector<Unknown> unknowns;
  for (std::size_t i = 0; i < problem.images.size(); ++i)
    for (std::size_t k = 0; k < 6 && !problem.images[i].is_constant; ++k)
      unknowns.push_back({k < 3 ? Unknown::rotation : Unknown::translation, i, k % 3});
  for (std::size_t c = 0; c < problem.cameras.size(); ++c) {
    const AdjustCamera& camera = problem.cameras[c];
    const auto focal = static_cast<std::size_t>(LensCamera::focal_lengths(camera.model));
    for (std::size_t k = 0; k < camera.params.size() && !camera.is_constant; ++k) {
      const bool is_centre = k == focal || k == focal + 1;
      if (!(camera.constant_params.empty() ? is_centre : camera.constant_params[k]))
        unknowns.push_back({Unknown::param, c, k});
    }
  }
  for (std::size_t p = 0; p < problem.points.size(); ++p)
    for (std::size_t k = 0; k < 3; ++k)
      if (problem.constant_points.empty() || !problem.constant_points[p])
        unknowns.push_back({Unknown::point, p, k});
  return unknowns;
}

void move(AdjustProblem& problem, const Unknown& u, double step) {
  if (u.kind == Unknown::point) problem.points[u.owner][u.number] += step;
  if (u.kind == Unknown::param) problem.cameras[u.owner].params[u.number] += step;
  if (u.kind == Unknown::translation) problem.images[u.owner].cam_from_world.t[u.number] += step;
  if (u.kind == Unknown::rotation) {
    Vec3 w = {0, 0, 0};
    w[u.number] = step;
    Mat3& R = problem.images[u.owner].cam_from_world.R;
    R = times(small_rotation(w), R);
  }
}

Eigen::VectorXd errors_of(const AdjustProblem& problem) {
  std::vector<LensCamera> cameras;
  for (const AdjustCamera& camera : problem.cameras)
    cameras.emplace_back(camera.model, camera.params);
  Eigen::VectorXd errors(2 * static_cast<int>(problem.observations.size()));
  for (std::size_t k = 0; k < problem.observations.size(); ++k) {
    const AdjustObservation& o = problem.observations[k];
    const auto image = static_cast<std::size_t>(o.image);
    const Vec2 px =
        projected(problem, cameras[static_cast<std::size_t>(problem.images[image].camera)], o.image,
                  problem.points[static_cast<std::size_t>(o.point)]);
    errors[2 * static_cast<int>(k)] = px[0] - o.x;
    errors[2 * static_cast<int>(k) + 1] = px[1] - o.y;
  }
  return errors;
}

// Cost of a squared error and its derivative by it, doubled.
std::pair<double, double> loss_of(AdjustLoss loss, double scale, double e2) {
  const double s = e2 / (scale * scale), a2 = scale * scale;
  switch (loss) {
    case AdjustLoss::trivial:
      return {e2 / 2, 1};
    case AdjustLoss::huber:
      return s <= 1 ? std::pair(e2 / 2, 1.0)
                    : std::pair(a2 * (2 * std::sqrt(s) - 1) / 2, 1 / std::sqrt(s));
    case AdjustLoss::soft_l1:
      return {a2 * (std::sqrt(1 + s) - 1), 1 / std::sqrt(1 + s)};
    case AdjustLoss::cauchy:
      return {a2 * std::log(1 + s) / 2, 1 / (1 + s)};
  }
  return {};
}

// Returns the cost. Weighs errors, and rows of J if it is given, by the square root of the loss's
// slope.
double weigh(AdjustLoss loss, double scale, Eigen::VectorXd& errors, Eigen::MatrixXd* J) {
  double cost = 0;
  for (int k = 0; k < errors.size(); k += 2) {
    const auto [value, slope] = loss_of(loss, scale, errors.segment<2>(k).squaredNorm());
    cost += value;
    errors.segment<2>(k) *= std::sqrt(slope);
    if (J) J->middleRows<2>(k) *= std::sqrt(slope);
  }
  return cost;
}

Eigen::MatrixXd derivatives_of(const AdjustProblem& problem, const std::vector<Unknown>& unknowns) {
  Eigen::MatrixXd J(2 * static_cast<int>(problem.observations.size()),
                    static_cast<int>(unknowns.size()));
  for (std::size_t u = 0; u < unknowns.size(); ++u) {
    const bool is_param = unknowns[u].kind == Unknown::param;
    const double step =
        is_param
            ? 1e-6 * std::max(1.0, problem.cameras[unknowns[u].owner].params[unknowns[u].number])
            : 1e-6;
    AdjustProblem more = problem, less = problem;
    move(more, unknowns[u], step), move(less, unknowns[u], -step);
    J.col(static_cast<int>(u)) = (errors_of(more) - errors_of(less)) / (2 * step);
  }
  return J;
}

Vec3 centre_of(const Pose& pose) {
  const Vec3 c = times(transposed(pose.R), pose.t);
  return {-c[0], -c[1], -c[2]};
}

// Derivatives of rotation and centre of an image by its rotation and translation.
Eigen::Matrix<double, 6, 6> pose_derivatives(const AdjustProblem& problem, std::size_t image) {
  constexpr double kStep = 1e-6;
  Eigen::Matrix<double, 6, 6> out = Eigen::Matrix<double, 6, 6>::Identity();
  for (std::size_t k = 0; k < 6; ++k) {
    AdjustProblem more = problem, less = problem;
    const Unknown u{k < 3 ? Unknown::rotation : Unknown::translation, image, k % 3};
    move(more, u, kStep), move(less, u, -kStep);
    const Vec3 a = centre_of(more.images[image].cam_from_world),
               b = centre_of(less.images[image].cam_from_world);
    for (std::size_t i = 0; i < 3; ++i)
      out(static_cast<int>(3 + i), static_cast<int>(k)) = (a[i] - b[i]) / (2 * kStep);
  }
  return out;
}

}  // namespace

AdjustResult reference_covariances(const AdjustProblem& problem,
                                   const std::vector<Constraint>& constraints) {
  constexpr double kStep = 1e-6, kWeight = 1e3;  // kWeight: of constraints, any number
  const std::vector<Unknown> unknowns = unknowns_of(problem);
  const Eigen::MatrixXd J = derivatives_of(problem, unknowns);
  const auto n = J.cols(), rows = static_cast<Eigen::Index>(constraints.size());
  Eigen::MatrixXd system = Eigen::MatrixXd::Zero(n + rows, n + rows);
  system.topLeftCorner(n, n) = J.transpose() * J;
  for (Eigen::Index u = 0; u < n; ++u) {
    AdjustProblem more = problem, less = problem;
    move(more, unknowns[static_cast<std::size_t>(u)], kStep);
    move(less, unknowns[static_cast<std::size_t>(u)], -kStep);
    for (Eigen::Index i = 0; i < rows; ++i) {
      const Constraint& value = constraints[static_cast<std::size_t>(i)];
      system(n + i, u) = system(u, n + i) = kWeight * (value(more) - value(less)) / (2 * kStep);
    }
  }
  const Eigen::MatrixXd sigma = system.fullPivLu().inverse().topLeftCorner(n, n);
  AdjustResult out;
  out.pose_covariances.resize(problem.images.size());
  out.point_covariances.resize(problem.points.size());
  for (const AdjustCamera& camera : problem.cameras)
    out.camera_covariances.emplace_back(camera.params.size() * camera.params.size());
  const auto is_pair = [](const Unknown& a, const Unknown& b) {
    const auto kind = [](const Unknown& u) {
      return u.kind == Unknown::rotation ? Unknown::translation : u.kind;
    };
    return kind(a) == kind(b) && a.owner == b.owner;
  };
  for (Eigen::Index i = 0; i < n; ++i)
    for (Eigen::Index j = 0; j < n; ++j) {
      const Unknown &a = unknowns[static_cast<std::size_t>(i)],
                    &b = unknowns[static_cast<std::size_t>(j)];
      if (!is_pair(a, b)) continue;
      const std::size_t row = a.number + (a.kind == Unknown::translation ? 3 : 0),
                        column = b.number + (b.kind == Unknown::translation ? 3 : 0);
      if (a.kind == Unknown::point) out.point_covariances[a.owner][3 * row + column] = sigma(i, j);
      if (a.kind == Unknown::param) {
        const std::size_t side = problem.cameras[a.owner].params.size();
        out.camera_covariances[a.owner][side * row + column] = sigma(i, j);
      }
      if (a.kind == Unknown::rotation || a.kind == Unknown::translation)
        out.pose_covariances[a.owner][6 * row + column] = sigma(i, j);
    }
  for (std::size_t i = 0; i < problem.images.size(); ++i) {
    using Matrix = Eigen::Matrix<double, 6, 6, Eigen::RowMajor>;
    Eigen::Map<Matrix> pose(out.pose_covariances[i].data());
    const Eigen::Matrix<double, 6, 6> D = pose_derivatives(problem, i);
    pose = (D * Matrix(pose) * D.transpose()).eval();
  }
  return out;
}

double reference_adjust(AdjustProblem& problem, AdjustLoss loss, double loss_scale) {
  const std::vector<Unknown> unknowns = unknowns_of(problem);
  double lambda = 1e-4, cost = 0;
  for (int iteration = 0; iteration < 60; ++iteration) {
    Eigen::VectorXd errors = errors_of(problem);
    Eigen::MatrixXd J = derivatives_of(problem, unknowns);
    cost = weigh(loss, loss_scale, errors, &J);
    const Eigen::MatrixXd H = J.transpose() * J;
    const Eigen::VectorXd g = J.transpose() * errors;
    double next_cost = cost;
    while (lambda < 1e12) {
      Eigen::MatrixXd damped = H;
      damped.diagonal() += lambda * H.diagonal().cwiseMax(1e-12);
      const Eigen::VectorXd step = damped.ldlt().solve(-g);
      AdjustProblem next = problem;
      for (std::size_t u = 0; u < unknowns.size(); ++u)
        move(next, unknowns[u], step[static_cast<int>(u)]);
      Eigen::VectorXd next_errors = errors_of(next);
      next_cost = weigh(loss, loss_scale, next_errors, nullptr);
      if (next_cost < cost) {
        problem = next;
        lambda /= 10;
        break;
      }
      lambda *= 10;
    }
    if (!(next_cost < cost * (1 - 1e-13))) return std::min(cost, next_cost);
    cost = next_cost;
  }
  return cost;
}

}  // namespace bifocal::test
