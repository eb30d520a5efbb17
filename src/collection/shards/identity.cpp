// SPDX-License-Identifier: BSD-3-Clause
#include "collection/shards/identity.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>

#include <string_view>

#include "collection/colmap/sqlite.hpp"
#include "runtime/hash.hpp"

namespace bifocal::colmap {
namespace {

// Only a sample is hashed: all features of a thousand images are 200 MB, too many to read
// before each shard.
constexpr std::size_t kSampledImages = 16;

std::string with_suffix(const std::filesystem::path& file, const char* end) {
  return file.string() + end;
}

std::int64_t size_of(const std::string& file) {
  struct stat s {};
  return ::stat(file.c_str(), &s) == 0 ? std::int64_t{s.st_size} : 0;
}

}  // namespace

std::string views_of(const Database& database) {
  std::string text;
  std::vector<RowFault> odd;  // reported by the verification of the pairs
  for (const ModelCamera& c : database.cameras(&odd))
    text += fmt::format("camera {} {} {} {} {} {}\n", c.id, c.model, c.width, c.height,
                        c.has_prior_focal_length, fmt::join(c.params, " "));
  const std::vector<Image> images = database.images(&odd);
  for (const Image& i : images)
    text += fmt::format("image {} {} {} {}\n", i.id, i.name, i.camera_id,
                        database.keypoint_count(i.id));
  for (std::size_t k = 0; k < kSampledImages && k < images.size(); ++k) {
    Keypoints points;
    try {
      points = database.keypoints(
          images[k * images.size() / std::min(kSampledImages, images.size())].id);
    } catch (const sqlite::DamagedRow& e) {
      text += e.fault.reason;
    }
    text += runtime::hash_of(std::string_view(reinterpret_cast<const char*>(points.data.data()),
                                              points.data.size() * sizeof(float)));
  }
  return runtime::hash_of(text);
}

std::string stamp_of(const std::filesystem::path& file) {
  struct stat s {};
  if (::stat(file.c_str(), &s) != 0) return "missing";
  return fmt::format("{} {} {}.{} {}", s.st_ino, s.st_size, s.st_mtim.tv_sec, s.st_mtim.tv_nsec,
                     size_of(with_suffix(file, "-wal")));
}

}  // namespace bifocal::colmap
