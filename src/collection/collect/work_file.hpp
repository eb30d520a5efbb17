// SPDX-License-Identifier: BSD-3-Clause
// What collect() has done so far, in an SQLite file: each photograph and each pair enters it whole.
// The file may have been damaged or changed since: reading checks each row, and throws Error(input)
// that names the file, the table and the row where it is not what was written.
#pragma once

#include <bifocal/collect.hpp>

#include <array>
#include <map>
#include <memory>
#include <optional>

#include "collection/colmap/sqlite.hpp"

namespace bifocal::collection {

// By name, in the order of names.
using Settings = std::map<std::string, std::string>;

enum class PhotographState { waiting = 0, done = 1, left_out = 2 };

// The kind of descriptors that given features have.
struct DescriptorKind {
  int numbers = 0;        // of each
  bool is_bytes = false;  // else floats
  bool operator==(const DescriptorKind&) const = default;
  [[nodiscard]] std::int64_t bytes() const { return numbers * (is_bytes ? 1 : sizeof(float)); }
};
inline constexpr int kMostDescriptorNumbers = 4096;  // of a descriptor (FloatDescriptors)

struct PhotographRow {
  int number = 0;  // in the list of files, from 0
  std::string name;
  std::int64_t bytes = 0, changed = 0;  // of the file: size, and time of the last change in ns
  PhotographState state = PhotographState::waiting;
  std::string reason;  // left_out
  PhotographInfo info;
  int features = 0;
};

struct PairRow {
  ImagePair pair{};
  std::vector<colmap::IndexPair> matches;  // empty where there were fewer than min_matches
  std::optional<colmap::TwoViewGeometry> geometry;
};

// A connection: several threads have one each.
class WorkFile {
 public:
  enum class Mode { create, open };
  WorkFile(const std::filesystem::path& file, Mode mode);

  // All writes of a `body` enter together.
  template <class Body>
  void together(const Body& body) {
    connection_.execute("BEGIN IMMEDIATE");
    try {
      body();
      connection_.execute("COMMIT");
    } catch (...) {
      roll_back();
      throw;
    }
  }

  void set(const std::string& name, std::string_view value);
  [[nodiscard]] std::optional<std::string> get(const std::string& name);
  // Settings that were set as the bytes of such values. Pairs are of photographs that are done, in
  // order.
  [[nodiscard]] std::optional<std::vector<ImagePair>> pairs(const std::string& name);
  [[nodiscard]] std::optional<std::vector<int>> numbers(const std::string& name);
  // Nothing as long as there is no photograph with given features.
  void set_given(const DescriptorKind& kind);
  [[nodiscard]] std::optional<DescriptorKind> given();

  void add(const PhotographRow& row);  // waiting
  void finish(const PhotographRow& row, const Features& features);
  [[nodiscard]] std::vector<PhotographRow> photographs();  // by number
  // Of a photograph that is done.
  [[nodiscard]] Features features(int number);

  void add(const ScreenedPair& row);
  // Pairs that the screen left out and that were not matched all the same, in order.
  [[nodiscard]] std::vector<ScreenedPair> left_out();

  void add(const PairRow& row);
  [[nodiscard]] std::vector<ImagePair> finished_pairs();  // in order
  // Of finished pairs, in order.
  struct Count {
    ImagePair pair{};
    std::int64_t matches = 0, inliers = 0;
  };
  [[nodiscard]] std::vector<Count> pair_counts();
  // In order.
  void for_each_pair(const std::function<void(PairRow&&)>& take);

 private:
  // Focal length, latitude, longitude; NaN unknown.
  using Numbers = std::array<double, 3>;
  static constexpr const char* kGiven = "descriptors given";
  void roll_back() noexcept;
  template <class... Args>
  [[noreturn]] void refuse(fmt::format_string<Args...> what, Args&&... args) const {
    io::reject(connection_.name(),
               "{}: the unfinished work is damaged; remove the file to begin anew",
               fmt::format(what, std::forward<Args>(args)...));
  }
  // The values of a blob, whose size has to be theirs; `where`: the table and row.
  template <class T>
  [[nodiscard]] std::vector<T> values_of(std::span<const unsigned char> bytes,
                                         const std::string& where) const;
  // One value, or NULL.
  template <class T>
  [[nodiscard]] std::optional<T> value_of(const sqlite::Statement& row, int place,
                                          const std::string& where) const;
  [[nodiscard]] PhotographRow photograph_of(const sqlite::Statement& row, std::int64_t number,
                                            std::int64_t descriptor_bytes) const;
  [[nodiscard]] std::int64_t descriptor_bytes();
  [[nodiscard]] ImagePair pair_of(const sqlite::Statement& row, const char* table = "pairs") const;
  [[nodiscard]] PairRow pair_row_of(const sqlite::Statement& row) const;
  sqlite::Connection connection_;
  sqlite::Statement set_, get_, add_photograph_, finish_photograph_, add_features_, features_,
      add_pair_, add_screened_;
};

// Holds a lock on `file` (made when missing) while it lives, and removes it at the end. Throws
// Error(input) when another process has it.
class LockFile {
 public:
  explicit LockFile(std::filesystem::path file);
  ~LockFile();
  LockFile(const LockFile&) = delete;
  LockFile& operator=(const LockFile&) = delete;

 private:
  std::filesystem::path file_;
  int descriptor_ = -1;
};

}  // namespace bifocal::collection
