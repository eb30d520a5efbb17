// SPDX-License-Identifier: BSD-3-Clause
#include <bifocal/error.hpp>

#include <fmt/format.h>

#include "collection/collect/resident.hpp"
#include "collection/collect/stages.hpp"
#include "features/any_detector.hpp"

namespace bifocal::collection {
namespace {

// The process takes so much without photographs: code, stacks, SQLite's pages.
constexpr std::int64_t kBytesOfProgram = std::int64_t{32} << 20;
// Features are not denser than one in so many pixels.
constexpr std::int64_t kPixelsOfFeature = 8;

std::int64_t memory_of_stages(const Job& job) {
  return std::max<std::int64_t>(0, job.options.max_memory - kBytesOfProgram);
}

}  // namespace

std::int64_t memory_of(const Job& job, const Device& device) {
  if (device.info().is_gpu) return job.options.max_memory;
  const auto& all = job.devices.devices();
  return memory_of_stages(job) /
         std::count_if(all.begin(), all.end(), [](const Device& d) { return !d.info().is_gpu; });
}

int images_on_each(const Job& job, std::int64_t images, std::int64_t bytes_of_image) {
  std::int64_t fit = std::max<std::int64_t>(2, images);
  if (job.options.block_size > 0) fit = std::min<std::int64_t>(fit, job.options.block_size);
  for (const Device& device : job.devices.devices())
    fit = std::min(fit, memory_of(job, device) / 2 / std::max<std::int64_t>(1, bytes_of_image));
  return static_cast<int>(std::max<std::int64_t>(2, fit));
}

std::int64_t host_memory(const Job& job) {
  return memory_of_stages(job) / static_cast<std::int64_t>(job.devices.devices().size());
}

std::int64_t check_memory(const Job& job, const std::string& name, std::int64_t width,
                          std::int64_t height) {
  const CollectOptions& o = job.options;
  const double side = o.max_side > 0 ? o.max_side : kMaxSiftSide;
  const double scale = std::min(1.0, side / static_cast<double>(std::max(width, height)));
  const std::int64_t pixels = width * height;
  const auto reduced = static_cast<std::int64_t>(static_cast<double>(pixels) * scale * scale);
  std::int64_t photograph = kBytesOfDecoding * pixels, pair = 0;
  if (o.given.source.empty()) {
    photograph += features::Choice{o.sift, o.surf}.bytes_of_pixel(false) * reduced;
    const std::int64_t most = o.surf ? o.surf->max_features : o.sift.max_features;
    std::int64_t features = reduced / kPixelsOfFeature;
    if (most > 0) features = std::min(features, most);
    pair = (2 * kBytesOfFeature + kBytesOfMatch) * features;
  }
  const std::int64_t least = kBytesOfProgram + std::max(photograph, pair);
  if (o.max_memory < least)
    throw Error(
        ErrorCode::usage,
        fmt::format("max_memory = {} bytes: the photograph {} of {} x {} px takes at least {}",
                    o.max_memory, name, width, height, least));
  return least;
}

}  // namespace bifocal::collection
