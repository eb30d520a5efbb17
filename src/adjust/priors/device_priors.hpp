// SPDX-License-Identifier: BSD-3-Clause
// Priors in the terms of a device (Terms).
#pragma once

#include <bifocal/device.hpp>

#include <vector>

#include "adjust/adjust.kernels.hpp"
#include "adjust/priors/priors.hpp"

namespace bifocal::adjustment {

class DevicePriors {
 public:
  using Launch = kernels::adjust::launch<double>;
  // The priors must outlive this object.
  DevicePriors(Queue& queue, const Priors& priors, const Unknowns& unknowns);

  // Arrays of Terms, of one number or some per lane (ADJUST_LINEARISE_POINTS).
  struct PointArrays {
    const Buffer<double>&points, &is_free;
    Buffer<double>&normal, &costs, &steepest;
    int lanes;
  };
  // Adds the priors of points to their sums.
  void add_to_points(const Launch& launch, const PointArrays& arrays);
  // Adds the costs of the priors of moved points.
  void add_costs(const Launch& launch, const Buffer<double>& moved, Buffer<double>& costs);
  // Evaluates the priors of poses and cameras. Adds to gradient and diagonal and returns the cost.
  [[nodiscard]] double linearise(const Views& views, std::vector<double>& gradient,
                                 std::vector<double>& diagonal);
  [[nodiscard]] double cost(const Views& views) const { return priors_.cost(views); }
  // Adds B of PriorTerms to the lower triangles of Terms::diagonal_blocks(). The level is left out:
  // the blocks then bound the matrix from above, as a power series needs.
  void add_to_blocks(std::vector<double>& triangles) const;
  // product += (B - v v') vector.
  void add_product(const Launch& launch, const Buffer<double>& vector, Buffer<double>& product);
  // Of the last linearise(); empty without priors of poses and cameras.
  [[nodiscard]] const PriorTerms& terms() const { return terms_; }

 private:
  Queue& queue_;
  const Priors& priors_;
  const Unknowns& unknowns_;
  PriorTerms terms_;
  int lanes_, runs_;
  Buffer<int> prior_lanes_, first_;
  Buffer<double> positions_, whitenings_, rows_, level_, dots_, level_product_;
};

}  // namespace bifocal::adjustment
