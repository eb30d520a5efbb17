// SPDX-License-Identifier: BSD-3-Clause
// Jobs of the program `bifocal` with the files that they write, for programs and other languages.
// docs/formats.md describes the files. Every job checks the places of its output before it writes,
// and writes all of its files or none.
#pragma once

#include <bifocal/collect.hpp>
#include <bifocal/colmap/bundle_adjust.hpp>
#include <bifocal/colmap/rotation_cycles.hpp>
#include <bifocal/colmap/undistort.hpp>
#include <bifocal/control.hpp>
#include <bifocal/dense.hpp>
#include <bifocal/io.hpp>
#include <bifocal/mapping.hpp>
#include <bifocal/two_photographs.hpp>

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace bifocal::jobs {

// A photograph with the camera of its EXIF block.
struct PairPhotograph {
  std::string file;
  ImageU8 image;
  ImageU16 deep;  // the same image if the file has 16 bits, otherwise empty
  std::optional<Intrinsics> exif;
  std::string exif_doubt;  // empty without a doubt

  // Returns the image with the depth of the file.
  [[nodiscard]] AnyImageView view() const {
    return deep.empty() ? AnyImageView(image) : AnyImageView(deep);
  }
};
// Reads a photograph, opening the file once. Throws Error(input) with the name of the file, also if
// a side is too long for feature detection.
[[nodiscard]] PairPhotograph read_photograph(const std::string& file);

struct ImageSize {
  int width = 0, height = 0;  // px; 0: any
};
// Intrinsics of a pair and their origin.
struct Cameras {
  std::optional<Intrinsics> camera1, camera2;
  std::string source;                   // origin in words, for the report
  std::array<ImageSize, 2> sizes = {};  // of their images
  bool is_exif = false;
  std::string lens_doubt = {};  // set if the file has lens distortion, which is not used

  [[nodiscard]] bool known() const { return camera1 && camera2; }
};
// Returns the cameras of two photographs that both have an EXIF focal length.
[[nodiscard]] Cameras exif_cameras(const Intrinsics& first, const Intrinsics& second);

// A result of estimate_pair() for write_pair().
struct PairFiles {
  const PairPhotograph &left, &right;
  std::string command_line;  // shown on the page
  const Cameras& cameras;
  const PairResult& result;
  std::string device;
  std::uint64_t seed = 0;
  bool all_files = false;  // also the same data in other formats and at full density
  // Python expressions of the photographs for the page's next command; empty: the command line.
  std::string python_left = {}, python_right = {};
  bool has_files = true;  // false: a photograph is an array in memory
};
struct WrittenPair {
  std::string geometry;               // content of geometry.json
  std::size_t cloud_points = 0;       // of cloud.ply; 0 without depth
  std::int64_t lost_disparities = 0;  // negative; disparity.png stores them as unknown
};
// Writes the files of `bifocal pair` into a folder: report.html, geometry.json, matches.txt,
// rectified images, disparity, depth and cloud. Throws Error(usage) if a file would replace a
// photograph, or a file that no earlier call for the same photographs wrote and `overwrite` is
// false; Error(input) if the folder cannot be written.
WrittenPair write_pair(const PairFiles& files, const std::filesystem::path& folder, bool overwrite);

// The HTML page of a database.
struct CollectionPage {
  std::filesystem::path database;     // a COLMAP database
  std::filesystem::path out;          // the page
  std::filesystem::path images = {};  // folder of the photographs; empty: no thumbnails
  // Folder of a sparse model, or of the models 0, 1, ... of bifocal map; empty: none.
  std::filesystem::path model = {};
  std::filesystem::path dense = {};  // output folder of dense_model(); empty: none
  // Control points to compare with the models, a file of read_control_points(), or empty, and the
  // names of check points among them.
  std::filesystem::path control = {};
  std::vector<std::string> check = {};
  std::filesystem::path run_file = {};  // output of collect --json or verify --json, or empty
  std::string command_line = {};        // printed on the page
  std::uint64_t max_bytes = std::uint64_t{24} << 20;  // largest size of the page
  int threads = 0;         // threads that decode photographs; 0: all cores
  bool overwrite = false;  // replace a file that is no page of this database
};
struct CollectionPageSummary {
  std::size_t bytes = 0, images = 0;
  std::size_t verified = 0;  // number of pairs
  std::vector<colmap::ContradictingPair> contradicting;
  std::size_t components = 0, edges = 0, pairs = 0, pictures = 0;  // numbers shown on the page
  std::size_t depths = 0;  // number of images whose depth the page shows
};
// Writes the page. Throws Error(input) for a database that is missing, damaged or has no images,
// for a folder without a model, and for a damaged or foreign folder `dense`, and Error(usage) if
// the page would replace an input, or another file and `overwrite` is false.
CollectionPageSummary write_collection_page(const CollectionPage& page);

// Sparse models of a database, and undistorted images of the first one.
struct ModelFiles {
  std::filesystem::path database;
  std::filesystem::path photographs = {};  // folder; empty: no colours
  // Names of the photographs; empty: all names of the database.
  std::vector<std::string> names = {};
  std::filesystem::path out;               // folder of the models 0, 1, ...
  std::filesystem::path undistorted = {};  // folder of undistorted images; empty: none
  std::filesystem::path ply = {};          // points of the first written model; empty: none
  colmap::ModelFormat format = colmap::ModelFormat::binary;
  bool overwrite = false;
  bool is_strict = false;  // no doubted model is written
  // Control points, a file of read_control_points(), and the names of check points among them. They
  // are applied to each model that they determine; the others stay as they are.
  std::filesystem::path control = {};
  std::vector<std::string> check = {};
  MapOptions map = {};
  // Called after the models were written, before images are undistorted.
  std::function<void(const MapResult&)> written = {};
  std::function<void(std::int64_t done, std::int64_t total)> undistorting = {};
};
// Control points of one model.
struct ControlledModel {
  ControlPoints control;                // without points and marks of other models
  std::optional<ControlResult> result;  // empty: they do not determine the model
  std::string reason;                   // why not, a sentence without a full stop
};
struct WrittenModels {
  MapResult result;  // with the models and doubts after control points
  std::optional<colmap::UndistortResult> undistorted;  // of the first written model
  double undistort_seconds = 0;
  bool is_refused = false;  // there is no model, or with ModelFiles::is_strict a doubted one
  std::vector<ControlledModel> controlled = {};  // one a model; empty without control points
};
// Throws Error(usage) or Error(input) for folders and control points that map_and_write() refuses,
// before any work: among them fewer than three control points with two marks in photographs of
// the database or of `names`.
void check_model_files(const ModelFiles& files);
// Maps the database and writes the models it finds, which may be none. Throws as
// check_model_files(), map_database() and undistort_model().
[[nodiscard]] WrittenModels map_and_write(Queue& queue, const ModelFiles& files);

// Photographs to a database of verified pairs, sparse models of it, and depth of the first one.
struct CollectionFiles {
  PhotographFiles photographs;
  std::filesystem::path database;
  CollectOptions collect = {};
  bool drops_contradicting = false;  // erase geometries whose rotation contradicts other pairs
  // Without a folder `models.out` no model is made. The job sets database, photographs and names.
  ModelFiles models = {};
  // Without a folder `dense.out` no depth is computed. It needs `models.out`. The job sets model
  // and photographs, and `collect.max_memory` limits its memory as well.
  DenseFiles dense = {};
  // Called with the finished database, before it is mapped.
  std::function<void(const struct WrittenCollection&)> collected = {};
  // Called with the written models, before depth is computed.
  std::function<void(const WrittenModels&)> mapped = {};
};
struct WrittenCollection {
  CollectResult result;  // `verified` without the erased geometries
  std::vector<colmap::ContradictingPair> contradicting;
  std::optional<WrittenModels> models;  // if a folder is given and a pair is verified
  std::optional<WrittenDense> dense;    // if a folder is given and a model is written
};
// Collects the photographs into the database, maps it, and computes depth of the first written
// model, both on the first device. Throws as check_model_files() and Error(usage) for outputs of
// `dense` that exist, before any work; as collect(), map_and_write() and dense_model().
[[nodiscard]] WrittenCollection collect_and_map(const DeviceSet& devices,
                                                const CollectionFiles& files);

// Bundle adjustment of a sparse model.
struct AdjustFiles {
  std::filesystem::path model;                     // folder of the model
  std::filesystem::path out;                       // folder of the adjusted model
  std::optional<colmap::ModelFormat> format = {};  // of the output; default: of the input
  bool overwrite = false;                          // replace a model in `out`
  // Write covariances.npz if AdjustOptions::covariance is set and all are determined; an old file
  // is replaced or removed with the model. false: the file is left as it is.
  bool has_covariance_file = true;
  colmap::BundleAdjustOptions adjust = {};
  std::string out_argument = "out";  // name of `out` in messages
  // Called with the model before it is adjusted; may change the options.
  std::function<void(const colmap::Model&, colmap::BundleAdjustOptions&)> adjusting = {};
  // Control points, a file of read_control_points(), and the names of check points among them. The
  // model is then adjusted by apply_control_points() with the options `adjust`.
  std::filesystem::path control = {};
  std::vector<std::string> check = {};
  std::function<void(const ControlPoints&, const ControlResult&)> controlled = {};
  std::function<void()> adjusted = {};  // called before files are written
};
// Adjusts a model and writes it, also if AdjustOptions::progress ended the adjustment. Throws
// Error(usage) if `out` has files of these names and `overwrite` is false; Error(input) if the
// folder cannot be written; and as colmap::read_model(), colmap::bundle_adjust() and, with control
// points, read_control_points(), choose_check_points() and apply_control_points().
[[nodiscard]] colmap::BundleAdjustResult adjust_and_write(Queue& queue, const AdjustFiles& files);

}  // namespace bifocal::jobs
