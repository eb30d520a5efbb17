// SPDX-License-Identifier: BSD-3-Clause
// COLMAP's SQLite databases of versions 3.8 to 4.2.1: cameras, images, keypoints, descriptors,
// matches, verified two-view geometries and priors of poses.
//
//   colmap::Database db("database.db", colmap::Access::create);
//   colmap::Transaction all(db);
//   db.write(colmap::ModelCamera{.id = 1, .model = 1, .width = w, .height = h, .params = {fx, fy,
//   ..}}); db.write(colmap::Image{.id = 1, .name = "a.jpg", .camera_id = 1}); db.write_keypoints(1,
//   colmap::keypoints_of(features.keypoints));
//   ...
//   all.commit();
//
// Values in memory follow Bifocal's conventions: the centre of the first pixel is (0, 0), matrices
// are row-major, a pose is cam2_from_cam1, and values of a pair (image1, image2) refer to this
// order. The file follows COLMAP's conventions: (0.5, 0.5), and the image with the smaller number
// first. Reading and writing convert between them: keypoints, principal points, F, H and pairs.
//
// Functions that fail throw Error(input) with the file, the table and the row, and Error(usage) for
// an argument that no database can contain. docs/colmap.md has more.
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

// Number of a camera or image, from 1; 0 is accepted in reading.
using Id = std::uint32_t;
inline constexpr Id kMaxImages = 2147483647;  // image numbers are smaller
inline constexpr Id kNoCamera = 0xffffffff;   // not the number of any camera

// Returns the number of a pair, which is the same for both orders.
[[nodiscard]] std::uint64_t pair_id(Id image1, Id image2);
// Returns the numbers of the images, the smaller one first.
[[nodiscard]] std::pair<Id, Id> images_of(std::uint64_t pair_id);

// A camera. The parameters are f or fx fy, cx cy, then the distortion in the order of the model, in
// px, with (0, 0) at the centre of the first pixel: a LensCamera takes them as they are. In the
// file cx and cy are larger by 0.5. Do not subtract it again, and do not add it before writing.
//
// A principal point of a file returns to the same bits if cx and cy are at least 0.25 there; other
// values may change by 2^-54 px or in their last bit.
struct ModelCamera {
  Id id = 0;
  int model = 0;  // 0 SIMPLE_PINHOLE, 1 PINHOLE, 2 SIMPLE_RADIAL, ... (model_name)
  std::int64_t width = 0, height = 0;  // px
  std::vector<double> params;
  bool has_prior_focal_length = false;  // the focal length has a source such as EXIF
};
// Returns a camera that undistorts px. Throws Error(usage) with the number of the camera for a
// model that LensCamera lacks, parameters that are not finite, and focal lengths that are not
// positive.
[[nodiscard]] LensCamera lens_camera_of(const ModelCamera& camera);
// Returns the name of a model, such as "SIMPLE_RADIAL"; empty if COLMAP 4.2 has no such number.
[[nodiscard]] std::string_view model_name(int model);
// Returns the number of a model's name, or -1.
[[nodiscard]] int model_number(std::string_view name);
// Returns the number of parameters of a model; 0 for an unknown number.
[[nodiscard]] int parameter_count(int model);

// Cameras of a database or a model, and the range of their first focal lengths, px.
struct FocalLengths {
  int cameras = 0, with_prior = 0;
  double least = 0, largest = 0;
};
[[nodiscard]] FocalLengths focal_lengths_of(std::span<const ModelCamera> cameras);
// A line without end, such as "2 cameras, 1 with a prior focal length: 1035 to 1229 px".
// `adjusted`:
// "..., adjusted to 760 px".
[[nodiscard]] std::string summary_of(const FocalLengths& given,
                                     const std::optional<FocalLengths>& adjusted = {});

// An image and its camera.
struct Image {
  Id id = 0;
  std::string name;  // path relative to the image folder; unique
  Id camera_id = 0;
};

// Keypoints of an image: rows of 2 numbers (x y), 4 (x y scale orientation) or 6 (x y, and the
// row-major 2 x 2 matrix from the frame of the feature to px). Coordinates are in px, the
// orientation in radians.
struct Keypoints {
  int columns = 2;
  std::vector<float> data;  // [size, columns]

  [[nodiscard]] std::size_t size() const { return data.size() / static_cast<std::size_t>(columns); }
};
// Converts features to keypoints with x y scale orientation. Features with shapes give x y and the
// matrix sigma A R, where R is a rotation by the angle, as COLMAP does with estimate_affine_shape.
[[nodiscard]] Keypoints keypoints_of(std::span<const Keypoint> features);
[[nodiscard]] Keypoints keypoints_of(const Features& features);

// Descriptors of an image: rows of bytes. type: -1 unknown, 0 SIFT (128 bytes: 512 times RootSIFT),
// otherwise another type of COLMAP.
struct Descriptors {
  int type = 0;
  int columns = kDescriptorBytes;  // bytes per row
  std::vector<std::uint8_t> data;  // [size, columns]

  [[nodiscard]] std::size_t size() const { return data.size() / static_cast<std::size_t>(columns); }
};

// Converts SIFT descriptors of Bifocal's features [n, 128] to COLMAP's. There the eight directions
// of a cell have the opposite sense of rotation (D. Lowe's order, with y up). Descriptors of both
// programs then match.
[[nodiscard]] Descriptors descriptors_of(std::span<const std::uint8_t> sift);

// A match of keypoint index1 of image1 and keypoint index2 of image2, from 0.
struct IndexPair {
  std::uint32_t index1 = 0, index2 = 0;
  bool operator==(const IndexPair&) const = default;
};

// Kind of geometry of a pair, with the numbers used in the file.
enum class Configuration {
  undefined = 0,            // not decided; mappers from 4.2.1 on ignore the pair
  degenerate = 1,           // no geometry, or too few inliers: the row has no matches
  calibrated = 2,           // E, of cameras with known focal lengths
  uncalibrated = 3,         // F
  planar = 4,               // H of a plane; the camera moved
  panoramic = 5,            // H of a camera that only rotated
  planar_or_panoramic = 6,  // H, not determined which of both
  watermark = 7,            // a shift of the image border only
  multiple = 8,             // several kinds simultaneously
  calibrated_rig = 9,       // E, from the poses of a rig
};
// Returns the name, such as "calibrated"; "unknown" for an unknown number.
[[nodiscard]] std::string_view to_string(Configuration configuration);
// Returns true if images of a pair with this configuration show the same scene, provided that the
// pair has inliers: for all but undefined, degenerate and watermark. Every count of "verified"
// pairs uses this definition.
[[nodiscard]] bool is_geometry(Configuration configuration);

// Verified geometry of a pair.
struct TwoViewGeometry {
  Configuration configuration = Configuration::undefined;
  std::vector<IndexPair> inliers;
  // F and H are for px, E for normalised points; unknown values are absent.
  std::optional<Mat3> F, E, H;
  std::optional<Pose> cam2_from_cam1;
};
// Returns the geometry for (image2, image1): exchanges the columns of the inliers, transposes F and
// E, and inverts H and the pose.
[[nodiscard]] TwoViewGeometry swapped(TwoViewGeometry geometry);

// Coordinates of a prior's position, with the numbers used in the file.
enum class PriorCoordinates {
  undefined = -1,
  wgs84 = 0,      // degrees north, degrees east, altitude in m
  cartesian = 1,  // x, y, z of one frame for all images
};

// Position and direction of gravity of an image from sources other than its pixels, such as EXIF.
// A member without a value is unknown.
struct PosePrior {
  Id image = 0;
  PriorCoordinates coordinates = PriorCoordinates::undefined;
  std::optional<Vec3> position = {};  // of the projection centre
  // Of the position: east, north, up in m^2 for wgs84, otherwise in squares of its units.
  // Symmetric and positive definite.
  std::optional<Mat3> covariance = {};
  // Direction of gravity (down, unit length) in the axes of the camera: x right, y down, z forward.
  // A camera that looks straight down has (0, 0, 1).
  std::optional<Vec3> gravity = {};
};

// How a database is opened.
enum class Access {
  read,    // for reading only
  frozen,  // for reading a file that no process is writing to: takes no locks, so it also works if
           // the folder is read-only or on a network file system
  write,   // an existing database, whose tables and settings are kept
  create,  // a new file; throws if it exists
};

// Returns the access with which reading creates no file next to a database: frozen, unless its log
// or journal contains changes. No other process may start to write to the database meanwhile.
[[nodiscard]] Access quiet_access(const std::filesystem::path& file);

// Number of rows of a pair, without their contents.
struct PairRows {
  Id image1 = 0, image2 = 0;  // image1 < image2
  std::int64_t rows = 0;
  Configuration configuration = Configuration::undefined;  // for geometries
};

// A row that contradicts itself, and the reason: "table cameras, camera_id 3", "0 x 480 px".
struct RowFault {
  std::string row, reason;
};

// One connection to a database. Only one thread may use it at a time. Several connections to a
// file, also from several processes, see each other's committed work, and wait up to 30 s for each
// other's writes.
//
// A created file has the tables that all versions from 3.10 on read (cameras, images, keypoints,
// descriptors, matches, two_view_geometries; user_version 4000000), until a prior is written. It
// has a write-ahead log, so committed work survives if the process is killed. Each write outside a
// Transaction is committed separately, which takes milliseconds.
class Database {
 public:
  // Opens a database. Throws Error(input) if the file is missing, is not a database, or lacks a
  // table or column.
  explicit Database(const std::filesystem::path& file, Access access = Access::read);
  ~Database();
  Database(Database&&) noexcept;
  Database& operator=(Database&&) noexcept;

  [[nodiscard]] const std::filesystem::path& file() const;

  // Read all cameras or images, ordered by number. With `faults`, damaged rows are recorded there
  // instead of throwing. A damaged row is returned as far as it can be read (an image with
  // kNoCamera), unless its number is unreadable.
  [[nodiscard]] std::vector<ModelCamera> cameras(std::vector<RowFault>* faults = nullptr) const;
  [[nodiscard]] std::vector<Image> images(std::vector<RowFault>* faults = nullptr) const;
  // Reads the keypoints of an image; empty if it has no row. Values that are not finite are
  // returned unchanged.
  [[nodiscard]] Keypoints keypoints(Id image) const;
  // Returns the number of keypoints, or -1 if the image has no row.
  [[nodiscard]] std::int64_t keypoint_count(Id image) const;
  // Reads the descriptors of an image; empty if it has no row.
  [[nodiscard]] Descriptors descriptors(Id image) const;
  // List the rows of matches or geometries in the order of pair_id. A number that is not a pair_id
  // throws, unless `faults` is given as for cameras().
  [[nodiscard]] std::vector<PairRows> match_rows(std::vector<RowFault>* faults = nullptr) const;
  [[nodiscard]] std::vector<PairRows> geometry_rows(std::vector<RowFault>* faults = nullptr) const;
  // Read the matches or the geometry of a pair; empty if it has no row. Indices are not checked
  // against the keypoints.
  [[nodiscard]] std::optional<std::vector<IndexPair>> matches(Id image1, Id image2) const;
  [[nodiscard]] std::optional<TwoViewGeometry> geometry(Id image1, Id image2) const;
  // Reads the priors of images in the order of their numbers, from the layouts of 3.10 to 4.2.1;
  // empty without the table. Priors of other sensors are skipped. Positions are finite, but not
  // checked further: a latitude may be 150. Damaged rows throw, unless `faults` is given as for
  // cameras(): a damaged member is then unknown, and a prior of a missing image is left out.
  [[nodiscard]] std::vector<PosePrior> pose_priors(std::vector<RowFault>* faults = nullptr) const;

  // Insert a camera or image and return its number; number 0 gets the next free number. Throws if
  // the number or the name is already used.
  Id write(const ModelCamera& camera);
  Id write(const Image& image);
  // Insert or replace rows.
  void write_keypoints(Id image, const Keypoints& keypoints);
  void write_descriptors(Id image, const Descriptors& descriptors);
  void write_matches(Id image1, Id image2, std::span<const IndexPair> matches);
  void write_geometry(Id image1, Id image2, const TwoViewGeometry& geometry);
  void erase_geometry(Id image1, Id image2);  // no effect if the pair has no row
  // Inserts or replaces the prior of an image. The first prior of a database creates the table of
  // version 4, with which versions 3.10 to 3.13 refuse the database. An existing table of these
  // versions keeps its layout, which has no gravity. Throws Error(usage) if the image is missing
  // or a value is not finite, if the covariance is not symmetric and positive definite, or if
  // the gravity is not of unit length (to 1e-3).
  void write(const PosePrior& prior);
  // Removes the keypoints and descriptors of an image, and the matches and geometries of all its
  // pairs, whose indices would be wrong for other keypoints.
  void erase_keypoints(Id image);
  void clear_geometries();

 private:
  friend class Transaction;
  friend struct DatabaseInside;
  struct State;
  explicit Database(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// Groups writes: other connections see all of them when they are committed, or none. From its start
// on only this connection can write. It is fast for a few thousand rows.
class Transaction {
 public:
  explicit Transaction(Database& database);
  ~Transaction();  // rolls back unless committed
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  void commit();

 private:
  Database* database_;
};

}  // namespace bifocal::colmap
