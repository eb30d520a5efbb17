// SPDX-License-Identifier: BSD-3-Clause
// Matches and verified geometries of pairs in a database of COLMAP.
#include <fmt/format.h>
#include <bifocal/error.hpp>

#include <algorithm>
#include <bit>
#include <limits>

#include "collection/colmap/blob.hpp"
#include "collection/colmap/pair.hpp"
#include "collection/colmap/state.hpp"

namespace bifocal::colmap {
namespace {

constexpr int kMatchColumns[] = {2};
// In the order that geometry() and write_geometry() take them in.
constexpr const char* kOptional[] = {"F", "E", "H", "qvec", "tvec"};

std::vector<IndexPair> index_pairs_of(const sqlite::Statement& row, const std::string& where) {
  const std::vector<std::uint32_t> numbers =
      sqlite::table_of<std::uint32_t>(row, 0, kMatchColumns, where);
  std::vector<IndexPair> pairs(numbers.size() / 2);
  for (std::size_t i = 0; i < pairs.size(); ++i) pairs[i] = {numbers[2 * i], numbers[2 * i + 1]};
  return pairs;
}

// `count` numbers, nothing for NULL and zeros; anything else is an error.
std::vector<double> known_numbers(const sqlite::Statement& row, int place, std::size_t count,
                                  const std::string& where) {
  if (row.is_null(place) || row.bytes(place).empty()) return {};
  std::vector<double> numbers = sqlite::numbers_of<double>(row, place, where);
  if (numbers.size() != count)
    io::reject(row.connection().name(), "{}: {} numbers, must be {}", where, numbers.size(), count);
  if (std::all_of(numbers.begin(), numbers.end(), [](double v) { return v == 0; })) return {};
  return numbers;
}

std::optional<Mat3> matrix_of(const sqlite::Statement& row, int place, const std::string& where) {
  const std::vector<double> n = known_numbers(row, place, 9, where);
  if (n.empty()) return std::nullopt;
  Mat3 out;
  std::copy(n.begin(), n.end(), out.begin());
  return out;
}

std::optional<Pose> pose_of(const sqlite::Statement& row, bool identity_is_unset,
                            const std::string& where) {
  const std::vector<double> q = known_numbers(row, 7, 4, where + ", qvec"),
                            t = known_numbers(row, 8, 3, where + ", tvec");
  if (q.empty() || row.is_null(8)) return std::nullopt;
  const bool identity = q[1] == 0 && q[2] == 0 && q[3] == 0 && t.empty();
  if (identity && identity_is_unset) return std::nullopt;
  Pose pose{rotation_of({q[0], q[1], q[2], q[3]}), {}};
  std::copy(t.begin(), t.end(), pose.t.begin());
  return pose;
}

std::vector<PairRows> pair_rows(sqlite::Statement& row, const std::string& table,
                                const Faults& faults) {
  const sqlite::Use use(row);
  std::vector<PairRows> all;
  while (row.step("table " + table)) {
    const std::int64_t id = row.number(0);
    const std::int64_t smaller = id / kMaxImages, larger = id % kMaxImages;
    if (id < 0 || smaller >= larger) {
      faults.add(fmt::format("table {}, pair_id {}", table, id), "is no number of a pair");
      continue;
    }
    if (row.number(1) < 0 || row.number(1) > std::numeric_limits<std::uint32_t>::max()) {
      faults.add(fmt::format("table {}, pair_id {}", table, id),
                 fmt::format("rows = {}, can't be", row.number(1)));
      continue;
    }
    all.push_back({static_cast<Id>(smaller), static_cast<Id>(larger), row.number(1),
                   static_cast<Configuration>(row.number(2))});
  }
  return all;
}

// The numbers of a row, which SQLite does not copy until the row is written.
class RowNumbers {
 public:
  explicit RowNumbers(const TwoViewGeometry& geometry) {
    TwoViewGeometry g{geometry.configuration, {}, geometry.F, {}, geometry.H, {}};
    shift_pixels(g, kHalfPixel);
    if (g.F) set(0, *g.F);
    if (geometry.E) set(1, *geometry.E);
    if (g.H) set(2, *g.H);
    if (const auto& pose = geometry.cam2_from_cam1) {
      set(3, quaternion_of(pose->R));
      set(4, pose->t);
    }
  }
  // Of kOptional; empty: NULL.
  [[nodiscard]] std::span<const double> of(std::size_t k) const {
    return std::span(values_[k]).first(sizes_[k]);
  }

 private:
  template <class Numbers>
  void set(std::size_t k, const Numbers& from) {
    sizes_[k] = from.size();
    std::copy(from.begin(), from.end(), values_[k].begin());
    io::swap_unless_little(std::span<double>(values_[k]));
  }
  std::array<double, 9> values_[std::size(kOptional)];
  std::array<std::size_t, std::size(kOptional)> sizes_{};
};

// Index pairs as they are in the file; those at hand where they are so already.
class FileIndices {
 public:
  explicit FileIndices(std::span<const IndexPair> pairs) : pairs_(pairs) {
    if constexpr (std::endian::native == std::endian::little) return;
    for (const IndexPair& m : pairs) swapped_.insert(swapped_.end(), {m.index1, m.index2});
    io::swap_unless_little(std::span(swapped_));
  }
  void bind(sqlite::Statement& insert, int place) const {
    const void* data = swapped_.empty() ? static_cast<const void*>(pairs_.data()) : swapped_.data();
    insert.bind_bytes(place, data, pairs_.size_bytes());
  }

 private:
  static_assert(sizeof(IndexPair) == 2 * sizeof(std::uint32_t));
  std::span<const IndexPair> pairs_;
  std::vector<std::uint32_t> swapped_;
};

std::vector<IndexPair> exchanged(std::span<const IndexPair> matches) {
  std::vector<IndexPair> out(matches.begin(), matches.end());
  for (IndexPair& m : out) std::swap(m.index1, m.index2);
  return out;
}

}  // namespace

std::string pair_row(std::string_view table, Id image1, Id image2) {
  return fmt::format("table {}, pair_id {} (images {} and {})", table, pair_id(image1, image2),
                     std::min(image1, image2), std::max(image1, image2));
}

std::vector<PairRows> Database::match_rows(std::vector<RowFault>* faults) const {
  return pair_rows(state_->prepared("SELECT pair_id, rows, 0 FROM matches ORDER BY pair_id"),
                   "matches", Faults(*this, faults));
}

std::vector<PairRows> Database::geometry_rows(std::vector<RowFault>* faults) const {
  return pair_rows(
      state_->prepared("SELECT pair_id, rows, config FROM two_view_geometries ORDER BY pair_id"),
      "two_view_geometries", Faults(*this, faults));
}

std::optional<std::vector<IndexPair>> Database::matches(Id image1, Id image2) const {
  sqlite::Statement& row =
      state_->prepared("SELECT rows, cols, data FROM matches WHERE pair_id = ?");
  const sqlite::Use use(row);
  const std::string where = pair_row("matches", image1, image2);
  row.bind(1, static_cast<std::int64_t>(pair_id(image1, image2)));
  if (!row.step(where)) return std::nullopt;
  std::vector<IndexPair> found = index_pairs_of(row, where);
  return image1 < image2 ? found : exchanged(found);
}

std::optional<TwoViewGeometry> Database::geometry(Id image1, Id image2) const {
  std::string columns;
  for (const char* name : kOptional)
    columns += state_->tables.of_geometry.contains(name) ? fmt::format(", {}", name) : ", NULL";
  sqlite::Statement& row = state_->prepared(fmt::format(
      "SELECT rows, cols, data, config{} FROM two_view_geometries WHERE pair_id = ?", columns));
  const sqlite::Use use(row);
  const std::string where = pair_row("two_view_geometries", image1, image2);
  row.bind(1, static_cast<std::int64_t>(pair_id(image1, image2)));
  if (!row.step(where)) return std::nullopt;
  TwoViewGeometry g{
      static_cast<Configuration>(row.number(3)), index_pairs_of(row, where), {}, {}, {}, {}};
  g.F = matrix_of(row, 4, where + ", F");
  g.E = matrix_of(row, 5, where + ", E");
  g.H = matrix_of(row, 6, where + ", H");
  g.cam2_from_cam1 = pose_of(row, state_->tables.identity_is_unset, where);
  shift_pixels(g, -kHalfPixel);
  return image1 < image2 ? g : swapped(std::move(g));
}

void Database::write_matches(Id image1, Id image2, std::span<const IndexPair> matches) {
  if (image1 > image2) return write_matches(image2, image1, exchanged(matches));
  const FileIndices indices(matches);
  sqlite::Statement& insert = state_->prepared(
      "INSERT OR REPLACE INTO matches (pair_id, rows, cols, data) VALUES (?, ?, 2, ?)");
  const sqlite::Use use(insert);
  insert.bind(1, static_cast<std::int64_t>(pair_id(image1, image2)));
  insert.bind(2, static_cast<std::int64_t>(matches.size()));
  indices.bind(insert, 3);
  (void)insert.step([&] { return pair_row("matches", image1, image2); });
}

sqlite::Statement& Database::State::insert_of_geometry() {
  if (insert_geometry) return *insert_geometry;
  std::string columns, places;
  for (std::size_t k = 0; k < std::size(kOptional); ++k) {
    optional_columns[k] = tables.of_geometry.contains(kOptional[k]);
    if (!optional_columns[k]) continue;
    columns += fmt::format(", {}", kOptional[k]);
    places += ", ?";
  }
  insert_geometry = &prepared(
      fmt::format("INSERT OR REPLACE INTO two_view_geometries (pair_id, rows, cols, data, "
                  "config{}) VALUES (?, ?, 2, ?, ?{})",
                  columns, places));
  return *insert_geometry;
}

void Database::write_geometry(Id image1, Id image2, const TwoViewGeometry& geometry) {
  if (image1 > image2) return write_geometry(image2, image1, swapped(geometry));
  const RowNumbers numbers(geometry);
  const FileIndices indices(geometry.inliers);
  sqlite::Statement& insert = state_->insert_of_geometry();
  const sqlite::Use use(insert);
  insert.bind(1, static_cast<std::int64_t>(pair_id(image1, image2)));
  insert.bind(2, static_cast<std::int64_t>(geometry.inliers.size()));
  indices.bind(insert, 3);
  insert.bind(4, static_cast<std::int64_t>(geometry.configuration));
  int place = 5;
  for (std::size_t k = 0; k < 5; ++k) {
    if (!state_->optional_columns[k]) continue;
    const auto values = numbers.of(k);
    values.empty() ? insert.bind_null(place)
                   : insert.bind_bytes(place, values.data(), values.size_bytes());
    ++place;
  }
  (void)insert.step([&] { return pair_row("two_view_geometries", image1, image2); });
}

void Database::erase_geometry(Id image1, Id image2) {
  sqlite::Statement& row = state_->prepared("DELETE FROM two_view_geometries WHERE pair_id = ?");
  const sqlite::Use use(row);
  row.bind(1, static_cast<std::int64_t>(pair_id(image1, image2)));
  (void)row.step(pair_row("two_view_geometries", image1, image2));
}

void Database::clear_geometries() { state_->connection.execute("DELETE FROM two_view_geometries"); }

}  // namespace bifocal::colmap
