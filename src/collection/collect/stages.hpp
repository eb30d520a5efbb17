// SPDX-License-Identifier: BSD-3-Clause
// The stages of collect(), in their order. Each goes on where the unfinished database says, and
// leaves its results there.
#pragma once

#include <bifocal/collect.hpp>

#include <algorithm>
#include <functional>
#include <mutex>

#include "collection/collect/feature_store.hpp"
#include "collection/collect/work_database.hpp"
#include "runtime/hash.hpp"

namespace bifocal::collection {

struct Job {
  const DeviceSet& devices;
  const PhotographFiles& photographs;
  const CollectOptions& options;
  std::filesystem::path work_file;
  std::unique_ptr<FeatureStore> found = {};
};

// PhotographRow::content of the bytes of a photograph and of its mask (none: empty).
[[nodiscard]] inline std::string content_of(std::string_view photograph, std::string_view mask) {
  std::string content = runtime::content_hash(photograph);
  return mask.empty() ? content : content + " " + runtime::content_hash(mask);
}

// Tells how far a stage is; `before` of it was done by earlier calls.
class StageProgress {
 public:
  StageProgress(const CollectOptions& options, std::string_view stage, std::string_view unit,
                std::int64_t total, std::int64_t before)
      : options_(options), state_{stage, unit, before, total, before} {
    tell();
  }
  // Any thread may tell.
  void add(std::int64_t more) {
    const std::lock_guard lock(mutex_);
    state_.done += more;
    tell();
  }

 private:
  void tell() const {
    if (options_.progress) options_.progress(state_);
  }
  const CollectOptions& options_;
  CollectProgress state_;
  std::mutex mutex_;
};

// A pixel takes this while it is decoded: colours and grey, and some of the file.
inline constexpr std::int64_t kBytesOfDecoding = 6;
// A match takes this in the pieces that are matched, decided and written at one time: with its
// points, flags and what estimation adds.
inline constexpr std::int64_t kBytesOfMatch = 400;
// Returns the bytes that stages may take of the memory of one device: each GPU has its own, others
// share the host's.
[[nodiscard]] std::int64_t memory_of(const Job& job, const Device& device);
// Returns what a detector and the features that it finds take of that at most: half where a device
// of OpenCL has the host's memory, which photographs are in, too.
[[nodiscard]] std::int64_t memory_of_detector(const Job& job, const Device& device);
// Tells how many of `images` images are resident on each device, at least two, in half of that
// memory.
[[nodiscard]] int images_on_each(const Job& job, std::int64_t images, std::int64_t bytes_of_image);
// Returns the bytes of the host's memory that the stages of one device may take.
[[nodiscard]] std::int64_t host_memory(const Job& job);
// Returns the bytes of the host's memory for features that were found: half of what max_memory has
// beyond its least, which resident features take where a device is no GPU.
[[nodiscard]] std::int64_t memory_of_found(const Job& job, std::int64_t least);
[[nodiscard]] bool all_are_gpus(const Job& job);
// Returns the least that max_memory has to be for a photograph of this size.
[[nodiscard]] std::int64_t least_memory(const Job& job, std::int64_t width, std::int64_t height);

// The options that decide what is found, and where, by the names of their members: all but
// max_memory, block_size, overwrite and progress, and those that are not looked at.
[[nodiscard]] Settings settings_of(const Job& job);
// Throws Error(usage) naming an option out of range.
void check(const CollectOptions& options);

// Returns the least that max_memory has to be for all photographs. Throws Error(usage) naming the
// one that takes most where it is less, and Error(input) where intrinsics are known and photographs
// have several sizes. Before any work: only heads of files are read.
std::int64_t check_sizes(const Job& job);
// Notes say what matters of the photographs and the chosen pairs (CollectResult::notes), the same
// in every run.
[[nodiscard]] std::vector<std::string> notes_of(const Job& job, std::span<const PhotographRow> rows,
                                                std::span<const ImagePair> pairs);

// Features of the rows that are waiting: RootSIFT or SURF, or those that are given.
void find_features(const Job& job, WorkDatabase& work, std::span<const PhotographRow> rows);

// Lists of pairs are in this order.
inline bool before(const ImagePair& a, const ImagePair& b) {
  return std::pair(a.image1, a.image2) < std::pair(b.image1, b.image2);
}

// PairCounts lists the pairs that have been matched, in order.
using PairCounts = std::vector<WorkDatabase::PairCount>;

// Runs a body and counts its time as that of a stage.
using StageRunner = std::function<void(const char* stage, const std::function<void()>& body)>;

// Chooses pairs and matches them, until there are no more to choose.
struct ChosenPairs {
  std::vector<ImagePair> pairs;  // in order
  PairCounts counts;             // of all pairs that the database has
  std::int64_t left_out = 0;     // by the screen
};
[[nodiscard]] ChosenPairs match_chosen(const Job& job, WorkDatabase& work,
                                       std::span<const PhotographRow> rows,
                                       const StageRunner& stage);
// Tells whether the pairs are those that pass the screen.
[[nodiscard]] bool is_screened(const CollectOptions& options);
// Counts how many of the largest features of each pair match; `images`: photographs in all.
[[nodiscard]] std::vector<int> screen(const Job& job, std::span<const ImagePair> pairs, int images);
// Matches and geometry of those that are not known. They are afterwards.
void match_pairs(const Job& job, WorkDatabase& work, std::span<const PhotographRow> rows,
                 std::span<const ImagePair> pairs, PairCounts& known);

// Gives photographs cameras, in the order of their first photographs.
class CameraBook {
 public:
  explicit CameraBook(const CollectCameras& options) : options_(options) {}
  [[nodiscard]] colmap::Id of(const PhotographInfo& info);
  [[nodiscard]] const std::vector<colmap::Camera>& cameras() const { return cameras_; }

 private:
  const CollectCameras& options_;
  std::map<std::string, colmap::Id> shared_;
  std::vector<colmap::Camera> cameras_;  // [id - 1]
};

}  // namespace bifocal::collection
