// SPDX-License-Identifier: BSD-3-Clause
#include "stereo/sgm_device.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
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
  if (!has_warps(device)) return {1, (disparities + 3) / 4, 1};
  const TeamShape* shape = std::begin(kTeamShapes);
  while (shape + 1 != std::end(kTeamShapes) && shape->disparities() < disparities) ++shape;
  // An OpenCL program knows one size of teams.
  const int row_team = device.kind == DeviceKind::cuda ? shape->row_team : shape->team;
  return {shape->team, shape->words, row_team};
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
                                         {"PATHS", paths},
                                         {"WINNER_MEMBERS", shape.team == 1 ? 1 : kWinnerThreads}},
                           .cuda = cuda_sgm_kernel(kernel, pixel_bits, shape, paths)})
      .first->second;
}

// padded_lines of sgm.kernel.h.
std::int64_t padded_lines(std::int64_t lines) { return (lines + 31) / 32 * 32; }

int groups_of(std::int64_t items, int threads) {
  return static_cast<int>((items + threads - 1) / threads);
}

}  // namespace

SgmDevice::SgmDevice(Queue& queue, int width, int height, int pixel_bits, const SgmOptions& options,
                     std::size_t rest)
    : width_(width), height_(height), pixel_bits_(pixel_bits), options_(options) {
  const Device& device = queue.device();
  const DeviceInfo& info = device.info();
  shape_ = shape_for(info, options.disparities);
  const auto area = static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
  const auto words = static_cast<std::size_t>(shape_.team * shape_.words);
  const std::size_t full = options.census == Census::full ? 2 * area : 1;
  const auto paths = static_cast<std::size_t>(options.paths);
  key_bytes_ = static_cast<std::size_t>(width) * sizeof(std::uint32_t);
  // And words_beside of sgm.kernel.h for each member.
  const std::size_t shared = key_bytes_ + 24 * (shape_.team == 1 ? 1 : kWinnerThreads);
  if (info.local_memory > 0 && shared > static_cast<std::size_t>(info.local_memory))
    throw Error(
        ErrorCode::device,
        fmt::format("stereo_sgm: {} ({}): rows of {} pixels; its groups share memory for {}",
                    info.id, info.name, width,
                    (static_cast<std::size_t>(info.local_memory) - shared + key_bytes_) / 4));
  plan_band(info, rest);
  smoothed_ = Buffer<std::uint16_t>(device, 2 * area);
  brightness_ = Buffer<std::uint8_t>(device, 2 * area);
  codes_ = Buffer<std::uint32_t>(device, 2 * area);
  high_ = Buffer<std::uint32_t>(device, full);
  const std::size_t row = static_cast<std::size_t>(width) * words,
                    band = row * static_cast<std::size_t>(band_);
  costs_ = Buffer<std::uint32_t>(device, band);
  volumes_ = Buffer<std::uint32_t>(device, band * paths);
  const int bands = (height + band_ - 1) / band_;
  for (auto& state : down_) state = Buffer<std::uint32_t>(device, bands > 1 ? 3 * row : 1);
  for (int b = 0; b < std::max(1, bands - 1); ++b)
    up_.emplace_back(device, bands > 1 ? 3 * row : 1);
  steps_ = Buffer<std::uint16_t>(device, area);
  right_index_ = Buffer<std::uint16_t>(device, area);
  confidence_ = Buffer<std::uint8_t>(device, area);
  jumps_ = Buffer<std::uint8_t>(device, 256);
  std::array<std::uint8_t, 256> jumps{};
  for (int g = 0; g < 256; ++g)
    jumps[static_cast<std::size_t>(g)] =
        static_cast<std::uint8_t>(Text::jump_penalty(options.P2, options.P2_contrast, g));
  jumps_.upload(queue, jumps);
  const std::vector<std::uint8_t> none(4 * (area + static_cast<std::size_t>(width) + 1));
  pixel_jumps_ = Buffer<std::uint8_t>(device, none.size());
  pixel_jumps_.upload(queue, none);
  queue.wait();
}

// The highest band that fits.
void SgmDevice::plan_band(const DeviceInfo& info, std::size_t rest) {
  const auto width = static_cast<std::size_t>(width_), height = static_cast<std::size_t>(height_);
  const auto words = static_cast<std::size_t>(shape_.team * shape_.words);
  const std::size_t whole =
      width * height *
          (2 * (2 + 1 + 4) + 2 * 2 + 1 + 4 + (options_.census == Census::full ? 8 : 0)) +
      4 * width + 264;
  const std::size_t row = 4 * width * words;
  const auto bytes_of = [&](std::size_t band) {
    const std::size_t bands = (height + band - 1) / band;
    return whole + band * row * (1 + static_cast<std::size_t>(options_.paths)) +
           (bands > 1 ? (bands + 1) * 3 * row : 0);
  };
  // A fifth of the device's memory is left to others; no buffer is larger than it allows.
  std::size_t most = info.memory > 0 ? static_cast<std::size_t>(info.memory) / 5 * 4 : SIZE_MAX;
  const std::size_t allowed = options_.max_memory > rest ? options_.max_memory - rest : 0;
  const bool asked = options_.max_memory > 0 && allowed < most;
  if (asked) most = allowed;
  std::size_t band = height;
  if (info.largest_buffer > 0)
    band = std::min(band, static_cast<std::size_t>(info.largest_buffer) /
                              (row * static_cast<std::size_t>(options_.paths)));
  // Kernels count a band's words in 32 bits.
  band = std::min(band, static_cast<std::size_t>(std::numeric_limits<int>::max()) /
                            (width * words * static_cast<std::size_t>(options_.paths)));
  band = std::max<std::size_t>(1, band);
  std::size_t least = SIZE_MAX;
  for (std::size_t bands = (height + band - 1) / band; bands <= height; ++bands) {
    band = (height + bands - 1) / bands;
    bytes_ = bytes_of(band);
    least = std::min(least, bytes_);
    if (bytes_ <= most) {
      band_ = static_cast<int>(band);
      return;
    }
  }
  if (asked)
    throw Error(ErrorCode::usage,
                fmt::format("max_memory = {} bytes: {} x {} pixels with {} disparities take at "
                            "least {} on {}",
                            options_.max_memory, width_, height_, options_.disparities,
                            least + rest, info.id));
  throw Error(
      ErrorCode::device,
      fmt::format("stereo_sgm: {} x {} pixels with {} disparities take at least {} bytes on "
                  "{}, of which {} may be taken",
                  width_, height_, options_.disparities, least, info.id, most));
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
         {smoothed_, brightness_, jumps_, width_, height_, static_cast<int>(options_.census),
          Text::census_margin(white, pixel_bits_ == 8), codes_, high_, pixel_jumps_});
  const int runs = groups_of(width_, kCostRun), bands = groups_of(height_, band_);
  const int path_threads = shape_.team == 1 ? 1 : kPathThreads,
            winner_threads = shape_.team == 1 ? 1 : kWinnerThreads;
  enum { along_rows = 1, down = 2, up = 4, leaves_down = 1, leaves_up = 2 };
  const auto find_costs = [&](int row0, int rows) {
    launch(SgmKernel::cost,
           {.groups = groups_of(std::int64_t{rows} * runs * words, kPixelThreads),
            .group_size = kPixelThreads},
           {codes_, high_, is_full, width_, height_, options_.disparities, options_.min_disparity,
            options_.vertical_tolerance, words, runs, row0, rows, costs_});
  };
  const auto find_paths = [&](int band, int rows, int directions, int keeps, int leaves) {
    const int row_groups =
                  groups_of(padded_lines(2 * std::int64_t{rows}) * shape_.row_team, path_threads),
              column_groups = groups_of(
                  (options_.paths == 8 ? 6 : 2) * padded_lines(width_) * shape_.team, path_threads);
    const auto last = up_.size() - 1, here = static_cast<std::size_t>(band);
    launch(SgmKernel::paths, {.groups = row_groups + column_groups, .group_size = path_threads},
           {row_groups, width_, height_, band * band_, rows, directions, keeps, leaves,
            options_.disparities, costs_, pixel_jumps_, options_.P1, volumes_, down_[here % 2],
            up_[std::min(here, last)], down_[1 - here % 2], up_[here > 0 ? here - 1 : 0]});
  };
  const auto rows_of = [&](int band) { return std::min(band_, height_ - band * band_); };
  for (int band = bands - 1; band > 0; --band) {
    find_costs(band * band_, rows_of(band));
    find_paths(band, rows_of(band), up, 0, leaves_up);
  }
  for (int band = 0; band < bands; ++band) {
    const int row0 = band * band_, rows = rows_of(band);
    find_costs(row0, rows);
    find_paths(band, rows, along_rows | down | up, 1, band < bands - 1 ? leaves_down : 0);
    launch(SgmKernel::winners,
           {.groups = rows, .group_size = winner_threads, .local_bytes = key_bytes_},
           {width_, rows, row0, options_.disparities, options_.min_disparity,
            options_.filter.uniqueness, options_.paths * options_.P1, volumes_, steps_, confidence_,
            right_index_});
  }
}

template void SgmDevice::run(Queue&, const Memory<const std::uint8_t>&,
                             const Memory<const std::uint8_t>&);
template void SgmDevice::run(Queue&, const Memory<const std::uint16_t>&,
                             const Memory<const std::uint16_t>&);

}  // namespace bifocal::stereo
