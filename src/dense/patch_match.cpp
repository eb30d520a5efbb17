// SPDX-License-Identifier: BSD-3-Clause
#include "dense/patch_match.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include "runtime/uploaded.hpp"

namespace bifocal::dense {
namespace {

namespace kernel = kernels::patch_match;

// Returns PATCH_RANDOM numbers in [-1, 1) and one more row of numbers, so that a row can start at
// any of the first PATCH_RANDOM.
std::vector<float> random_numbers(int across) {
  std::mt19937 generator(7);
  std::vector<float> values(
      static_cast<std::size_t>(kernel::PATCH_RANDOM + across + kernel::PATCH_MARGIN));
  for (float& v : values) v = static_cast<float>(generator() / 2147483648.0 - 1);
  return values;
}

// Search at a level of the pyramid. The coarsest level finds the planes; finer levels improve them
// and find surfaces that are too thin for coarser levels.
struct Search {
  int rounds, neighbours, moves, guesses;
};
Search search_at(int level, bool is_coarsest) {
  if (is_coarsest) return {8, 8, 3, 16};
  return level == 0 ? Search{2, 4, 3, 1} : Search{3, 8, 3, 1};
}

}  // namespace

PatchMatcher::PatchMatcher(Queue& queue, const Shape& largest, int most_views) {
  const Device& device = queue.device();
  const std::vector<float> zero(largest.size(), 0.0F);
  for (Planes& p : planes_)
    for (Buffer<float>* b : {&p.w, &p.wx, &p.wy}) *b = runtime::uploaded(queue, zero);
  for (Buffer<float>* b : {&cost_, &mean_, &variance_, &deviation_})
    *b = runtime::uploaded(queue, zero);
  random_ = runtime::uploaded(queue, random_numbers(largest.across()));
  const auto views = static_cast<std::size_t>(most_views);
  const auto level = [&] {
    return Level{{},
                 {device, kernel::PATCH_PLACE * (views + 1)},
                 {device, kernel::PATCH_GEOMETRY * views},
                 {},
                 {}};
  };
  for (std::size_t k = 0; k < largest.levels().size(); ++k) levels_.push_back(level());
  maps_ = level();
}

void PatchMatcher::upload(Queue& queue, Level& level, std::span<const int> slot_of,
                          std::span<const PlannedView> plan, std::size_t view, int number) {
  level.host_places.clear(), level.host_geometry.clear();
  const auto add_place = [&](std::size_t image, int slot) {
    const std::vector<Shape> shapes = plan[image].placed.shape.levels();
    std::size_t begin = 0;
    for (int k = 0; k < number; ++k) begin += shapes[static_cast<std::size_t>(k)].size();
    const Shape& shape = shapes[static_cast<std::size_t>(number)];
    for (const int value : {slot, static_cast<int>(begin), shape.width, shape.height})
      level.host_places.push_back(value);
    return shape;
  };
  level.shape = add_place(view, slot_of[0]);
  for (std::size_t k = 0; k < plan[view].sources.size(); ++k) {
    const auto source = static_cast<std::size_t>(plan[view].sources[k]);
    add_place(source, slot_of[k + 1]);
    const std::vector<float> geometry = geometry_of(plan[view].placed, plan[source].placed, number);
    level.host_geometry.insert(level.host_geometry.end(), geometry.begin(), geometry.end());
  }
  level.places.upload(queue, level.host_places);
  level.geometry.upload(queue, level.host_geometry);
}

void PatchMatcher::start(Queue& queue, const ViewSlots<std::uint32_t>& images,
                         const ViewSlots<float>& maps, std::span<const PlannedView> plan,
                         std::size_t view) {
  std::size_t levels = plan[view].placed.shape.levels().size();
  for (const int source : plan[view].sources)
    levels = std::min(levels, plan[static_cast<std::size_t>(source)].placed.shape.levels().size());
  for (std::size_t k = 0; k < levels; ++k)
    upload(queue, levels_[k], images.of, plan, view, static_cast<int>(k));
  if (maps.slots) upload(queue, maps_, maps.of, plan, view, 0);
  for (std::size_t k = levels; k-- > 0;)
    run(queue, images, maps, plan[view], static_cast<int>(k), static_cast<int>(levels));
}

kernels::patch_views<float> PatchMatcher::views_of(const ViewSlots<std::uint32_t>& images,
                                                   const ViewSlots<float>& maps,
                                                   const PlannedView& view, int number) const {
  constexpr float kDisagreement = 0.4F;
  const Level& level = levels_[static_cast<std::size_t>(number)];
  return {.images = images.slots->buffer(),
          .slot_size = images.slots->slot_size(),
          .places = level.places,
          .geometry = level.geometry,
          .across = level.shape.across(),
          // Without maps any array stands for them.
          .maps = maps.slots ? maps.slots->buffer() : cost_,
          .map_size = maps.slots ? maps.slots->slot_size() : 0,
          .map_places = maps_.places,
          .map_geometry = maps_.geometry,
          .scale = std::ldexp(1.0F, number),
          .weight = maps.slots ? kDisagreement : 0,
          .views = static_cast<int>(view.sources.size())};
}

kernels::patch_state<float> PatchMatcher::state_of(int number) const {
  const Planes& p = planes_[static_cast<std::size_t>(number % 2)];
  return {.w = p.w, .wx = p.wx, .wy = p.wy, .cost = cost_, .mean = mean_, .variance = variance_};
}

// Initialises the planes of a level from the coarser level, or at random.
void PatchMatcher::begin(Queue& queue, const Guess& guess, int number, bool is_coarsest) {
  const Level& level = levels_[static_cast<std::size_t>(number)];
  const Planes &p = planes_[static_cast<std::size_t>(number % 2)],
               &coarse = planes_[static_cast<std::size_t>((number + 1) % 2)];
  const int across = level.shape.across(), count = across * level.shape.height;
  if (is_coarsest) {
    patch_kernels().patch_scatter(queue, {.count = count},
                                  {.random = random_,
                                   .across = across,
                                   .farthest = guess.farthest,
                                   .nearest = guess.nearest,
                                   .slope = guess.slope,
                                   .w = p.w,
                                   .wx = p.wx,
                                   .wy = p.wy});
    return;
  }
  const Shape& half = levels_[static_cast<std::size_t>(number + 1)].shape;
  patch_kernels().patch_raise(queue, {.count = count},
                              {.coarse_w = coarse.w,
                               .coarse_wx = coarse.wx,
                               .coarse_wy = coarse.wy,
                               .coarse_width = half.width,
                               .coarse_height = half.height,
                               .across = across,
                               .w = p.w,
                               .wx = p.wx,
                               .wy = p.wy});
}

void PatchMatcher::run(Queue& queue, const ViewSlots<std::uint32_t>& images,
                       const ViewSlots<float>& maps, const PlannedView& view, int number,
                       int levels) {
  constexpr int kReach[] = {15, 7, 3, 5, 9};
  constexpr double kSteepest = 6;  // tangent of the tilt of a random plane
  const bool is_coarsest = number + 1 == levels;
  const Guess guess = {static_cast<float>(view.farthest), static_cast<float>(view.nearest),
                       static_cast<float>(std::ldexp(kSteepest / view.placed.camera.fx, number))};
  begin(queue, guess, number, is_coarsest);
  const Shape& shape = levels_[static_cast<std::size_t>(number)].shape;
  const kernels::patch_views<float> views = views_of(images, maps, view, number);
  const kernels::patch_state<float> state = state_of(number);
  const int across = shape.across(), count = across * shape.height;
  patch_kernels().patch_begin(queue, {.count = count}, {.seen = views, .state = state});
  const Search search = search_at(number, is_coarsest);
  for (int round = 0; round < search.rounds; ++round) {
    const float size = std::ldexp(1.0F, is_coarsest ? -round : -2 * (round + 1));
    for (const int parity : {0, 1})
      patch_kernels().patch_step(queue, {.count = across * ((shape.height + 1 - parity) / 2)},
                                 {.seen = views,
                                  .state = state,
                                  .random = random_,
                                  .parity = parity,
                                  .neighbours = search.neighbours,
                                  .reach = kReach[round % 5],
                                  .moves = search.moves,
                                  .guesses = search.guesses,
                                  .shift = std::max(0.25F, 8 * size),
                                  .tilt = std::max(0.03F, 0.5F * size),
                                  .farthest = guess.farthest,
                                  .nearest = guess.nearest,
                                  .slope = guess.slope,
                                  .seed = 64 * number + 2 * round + parity});
  }
  if (number == 0) end(queue, views, view, count);
}

// Writes the deviations of the finest planes.
void PatchMatcher::end(Queue& queue, const kernels::patch_views<float>& views,
                       const PlannedView& view, int count) {
  constexpr float kFloorPx = 0.1F, kMostCost = 0.6F;
  const Planes& p = planes_[0];
  patch_kernels().patch_finish(queue, {.count = count},
                               {.seen = views,
                                .mean = mean_,
                                .variance = variance_,
                                .floor_px = std::hypot(kFloorPx, static_cast<float>(view.error_px)),
                                .least_views = 1,
                                .most_cost = kMostCost,
                                .w = p.w,
                                .wx = p.wx,
                                .wy = p.wy,
                                .deviation = deviation_});
}

void PatchMatcher::finish(Queue& queue, const Shape& shape, std::span<float> planes) {
  std::size_t begin = 0;
  for (const Buffer<float>* b : {&planes_[0].w, &planes_[0].wx, &planes_[0].wy, &deviation_}) {
    b->download(queue, planes.subspan(begin, shape.size()));
    begin += shape.size();
  }
  queue.wait();
}

}  // namespace bifocal::dense
