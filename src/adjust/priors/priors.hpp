// SPDX-License-Identifier: BSD-3-Clause
// Priors (AdjustPriors) in the local frame: costs, gradients and their parts of J'J. Priors of
// poses, heights and parameters are evaluated on the host, in a fixed order; priors of points on
// the device (device_priors.hpp).
#pragma once

#include <bifocal/adjust.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "adjust/arrangement.hpp"
#include "adjust/unknowns.hpp"

namespace bifocal::adjustment {

// Throws Error(usage) for priors that AdjustPriors refuses.
void check_priors(const AdjustProblem& problem);

// The part of priors of poses, heights and parameters in the normal equations, px^2. The part of
// J'J is B - v v': v follows from the unknown level of heights, which is eliminated. Zero for
// unknowns that are not adjusted.
struct PriorTerms {
  double cost = 0;
  std::vector<double> gradient;  // by unknowns
  // Rows of B, [unknown][3]. Columns of a rotation are the rotation, of a centre the centre; a row
  // of a camera has its diagonal only.
  std::vector<double> rows;
  std::vector<double> level;  // v, by unknowns; empty without heights
};

// Priors of points by their lanes.
struct LanePriors {
  std::vector<int> lanes;          // of points that have priors
  std::vector<int> first;          // priors of lane k: first[k] to first[k + 1]
  std::vector<int> prior;          // index into AdjustPriors::points
  std::vector<double> positions;   // [prior][3], local
  std::vector<double> whitenings;  // [prior][9]: r = W (X - position), X local
};

class Priors {
 public:
  // The problem and the unknowns must outlive this object.
  Priors(const AdjustProblem& problem, const Arrangement& arrangement, const Unknowns& unknowns,
         double deviation_px);

  [[nodiscard]] bool has_views() const { return has_views_; }
  [[nodiscard]] bool has_level() const { return unknowns_.has_level(); }
  [[nodiscard]] const LanePriors& points() const { return points_; }
  [[nodiscard]] const PriorLoss& point_loss() const { return priors_.point_loss; }
  // Factor of costs: deviation_px^2.
  [[nodiscard]] double weight() const { return weight_; }

  [[nodiscard]] PriorTerms linearise(const Views& views) const;
  // Cost of poses, heights and parameters, px^2.
  [[nodiscard]] double cost(const Views& views) const;
  // Residuals and costs of all priors at given views and points, one per lane.
  void report(const Views& views, const std::vector<PointRecord>& points,
              AdjustResult& result) const;
  // Numbers of residuals of the priors that act, less 1 for the level.
  [[nodiscard]] std::int64_t rows() const;
  // First used image of a camera; -1: none.
  [[nodiscard]] int first_image(int camera) const { return first_images_[at(camera)]; }

 private:
  [[nodiscard]] static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  [[nodiscard]] bool acts_on_image(int image) const { return used_images_[at(image)] != 0; }
  template <class Visit>
  void each(const Views& views, const Visit& visit) const;
  struct Heights;
  [[nodiscard]] Heights heights(const Views& views) const;

  const AdjustPriors& priors_;
  const Unknowns& unknowns_;
  const std::vector<char>& used_images_;
  double weight_;
  bool has_views_;
  std::vector<int> first_images_;
  std::vector<Mat3> whitenings_;  // of positions: r = W (C - centre), C local
  Vec3 up_;                       // length 1
  LanePriors points_;
};

}  // namespace bifocal::adjustment
