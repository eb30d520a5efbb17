// SPDX-License-Identifier: BSD-3-Clause
// Matches collections of photographs into a database of verified pairs for COLMAP's mappers.
// collect() runs in stages: features, selection of pairs, matches with two-view geometries,
// database. Each stage reads, computes and writes simultaneously.
//
//   const std::vector<std::string> folders = {"photographs"};
//   collect(DeviceSet("cuda:all"), list_photographs(folders), "out.db",
//           {.pairs = PairChoice::retrieval});
//
// An interrupted run, also one ended by kill -9, is resumed by the same call. Unfinished work is
// the database itself with the name DATABASE.part. Each batch of results enters it in one
// transaction, and it is renamed at the end, so an unfinished database never has the final name.
// The database has the same bytes for any interruptions, any number of threads and devices of one
// kind (DeviceSet), any memory limit and any batch size. On another kind of device a few features
// differ, so work is not resumed there; collect_devices() finds the device that began it.
//
// Photographs may be added later, to unfinished work or to a finished database. Only their own
// features and pairs are computed, and their images get the next numbers.
#pragma once

#include <bifocal/verify_pairs.hpp>
#include <bifocal/colmap/database.hpp>
#include <bifocal/colmap/verify.hpp>
#include <bifocal/device.hpp>
#include <bifocal/pair_selection.hpp>
#include <bifocal/io.hpp>
#include <bifocal/features.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bifocal {

// How the pairs to match are selected.
enum class PairChoice {
  automatic,  // gps with few neighbours if there are more than 60 photographs, all have a position,
              // and the positions make a connected map that is large compared with GPS errors;
              // pairs of the screen between components that this leaves; otherwise all. Once a
              // database has begun, its choice is kept
  all,  // all pairs that pass a screen (ScreenOptions), and pairs that may link separate components
  exhaustive,  // all pairs
  sequential,  // neighbours in the order of comes_before() (SequentialOptions), with loops closed
               // by retrieval
  retrieval,   // the most similar images (RetrievalOptions)
  gps,         // the nearest images by EXIF's GPS position (NearOptions)
  listed,      // pairs listed in a file (read_pairs)
};
inline constexpr std::string_view kPairChoiceWords[] = {
    "auto", "all", "exhaustive", "sequential", "retrieval", "gps", "file"};

// Which photographs share a camera; COLMAP's AUTO, SINGLE and PER_IMAGE.
enum class CameraSharing {
  automatic,  // equal make, model, focal length and size in EXIF. Without make and model: equal
              // size and equal focal length or none, unless verified pairs contradict one camera.
              // Otherwise one camera each.
  single,     // equal size
  each,       // one camera for each photograph
};
inline constexpr std::string_view kCameraSharingWords[] = {"auto", "single", "each"};
inline constexpr std::string_view kCollectModels[] = {"SIMPLE_PINHOLE", "PINHOLE", "SIMPLE_RADIAL",
                                                      "RADIAL",         "OPENCV",  "FULL_OPENCV"};

// Cameras of the database. Without `intrinsics` the focal length comes from EXIF of the camera's
// first photograph, with prior_focal_length 1. If EXIF has none it is 1.2 times the longer side,
// with prior_focal_length 0. The principal point is the image centre; distortion coefficients
// are 0.
struct CollectCameras {
  CameraSharing sharing = CameraSharing::automatic;
  std::string model = "SIMPLE_RADIAL";  // any of COLMAP's models with a focal length
  // Known intrinsics of all photographs, in px with (0, 0) at the centre of the first pixel. The
  // photographs must have one size; the camera is a PINHOLE with prior_focal_length 1.
  std::optional<Intrinsics> intrinsics = {};
};
constexpr const char* name_of(const CollectCameras&) { return "CollectCameras"; }
template <MaybeConst<CollectCameras> Options, class Visit>
void fields(Options& options, const Visit& visit) {
  auto& [sharing, model, intrinsics] = options;
  BIFOCAL_FIELD(
      sharing,
      "photographs that share a camera: auto, equal make, model, focal length and size "
      "in EXIF, or without make and model if one camera explains them; single, equal size; "
      "each, none",
      Range::one_of(kCameraSharingWords));
  BIFOCAL_FIELD(model, "camera model of the database", Range::one_of(kCollectModels));
  BIFOCAL_FIELD(intrinsics,
                "intrinsics of all photographs; default: focal length from EXIF, or a guess", {},
                "px");
}

// Features of another tool, which replace RootSIFT.
struct GivenFeatures {
  // Source of the features; empty: none. A folder with a file NAME.npz for each photograph NAME,
  // such as 'db/1.jpg.npz': `keypoints` [N, 2] in px from the centre of the first pixel, and
  // `descriptors` [N, D]. In the Python package also hloc's HDF5 file; C++ programs refuse it with
  // Error(usage). Photographs are left out and reported if they have no features, or if D or the
  // type of the descriptors (float or 8-bit) differs from the first photograph.
  std::filesystem::path source = {};
  // hloc's HDF5 file with matches of these features, in the Python package only. If given,
  // `matching` and the descriptors are not used, and PairChoice::all means all pairs of this file.
  // Empty: descriptors are matched.
  std::filesystem::path matches = {};
  // By default mutual nearest neighbours; descriptors are normalised to unit length.
  FloatMatchOptions matching = {};
};
constexpr const char* name_of(const GivenFeatures&) { return "GivenFeatures"; }
template <MaybeConst<GivenFeatures> Options, class Visit>
void fields(Options& options, const Visit& visit) {
  auto& [source, matches, matching] = options;
  BIFOCAL_FIELD(source, "hloc's FILE.h5, or a folder with PHOTOGRAPH.jpg.npz");
  BIFOCAL_FIELD(matches, "hloc's matches.h5 instead of matching the descriptors");
  BIFOCAL_FIELD(matching, "how their descriptors are matched");
}

// Progress of a stage. `done` includes the work of earlier calls, `before`.
struct CollectProgress {
  std::string_view stage;  // "features", "pairs", "matches", "database"
  std::string_view unit;   // unit of `done` and `total`: "photographs", "pairs", "files"
  std::int64_t done = 0, total = 0, before = 0;
};

struct CollectOptions {
  PairChoice pairs = PairChoice::automatic;
  // Screen of PairChoice::all. If verified pairs leave the photographs in several components, the
  // `links` best rejected pairs from each component to the rest are matched, too; this repeats
  // while a pair is verified. Features of other tools are not screened, because most have no scale.
  ScreenOptions screen = {};
  int links = 10;
  SequentialOptions sequential = {};
  int loop_period = 10;
  int loop_partners = 10;
  RetrievalOptions retrieval = {};
  int partners = 20;
  NearOptions gps = {.most = 15};
  std::filesystem::path pairs_file = {};

  // The contrast threshold equals COLMAP's. The number of features is similar: COLMAP limits
  // positions to 8192 and writes one feature for each orientation of a position. The ratio of
  // `matching` is stricter than COLMAP's 0.8: fewer matches, smaller errors (docs/collections.md).
  SiftOptions sift = {.max_features = 12288, .contrast_threshold = 0.02};
  // If set, SURF features replace RootSIFT, and `sift` is ignored; SURF is covered by patents
  // (features.hpp). The database has the keypoints. Descriptors are stored in the separate table
  // bifocal_descriptors(image_id, data), because COLMAP would interpret them as SIFT descriptors.
  std::optional<SurfOptions> surf = {};
  // Folder of masks with COLMAP's names: 'a/1.jpg.png' for the photograph 'a/1.jpg', with the same
  // size. No features are detected where the mask is black. Photographs without a mask keep all
  // features. Features of another tool keep their numbers, and their matches in black regions are
  // dropped.
  std::filesystem::path masks = {};
  int max_side = 3200;
  MatchOptions matching = {.max_ratio = 0.75};
  // With features of another tool, `sift`, `max_side` and `matching` are ignored. Retrieval, and
  // sequential pairs with loops, are refused, because similarity needs RootSIFT. The database has
  // the keypoints; it has the descriptors if these are 128 integers of 8 bits.
  GivenFeatures given = {};
  // Pairs with a geometry are matched again along F or H, with errors of at most
  // geometry.threshold, and verified again. The result with more inliers is written, with its
  // matches (COLMAP's guided_matching). Not allowed with features of another tool.
  bool guided = false;
  int min_matches = 15;
  colmap::TwoViewGeometryOptions geometry = {};
  CollectCameras cameras = {};

  // Limit of the process's host memory in bytes, 32 MB of which are its own; also the limit on each
  // GPU for the memory of the stages. Half is for features of images that wait for their pairs, a
  // quarter for current matches, a quarter for current photographs. The minimum is the need of the
  // largest photograph, on a GPU processed in bands (features.hpp); with less, Error(usage) names
  // the minimum before any work. Not included: 16 kB per image for retrieval, 60 bytes per pair,
  // and host memory of a GPU's driver.
  std::int64_t max_memory = std::int64_t{4} << 30;
  // Number of images whose features are in memory simultaneously, at least 2, like COLMAP's option
  // of this name; 0: limited by max_memory only. The result does not depend on it.
  int block_size = 0;
  // Replaces an existing database at the end, and discards unfinished work with other options.
  bool overwrite = false;
  std::function<void(const CollectProgress&)> progress = {};
};
constexpr const char* name_of(const CollectOptions&) { return "CollectOptions"; }
template <MaybeConst<CollectOptions> Options, class Visit>
void fields(Options& options, const Visit& visit) {
  auto& [pairs, screen, links, sequential, loop_period, loop_partners, retrieval, partners, gps,
         pairs_file, sift, surf, masks, max_side, matching, given, guided, min_matches, geometry,
         cameras, max_memory, block_size, overwrite, progress] = options;
  BIFOCAL_FIELD(pairs, "pairs to match", Range::one_of(kPairChoiceWords));
  BIFOCAL_FIELD(screen, "all: screen of the pairs");
  BIFOCAL_FIELD(
      links, "all: rejected pairs per component that may link it and are matched, too, best first",
      Range::at_least(0));
  BIFOCAL_FIELD(sequential, "sequential: which neighbours are paired");
  BIFOCAL_FIELD(loop_period, "sequential: period in images of the search for loops; 0: no search",
                Range::at_least(0));
  BIFOCAL_FIELD(loop_partners, "sequential: most similar images tried for a loop",
                Range::at_least(1));
  BIFOCAL_FIELD(retrieval, "retrieval, and loops of sequential: similarity of images");
  BIFOCAL_FIELD(partners, "retrieval: number of images that each image is matched with",
                Range::at_least(1));
  BIFOCAL_FIELD(gps, "gps and auto: which images are near each other");
  BIFOCAL_FIELD(pairs_file, "file: list of pairs, two names on a line");
  BIFOCAL_FIELD(sift, "how features are found");
  BIFOCAL_FIELD(surf, "SURF features instead");
  BIFOCAL_FIELD(masks, "folder with PHOTOGRAPH.png: no features where a mask is black");
  BIFOCAL_FIELD(max_side, "larger photographs are reduced for feature detection; 0: never",
                Range::at_least(0), "px");
  BIFOCAL_FIELD(matching, "how features are matched");
  BIFOCAL_FIELD(given, "features of another tool instead");
  BIFOCAL_FIELD(guided, "match again along the estimated geometry, and verify again");
  BIFOCAL_FIELD(min_matches, "pairs with fewer matches count as unmatched", Range::at_least(1));
  BIFOCAL_FIELD(geometry, "options of verification");
  BIFOCAL_FIELD(cameras, "cameras of the database");
  BIFOCAL_FIELD(max_memory,
                "limit of the process's host memory (500M, 4G), and of the memory on each GPU",
                Range::at_least(1), "bytes");
  BIFOCAL_FIELD(block_size,
                "images whose features are in memory simultaneously; 0: limited by max_memory only",
                Range::at_least(0));
  BIFOCAL_FIELD(overwrite, "replace the database, and discard unfinished work with other options");
  BIFOCAL_FIELD(progress, "called as the stages advance");
}

struct CollectResult {
  bool was_complete = false;  // the database already existed, with these photographs and options
  bool resumed = false;       // an interrupted run was resumed
  std::int64_t images = 0, features = 0;
  std::vector<LeftOut> left_out;  // photographs that could not be read
  std::int64_t pairs = 0;         // selected
  // Rejected by the screen; the table bifocal_screened(pair_id, matches) lists them, including
  // pairs that were matched later.
  std::int64_t screened_out = 0;
  std::int64_t matched = 0;   // with at least min_matches matches
  std::int64_t verified = 0;  // with a geometry
  colmap::FocalLengths focal_lengths = {};
  // Further remarks, one sentence each: pairs selected by position, why no pair was selected,
  // photographs without a position, doubtful intrinsics, a restart from the beginning.
  std::vector<std::string> notes;
  std::vector<std::pair<std::string, double>>
      seconds;  // by stage; sums to the duration of the call
};

// Computes the database of a collection of photographs, or resumes an interrupted run. Photographs
// that cannot be read are left out and reported. So is an orthomosaic among them: a file with
// neither camera nor position in EXIF and with other proportions, where at least 10 other files
// are present and 90 % of these have both.
//
// Positions with altitudes, and directions of gravity from the gimbal of a drone, become the
// database's priors (colmap::Database::pose_priors). The covariance of a position is known if EXIF
// or XMP state its deviation (PhotographInfo::position_deviations_m).
//
// Throws Error(usage) with the option that is out of range, or that differs from the unfinished
// work. Throws Error(input) if known intrinsics are given for photographs of several sizes, if
// another database with this name exists, if a photograph has changed or disappeared since it was
// read, and if a file cannot be written; finished work is kept. Throws Error(device) if a device
// fails. Two processes must not work on one database: the second throws.
CollectResult collect(const DeviceSet& devices, const PhotographFiles& photographs,
                      const std::filesystem::path& database, const CollectOptions& options = {});

// Devices of a run whose caller names none (`--device auto`).
struct CollectDevices {
  DeviceSet devices;
  std::string warning;  // of best_working_device(); usually empty
};
// Returns the devices that began the unfinished or finished work on this database, because only
// they can resume it. Without such work, or if `overwrite` discards a finished database, returns
// best_working_device(). With `overwrite`, work whose devices are missing does not count.
//
// Throws Error(device) if the devices of the work are missing on this machine or cannot be used;
// the message names them, the devices of this machine, and how to go on.
[[nodiscard]] CollectDevices collect_devices(const std::filesystem::path& database,
                                             bool overwrite = false);

// Record of how collect() made a database. Databases of other programs lack it.
struct CollectSummary {
  std::vector<std::pair<std::string, std::string>> settings;  // names and values, ordered by name
  std::vector<LeftOut> left_out;   // photographs left out, ordered by name
  std::vector<std::string> notes;  // as in CollectResult
};
// Reads the record from a database. Throws Error(input) if the file is missing or is not
// a database.
[[nodiscard]] CollectSummary read_collect_summary(const std::filesystem::path& database);

}  // namespace bifocal
