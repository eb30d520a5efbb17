// SPDX-License-Identifier: BSD-3-Clause
// collect() takes photographs to a database of verified pairs that COLMAP maps: features, pairs,
// matches and geometry come one stage after the other, each with reading, computing and writing at
// the same time.
//
//   const std::vector<std::string> folders = {"photographs"};
//   collect(DeviceSet("cuda:all"), list_photographs(folders), "out.db",
//           {.pairs = PairChoice::retrieval});
//
// It may be stopped at any time, by kill -9 too: the same call goes on where it was. Unfinished
// work is the database itself under the name DATABASE.part, which a piece of work enters as a whole
// or not at all, and which is renamed at the end. So nobody sees an unfinished one, and it has the
// same bytes whatever the interruptions, the number of threads and of devices (of one kind:
// DeviceSet), the memory and the pieces of the work. On another kind of device a few features are
// found otherwise: work is not continued there. Photographs that come later, to unfinished work or
// to a database that is there, cost their own features and pairs alone; their images have the
// numbers that come next.
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

enum class PairChoice {
  all,         // all that pass a screen (ScreenOptions), and those that may link what falls apart
  exhaustive,  // all
  sequential,  // in the order of comes_before() (SequentialOptions), with loops closed by retrieval
  retrieval,   // the most alike (RetrievalOptions)
  gps,         // the nearest by EXIF's GPS (NearOptions)
  listed,      // by a file (read_pairs)
};
inline constexpr std::string_view kPairChoiceWords[] = {"all",       "exhaustive", "sequential",
                                                        "retrieval", "gps",        "file"};

// Which photographs have the same camera. COLMAP's words: AUTO, SINGLE, per image.
enum class CameraSharing {
  automatic,  // those whose EXIF tells the same make, model, focal length and size; else one each
  single,     // those of the same size
  each,       // none
};
inline constexpr std::string_view kCameraSharingWords[] = {"auto", "single", "each"};
inline constexpr std::string_view kCollectModels[] = {"SIMPLE_PINHOLE", "PINHOLE", "SIMPLE_RADIAL",
                                                      "RADIAL",         "OPENCV",  "FULL_OPENCV"};

// The cameras of the database are these. Without `intrinsics` the focal length is that of EXIF
// (prior_focal_length 1), of the first photograph of the camera, else 1.2 times the longer side
// (0); the principal point is the centre, lens coefficients are 0.
struct CollectCameras {
  CameraSharing sharing = CameraSharing::automatic;
  std::string model = "SIMPLE_RADIAL";  // any of COLMAP's with a focal length
  // Known, of all photographs (px, the centre of the first pixel is (0, 0)), which have to be of
  // one size: a PINHOLE camera with prior_focal_length 1.
  std::optional<Intrinsics> intrinsics = {};
};
constexpr const char* name_of(const CollectCameras&) { return "CollectCameras"; }
template <MaybeConst<CollectCameras> Options, class Visit>
void fields(Options& options, const Visit& visit) {
  auto& [sharing, model, intrinsics] = options;
  BIFOCAL_FIELD(
      sharing,
      "photographs of one camera: those whose EXIF tells the same make, model, focal length and "
      "size, all of a size, or none",
      Range::one_of(kCameraSharingWords));
  BIFOCAL_FIELD(model, "camera model of the database", Range::one_of(kCollectModels));
  BIFOCAL_FIELD(intrinsics,
                "intrinsics of all photographs; by default EXIF's focal length, or a guess", {},
                "px");
}

// Features of another tool in the place of RootSIFT.
struct GivenFeatures {
  // hloc's HDF5 file (colmap/hloc.hpp), with `descriptors`; or a folder that has NAME.npz for a
  // photograph NAME, 'db/1.jpg.npz': `keypoints` [N, 2], px from the centre of the first pixel,
  // `descriptors` [N, D]. Photographs without, or with other descriptors than the first one has
  // (another D, or floats beside 8 bits), are left out and told. Empty: none are given.
  std::filesystem::path source = {};
  // Matches of another tool too: hloc's HDF5 file of matches. `matching` and the descriptors are
  // not used then, and PairChoice::all means all pairs of this file. Empty: matches by `matching`.
  std::filesystem::path matches = {};
  FloatMatchOptions matching = {};  // mutual nearest; descriptors are made to unit length
};
constexpr const char* name_of(const GivenFeatures&) { return "GivenFeatures"; }
template <MaybeConst<GivenFeatures> Options, class Visit>
void fields(Options& options, const Visit& visit) {
  auto& [source, matches, matching] = options;
  BIFOCAL_FIELD(source, "hloc's FILE.h5, or a folder with PHOTOGRAPH.jpg.npz");
  BIFOCAL_FIELD(matches, "hloc's matches.h5 instead of matching the descriptors");
  BIFOCAL_FIELD(matching, "how their descriptors are matched");
}

// This tells how far a stage is. `done` counts what earlier calls did (`before`), too.
struct CollectProgress {
  std::string_view stage;  // "features", "pairs", "matches", "database"
  std::string_view unit;   // what is counted: "photographs", "pairs", "files"
  std::int64_t done = 0, total = 0, before = 0;
};

struct CollectOptions {
  PairChoice pairs = PairChoice::all;
  // The screen of PairChoice::all. Where the verified pairs leave the photographs in several
  // components, the `links` best of the pairs between them that it left out are matched too, of
  // each component, and so on while a pair is verified. Given features are not screened: most have
  // no scale.
  ScreenOptions screen = {};
  int links = 10;
  SequentialOptions sequential = {};
  int loop_period = 10;
  int loop_partners = 10;
  RetrievalOptions retrieval = {};
  int partners = 20;
  NearOptions gps = {};
  std::filesystem::path pairs_file = {};

  // The contrast and about the number are those of COLMAP, whose 8192 are places: it writes one
  // feature for each orientation there. The ratio is stricter than its 0.8: fewer points,
  // smaller errors (docs/collections.md).
  SiftOptions sift = {.max_features = 12288, .contrast_threshold = 0.02};
  // Features of SURF instead, which is under patents (features.hpp); `sift` is not looked at. The
  // database has their keypoints; their descriptors stand in a table of its own,
  // bifocal_descriptors(image_id, data), since to COLMAP they would be SIFT's.
  std::optional<SurfOptions> surf = {};
  // A folder with masks as COLMAP takes them: 'a/1.jpg.png' of the photograph 'a/1.jpg', of its
  // size. There are no features where one is black. Photographs without a mask have all of theirs.
  // Given features keep their numbers; only their matches in black regions are dropped.
  std::filesystem::path masks = {};
  int max_side = 3200;
  MatchOptions matching = {.max_ratio = 0.75};
  // With these `sift`, `max_side` and `matching` are not looked at, and pairs are not chosen by
  // looks: retrieval, and sequential with loops, are refused. The database has their keypoints, and
  // their descriptors where these are 128 whole numbers of 8 bits.
  GivenFeatures given = {};
  // Pairs with a geometry are matched again along it, F or H, up to geometry.max_error from it, and
  // decided again; what has more inliers is written, with its matches (COLMAP's guided_matching).
  // Not with given features.
  bool guided = false;
  int min_matches = 15;
  colmap::VerifyOptions geometry = {};
  CollectCameras cameras = {};

  // Bytes that the process may take of the host's memory, 32 MB of them for itself, and the stages
  // of each GPU's: features of images that wait for their pairs half of it, matches under way a
  // quarter, photographs under way a quarter. What the largest photograph takes alone is the least,
  // on a GPU in bands (features.hpp): Error(usage) names it before any work. Beside it: 16 kB an
  // image for retrieval, 60 bytes a pair, and what a GPU's driver takes of the host.
  std::int64_t max_memory = std::int64_t{4} << 30;
  // The features of so many images are in memory at a time, at least 2, as COLMAP's option of that
  // name has it; 0: of as many as max_memory has room for. The result does not depend on it.
  int block_size = 0;
  // A database of this name that is there is replaced at the end; unfinished work with other
  // options is dropped.
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
  BIFOCAL_FIELD(screen, "all: which pairs pass the screen");
  BIFOCAL_FIELD(links,
                "all: pairs between components that are matched too, best first, of each component",
                Range::at_least(0));
  BIFOCAL_FIELD(sequential, "sequential: which neighbours are paired");
  BIFOCAL_FIELD(loop_period, "sequential: every so many images look for a loop; 0: none",
                Range::at_least(0));
  BIFOCAL_FIELD(loop_partners, "sequential: images most alike that are tried for a loop",
                Range::at_least(1));
  BIFOCAL_FIELD(retrieval, "retrieval, and loops of sequential: how alike images look");
  BIFOCAL_FIELD(partners, "retrieval: images that each is matched with", Range::at_least(1));
  BIFOCAL_FIELD(gps, "gps: which images are near each other");
  BIFOCAL_FIELD(pairs_file, "file: where the pairs are listed, two names a line");
  BIFOCAL_FIELD(sift, "how features are found");
  BIFOCAL_FIELD(surf, "features of SURF instead");
  BIFOCAL_FIELD(masks, "folder with PHOTOGRAPH.png: no features where a mask is black");
  BIFOCAL_FIELD(max_side, "larger photographs are reduced to find features; 0: never",
                Range::at_least(0), "px");
  BIFOCAL_FIELD(matching, "how features are matched");
  BIFOCAL_FIELD(given, "features of another tool instead");
  BIFOCAL_FIELD(guided, "match again along the geometry that was found, and verify again");
  BIFOCAL_FIELD(min_matches, "pairs with fewer matches count as unmatched", Range::at_least(1));
  BIFOCAL_FIELD(geometry, "the rules of verification");
  BIFOCAL_FIELD(cameras, "the cameras of the database");
  BIFOCAL_FIELD(max_memory,
                "most that the process takes of the host's memory (500M, 4G), and of each GPU's",
                Range::at_least(1), "bytes");
  BIFOCAL_FIELD(block_size,
                "images whose features are in memory at a time; 0: as many as max_memory has room "
                "for",
                Range::at_least(0));
  BIFOCAL_FIELD(overwrite, "replace the database, and drop unfinished work with other options");
  BIFOCAL_FIELD(progress, "called as the stages advance");
}

struct CollectResult {
  bool was_complete = false;  // the database was there, of these photographs and options
  bool resumed = false;       // work of an earlier call was gone on with
  std::int64_t images = 0, features = 0;
  std::vector<LeftOut> left_out;  // photographs that could not be read
  std::int64_t pairs = 0;         // chosen
  std::int64_t screened_out = 0;  // left out by the screen: the table bifocal_screened(pair_id,
                                  // matches) has them, and those that were matched all the same
  std::int64_t matched = 0;       // with min_matches or more
  std::int64_t verified = 0;      // with a geometry
  // Notes tell what else matters, a sentence each: why there is no pair, photographs without a
  // position, intrinsics that hardly are those of the photographs, a new beginning.
  std::vector<std::string> notes;
  std::vector<std::pair<std::string, double>> seconds;  // of each stage of this call
};

// Photographs that can't be read are left out and told. Throws Error(usage) naming an option out of
// range, or one that differs from those that unfinished work was begun with; Error(input) for
// photographs of several sizes that known intrinsics are given for, for a database that is there
// and another one, for a photograph that has changed or gone since it was taken in, and when a file
// can't be written (what is done is kept); Error(device). Not for two processes at once on one
// database: the second throws.
CollectResult collect(const DeviceSet& devices, const PhotographFiles& photographs,
                      const std::filesystem::path& database, const CollectOptions& options = {});

// A database keeps this of how collect() made it; those of others have nothing of it. Throws
// Error(input) for a file that is missing or no database.
struct CollectSummary {
  std::vector<std::pair<std::string, std::string>> settings;  // names and values, by name
  std::vector<LeftOut> left_out;                              // photographs, by name
  std::vector<std::string> notes;                             // as in CollectResult
};
[[nodiscard]] CollectSummary read_collect_summary(const std::filesystem::path& database);

}  // namespace bifocal
