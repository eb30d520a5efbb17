// SPDX-License-Identifier: BSD-3-Clause
#include <bifocal/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "collection/collect/resident.hpp"
#include "collection/collect/stages.hpp"
#include "features/any_detector.hpp"

namespace bifocal::collection {
namespace {

// Memory of the process without photographs: code, stacks, SQLite's pages.
constexpr std::int64_t kBytesOfProgram = std::int64_t{32} << 20;
// An image has at most one feature per 8 pixels.
constexpr std::int64_t kPixelsOfFeature = 8;

std::int64_t memory_of_stages(const Job& job) {
  return std::max<std::int64_t>(0, job.options.max_memory - kBytesOfProgram);
}

// Bytes per pixel while photographs are copied to a GPU: two batches at a time.
constexpr std::int64_t kBytesOfCopies = 2;

bool is_in_host_memory(const Device& device) {
  return device.info().kind == DeviceKind::opencl && !device.info().is_gpu;
}

}  // namespace

std::int64_t memory_of(const Job& job, const Device& device) {
  if (device.info().is_gpu) return job.options.max_memory;
  const auto& all = job.devices.devices();
  return memory_of_stages(job) /
         std::count_if(all.begin(), all.end(), [](const Device& d) { return !d.info().is_gpu; });
}

std::int64_t memory_of_detector(const Job& job, const Device& device) {
  return memory_of(job, device) / (is_in_host_memory(device) ? 2 : 1);
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

bool all_are_gpus(const Job& job) {
  return std::ranges::all_of(job.devices.devices(),
                             [](const Device& d) { return d.info().is_gpu; });
}

std::int64_t memory_of_found(const Job& job, std::int64_t least) {
  return all_are_gpus(job) ? (job.options.max_memory - least) / 2 : 0;
}

std::vector<std::unique_ptr<KeptFeatures>> kept_features(const Job& job, std::int64_t least,
                                                         std::int64_t features) {
  std::vector<std::unique_ptr<KeptFeatures>> kept;
  if (!job.options.given.source.empty()) return kept;
  const int images = static_cast<int>(job.photographs.files.size());
  const int largest = uses_screen(job.options) ? job.options.screen.features : 0;
  const std::int64_t bytes_of_rows = images * largest * std::int64_t{sizeof(std::int64_t)};
  for (const Device& device : job.devices.devices()) {
    const std::int64_t bytes =
        std::min(memory_of(job, device) - least, device.info().memory) / 4 - bytes_of_rows;
    const std::int64_t fit = std::min(features, bytes / kBytesOfFeature);
    kept.push_back(fit > 0 ? std::make_unique<KeptFeatures>(device, fit, images, largest)
                           : nullptr);
  }
  return kept;
}

bool needs_features_on_host(const Job& job) {
  const PairChoice pairs = job.options.pairs;
  return job.devices.devices().size() > 1 || pairs == PairChoice::retrieval ||
         pairs == PairChoice::sequential;
}

namespace {

// Size of a photograph in which features are detected.
struct ReducedSize {
  int width, height;
};
ReducedSize reduced_size(const CollectOptions& o, std::int64_t width, std::int64_t height) {
  const double side = o.max_side > 0 ? o.max_side : kMaxSiftSide;
  const double scale = std::min(1.0, side / static_cast<double>(std::max(width, height)));
  const auto reduced = [&](std::int64_t of) {
    return static_cast<int>(std::ceil(static_cast<double>(of) * scale));
  };
  return {reduced(width), reduced(height)};
}

}  // namespace

std::int64_t most_features(const Job& job, std::int64_t width, std::int64_t height) {
  const features::Choice choice{job.options.sift, job.options.surf};
  const ReducedSize reduced = reduced_size(job.options, width, height);
  const bool is_taken = choice.is_taken(std::int64_t{reduced.width} * reduced.height);
  return is_taken ? choice.places(reduced.width, reduced.height) : 0;
}

// Returns the memory for a single photograph. The host's part includes detection if a device that
// is not a GPU detects in host memory. A GPU's own memory is a separate minimum.
std::int64_t least_memory(const Job& job, std::int64_t width, std::int64_t height) {
  const CollectOptions& o = job.options;
  const features::Choice choice{o.sift, o.surf};
  const auto [reduced_width, reduced_height] = reduced_size(o, width, height);
  const std::int64_t reduced = std::int64_t{reduced_width} * reduced_height;
  std::int64_t host = kBytesOfDecoding * width * height, pair = 0, gpu = 0;
  if (o.given.source.empty() && choice.is_taken(reduced)) {
    const std::int64_t on_device = choice.least_memory(reduced_width, reduced_height) +
                                   kBytesOfFeature * choice.places(reduced_width, reduced_height);
    const auto detecting = [&](const Device& device) -> std::int64_t {
      if (device.info().is_gpu) return kBytesOfCopies * reduced;
      if (is_in_host_memory(device)) return on_device;
      return choice.bytes_of_pixel(DeviceKind::cpu) * reduced;
    };
    std::int64_t most_detecting = 0;
    for (const Device& device : job.devices.devices()) {
      most_detecting = std::max(most_detecting, detecting(device));
      if (device.info().is_gpu) gpu = on_device;
    }
    host += most_detecting;
    const std::int64_t most = o.surf ? o.surf->max_features : o.sift.max_features;
    std::int64_t features = reduced / kPixelsOfFeature;
    if (most > 0) features = std::min(features, most);
    pair = (2 * kBytesOfFeature + kBytesOfMatch) * features;
  }
  return std::max(kBytesOfProgram + std::max(host, pair), gpu);
}

}  // namespace bifocal::collection
