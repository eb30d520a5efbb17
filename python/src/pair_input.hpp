// SPDX-License-Identifier: BSD-3-Clause
// The input of a robust estimate of one pair, from the arguments of Python.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "devices.hpp"
#include "estimate.hpp"
#include "points.hpp"

namespace bifocal::python {

struct Arguments {
  RobustOptions options;
  Doubles weights, qualities;
  std::string device;
  std::vector<AnyCamera> cameras;
};
// Raises TypeError for cameras that the problem does not take.
[[nodiscard]] Arguments arguments_of(nb::handle camera1, nb::handle camera2, nb::handle options,
                                     const ProblemInfo& problem);

// Arrays and cameras of a pair as given in Python; an absent argument is None.
struct GivenPair {
  nb::handle left, right, depths, camera1, camera2, weights, qualities;
};

inline void need_one_each(const Doubles& given, const char* name, std::size_t points) {
  if (given.given.array.is_valid() && given.span.size() != points)
    value_error(fmt::format("{}: {} numbers for {} points", name, given.span.size(), points));
}

// Undistorts the points and calls action(queue, input) with a queue of the arguments' device.
template <class Point, class Action>
void with_input(const ProblemInfo& problem, Points<Point>& points, const Arguments& a,
                const Action& action) {
  gather(points);
  std::vector<Intrinsics> cameras;
  for (std::size_t i = 0; i < a.cameras.size(); ++i) {
    cameras.push_back(a.cameras[i].pinhole);
    undistort(points, a.cameras[i], 2 * i);
    if (problem.is_two_view && problem.cameras == 1) undistort(points, a.cameras[i], 2);
  }
  need_one_each(a.weights, "weights", points.span.size());
  need_one_each(a.qualities, "qualities", points.span.size());
  QueueLease lease(a.device);
  action(lease.queue(), EstimateInput{.cameras = cameras,
                                      .options = a.options,
                                      .priors = {a.weights.span, a.qualities.span}});
}

}  // namespace bifocal::python
