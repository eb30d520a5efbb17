// SPDX-License-Identifier: BSD-3-Clause
// The gauge: degrees of freedom of each part that neither observations nor constants nor priors
// determine.
#pragma once

#include <bifocal/adjust.hpp>

#include <vector>

#include "adjust/arrangement.hpp"
#include "adjust/unknowns.hpp"

namespace bifocal::adjustment {

// The freedom of a part, which is a set of adjusted images that share adjusted points. Lengths are
// local (LocalFrame).
//
//   observed constants            freedom
//   none                          position, rotation, scale
//   images at one place           scale
//   one point                     rotation about the point, scale
//   several points on a line      rotation about the line
//   others                        none
// Measured positions of images and points count as constant points. An orientation leaves no free
// rotation, and a direction the rotation about it. Heights of images leave the rotation about `up`
// if the images are not in a vertical plane, and no scale if they are not in a horizontal one.
struct PartGauge {
  int first = -1;             // keeps its centre if the position is free, and its rotation
  int second = -1;            // its centre keeps its distance from `origin`; -1: no free scale
  bool has_position = false;  // the position is free; `origin` is the centre of `first`
  int rotations = 0;          // free axes of rotation: 0, 1 (`axis`) or 3
  Vec3 origin = {0, 0, 0};    // a place of constants
  Vec3 axis = {0, 0, 0};      // length 1
  // Of a step of the rotation of `first`, R exp([w]x): the direction in which it leaves the gauge
  // of a start with the rotation `before`, if there is one free axis.
  [[nodiscard]] Vec3 axis_of_step(const Mat3& before, const Mat3& R) const;
  [[nodiscard]] bool is_free() const { return has_position || rotations > 0 || second >= 0; }
};

[[nodiscard]] Mat3 rotation_in(const Views& views, int image);

struct Gauge {
  std::vector<PartGauge> parts;
  std::vector<int> part_of_image, part_of_lane;  // -1: no part

  [[nodiscard]] AdjustFreedom freedom() const;
};
[[nodiscard]] Gauge gauge_of(const AdjustProblem& problem, const Arrangement& arrangement,
                             const Unknowns& unknowns);

// Moves each part to the position, the rotation and the scale of the start, as far as they are
// free. points: one per lane, local.
void restore_gauge(const Gauge& gauge, const Views& start, Views& views,
                   std::vector<PointRecord>& points);

}  // namespace bifocal::adjustment
