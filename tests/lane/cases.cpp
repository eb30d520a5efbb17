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
  const Eigen::Vector3d axis = Eigen::Vector3d(normal(random), normal(random), normal(random)).normalized();
  const Eigen::Vector3d t = Eigen::Vector3d(normal(random), normal(random), normal(random)).normalized();
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

void expect_agreement(const LaneCase& c, const Outputs& reference, const Outputs& got, bool is_float,
                      const std::string& device) {
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
    std::printf("%-28s %-24s %.2f %% of instances agree\n", c.name.c_str(), device.c_str(), 100 * share);
  }
}

}  // namespace bifocal::test
