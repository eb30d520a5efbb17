// SPDX-License-Identifier: BSD-3-Clause
// Reads feature and match files of hloc.
#include <fmt/format.h>
#include <bifocal/error.hpp>
#include <bifocal/colmap/hloc.hpp>

#include <algorithm>
#include <array>
#include <mutex>
#include <unordered_map>
#include <unordered_set>

#include "collection/hloc/hdf5.hpp"
#include "io/reject.hpp"
#include "runtime/built_parts.h"

namespace bifocal::hdf5 {

Opener& opener() {
  static Opener own;
  return own;
}

}  // namespace bifocal::hdf5

namespace bifocal::hloc {
namespace {

constexpr std::string_view kKeypoints = "/keypoints";
const std::string kMatches = "/matches0";
constexpr std::int64_t kLongestSide = std::int64_t{1} << 20;  // px, of an image

std::string dashed(std::string_view name) {
  std::string out(name);
  std::replace(out.begin(), out.end(), '/', '-');
  return out;
}

std::unique_ptr<hdf5::Reader> open(const std::filesystem::path& file) {
  if (hdf5::opener())
    if (auto opened = hdf5::opener()(file)) return opened;
  if constexpr (BIFOCAL_HAS_HDF5)
    return hdf5::open(file);
  else
    throw Error(
        ErrorCode::usage,
        fmt::format("{}: this build reads no HDF5 files (BIFOCAL_HDF5=OFF)", file.string()));
}

}  // namespace

struct FeatureFile::State {
  explicit State(const std::filesystem::path& path) : file(open(path)) {
    std::unordered_map<std::string, std::string> by_dashed;
    file->visit([&](const std::string& set) {
      if (!set.ends_with(kKeypoints)) return;
      const std::string image = set.substr(0, set.size() - kKeypoints.size());
      const auto [other, is_new] = by_dashed.emplace(dashed(image), image);
      if (!is_new)
        io::reject(file->name(), "images '{}' and '{}' have the same name in a file of matches",
                   other->second, image);
      names.push_back(image);
    });
    std::sort(names.begin(), names.end());
  }
  // Returns the values of a required data set, and its shape.
  template <class T>
  std::vector<T> read(const std::string& set, std::vector<std::int64_t>& shape) const {
    std::vector<T> values;
    if (!file->read(set, values, shape)) io::reject(file->name(), "has no {}", set);
    return values;
  }
  std::unique_ptr<hdf5::Reader> file;
  std::vector<std::string> names;
};

FeatureFile::FeatureFile(const std::filesystem::path& file)
    : state_(std::make_unique<State>(file)) {}
FeatureFile::~FeatureFile() = default;
FeatureFile::FeatureFile(FeatureFile&&) noexcept = default;
FeatureFile& FeatureFile::operator=(FeatureFile&&) noexcept = default;

std::vector<std::string> FeatureFile::names() const { return state_->names; }

bool FeatureFile::contains(std::string_view image) const {
  return std::binary_search(state_->names.begin(), state_->names.end(), image);
}

std::vector<Vec2> FeatureFile::keypoints(std::string_view image) const {
  const std::string set = fmt::format("{}{}", image, kKeypoints);
  std::vector<std::int64_t> shape;
  const std::vector<float> values = state_->read<float>(set, shape);
  if (shape.size() != 2 || shape[1] != 2)
    io::reject(state_->file->name(), "{}: shape [{}, {}], must be [N, 2]", set,
               shape.empty() ? 0 : shape[0], shape.size() > 1 ? shape[1] : 0);
  std::vector<Vec2> points(values.size() / 2);
  for (std::size_t i = 0; i < points.size(); ++i) points[i] = {values[2 * i], values[2 * i + 1]};
  return points;
}

std::array<std::int64_t, 2> FeatureFile::image_size(std::string_view image) const {
  const std::string set = fmt::format("{}/image_size", image);
  std::vector<std::int64_t> shape;
  const auto values = state_->read<std::int64_t>(set, shape);
  if (values.size() != 2)
    io::reject(state_->file->name(), "{}: has {} numbers, must be a width and a height", set,
               values.size());
  for (const std::int64_t side : values)
    if (side < 1 || side > kLongestSide)
      io::reject(state_->file->name(), "{}: {} x {} px, must be 1 to {}", set, values[0], values[1],
                 kLongestSide);
  return {values[0], values[1]};
}

FeatureFile::Descriptors FeatureFile::descriptors(std::string_view image) const {
  const std::string set = fmt::format("{}/descriptors", image);
  std::vector<std::int64_t> shape;
  const std::vector<float> columns = state_->read<float>(set, shape);
  if (shape.size() != 2 || shape[0] < 1)
    io::reject(state_->file->name(), "{}: has {} dimensions and {} numbers, must be [D, N]", set,
               shape.size(), columns.size());
  const auto size = static_cast<std::size_t>(shape[0]), count = static_cast<std::size_t>(shape[1]);
  if (const std::size_t points = keypoints(image).size(); count != points)
    io::reject(state_->file->name(), "{}: {} descriptors of {} keypoints", set, count, points);
  Descriptors out{std::vector<float>(columns.size()), static_cast<int>(count),
                  static_cast<int>(size), state_->file->holds_bytes(set)};
  for (std::size_t k = 0; k < size; ++k)
    for (std::size_t i = 0; i < count; ++i) out.values[i * size + k] = columns[k * count + i];
  return out;
}

namespace {

// A data set that may hold the matches of a pair.
struct MatchSet {
  std::string path;
  bool is_swapped;  // of image 2 in image 1
};
std::array<MatchSet, 4> sets_of(std::string_view image1, std::string_view image2) {
  const std::string a = dashed(image1), b = dashed(image2);
  return {{{a + '/' + b + kMatches, false},
           {b + '/' + a + kMatches, true},
           {a + '_' + b + kMatches, false},
           {b + '_' + a + kMatches, true}}};
}

}  // namespace

struct MatchFile::State {
  explicit State(const std::filesystem::path& path) : file(open(path)) {}
  // Paths of all data sets with matches, listed at the first call.
  const std::unordered_set<std::string>& sets() {
    std::call_once(listed_, [this] {
      file->visit([this](const std::string& set) {
        if (set.ends_with(kMatches)) sets_.insert(set);
      });
    });
    return sets_;
  }
  std::unique_ptr<hdf5::Reader> file;

 private:
  std::once_flag listed_;
  std::unordered_set<std::string> sets_;
};

MatchFile::MatchFile(const std::filesystem::path& file) : state_(std::make_unique<State>(file)) {}
MatchFile::~MatchFile() = default;
MatchFile::MatchFile(MatchFile&&) noexcept = default;
MatchFile& MatchFile::operator=(MatchFile&&) noexcept = default;

bool MatchFile::contains(std::string_view image1, std::string_view image2) const {
  return std::ranges::any_of(sets_of(image1, image2),
                             [&](const MatchSet& s) { return state_->sets().contains(s.path); });
}

std::optional<std::vector<colmap::IndexPair>> MatchFile::matches(std::string_view image1,
                                                                 std::string_view image2) const {
  std::vector<std::int64_t> values, shape;
  for (const auto& [set, swapped] : sets_of(image1, image2)) {
    if (!state_->file->read(set, values, shape)) continue;
    std::vector<colmap::IndexPair> found;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (values[i] == -1) continue;
      if (values[i] < 0 || values[i] > std::int64_t{0xffffffff})
        io::reject(state_->file->name(), "{}: [{}] = {}, must be an index or -1", set, i,
                   values[i]);
      const auto first = static_cast<std::uint32_t>(i),
                 second = static_cast<std::uint32_t>(values[i]);
      found.push_back(swapped ? colmap::IndexPair{second, first}
                              : colmap::IndexPair{first, second});
    }
    return found;
  }
  return std::nullopt;
}

}  // namespace bifocal::hloc
