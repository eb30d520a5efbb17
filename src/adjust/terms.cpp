// SPDX-License-Identifier: BSD-3-Clause
#include "adjust/terms.hpp"

#include <bifocal/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "adjust/layout.hpp"
#include "runtime/cancel.hpp"
#include "runtime/integers.hpp"
#include "runtime/uploaded.hpp"

namespace bifocal::adjustment {
namespace {

using runtime::uploaded;

constexpr int kGroup = 128;

// Images of each camera in parts: part p has images part_images[part_first[p]] to [p + 1], camera c
// the parts first_part[c] to first_part[c + 1]. Many images of one camera are so summed side by
// side.
struct SumParts {
  std::vector<int> first_part = {0}, part_first = {0}, part_images;
};

SumParts sum_parts(const Unknowns& unknowns) {
  constexpr std::size_t kImages = 32;  // of a part
  std::vector<std::vector<int>> images(at(unknowns.cameras()));
  for (int i = 0; i < unknowns.images(); ++i)
    images[at(unknowns.image_cameras()[at(i)])].push_back(i);
  SumParts parts;
  for (const std::vector<int>& own : images) {
    for (std::size_t k = 0; k < own.size(); ++k) {
      parts.part_images.push_back(own[k]);
      if ((k + 1) % kImages == 0 || k + 1 == own.size())
        parts.part_first.push_back(static_cast<int>(parts.part_images.size()));
    }
    parts.first_part.push_back(static_cast<int>(parts.part_first.size()) - 1);
  }
  return parts;
}

// Numbers of the sums of one chunk, at most.
int most_components(int view_size) { return std::max(2 * view_size, TRIANGLE(view_size)); }

bool choose_float_blocks(const DeviceObservations& observations, const Unknowns& unknowns,
                         const AdjustOptions& options) {
  if (options.max_memory == 0) return options.float_blocks;
  const auto limit = static_cast<std::size_t>(options.max_memory);
  const std::size_t with_doubles = Terms::bytes(observations, unknowns, false);
  const std::size_t with_floats = Terms::bytes(observations, unknowns, true);
  if (with_floats > limit)
    throw Error(ErrorCode::usage,
                fmt::format("AdjustOptions::max_memory = {}: the problem takes at least {} bytes",
                            limit, with_floats));
  return options.float_blocks || with_doubles > limit;
}

}  // namespace

std::size_t Terms::bytes(const DeviceObservations& observations, const Unknowns& unknowns,
                         bool float_blocks) {
  const std::size_t number = float_blocks ? sizeof(float) : sizeof(double);
  const std::size_t rows = observations.by_point.px.size() + observations.by_view.px.size();
  const std::size_t row =
      BLOCK_SIZE(at(unknowns.free())) * number + 2 * sizeof(double) + sizeof(int);
  const std::size_t point = 3 * POINT_SIZE + NORMAL_SIZE + INVERSE_SIZE + 5;
  return rows * row + at(observations.point_lanes) * point * sizeof(double) +
         at(observations.chunk_lanes) * at(most_components(unknowns.view_size())) * sizeof(double) +
         at(unknowns.images()) * at(most_components(unknowns.view_size())) * sizeof(double);
}

Terms::Terms(Queue& queue, DeviceObservations& observations, const Unknowns& unknowns,
             const AdjustOptions& options, const Priors& priors)
    : queue_(queue),
      observations_(observations),
      unknowns_(unknowns),
      point_lanes_(observations.point_lanes),
      chunk_lanes_(observations.chunk_lanes),
      loss_(static_cast<int>(options.loss)),
      loss_scale_(options.loss == AdjustLoss::trivial ? 1 : options.loss_scale),
      float_blocks_(choose_float_blocks(observations, unknowns, options)),
      launch_(kGroup, {{"FREE", unknowns.free()}, {"FLOAT_BLOCKS", float_blocks_ ? 1 : 0}}),
      priors_(queue, priors, unknowns) {
  const Device& device = queue.device();
  const std::size_t lanes = at(point_lanes_),
                    components = at(most_components(unknowns.view_size())),
                    block = BLOCK_SIZE(at(unknowns.free())) *
                            (float_blocks_ ? sizeof(float) : sizeof(double));
  point_blocks_ = Buffer<std::uint8_t>(device, observations.by_point.px.size() * block);
  view_blocks_ = Buffer<std::uint8_t>(device, observations.by_view.px.size() * block);
  image_cameras_ = uploaded(queue, unknowns.image_cameras());
  is_active_ = uploaded(
      queue, std::vector<double>(unknowns.is_active().begin(), unknowns.is_active().end()));
  const SumParts parts = sum_parts(unknowns);
  parts_ = static_cast<int>(parts.part_first.size()) - 1;
  first_part_ = uploaded(queue, parts.first_part);
  part_first_ = uploaded(queue, parts.part_first);
  part_images_ = uploaded(queue, parts.part_images);
  part_sums_ = Buffer<double>(device, at(std::max(1, parts_ * unknowns.free())));
  for (Scene* scene : {&scene_, &trial_scene_}) {
    scene->poses = Buffer<double>(device, unknowns.start().poses.size() * POSE_SIZE);
    scene->cameras = Buffer<double>(device, unknowns.start().cameras.size() * CAMERA_SIZE);
  }
  moved_ = Buffer<double>(device, lanes * POINT_SIZE);
  solved_ = Buffer<double>(device, lanes * POINT_SIZE);
  normal_ = Buffer<double>(device, lanes * NORMAL_SIZE);
  inverses_ = Buffer<double>(device, lanes * INVERSE_SIZE);
  for (Buffer<double>* numbers : {&costs_, &decreases_, &step_lengths_, &point_lengths_})
    *numbers = Buffer<double>(device, lanes);
  reduced_ = Buffer<double>(device, lanes / REDUCTION + 1);
  vector_ = Buffer<double>(device, unknowns.size());
  sums_ = Buffer<double>(device, at(chunk_lanes_) * components);
  totals_ = Buffer<double>(device, at(unknowns.images()) * components);
}

void Terms::upload_views(const Views& views, Scene& scene) {
  scene.poses.upload(queue_, numbers_of(views.poses));
  scene.cameras.upload(queue_, numbers_of(views.cameras));
}

Linearisation Terms::linearise(const Views& views) {
  upload_views(views, scene_);
  launch_.linearise_points(queue_, {.count = point_lanes_},
                           {.poses = scene_.poses,
                            .image_cameras = image_cameras_,
                            .cameras = scene_.cameras,
                            .kinds = unknowns_.kinds(),
                            .used = unknowns_.used(),
                            .columns = unknowns_.columns(),
                            .loss = loss_,
                            .loss_scale = loss_scale_,
                            .rows = observations_.by_point.rows,
                            .other = observations_.by_point.other,
                            .px = observations_.by_point.px,
                            .py = observations_.by_point.py,
                            .points = observations_.points,
                            .is_free = observations_.is_free,
                            .blocks = point_blocks_,
                            .normal = normal_,
                            .lanes = point_lanes_,
                            .costs = costs_,
                            .steepest = decreases_});
  priors_.add_to_points(launch_, {.points = observations_.points,
                                  .is_free = observations_.is_free,
                                  .normal = normal_,
                                  .costs = costs_,
                                  .steepest = decreases_,
                                  .lanes = point_lanes_});
  launch_.linearise_views(queue_, {.count = chunk_lanes_},
                          {.poses = scene_.poses,
                           .image_cameras = image_cameras_,
                           .cameras = scene_.cameras,
                           .kinds = unknowns_.kinds(),
                           .used = unknowns_.used(),
                           .columns = unknowns_.columns(),
                           .loss = loss_,
                           .loss_scale = loss_scale_,
                           .rows = observations_.by_view.rows,
                           .other = observations_.by_view.other,
                           .px = observations_.by_view.px,
                           .py = observations_.by_view.py,
                           .points = observations_.points,
                           .chunk_images = observations_.chunk_images,
                           .blocks = view_blocks_,
                           .sums = sums_,
                           .lanes = chunk_lanes_});
  Linearisation out;
  out.cost = reduce(costs_);
  out.steepest = reduce(decreases_, true);
  const int size = unknowns_.view_size();
  const std::vector<double> sums = sum_views(2 * size);
  out.gradient = unknowns_.summed(sums, 2 * size, 0);
  out.diagonal = unknowns_.summed(sums, 2 * size, size);
  out.cost += priors_.linearise(views, out.gradient, out.diagonal);
  return out;
}

void Terms::damp(double lambda) {
  launch_.invert_points(queue_, {.count = point_lanes_},
                        {.normal = normal_,
                         .is_free = observations_.is_free,
                         .lanes = point_lanes_,
                         .lambda = lambda,
                         .inverses = inverses_});
}

std::vector<double> Terms::diagonal_blocks() {
  launch_.schur_diagonal(queue_, {.count = chunk_lanes_},
                         {.poses = scene_.poses,
                          .rows = observations_.by_view.rows,
                          .other = observations_.by_view.other,
                          .blocks = view_blocks_,
                          .points = observations_.points,
                          .chunk_images = observations_.chunk_images,
                          .lanes = chunk_lanes_,
                          .inverses = inverses_,
                          .sums = sums_});
  std::vector<double> triangles = sum_views(TRIANGLE(unknowns_.view_size()));
  priors_.add_to_blocks(triangles);
  return triangles;
}

void Terms::solve_points(const Buffer<double>* vector, double gradient_part) {
  launch_.schur_points(queue_, {.count = point_lanes_},
                       {.poses = scene_.poses,
                        .image_cameras = image_cameras_,
                        .images = unknowns_.images(),
                        .rows = observations_.by_point.rows,
                        .other = observations_.by_point.other,
                        .blocks = point_blocks_,
                        .points = observations_.points,
                        .normal = normal_,
                        .inverses = inverses_,
                        .lanes = point_lanes_,
                        .vector = vector ? *vector : vector_,
                        .has_vector = vector ? 1 : 0,
                        .gradient_part = gradient_part,
                        .solved = solved_});
}

void Terms::multiply_views(const Buffer<double>* vector) {
  launch_.schur_views(queue_, {.count = chunk_lanes_},
                      {.poses = scene_.poses,
                       .image_cameras = image_cameras_,
                       .images = unknowns_.images(),
                       .rows = observations_.by_view.rows,
                       .other = observations_.by_view.other,
                       .blocks = view_blocks_,
                       .points = observations_.points,
                       .chunk_images = observations_.chunk_images,
                       .lanes = chunk_lanes_,
                       .vector = vector ? *vector : vector_,
                       .has_vector = vector ? 1 : 0,
                       .solved = solved_,
                       .sums = sums_});
}

void Terms::multiply(const Buffer<double>& vector, const Buffer<double>& damping,
                     Buffer<double>& product) {
  solve_points(&vector, 0);
  multiply_views(&vector);
  sum_chunks(unknowns_.view_size());
  if (unknowns_.free() > 0)
    launch_.sum_parts(queue_, {.count = parts_ * unknowns_.free()},
                      {.totals = totals_,
                       .part_first = part_first_,
                       .part_images = part_images_,
                       .sums = part_sums_});
  launch_.damped_product(queue_, {.count = static_cast<int>(unknowns_.size())},
                         {.totals = totals_,
                          .sums = part_sums_,
                          .first_part = first_part_,
                          .images = unknowns_.images(),
                          .is_active = is_active_,
                          .damping = damping,
                          .vector = vector,
                          .product = product});
  priors_.add_product(launch_, vector, product);
}

std::vector<double> Terms::points_gradient() {
  solve_points(nullptr, 1);
  multiply_views(nullptr);
  std::vector<double> out =
      unknowns_.summed(sum_views(unknowns_.view_size()), unknowns_.view_size(), 0);
  for (double& v : out) v = -v;
  return out;
}

Trial Terms::try_step(std::span<const double> step, const Views& moved, double lambda) {
  vector_.upload(queue_, step);
  solve_points(&vector_, 1);
  upload_views(moved, trial_scene_);
  launch_.try_points(queue_, {.count = point_lanes_},
                     {.poses = trial_scene_.poses,
                      .image_cameras = image_cameras_,
                      .cameras = trial_scene_.cameras,
                      .kinds = unknowns_.kinds(),
                      .used = unknowns_.used(),
                      .columns = unknowns_.columns(),
                      .loss = loss_,
                      .loss_scale = loss_scale_,
                      .rows = observations_.by_point.rows,
                      .other = observations_.by_point.other,
                      .px = observations_.by_point.px,
                      .py = observations_.by_point.py,
                      .points = observations_.points,
                      .solved = solved_,
                      .normal = normal_,
                      .lanes = point_lanes_,
                      .lambda = lambda,
                      .moved = moved_,
                      .costs = costs_,
                      .decreases = decreases_,
                      .step_lengths = step_lengths_,
                      .point_lengths = point_lengths_});
  priors_.add_costs(launch_, moved_, costs_);
  return {.cost = reduce(costs_) + priors_.cost(moved),
          .decrease = reduce(decreases_),
          .step_length = reduce(step_lengths_),
          .point_length = reduce(point_lengths_)};
}

void Terms::accept() {
  std::swap(observations_.points, moved_);
  std::swap(scene_, trial_scene_);
}

const double* Terms::blocks_by_point() const {
  return reinterpret_cast<const double*>(point_blocks_.data());
}

void Terms::sum_chunks(int components) {
  launch_.sum_chunks(queue_, {.count = unknowns_.images() * components},
                     {.sums = sums_,
                      .lanes = chunk_lanes_,
                      .first_chunk = observations_.first_chunk,
                      .chunk_lane = observations_.chunk_lane,
                      .images = unknowns_.images(),
                      .components = components,
                      .totals = totals_});
}

std::vector<double> Terms::sum_views(int components) {
  sum_chunks(components);
  std::vector<double> totals(at(unknowns_.images()) * at(components));
  totals_.download(queue_, totals);
  queue_.wait();
  return totals;
}

double Terms::reduce(const Buffer<double>& numbers, bool is_largest) {
  const int parts = (point_lanes_ + REDUCTION - 1) / REDUCTION;
  launch_.reduce(queue_, {.count = parts},
                 {.numbers = numbers,
                  .size = point_lanes_,
                  .is_largest = is_largest ? 1 : 0,
                  .reduced = reduced_});
  std::vector<double> reduced(at(parts));
  reduced_.download(queue_, reduced);
  queue_.wait();
  double result = reduced.front();
  for (std::size_t i = 1; i < reduced.size(); ++i)
    result = is_largest ? std::max(result, reduced[i]) : result + reduced[i];
  return result;
}

}  // namespace bifocal::adjustment
