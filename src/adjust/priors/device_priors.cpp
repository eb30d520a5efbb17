// SPDX-License-Identifier: BSD-3-Clause
#include "adjust/priors/device_priors.hpp"

#include "adjust/layout.hpp"
#include "runtime/integers.hpp"
#include "runtime/uploaded.hpp"

namespace bifocal::adjustment {

using runtime::uploaded;

DevicePriors::DevicePriors(Queue& queue, const Priors& priors, const Unknowns& unknowns)
    : queue_(queue),
      priors_(priors),
      unknowns_(unknowns),
      lanes_(static_cast<int>(priors.points().lanes.size())),
      runs_((static_cast<int>(unknowns.size()) + DOT_RUN - 1) / DOT_RUN) {
  if (lanes_ > 0) {
    prior_lanes_ = uploaded(queue, priors.points().lanes);
    first_ = uploaded(queue, priors.points().first);
    positions_ = uploaded(queue, priors.points().positions);
    whitenings_ = uploaded(queue, priors.points().whitenings);
  }
  if (!priors.has_views()) return;
  rows_ = Buffer<double>(queue.device(), 3 * unknowns.size());
  level_ = Buffer<double>(queue.device(), priors.has_level() ? unknowns.size() : 1);
  dots_ = Buffer<double>(queue.device(), at(runs_));
  level_product_ = Buffer<double>(queue.device(), 1);
}

void DevicePriors::add_to_points(const Launch& launch, const PointArrays& arrays) {
  if (lanes_ == 0) return;
  launch.linearise_priors(queue_, {.count = lanes_},
                          {.prior_lanes = prior_lanes_,
                           .first = first_,
                           .positions = positions_,
                           .whitenings = whitenings_,
                           .loss = static_cast<int>(priors_.point_loss().loss),
                           .loss_scale = priors_.point_loss().scale,
                           .weight = priors_.weight(),
                           .points = arrays.points,
                           .is_free = arrays.is_free,
                           .normal = arrays.normal,
                           .lanes = arrays.lanes,
                           .costs = arrays.costs,
                           .steepest = arrays.steepest});
}

void DevicePriors::add_costs(const Launch& launch, const Buffer<double>& moved,
                             Buffer<double>& costs) {
  if (lanes_ == 0) return;
  launch.try_priors(queue_, {.count = lanes_},
                    {.prior_lanes = prior_lanes_,
                     .first = first_,
                     .positions = positions_,
                     .whitenings = whitenings_,
                     .loss = static_cast<int>(priors_.point_loss().loss),
                     .loss_scale = priors_.point_loss().scale,
                     .weight = priors_.weight(),
                     .points = moved,
                     .costs = costs});
}

double DevicePriors::linearise(const Views& views, std::vector<double>& gradient,
                               std::vector<double>& diagonal) {
  if (!priors_.has_views()) return 0;
  terms_ = priors_.linearise(views);
  rows_.upload(queue_, terms_.rows);
  if (priors_.has_level()) level_.upload(queue_, terms_.level);
  queue_.wait();
  for (std::size_t i = 0; i < gradient.size(); ++i) {
    gradient[i] += terms_.gradient[i];
    diagonal[i] += terms_.rows[3 * i + (i < unknowns_.camera_start(0) ? i % 3 : 0)];
  }
  return terms_.cost;
}

void DevicePriors::add_to_blocks(std::vector<double>& triangles) const {
  if (!priors_.has_views()) return;
  const std::size_t triangle = TRIANGLE(at(unknowns_.view_size()));
  const auto number = [](std::size_t i, std::size_t j) { return i * (i + 1) / 2 + j; };
  for (std::size_t image = 0; image < at(unknowns_.images()); ++image)
    for (std::size_t i = 0; i < 6; ++i)
      for (std::size_t j = i / 3 * 3; j <= i; ++j)
        triangles[image * triangle + number(i, j)] += terms_.rows[3 * (6 * image + i) + j % 3];
  for (int camera = 0; camera < unknowns_.cameras(); ++camera) {
    const int image = priors_.first_image(camera);
    if (image < 0) continue;
    for (std::size_t k = 0; k < at(unknowns_.free()); ++k)
      triangles[at(image) * triangle + number(6 + k, 6 + k)] +=
          terms_.rows[3 * (unknowns_.camera_start(camera) + k)];
  }
}

void DevicePriors::add_product(const Launch& launch, const Buffer<double>& vector,
                               Buffer<double>& product) {
  if (!priors_.has_views()) return;
  const auto size = static_cast<int>(unknowns_.size());
  if (priors_.has_level()) {
    launch.dot_runs(queue_, {.count = runs_},
                    {.a = level_, .b = vector, .size = size, .dots = dots_});
    launch.sum_dots(queue_, {.count = 1}, {.dots = dots_, .runs = runs_, .sum = level_product_});
  }
  launch.prior_product(queue_, {.count = size},
                       {.prior_rows = rows_,
                        .poses = static_cast<int>(unknowns_.camera_start(0)),
                        .vector = vector,
                        .has_level = priors_.has_level() ? 1 : 0,
                        .level = level_,
                        .level_product = level_product_,
                        .product = product});
}

}  // namespace bifocal::adjustment
