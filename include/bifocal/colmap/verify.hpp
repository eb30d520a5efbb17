// SPDX-License-Identifier: BSD-3-Clause
// Geometric verification as COLMAP's: which pairs of images show the same scene, with E, F and H,
// the inliers among their matches, and what kind of geometry it is.
//
//   const colmap::VerifyProgress done = colmap::verify(DeviceSet("cuda:all"), "database.db", {});
//
// verify() works through a database; decide() has the rules by themselves, for pairs that the
// caller has; shards are parts for many machines. docs/colmap.md has the rules, and where they
// differ from COLMAP's.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <bifocal/colmap/database.hpp>
#include <bifocal/device.hpp>
#include <bifocal/error.hpp>
#include <bifocal/fields.hpp>
#include <bifocal/camera.hpp>
#include <bifocal/geometry.hpp>

namespace bifocal::colmap {

// Takes the lens away from the pictures of a camera of COLMAP's: px of a picture to px of a pinhole
// in its place (camera.hpp, which has the models). Functions may run on several threads.
class Undistortion {
 public:
  // Throws Error(usage) that names the camera for another model, for numbers that are not finite
  // and focal lengths that are not positive.
  explicit Undistortion(const Camera& camera);

  [[nodiscard]] bool has_lens() const { return lens_.has_lens(); }
  [[nodiscard]] bool is_fisheye() const { return lens_.is_fisheye(); }
  [[nodiscard]] const Intrinsics& pinhole() const { return lens_.pinhole(); }
  // Of the distorted px, near the axis.
  [[nodiscard]] const Intrinsics& intrinsics() const { return lens_.intrinsics(); }
  // Ours, (0, 0) the centre of the first pixel; as LensCamera::undistort().
  [[nodiscard]] Vec2 operator()(const Vec2& px) const { return lens_.undistort(px); }

 private:
  LensCamera lens_;
};

// Defaults are COLMAP's (TwoViewGeometryOptions), and so are the names but for those of robust.hpp.
struct VerifyOptions {
  double max_error = 4;  // the Sampson distance from E and F, |x2 - H x1| of H
  int min_inliers = 15;
  double confidence = 0.999;
  int min_iterations = 100;  // of each model, as of RobustOptions
  int max_iterations = 10000;
  double min_inlier_ratio = 0;
  double min_E_F_inlier_ratio = 0.95;
  double max_H_inlier_ratio = 0.8;
  // Poses of planar pairs and of pairs with F alone too, and planar_or_panoramic told apart where
  // the cameras are known. Calibrated pairs always have their pose.
  bool relative_pose = false;
  // Configuration::watermark: this fraction of the inliers lies so near to the border of both
  // pictures (a fraction of their diagonals) and is shifted alike, to so many px.
  bool detect_watermark = true;
  double watermark_min_inlier_ratio = 0.7;
  double watermark_border_size = 0.1;
  double watermark_max_error = 4;
  std::uint64_t seed = 0;  // a pair's result depends on it, the pair and the options alone
  double belief = 0;       // as of RobustOptions
};
constexpr const char* name_of(const VerifyOptions&) { return "VerifyOptions"; }
template <MaybeConst<VerifyOptions> Options, class Visit>
void fields(Options& options, const Visit& visit) {
  auto& [max_error, min_inliers, confidence, min_iterations, max_iterations, min_inlier_ratio,
         min_E_F_inlier_ratio, max_H_inlier_ratio, relative_pose, detect_watermark,
         watermark_min_inlier_ratio, watermark_border_size, watermark_max_error, seed, belief] =
      options;
  BIFOCAL_FIELD(max_error, "largest error of an inlier", Range::above(0).finite(), "px");
  BIFOCAL_FIELD(min_inliers, "a pair with fewer is degenerate", Range::at_least(1));
  BIFOCAL_FIELD(confidence, "probability of having drawn a sample without outliers",
                Range::above(0).below(1));
  BIFOCAL_FIELD(min_iterations, "samples to draw for each model at least", Range::at_least(1));
  BIFOCAL_FIELD(max_iterations, "most samples to draw for each model", Range::at_least(1));
  BIFOCAL_FIELD(min_inlier_ratio,
                "fraction of right matches worth looking for; 0: 0.2, more of few matches",
                Range::within(0, 1));
  BIFOCAL_FIELD(min_E_F_inlier_ratio, "calibrated: E has more than this fraction of F's inliers",
                Range::within(0, 1));
  BIFOCAL_FIELD(max_H_inlier_ratio,
                "planar_or_panoramic: H has more than this fraction of E's or F's inliers",
                Range::within(0, 1));
  BIFOCAL_FIELD(relative_pose, "poses of planar pairs, too, and planes told from turns");
  BIFOCAL_FIELD(detect_watermark, "look for watermarks");
  BIFOCAL_FIELD(watermark_min_inlier_ratio,
                "fraction of the inliers that lies in the border and moves alike",
                Range::within(0, 1));
  BIFOCAL_FIELD(watermark_border_size,
                "width of the border, as a fraction of the picture's diagonal",
                Range::within(0, 1));
  BIFOCAL_FIELD(watermark_max_error, "largest difference of what moves alike", Range::above(0),
                "px");
  BIFOCAL_FIELD(seed, "seed of the sampling; the same one gives the same result");
  BIFOCAL_FIELD(
      belief,
      "a model counts if fewer models as well supported are expected of outliers; larger: "
      "more models of few matches, right and wrong; 0: 0.01, of homographies 0.001",
      Range::at_least(0).finite());
}

// This is known of an image's camera.
struct ViewCamera {
  Intrinsics pinhole;  // of the undistorted px
  bool has_prior_focal_length = false;
  bool is_fisheye = false;
  std::int64_t width = 0, height = 0;  // px
  // A pinhole without a prior has its number here. Two images of one such camera share the focal
  // length that nobody knows. Negative: nothing is known to be shared.
  std::int64_t shared_pinhole = -1;
};

// Points lie in the host's memory or the device's.
struct DecideBatch {
  Memory<const PointPair> points;                  // px, as they are in the images
  Memory<const PointPair> undistorted;             // the same by Undistortion; null: no lenses
  std::span<const std::int64_t> offsets;           // pair k has [offsets[k], offsets[k + 1])
  std::span<const ViewCamera> cameras1, cameras2;  // one a pair
};
struct DecidedPair {
  Configuration configuration = Configuration::degenerate;
  int inlier_count = 0;
  std::optional<Mat3> F, E, H;  // every one that was found; F and H on px as in the pictures
  std::optional<Pose> cam2_from_cam1;
  // px, fx: what two images of one camera without a prior tell of it; 0: nothing.
  double focal_length = 0;
};
struct DecidedPairs {
  std::vector<DecidedPair> pairs;
  std::vector<std::uint8_t> inliers;  // 1 or 0 for each point
};
// COLMAP's rules. Both focal lengths known: E, F and H; calibrated where E has as many inliers as
// F (95 %), uncalibrated where only F has enough; else F and H: uncalibrated, with F and E of a
// shared unknown focal length where both images are of one pinhole. planar_or_panoramic
// where H has 80 % of those inliers. Fisheye lenses whose focal length is not known: degenerate.
// Throws Error(usage) for arrays that do not fit.
[[nodiscard]] DecidedPairs decide(Queue& queue, const DecideBatch& batch,
                                  const VerifyOptions& options = {});

// A row that can't be taken as it is, and what became of its pairs. Of thousands of images a few
// have such rows as a rule: they never stop the others.
enum class RowUse {
  left_out,      // not verified, and without a row: they are sought again by the next call
  uncalibrated,  // verified without the camera: F and H need no focal length
  as_it_is,      // verified; what it says is told since it can hardly be right
};
struct OddRow {
  std::string row, reason;  // "table cameras, camera_id 3", "focal lengths 0 0, must be positive"
  RowUse use = RowUse::left_out;
  std::int64_t pairs = 0;  // met so far
};

// verify() has to do this, and has done so much of it.
struct VerifyProgress {
  std::int64_t pairs = 0;      // to verify: listed, with matches, and not verified before
  std::int64_t done = 0;       // of them; those left out are not
  std::int64_t skipped = 0;    // verified before
  std::int64_t unmatched = 0;  // listed, without a match
  std::int64_t left_out = 0;   // for a row that can't be taken (OddRow); done + left_out = pairs
  std::int64_t inliers = 0;    // of the pairs done
  std::array<std::int64_t, 10> configurations{};  // pairs done, by the number of Configuration
  std::vector<std::int64_t> by_device{};          // pairs done by each device of the set
  std::vector<OddRow> odd_rows{};                 // in the order in which they were met
};

struct VerifyRun {
  VerifyOptions options = {};
  // File of pairs, two names a line (pair_selection.hpp); empty: all pairs that have matches.
  std::filesystem::path pairs = {};
  // Forgets what was verified of these pairs before; else pairs that have a row, of another
  // configuration than undefined, are skipped.
  bool overwrite = false;
  std::int64_t max_memory = std::int64_t{1} << 30;
  // Called before the first piece of the pairs, and when one (at most 1024, and as a rule 2^20
  // matches) has been written. False ends the work there.
  std::function<bool(const VerifyProgress&)> progress = {};
};
constexpr const char* name_of(const VerifyRun&) { return "VerifyRun"; }
template <MaybeConst<VerifyRun> Options, class Visit>
void fields(Options& run, const Visit& visit) {
  auto& [options, pairs, overwrite, max_memory, progress] = run;
  BIFOCAL_FIELD(options, "the rules");
  BIFOCAL_FIELD(pairs, "file of pairs, two names of images a line; else all");
  BIFOCAL_FIELD(overwrite, "verify again what was verified; else it is skipped");
  BIFOCAL_FIELD(max_memory, "keypoints kept for further pairs: 500M, 2G", {}, "bytes");
  BIFOCAL_FIELD(progress, "called as pieces are written");
}

// Verifies the pairs of a database and writes their geometries. Pieces are read, decided and
// written at the same time, in the order of pairs, each as one transaction: the work may be ended
// at any time, by force too, and goes on where it was when it is done again. Pieces are decided on
// whichever device is free. The file is the same, byte for byte, whatever the number of threads and
// devices (of one kind: DeviceSet) and the interruptions. One odd row never stops the others
// (VerifyProgress::odd_rows): a camera of numbers that no camera has, pairs of images, cameras and
// keypoints that are not there or of models that are not supported, damaged keypoints and matches,
// matches that name no keypoint. Throws Error(input) for a file that SQLite can't read.
VerifyProgress verify(const DeviceSet& devices, const std::filesystem::path& database,
                      const VerifyRun& run);

// Verification of a database in parts that any engine may hand out, to processes and machines that
// see one folder: a plan, its shards in any order and as often as wanted, and a merge.
//
//   const colmap::Plan plan = colmap::plan_shards("database.db", "shards", {});
//   for (int k = 0; k < plan.shards(); ++k) (void)colmap::run_shard(devices, plan, k, {});
//   colmap::merge_shards(plan, {});
//
// The database then has the bytes that colmap::verify() alone gives it. The folder has
//   plan.json       what is to be done: options, which database, how many shards
//   shard-K.pairs   a pair a line: numbers of the two images and how many matches they have
//   shard-K.result  what was found, whole and with a checksum, or not there
// Files come by another name and are renamed when they are on the disk. docs/collections.md has
// the recipes for engines.

struct PlanRun {
  VerifyOptions options = {};
  std::filesystem::path pairs = {};  // as in VerifyRun
  bool overwrite = false;            // as in VerifyRun; rows are forgotten by the merge
  std::int64_t pairs_per_shard = 10000;
};

struct Plan {
  std::filesystem::path folder;
  std::filesystem::path database;  // absolute, as the plan was made
  std::string hash;                // of everything below, 32 hexadecimal digits
  std::string views;               // hash of cameras, images and features, likewise
  std::int64_t pairs = 0, matches = 0;
  std::int64_t skipped = 0, unmatched = 0;  // as in VerifyProgress
  std::int64_t pairs_per_shard = 0;
  std::vector<std::string> lists;  // hash of each shard's list
  bool overwrite = false, all_pairs = true;
  VerifyOptions options = {};
  std::vector<OddRow>
      odd_rows;  // that plan_shards() met: of no pair; the others are told by shards

  [[nodiscard]] int shards() const { return static_cast<int>(lists.size()); }
};

// The same database and options give the same plan. Where the folder has that plan already nothing
// changes, results stay; throws Error(input) where it has another one. Throws Error(usage) for
// pairs_per_shard below 1 or for more than 2^20 shards, else as verify().
Plan plan_shards(const std::filesystem::path& database, const std::filesystem::path& folder,
                 const PlanRun& run);
// Throws Error(input) where there is none, or a damaged one.
[[nodiscard]] Plan read_plan(const std::filesystem::path& folder);

[[nodiscard]] std::filesystem::path result_file(const Plan& plan, int shard);
// Empty where the shard is done: its file is whole, this plan's, and of the pairs of the shard's
// list. Else what is wrong with it.
[[nodiscard]] std::string why_not_done(const Plan& plan, int shard);

enum class ShardEnd {
  done,       // the file is there
  try_again,  // lost device, no memory, full disk, locked file: may go well later or elsewhere
  poisoned,   // the file of the database is damaged there: would fail every time
};
struct ShardRun {
  std::filesystem::path database = {};  // where it is on this machine; empty: as planned
  std::int64_t max_memory = std::int64_t{1} << 30;  // as in VerifyRun
};
struct ShardResult {
  ShardEnd end = ShardEnd::done;
  std::string reason;      // of other ends than done
  bool was_done = false;   // before; nothing was computed
  std::int64_t pairs = 0;  // verified now
  std::int64_t inliers = 0;
  std::int64_t left_out = 0;     // pairs, as in VerifyProgress; what the file tells of them is that
  std::vector<OddRow> odd_rows;  // likewise
};
// Verifies the pairs of one shard. The database is only read, without locks where nobody writes to
// it, so that it may lie in a network file system. Throws Error(usage) for a shard that is not in
// the plan and Error(input) for a missing database, another one than the plan's, and a damaged
// list: faults of the whole run.
ShardResult run_shard(const DeviceSet& devices, const Plan& plan, int shard, const ShardRun& run);

struct MergeRun {
  std::filesystem::path into = {};  // the planned database or a copy; empty: as planned
  // Called before the first piece and after each; false ends the work there.
  std::function<bool(const VerifyProgress&)> progress = {};
};
// Writes the geometries of all shards, in the order of pairs and in the pieces of verify(): the
// file gets its bytes. May be ended at any time and done again; pairs that have a row are skipped.
// One merge of a folder at a time. Throws Error(input) that names the shards that are not done,
// and for another database than the plan's; TryAgain for a full disk.
VerifyProgress merge_shards(const Plan& plan, const MergeRun& run);

}  // namespace bifocal::colmap
