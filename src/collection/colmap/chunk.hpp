// SPDX-License-Identifier: BSD-3-Clause
// Pairs of a collection in pieces that are decided together: their matches and points.
#pragma once

#include <list>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include <bifocal/colmap_verify.hpp>

namespace bifocal::colmap {

struct PairOfImages {
  Id image1 = 0, image2 = 0;  // image1 < image2
};

// Where features and matches come from. One thread at a time.
class PairSource {
 public:
  PairSource() = default;
  virtual ~PairSource() = default;
  PairSource(const PairSource&) = delete;
  PairSource& operator=(const PairSource&) = delete;

  virtual std::vector<Vec2> keypoints(Id image) = 0;  // px, ours
  virtual std::vector<IndexPair> matches(const PairOfImages& pair) = 0;
  // For messages: "table matches of FILE, images 3 and 4".
  [[nodiscard]] virtual std::string name_of(const PairOfImages& pair) const = 0;
};

class DatabaseSource : public PairSource {
 public:
  explicit DatabaseSource(const std::filesystem::path& file, Access access = Access::read)
      : database_(file, access) {}
  std::vector<Vec2> keypoints(Id image) override;
  std::vector<IndexPair> matches(const PairOfImages& pair) override;
  [[nodiscard]] std::string name_of(const PairOfImages& pair) const override;

 private:
  Database database_;
};

// A piece. Pair k has the matches and points [offsets[k], offsets[k + 1]).
struct Chunk {
  std::vector<PairOfImages> pairs;
  std::vector<std::int64_t> offsets = {0};
  std::vector<IndexPair> matches;
  std::vector<PointPair> points, undistorted;  // undistorted: empty where no camera has a lens
  std::vector<ViewCamera> cameras1, cameras2;
};

// Does a piece of so many pairs and matches end here? This depends on the pairs that are left
// alone, so that work that was interrupted between pieces goes on with the same ones.
[[nodiscard]] inline bool is_full_piece(std::size_t pairs, std::size_t matches) {
  return pairs >= 1024 || matches >= std::size_t{1} << 20;
}

// Cameras of a database, as verification needs them.
class Cameras {
 public:
  // Throws Error(input) for a camera whose model is not supported.
  explicit Cameras(const Database& database);
  // Throws Error(input) for an image that the database does not have.
  [[nodiscard]] const ViewCamera& of(Id image) const;
  // Null: no lens to be taken away.
  [[nodiscard]] const Undistortion* lens_of(Id image) const;

 private:
  struct Entry {
    ViewCamera view;
    Undistortion undistortion;
  };
  [[nodiscard]] const Entry& entry(Id image) const;
  std::string file_;
  std::unordered_map<Id, Entry> cameras_;
  std::unordered_map<Id, Id> camera_of_;  // an image's
};

// Reads the pairs, in their order, piece by piece. Keypoints are kept for the pairs to come, the
// least lately used ones dropped.
class ChunkReader {
 public:
  ChunkReader(PairSource& source, const Cameras& cameras, std::span<const PairOfImages> pairs,
              std::int64_t max_memory)
      : source_(source), cameras_(cameras), pairs_(pairs), max_memory_(max_memory) {}

  // Without pairs at the end.
  Chunk next();

 private:
  struct Points {
    std::vector<Vec2> px, straight;  // straight: empty without a lens
    std::list<Id>::iterator use;
  };
  const Points& points_of(Id image);
  void add(const PairOfImages& pair, Chunk& chunk);

  PairSource& source_;
  const Cameras& cameras_;
  std::span<const PairOfImages> pairs_;
  std::int64_t max_memory_, used_ = 0;
  std::list<Id> uses_;  // latest first
  std::unordered_map<Id, Points> kept_;
};

}  // namespace bifocal::colmap
