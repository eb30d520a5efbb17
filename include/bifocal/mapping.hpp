// SPDX-License-Identifier: BSD-3-Clause
// Sparse models from verified image pairs, by global structure from motion.
//
//   Queue queue(Device("auto"));
//   write_models("sparse", map_database(queue, "photographs.db"));
//
// Stages, for each connected component of the view graph:
//   1. Unknown focal lengths are estimated from the fundamental matrices of all pairs.
//   2. Relative poses are estimated from the inliers and the cameras.
//   3. Relative rotations are averaged; pairs whose matches or rotations contradict cycles or the
//      averages are removed. Averages from several spanning trees are compared, because sides that
//      look alike fold a model.
//   4. Inlier matches are joined to tracks with at most one observation in an image.
//   5. Camera centres are computed by linear equations, then positioned together with points.
//   6. Points are triangulated, adjusted and filtered, twice.
//   7. Images that were left out are added by their absolute poses.
//   8. Principal points are adjusted where the images determine them.
//   9. Positions of the images (GPS) give the model metres and north, and act in a last adjustment
//      if they agree with it (MapPositions).
//
//   A. Chatterjee, V. M. Govindu, Efficient and robust large-scale rotation averaging, ICCV 2013;
//   L. Pan, D. Barath, M. Pollefeys, J. L. Schoenberger, Global structure-from-motion revisited,
//   ECCV 2024;  C. Sweeney, T. Sattler, T. Hoellerer, M. Turk, M. Pollefeys, Optimizing the viewing
//   graph for structure-from-motion, ICCV 2015;  C. Zach, M. Klopschitz, M. Pollefeys,
//   Disambiguating visual relations using loop constraints, CVPR 2010;  T. Shen, S. Zhu, T. Fang,
//   R. Zhang, L. Quan, Graph-based consistent matching for structure-from-motion, ECCV 2016.
//
// Results have the same bytes in every run and for any number of threads on one kind of device.
#pragma once

#include <bifocal/camera.hpp>
#include <bifocal/colmap/database.hpp>
#include <bifocal/colmap/model.hpp>
#include <bifocal/device.hpp>
#include <bifocal/fields.hpp>
#include <bifocal/geodesy.hpp>
#include <bifocal/io.hpp>

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bifocal {

enum class MapStage {
  read,       // the database
  calibrate,  // unknown focal lengths
  pairs,      // relative poses
  rotations,  // rotation averaging
  tracks,     // tracks of matches
  positions,  // camera centres and points
  adjust,     // triangulation, bundle adjustment and filtering
  resect,     // absolute poses of images that were left out
  colours,    // colours of points
};
inline constexpr std::string_view kMapStageWords[] = {"read",      "calibrate", "pairs",
                                                      "rotations", "tracks",    "positions",
                                                      "adjust",    "resect",    "colours"};
[[nodiscard]] std::string_view to_string(MapStage stage);

// State of a running call.
struct MapProgress {
  MapStage stage = MapStage::read;
  int model = 0;       // number of the model, from 0
  int images = 0;      // registered in all models so far
  double seconds = 0;  // since the call
};

// Effect of the positions of images (GPS) on a model. At least three positions that are not on a
// line give it metres, north and the vertical.
enum class MapPositions {
  automatic,  // they also act in the adjustment if the model agrees with them
  ignore,     // nothing: position, rotation and scale of the model are arbitrary
  use,        // they act in the adjustment in any case
};
inline constexpr std::string_view kMapPositionsWords[] = {"auto", "ignore", "use"};

struct MapOptions {
  int min_inliers = 15;
  int min_images = 3;
  double threshold = 4;
  double min_angle_deg = 1.5;
  double max_rotation_error_deg = 10;
  int min_resection_inliers = 30;
  int max_positioning_tracks = 400;
  int max_adjust_iterations = 50;
  bool refine_focal_length = true;
  bool refine_principal_point = true;
  bool refine_extra_params = true;
  MapPositions positions = MapPositions::automatic;
  std::uint64_t seed = 0;
  // Called at the start of every stage, on the thread of the call. Cancellation: CancelScope.
  std::function<void(const MapProgress&)> progress = {};
};
constexpr const char* name_of(const MapOptions&) { return "MapOptions"; }
template <MaybeConst<MapOptions> Options, class Visit>
void fields(Options& options, const Visit& visit) {
  auto& [min_inliers, min_images, threshold, min_angle_deg, max_rotation_error_deg,
         min_resection_inliers, max_positioning_tracks, max_adjust_iterations, refine_focal_length,
         refine_principal_point, refine_extra_params, positions, seed, progress] = options;
  BIFOCAL_FIELD(min_inliers, "pairs with fewer inliers are not used", Range::at_least(5));
  BIFOCAL_FIELD(min_images, "smallest model that is kept", Range::at_least(2));
  BIFOCAL_FIELD(threshold, "largest reprojection error of an observation", Range::above(0).finite(),
                "px");
  BIFOCAL_FIELD(min_angle_deg, "smallest angle between two rays of a point",
                Range::above(0).below(90), "degrees");
  BIFOCAL_FIELD(max_rotation_error_deg,
                "pairs whose rotation differs more from the averaged rotations are removed",
                Range::above(0).below(180), "degrees");
  BIFOCAL_FIELD(min_resection_inliers,
                "inliers that the absolute pose of an added image has at least",
                Range::at_least(6));
  BIFOCAL_FIELD(max_positioning_tracks,
                "tracks per image from which cameras are positioned; the others are added later",
                Range::at_least(20));
  BIFOCAL_FIELD(max_adjust_iterations, "most steps of each bundle adjustment",
                Range::within(1, 100000));
  BIFOCAL_FIELD(refine_focal_length,
                "adjust focal lengths; a prior is kept where the matches do not determine it");
  BIFOCAL_FIELD(
      refine_principal_point,
      "adjust principal points that are the image's centre, of cameras with at least three "
      "images that determine them to 0.2 % of the width");
  BIFOCAL_FIELD(refine_extra_params, "adjust parameters of lenses");
  BIFOCAL_FIELD(positions,
                "positions of the images (GPS): auto gives the model metres and north, and adjusts "
                "with the positions that agree with it; use: adjusts in any case; ignore",
                Range::one_of(kMapPositionsWords));
  BIFOCAL_FIELD(seed, "seed of all random choices; the same one gives the same models");
  BIFOCAL_FIELD(progress, "called at the start of every stage");
}

// An image with its features, px; the centre of the first pixel is (0, 0).
struct MapImage {
  colmap::Id id = 0;
  std::string name = {};
  colmap::Id camera_id = 0;
  std::vector<Vec2> features = {};
};

// A verified pair. `image1` and `image2` are places in ViewGraph::images.
struct MapPair {
  int image1 = 0, image2 = 0;
  colmap::Configuration configuration = colmap::Configuration::uncalibrated;
  std::vector<colmap::IndexPair> inliers = {};
  std::optional<Mat3> F = {};  // px of the images, x2' F x1 = 0
};

// Position, altitude and gravity of an image as its file states them; empty: not stated.
struct MapPosition {
  int image = 0;                        // place in ViewGraph::images, at most once
  std::optional<Vec3> centre = {};      // m, in the frame of ViewGraph::origin
  Vec3 deviations = {0, 0, 0};          // standard deviations along the axes, m; 0: not stated
  std::optional<double> altitude = {};  // above the start of the flight, m
  std::optional<Vec3> gravity = {};     // unit vector in the camera's axes, downwards
};

// Input of map_view_graph(). Ids are unique; pairs come in any order, each at most once.
struct ViewGraph {
  std::vector<colmap::ModelCamera> cameras;
  std::vector<MapImage> images;
  std::vector<MapPair> pairs;
  std::vector<MapPosition> positions = {};
  // Positions are east, north and up of it (TangentPlane). Empty: in a frame of the user.
  std::optional<GeoPoint> origin = {};
  std::vector<colmap::RowFault> damaged_rows = {};  // found by read_view_graph()
  // Pairs whose matches do not move: watermarks. Places in `images`.
  std::vector<std::pair<int, int>> static_pairs = {};
};

enum class LeftOutReason {
  camera,           // its camera model is not supported or a parameter is invalid
  no_pair,          // no verified pair
  small_component,  // connected with fewer images than MapOptions::min_images
  contradictory,    // all of its pairs contradict the averaged rotations
  few_points,       // too few of its features are points of a model for an absolute pose
};
[[nodiscard]] std::string_view to_string(LeftOutReason reason);

struct LeftOutImage {
  colmap::Id id = 0;
  std::string name = {};
  LeftOutReason reason = LeftOutReason::no_pair;
};

// Figures of one model.
struct MapFigures {
  std::int64_t images = 0, points = 0, observations = 0;
  std::int64_t positions = 0;  // images with a given position, unless these are ignored
  double mean_error = 0;       // reprojection error, px, mean over observations
  colmap::FocalLengths given = {}, focal_lengths = {};  // of its cameras: before, and in the model
};

enum class DoubtKind {
  focal_length,    // far from its prior, or not determined
  distortion,      // the lens folds the image, or differs among photographs of one lens
  not_converged,   // the last adjustment ended at its limit of steps
  few_points,      // few of the features that pairs verified became points
  no_parallax,     // homographies explain all pairs
  static_matches,  // points at one place of the images were left out
  folded,          // look-alikes: rotations depend on the start, or positions contradict pairs
  cameras,         // images contradict the focal length of the camera that they share
  curved,          // the cameras of a flight bend to a bowl
  positions,       // the given positions of the images contradict the model
  control,         // control points or their marks contradict the model, or do not determine it
};
inline constexpr std::string_view kDoubtWords[] = {
    "focal_length", "distortion", "not_converged", "few_points", "no_parallax", "static_matches",
    "folded",       "cameras",    "curved",        "positions",  "control"};
[[nodiscard]] std::string_view to_string(DoubtKind kind);

// A reason why a model may be wrong. It changes no result.
struct ModelDoubt {
  DoubtKind kind = DoubtKind::focal_length;
  double value = 0, limit = 0;     // the doubted quantity, and where the doubt begins
  std::vector<colmap::Id> images;  // that it concerns, in ascending order; empty: the model
  std::vector<std::pair<colmap::Id, colmap::Id>> pairs;  // likewise
  std::string text;                                      // a sentence without a full stop
};

struct MapResult {
  std::vector<colmap::Model> models;            // from the most images to the fewest
  std::vector<MapFigures> figures;              // one a model
  std::vector<std::vector<ModelDoubt>> doubts;  // one list a model
  std::vector<LeftOutImage> left_out;
  std::vector<colmap::RowFault> damaged_rows;               // of the database, not used
  std::vector<LeftOut> without_colours;                     // photographs without colours
  std::int64_t pairs = 0;                                   // that were used at the start
  std::int64_t removed_pairs = 0;                           // that contradict other pairs
  std::array<double, std::size(kMapStageWords)> seconds{};  // by MapStage

  [[nodiscard]] bool is_doubted(std::size_t model) const {
    return model < doubts.size() && !doubts[model].empty();
  }
  [[nodiscard]] bool is_doubted() const;  // any of the models
};

// Places of the models that write_models() writes: all, or with `is_strict` those without a doubt.
[[nodiscard]] std::vector<std::size_t> written_models(const MapResult& result, bool is_strict);

// Maps a view graph in memory. The device adjusts and estimates poses; everything else runs on the
// CPU.
//
// Throws Error(usage) for an option out of range, an unknown camera, image or feature and a
// duplicate number, Error(device) and Cancelled.
[[nodiscard]] MapResult map_view_graph(Queue& queue, const ViewGraph& graph,
                                       const MapOptions& options = {});

// Doubts about a model of images of the graph, of this mapper or another one, without
// `not_converged`. Throws Error(usage) if an image or a feature of the model is not in the graph.
[[nodiscard]] std::vector<ModelDoubt> model_doubts(const ViewGraph& graph,
                                                   const colmap::Model& model,
                                                   const MapOptions& options = {});

// Reads the verified pairs of a database with their images and cameras. Damaged rows
// are not used. Throws Error(input) for a file that is missing or no database.
[[nodiscard]] ViewGraph read_view_graph(const colmap::Database& database,
                                        const MapOptions& options = {});

// Maps a COLMAP database. If `photographs` is not empty, points get the mean colour of their
// observations in the photographs below this folder; files that can't be read are listed.
//
// Throws as read_view_graph() and map_view_graph(), and before any work Error(input) if no
// photograph can be used, or if the keypoints are in pixels of photographs that were rotated by
// EXIF.
[[nodiscard]] MapResult map_database(Queue& queue, const std::filesystem::path& database,
                                     const MapOptions& options = {},
                                     const std::filesystem::path& photographs = {});

// Writes the models of written_models() to FOLDER/0, FOLDER/1, ... in COLMAP's formats, creating
// the folder if needed. All models are complete before any takes its place. With
// `overwrite`, the models in all numbered folders are replaced or removed; other files of these
// folders stay.
//
// Throws Error(usage) if a numbered folder has a model and `overwrite` is false, and as
// colmap::write_model().
void write_models(const std::filesystem::path& folder, const MapResult& result,
                  bool overwrite = false, bool is_strict = false,
                  colmap::ModelFormat format = colmap::ModelFormat::binary);
// Throws as write_models() for a folder that it would refuse, before any work is done.
void check_models_folder(const std::filesystem::path& folder, bool overwrite);

}  // namespace bifocal
