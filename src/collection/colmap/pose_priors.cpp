// SPDX-License-Identifier: BSD-3-Clause
// Priors of poses in a COLMAP database. NaN in a file means unknown, as in COLMAP. Matrices are
// stored by columns; covariances are symmetric.
#include <fmt/format.h>
#include <bifocal/error.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "collection/colmap/blob.hpp"
#include "collection/colmap/state.hpp"

namespace bifocal::colmap {
namespace {

constexpr double kUnknownNumber = std::numeric_limits<double>::quiet_NaN();
constexpr double kMostLengthError = 1e-3;  // of a unit vector
constexpr double kMostAsymmetry = 1e-9;    // of a covariance, of its largest entry

// The type of a camera in the column corr_sensor_type is 0.
constexpr const char* kOfSensors =
    "SELECT p.corr_data_id, i.image_id, p.position, p.position_covariance, p.gravity, "
    "p.coordinate_system FROM pose_priors p LEFT JOIN images i ON i.image_id = p.corr_data_id "
    "WHERE p.corr_sensor_type = 0 ORDER BY p.corr_data_id, p.pose_prior_id";
constexpr const char* kOfImages =
    "SELECT p.image_id, i.image_id, p.position, p.position_covariance, NULL, p.coordinate_system "
    "FROM pose_priors p LEFT JOIN images i ON i.image_id = p.image_id ORDER BY p.image_id";
constexpr const char* kWithoutCovariances =
    "SELECT p.image_id, i.image_id, p.position, NULL, NULL, p.coordinate_system "
    "FROM pose_priors p LEFT JOIN images i ON i.image_id = p.image_id ORDER BY p.image_id";

// The table and index that 4.0 to 4.2.1 create.
constexpr const char* kPriorTable = R"(
CREATE TABLE IF NOT EXISTS pose_priors (
  pose_prior_id INTEGER PRIMARY KEY NOT NULL,
  corr_data_id INTEGER NOT NULL, corr_sensor_id INTEGER NOT NULL,
  corr_sensor_type INTEGER NOT NULL,
  position BLOB, position_covariance BLOB, gravity BLOB, coordinate_system INTEGER NOT NULL);
CREATE UNIQUE INDEX IF NOT EXISTS pose_prior_data_assignment ON
  pose_priors(corr_data_id, corr_sensor_id, corr_sensor_type);
)";

template <std::size_t N>
bool are_finite(const std::array<double, N>& values) {
  return std::ranges::all_of(values, [](double v) { return std::isfinite(v); });
}

// Reads N numbers; nullopt if the blob is NULL or has NaN alone.
template <std::size_t N>
std::optional<std::array<double, N>> known(const sqlite::Statement& row, int place,
                                           const std::string& where, const Faults& faults) {
  if (row.is_null(place)) return {};
  std::optional<std::array<double, N>> values;
  faults.guard([&] {
    const std::vector<double> all = sqlite::numbers_of<double>(row, place, where);
    if (all.size() != N)
      return faults.add(where, fmt::format("{} numbers, must be {}", all.size(), N));
    if (std::ranges::all_of(all, [](double v) { return std::isnan(v); })) return;
    values.emplace();
    std::ranges::copy(all, values->begin());
    if (are_finite(*values)) return;
    values.reset();
    faults.add(where, "not all numbers are finite");
  });
  return values;
}

double length_of(const Vec3& v) { return std::hypot(v[0], v[1], v[2]); }

// Returns why a matrix is no covariance; empty if it is one. Tests the leading minors.
std::string fault_of(const Mat3& C) {
  const double most = std::max({std::abs(C[0]), std::abs(C[4]), std::abs(C[8])});
  for (const auto& [a, b] : {std::pair{1, 3}, {2, 6}, {5, 7}})
    if (!(std::abs(C[std::size_t(a)] - C[std::size_t(b)]) <= kMostAsymmetry * most))
      return "is not symmetric";
  const bool is_positive = C[0] > 0 && C[0] * C[4] - C[1] * C[3] > 0 && determinant(C) > 0;
  return is_positive ? std::string() : std::string("is not positive definite");
}

std::optional<Mat3> covariance_of(const sqlite::Statement& row, const std::string& where,
                                  const Faults& faults) {
  auto C = known<9>(row, 3, where, faults);
  if (!C) return {};
  if (const std::string fault = fault_of(*C); !fault.empty()) {
    faults.add(where, fault);
    return {};
  }
  return *C;
}

std::optional<Vec3> gravity_of(const sqlite::Statement& row, const std::string& where,
                               const Faults& faults) {
  auto g = known<3>(row, 4, where, faults);
  if (!g) return {};
  const double length = length_of(*g);
  if (!(std::abs(length - 1) <= kMostLengthError)) {
    faults.add(where, fmt::format("has length {}, must be 1", length));
    return {};
  }
  return Vec3{(*g)[0] / length, (*g)[1] / length, (*g)[2] / length};
}

[[noreturn]] void fail(Id image, const std::string& what) {
  throw Error(ErrorCode::usage, fmt::format("prior of image {}: {}", image, what));
}

void check(const PosePrior& p) {
  const auto kind = static_cast<int>(p.coordinates);
  if (kind < -1 || kind > 1) fail(p.image, fmt::format("coordinates {}: must be -1 to 1", kind));
  if (p.position && !are_finite(*p.position)) fail(p.image, "the position is not finite");
  if (p.covariance) {
    const std::string fault =
        are_finite(*p.covariance) ? fault_of(*p.covariance) : std::string("is not finite");
    if (!fault.empty()) fail(p.image, "the covariance " + fault);
  }
  if (p.gravity && !(std::abs(length_of(*p.gravity) - 1) <= kMostLengthError))
    fail(p.image, fmt::format("the gravity has length {}, must be 1", length_of(*p.gravity)));
}

template <std::size_t N>
std::array<double, N> or_unknown(const std::optional<std::array<double, N>>& values) {
  if (values) return *values;
  std::array<double, N> all;
  all.fill(kUnknownNumber);
  return all;
}

}  // namespace

std::vector<PosePrior> Database::pose_priors(std::vector<RowFault>* reported) const {
  const Tables& tables = state_->tables;
  if (tables.priors == PriorTable::absent) return {};
  const Faults faults(*this, reported);
  if (!tables.prior_fault.empty()) {
    faults.add("table pose_priors", tables.prior_fault);
    return {};
  }
  sqlite::Statement& row = state_->prepared(tables.priors == PriorTable::of_sensors ? kOfSensors
                                            : tables.has_prior_covariances          ? kOfImages
                                                                           : kWithoutCovariances);
  const sqlite::Use use(row);
  std::vector<PosePrior> all;
  while (row.step("table pose_priors")) {
    const std::int64_t image = row.number(0), kind = row.number(5);
    const std::string where = fmt::format("table pose_priors, image {}", image);
    if (row.is_null(1) || image < 0 || image >= kMaxImages) {
      faults.add(where, "there is no such image");
      continue;
    }
    PosePrior prior{.image = static_cast<Id>(image)};
    if (!all.empty() && all.back().image == prior.image) {
      faults.add(where, "it has several priors, the first is used");
      continue;
    }
    prior.position = known<3>(row, 2, where + ", position", faults);
    prior.covariance = covariance_of(row, where + ", position_covariance", faults);
    prior.gravity = gravity_of(row, where + ", gravity", faults);
    if (kind >= -1 && kind <= 1)
      prior.coordinates = static_cast<PriorCoordinates>(kind);
    else
      faults.add(where, fmt::format("coordinate_system {}, must be -1 to 1", kind));
    all.push_back(prior);
  }
  return all;
}

void Database::write(const PosePrior& prior) {
  check(prior);
  const auto camera = state_->number("SELECT camera_id FROM images WHERE image_id = ?",
                                     "table images", prior.image);
  if (!camera) fail(prior.image, file().string() + " has no such image");
  Tables& tables = state_->tables;
  if (!tables.prior_fault.empty())
    io::reject(file().string(), "table pose_priors: {}", tables.prior_fault);
  if (tables.priors == PriorTable::absent) {
    state_->connection.execute(kPriorTable);
    tables.priors = PriorTable::of_sensors;
    tables.has_prior_covariances = true;
  }
  const std::string where = fmt::format("table pose_priors, image {}", prior.image);
  const Vec3 position = or_unknown(prior.position), gravity = or_unknown(prior.gravity);
  const Mat3 covariance = or_unknown(prior.covariance);
  const auto bytes = [](const auto& values) { return std::as_bytes(std::span(values)); };
  const int kind = static_cast<int>(prior.coordinates);
  if (tables.priors == PriorTable::of_sensors) {
    state_->run("DELETE FROM pose_priors WHERE corr_data_id = ? AND corr_sensor_type = 0", where,
                prior.image);
    return state_->run(
        "INSERT INTO pose_priors (corr_data_id, corr_sensor_id, corr_sensor_type, position, "
        "position_covariance, gravity, coordinate_system) VALUES (?, ?, 0, ?, ?, ?, ?)",
        where, prior.image, *camera, bytes(position), bytes(covariance), bytes(gravity), kind);
  }
  if (tables.has_prior_covariances)
    return state_->run(
        "INSERT OR REPLACE INTO pose_priors (image_id, position, position_covariance, "
        "coordinate_system) VALUES (?, ?, ?, ?)",
        where, prior.image, bytes(position), bytes(covariance), kind);
  state_->run(
      "INSERT OR REPLACE INTO pose_priors (image_id, position, coordinate_system) "
      "VALUES (?, ?, ?)",
      where, prior.image, bytes(position), kind);
}

}  // namespace bifocal::colmap
