// SPDX-License-Identifier: BSD-3-Clause
// COLMAP's sparse models: cameras, posed images with their observations, and scene points, in the
// text and the binary format, with or without the rigs and frames of version 4.
//
//   colmap::Model model = colmap::read_model("sparse/0");
//   for (const colmap::ModelImage& image : model.images)
//   use(colmap::pose_of(image.cam_from_world)); colmap::write_model("sparse/1", model,
//   colmap::ModelFormat::text);
//
// In memory the centre of the first pixel is (0, 0) for observations and cameras; in the files it
// is (0.5, 0.5). Reader and writer translate observations and principal points.
//
// Reading a model and writing it in the same format gives the same numbers. The exception is an
// observation or a principal point left of or above 0.25 px in the file with more than 24
// significant bits: its last bits may change, once.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <bifocal/colmap/database.hpp>
#include <bifocal/geodesy.hpp>
#include <bifocal/geometry.hpp>

namespace bifocal::colmap {

using PointId = std::uint64_t;
inline constexpr PointId kNoPoint = std::numeric_limits<PointId>::max();  // -1 in text files

// A rigid motion as the files have it. The quaternion has any length above 0.
struct ModelPose {
  std::array<double, 4> rotation = {1, 0, 0, 0};  // quaternion w x y z
  Vec3 translation = {0, 0, 0};
  bool operator==(const ModelPose&) const = default;
};
[[nodiscard]] Pose pose_of(const ModelPose& pose);
// The quaternion has length 1 and w >= 0.
[[nodiscard]] ModelPose model_pose(const Pose& pose);

// A feature of an image at (x, y) px.
struct ModelObservation {
  double x = 0, y = 0;
  PointId point_id = kNoPoint;
  bool operator==(const ModelObservation&) const = default;
};

struct ModelImage {
  Id id = 0;
  std::string name = {};  // as a path below the folder of the images
  Id camera_id = 0;
  ModelPose cam_from_world = {};
  std::vector<ModelObservation> observations = {};
  bool operator==(const ModelImage&) const = default;
};

// Observation `observation`, from 0, of an image.
struct TrackElement {
  Id image_id = 0;
  std::uint32_t observation = 0;
  bool operator==(const TrackElement&) const = default;
};

struct ModelPoint {
  PointId id = 0;
  Vec3 xyz = {0, 0, 0};
  std::array<std::uint8_t, 3> rgb = {0, 0, 0};
  double error = -1;  // mean reprojection error, px; -1: unknown
  std::vector<TrackElement> track = {};
  bool operator==(const ModelPoint&) const = default;
};

enum class SensorType : std::int32_t { invalid = -1, camera = 0, imu = 1 };

struct Sensor {
  SensorType type = SensorType::camera;
  Id id = 0;  // number of the camera
  bool operator==(const Sensor&) const = default;
};

struct RigSensor {
  Sensor sensor = {};
  std::optional<ModelPose> sensor_from_rig = {};
  bool operator==(const RigSensor&) const = default;
};

// Sensors fixed to each other. The first one is the reference: the rig has its coordinate system,
// and it has no sensor_from_rig.
struct ModelRig {
  Id id = 0;
  std::vector<RigSensor> sensors = {};
  bool operator==(const ModelRig&) const = default;
};

struct FrameData {
  Sensor sensor = {};
  std::uint64_t id = 0;  // number of the image, if the sensor is a camera
  bool operator==(const FrameData&) const = default;
};

// Records of the sensors of a rig at one time.
struct ModelFrame {
  Id id = 0;
  Id rig_id = 0;
  ModelPose rig_from_world = {};
  std::vector<FrameData> data = {};
  bool operator==(const ModelFrame&) const = default;
};

// The frame of a model that was moved to the positions of its images or to control points: metres,
// and east, north and up of an origin. The file georeference.json in the model's folder.
struct Georeference {
  std::optional<GeoPoint> origin = {};     // of a TangentPlane; empty: the frame of the positions
  std::int64_t positions = 0;              // of images of the model
  std::vector<std::string> outliers = {};  // images whose positions the others contradict
  // Differences of positions and model along the axes, root mean squares without outliers, m.
  Vec3 residuals = {0, 0, 0};
  // Standard deviations by those of the positions: of the middle of the cameras, m; of the rotation
  // about the axes, degrees; of the scale, relative.
  Vec3 position_deviations = {0, 0, 0}, rotation_deviations_deg = {0, 0, 0};
  double scale_deviation = 0;
  bool is_adjusted = false;  // the positions acted in the adjustment
  // Numbers of control points that determined the frame (control.hpp) and of check points, and root
  // mean squares of model minus place along the axes, m. With control points `positions` is 0.
  std::int64_t control_points = 0, check_points = 0;
  Vec3 control_residuals = {0, 0, 0}, check_residuals = {0, 0, 0};
};

// Lists are in the order of the file.
struct Model {
  std::vector<ModelCamera> cameras = {};
  std::vector<ModelImage> images = {};
  std::vector<ModelPoint> points = {};
  // False for models of versions before 4: `rigs` and `frames` are empty and not written.
  bool has_frames = false;
  std::vector<ModelRig> rigs = {};
  std::vector<ModelFrame> frames = {};
  std::optional<Georeference> georeference = {};  // empty: the frame is not known
};

enum class ModelFormat {
  binary,  // cameras.bin, images.bin, points3D.bin; rigs.bin, frames.bin
  text,    // the same names with .txt; numbers have 17 significant digits
};
inline constexpr std::string_view kModelFormatWords[] = {"binary", "text"};

// Returns the format of the model in a folder. Binary files are preferred, as by COLMAP. No
// value without a complete set of cameras, images and points3D.
[[nodiscard]] std::optional<ModelFormat> model_format(const std::filesystem::path& folder);

// Returns the folder of the model that is meant by `folder`: `folder` itself, or its only folder
// with a model if it has no file of a model, such as sparse/0 for sparse. Throws Error(input) with
// their names if there are several.
[[nodiscard]] std::filesystem::path model_folder(const std::filesystem::path& folder);

// Reads the model of model_folder(folder).
//
// The pose of an image in a frame is sensor_from_rig * rig_from_world, as for COLMAP; the file's
// own numbers are kept if they agree to 1e-9.
//
// Throws Error(input) that names the file and the item: for a missing or cut file, bytes after the
// end, a count that the file can't hold, numbers that are not finite, an unknown camera model, a
// focal length or a quaternion of 0, an id twice, a reference to an item that is not there, and
// for images and points that disagree about an observation. Memory stays within a small multiple
// of the files' sizes.
[[nodiscard]] Model read_model(const std::filesystem::path& folder);

// Throws Error(usage) for a model that read_model() would refuse.
void check_model(const Model& model);

// Writes a model, creating the folder if needed.
//
// Every file is complete before any takes its place, so a failed or killed call leaves the old
// model; only the renames at the end, of at most five files, are one by one. All files of an
// earlier model are replaced or removed, in both formats. Further files of the folder stay.
//
// Throws Error(usage) if the folder has a file of a model and `overwrite` is false, for a model
// that check_model() refuses, and for a name that text can't hold; Error(input) if the folder can't
// be written to.
void write_model(const std::filesystem::path& folder, const Model& model, ModelFormat format,
                 bool overwrite = false);
// Throws as write_model() for a folder that it would refuse, before any work is done.
void check_model_folder(const std::filesystem::path& folder, bool overwrite);
// Names of the files of models, in both formats.
[[nodiscard]] std::vector<std::string> model_file_names();

}  // namespace bifocal::colmap
