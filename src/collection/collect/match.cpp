// SPDX-License-Identifier: BSD-3-Clause
// Pairs to matches and geometry, block by block of the images that memory has room for; what is
// found is written while the device goes on.
#include <algorithm>
#include <atomic>
#include <chrono>

#include "collection/collect/geometry.hpp"
#include "collection/collect/resident.hpp"
#include "collection/collect/stages.hpp"
#include "runtime/background.hpp"

namespace bifocal::collection {
namespace {

// On the device and on the host.
constexpr std::int64_t kBytesOfFeature = sizeof(Keypoint) * 2 + kDescriptorBytes;
// A match on its way, in the pieces that are matched, decided and written at one time: with its
// points, flags and what estimation adds.
constexpr std::int64_t kBytesOfMatch = 400;
// Pieces are as large as what is done in this time: little is lost when the process is killed.
constexpr double kSecondsOfPiece = 1;

std::vector<ImagePair> without(std::span<const ImagePair> pairs,
                               const std::vector<ImagePair>& finished) {
  const auto before = [](const ImagePair& a, const ImagePair& b) {
    return std::pair(a.image1, a.image2) < std::pair(b.image1, b.image2);
  };
  std::vector<ImagePair> rest;
  std::set_difference(pairs.begin(), pairs.end(), finished.begin(), finished.end(),
                      std::back_inserter(rest), before);
  return rest;
}

class Matcher {
 public:
  Matcher(const Job& job, std::span<const PhotographRow> rows, WorkFile& work)
      : job_(job),
        rows_(rows),
        cameras_(cameras_of(rows, job.options.cameras)),
        views_(cameras_.cameras),
        writing_(work),
        deciding_(job.queue.device()) {
    int most = 1;
    for (const PhotographRow& r : rows) most = std::max(most, r.features);
    const std::int64_t fit = job.options.max_memory / 2 / (kBytesOfFeature * most);
    images_ = static_cast<int>(std::clamp<std::int64_t>(fit, 2, static_cast<int>(rows.size())));
    most_pairs_ = static_cast<std::size_t>(
        std::clamp<std::int64_t>(job.options.max_memory / 4 / (kBytesOfMatch * most), 1, 1 << 16));
    piece_ = std::min<std::size_t>(16, most_pairs_);
    capacity_ = most;
  }

  // Pieces go from hand to hand: this thread matches, the next one decides on their geometry with a
  // queue of its own, the last one writes.
  void run(std::span<const ImagePair> pairs, StageProgress& progress) {
    WorkFile reading(job_.work_file, WorkFile::Mode::open);
    resident_.emplace(job_.queue, reading, capacity_, images_);
    const bool all_fit = images_ >= static_cast<int>(rows_.size());
    const int block = all_fit ? images_ : std::max(1, images_ / 2);
    runtime::Background writer(1), decider(1);
    for (const PairBlock& b : blocks_of(pairs, block)) {
      const std::vector<ImagePair> slots = resident_->slots_of(b.pairs);
      for (std::size_t first = 0; first < b.pairs.size();) {
        const std::size_t count = std::min(piece_, b.pairs.size() - first);
        const auto start = std::chrono::steady_clock::now();
        auto piece = std::make_shared<Piece>(match_piece(std::span(b.pairs).subspan(first, count),
                                                         std::span(slots).subspan(first, count)));
        decider.run([this, piece, &writer] {
          decide(*piece);
          writer.run([this, piece] { write(*piece); });
        });
        progress.to(written_);
        adapt(count, std::chrono::duration<double>(std::chrono::steady_clock::now() - start));
        first += count;
      }
    }
    decider.finish();
    writer.finish();
    progress.to(written_);
  }

 private:
  struct Piece {
    std::vector<PairRow> rows;
    MatchedPairs matched;
    std::vector<std::size_t> where;  // the row of each that is matched
  };

  Piece match_piece(std::span<const ImagePair> pairs, std::span<const ImagePair> slots) {
    const CollectOptions& options = job_.options;
    const MatchBatch found = match(job_.queue, resident_->set(), slots, options.matching);
    Piece piece;
    piece.rows.resize(pairs.size());
    for (std::size_t k = 0; k < pairs.size(); ++k) {
      piece.rows[k].pair = pairs[k];
      const std::int64_t begin = found.offsets[k], count = found.offsets[k + 1] - begin;
      if (count < options.min_matches) continue;
      MatchedPairs& matched = piece.matched;
      add(std::span(found.matches).subspan(std::size_t(begin), std::size_t(count)), slots[k],
          matched);
      matched.cameras1.push_back(camera_of(pairs[k].image1));
      matched.cameras2.push_back(camera_of(pairs[k].image2));
      piece.rows[k].matches.assign(matched.matches.end() - count, matched.matches.end());
      piece.where.push_back(k);
    }
    return piece;
  }

  void decide(Piece& piece) {
    std::vector<colmap::TwoViewGeometry> geometry =
        geometry_of(deciding_, piece.matched, job_.options.geometry);
    for (std::size_t i = 0; i < piece.where.size(); ++i)
      piece.rows[piece.where[i]].geometry = std::move(geometry[i]);
    piece.matched = {};
  }

  void write(const Piece& piece) {
    writing_.together([&] {
      for (const PairRow& row : piece.rows) writing_.add(row);
    });
    written_ += static_cast<std::int64_t>(piece.rows.size());
  }

  void add(std::span<const Match> matches, const ImagePair& slots, MatchedPairs& to) const {
    const auto& keypoints1 = resident_->keypoints(slots.image1);
    const auto& keypoints2 = resident_->keypoints(slots.image2);
    for (const Match& m : matches) {
      const Keypoint& a = keypoints1[static_cast<std::size_t>(m.index1)];
      const Keypoint& b = keypoints2[static_cast<std::size_t>(m.index2)];
      to.points.push_back({a.x, a.y, b.x, b.y});
      to.matches.push_back(
          {static_cast<std::uint32_t>(m.index1), static_cast<std::uint32_t>(m.index2)});
    }
    to.offsets.push_back(static_cast<std::int64_t>(to.matches.size()));
  }

  [[nodiscard]] const colmap::ViewCamera& camera_of(int image) const {
    return views_[cameras_.of[static_cast<std::size_t>(image)]];
  }

  void adapt(std::size_t count, std::chrono::duration<double> took) {
    if (count < piece_) return;  // the end of a block says little
    if (took.count() < kSecondsOfPiece / 2) piece_ *= 2;
    if (took.count() > kSecondsOfPiece * 2) piece_ /= 2;
    piece_ = std::clamp<std::size_t>(piece_, 1, most_pairs_);
  }

  const Job& job_;
  std::span<const PhotographRow> rows_;
  Cameras cameras_;
  ViewCameras views_;
  WorkFile& writing_;
  Queue deciding_;
  std::atomic<std::int64_t> written_ = 0;
  int images_ = 2;  // that are resident
  int capacity_ = 1;
  std::size_t most_pairs_ = 1, piece_ = 1;
  std::optional<ResidentFeatures> resident_;
};

}  // namespace

void match_pairs(const Job& job, std::span<const PhotographRow> rows,
                 std::span<const ImagePair> pairs) {
  WorkFile work(job.work_file, WorkFile::Mode::open);
  const std::vector<ImagePair> rest = without(pairs, work.finished_pairs());
  const auto all = static_cast<std::int64_t>(pairs.size());
  StageProgress progress(job.options, "matches", "pairs", all,
                         all - static_cast<std::int64_t>(rest.size()));
  if (!rest.empty()) Matcher(job, rows, work).run(rest, progress);
}

}  // namespace bifocal::collection
