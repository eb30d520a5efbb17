// SPDX-License-Identifier: BSD-3-Clause
#include "collection/collect/given.hpp"

#include <bifocal/error.hpp>
#include <bifocal/io.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <fstream>

#include "io/regular_file.hpp"
#include "runtime/hash.hpp"

namespace bifocal::collection {
namespace fs = std::filesystem;
namespace {

// Largest distance of a keypoint from the image, in px. float16 coordinates of large images are
// whole or even numbers, so a keypoint at the border may lie outside.
constexpr double kOutside = 4;

// Hashes a file of any size: its length, and 64 parts of 64 KiB.
std::string identity_of_file(const fs::path& file) {
  constexpr std::uintmax_t kParts = 64, kPart = 1 << 16;
  io::require_regular(file);
  std::ifstream in(file, std::ios::binary);
  const std::uintmax_t size = in ? fs::file_size(file) : 0;
  std::string parts;
  for (std::uintmax_t k = 0; k < kParts && in; ++k) {
    const std::uintmax_t at = size > kPart ? (size - kPart) / (kParts - 1) * k : 0;
    std::string part(static_cast<std::size_t>(std::min(kPart, size)), '\0');
    in.seekg(static_cast<std::streamoff>(at));
    in.read(part.data(), static_cast<std::streamsize>(part.size()));
    parts += part;
    if (size <= kPart) break;
  }
  if (!in) io::reject(file.string(), "can't be read");
  return fmt::format("{} bytes, {}", size, runtime::hash_of(parts));
}

std::string identity_of_folder(const fs::path& folder) {
  std::vector<std::string> files;
  for (const fs::directory_entry& e : fs::recursive_directory_iterator(folder))
    if (e.path().extension() == ".npz")
      files.push_back(fmt::format("{}\t{}", e.path().lexically_relative(folder).generic_string(),
                                  identity_of_file(e.path())));
  std::sort(files.begin(), files.end());
  if (files.empty()) io::reject(folder.string(), "has no features: no .npz files");
  return fmt::format("{} files, {}", files.size(),
                     runtime::hash_of(fmt::format("{}", fmt::join(files, "\n"))));
}

// Returns an array of numbers and its shape [rows, columns].
std::vector<float> table_of(const NpzFile& file, const std::string& name, const char* array,
                            std::array<std::int64_t, 2>& shape) {
  if (!file.contains(array)) io::reject(name, "has no array '{}'", array);
  const NpyArray a = file.read(array);
  if (a.shape.size() != 2 || std::holds_alternative<std::string>(a.values))
    io::reject(name, "'{}' is {}, must have rows of numbers", array, describe(a));
  shape = {a.shape[0], a.shape[1]};
  std::vector<float> out;
  std::visit(
      [&](const auto& values) {
        if constexpr (!std::is_same_v<std::decay_t<decltype(values)>, std::string>)
          for (const auto v : values) out.push_back(static_cast<float>(v));
      },
      a.values);
  return out;
}

GivenImage read_npz(const fs::path& folder, const std::string& name, bool has_descriptors) {
  const fs::path path = folder / (name + ".npz");
  std::error_code none;
  if (!fs::exists(path, none)) io::reject(name, "has no features: there is no {}", path.string());
  const NpzFile file(path);
  std::array<std::int64_t, 2> points{}, rows{};
  const std::vector<float> xy = table_of(file, path.string(), "keypoints", points);
  if (points[1] != 2)
    io::reject(path.string(), "'keypoints' has {} columns, must have 2", points[1]);
  GivenImage out;
  for (std::size_t i = 0; i + 1 < xy.size(); i += 2) out.keypoints.push_back({xy[i], xy[i + 1]});
  if (!has_descriptors) return out;
  out.descriptors = table_of(file, path.string(), "descriptors", rows);
  if (rows[0] != points[0])
    io::reject(path.string(), "{} descriptors of {} keypoints", rows[0], points[0]);
  out.kind.numbers = static_cast<int>(rows[1]);
  return out;
}

void check(const GivenImage& r, const std::string& name, const PhotographInfo& photograph,
           bool has_descriptors) {
  const int size = r.kind.numbers;
  if (has_descriptors && (size < 1 || size > kMostDescriptorNumbers))
    io::reject(name, "descriptors of {} numbers, must be 1 to {}", size, kMostDescriptorNumbers);
  for (std::size_t i = 0; i < r.keypoints.size(); ++i) {
    const auto [x, y] = r.keypoints[i];
    const bool inside = x >= -kOutside && y >= -kOutside && x <= photograph.width + kOutside &&
                        y <= photograph.height + kOutside;
    if (!inside)
      io::reject(name, "keypoint {} at ({}, {}) lies outside of the image of {} x {} px", i, x, y,
                 photograph.width, photograph.height);
  }
  const auto& values = r.descriptors;
  const auto bad =
      std::find_if(values.begin(), values.end(), [](float v) { return !std::isfinite(v); });
  if (bad != values.end())
    io::reject(name, "descriptor {} has a number that is not finite",
               (bad - values.begin()) / size);
}

}  // namespace

GivenOpener& given_opener() {
  static GivenOpener opener;
  return opener;
}

void check_reader(const GivenFeatures& given) {
  std::error_code none;
  const bool has_file = fs::is_regular_file(given.source, none);
  if (given_opener() || (!has_file && given.matches.empty())) return;
  throw Error(
      ErrorCode::usage,
      fmt::format("{}: hloc's files are read by the Python package, with h5py (pip install h5py): "
                  "python -m bifocal collect --features {}{} ...",
                  (has_file ? given.source : given.matches).string(), given.source.string(),
                  given.matches.empty() ? "" : " --matches " + given.matches.string()));
}

std::string identity_of(const fs::path& source) {
  std::error_code none;
  if (!fs::exists(source, none))
    io::reject(source.string(), "can't be read: there is no such file");
  return fs::is_directory(source, none) ? identity_of_folder(source) : identity_of_file(source);
}

GivenSource::GivenSource(const fs::path& source, bool has_descriptors)
    : has_descriptors_(has_descriptors) {
  if (fs::is_directory(source)) {
    folder_ = source;
  } else {
    file_ = given_opener()(source, false);
  }
}

GivenImage GivenSource::read(const std::string& name, const PhotographInfo& photograph) const {
  GivenImage image = file_ ? file_->features(name, photograph, has_descriptors_)
                           : read_npz(folder_, name, has_descriptors_);
  check(image, name, photograph, has_descriptors_);
  return image;
}

const std::vector<float>& GivenMatcher::descriptors(int number) {
  return kept_.get(number, [&] {
    const PhotographRow& row = rows_[static_cast<std::size_t>(number)];
    GivenImage given = source_.read(row.name, row.info);
    const auto features = std::ssize(given.keypoints);
    if (given.kind != kind_ || features != row.features)
      io::reject(row.name, "has {} features of {} now, had {} of {}: its features have changed",
                 features, to_string(given.kind), row.features, to_string(kind_));
    const auto bytes = static_cast<std::int64_t>(given.descriptors.size() * sizeof(float));
    return std::pair(std::move(given.descriptors), bytes);
  });
}

GivenMatcher::GivenMatcher(const GivenFeatures& given, const DescriptorKind& kind,
                           std::span<const PhotographRow> rows, std::int64_t max_memory)
    : given_(given),
      source_(given.source, given.matches.empty()),
      kind_(kind),
      rows_(rows),
      kept_(max_memory) {
  if (!given.matches.empty()) matches_ = given_opener()(given.matches, true);
}

void GivenMatcher::match_descriptors(Queue& queue, const ImagePair& pair,
                                     std::vector<Match>& matches) {
  const auto view = [&](int number) {
    return FloatDescriptors{descriptors(number).data(),
                            rows_[static_cast<std::size_t>(number)].features, kind_.numbers};
  };
  const FloatDescriptors a = view(pair.image1), b = view(pair.image2);
  for (const FloatMatch& m : bifocal::match(queue, a, b, given_.matching))
    matches.push_back({m.index1, m.index2, 0, m.ratio});
}

void GivenMatcher::read_matches(const ImagePair& pair, std::vector<Match>& matches) const {
  const PhotographRow &a = rows_[static_cast<std::size_t>(pair.image1)],
                      &b = rows_[static_cast<std::size_t>(pair.image2)];
  for (const colmap::IndexPair& m : matches_->matches(a.name, b.name)) {
    if (m.index1 >= static_cast<std::uint32_t>(a.features) ||
        m.index2 >= static_cast<std::uint32_t>(b.features))
      io::reject(given_.matches.string(),
                 "{}, {}: match {} to {}, but they have {} and {} features: the matches are of "
                 "other features",
                 a.name, b.name, m.index1, m.index2, a.features, b.features);
    matches.push_back({static_cast<int>(m.index1), static_cast<int>(m.index2), 0, 0});
  }
}

MatchBatch GivenMatcher::match(Queue& queue, std::span<const ImagePair> pairs) {
  MatchBatch batch{{0}, {}};
  for (const ImagePair& pair : pairs) {
    if (matches_)
      read_matches(pair, batch.matches);
    else
      match_descriptors(queue, pair, batch.matches);
    batch.offsets.push_back(static_cast<std::int64_t>(batch.matches.size()));
  }
  return batch;
}

}  // namespace bifocal::collection
