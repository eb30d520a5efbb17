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

#include "collection/colmap/image_points.hpp"
#include "collection/colmap/row_writer.hpp"
#include "collection/colmap/sqlite.hpp"

namespace bifocal::colmap {

struct PairOfImages {
  Id image1 = 0, image2 = 0;  // image1 < image2
};

// Where features and matches come from. One thread at a time, but for name_of().
class PairSource {
 public:
  PairSource() = default;
  virtual ~PairSource() = default;
  PairSource(const PairSource&) = delete;
  PairSource& operator=(const PairSource&) = delete;

  // What is read between them is read together.
  virtual void begin() {}
  virtual void end() noexcept {}
  virtual std::vector<Vec2> keypoints(Id image) = 0;  // px, ours
  // Adds those of the pair.
  virtual void matches(const PairOfImages& pair, std::vector<IndexPair>& to) = 0;
  // For messages: "table matches of FILE, images 3 and 4".
  [[nodiscard]] virtual std::string name_of(const PairOfImages& pair) const = 0;
};

class DatabaseSource : public PairSource {
 public:
  // `gate`: of who writes to the file meanwhile, or null.
  explicit DatabaseSource(const std::filesystem::path& file, Access access = Access::read,
                          ReadGate* gate = nullptr);
  // One lock of the file for a piece, not one for each row.
  void begin() override;
  void end() noexcept override;
  std::vector<Vec2> keypoints(Id image) override;
  void matches(const PairOfImages& pair, std::vector<IndexPair>& to) override;
  [[nodiscard]] std::string name_of(const PairOfImages& pair) const override;

 private:
  sqlite::Connection connection_;
  sqlite::Statement keypoints_, matches_;
  ReadGate* gate_;
};

// A piece. Pair k has the matches [offsets[k], offsets[k + 1]).
struct Chunk {
  std::vector<PairOfImages> pairs;
  std::vector<std::int64_t> offsets = {0};
  std::vector<IndexPair> matches;
  std::vector<std::shared_ptr<const ImagePoints>> images1, images2;  // of each pair
  std::vector<ViewCamera> cameras1, cameras2;

  // Keeps its memory for the next piece.
  void clear();
};

// Where the matches of a piece lie in the pictures. The memory is used again.
class ChunkPoints {
 public:
  // Throws Error(input) for a match that names no keypoint.
  void gather(const Chunk& chunk, const PairSource& source);
  [[nodiscard]] std::span<const PointPair> points() const { return points_; }
  // Empty where no camera has a lens.
  [[nodiscard]] std::span<const PointPair> undistorted() const { return undistorted_; }

 private:
  // False for such a match.
  bool gather(const Chunk& chunk, std::size_t k);

  Reused<PointPair> points_memory_, undistorted_memory_;
  std::span<PointPair> points_, undistorted_;
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

// Reads the pairs, in their order, piece by piece: matches, and keypoints of images, which are kept
// for the pairs to come, the least lately used ones dropped. No more: one thread reads for all
// devices, and those that decide put the points together.
class ChunkReader {
 public:
  ChunkReader(PairSource& source, const Cameras& cameras, std::span<const PairOfImages> pairs,
              std::int64_t max_memory)
      : source_(source), cameras_(cameras), pairs_(pairs), max_memory_(max_memory) {}

  // Without pairs at the end.
  void next(Chunk& chunk);
  [[nodiscard]] const PairSource& source() const { return source_; }

 private:
  struct Kept {
    std::shared_ptr<const ImagePoints> points;
    std::list<Id>::iterator use;
  };
  std::shared_ptr<const ImagePoints> points_of(Id image);
  void add(const PairOfImages& pair, Chunk& chunk);

  PairSource& source_;
  const Cameras& cameras_;
  std::span<const PairOfImages> pairs_;
  std::int64_t max_memory_, used_ = 0;
  std::list<Id> uses_;  // latest first
  std::unordered_map<Id, Kept> kept_;
};

}  // namespace bifocal::colmap
