// SPDX-License-Identifier: BSD-3-Clause
// Reads an unfinished database and checks each row.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include <bifocal/io.hpp>

#include "collection/collect/work_database.hpp"
#include "collection/colmap/blob.hpp"
#include "collection/colmap/chunk.hpp"

namespace bifocal {
namespace collection {
namespace {

bool is_finite(const std::optional<Mat3>& matrix) {
  return !matrix || std::ranges::all_of(*matrix, [](double v) { return std::isfinite(v); });
}

std::optional<double> real_of(const sqlite::Statement& row, int place) {
  if (row.is_null(place)) return {};
  return row.real(place);
}

// Returns settings and notes, by name.
CollectSummary entries_of(const sqlite::Connection& connection) {
  CollectSummary summary;
  sqlite::Statement row(connection, "SELECT name, value FROM bifocal_collect ORDER BY name");
  while (row.step("table bifocal_collect")) {
    const std::string name = row.text(0);
    if (name.starts_with(kNote))
      summary.notes.push_back(row.text(1));
    else if (!name.starts_with(kState))
      summary.settings.emplace_back(name, row.text(1));
  }
  return summary;
}

}  // namespace

Settings WorkDatabase::settings() const {
  const auto all = entries_of(connection()).settings;
  return {all.begin(), all.end()};
}

void WorkDatabase::set_features(PhotographRow& row, bool has_descriptors) const {
  const colmap::Id id = image_id(row.number);
  const std::int64_t features = database_.keypoint_count(id);
  const bool is_done = row.state == PhotographState::done;
  if (is_done ? features < 0 || features > std::numeric_limits<int>::max() : features >= 0)
    refuse("table keypoints, image_id {}: {} rows of a photograph that is {}", id, features,
           is_done ? "done" : "left out");
  if (!is_done) return;
  row.features = static_cast<int>(features);
  const std::int64_t descriptors =
      colmap::DatabaseInside::state(database_)
          .number("SELECT rows FROM descriptors WHERE image_id = ?", "table descriptors", id)
          .value_or(-1);
  if (has_descriptors ? descriptors != features : descriptors >= 0 && descriptors != features)
    refuse("table descriptors, image_id {}: {} of {} keypoints", id, descriptors, features);
}

PhotographRow WorkDatabase::photograph_of(const sqlite::Statement& row, int number) const {
  const std::string where = fmt::format("table bifocal_photographs, image_id {}", image_id(number));
  if (row.number(0) != image_id(number)) refuse("{}: {} in its place", where, row.number(0));
  PhotographRow r;
  r.number = number;
  r.name = row.text(1);
  r.bytes = row.number(2);
  if (row.bytes(3).size() != sizeof r.changed)
    refuse("{}, changed: a blob of {} bytes", where, row.bytes(3).size());
  std::memcpy(&r.changed, row.bytes(3).data(), sizeof r.changed);
  r.state = row.is_null(4) ? PhotographState::done : PhotographState::left_out;
  r.reason = row.text(4);
  r.content = row.text(11);
  r.info.doubt = row.text(12);
  if (r.state == PhotographState::left_out) return r;
  const std::int64_t width = row.number(5), height = row.number(6);
  if (width < 1 || height < 1 || width > kMaxImagePixels / height)
    refuse("{}: {} x {} px", where, width, height);
  r.info.width = static_cast<int>(width), r.info.height = static_cast<int>(height);
  r.info.camera = row.text(7);
  r.info.focal_length = real_of(row, 8);
  if (r.info.focal_length && !(*r.info.focal_length > 0 && std::isfinite(*r.info.focal_length)))
    refuse("{}: a focal length of {} px", where, *r.info.focal_length);
  const auto latitude = real_of(row, 9), longitude = real_of(row, 10);
  if (latitude && longitude) r.info.position = GeoPosition{*latitude, *longitude};
  if (latitude.has_value() != longitude.has_value() ||
      (latitude && !(std::abs(*latitude) <= 90 && std::abs(*longitude) <= 180)))
    refuse("{}: at {}, {} degrees", where, latitude.value_or(NAN), longitude.value_or(NAN));
  return r;
}

std::vector<PhotographRow> WorkDatabase::photographs() const {
  const bool has_descriptors = !given() && !has_surf(settings());
  std::vector<PhotographRow> rows;
  {
    sqlite::Statement all(connection(), "SELECT * FROM bifocal_photographs ORDER BY image_id");
    while (all.step("table bifocal_photographs"))
      rows.push_back(photograph_of(all, static_cast<int>(rows.size())));
  }
  const std::vector<colmap::Image> images = database_.images();
  auto image = images.begin();
  for (PhotographRow& r : rows) {
    set_features(r, has_descriptors);
    if (r.state != PhotographState::done) continue;
    if (image == images.end() || image->id != image_id(r.number) || image->name != r.name)
      refuse("table images, image_id {}: is not {}", image_id(r.number), io::printable(r.name));
    ++image;
  }
  if (image != images.end())
    refuse("table images, image_id {}: is no photograph that was taken in", image->id);
  return rows;
}

std::vector<std::uint8_t> WorkDatabase::descriptors_of(int number) const {
  const colmap::Id id = image_id(number);
  if (!has_surf(settings())) return database_.descriptors(id).data;
  sqlite::Statement row(connection(), "SELECT data FROM bifocal_descriptors WHERE image_id = ?");
  const sqlite::Use use(row, id);
  if (!row.step("table bifocal_descriptors")) return {};
  return sqlite::numbers_of<std::uint8_t>(row, 0, "table bifocal_descriptors");
}

Features features_of(const colmap::Keypoints& keypoints, std::vector<std::uint8_t> descriptors) {
  Features f{{}, std::move(descriptors), {}};
  f.keypoints.reserve(keypoints.size());
  for (std::size_t i = 0; i < keypoints.size(); ++i) {
    const float* row = keypoints.data.data() + i * static_cast<std::size_t>(keypoints.columns);
    const float sigma = keypoints.columns == 4 ? row[2]
                        : keypoints.columns == 6
                            ? std::sqrt(std::abs(row[2] * row[5] - row[3] * row[4]))
                            : 1.0F;
    f.keypoints.push_back({row[0], row[1], sigma, 0, 0});
  }
  return f;
}

Features WorkDatabase::features(int number) const {
  const colmap::Id id = image_id(number);
  Features f = features_of(database_.keypoints(id),
                           given() ? std::vector<std::uint8_t>() : descriptors_of(number));
  for (std::size_t i = 0; i < f.keypoints.size(); ++i)
    if (const Keypoint& k = f.keypoints[i];
        !std::isfinite(k.x) || !std::isfinite(k.y) || !std::isfinite(k.sigma))
      refuse("table keypoints, image_id {}: keypoint {} at ({}, {}) of scale {} is not finite", id,
             i, k.x, k.y, k.sigma);
  if (!given() && f.descriptors.size() != f.keypoints.size() * kDescriptorBytes)
    refuse("table descriptors, image_id {}: {} bytes of {} keypoints", id, f.descriptors.size(),
           f.keypoints.size());
  return f;
}

std::vector<ScreenedPair> WorkDatabase::screened() const {
  const auto count = static_cast<int>(photographs().size());
  sqlite::Statement all(connection(),
                        "SELECT pair_id, matches FROM bifocal_screened ORDER BY pair_id");
  std::vector<ScreenedPair> pairs;
  while (all.step("table bifocal_screened")) {
    const std::int64_t id = all.number(0), matches = all.number(1);
    const std::int64_t first = id / colmap::kMaxImages - 1, second = id % colmap::kMaxImages - 1;
    if (first < 0 || first >= second || second >= count)
      refuse("table bifocal_screened, pair_id {}: is no pair of photographs", id);
    if (matches < 0 || matches > std::numeric_limits<int>::max())
      refuse("table bifocal_screened, pair_id {}: {} matches", id, matches);
    pairs.push_back(
        {{static_cast<int>(first), static_cast<int>(second)}, static_cast<int>(matches)});
  }
  return pairs;
}

std::vector<WorkDatabase::PairCount> WorkDatabase::pair_counts() const {
  const std::vector<PhotographRow> rows = photographs();
  const auto is_done = [&](colmap::Id id) {
    return id >= 1 && id <= rows.size() && rows[id - 1].state == PhotographState::done;
  };
  const std::vector<colmap::PairRows> geometries = database_.geometry_rows();
  auto geometry = geometries.begin();
  std::vector<PairCount> counts;
  for (const colmap::PairRows& m : database_.match_rows()) {
    if (!is_done(m.image1) || !is_done(m.image2))
      refuse("table matches, pair_id {}: is no pair of photographs with features",
             colmap::pair_id(m.image1, m.image2));
    PairCount& pair = counts.emplace_back();
    pair.pair = {static_cast<int>(m.image1) - 1, static_cast<int>(m.image2) - 1};
    pair.matches = m.rows;
    if (geometry == geometries.end() || geometry->image1 != m.image1 ||
        geometry->image2 != m.image2)
      continue;
    pair.inliers = geometry->rows;
    pair.is_verified = geometry->rows > 0 && colmap::is_geometry(geometry->configuration);
    ++geometry;
  }
  if (geometry != geometries.end())
    refuse("table two_view_geometries, pair_id {}: is no pair that has matches",
           colmap::pair_id(geometry->image1, geometry->image2));
  return counts;
}

void WorkDatabase::check_pair(const PairCount& pair, std::span<const PhotographRow> rows) const {
  const colmap::Id id1 = image_id(pair.pair.image1), id2 = image_id(pair.pair.image2);
  const auto a = static_cast<std::uint32_t>(rows[id1 - 1].features),
             b = static_cast<std::uint32_t>(rows[id2 - 1].features);
  const auto check = [&](const char* table, std::span<const colmap::IndexPair> matches) {
    for (const colmap::IndexPair& m : matches)
      if (m.index1 >= a || m.index2 >= b)
        refuse("{}: a match of features {} and {}, there are {} and {}",
               colmap::pair_row(table, id1, id2), m.index1, m.index2, a, b);
  };
  check("matches", database_.matches(id1, id2).value_or(std::vector<colmap::IndexPair>()));
  const auto g = database_.geometry(id1, id2);
  if (!g) return;
  const std::string where = colmap::pair_row("two_view_geometries", id1, id2);
  check("two_view_geometries", g->inliers);
  const auto configuration = static_cast<int>(g->configuration);
  if (configuration < 0 || configuration > static_cast<int>(colmap::Configuration::calibrated_rig))
    refuse("{}: configuration {}", where, configuration);
  const bool has_pose = !g->cam2_from_cam1 || is_finite(g->cam2_from_cam1->R);
  if (!is_finite(g->F) || !is_finite(g->E) || !is_finite(g->H) || !has_pose)
    refuse("{}: its geometry is not finite", where);
}

void WorkDatabase::check_rows() const {
  try {
    const std::vector<PhotographRow> rows = photographs();
    const colmap::Cameras cameras(database_);
    colmap::OddRows odd;
    for (const PhotographRow& r : rows) {
      if (r.state != PhotographState::done) continue;
      (void)features(r.number);
      if (!cameras.of(image_id(r.number), odd))
        refuse("table cameras: has none that image {} could have", image_id(r.number));
    }
    for (const PairCount& pair : pair_counts()) check_pair(pair, rows);
    (void)screened();
  } catch (const sqlite::DamagedRow& e) {
    refuse("{}: {}", e.fault.row, e.fault.reason);
  }
}

}  // namespace collection

CollectSummary read_collect_summary(const std::filesystem::path& database) {
  const sqlite::Connection connection(database, colmap::quiet_access(database));
  if (!sqlite::text_of(connection, "SELECT 1 FROM sqlite_master WHERE name = 'bifocal_collect'"))
    return {};
  CollectSummary summary = collection::entries_of(connection);
  sqlite::Statement left_out(connection,
                             "SELECT name, reason FROM bifocal_photographs "
                             "WHERE reason IS NOT NULL ORDER BY name");
  while (left_out.step("table bifocal_photographs"))
    summary.left_out.push_back({left_out.text(0), left_out.text(1)});
  return summary;
}

}  // namespace bifocal
