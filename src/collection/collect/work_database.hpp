// SPDX-License-Identifier: BSD-3-Clause
// The COLMAP database that collect() fills, and Bifocal's own tables in it. The unfinished database
// has a different file name and the same rows. Each image or pair is written as a whole, in an
// order that depends only on photographs and options, so the bytes of the file are the same for any
// number of interruptions. Bifocal's tables are
//
//   bifocal_collect      options, and notes once the database is finished
//   bifocal_photographs  every photograph, also if it was left out, and its file
//   bifocal_screened     pairs that the screen left out
//   bifocal_descriptors  descriptors of SURF, which COLMAP would take for SIFT descriptors
//   bifocal_pose_priors  heights and angles of drones (flight_records.hpp), if a photograph has
//   them
//
// The file may have been damaged or changed since it was written. Reading checks each row and
// throws Error(input) with the file, the table and the row if the content is invalid.
#pragma once

#include <bifocal/collect.hpp>

#include <map>
#include <memory>
#include <optional>

#include "collection/colmap/bounded_log.hpp"
#include "collection/colmap/state.hpp"
#include "io/file_descriptor.hpp"

namespace bifocal::collection {

// Settings by name, in the order of names.
using Settings = std::map<std::string, std::string>;
// Returns whether the settings have a member of SurfOptions: then the features are SURF features.
[[nodiscard]] inline bool has_surf(const Settings& settings) {
  const auto first = settings.lower_bound("surf.");
  return first != settings.end() && first->first.starts_with("surf.");
}

// Prefixes of names in the table of settings that mark other entries.
inline constexpr std::string_view kNote = "note ", kState = "state ";

enum class PhotographState { waiting, done, left_out };

// Kind of the descriptors of given features.
struct DescriptorKind {
  int numbers = 0;        // of each descriptor
  bool is_bytes = false;  // floats if false
  bool operator==(const DescriptorKind&) const = default;
};
[[nodiscard]] inline std::string to_string(const DescriptorKind& kind) {  // "256 floats"
  return fmt::format("{} {}", kind.numbers, kind.is_bytes ? "bytes" : "floats");
}
inline constexpr int kMostDescriptorNumbers = 4096;  // of a descriptor (FloatDescriptors)

struct PhotographRow {
  int number = 0;  // from 0: COLMAP's image number less one
  std::string name;
  std::filesystem::path file, mask;     // mask is empty without a mask
  int place = 0;                        // position in the list of photographs
  std::int64_t bytes = 0, changed = 0;  // size and time of last change (ns) of both files
  PhotographState state = PhotographState::waiting;
  std::string content;  // hashes of photograph and mask, with a blank between; empty if unknown
  std::string reason;   // of left_out
  PhotographInfo info;
  int features = 0;
};
// Returns COLMAP's number of an image.
inline colmap::Id image_id(int number) { return static_cast<colmap::Id>(number) + 1; }

// Features of an image as a database stores them.
struct ImageFeatures {
  colmap::Keypoints keypoints;
  std::optional<colmap::Descriptors> descriptors;  // if COLMAP's schema can store them
  std::vector<std::uint8_t> own_descriptors;       // SURF's [, 128]
};

// Converts rows of a database to features: keypoints with their scales; descriptors
// in COLMAP's order.
[[nodiscard]] Features features_of(const colmap::Keypoints& keypoints,
                                   std::vector<std::uint8_t> descriptors);

class WorkDatabase {
 public:
  // Creates a file with these settings. It appears under its name once it is complete
  // enough to resume.
  static void create(const std::filesystem::path& file, const Settings& settings);
  // Creates a work file from a finished database, to add photographs. The times of change are set
  // from `rows`, its photographs.
  static void copy(const std::filesystem::path& from, const std::filesystem::path& file,
                   std::span<const PhotographRow> rows);
  // Returns whether collect() has made the database. Throws Error(input) if the file
  // is no database.
  [[nodiscard]] static bool is_one(const std::filesystem::path& file);

  // Opens a connection; each thread needs its own. Throws Error(usage) if the file is unfinished
  // work of a different version.
  explicit WorkDatabase(const std::filesystem::path& file,
                        colmap::Access access = colmap::Access::read);

  // Sets the size of SQLite's page cache, clamped to 4 to 32 MB.
  void set_cache(std::int64_t bytes);

  // Commits all writes of `body` in one transaction.
  template <class Body>
  void together(const Body& body) {
    if (log_) log_->before_piece();
    colmap::Transaction all(database_);
    body();
    all.commit();
    if (log_) log_->after_piece();
  }

  [[nodiscard]] const colmap::Database& database() const { return database_; }
  [[nodiscard]] Settings settings() const;
  void set(const std::string& name, std::string_view value);
  // The kind of given features, defined after the first image.
  [[nodiscard]] std::optional<DescriptorKind> given() const;
  void set_given(const DescriptorKind& kind);
  // Number of leading photographs whose pairs have been screened.
  [[nodiscard]] int screened_photographs() const;
  void set_screened_photographs(int count);

  // False for files of versions that gave each photograph without make and model its own camera.
  [[nodiscard]] bool shares_unknown_cameras() const;
  void set_camera(int number, colmap::Id camera);
  void remove_camera(colmap::Id camera);

  // Returns all rows, done or left out, with consecutive numbers from 0. In finished databases
  // files have no time of last change (0).
  [[nodiscard]] std::vector<PhotographRow> photographs() const;
  void add(const PhotographRow& row);  // left out
  void add(const PhotographRow& row, const colmap::Image& image, const ImageFeatures& features);
  void add(const colmap::ModelCamera& camera) { database_.write(camera); }
  // Returns the features of an image, without descriptors if features are given.
  [[nodiscard]] Features features(int number) const;

  // Returns the pairs that the screen left out, in order.
  [[nodiscard]] std::vector<ScreenedPair> screened() const;
  void add(const ScreenedPair& row);

  struct PairCount {
    ImagePair pair{};
    std::int64_t matches = 0, inliers = 0;
    bool is_verified = false;
  };
  [[nodiscard]] std::vector<PairCount> pair_counts() const;  // in order
  void add(const ImagePair& pair, std::span<const colmap::IndexPair> matches,
           const colmap::TwoViewGeometry* geometry);

  // Reads all rows to find errors such as features and matches that contradict each other.
  void check_rows() const;
  // Adds the notes and clears the times of change. Must be the last write.
  void finish(std::span<const std::string> notes);

 private:
  template <class... Args>
  [[noreturn]] void refuse(fmt::format_string<Args...> what, Args&&... args) const {
    io::reject(
        database_.file().string(),
        "{}: the file is damaged or was changed by another program; use --overwrite to start again",
        fmt::format(what, std::forward<Args>(args)...));
  }
  [[nodiscard]] const sqlite::Connection& connection() const {
    return colmap::DatabaseInside::connection(database_);
  }
  template <class Where, class... Values>
  void run(std::string_view sql, const Where& where, const Values&... values) {
    colmap::DatabaseInside::state(database_).run(sql, where, values...);
  }
  // Writes what is known about the pose of an image; nothing if nothing is known.
  void add_priors(colmap::Id image, const PhotographInfo& info);
  [[nodiscard]] std::optional<std::string> get(const std::string& name) const;
  [[nodiscard]] PhotographRow photograph_of(const sqlite::Statement& row, int number) const;
  void set_features(PhotographRow& row, bool has_descriptors) const;
  [[nodiscard]] std::vector<std::uint8_t> descriptors_of(int number) const;
  void set_changed(const PhotographRow& row);
  void check_pair(const PairCount& pair, std::span<const PhotographRow> rows) const;

  std::unique_ptr<sqlite::BoundedLog> log_;  // of a connection that writes
  colmap::Database database_;
};

// Flushes a finished file to the disk and renames it. The change counters in the file's header are
// set as if it had been written at once.
void publish(const std::filesystem::path& work, const std::filesystem::path& database);

// Holds a lock on DATABASE.lock, which is created if missing, and removes this file in the
// destructor. Throws Error(input) with the name of the database if another process holds the lock.
class LockFile {
 public:
  // is_optional: no lock is taken if the folder is not writable, because then no
  // process can collect.
  LockFile(const std::filesystem::path& database, bool is_optional);
  ~LockFile();
  LockFile(const LockFile&) = delete;
  LockFile& operator=(const LockFile&) = delete;

 private:
  std::filesystem::path file_;
  io::FileDescriptor own_;
};

}  // namespace bifocal::collection
