// SPDX-License-Identifier: BSD-3-Clause
// Cameras, images and their features in a COLMAP database, and transactions.
#include <fmt/format.h>
#include <sqlite3.h>
#include <bifocal/error.hpp>

#include <cmath>
#include <limits>
#include <numbers>

#include "collection/colmap/blob.hpp"
#include "collection/colmap/model/parts.hpp"
#include "collection/colmap/pair.hpp"
#include "collection/colmap/state.hpp"
#include "scene/pixel.hpp"

namespace bifocal::colmap {
namespace {

constexpr int kKeypointColumns[] = {2, 4, 6};

[[noreturn]] void fail(const std::string& message) { throw Error(ErrorCode::usage, message); }

// Returns the number of a row if column `place` has a valid one in [0, end); otherwise
// records a fault.
std::optional<Id> id_of(const sqlite::Statement& row, int place, std::int64_t end,
                        const std::string& where, const Faults& faults) {
  const std::int64_t id = row.number(place);
  if (id >= 0 && id < end) return static_cast<Id>(id);
  faults.add(where, fmt::format("{}, must be 0 to {}", id, end - 1));
  return {};
}

void check(const ModelCamera& c) {
  const std::string name = fmt::format("camera {}", c.id);
  const int needed = parameter_count(c.model);
  if (needed == 0) fail(fmt::format("{}: model {}, there is no such model", name, c.model));
  if (c.params.size() != static_cast<std::size_t>(needed))
    fail(fmt::format("{}: {} params, {} has {}", name, c.params.size(), model_name(c.model),
                     needed));
  for (std::size_t i = 0; i < c.params.size(); ++i)
    if (!std::isfinite(c.params[i]))
      fail(fmt::format("{}: params[{}] = {}, must be finite", name, i, c.params[i]));
  if (c.width <= 0 || c.height <= 0)
    fail(fmt::format("{}: {} x {} px, must be at least 1 x 1", name, c.width, c.height));
}

// Converts 0, which requests the next free number, to nullopt.
std::optional<Id> given_or_next(Id id) { return id ? std::optional(id) : std::nullopt; }

Id last_row(const sqlite::Connection& connection) {
  return static_cast<Id>(sqlite3_last_insert_rowid(connection.get()));
}

}  // namespace

std::string row_name(std::string_view table, std::string_view key, std::uint64_t value) {
  return fmt::format("table {}, {} {}", table, key, value);
}

Keypoints keypoints_of(std::span<const Keypoint> features) {
  Keypoints out{4, {}};
  out.data.reserve(4 * features.size());
  for (const Keypoint& f : features)
    out.data.insert(out.data.end(),
                    {f.x, f.y, f.sigma, f.angle_deg * std::numbers::pi_v<float> / 180});
  return out;
}

Keypoints keypoints_of(const Features& features) {
  if (features.shapes.empty()) return keypoints_of(features.keypoints);
  if (features.shapes.size() != features.keypoints.size())
    fail(fmt::format("keypoints_of: {} keypoints and {} shapes", features.keypoints.size(),
                     features.shapes.size()));
  Keypoints out{6, {}};
  out.data.reserve(6 * features.keypoints.size());
  for (std::size_t i = 0; i < features.keypoints.size(); ++i) {
    const Keypoint& f = features.keypoints[i];
    const KeypointShape& A = features.shapes[i];
    const float angle = f.angle_deg * std::numbers::pi_v<float> / 180;
    const float c = f.sigma * std::cos(angle), s = f.sigma * std::sin(angle);
    out.data.insert(out.data.end(), {f.x, f.y, A.xx * c + A.xy * s, A.xy * c - A.xx * s,
                                     A.xy * c + A.yy * s, A.yy * c - A.xy * s});
  }
  return out;
}

Descriptors descriptors_of(std::span<const std::uint8_t> sift) {
  Descriptors out{0, kDescriptorBytes, std::vector<std::uint8_t>(sift.size())};
  for (std::size_t cell = 0; cell < sift.size(); cell += 8) {
    out.data[cell] = sift[cell];
    for (std::size_t k = 1; k < 8; ++k) out.data[cell + k] = sift[cell + 8 - k];
  }
  return out;
}

Keypoint as_stored(Keypoint k) {
  scene::to_colmap(k.x, k.y);
  scene::from_colmap(k.x, k.y);
  return k;
}

Access quiet_access(const std::filesystem::path& file) {
  const auto has_changes = [&](const char* ending) {
    std::error_code none;
    const auto bytes = std::filesystem::file_size(file.string() + ending, none);
    return !none && bytes > 0;
  };
  return has_changes("-wal") || has_changes("-journal") ? Access::read : Access::frozen;
}

namespace {

// Returns the path. Throws Error(input) for models, which are named in place of their database.
const std::filesystem::path& no_model(const std::filesystem::path& file) {
  if (model_format(file)) io::reject(file.string(), "is a model, not a database");
  if (!model::models_inside(file).empty())
    io::reject(file.string(), "is a folder of models, not a database");
  return file;
}

}  // namespace

Database::Database(const std::filesystem::path& file, Access access)
    : Database(std::make_unique<State>(no_model(file), access)) {}
Database::Database(std::unique_ptr<State> state) : state_(std::move(state)) {}
Database::~Database() = default;
Database::Database(Database&&) noexcept = default;
Database& Database::operator=(Database&&) noexcept = default;

const std::filesystem::path& Database::file() const { return state_->file; }

std::vector<ModelCamera> Database::cameras(std::vector<RowFault>* reported) const {
  const Faults faults(*this, reported);
  sqlite::Statement& row = state_->prepared(
      "SELECT camera_id, model, width, height, params, prior_focal_length FROM cameras "
      "ORDER BY camera_id");
  const sqlite::Use use(row);
  std::vector<ModelCamera> all;
  while (row.step("table cameras")) {
    const auto id = id_of(row, 0, kNoCamera, "table cameras, camera_id", faults);
    if (!id) continue;
    const std::string where = row_name("cameras", "camera_id", *id);
    const std::int64_t model = row.number(1);
    ModelCamera c{*id, static_cast<int>(model), row.number(2), row.number(3),
                  {},  row.number(5) != 0};
    faults.guard([&] { c.params = sqlite::numbers_of<double>(row, 4, where); });
    if (model != c.model) faults.add(where, fmt::format("model {}", model)), c.model = -1;
    if (c.width <= 0 || c.height <= 0)
      faults.add(where, fmt::format("{} x {} px", c.width, c.height));
    if (const int needed = parameter_count(c.model);
        needed > 0 && c.params.size() != static_cast<std::size_t>(needed))
      faults.add(where,
                 fmt::format("{} params, {} has {}", c.params.size(), model_name(c.model), needed));
    scene::from_colmap(c.model, c.params);
    all.push_back(std::move(c));
  }
  return all;
}

std::vector<Image> Database::images(std::vector<RowFault>* reported) const {
  const Faults faults(*this, reported);
  sqlite::Statement& row =
      state_->prepared("SELECT image_id, name, camera_id FROM images ORDER BY image_id");
  const sqlite::Use use(row);
  std::vector<Image> all;
  while (row.step("table images")) {
    const auto id = id_of(row, 0, kMaxImages, "table images, image_id", faults);
    if (!id) continue;
    const auto camera =
        id_of(row, 2, kNoCamera, row_name("images", "image_id", *id) + ", camera_id", faults);
    all.push_back({*id, row.text(1), camera.value_or(kNoCamera)});
  }
  return all;
}

Keypoints Database::keypoints(Id image) const {
  sqlite::Statement& row =
      state_->prepared("SELECT rows, cols, data FROM keypoints WHERE image_id = ?");
  const sqlite::Use use(row, image);
  const std::string where = row_name("keypoints", "image_id", image);
  if (!row.step(where)) return {};
  Keypoints k;
  k.data = sqlite::table_of<float>(row, 0, kKeypointColumns, where);
  if (k.data.empty()) return {};
  k.columns = static_cast<int>(row.number(1));
  for (std::size_t i = 0; i < k.data.size(); i += static_cast<std::size_t>(k.columns))
    scene::from_colmap(k.data[i], k.data[i + 1]);
  return k;
}

std::int64_t Database::keypoint_count(Id image) const {
  return state_
      ->number("SELECT rows FROM keypoints WHERE image_id = ?",
               row_name("keypoints", "image_id", image), image)
      .value_or(-1);
}

Descriptors Database::descriptors(Id image) const {
  sqlite::Statement& row =
      state_->prepared(state_->tables.descriptor_types
                           ? "SELECT rows, cols, data, type FROM descriptors WHERE image_id = ?"
                           : "SELECT rows, cols, data, 0 FROM descriptors WHERE image_id = ?");
  const sqlite::Use use(row, image);
  const std::string where = row_name("descriptors", "image_id", image);
  if (!row.step(where)) return {};
  Descriptors d{static_cast<int>(row.number(3)), kDescriptorBytes, {}};
  d.data = sqlite::table_of<std::uint8_t>(row, 0, {}, where);
  if (!d.data.empty()) d.columns = static_cast<int>(row.number(1));
  return d;
}

Id Database::write(const ModelCamera& camera) {
  check(camera);
  std::vector<double> params = camera.params;
  scene::to_colmap(camera.model, params);
  state_->run(
      "INSERT INTO cameras (camera_id, model, width, height, params, prior_focal_length) "
      "VALUES (?, ?, ?, ?, ?, ?)",
      row_name("cameras", "camera_id", camera.id), given_or_next(camera.id), camera.model,
      camera.width, camera.height, std::as_bytes(std::span(params)), camera.has_prior_focal_length);
  return last_row(state_->connection);
}

Id Database::write(const Image& image) {
  if (image.id >= kMaxImages)
    fail(fmt::format("image {}: the number must be below {}", image.id, kMaxImages));
  if (image.name.empty() || image.name.find('\0') != std::string::npos)
    fail(fmt::format("image {}: '{}' is no name", image.id, io::printable(image.name)));
  // An image without a frame makes every mapper abort if other images have frames.
  if (state_->tables.has_frames)
    io::reject(file().string(), "has frames of rigs: images can't be added to it");
  state_->run("INSERT INTO images (image_id, name, camera_id) VALUES (?, ?, ?)",
              fmt::format("table images, image_id {} '{}' of camera {}", image.id,
                          io::printable(image.name), image.camera_id),
              given_or_next(image.id), image.name, image.camera_id);
  return last_row(state_->connection);
}

void Database::write_keypoints(Id image, const Keypoints& keypoints) {
  const auto columns = static_cast<std::size_t>(keypoints.columns);
  if (columns != 2 && columns != 4 && columns != 6)
    fail(fmt::format("keypoints of image {}: {} columns, must be 2, 4 or 6", image,
                     keypoints.columns));
  if (keypoints.data.size() % columns != 0)
    fail(fmt::format("keypoints of image {}: {} numbers in rows of {}", image,
                     keypoints.data.size(), columns));
  std::vector<float> data = keypoints.data;
  for (std::size_t i = 0; i < data.size(); i += columns) scene::to_colmap(data[i], data[i + 1]);
  state_->run("INSERT OR REPLACE INTO keypoints (image_id, rows, cols, data) VALUES (?, ?, ?, ?)",
              row_name("keypoints", "image_id", image), image, keypoints.size(), keypoints.columns,
              std::as_bytes(std::span(data)));
}

void Database::write_descriptors(Id image, const Descriptors& descriptors) {
  if (descriptors.columns < 1 ||
      descriptors.data.size() % static_cast<std::size_t>(descriptors.columns) != 0)
    fail(fmt::format("descriptors of image {}: {} bytes in rows of {}", image,
                     descriptors.data.size(), descriptors.columns));
  const bool typed = state_->tables.descriptor_types;
  if (!typed && descriptors.type != 0)
    fail(fmt::format("descriptors of image {}: type {}, but {} knows SIFT alone", image,
                     descriptors.type, file().string()));
  const auto write = [&](const char* sql, auto... type) {
    state_->run(sql, row_name("descriptors", "image_id", image), image, descriptors.size(),
                descriptors.columns, std::as_bytes(std::span(descriptors.data)), type...);
  };
  typed ? write(
              "INSERT OR REPLACE INTO descriptors (image_id, rows, cols, data, type) "
              "VALUES (?, ?, ?, ?, ?)",
              descriptors.type)
        : write(
              "INSERT OR REPLACE INTO descriptors (image_id, rows, cols, data) "
              "VALUES (?, ?, ?, ?)");
}

Transaction::Transaction(Database& database) : database_(&database) {
  database.state_->connection.execute("BEGIN IMMEDIATE");
}

Transaction::~Transaction() {
  if (database_)
    sqlite3_exec(database_->state_->connection.get(), "ROLLBACK", nullptr, nullptr, nullptr);
}

void Transaction::commit() {
  if (!database_) fail("Transaction::commit: it is committed already");
  database_->state_->connection.execute("COMMIT");
  database_ = nullptr;
}

}  // namespace bifocal::colmap
