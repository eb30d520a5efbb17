// SPDX-License-Identifier: BSD-3-Clause
// Matches and verified geometries of pairs in a COLMAP database.
#include <fmt/format.h>
#include <bifocal/error.hpp>
#include <bifocal/geometry.hpp>

#include <algorithm>
#include <limits>

#include "collection/colmap/blob.hpp"
#include "collection/colmap/pair.hpp"
#include "collection/colmap/state.hpp"
#include "scene/pixel.hpp"

namespace bifocal::colmap {
namespace {

constexpr int kMatchColumns[] = {2};

// Appends the index pairs of a row whose first columns are `rows`, `cols` and `data`.
template <class Where>
void append_index_pairs(const sqlite::Statement& row, const Where& where,
                        std::vector<IndexPair>& to) {
  static_assert(sizeof(IndexPair) == 2 * sizeof(std::uint32_t));
  sqlite::check_table(row, 0, kMatchColumns, sizeof(std::uint32_t), where);
  sqlite::append_numbers(row, 2, {}, to);
}

// Returns N numbers, or nullopt for NULL and zeros; any other length is an error.
template <std::size_t N>
std::optional<std::array<double, N>> known(const sqlite::Statement& row, int place,
                                           const std::string& where) {
  if (row.is_null(place) || row.bytes(place).empty()) return {};
  const std::vector<double> numbers = sqlite::numbers_of<double>(row, place, where);
  if (numbers.size() != N)
    io::reject(row.connection().name(), "{}: {} numbers, must be {}", where, numbers.size(), N);
  if (std::ranges::all_of(numbers, [](double v) { return v == 0; })) return {};
  std::array<double, N> out;
  std::ranges::copy(numbers, out.begin());
  return out;
}

std::optional<Pose> pose_of(const sqlite::Statement& row, bool identity_is_unset,
                            const std::string& where) {
  const auto q = known<4>(row, 7, where + ", qvec");
  const auto t = known<3>(row, 8, where + ", tvec");
  if (!q || row.is_null(8)) return std::nullopt;
  const bool identity = (*q)[1] == 0 && (*q)[2] == 0 && (*q)[3] == 0 && !t;
  if (identity && identity_is_unset) return std::nullopt;
  return Pose{rotation_of(*q), t.value_or(Vec3{})};
}

// Returns the images and the number of rows of a pair; nullopt and a fault if they are invalid.
std::optional<PairRows> pair_of(std::int64_t id, std::int64_t rows, std::int64_t configuration,
                                const std::string& table, const Faults& faults) {
  const std::int64_t smaller = id / kMaxImages, larger = id % kMaxImages;
  if (id < 0 || smaller >= larger) {
    faults.add(fmt::format("table {}, pair_id {}", table, id), "is no number of a pair");
    return std::nullopt;
  }
  if (rows < 0 || rows > std::numeric_limits<std::uint32_t>::max()) {
    faults.add(fmt::format("table {}, pair_id {}", table, id),
               fmt::format("rows = {}, can't be", rows));
    return std::nullopt;
  }
  return PairRows{static_cast<Id>(smaller), static_cast<Id>(larger), rows,
                  static_cast<Configuration>(configuration)};
}

std::vector<PairRows> pair_rows(sqlite::Statement& row, const std::string& table,
                                const Faults& faults) {
  const sqlite::Use use(row);
  std::vector<PairRows> all;
  while (row.step("table " + table))
    if (const auto pair = pair_of(row.number(0), row.number(1), row.number(2), table, faults))
      all.push_back(*pair);
  return all;
}

// Checks the arrays of the current row of select_geometry and returns its pose.
std::optional<Pose> checked_pose(const sqlite::Statement& row, bool identity_is_unset,
                                 const std::string& where) {
  sqlite::check_table(row, 0, kMatchColumns, sizeof(std::uint32_t), where);
  for (const int matrix : {4, 5, 6}) (void)known<9>(row, matrix, where);
  return pose_of(row, identity_is_unset, where);
}

using Bytes = std::optional<std::span<const std::byte>>;

template <class Numbers>
Bytes bytes_of(const std::optional<Numbers>& numbers) {
  return numbers ? Bytes(std::as_bytes(std::span(*numbers))) : Bytes();
}

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

PairIds all_pair_ids(const Database& database) {
  auto& state = DatabaseInside::state(database);
  const auto number = [&](const char* sql) {
    return std::clamp<std::int64_t>(state.number(sql, "table two_view_geometries").value_or(0), 0,
                                    std::int64_t{kMaxImages} * kMaxImages);
  };
  return {number("SELECT min(pair_id) FROM two_view_geometries"),
          number("SELECT max(pair_id) FROM two_view_geometries") + 1};
}

std::vector<VerifiedRotation> verified_rotations(const Database& database, const PairIds& ids) {
  auto& state = DatabaseInside::state(database);
  std::vector<RowFault> ignored;
  const Faults faults(database, &ignored);
  sqlite::Statement& row = state.prepared(state.tables.select_geometries);
  const sqlite::Use use(row, ids.begin, ids.end);
  std::vector<VerifiedRotation> all;
  while (row.step("table two_view_geometries")) {
    const auto pair =
        pair_of(row.number(9), row.number(0), row.number(3), "two_view_geometries", faults);
    if (!pair || pair->rows == 0 || pair->configuration == Configuration::uncalibrated) continue;
    try {
      const std::string where = pair_row("two_view_geometries", pair->image1, pair->image2);
      if (const auto pose = checked_pose(row, state.tables.identity_is_unset, where))
        all.push_back({pair->image1, pair->image2, pair->rows, pose->R});
    } catch (const Error& e) {
      if (e.code() != ErrorCode::input) throw;
    }
  }
  return all;
}

std::vector<VerifiedMatrix> verified_matrices(const Database& database, const PairIds& ids) {
  auto& state = DatabaseInside::state(database);
  sqlite::Statement& row = state.prepared(state.tables.select_geometries);
  const sqlite::Use use(row, ids.begin, ids.end);
  const Faults faults(database, nullptr);
  std::vector<VerifiedMatrix> all;
  while (row.step("table two_view_geometries")) {
    const auto pair =
        pair_of(row.number(9), row.number(0), row.number(3), "two_view_geometries", faults);
    TwoViewGeometry g;
    g.F = known<9>(row, 4, pair_row("two_view_geometries", pair->image1, pair->image2) + ", F");
    if (!g.F) continue;
    shift_pixels(g, -scene::kHalfPixel);
    all.push_back({pair->image1, pair->image2, pair->rows, pair->configuration, *g.F});
  }
  return all;
}

bool Database::State::append_matches(Id image1, Id image2, std::vector<IndexPair>& to) {
  const std::uint64_t id = pair_id(image1, image2);
  sqlite::Statement& row = prepared("SELECT rows, cols, data FROM matches WHERE pair_id = ?");
  const sqlite::Use use(row, id);
  const auto where = [&] { return pair_row("matches", image1, image2); };
  if (!row.step(where)) return false;
  append_index_pairs(row, where, to);
  return true;
}

std::optional<std::vector<IndexPair>> Database::matches(Id image1, Id image2) const {
  std::vector<IndexPair> found;
  if (!state_->append_matches(image1, image2, found)) return std::nullopt;
  return image1 < image2 ? found : exchanged(found);
}

std::optional<TwoViewGeometry> Database::geometry(Id image1, Id image2) const {
  sqlite::Statement& row = state_->prepared(state_->tables.select_geometry);
  const sqlite::Use use(row, pair_id(image1, image2));
  const std::string where = pair_row("two_view_geometries", image1, image2);
  if (!row.step(where)) return std::nullopt;
  TwoViewGeometry g{static_cast<Configuration>(row.number(3)), {}, {}, {}, {}, {}};
  append_index_pairs(row, where, g.inliers);
  g.F = known<9>(row, 4, where + ", F");
  g.E = known<9>(row, 5, where + ", E");
  g.H = known<9>(row, 6, where + ", H");
  g.cam2_from_cam1 = pose_of(row, state_->tables.identity_is_unset, where);
  shift_pixels(g, -scene::kHalfPixel);
  return image1 < image2 ? g : swapped(std::move(g));
}

void Database::write_matches(Id image1, Id image2, std::span<const IndexPair> matches) {
  if (image1 > image2) return write_matches(image2, image1, exchanged(matches));
  state_->run(
      "INSERT OR REPLACE INTO matches (pair_id, rows, cols, data) VALUES (?, ?, 2, ?)",
      [&] { return pair_row("matches", image1, image2); }, pair_id(image1, image2), matches.size(),
      std::as_bytes(matches));
}

void Database::write_geometry(Id image1, Id image2, const TwoViewGeometry& geometry) {
  if (image1 > image2) return write_geometry(image2, image1, swapped(geometry));
  TwoViewGeometry g{geometry.configuration, {}, geometry.F, {}, geometry.H, {}};
  shift_pixels(g, scene::kHalfPixel);
  const auto& pose = geometry.cam2_from_cam1;
  std::optional<std::array<double, 4>> q;
  if (pose)
    q = quaternion_of(
        checked_rotation(fmt::format("geometry of images {} and {}: R", image1, image2), pose->R));
  const auto t = pose ? std::optional(pose->t) : std::nullopt;
  const Bytes optional[] = {bytes_of(g.F), bytes_of(geometry.E), bytes_of(g.H), bytes_of(q),
                            bytes_of(t)};
  const std::span inliers(geometry.inliers);
  sqlite::Statement& insert = state_->prepared(state_->tables.insert_geometry);
  const sqlite::Use use(insert, pair_id(image1, image2), inliers.size(), std::as_bytes(inliers),
                        static_cast<int>(geometry.configuration));
  int place = 4;
  for (std::size_t k = 0; k < std::size(kOptional); ++k)
    if (state_->tables.of_geometry[k]) insert.bind(++place, optional[k]);
  (void)insert.step([&] { return pair_row("two_view_geometries", image1, image2); });
}

TwoViewGeometry as_stored(TwoViewGeometry g) {
  shift_pixels(g, scene::kHalfPixel);
  shift_pixels(g, -scene::kHalfPixel);
  if (g.cam2_from_cam1)
    g.cam2_from_cam1->R = rotation_of(quaternion_of(nearest_rotation(g.cam2_from_cam1->R)));
  return g;
}

void Database::erase_geometry(Id image1, Id image2) {
  state_->run(
      "DELETE FROM two_view_geometries WHERE pair_id = ?",
      [&] { return pair_row("two_view_geometries", image1, image2); }, pair_id(image1, image2));
}

void Database::erase_keypoints(Id image) {
  for (const std::string_view table : {"keypoints", "descriptors"})
    state_->run(fmt::format("DELETE FROM {} WHERE image_id = ?", table),
                row_name(table, "image_id", image), image);
  for (const std::string_view table : {"matches", "two_view_geometries"})
    state_->run(fmt::format("DELETE FROM {} WHERE pair_id / {} = ? OR pair_id % {} = ?", table,
                            kMaxImages, kMaxImages),
                row_name(table, "image_id", image), image, image);
}

void Database::clear_geometries() { state_->connection.execute("DELETE FROM two_view_geometries"); }

}  // namespace bifocal::colmap
