// SPDX-License-Identifier: BSD-3-Clause
// Stages of collect(), in their order. Each stage resumes from the unfinished database and leaves
// its results there.
#pragma once

#include <bifocal/collect.hpp>

#include <algorithm>
#include <functional>
#include <mutex>
#include <set>

#include "collection/collect/feature_store.hpp"
#include "collection/collect/kept_features.hpp"
#include "collection/collect/work_database.hpp"
#include "runtime/hash.hpp"

namespace bifocal::collection {

struct Job {
  const DeviceSet& devices;
  const PhotographFiles& photographs;
  const CollectOptions& options;
  std::filesystem::path work_file;
  std::unique_ptr<FeatureStore> found = {};
  std::vector<std::unique_ptr<KeptFeatures>> kept = {};  // on each device; null if it keeps none
  std::set<std::string> mosaics = {};  // names of files that are orthomosaics, no photographs

  // Returns the features that this device keeps; may be null.
  [[nodiscard]] KeptFeatures* kept_on(const Device& device) const {
    for (const auto& k : kept)
      if (k && k->device() == device) return k.get();
    return nullptr;
  }
};

// Returns PhotographRow::content for the bytes of a photograph and of its mask (empty
// without a mask).
[[nodiscard]] inline std::string content_of(std::string_view photograph, std::string_view mask) {
  std::string content = runtime::content_hash(photograph);
  return mask.empty() ? content : content + " " + runtime::content_hash(mask);
}

// Reports the progress of a stage. before: units done by earlier calls.
class StageProgress {
 public:
  StageProgress(const CollectOptions& options, std::string_view stage, std::string_view unit,
                std::int64_t total, std::int64_t before)
      : options_(options), state_{stage, unit, before, total, before} {
    report();
  }
  // Thread-safe.
  void add(std::int64_t more) {
    const std::lock_guard lock(mutex_);
    state_.done += more;
    report();
  }

 private:
  void report() const {
    if (options_.progress) options_.progress(state_);
  }
  const CollectOptions& options_;
  CollectProgress state_;
  std::mutex mutex_;
};

// Bytes per pixel while a photograph is decoded: colours, grey and a part of the file.
inline constexpr std::int64_t kBytesOfDecoding = 6;
// Bytes per match in the pieces in matching, estimation and writing at a time, including points,
// flags and temporaries of the estimation.
inline constexpr std::int64_t kBytesOfMatch = 400;
// Returns the bytes that stages may take of the memory of one device. Each GPU has its own memory;
// all remaining devices share the host's.
[[nodiscard]] std::int64_t memory_of(const Job& job, const Device& device);
// Returns the memory limit for a detector and the features that it finds. An OpenCL device in host
// memory gets half, because photographs are in host memory, too.
[[nodiscard]] std::int64_t memory_of_detector(const Job& job, const Device& device);
// Returns the number of images, at least two, that fit half the memory of each device, for at most
// `images` images of `bytes_of_image` bytes. options.block_size is
// a further limit if it is set.
[[nodiscard]] int images_on_each(const Job& job, std::int64_t images, std::int64_t bytes_of_image);
// Returns the bytes of host memory that the stages of one device may take.
[[nodiscard]] std::int64_t host_memory(const Job& job);
// Returns the bytes of host memory for found features: half of max_memory beyond the
// minimum. Returns 0 unless all devices are GPUs, because the resident features of other
// devices take this memory.
[[nodiscard]] std::int64_t memory_of_found(const Job& job, std::int64_t least);
[[nodiscard]] bool all_are_gpus(const Job& job);
// Returns memory on each device for the features that it detects, at most a quarter of the memory
// beyond the minimum. features: of all photographs together, at most.
[[nodiscard]] std::vector<std::unique_ptr<KeptFeatures>> kept_features(const Job& job,
                                                                       std::int64_t least,
                                                                       std::int64_t features);
// Returns whether a stage needs found features on the host: for another device, or to
// compare images.
[[nodiscard]] bool needs_features_on_host(const Job& job);
// Returns the smallest valid max_memory for a photograph of this size, in bytes.
[[nodiscard]] std::int64_t least_memory(const Job& job, std::int64_t width, std::int64_t height);

// Returns the setting "device": the names of the devices without repetition, because the number of
// equal devices does not change results. OpenCL rounds differently from CUDA on the same GPU, so
// its names begin with "opencl".
[[nodiscard]] std::string recorded_name(const DeviceSet& devices);
// Returns the options that determine the results, and the devices, by member name. Excluded are
// max_memory, block_size, overwrite and progress, and members that are unused with these options.
[[nodiscard]] Settings settings_of(const Job& job);
// Throws Error(usage) naming an option out of range.
void check(const CollectOptions& options);

// Returns the largest number of features of a photograph of this size.
[[nodiscard]] std::int64_t most_features(const Job& job, std::int64_t width, std::int64_t height);

// Limits that follow from the sizes of the photographs.
struct SizeLimits {
  std::int64_t least_memory = 0;   // smallest valid max_memory for all photographs
  std::int64_t most_features = 0;  // of all photographs together
};
// Reads only file headers, before any other work. Throws Error(usage) naming the photograph that
// needs most memory if max_memory is less, and Error(input) if intrinsics are given and the
// photographs differ in size.
[[nodiscard]] SizeLimits check_sizes(const Job& job);
// Returns remarks about the photographs and the chosen pairs (CollectResult::notes), the same
// in every run.
[[nodiscard]] std::vector<std::string> notes_of(const Job& job, std::span<const PhotographRow> rows,
                                                std::span<const ImagePair> pairs);

// Finds the features of the waiting rows by RootSIFT or SURF, or reads the given features.
void find_features(const Job& job, WorkDatabase& work, std::span<const PhotographRow> rows);

// Order of lists of pairs.
inline bool before(const ImagePair& a, const ImagePair& b) {
  return std::pair(a.image1, a.image2) < std::pair(b.image1, b.image2);
}

// Pairs that have been matched, in order.
using PairCounts = std::vector<WorkDatabase::PairCount>;

// Runs a body and adds its time to the time of a stage.
using StageRunner = std::function<void(const char* stage, const std::function<void()>& body)>;

// Result of match_chosen.
struct ChosenPairs {
  std::vector<ImagePair> pairs;  // in order
  PairCounts counts;             // of all pairs of the database
  std::int64_t left_out = 0;     // by the screen
};
[[nodiscard]] ChosenPairs match_chosen(const Job& job, WorkDatabase& work,
                                       std::span<const PhotographRow> rows,
                                       const StageRunner& stage);
// Returns whether pairs are selected by the screen.
[[nodiscard]] bool is_screened(const CollectOptions& options);
// Returns whether some pairs may be selected by the screen.
[[nodiscard]] inline bool uses_screen(const CollectOptions& options) {
  return is_screened(options) || options.pairs == PairChoice::automatic;
}
// Returns for each pair the number of matches among its largest features. images: number
// of all photographs.
[[nodiscard]] std::vector<int> screen(const Job& job, std::span<const ImagePair> pairs, int images);
// Matches the pairs that are not in `known` and estimates their geometries. Adds them to `known`.
void match_pairs(const Job& job, WorkDatabase& work, std::span<const PhotographRow> rows,
                 std::span<const ImagePair> pairs, PairCounts& known);

// Photographs without make and model share a camera until verified pairs contradict one focal
// length. divide: gives those that contradict it cameras of their own and returns remarks. unite:
// takes the division of a finished database back.
void unite_unknown_cameras(WorkDatabase& work, std::span<const PhotographRow> rows);
[[nodiscard]] std::vector<std::string> divide_unknown_cameras(WorkDatabase& work,
                                                              std::span<const PhotographRow> rows);

// Assigns cameras to photographs, numbered by their first photographs.
class CameraBook {
 public:
  CameraBook(const CollectCameras& options, bool shares_unknown)
      : options_(options), shares_unknown_(shares_unknown) {}
  [[nodiscard]] colmap::Id of(const PhotographInfo& info);
  [[nodiscard]] const std::vector<colmap::ModelCamera>& cameras() const { return cameras_; }

 private:
  const CollectCameras& options_;
  bool shares_unknown_;
  std::map<std::string, colmap::Id> shared_;
  std::vector<colmap::ModelCamera> cameras_;  // [id - 1]
};

}  // namespace bifocal::collection
