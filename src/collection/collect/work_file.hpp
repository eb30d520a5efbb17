// SPDX-License-Identifier: BSD-3-Clause
// What collect() has done so far, in an SQLite file: each photograph and each pair enters it whole.
#pragma once

#include <bifocal/collect.hpp>

#include <map>
#include <memory>
#include <optional>

#include "collection/colmap/sqlite.hpp"

namespace bifocal::collection {

// By name, in the order of names.
using Settings = std::map<std::string, std::string>;

enum class PhotographState { waiting = 0, done = 1, left_out = 2 };

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

  void add(const PhotographRow& row);  // waiting
  void finish(const PhotographRow& row, const Features& features);
  [[nodiscard]] std::vector<PhotographRow> photographs();  // by number
  // Of a photograph that is done.
  [[nodiscard]] Features features(int number);

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
  void roll_back() noexcept;
  sqlite::Connection connection_;
  sqlite::Statement set_, get_, add_photograph_, finish_photograph_, add_features_, features_,
      add_pair_;
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
