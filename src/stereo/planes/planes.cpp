// SPDX-License-Identifier: BSD-3-Clause
#include "stereo/planes/planes.hpp"

#include <algorithm>

#include "stereo/planes/planes.kernels.hpp"
#include "stereo/rules.hpp"

namespace bifocal::stereo {
namespace {

namespace planes = kernels::planes;

constexpr auto kSamples = static_cast<std::size_t>(Rules::PLANE_SAMPLES);

const planes::launch<float>& plane_kernels() {
  static const planes::launch<float> launch(planes::PLANES_THREADS, {});
  return launch;
}

bool is_too_long(ImageSize size) {
  return std::max(size.width, size.height) > Rules::PLANE_LONGEST;
}

int points_of(ImageSize size) {
  const int step = Rules::lattice_step(size.width, size.height);
  return Rules::lattice_side(size.width, step) * Rules::lattice_side(size.height, step);
}

// Returns an upper limit of the number of regions with enough samples, at least 1.
int most_regions(ImageSize size) {
  return is_too_long(size) ? 1 : std::max(1, points_of(size) / Rules::PLANE_FEWEST);
}

}  // namespace

std::size_t PlaneFill::bytes(DeviceKind kind, ImageSize size) {
  const int regions = kind == DeviceKind::cpu ? 0 : most_regions(size);
  return static_cast<std::size_t>(regions) * (6 * Rules::PLANE_SAMPLES + 4 * planes::PLANE_NUMBERS +
                                              4 * planes::TALLY_NUMBERS + 8) +
         4 * static_cast<std::size_t>(most_regions(size)) +
         4 * static_cast<std::size_t>(size.pixels()) + 4;
}

PlaneFill::PlaneFill(const Device& device, ImageSize size) : size_(size) {
  step_ = Rules::lattice_step(size.width, size.height);
  across_ = Rules::lattice_side(size.width, step_);
  points_ = is_too_long(size) ? 0 : points_of(size);
  known_ = Buffer<std::uint32_t>(device, static_cast<std::size_t>(size.pixels()));
  regions_ = Buffer<std::uint32_t>(device, static_cast<std::size_t>(most_regions(size)) + 1);
  if (device.info().kind != DeviceKind::cpu) reserve(device, most_regions(size));
}

void PlaneFill::reserve(const Device& device, int count) {
  if (count <= capacity_) return;
  capacity_ = count;
  const auto regions = static_cast<std::size_t>(count);
  region_known_ = Buffer<std::uint32_t>(device, regions);
  best_ = Buffer<std::uint32_t>(device, regions);
  samples_ = Buffer<std::uint32_t>(device, regions * kSamples);
  values_ = Buffer<std::uint16_t>(device, regions * kSamples);
  tally_ = Buffer<std::uint32_t>(device, regions * static_cast<std::size_t>(planes::TALLY_NUMBERS));
  planes_ = Buffer<int>(device, regions * static_cast<std::size_t>(planes::PLANE_NUMBERS));
}

void PlaneFill::find_flat(Queue& queue, const WinnerMaps& winners,
                          const DisparityBuffer& flat) const {
  const std::ptrdiff_t stride = winners.brightness_stride;
  plane_kernels().planes_flat(queue, {.count = size_.height},
                              {.brightness = winners.brightness,
                               .stride = stride == 0 ? std::ptrdiff_t{size_.width} : stride,
                               .width = size_.width,
                               .height = size_.height,
                               .flat = flat,
                               .known = known_,
                               .regions = regions_});
}

// Finds the regions with enough known points and collects their samples. Returns the number of
// regions for which the next kernels are launched.
int PlaneFill::find_samples(Queue& queue, const DisparityBuffer& disparity,
                            const Buffer<std::uint32_t>& labels) {
  const kernels::lattice<float> grid = {
      .disparity = disparity, .width = size_.width, .step = step_, .across = across_};
  if (points_ > 0)
    plane_kernels().planes_count(
        queue, {.count = points_},
        {.grid = grid, .labels = labels, .known = known_, .regions = regions_});
  // The host can read the number of regions only if the device is a CPU.
  const bool is_cpu = queue.device().info().kind == DeviceKind::cpu;
  const int regions = is_cpu ? static_cast<int>(*regions_.data()) : capacity_,
            places = regions * Rules::PLANE_SAMPLES;
  reserve(queue.device(), regions);
  plane_kernels().planes_open(queue, {.count = places},
                              {.regions = regions_,
                               .known = known_,
                               .region_known = region_known_,
                               .best = best_,
                               .tally = tally_,
                               .samples = samples_});
  if (points_ > 0)
    plane_kernels().planes_sample(
        queue, {.count = points_},
        {.grid = grid, .labels = labels, .known = known_, .samples = samples_});
  plane_kernels().planes_point(
      queue, {.count = places},
      {.grid = grid, .regions = regions_, .samples = samples_, .values = values_});
  return regions;
}

void PlaneFill::run(Queue& queue, const DisparityBuffer& disparity,
                    const Buffer<std::uint32_t>& labels, const Buffer<std::uint32_t>& sizes,
                    const DisparityBuffer& filled) {
  const int regions = find_samples(queue, disparity, labels);
  plane_kernels().planes_try(
      queue, {.count = regions * Rules::PLANE_TRIALS},
      {.regions = regions_, .samples = samples_, .values = values_, .best = best_});
  plane_kernels().planes_tally(queue, {.count = regions * Rules::PLANE_SAMPLES},
                               {.regions = regions_,
                                .samples = samples_,
                                .values = values_,
                                .best = best_,
                                .tally = tally_,
                                .planes = planes_});
  plane_kernels().planes_fill(queue, {.count = size_.pixels()},
                              {.disparity = disparity,
                               .labels = labels,
                               .known = known_,
                               .sizes = sizes,
                               .region_known = region_known_,
                               .tally = tally_,
                               .planes = planes_,
                               .width = size_.width,
                               .step = step_,
                               .filled = filled});
}

}  // namespace bifocal::stereo
