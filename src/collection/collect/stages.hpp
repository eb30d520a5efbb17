// SPDX-License-Identifier: BSD-3-Clause
// The stages of collect(), in their order. Each goes on where the work file says, and leaves its
// results there.
#pragma once

#include <bifocal/collect.hpp>

#include <algorithm>
#include <atomic>
#include <mutex>

#include "collection/collect/work_file.hpp"

namespace bifocal::collection {

struct Job {
  const DeviceSet& devices;
  const PhotographFiles& photographs;
  const CollectOptions& options;
  std::filesystem::path work_file;
};

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
  // So much was done by this call.
  void to(std::int64_t done) {
    const std::lock_guard lock(mutex_);
    state_.done = std::max(state_.done, state_.before + done);
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

// Work on each device of a set, on a thread for each. What fails is rethrown when all have ended.
class DeviceTeam {
 public:
  explicit DeviceTeam(const DeviceSet& devices) : devices_(devices) {}
  void run(const std::function<void(const Device&)>& work);
  // Another one has failed: there is no use in going on.
  [[nodiscard]] bool has_failed() const { return failed_; }

 private:
  const DeviceSet& devices_;
  std::atomic<bool> failed_ = false;
};
// Of the bytes that stages may take, those of one device: each GPU has its own memory, others share
// the host's.
[[nodiscard]] std::int64_t memory_of(const Job& job, const Device& device);
// How many of `images` images are resident on a device, at least two, in half of that memory.
[[nodiscard]] int images_on(const Job& job, const Device& device, std::int64_t images,
                            std::int64_t bytes_of_image);
// Those of one device on the host.
[[nodiscard]] std::int64_t host_memory(const Job& job);

// The options that decide what is found, and where; all but max_memory, overwrite and progress.
[[nodiscard]] Settings settings_of(const Job& job);
// Throws Error(usage) naming an option out of range.
void check_options(const CollectOptions& options);

// Throws Error(input) where intrinsics are known and photographs have several sizes. Before any
// work: only heads of files are read.
void check_sizes(const Job& job);
// Notes say what matters of the photographs and the chosen pairs (CollectResult::notes), the same
// in every run.
[[nodiscard]] std::vector<std::string> notes_of(const Job& job, std::span<const PhotographRow> rows,
                                                std::span<const ImagePair> pairs);

// Features of all photographs that are waiting: RootSIFT or SURF, or those that are given.
void find_features(const Job& job);
void read_given_features(const Job& job);
// The chosen pairs, in order; of photographs that are done. Chosen once: a setting of the work
// file.
[[nodiscard]] std::vector<ImagePair> choose_pairs(const Job& job, WorkFile& work);
// Whether the pairs are those that pass the screen.
[[nodiscard]] bool is_screened(const CollectOptions& options);
// How many of the largest features of each pair match; of `images` photographs in all. In order.
[[nodiscard]] std::vector<ScreenedPair> screen(const Job& job, std::span<const ImagePair> pairs,
                                               int images);
// Pairs that the screen left out and that are matched all the same, since they may link what the
// verified ones among `pairs` leave apart; in order. Chosen once for each round, from 1 on. None
// where the round before has verified none.
[[nodiscard]] std::vector<ImagePair> choose_links(const Job& job, WorkFile& work, int round);
// More pairs, of which the verified ones among the first tell; with these, in order.
[[nodiscard]] std::vector<ImagePair> choose_more_pairs(const Job& job, WorkFile& work,
                                                       std::vector<ImagePair> pairs);
// Matches and geometry of those that are not in the work file.
void match_pairs(const Job& job, std::span<const PhotographRow> rows,
                 std::span<const ImagePair> pairs);
// The database, under a temporary name, then its own.
void write_database(const Job& job, const std::filesystem::path& database, const Settings& settings,
                    const CollectResult& result);

// A camera for each photograph that is done, by number (cameras_of(rows)[row] is 0 for others), in
// the order of their first photographs.
struct Cameras {
  std::vector<colmap::Camera> cameras;  // [id - 1]
  std::vector<colmap::Id> of;           // of each row
};
[[nodiscard]] Cameras cameras_of(std::span<const PhotographRow> rows,
                                 const CollectCameras& options);

}  // namespace bifocal::collection
