// SPDX-License-Identifier: BSD-3-Clause
// The database of COLMAP's that collect() fills, and what it has of our own beside that. As long as
// it is unfinished it has another name, and the same rows: an image or a pair enters it whole, in
// an order that nothing but the photographs and options decides, so that it has the same bytes
// however often the work was stopped. Our own tables are
//
//   bifocal_collect      the options, and notes once it is finished
//   bifocal_photographs  each photograph, also one that was left out, and its file
//   bifocal_screened     pairs that the screen left out
//   bifocal_descriptors  those of SURF, which COLMAP would take for SIFT's
//
// The file may have been damaged or changed since: reading checks each row, and throws Error(input)
// that names the file, the table and the row where it is not what was written.
#pragma once

#include <bifocal/collect.hpp>

#include <map>
#include <optional>

#include "collection/colmap/state.hpp"
#include "io/descriptor.hpp"

namespace bifocal::collection {

// Settings are found by name, and are in the order of names.
using Settings = std::map<std::string, std::string>;
// Tells whether there is a setting of SurfOptions: the features are SURF's then.
[[nodiscard]] inline bool has_surf(const Settings& settings) {
  const auto first = settings.lower_bound("surf.");
  return first != settings.end() && first->first.starts_with("surf.");
}

// Beginnings of names in the table of settings: those of other entries.
inline constexpr std::string_view kNote = "note ", kState = "state ";

enum class PhotographState { waiting, done, left_out };

// The kind of descriptors that given features have.
struct DescriptorKind {
  int numbers = 0;        // of each
  bool is_bytes = false;  // else floats
  bool operator==(const DescriptorKind&) const = default;
};
[[nodiscard]] inline std::string to_string(const DescriptorKind& kind) {  // "256 floats"
  return fmt::format("{} {}", kind.numbers, kind.is_bytes ? "bytes" : "floats");
}
inline constexpr int kMostDescriptorNumbers = 4096;  // of a descriptor (FloatDescriptors)

struct PhotographRow {
  int number = 0;  // from 0: that of its image, less one
  std::string name;
  std::filesystem::path file, mask;     // no mask: empty
  int place = 0;                        // in the list of photographs
  std::int64_t bytes = 0, changed = 0;  // of both files: size, and time of the last change in ns
  PhotographState state = PhotographState::waiting;
  std::string content;  // hash of the photograph, and of its mask after a blank; empty: unknown
  std::string reason;   // left_out
  PhotographInfo info;
  int features = 0;
};
// COLMAP's number of an image.
inline colmap::Id image_id(int number) { return static_cast<colmap::Id>(number) + 1; }

// A database keeps this of an image's features.
struct ImageFeatures {
  colmap::Keypoints keypoints;
  std::optional<colmap::Descriptors> descriptors;  // where COLMAP's schema has a place for them
  std::vector<std::uint8_t> own_descriptors;       // SURF's [, 128]
};

// Returns what rows of a database say: keypoints with their scales; descriptors in COLMAP's order.
[[nodiscard]] Features features_of(const colmap::Keypoints& keypoints,
                                   std::vector<std::uint8_t> descriptors);

class WorkDatabase {
 public:
  // A new file, of these settings, that appears under its name when it can be gone on with.
  static void create(const std::filesystem::path& file, const Settings& settings);
  // From a finished database, to go on with more photographs. Files have changed when `rows`, its
  // photographs, say.
  static void copy(const std::filesystem::path& from, const std::filesystem::path& file,
                   std::span<const PhotographRow> rows);
  // Tells whether a database is one that collect() has made. Throws Error(input) where it is none.
  [[nodiscard]] static bool is_one(const std::filesystem::path& file);

  // A connection; several threads have one each. Throws Error(usage) where the file is unfinished
  // work of another version.
  explicit WorkDatabase(const std::filesystem::path& file,
                        colmap::Access access = colmap::Access::read);

  // Sets the size of SQLite's page cache, within 4 and 32 MB.
  void set_cache(std::int64_t bytes);

  // All writes of a `body` enter together.
  template <class Body>
  void together(const Body& body) {
    colmap::Transaction all(database_);
    body();
    all.commit();
  }

  [[nodiscard]] const colmap::Database& database() const { return database_; }
  [[nodiscard]] Settings settings() const;
  void set(const std::string& name, std::string_view value);
  // The kind of given features, known from the first image on.
  [[nodiscard]] std::optional<DescriptorKind> given() const;
  void set_given(const DescriptorKind& kind);
  // Pairs of the first so many photographs have been screened.
  [[nodiscard]] int screened_photographs() const;
  void set_screened_photographs(int count);

  // Done or left out; numbers follow each other from 0. Files of finished databases have no time
  // of their last change (0).
  [[nodiscard]] std::vector<PhotographRow> photographs() const;
  void add(const PhotographRow& row);  // left out
  void add(const PhotographRow& row, const colmap::Image& image, const ImageFeatures& features);
  void add(const colmap::Camera& camera) { database_.write(camera); }
  // Returns the features of an image, without descriptors where they are given.
  [[nodiscard]] Features features(int number) const;

  // Pairs that the screen left out, in order.
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

  // Reads all rows, for their errors: features and matches that contradict each other.
  void check_rows() const;
  // Adds what a finished database has, and takes away what it has no more. Nothing is written after
  // it.
  void finish(std::span<const std::string> notes);

 private:
  template <class... Args>
  [[noreturn]] void refuse(fmt::format_string<Args...> what, Args&&... args) const {
    io::reject(database_.file().string(),
               "{}: the file is damaged or was changed by others; --overwrite begins anew",
               fmt::format(what, std::forward<Args>(args)...));
  }
  [[nodiscard]] const sqlite::Connection& connection() const {
    return colmap::DatabaseInside::connection(database_);
  }
  template <class Where, class... Values>
  void run(std::string_view sql, const Where& where, const Values&... values) {
    colmap::DatabaseInside::state(database_).run(sql, where, values...);
  }
  [[nodiscard]] std::optional<std::string> get(const std::string& name) const;
  [[nodiscard]] PhotographRow photograph_of(const sqlite::Statement& row, int number) const;
  void set_features(PhotographRow& row, bool has_descriptors) const;
  [[nodiscard]] std::vector<std::uint8_t> descriptors_of(int number) const;
  void set_changed(const PhotographRow& row);
  void check_pair(const PairCount& pair, std::span<const PhotographRow> rows) const;

  colmap::Database database_;
};

// Puts what is written to the disk, with the counters of changes in the file's header as if it had
// been written at once, and renames the file.
void publish(const std::filesystem::path& work, const std::filesystem::path& database);

// Holds a lock on `file` (made when missing) while it lives, and removes it at the end. Throws
// Error(input) when another process has it.
class LockFile {
 public:
  // is_optional: no lock where the folder can't be written to, and so nobody collects.
  LockFile(std::filesystem::path file, bool is_optional);
  ~LockFile();
  LockFile(const LockFile&) = delete;
  LockFile& operator=(const LockFile&) = delete;

 private:
  std::filesystem::path file_;
  io::Descriptor own_;
};

}  // namespace bifocal::collection
