// SPDX-License-Identifier: BSD-3-Clause
#include "collection/colmap/chunk.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "collection/colmap/state.hpp"
#include "runtime/parallel.hpp"

namespace bifocal::colmap {
namespace {

// Returns the first match that refers to a missing keypoint, nullopt if all keypoints exist.
std::optional<std::size_t> wrong_match(std::span<const IndexPair> matches, std::size_t keypoints1,
                                       std::size_t keypoints2) {
  std::uint32_t most1 = 0, most2 = 0;
  for (const auto [index1, index2] : matches) {
    most1 = std::max(most1, index1);
    most2 = std::max(most2, index2);
  }
  if (matches.empty() || (most1 < keypoints1 && most2 < keypoints2)) return {};
  const auto wrong = std::find_if(matches.begin(), matches.end(), [&](const IndexPair& m) {
    return m.index1 >= keypoints1 || m.index2 >= keypoints2;
  });
  return static_cast<std::size_t>(wrong - matches.begin());
}

}  // namespace

std::span<const Vec2> ImagePoints::undistorted() const {
  if (!lens_) return px_;
  std::call_once(once_, [this] {
    undistorted_.reserve(px_.size());
    for (const Vec2& px : px_) undistorted_.push_back(lens_->undistort(px));
  });
  return undistorted_;
}

DatabaseSource::DatabaseSource(const std::filesystem::path& file, Access access, ReadGate* gate)
    : database_(file, access), gate_(gate) {
  // The page cache is small, because few pages are read twice; those few stay in
  // the processor's caches.
  DatabaseInside::connection(database_).execute("PRAGMA cache_size = 40");
}

void DatabaseSource::together(const std::function<void()>& read) {
  std::unique_lock<ReadGate> inside;
  if (gate_) inside = std::unique_lock(*gate_);
  const sqlite::ScopedTransaction all(DatabaseInside::connection(database_), "BEGIN");
  read();
}

std::vector<Vec2> DatabaseSource::keypoints(Id image) {
  const Keypoints k = database_.keypoints(image);
  std::vector<Vec2> px(k.size());
  const float* row = k.data.data();
  for (std::size_t i = 0; i < px.size(); ++i, row += k.columns) px[i] = {row[0], row[1]};
  return px;
}

void DatabaseSource::matches(const PairOfImages& pair, std::vector<IndexPair>& to) {
  DatabaseInside::state(database_).append_matches(pair.image1, pair.image2, to);
}

std::string DatabaseSource::name_of(const PairOfImages& pair) const {
  return fmt::format("table matches, images {} and {}", pair.image1, pair.image2);
}

void Chunk::clear() {
  pairs.clear();
  offsets.assign(1, 0);
  matches.clear();
  images1.clear(), images2.clear();
  cameras1.clear(), cameras2.clear();
  left_out.clear();
  odd_rows.clear();
}

void ChunkPoints::gather(const Chunk& chunk) {
  const auto has_lens = [](const auto& images) {
    return std::any_of(images.begin(), images.end(), [](const auto& i) { return i->has_lens(); });
  };
  has_lens_ = has_lens(chunk.images1) || has_lens(chunk.images2);
  points_.resize(chunk.matches.size());
  undistorted_.resize(has_lens_ ? chunk.matches.size() : 0);
  runtime::parallel_each(
      chunk.pairs.size(), [&](std::size_t k) { gather(chunk, k); }, verify::kPairsAtOnce);
}

void ChunkPoints::gather(const Chunk& chunk, std::size_t k) {
  const auto join = [&](std::span<const Vec2> one, std::span<const Vec2> two, PointPair* points) {
    for (std::int64_t m = chunk.offsets[k]; m < chunk.offsets[k + 1]; ++m) {
      const auto [i1, i2] = chunk.matches[static_cast<std::size_t>(m)];
      points[m] = {one[i1][0], one[i1][1], two[i2][0], two[i2][1]};
    }
  };
  const ImagePoints &image1 = *chunk.images1[k], &image2 = *chunk.images2[k];
  join(image1.px(), image2.px(), points_.data());
  if (has_lens_) join(image1.undistorted(), image2.undistorted(), undistorted_.data());
}

void ChunkReader::next(Chunk& chunk) {
  chunk.clear();
  if (pairs_.empty()) return;
  source_.together([&] {
    while (!pairs_.empty() && !is_full_piece(chunk.pairs.size(), chunk.matches.size())) {
      if (!add(pairs_.front(), chunk)) chunk.left_out.push_back(pairs_.front());
      pairs_ = pairs_.subspan(1);
    }
  });
}

ChunkReader::View ChunkReader::view_of(Id image, OddRows& odd_rows) {
  View view{cameras_.of(image, odd_rows), {}};
  if (!view.camera) return view;
  auto damaged = damaged_.find(image);
  if (damaged == damaged_.end()) {
    try {
      view.points = kept_.get(image, [&] {
        auto points = std::make_shared<const ImagePoints>(
            cameras_.name_of(image), source_.keypoints(image), view.camera->lens());
        return std::pair(points, points->bytes());
      });
      return view;
    } catch (const sqlite::DamagedRow& e) {
      damaged = damaged_.emplace(image, e.fault).first;
    }
  }
  odd_rows.add(damaged->second);
  return view;
}

bool ChunkReader::add(const PairOfImages& pair, Chunk& chunk) {
  const View one = view_of(pair.image1, chunk.odd_rows), two = view_of(pair.image2, chunk.odd_rows);
  if (!one.points || !two.points) return false;
  const std::size_t before = chunk.matches.size();
  try {
    source_.matches(pair, chunk.matches);
  } catch (const sqlite::DamagedRow& e) {
    chunk.odd_rows.add(e.fault);
    return false;
  }
  if (!name_keypoints(pair, one, two, before, chunk)) {
    chunk.matches.resize(before);
    return false;
  }
  if (one.camera->odd) chunk.odd_rows.add(*one.camera->odd);
  if (two.camera->odd && two.camera != one.camera) chunk.odd_rows.add(*two.camera->odd);
  chunk.cameras1.push_back(one.camera->view);
  chunk.cameras2.push_back(two.camera->view);
  chunk.images1.push_back(one.points);
  chunk.images2.push_back(two.points);
  chunk.offsets.push_back(static_cast<std::int64_t>(chunk.matches.size()));
  chunk.pairs.push_back(pair);
  return true;
}

bool ChunkReader::name_keypoints(const PairOfImages& pair, const View& one, const View& two,
                                 std::size_t first, Chunk& chunk) const {
  const auto matches = std::span<const IndexPair>(chunk.matches).subspan(first);
  const std::size_t a = one.points->px().size(), b = two.points->px().size();
  const auto wrong = wrong_match(matches, a, b);
  if (!wrong) return true;
  const auto refuse = [&](const std::string& row, const std::string& reason) {
    chunk.odd_rows.add(RowFault{row, reason});
  };
  for (const auto& [image, count] : {std::pair(pair.image1, a), {pair.image2, b}})
    if (count == 0) refuse(row_name("keypoints", "image_id", image), "has no keypoints");
  if (a > 0 && b > 0)
    refuse(source_.name_of(pair),
           fmt::format("match {} is of keypoints {} and {}, but the images have {} and {}", *wrong,
                       matches[*wrong].index1, matches[*wrong].index2, a, b));
  return false;
}

}  // namespace bifocal::colmap
