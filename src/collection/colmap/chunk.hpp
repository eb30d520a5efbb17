// SPDX-License-Identifier: BSD-3-Clause
// Matched pairs of a collection in chunks that are verified together: their matches and points.
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

// Source of features and matches. Only one thread may use it at a time. Damaged
// rows throw sqlite::DamagedRow.
class PairSource {
 public:
  PairSource() = default;
  virtual ~PairSource() = default;
  PairSource(const PairSource&) = delete;
  PairSource& operator=(const PairSource&) = delete;

  // Calls read(), during which the source has one consistent state.
  virtual void together(const std::function<void()>& read) { read(); }
  virtual std::vector<Vec2> keypoints(Id image) = 0;  // px, Bifocal's convention
  // Appends the matches of the pair to `to`.
  virtual void matches(const PairOfImages& pair, std::vector<IndexPair>& to) = 0;
  // Returns a name for messages: "table matches, images 3 and 4".
  [[nodiscard]] virtual std::string name_of(const PairOfImages& pair) const = 0;
};

class DatabaseSource : public PairSource {
 public:
  // gate: synchronises with a concurrent writer of the file; may be null.
  explicit DatabaseSource(const std::filesystem::path& file, Access access = Access::read,
                          ReadGate* gate = nullptr);
  // Locks the file once for a chunk instead of once for each row.
  void together(const std::function<void()>& read) override;
  std::vector<Vec2> keypoints(Id image) override;
  void matches(const PairOfImages& pair, std::vector<IndexPair>& to) override;
  [[nodiscard]] std::string name_of(const PairOfImages& pair) const override;

 private:
  Database database_;
  ReadGate* gate_;
};

// Pairs that are verified together. Pair k has the matches [offsets[k], offsets[k + 1]).
struct Chunk {
  std::vector<PairOfImages> pairs;
  std::vector<std::int64_t> offsets = {0};
  std::vector<IndexPair> matches;
  std::vector<std::shared_ptr<const ImagePoints>> images1, images2;  // by pair
  std::vector<ViewCamera> cameras1, cameras2;
  // Pairs of this part of the list that cannot be verified, in order, and the reasons.
  std::vector<PairOfImages> left_out;
  OddRows odd_rows;

  // True for the empty chunk after the last chunk.
  [[nodiscard]] bool is_end() const { return pairs.empty() && left_out.empty(); }
  // Removes the contents and keeps the allocated memory.
  void clear();
};

// Points of a chunk's matches in reused host memory.
class ChunkPoints {
 public:
  // device: the target of the uploads.
  explicit ChunkPoints(const Device& device) : points_(device), undistorted_(device) {}
  void gather(const Chunk& chunk);
  [[nodiscard]] const PointPair* points() const { return points_.data(); }
  // Returns null if no camera has lens distortion.
  [[nodiscard]] const PointPair* undistorted() const {
    return has_lens_ ? undistorted_.data() : nullptr;
  }

 private:
  void gather(const Chunk& chunk, std::size_t k);

  verify::UploadMemory points_, undistorted_;
  bool has_lens_ = false;
};

// Returns whether a chunk of this size is complete. The rule uses only the remaining pairs, so that
// a resumed run forms the same chunks.
[[nodiscard]] inline bool is_full_piece(std::size_t pairs, std::size_t matches) {
  return pairs >= 1024 || matches >= std::size_t{1} << 20;
}

// The cameras of a database in the form that verification uses.
class Cameras {
 public:
  explicit Cameras(const Database& database);

  struct Entry {
    ViewCamera view;
    std::optional<LensCamera> lens_camera;  // empty if the parameters are invalid
    std::optional<OddRow> odd;              // the warning to report

    // Returns null if points need no undistortion: the camera has no lens distortion or no focal
    // length. Without a focal length only F and H are estimated, from distorted points.
    [[nodiscard]] const LensCamera* lens() const {
      return view.has_prior_focal_length && lens_camera->has_lens() ? &*lens_camera : nullptr;
    }
  };
  // Returns the camera of an image. If it is unusable, returns null and adds the reason.
  [[nodiscard]] const Entry* of(Id image, OddRows& odd_rows) const;
  // Returns the name of an image of the database.
  [[nodiscard]] const std::string& name_of(Id image) const { return images_.at(image).name; }

 private:
  struct ImageOf {
    Id camera;
    std::string name;
  };
  std::unordered_map<Id, Entry> cameras_;
  std::unordered_map<Id, ImageOf> images_;
};

// Reads the matches of the pairs in order, chunk by chunk, and the keypoints of their
// images through an LRU cache. One thread reads for all devices; the threads that verify
// gather the points.
class ChunkReader {
 public:
  ChunkReader(PairSource& source, const Cameras& cameras, std::span<const PairOfImages> pairs,
              std::int64_t max_memory)
      : source_(source), cameras_(cameras), pairs_(pairs), kept_(max_memory) {}

  // Reads the next chunk. After the last chunk, Chunk::is_end() holds.
  void next(Chunk& chunk);

 private:
  // Camera and keypoints of an image; null if they are unusable.
  struct View {
    const Cameras::Entry* camera = nullptr;
    std::shared_ptr<const ImagePoints> points;
  };
  View view_of(Id image, OddRows& odd_rows);
  // Adds a pair. If it cannot be verified, records the reason and returns false.
  bool add(const PairOfImages& pair, Chunk& chunk);
  // Checks that the matches from `first` on refer to existing keypoints; otherwise
  // records the reason.
  bool name_keypoints(const PairOfImages& pair, const View& one, const View& two, std::size_t first,
                      Chunk& chunk) const;

  PairSource& source_;
  const Cameras& cameras_;
  std::span<const PairOfImages> pairs_;
  runtime::LruCache<Id, std::shared_ptr<const ImagePoints>> kept_;
  std::unordered_map<Id, RowFault> damaged_;  // damaged keypoints, by image
};

}  // namespace bifocal::colmap
