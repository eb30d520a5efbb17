// SPDX-License-Identifier: BSD-3-Clause
// Twin: aggregate.cpp (CPUs). Semi-global matching on GPUs.
#include "stereo/sgm/sgm_device.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include <bifocal/error.hpp>

#include "stereo/rules.hpp"
#include "stereo/sgm/sgm.kernels.hpp"

namespace bifocal::stereo {
namespace {

namespace sgm = kernels::sgm;
using sgm::LINE_PAD;  // used by PADDED_LINES

// Returns the team shape for the device. The members of a team read each other's registers by
// inline PTX (lane/team_*.h); on other devices one work-item holds all words of a pixel.
TeamShape shape_for(const DeviceInfo& device, int disparities) {
  if (!device.inline_ptx) return {1, (disparities + 3) / 4, 1};
  const TeamShape* shape = std::begin(kTeamShapes);
  while (shape + 1 != std::end(kTeamShapes) && shape->disparities() < disparities) ++shape;
  // An OpenCL program has one team size only.
  const int row_team = device.kind == DeviceKind::cuda ? shape->row_team : shape->team;
  return {shape->team, shape->words, row_team};
}

// Returns the constants of a source, in the order of sgm.cu.
runtime::Constants constants_of(int pixel_bits, int census, TeamShape shape, int paths) {
  return {{"PIXEL_BITS", pixel_bits},
          {"CENSUS_KIND", census},
          {"TEAM", shape.team},
          {"WORDS", shape.words},
          {"PATHS", paths}};
}
constexpr TeamShape kNoTeam{1, 1, 1};

int groups_of(std::int64_t items, int threads) {
  return static_cast<int>((items + threads - 1) / threads);
}

}  // namespace

SgmDevice::SgmDevice(Queue& queue, ImageSize size, int pixel_bits, const SgmOptions& options,
                     std::size_t rest)
    : width_(size.width),
      height_(size.height),
      pixel_bits_(pixel_bits),
      options_(options),
      shape_(shape_for(queue.device().info(), options.disparities)),
      smooth_(sgm::SGM_PIXEL_THREADS, constants_of(pixel_bits, 0, kNoTeam, 4)),
      census_(sgm::SGM_PIXEL_THREADS,
              constants_of(8, static_cast<int>(options.census), kNoTeam, 4)),
      cost_(sgm::SGM_PIXEL_THREADS, constants_of(8, 0, kNoTeam, 4)),
      paths_(shape_.team == 1 ? 1 : sgm::SGM_PATH_THREADS,
             constants_of(8, 0, shape_, options.paths)),
      winners_(shape_.team == 1 ? 1 : sgm::SGM_WINNER_THREADS,
               constants_of(8, 0, shape_, options.paths)) {
  const Device& device = queue.device();
  check_row(device.info());
  plan_band(device.info(), rest);
  const auto area = static_cast<std::size_t>(width_) * static_cast<std::size_t>(height_);
  const auto words = static_cast<std::size_t>(shape_.team * shape_.words);
  const std::size_t full = options.census == Census::full ? 2 * area : 1;
  const auto paths = static_cast<std::size_t>(options.paths);
  smoothed_ = Buffer<std::uint16_t>(device, 2 * area);
  brightness_ = Buffer<std::uint8_t>(device, 2 * area);
  codes_ = Buffer<std::uint32_t>(device, 2 * area);
  high_ = Buffer<std::uint32_t>(device, full);
  const std::size_t row = static_cast<std::size_t>(width_) * words,
                    band = row * static_cast<std::size_t>(band_);
  costs_ = Buffer<std::uint32_t>(device, band);
  volumes_ = Buffer<std::uint32_t>(device, band * paths);
  const int bands = (height_ + band_ - 1) / band_;
  for (auto& state : down_) state = Buffer<std::uint32_t>(device, bands > 1 ? 3 * row : 1);
  for (int b = 0; b < std::max(1, bands - 1); ++b)
    up_.emplace_back(device, bands > 1 ? 3 * row : 1);
  right_index_ = Buffer<std::uint16_t>(device, area);
  confidence_ = Buffer<std::uint8_t>(device, area);
  clear_ = Buffer<std::uint32_t>(device, 1);
  jumps_ = Buffer<std::uint8_t>(device, 256);
  pixel_jumps_ = Buffer<std::uint32_t>(device, area + static_cast<std::size_t>(width_) + 1);
  upload_jumps(queue);
}

void SgmDevice::upload_jumps(Queue& queue) {
  std::array<std::uint8_t, 256> jumps{};
  for (int g = 0; g < 256; ++g)
    jumps[static_cast<std::size_t>(g)] =
        static_cast<std::uint8_t>(Rules::jump_penalty(options_.P2, options_.P2_contrast, g));
  jumps_.upload(queue, jumps);
  const std::vector<std::uint32_t> none(pixel_jumps_.size());
  pixel_jumps_.upload(queue, none);
  queue.wait();
}

// Checks the local memory: a group of sgm_winners shares one key per pixel of a row.
void SgmDevice::check_row(const DeviceInfo& info) {
  const auto width = static_cast<std::size_t>(width_);
  key_bytes_ = sgm::SGM_KEY_BYTES * width;
  const std::size_t near_bytes =
                        sgm::SGM_NEAR_BYTES * static_cast<std::size_t>(winners_.group_size()),
                    has = static_cast<std::size_t>(info.local_memory);
  if (info.local_memory > 0 && key_bytes_ + near_bytes > has)
    throw Error(
        ErrorCode::device,
        fmt::format("stereo_sgm: {} ({}): rows of {} pixels; its groups share memory for {}",
                    info.id, info.name, width_, (has - near_bytes) / sgm::SGM_KEY_BYTES));
}

// Chooses the largest band that fits.
void SgmDevice::plan_band(const DeviceInfo& info, std::size_t rest) {
  const auto width = static_cast<std::size_t>(width_), height = static_cast<std::size_t>(height_);
  const auto words = static_cast<std::size_t>(shape_.team * shape_.words);
  const std::size_t whole =
      width * height * (2 * (2 + 1 + 4) + 2 + 1 + 4 + (options_.census == Census::full ? 8 : 0)) +
      4 * width + 264;
  const std::size_t row = 4 * width * words;
  const auto bytes_of = [&](std::size_t band) {
    const std::size_t bands = (height + band - 1) / band;
    return whole + band * row * (1 + static_cast<std::size_t>(options_.paths)) +
           (bands > 1 ? (bands + 1) * 3 * row : 0);
  };
  // A fifth of the device's memory remains for other uses. No buffer exceeds the device's limit.
  std::size_t most = info.memory > 0 ? static_cast<std::size_t>(info.memory) / 5 * 4 : SIZE_MAX;
  const std::size_t allowed = options_.max_memory > rest ? options_.max_memory - rest : 0;
  const bool is_limited = options_.max_memory > 0 && allowed < most;
  if (is_limited) most = allowed;
  std::size_t band = height;
  if (info.largest_buffer > 0)
    band = std::min(band, static_cast<std::size_t>(info.largest_buffer) /
                              (row * static_cast<std::size_t>(options_.paths)));
  // Kernels count the words of a band in 32 bits.
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
  if (is_limited)
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

WinnerMaps SgmDevice::run(Queue& queue, const Memory<const std::uint8_t>& left,
                          const Memory<const std::uint8_t>& right,
                          const DisparityBuffer& disparity) {
  return search(queue, left, right, disparity);
}
WinnerMaps SgmDevice::run(Queue& queue, const Memory<const std::uint16_t>& left,
                          const Memory<const std::uint16_t>& right,
                          const DisparityBuffer& disparity) {
  return search(queue, left, right, disparity);
}

WinnerMaps SgmDevice::search(Queue& queue, const runtime::Argument& left,
                             const runtime::Argument& right, const DisparityBuffer& disparity) {
  find_codes(queue, left, right);
  const int bands = groups_of(height_, band_);
  const auto rows_of = [&](int band) { return std::min(band_, height_ - band * band_); };
  for (int band = bands - 1; band > 0; --band) {
    find_costs(queue, band * band_, rows_of(band));
    find_paths(queue, band, rows_of(band), {sgm::UP, 0, sgm::UP});
  }
  for (int band = 0; band < bands; ++band) {
    find_costs(queue, band * band_, rows_of(band));
    find_paths(queue, band, rows_of(band),
               {sgm::ALONG_ROWS | sgm::DOWN | sgm::UP, 1, band < bands - 1 ? sgm::DOWN : 0});
    find_winners(queue, band * band_, rows_of(band), disparity);
  }
  return {disparity, right_index_, confidence_, brightness_};
}

void SgmDevice::find_codes(Queue& queue, const runtime::Argument& left,
                           const runtime::Argument& right) {
  using Bytes = runtime::Array<const std::uint8_t>;
  const int white = options_.white > 0 ? options_.white : pixel_bits_ == 8 ? 255 : 65535;
  const runtime::Launch pixels = {
      .count = groups_of(2 * std::int64_t{width_} * height_, sgm::SGM_PIXEL_THREADS)};
  smooth_.sgm_smooth(queue, pixels,
                     {.left = Bytes(left),
                      .right = Bytes(right),
                      .width = width_,
                      .height = height_,
                      .white = white,
                      .smoothed = smoothed_,
                      .brightness = brightness_,
                      .clear = clear_});
  census_.sgm_census(queue, pixels,
                     {.smoothed = smoothed_,
                      .brightness = brightness_,
                      .jumps = jumps_,
                      .width = width_,
                      .height = height_,
                      .margin = Rules::census_margin(white, pixel_bits_ == 8),
                      .codes = codes_,
                      .high = high_,
                      .pixel_jumps = pixel_jumps_});
  if (samples() > 0)
    cost_.sgm_clear(queue, {.count = samples()},
                    {.codes = codes_,
                     .high = high_,
                     .is_full = options_.census == Census::full,
                     .width = width_,
                     .height = height_,
                     .disparities = options_.disparities,
                     .min_disparity = options_.min_disparity,
                     .across = samples_in_row(),
                     .clear = clear_});
}

int SgmDevice::samples_in_row() const {
  return Rules::samples_in_row(width_, options_.disparities, options_.min_disparity);
}
int SgmDevice::samples() const { return samples_in_row() * groups_of(height_, Rules::SAMPLE_STEP); }

void SgmDevice::find_costs(Queue& queue, int row0, int rows) {
  const int runs = groups_of(width_, sgm::COST_RUN), words = shape_.team * shape_.words;
  cost_.sgm_cost(queue, {.count = rows * runs * words},
                 {.codes = codes_,
                  .high = high_,
                  .is_full = options_.census == Census::full,
                  .width = width_,
                  .height = height_,
                  .disparities = options_.disparities,
                  .min_disparity = options_.min_disparity,
                  .tolerance = options_.vertical_tolerance,
                  .pixel_words = words,
                  .runs = runs,
                  .row0 = row0,
                  .costs = costs_});
}

void SgmDevice::find_paths(Queue& queue, int band, int rows, const Sweep& sweep) {
  const int threads = paths_.group_size();
  const std::int64_t columns = options_.paths == 8 ? 6 : 2, width = width_;
  const int row_groups = groups_of(PADDED_LINES(2 * std::int64_t{rows}) * shape_.row_team, threads),
            column_groups = groups_of(columns * PADDED_LINES(width) * shape_.team, threads);
  const auto last = up_.size() - 1, here = static_cast<std::size_t>(band);
  paths_.sgm_paths(queue, {.count = row_groups + column_groups},
                   {.row_groups = row_groups,
                    .width = width_,
                    .height = height_,
                    .row0 = band * band_,
                    .rows = rows,
                    .directions = sweep.directions,
                    .keeps = sweep.keeps,
                    .leaves = sweep.leaves,
                    .disparities = options_.disparities,
                    .costs = costs_,
                    .pixel_jumps = pixel_jumps_,
                    .P1 = options_.P1,
                    .volumes = volumes_,
                    .down_in = down_[here % 2],
                    .up_in = up_[std::min(here, last)],
                    .down_out = down_[1 - here % 2],
                    .up_out = up_[here > 0 ? here - 1 : 0]});
}

void SgmDevice::find_winners(Queue& queue, int row0, int rows, const DisparityBuffer& disparity) {
  winners_.sgm_winners(queue, {.count = rows, .local_bytes = key_bytes_},
                       {.width = width_,
                        .rows = rows,
                        .row0 = row0,
                        .disparities = options_.disparities,
                        .min_disparity = options_.min_disparity,
                        .uniqueness = options_.filter.uniqueness,
                        .step_cost = options_.paths * options_.P1,
                        .clear = clear_,
                        .needed = Rules::clear_needed(samples()),
                        .volumes = volumes_,
                        .disparity = disparity,
                        .confidence = confidence_,
                        .right_index = right_index_});
}

}  // namespace bifocal::stereo
