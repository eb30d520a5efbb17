// SPDX-License-Identifier: BSD-3-Clause
// Rows of the work file are checked here as they are read.
#include <fmt/format.h>

#include <algorithm>
#include <bifocal/io.hpp>
#include <cmath>
#include <cstring>
#include <limits>
#include <tuple>

#include "collection/collect/work_file.hpp"

namespace bifocal::collection {
namespace {

template <class Real, class T>
bool finite(const T& values) {
  const auto* first = reinterpret_cast<const Real*>(std::data(values));
  const std::size_t count = std::size(values) * sizeof(*std::data(values)) / sizeof(Real);
  return std::all_of(first, first + count, [](Real v) { return std::isfinite(v); });
}
bool finite(const std::optional<Pose>& pose) {
  return !pose || (finite<double>(pose->R) && finite<double>(pose->t));
}
bool finite(const std::optional<Mat3>& matrix) { return !matrix || finite<double>(*matrix); }

// Rows of a table of pairs, each beside its photographs a and b, which are NULL unless they are
// done.
constexpr const char* kOfPairs =
    "LEFT JOIN photographs a ON a.number = q.id >> 32 AND a.state = 1 "
    "LEFT JOIN photographs b ON b.number = (q.id & 4294967295) AND b.state = 1 ORDER BY q.id";

std::string of_pairs(const std::string& columns, const char* table = "pairs") {
  return fmt::format("SELECT {} FROM {} q {}", columns, table, kOfPairs);
}

}  // namespace

template <class T>
std::vector<T> WorkFile::values_of(std::span<const unsigned char> bytes,
                                   const std::string& where) const {
  if (bytes.size() % sizeof(T) != 0)
    refuse("{}: a blob of {} bytes, no multiple of {}", where, bytes.size(), sizeof(T));
  std::vector<T> values(bytes.size() / sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

template <class T>
std::optional<T> WorkFile::value_of(const sqlite::Statement& row, int place,
                                    const std::string& where) const {
  if (row.is_null(place)) return {};
  const std::vector<T> one = values_of<T>(row.bytes(place), where);
  if (one.size() != 1)
    refuse("{}: a blob of {} bytes, must be {}", where, row.bytes(place).size(), sizeof(T));
  return one[0];
}

std::optional<std::vector<int>> WorkFile::numbers(const std::string& name) {
  const auto bytes = get(name);
  if (!bytes) return {};
  const auto* first = reinterpret_cast<const unsigned char*>(bytes->data());
  return values_of<int>({first, bytes->size()}, "table settings, " + name);
}

std::optional<std::vector<ImagePair>> WorkFile::pairs(const std::string& name) {
  const auto all = numbers(name);
  if (!all) return {};
  std::vector<PhotographRow> rows = photographs();
  const auto is_done = [&](int i) {
    return i >= 0 && i < static_cast<int>(rows.size()) &&
           rows[static_cast<std::size_t>(i)].state == PhotographState::done;
  };
  std::vector<ImagePair> pairs;
  for (std::size_t i = 0; i + 1 < all->size(); i += 2) {
    const ImagePair p{(*all)[i], (*all)[i + 1]};
    const auto key = [](const ImagePair& q) { return std::tuple(q.image1, q.image2); };
    const bool in_order = p.image1 < p.image2 && (pairs.empty() || key(pairs.back()) < key(p));
    if (!is_done(p.image1) || !is_done(p.image2) || !in_order)
      refuse(
          "table settings, {}: [{}] = ({}, {}), must be the next pair of photographs with features",
          name, i / 2, p.image1, p.image2);
    pairs.push_back(p);
  }
  if (all->size() % 2 != 0) refuse("table settings, {}: {} numbers", name, all->size());
  return pairs;
}

std::optional<DescriptorKind> WorkFile::given() {
  const auto all = numbers(kGiven);
  if (!all) return {};
  if (all->size() != 2 || (*all)[0] < 1 || (*all)[0] > kMostDescriptorNumbers || (*all)[1] < 0 ||
      (*all)[1] > 1)
    refuse("table settings, {}: must be 1 to {} numbers, and 0 (floats) or 1 (bytes)", kGiven,
           kMostDescriptorNumbers);
  return DescriptorKind{(*all)[0], (*all)[1] == 1};
}

std::int64_t WorkFile::descriptor_bytes() {
  const auto kind = given();
  return kind ? kind->bytes() : kDescriptorBytes;
}

PhotographRow WorkFile::photograph_of(const sqlite::Statement& row, std::int64_t number,
                                      std::int64_t descriptor_bytes) const {
  const std::string where = fmt::format("table photographs, number {}", number);
  if (row.number(0) != number) refuse("{}: number {} in its place", where, row.number(0));
  const std::int64_t state = row.number(4), width = row.number(6), height = row.number(7),
                     features = row.number(10);
  if (state < 0 || state > 2) refuse("{}: state {}, must be 0 to 2", where, state);
  const bool done = state == static_cast<int>(PhotographState::done);
  if (done && (width < 1 || height < 1 || width > kMaxImagePixels / height))
    refuse("{}: {} x {} px", where, width, height);
  // SQLite tells the sizes of blobs without reading them.
  constexpr std::int64_t kShape = sizeof(KeypointShape), kKeypoint = sizeof(Keypoint);
  const bool sound = features >= 0 && features <= std::numeric_limits<int>::max() &&
                     (done ? row.number(11) == features * kKeypoint &&
                                 row.number(12) == features * descriptor_bytes &&
                                 (row.number(13) == 0 || row.number(13) == features * kShape)
                           : features == 0);
  if (!sound)
    refuse("{}: {} features, but table features has {}, {} and {} bytes of it", where, features,
           row.number(11), row.number(12), row.number(13));
  PhotographRow r;
  r.number = static_cast<int>(number);
  r.name = row.text(1);
  r.bytes = row.number(2), r.changed = row.number(3);
  r.state = static_cast<PhotographState>(state);
  r.reason = row.text(5);
  if (done) r.info.width = static_cast<int>(width), r.info.height = static_cast<int>(height);
  r.info.camera = row.text(8);
  if (const auto numbers = value_of<Numbers>(row, 9, where + ", numbers")) {
    const auto& [focal, latitude, longitude] = *numbers;
    if (!std::isnan(focal)) r.info.focal_length = focal;
    if (!std::isnan(latitude)) r.info.position = GeoPosition{latitude, longitude};
    if (focal <= 0 || std::isinf(focal) || std::abs(latitude) > 90 || std::abs(longitude) > 180 ||
        std::isnan(latitude) != std::isnan(longitude))
      refuse("{}: a focal length of {} px at {}, {} degrees", where, focal, latitude, longitude);
  }
  r.features = static_cast<int>(features);
  return r;
}

std::vector<PhotographRow> WorkFile::photographs() {
  const std::int64_t bytes = descriptor_bytes();
  sqlite::Statement all(connection_,
                        "SELECT p.number, name, bytes, changed, state, reason, width, height, "
                        "camera, numbers, p.features, length(keypoints), length(descriptors), "
                        "length(shapes) FROM photographs p "
                        "LEFT JOIN features f ON f.number = p.number ORDER BY p.number");
  std::vector<PhotographRow> rows;
  while (all.step("table photographs"))
    rows.push_back(photograph_of(all, static_cast<std::int64_t>(rows.size()), bytes));
  return rows;
}

Features WorkFile::features(int number) {
  const std::int64_t bytes = descriptor_bytes();
  const std::string where = fmt::format("table features, number {}", number);
  const sqlite::Use use(features_);
  features_.bind(1, number);
  if (!features_.step(where)) refuse("table photographs: has no number {}", number);
  Features f;
  f.keypoints = values_of<Keypoint>(features_.bytes(0), where + ", keypoints");
  f.descriptors = values_of<std::uint8_t>(features_.bytes(1), where);
  f.shapes = values_of<KeypointShape>(features_.bytes(2), where + ", shapes");
  const std::size_t count = f.keypoints.size();
  if (static_cast<std::int64_t>(count) != features_.number(3) ||
      f.descriptors.size() != count * static_cast<std::size_t>(bytes) ||
      (!f.shapes.empty() && f.shapes.size() != count))
    refuse(
        "{}: {} keypoints, {} bytes of descriptors and {} shapes, must be {} features of {} bytes",
        where, count, f.descriptors.size(), f.shapes.size(), features_.number(3), bytes);
  for (std::size_t i = 0; i < count; ++i) {
    const Keypoint& k = f.keypoints[i];
    if (!std::isfinite(k.x + k.y + k.sigma + k.angle_deg))
      refuse("{}: keypoint {} at ({}, {}) of scale {} and angle {} is not finite", where, i, k.x,
             k.y, k.sigma, k.angle_deg);
  }
  if (!finite<float>(f.shapes)) refuse("{}: a shape is not finite", where);
  return f;
}

ImagePair WorkFile::pair_of(const sqlite::Statement& row, const char* table) const {
  if (row.is_null(1) || row.is_null(2) || row.number(1) >= row.number(2))
    refuse("table {}, id {}: is no pair of photographs with features", table, row.number(0));
  return {static_cast<int>(row.number(1)), static_cast<int>(row.number(2))};
}

std::vector<ImagePair> WorkFile::finished_pairs() {
  sqlite::Statement all(connection_, of_pairs("q.id, a.number, b.number"));
  std::vector<ImagePair> pairs;
  while (all.step("table pairs")) pairs.push_back(pair_of(all));
  return pairs;
}

std::vector<WorkFile::Count> WorkFile::pair_counts() {
  sqlite::Statement all(connection_,
                        of_pairs("q.id, a.number, b.number, length(matches), length(inliers)"));
  constexpr std::int64_t kBytes = sizeof(colmap::IndexPair);
  std::vector<Count> counts;
  while (all.step("table pairs"))
    counts.push_back({pair_of(all), all.number(3) / kBytes, all.number(4) / kBytes});
  return counts;
}

std::vector<ScreenedPair> WorkFile::left_out() {
  sqlite::Statement all(connection_, of_pairs("q.id, a.number, b.number, q.matches, "
                                              "EXISTS (SELECT 1 FROM pairs p WHERE p.id = q.id)",
                                              "screened"));
  std::vector<ScreenedPair> pairs;
  while (all.step("table screened")) {
    const ImagePair pair = pair_of(all, "screened");
    const std::int64_t matches = all.number(3);
    if (matches < 0 || matches > std::numeric_limits<int>::max())
      refuse("table screened, photographs {} and {}: {} matches", pair.image1, pair.image2,
             matches);
    if (all.number(4) == 0) pairs.push_back({pair, static_cast<int>(matches)});
  }
  return pairs;
}

PairRow WorkFile::pair_row_of(const sqlite::Statement& row) const {
  PairRow r{pair_of(row), {}, {}};
  const std::string where =
      fmt::format("table pairs, photographs {} and {}", r.pair.image1, r.pair.image2);
  const auto matches_of = [&](int place, const char* name) {
    auto all = values_of<colmap::IndexPair>(row.bytes(place), fmt::format("{}, {}", where, name));
    for (const colmap::IndexPair& m : all)
      if (m.index1 >= row.number(10) || m.index2 >= row.number(11))
        refuse("{}, {}: a match of features {} and {}, there are {} and {}", where, name, m.index1,
               m.index2, row.number(10), row.number(11));
    return all;
  };
  r.matches = matches_of(3, "matches");
  if (row.is_null(4)) return r;
  const std::int64_t configuration = row.number(4);
  if (configuration < 0 || configuration > static_cast<int>(colmap::Configuration::calibrated_rig))
    refuse("{}: configuration {}", where, configuration);
  auto& g = r.geometry.emplace();
  g.configuration = static_cast<colmap::Configuration>(configuration);
  g.F = value_of<Mat3>(row, 5, where + ", F");
  g.E = value_of<Mat3>(row, 6, where + ", E");
  g.H = value_of<Mat3>(row, 7, where + ", H");
  g.cam2_from_cam1 = value_of<Pose>(row, 8, where + ", pose");
  g.inliers = matches_of(9, "inliers");
  if (!finite(g.F) || !finite(g.E) || !finite(g.H) || !finite(g.cam2_from_cam1))
    refuse("{}: its geometry is not finite", where);
  return r;
}

void WorkFile::for_each_pair(const std::function<void(PairRow&&)>& take) {
  sqlite::Statement all(connection_,
                        of_pairs("q.id, a.number, b.number, matches, configuration, F, E, H, pose, "
                                 "inliers, a.features, b.features"));
  while (all.step("table pairs")) take(pair_row_of(all));
}
}  // namespace bifocal::collection
