// SPDX-License-Identifier: BSD-3-Clause
#include "lane/cases.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <random>

#include "lane/case_class.h"

namespace bifocal::test {
namespace {

using Random = std::mt19937_64;

// Camera 2 from camera 1: at most 30 degrees of rotation, a baseline of 1.
struct Motion {
  Eigen::Matrix3d R;
  Eigen::Vector3d t;
};
Motion random_motion(Random& random) {
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> angle(0, 0.5);
  const Eigen::Vector3d axis =
      Eigen::Vector3d(normal(random), normal(random), normal(random)).normalized();
  const Eigen::Vector3d t =
      Eigen::Vector3d(normal(random), normal(random), normal(random)).normalized();
  return {Eigen::AngleAxisd(angle(random), axis).toRotationMatrix(), t};
}

Eigen::Vector3d random_point(Random& random) {
  std::uniform_real_distribution<double> xy(-0.6, 0.6), depth(4, 12);
  const double z = depth(random);
  return {xy(random) * z, xy(random) * z, z};
}

std::vector<double> scene_instance(Random& random, int points, bool plane) {
  const Motion m = random_motion(random);
  std::vector<double> in(static_cast<size_t>(4 * points));
  const Eigen::Vector3d normal = Eigen::Vector3d(0.2, -0.3, 1).normalized();
  for (int i = 0; i < points; ++i) {
    Eigen::Vector3d X = random_point(random);
    if (plane) X *= 8.0 / normal.dot(X);
    const Eigen::Vector3d Y = m.R * X + m.t;
    const double values[4] = {X.x() / X.z(), X.y() / X.z(), Y.x() / Y.z(), Y.y() / Y.z()};
    for (int k = 0; k < 4; ++k) in[static_cast<size_t>(k * points + i)] = values[k];
  }
  return in;
}

std::vector<double> p3p_instance(Random& random) {
  const Motion m = random_motion(random);
  std::vector<double> in(18);
  for (int i = 0; i < 3; ++i) {
    const Eigen::Vector3d X = random_point(random), x = (m.R * X + m.t).normalized();
    for (int k = 0; k < 3; ++k) {
      in[static_cast<size_t>(3 * i + k)] = x[k];
      in[static_cast<size_t>(9 + 3 * i + k)] = X[k];
    }
  }
  return in;
}

}  // namespace

std::vector<double> make_inputs(const LaneCase& c) {
  Random random(2026);
  std::normal_distribution<double> normal;
  std::vector<double> all(static_cast<size_t>(c.inputs) * kInstances);
  for (int i = 0; i < kInstances; ++i) {
    std::vector<double> in;
    if (c.kind == Inputs::scene || c.kind == Inputs::plane) {
      in = scene_instance(random, c.inputs / 4, c.kind == Inputs::plane);
    } else if (c.kind == Inputs::p3p) {
      in = p3p_instance(random);
    }
    in.resize(static_cast<size_t>(c.inputs));
    for (int k = 0; k < c.inputs; ++k) {
      const double v = c.kind == Inputs::normal ? normal(random) : in[static_cast<size_t>(k)];
      all[static_cast<size_t>(k) * kInstances + static_cast<size_t>(i)] = static_cast<float>(v);
    }
  }
  return all;
}

Outputs reference_outputs(const LaneCase& c, const std::vector<double>& in) {
  Outputs out(static_cast<size_t>(c.outputs) * kInstances);
  run_lane_case<case_class<double>>(c.name, c.inputs, c.outputs, in.data(), out.data(), kInstances);
  return out;
}

void expect_agreement(const LaneCase& c, const Outputs& reference, const Outputs& got,
                      bool is_float, const std::string& device) {
  const double tolerance = is_float ? 1e-3 : 1e-8;
  int agree = 0;
  for (int i = 0; i < kInstances; ++i) {
    bool same = true;
    for (int k = 0; k < c.outputs && same; ++k) {
      const double a = reference[static_cast<size_t>(k * kInstances + i)];
      const double b = got[static_cast<size_t>(k * kInstances + i)];
      same = std::isnan(a) ? std::isnan(b) : std::abs(a - b) <= tolerance * (1 + std::abs(a));
    }
    agree += same;
  }
  const double share = static_cast<double>(agree) / kInstances;
  const double wanted = is_float ? c.share_float : c.share_double;
  EXPECT_GE(share, wanted) << c.name << " on " << device;
  if (share < 1) {
    std::printf("%-28s %-24s %.2f %% of instances agree\n", c.name.c_str(), device.c_str(),
                100 * share);
  }
}

GroupProblem make_group_problem(GroupInputs kind) {
  Random random(7);
  std::normal_distribution<double> noise(0, 0.003);
  std::uniform_real_distribution<double> anywhere(-0.6, 0.6);
  const Motion m = random_motion(random);
  const Eigen::Vector3d normal = Eigen::Vector3d(0.2, -0.3, 1).normalized();
  const double depth = 8;
  GroupProblem problem{std::vector<double>(6 * kGroupPoints, std::nan("")),
                       std::vector<double>(12)};
  for (int i = 0; i < kGroupPointsUsed; ++i) {
    Eigen::Vector3d X = random_point(random);
    if (kind == GroupInputs::plane) X *= depth / normal.dot(X);
    const Eigen::Vector3d Y = m.R * X + m.t;
    const bool outlier = i % 3 == 0;
    const auto seen = [&](double value) {
      return outlier ? anywhere(random) : value + noise(random);
    };
    std::vector<double> row = {X.x() / X.z(), X.y() / X.z(), seen(Y.x() / Y.z()),
                               seen(Y.y() / Y.z())};
    if (kind == GroupInputs::scene_points) row = {row[2], row[3], X.x(), X.y(), X.z()};
    for (size_t k = 0; k < row.size(); ++k) {
      problem.points[k * kGroupPoints + static_cast<size_t>(i)] = static_cast<float>(row[k]);
    }
  }
  std::uniform_real_distribution<double> weight(0, 1);
  for (size_t i = 0; i < kGroupPoints; ++i)
    problem.points[5 * kGroupPoints + i] = static_cast<float>(weight(random));
  Eigen::Matrix3d cross;
  cross << 0, -m.t.z(), m.t.y(), m.t.z(), 0, -m.t.x(), -m.t.y(), m.t.x(), 0;
  const Eigen::Matrix3d M = kind == GroupInputs::epipolar ? Eigen::Matrix3d(cross * m.R)
                            : kind == GroupInputs::plane
                                ? Eigen::Matrix3d(m.R + m.t * normal.transpose() / depth)
                                : m.R;
  for (int k = 0; k < 9; ++k)
    problem.model[static_cast<size_t>(k)] = static_cast<float>(M(k / 3, k % 3));
  for (int k = 0; k < 3; ++k)
    problem.model[static_cast<size_t>(9 + k)] = static_cast<float>(m.t[k]);
  return problem;
}

Outputs group_reference(const GroupCase& c, const GroupProblem& problem) {
  Outputs out(static_cast<size_t>(c.outputs));
  run_group_case<case_class<double>>(c.name, problem.points.data(), kGroupPoints,
                                     problem.model.data(), out.data());
  return out;
}

void expect_group_agreement(const GroupCase& c, const Outputs& reference, const Outputs& got,
                            bool is_float, const std::string& device) {
  double largest = 0;
  for (const double v : reference) largest = std::max(largest, std::abs(v));
  for (int k = 0; k < c.outputs; ++k) {
    const double a = reference[static_cast<size_t>(k)], b = got[static_cast<size_t>(k)];
    EXPECT_NEAR(a, b, (is_float ? 2e-4 : 1e-11) * largest)
        << c.name << " number " << k << " on " << device;
  }
}

}  // namespace bifocal::test
