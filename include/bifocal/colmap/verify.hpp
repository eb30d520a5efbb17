// SPDX-License-Identifier: BSD-3-Clause
// Geometric verification by COLMAP's rules. It determines which image pairs show the same scene,
// their E, F and H, the inliers among their matches, and the kind of geometry (Configuration).
//
//   const colmap::VerifyProgress done = colmap::verify(DeviceSet("cuda:all"), "database.db", {});
//
// verify() processes the pairs of a database. decide() applies the rules to pairs in memory. Shards
// divide the work among machines. docs/colmap.md describes the rules and the differences
// from COLMAP.
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

// Options of verification. Defaults are those of COLMAP's TwoViewGeometryOptions. Members with a
// counterpart in robust.hpp have its name, the others COLMAP's.
struct TwoViewGeometryOptions {
  double threshold = 4;  // px, Sampson distance for E and F, |x2 - H x1| for H
  int min_inliers = 15;
  double confidence = 0.999;
  int min_iterations = 100;  // for each model, as in RobustOptions
  int max_iterations = 10000;
  double min_inlier_ratio = 0;
  double min_E_F_inlier_ratio = 0.95;
  double max_H_inlier_ratio = 0.8;
  // Also computes poses of planar pairs and of pairs with F only, and distinguishes planar from
  // panoramic pairs if the cameras are known. Calibrated pairs always get a pose.
  bool relative_pose = false;
  // Detects Configuration::watermark. A pair is one if at least the fraction
  // watermark_min_inlier_ratio of its inliers lies near the border of both images and has the same
  // shift. The width of the border is watermark_border_size times the image diagonal; shifts may
  // differ by watermark_max_error px.
  bool detect_watermark = true;
  double watermark_min_inlier_ratio = 0.7;
  double watermark_border_size = 0.1;
  double watermark_max_error = 4;
  // The result of a pair depends only on the seed, the pair and the options.
  std::uint64_t seed = 0;
  double belief = 0;  // as in RobustOptions
};
constexpr const char* name_of(const TwoViewGeometryOptions&) { return "TwoViewGeometryOptions"; }
template <MaybeConst<TwoViewGeometryOptions> Options, class Visit>
void fields(Options& options, const Visit& visit) {
  auto& [threshold, min_inliers, confidence, min_iterations, max_iterations, min_inlier_ratio,
         min_E_F_inlier_ratio, max_H_inlier_ratio, relative_pose, detect_watermark,
         watermark_min_inlier_ratio, watermark_border_size, watermark_max_error, seed, belief] =
      options;
  BIFOCAL_FIELD(threshold, "largest error of an inlier", Range::above(0).finite(), "px");
  BIFOCAL_FIELD(min_inliers, "pairs with fewer inliers are degenerate", Range::at_least(1));
  BIFOCAL_FIELD(confidence, "probability of an outlier-free sample at which sampling ends",
                Range::above(0).below(1));
  BIFOCAL_FIELD(min_iterations, "minimum number of samples for each model", Range::at_least(1));
  BIFOCAL_FIELD(max_iterations, "maximum number of samples for each model", Range::at_least(1));
  BIFOCAL_FIELD(min_inlier_ratio,
                "fraction of correct matches that sampling must be able to find; 0: 0.2, more for "
                "few matches",
                Range::within(0, 1));
  BIFOCAL_FIELD(min_E_F_inlier_ratio, "calibrated: E has more than this fraction of F's inliers",
                Range::within(0, 1));
  BIFOCAL_FIELD(max_H_inlier_ratio,
                "planar_or_panoramic: H has more than this fraction of E's or F's inliers",
                Range::within(0, 1));
  BIFOCAL_FIELD(relative_pose,
                "also compute poses of planar pairs, and distinguish planar from panoramic pairs");
  BIFOCAL_FIELD(detect_watermark, "detect watermarks");
  BIFOCAL_FIELD(watermark_min_inlier_ratio,
                "fraction of the inliers that lie near the border and have the same shift",
                Range::within(0, 1));
  BIFOCAL_FIELD(watermark_border_size, "width of the border, as a fraction of the image diagonal",
                Range::within(0, 1));
  BIFOCAL_FIELD(watermark_max_error,
                "largest difference between the shifts of a watermark's inliers", Range::above(0),
                "px");
  BIFOCAL_FIELD(seed, "seed of the sampling; equal seeds give equal results");
  BIFOCAL_FIELD(belief,
                "level of significance: a model is accepted if the expected number of equally good "
                "models among outliers is smaller; a higher level accepts more models with few "
                "matches, correct and wrong; 0: 0.01, for homographies 0.001",
                Range::at_least(0).finite());
}

// Camera of an image.
struct ViewCamera {
  Intrinsics pinhole;  // intrinsics for the undistorted px
  bool has_prior_focal_length = false;
  bool is_fisheye = false;
  std::int64_t width = 0, height = 0;  // px
  // Number that identifies a pinhole camera without a prior focal length. Two images with equal
  // numbers share the unknown focal length. Negative: not known to be shared.
  std::int64_t shared_pinhole = -1;
};

// Pairs for decide(). Points are in host or device memory.
struct DecideBatch {
  Memory<const PointPair> points;  // px, as in the images
  Memory<const PointPair>
      undistorted;  // px of the cameras' pinholes; null: no camera has distortion
  std::span<const std::int64_t> offsets;           // pair k has points [offsets[k], offsets[k + 1])
  std::span<const ViewCamera> cameras1, cameras2;  // one for each pair
};
// Verification result of one pair.
struct DecidedPair {
  Configuration configuration = Configuration::degenerate;
  int num_inliers = 0;
  std::optional<Mat3> F, E, H;  // all models found; F and H are for image px
  std::optional<Pose> cam2_from_cam1;
  std::string pose_fault;  // why relative_pose found no pose in the models
  // px, fx estimated from two images of one camera without a prior; 0: unknown.
  double focal_length = 0;
};
struct DecidedPairs {
  std::vector<DecidedPair> pairs;
  std::vector<std::uint8_t> inliers;  // 1 or 0 for each point
};
// Applies COLMAP's rules to pairs in memory.
//
// If both focal lengths are known, E, F and H are estimated. The pair is calibrated if E has at
// least 95 % of the inliers of F, and uncalibrated if only F has enough inliers. Otherwise F and H
// are estimated and the pair is uncalibrated; if both images are from one pinhole camera, F and E
// with a shared unknown focal length are estimated. The pair is planar_or_panoramic if H has 80 %
// of those inliers. Fisheye lenses with unknown focal length give degenerate. Throws Error(usage)
// if the sizes of the arrays do not match.
[[nodiscard]] DecidedPairs decide(Queue& queue, const DecideBatch& batch,
                                  const TwoViewGeometryOptions& options = {});

// Treatment of a damaged or implausible row. A database of thousands of images usually has a few
// such rows; they never stop the verification of other pairs.
enum class RowUse {
  left_out,      // not verified and no row is written; the next call tries again
  uncalibrated,  // verified without the camera, since F and H need no focal length
  as_it_is,      // verified; the row is reported because its values are implausible
  without_pose,  // verified and written without a pose, which its models do not have
};
// A damaged or implausible row.
struct OddRow {
  std::string row, reason;  // "table cameras, camera_id 3", "focal lengths 0 0, must be positive"
  RowUse use = RowUse::left_out;
  std::int64_t pairs = 0;  // pairs affected so far
};

// Progress of verify().
struct VerifyProgress {
  std::int64_t pairs = 0;  // pairs to verify: listed, with matches, and not verified before
  std::int64_t done = 0;   // verified, not including those left out
  std::int64_t verified_before = 0;
  std::int64_t unmatched = 0;  // listed, without a match
  // Left out because of a damaged row (OddRow); in the end done + left_out = pairs.
  std::int64_t left_out = 0;
  std::int64_t inliers = 0;                       // sum over the pairs done
  std::array<std::int64_t, 10> configurations{};  // pairs done, by the number of Configuration
  std::vector<std::int64_t> by_device{};          // pairs done by each device of the set
  std::vector<OddRow> odd_rows{};                 // in the order in which they were found
};

struct VerifyRun {
  TwoViewGeometryOptions options = {};
  // File of pairs with two image names on a line (pair_selection.hpp); empty: all pairs
  // with matches.
  std::filesystem::path pairs = {};
  // Replaces earlier results of the pairs, each in the transaction that writes the new one; pairs
  // that are left out or have no match keep theirs. Otherwise pairs with a row whose configuration
  // is not `undefined` are skipped.
  bool overwrite = false;
  std::int64_t max_memory = std::int64_t{1} << 30;
  // Called before the first batch of pairs and after each batch is written. A batch has at most
  // 1024 pairs and usually 2^20 matches. The work ends if it returns false.
  std::function<bool(const VerifyProgress&)> progress = {};
};
constexpr const char* name_of(const VerifyRun&) { return "VerifyRun"; }
template <MaybeConst<VerifyRun> Options, class Visit>
void fields(Options& run, const Visit& visit) {
  auto& [options, pairs, overwrite, max_memory, progress] = run;
  BIFOCAL_FIELD(options, "options of verification");
  BIFOCAL_FIELD(pairs, "file of pairs, two image names on a line; default: all pairs");
  BIFOCAL_FIELD(overwrite,
                "verify pairs again that are already verified; by default they are skipped");
  BIFOCAL_FIELD(max_memory, "memory for keypoints that later pairs need: 500M, 2G", {}, "bytes");
  BIFOCAL_FIELD(progress, "called as pairs are written");
}

// Verifies the pairs of a database and writes their geometries.
//
// Batches are read, decided and written simultaneously, in the order of pairs, each in one
// transaction. The work may be interrupted at any time, also by kill -9, and another call resumes
// it. Each batch is decided on the next free device. The file has the same bytes for any number of
// threads and devices of one kind (DeviceSet), and any interruptions. Damaged rows never stop the
// verification of other pairs (VerifyProgress::odd_rows): impossible camera parameters, missing
// images, cameras or keypoints, unsupported models, damaged keypoints or matches, and matches with
// invalid indices. Throws Error(input) if SQLite cannot read the file.
VerifyProgress verify(const DeviceSet& devices, const std::filesystem::path& database,
                      const VerifyRun& run);

// Verification of a database in parts by many processes and machines with a common folder. A plan
// divides the pairs into shards; the shards may run in any order, also repeatedly; a merge writes
// the results.
//
//   const colmap::Plan plan = colmap::plan_shards("database.db", "shards", {});
//   for (int k = 0; k < plan.shards(); ++k) (void)colmap::run_shard(devices, plan, k, {});
//   colmap::merge_shards(plan, {});
//
// The database then has the same bytes as after colmap::verify(). The folder contains
//   plan.json       options, identity of the database, number of shards
//   shard-K.pairs   one pair on a line: numbers of both images and number of their matches
//   shard-K.result  complete results with a checksum, if the shard is done
// Files are written with a temporary name and renamed once they are on the disk.
// docs/collections.md has recipes for workflow engines.

struct PlanRun {
  TwoViewGeometryOptions options = {};
  std::filesystem::path pairs = {};  // as in VerifyRun
  bool overwrite = false;            // as in VerifyRun; the merge replaces the earlier rows
  std::int64_t pairs_per_shard = 10000;
};

struct Plan {
  std::filesystem::path folder;
  std::filesystem::path database;  // absolute path at the time of planning
  std::string hash;                // hash of all members below, 32 hexadecimal digits
  std::string views;               // hash of cameras, images and features, 32 hexadecimal digits
  std::int64_t pairs = 0, matches = 0;
  std::int64_t verified_before = 0, unmatched = 0;  // as in VerifyProgress
  std::int64_t pairs_per_shard = 0;
  std::vector<std::string> lists;  // hash of the list of each shard
  bool overwrite = false, all_pairs = true;
  TwoViewGeometryOptions options = {};
  std::vector<OddRow>
      odd_rows;  // found by plan_shards(), without pairs; shards report rows with pairs

  [[nodiscard]] int shards() const { return static_cast<int>(lists.size()); }
};

// Divides the pairs of a database into shards. The same database and options give the same plan. If
// the folder already has this plan, the folder is unchanged and existing results stay. Throws
// Error(input) if the folder has another plan, Error(usage) for pairs_per_shard below 1 or more
// than 2^20 shards, and otherwise like verify().
Plan plan_shards(const std::filesystem::path& database, const std::filesystem::path& folder,
                 const PlanRun& run);
// Reads the plan of a folder. Throws Error(input) if the plan is missing or damaged.
[[nodiscard]] Plan read_plan(const std::filesystem::path& folder);

// Returns the path of a shard's result.
[[nodiscard]] std::filesystem::path result_file(const Plan& plan, int shard);
// Returns an empty string if the shard is done, otherwise the reason. A shard is done if its result
// file is complete, belongs to this plan, and contains the pairs of the shard's list.
[[nodiscard]] std::string why_not_done(const Plan& plan, int shard);

// How the work on a shard ended.
enum class ShardEnd {
  done,       // the result file exists
  try_again,  // device lost, memory or disk full, file locked: may succeed later or elsewhere
  poisoned,   // the database file is damaged in these pairs: every attempt would fail
};
struct ShardRun {
  // Path of the database on this machine; empty: the planned path.
  std::filesystem::path database = {};
  std::int64_t max_memory = std::int64_t{1} << 30;  // as in VerifyRun
};
struct ShardResult {
  ShardEnd end = ShardEnd::done;
  std::string reason;      // reason if the end is not `done`
  bool was_done = false;   // the shard was done before and was not computed again
  std::int64_t pairs = 0;  // verified by this call
  std::int64_t inliers = 0;
  // Pairs left out by this call, as in VerifyProgress. The result file lists them without a reason.
  std::int64_t left_out = 0;
  std::vector<OddRow> odd_rows;  // rows for which pairs were left out
};
// Verifies the pairs of one shard. Only reads the database, and takes no locks if no process writes
// to it, so it may be on a network file system. Throws Error(usage) if the plan has no such shard,
// and Error(input) if the database is missing or is not the planned one, or if the list of pairs is
// damaged; these errors concern the whole run.
ShardResult run_shard(const DeviceSet& devices, const Plan& plan, int shard, const ShardRun& run);

struct MergeRun {
  std::filesystem::path into = {};  // the planned database or its copy; empty: the planned path
  // Called before the first batch and after each batch. The work ends if it returns false.
  std::function<bool(const VerifyProgress&)> progress = {};
};
// Writes the geometries of all shards, in the order of pairs and in the batches of verify(), so
// that the file has the same bytes. It may be interrupted at any time and called again; pairs with
// a row are skipped. Only one merge of a folder may run at a time. Throws Error(input) with the
// shards that are not done, and for another database than the planned one; TryAgain if the disk
// is full.
VerifyProgress merge_shards(const Plan& plan, const MergeRun& run);

}  // namespace bifocal::colmap
