// SPDX-License-Identifier: BSD-3-Clause
// Pairs of a collection in pieces that are decided together: their matches and points.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include <bifocal/colmap/verify.hpp>

#include "collection/colmap/image_points.hpp"
#include "collection/colmap/odd_rows.hpp"
#include "collection/colmap/row_writer.hpp"
#include "runtime/lru_cache.hpp"
#include "verify/points.hpp"

namespace bifocal::colmap {

struct PairOfImages {
  Id image1 = 0, image2 = 0;  // image1 < image2
  bool operator==(const PairOfImages&) const = default;
};

// A source gives features and matches. One thread at a time. Damaged rows throw
// sqlite::DamagedRow.
class PairSource {
 public:
  PairSource() = default;
  virtual ~PairSource() = default;
  PairSource(const PairSource&) = delete;
  PairSource& operator=(const PairSource&) = delete;

  // All that read() reads is of one moment.
  virtual void together(const std::function<void()>& read) { read(); }
  virtual std::vector<Vec2> keypoints(Id image) = 0;  // px, ours
  // Adds those of the pair.
  virtual void matches(const PairOfImages& pair, std::vector<IndexPair>& to) = 0;
  // For messages: "table matches, images 3 and 4".
  [[nodiscard]] virtual std::string name_of(const PairOfImages& pair) const = 0;
};

class DatabaseSource : public PairSource {
 public:
  // `gate`: of who writes to the file meanwhile, or null.
  explicit DatabaseSource(const std::filesystem::path& file, Access access = Access::read,
                          ReadGate* gate = nullptr);
  // One lock of the file for a piece, not one for each row.
  void together(const std::function<void()>& read) override;
  std::vector<Vec2> keypoints(Id image) override;
  void matches(const PairOfImages& pair, std::vector<IndexPair>& to) override;
  [[nodiscard]] std::string name_of(const PairOfImages& pair) const override;

 private:
  Database database_;
  ReadGate* gate_;
};

// A piece. Pair k has the matches [offsets[k], offsets[k + 1]).
struct Chunk {
  std::vector<PairOfImages> pairs;
  std::vector<std::int64_t> offsets = {0};
  std::vector<IndexPair> matches;
  std::vector<std::shared_ptr<const ImagePoints>> images1, images2;  // of each pair
  std::vector<ViewCamera> cameras1, cameras2;
  // Pairs that came between those, in their order, and can't be verified; and why.
  std::vector<PairOfImages> left_out;
  OddRows odd_rows;

  // After the last piece.
  [[nodiscard]] bool is_end() const { return pairs.empty() && left_out.empty(); }
  // Keeps its memory for the next piece.
  void clear();
};

// The points of the matches of a piece, in memory of the host that is used again.
class ChunkPoints {
 public:
  // device: to which the points are copied.
  explicit ChunkPoints(const Device& device) : points_(device), undistorted_(device) {}
  void gather(const Chunk& chunk);
  [[nodiscard]] const PointPair* points() const { return points_.data(); }
  // Null if no camera has a lens.
  [[nodiscard]] const PointPair* undistorted() const {
    return has_lens_ ? undistorted_.data() : nullptr;
  }

 private:
  void gather(const Chunk& chunk, std::size_t k);

  verify::UploadMemory points_, undistorted_;
  bool has_lens_ = false;
};

// Does a piece of so many pairs and matches end here? This depends on the pairs that are left
// alone, so that work that was interrupted between pieces goes on with the same ones.
[[nodiscard]] inline bool is_full_piece(std::size_t pairs, std::size_t matches) {
  return pairs >= 1024 || matches >= std::size_t{1} << 20;
}

// Cameras of a database, as verification needs them.
class Cameras {
 public:
  explicit Cameras(const Database& database);

  struct Entry {
    ViewCamera view;
    std::optional<Undistortion> undistortion;  // nothing where its numbers are those of no camera
    std::optional<OddRow> odd;                 // what is to be told of it

    // Null: there is no lens to be taken away. Without a focal length only F and H are sought, on
    // the pictures as they are.
    [[nodiscard]] const Undistortion* lens() const {
      return view.has_prior_focal_length && undistortion->has_lens() ? &*undistortion : nullptr;
    }
  };
  // The camera of an image; nothing, and why, where there is none that can be used.
  [[nodiscard]] const Entry* of(Id image, OddRows& odd_rows) const;

 private:
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
      : source_(source), cameras_(cameras), pairs_(pairs), kept_(max_memory) {}

  // Chunk::is_end() at the end.
  void next(Chunk& chunk);

 private:
  // An image of a pair: null, and why, where the pair can't be verified.
  struct View {
    const Cameras::Entry* camera = nullptr;
    std::shared_ptr<const ImagePoints> points;
  };
  View view_of(Id image, OddRows& odd_rows);
  // False, and why, for a pair that can't be verified.
  bool add(const PairOfImages& pair, Chunk& chunk);
  // Do the matches from `first` on? Else says what is odd.
  bool name_keypoints(const PairOfImages& pair, const View& one, const View& two, std::size_t first,
                      Chunk& chunk) const;

  PairSource& source_;
  const Cameras& cameras_;
  std::span<const PairOfImages> pairs_;
  runtime::LruCache<Id, std::shared_ptr<const ImagePoints>> kept_;
  std::unordered_map<Id, RowFault> damaged_;  // keypoints of images
};

}  // namespace bifocal::colmap
