// SPDX-License-Identifier: BSD-3-Clause
#include "stereo/sgm_device.hpp"

#include <fmt/format.h>

#include <array>
#include <map>
#include <mutex>
#include <tuple>

#include <bifocal/error.hpp>

#include "runtime/kernel.hpp"
#include "stereo/disparity_text.hpp"

namespace bifocal::stereo {
#if !BIFOCAL_HAS_CUDA
const void* cuda_sgm_kernel(SgmKernel, int, TeamShape, int) { return nullptr; }
#endif
namespace {

using Text = disparity_text;
using runtime::Argument;
using runtime::Kernel;
using runtime::Launch;

constexpr int kCostRun = 32;  // COST_RUN of sgm.kernel.h
constexpr const char* kEntries[] = {"sgm_smooth", "sgm_census", "sgm_cost", "sgm_paths",
                                    "sgm_winners"};

// Warps have words to speak with each other; elsewhere a work-item holds all of a pixel.
bool has_warps(const DeviceInfo& device) {
  return device.kind == DeviceKind::cuda || device.driver.find("NVIDIA") != std::string::npos ||
         device.name.find("NVIDIA") != std::string::npos;
}

TeamShape shape_for(const DeviceInfo& device, int disparities) {
  if (!has_warps(device)) return {1, (disparities + 3) / 4};
  for (const TeamShape& shape : kTeamShapes) {
    if (shape.disparities() >= disparities) return shape;
  }
  return kTeamShapes[std::size(kTeamShapes) - 1];
}

const Kernel& kernel_of(SgmKernel kernel, int pixel_bits, int census, TeamShape shape, int paths) {
  static std::mutex mutex;
  static std::map<std::tuple<int, int, int, int, int, int>, Kernel> made;
  const std::lock_guard lock(mutex);
  const auto key =
      std::tuple(static_cast<int>(kernel), pixel_bits, census, shape.team, shape.words, paths);
  const auto found = made.find(key);
  if (found != made.end()) return found->second;
  return made
      .emplace(key, Kernel{.entry = kEntries[static_cast<int>(kernel)],
                           .text = "sgm",
                           .constants = {{"REAL_IS_FLOAT", 1},
                                         {"GROUP_SIZE", 1},
                                         {"PIXEL_BITS", pixel_bits},
                                         {"CENSUS_KIND", census},
                                         {"TEAM", shape.team},
                                         {"WORDS", shape.words},
                                         {"PATHS", paths}},
                           .cuda = cuda_sgm_kernel(kernel, pixel_bits, shape, paths)})
      .first->second;
}

int groups_of(std::int64_t items, int threads) {
  return static_cast<int>((items + threads - 1) / threads);
}

}  // namespace

SgmDevice::SgmDevice(Queue& queue, int width, int height, int pixel_bits, const SgmOptions& options)
    : width_(width), height_(height), pixel_bits_(pixel_bits), options_(options) {
  const Device& device = queue.device();
  const DeviceInfo& info = device.info();
  shape_ = shape_for(info, options.disparities);
  const auto area = static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
  const auto words = static_cast<std::size_t>(shape_.team * shape_.words);
  const std::size_t full = options.census == Census::full ? 2 * area : 1;
  const auto paths = static_cast<std::size_t>(options.paths);
  bytes_ = area * (4 + 2 + 2 * 4 + 2 * 2 + 1 + 4 * words * (1 + paths)) + full * 4 + 256;
  key_bytes_ = static_cast<std::size_t>(width) * sizeof(std::uint32_t);
  if (info.local_memory > 0 && key_bytes_ > static_cast<std::size_t>(info.local_memory))
    throw Error(
        ErrorCode::device,
        fmt::format("stereo_sgm: {} ({}): rows of {} pixels; its groups share memory for {}",
                    info.id, info.name, width, info.local_memory / 4));
  if (options.max_memory > 0 && bytes_ > options.max_memory)
    throw Error(
        ErrorCode::usage,
        fmt::format("max_memory = {} bytes: on {} {} x {} pixels with {} disparities take {}",
                    options.max_memory, info.id, width, height, options.disparities, bytes_));
  smoothed_ = Buffer<std::uint16_t>(device, 2 * area);
  brightness_ = Buffer<std::uint8_t>(device, 2 * area);
  codes_ = Buffer<std::uint32_t>(device, 2 * area);
  high_ = Buffer<std::uint32_t>(device, full);
  costs_ = Buffer<std::uint32_t>(device, area * words);
  volumes_ = Buffer<std::uint32_t>(device, area * words * paths);
  steps_ = Buffer<std::uint16_t>(device, area);
  right_index_ = Buffer<std::uint16_t>(device, area);
  confidence_ = Buffer<std::uint8_t>(device, area);
  jumps_ = Buffer<std::uint8_t>(device, 256);
  std::array<std::uint8_t, 256> jumps{};
  for (int g = 0; g < 256; ++g)
    jumps[static_cast<std::size_t>(g)] =
        static_cast<std::uint8_t>(Text::jump_penalty(options.P2, options.P2_contrast, g));
  jumps_.upload(queue, jumps);
  queue.wait();
}

template <class Pixel>
void SgmDevice::run(Queue& queue, const Memory<const Pixel>& left,
                    const Memory<const Pixel>& right) {
  const std::int64_t area = std::int64_t{width_} * height_;
  const int white = options_.white > 0 ? options_.white : pixel_bits_ == 8 ? 255 : 65535;
  const int is_full = options_.census == Census::full ? 1 : 0;
  const int words = shape_.team * shape_.words;
  const auto launch = [&](SgmKernel kernel, const Launch& how,
                          std::initializer_list<Argument> arguments) {
    runtime::launch(
        queue,
        kernel_of(kernel, pixel_bits_, static_cast<int>(options_.census), shape_, options_.paths),
        how, std::span(arguments.begin(), arguments.size()));
  };
  const Launch pixels = {.groups = groups_of(2 * area, kPixelThreads), .group_size = kPixelThreads};
  launch(SgmKernel::smooth, pixels, {left, right, width_, height_, white, smoothed_, brightness_});
  launch(SgmKernel::census, pixels,
         {smoothed_, width_, height_, static_cast<int>(options_.census),
          Text::census_margin(white, pixel_bits_ == 8), codes_, high_});
  const int runs = groups_of(width_, kCostRun);
  launch(SgmKernel::cost,
         {.groups = groups_of(std::int64_t{height_} * runs * words, kPixelThreads),
          .group_size = kPixelThreads},
         {codes_, high_, is_full, width_, height_, options_.disparities, options_.min_disparity,
          options_.vertical_tolerance, words, runs, costs_});
  const int path_threads = shape_.team == 1 ? 1 : kPathThreads,
            winner_threads = shape_.team == 1 ? 1 : kWinnerThreads;
  const std::int64_t lines = 2 * (std::int64_t{width_} + height_) +
                             (options_.paths == 8 ? 4 * (std::int64_t{width_} + height_ - 1) : 0);
  launch(SgmKernel::paths,
         {.groups = groups_of(lines * shape_.team, path_threads), .group_size = path_threads},
         {width_, height_, options_.paths, costs_, brightness_, jumps_, options_.P1, volumes_});
  launch(SgmKernel::winners,
         {.groups = height_, .group_size = winner_threads, .local_bytes = key_bytes_},
         {width_, height_, options_.disparities, options_.min_disparity, options_.filter.uniqueness,
          options_.paths * options_.P1, volumes_, steps_, confidence_, right_index_});
}

template void SgmDevice::run(Queue&, const Memory<const std::uint8_t>&,
                             const Memory<const std::uint8_t>&);
template void SgmDevice::run(Queue&, const Memory<const std::uint16_t>&,
                             const Memory<const std::uint16_t>&);

}  // namespace bifocal::stereo
