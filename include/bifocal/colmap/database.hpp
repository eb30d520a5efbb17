// SPDX-License-Identifier: BSD-3-Clause
// COLMAP's databases (SQLite), as versions 3.8 to 4.2.1 write them: cameras, images, keypoints,
// descriptors, matches and verified two-view geometries.
//
//   colmap::Database db("database.db", colmap::Access::create);
//   colmap::Transaction all(db);
//   db.write(colmap::Camera{.id = 1, .model = 1, .width = w, .height = h, .params = {fx, fy, ..}});
//   db.write(colmap::Image{.id = 1, .name = "a.jpg", .camera_id = 1});
//   db.write_keypoints(1, colmap::keypoints_of(features.keypoints));
//   ...
//   all.commit();
//
// Everything in memory is Bifocal's: the centre of the first pixel is (0, 0), matrices are
// row-major, a pose is cam2_from_cam1, and what is said of a pair (image1, image2) is said in that
// order. The file has COLMAP's: (0.5, 0.5), and the image of the smaller number first; reader and
// writer translate. Only the parameters of cameras stay as they are (see Camera).
//
// Every failing function throws Error(input) that names the file, the table and the row, and
// Error(usage) for an argument that no database can hold. docs/colmap.md tells more.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <bifocal/camera.hpp>
#include <bifocal/features.hpp>
#include <bifocal/geometry.hpp>

namespace bifocal::colmap {

// Numbers of cameras and images, from 1 on (0 is read).
using Id = std::uint32_t;
inline constexpr Id kMaxImages = 2147483647;  // an image's number is less
inline constexpr Id kNoCamera = 0xffffffff;   // no camera's number

// A pair's number, the same for both orders.
[[nodiscard]] std::uint64_t pair_id(Id image1, Id image2);
// Returns the numbers of the images, the smaller one first.
[[nodiscard]] std::pair<Id, Id> images_of(std::uint64_t pair_id);

// params as in the file: f or fx fy, cx cy, then the lens, in the order of the model, px with the
// first pixel's centre at (0.5, 0.5).
struct Camera {
  Id id = 0;
  int model = 0;  // 0 SIMPLE_PINHOLE, 1 PINHOLE, 2 SIMPLE_RADIAL, ... (model_name)
  std::int64_t width = 0, height = 0;  // px
  std::vector<double> params;
  bool has_prior_focal_length = false;  // the focal length is known, as from EXIF
};
// "SIMPLE_RADIAL"; empty for a number that is no model of COLMAP 4.2.
[[nodiscard]] std::string_view model_name(int model);
// Returns the number of a model's name, or -1.
[[nodiscard]] int model_number(std::string_view name);
// A model has so many params; 0 for a number that is none.
[[nodiscard]] int parameter_count(int model);

struct Image {
  Id id = 0;
  std::string name;  // as a path below the folder of the images; unique
  Id camera_id = 0;
};

// Rows of 2 (x y), 4 (x y scale orientation) or 6 numbers (x y and the 2 x 2 matrix that takes a
// feature's own frame to px, by rows), px, orientation in radians.
struct Keypoints {
  int columns = 2;
  std::vector<float> data;  // [size, columns]

  [[nodiscard]] std::size_t size() const { return data.size() / static_cast<std::size_t>(columns); }
};
// x y scale orientation; of features with shapes x y and the matrix sigma A R, R a turn by the
// angle, as COLMAP has it with estimate_affine_shape.
[[nodiscard]] Keypoints keypoints_of(std::span<const Keypoint> features);
[[nodiscard]] Keypoints keypoints_of(const Features& features);

// Rows of bytes. type: -1 unknown, 0 SIFT (128 bytes: 512 times RootSIFT), others of COLMAP's.
struct Descriptors {
  int type = 0;
  int columns = kDescriptorBytes;  // bytes a row
  std::vector<std::uint8_t> data;  // [size, columns]

  [[nodiscard]] std::size_t size() const { return data.size() / static_cast<std::size_t>(columns); }
};

// SIFT descriptors of Bifocal's features [n, 128] as COLMAP's: there the eight directions of a cell
// go round the other way (D. Lowe's order, with y up), so that descriptors of both kinds match.
[[nodiscard]] Descriptors descriptors_of(std::span<const std::uint8_t> sift);

// Keypoint index1 of image1 and index2 of image2, from 0.
struct IndexPair {
  std::uint32_t index1 = 0, index2 = 0;
  bool operator==(const IndexPair&) const = default;
};

// A pair's matches have proven to be this; the numbers are those of the file.
enum class Configuration {
  undefined = 0,            // not decided; mappers from 4.2.1 on pass it over
  degenerate = 1,           // no geometry, or too few inliers: no matches then
  calibrated = 2,           // E, of cameras whose focal lengths are known
  uncalibrated = 3,         // F
  planar = 4,               // H of a plane, the camera moved
  panoramic = 5,            // H of a camera that turned
  planar_or_panoramic = 6,  // H of either
  watermark = 7,            // a shift of what is at the border alone
  multiple = 8,             // several of these together
  calibrated_rig = 9,       // E, from the poses of a rig
};
// Returns "calibrated" and the like, and "number 12" of others.
[[nodiscard]] std::string to_string(Configuration configuration);
// True if images of a pair of this configuration show the same scene, provided that it has inliers:
// not undefined, degenerate or watermark. This is the meaning of "verified" in every count.
[[nodiscard]] bool is_geometry(Configuration configuration);

struct TwoViewGeometry {
  Configuration configuration = Configuration::undefined;
  std::vector<IndexPair> inliers;
  // F and H hold on px, E on normalised points; what is not known is absent.
  std::optional<Mat3> F, E, H;
  std::optional<Pose> cam2_from_cam1;
};
// Says the same of (image2, image1): columns are exchanged, F and E transposed, H and the pose
// inverted.
[[nodiscard]] TwoViewGeometry swapped(TwoViewGeometry geometry);

enum class Access {
  read,    // nothing is written
  frozen,  // as read, of a file that nobody writes to meanwhile: without locks, also where the
           // folder can't be written to or lies in a network file system
  write,   // an existing database, whose tables and settings stay as they are
  create,  // a new file; throws when there is one
};

// Returns the access by which reading creates no file next to a database: frozen unless its log or
// journal has changes. No other process may begin to write to the database meanwhile.
[[nodiscard]] Access quiet_access(const std::filesystem::path& file);

// A pair has so many rows; they are not looked at.
struct PairRows {
  Id image1 = 0, image2 = 0;  // image1 < image2
  std::int64_t rows = 0;
  Configuration configuration = Configuration::undefined;  // of geometries
};

// A row contradicts itself in this way: "table cameras, camera_id 3", "0 x 480 px".
struct RowFault {
  std::string row, reason;
};

// One connection. Calls come from one thread at a time; several connections to a file, also of
// several processes, see each other's committed work and wait up to 30 s for each other's writes.
//
// A created file has the tables that all versions from 3.10 on read (cameras, images, keypoints,
// descriptors, matches, two_view_geometries; user_version 4000000) and a write-ahead log: killing
// the process loses no committed work. Writes outside a Transaction are committed one by one, which
// takes milliseconds each.
class Database {
 public:
  // Throws Error(input) for a file that is missing, is no database or lacks a table or a column.
  explicit Database(const std::filesystem::path& file, Access access = Access::read);
  ~Database();
  Database(Database&&) noexcept;
  Database& operator=(Database&&) noexcept;

  [[nodiscard]] const std::filesystem::path& file() const;

  // The lists are in the order of numbers. With `faults` a damaged row is told there in the place
  // of an exception. It is in the list as far as it can be read (an image with kNoCamera), but not
  // without a number of its own.
  [[nodiscard]] std::vector<Camera> cameras(std::vector<RowFault>* faults = nullptr) const;
  [[nodiscard]] std::vector<Image> images(std::vector<RowFault>* faults = nullptr) const;
  // Empty where the image has no row. Numbers that are not finite are read as they are.
  [[nodiscard]] Keypoints keypoints(Id image) const;
  // -1 where the image has no row.
  [[nodiscard]] std::int64_t keypoint_count(Id image) const;
  [[nodiscard]] Descriptors descriptors(Id image) const;
  // The rows are in the order of pair_id. A number that is none of a pair throws; `faults` works as
  // above.
  [[nodiscard]] std::vector<PairRows> match_rows(std::vector<RowFault>* faults = nullptr) const;
  [[nodiscard]] std::vector<PairRows> geometry_rows(std::vector<RowFault>* faults = nullptr) const;
  // Nothing where the pair has no row. Indices are not compared with the keypoints.
  [[nodiscard]] std::optional<std::vector<IndexPair>> matches(Id image1, Id image2) const;
  [[nodiscard]] std::optional<TwoViewGeometry> geometry(Id image1, Id image2) const;

  // A camera or an image of number 0 gets the next one free; returns the number. Throws where the
  // number or the name is taken.
  Id write(const Camera& camera);
  Id write(const Image& image);
  // These replace what was there.
  void write_keypoints(Id image, const Keypoints& keypoints);
  void write_descriptors(Id image, const Descriptors& descriptors);
  void write_matches(Id image1, Id image2, std::span<const IndexPair> matches);
  void write_geometry(Id image1, Id image2, const TwoViewGeometry& geometry);
  void erase_geometry(Id image1, Id image2);  // nothing where there is none
  void clear_geometries();

 private:
  friend class Transaction;
  friend struct DatabaseInside;
  struct State;
  explicit Database(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// All writes while it lives are seen by others together, when committed, or not at all. From the
// start on no other connection can write. A few thousand rows each are fast.
class Transaction {
 public:
  explicit Transaction(Database& database);
  ~Transaction();  // takes back what was not committed
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  void commit();

 private:
  Database* database_;
};

}  // namespace bifocal::colmap
