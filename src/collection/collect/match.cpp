// SPDX-License-Identifier: BSD-3-Clause
// Pairs to matches and geometry, block by block of the images that memory has room for; what is
// found is written while the device goes on.
#include <algorithm>
#include <atomic>
#include <chrono>

#include "collection/collect/geometry.hpp"
#include "collection/collect/given.hpp"
#include "collection/collect/resident.hpp"
#include "collection/collect/stages.hpp"
#include "runtime/background.hpp"

namespace bifocal::collection {
namespace {

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

// Cameras of all photographs, and who writes what is found.
struct Shared {
  const Job& job;
  std::span<const PhotographRow> rows;
  const Cameras cameras;
  const ViewCameras views;
  WorkFile& writing;
  runtime::Background& writer;
  StageProgress& progress;
  const std::optional<DescriptorKind> given;
  std::atomic<std::int64_t> written = 0;

  [[nodiscard]] const colmap::ViewCamera& camera_of(int image) const {
    return views[cameras.of[static_cast<std::size_t>(image)]];
  }
};

// Features of the largest photograph.
int most_features(std::span<const PhotographRow> rows) {
  int most = 1;
  for (const PhotographRow& r : rows) most = std::max(most, r.features);
  return most;
}

// What one device does.
class Matcher {
 public:
  Matcher(Shared& shared, const Device& device)
      : shared_(shared),
        options_(shared.job.options),
        queue_(device),
        deciding_(device),
        reading_(shared.job.work_file, WorkFile::Mode::open) {
    if (shared.given) {
      given_.emplace(reading_, *shared.given, host_memory(shared.job) / 2);
    } else {
      resident_.emplace(queue_, reading_, most_features(shared.rows),
                        images_on(shared.job, device, std::ssize(shared.rows),
                                  kBytesOfFeature * most_features(shared.rows)));
    }
    const std::int64_t bytes = kBytesOfMatch * most_features(shared.rows);
    most_pairs_ = static_cast<std::size_t>(
        std::clamp<std::int64_t>(host_memory(shared.job) / 4 / bytes, 1, 1 << 16));
    piece_ = std::min<std::size_t>(16, most_pairs_);
  }

  // Pieces go from hand to hand: this thread matches, the next one decides on their geometry with a
  // queue of its own, the last one, of all devices, writes.
  void run(PairWalk& walk, const DeviceTeam& team) {
    runtime::Background decider(1);
    PairWalk::Part last;
    while (!team.has_failed()) {
      const auto start = std::chrono::steady_clock::now();
      const PairWalk::Part part = walk.next(last, piece_);
      if (!part.block) break;
      if (resident_ && part.block != last.block) resident_->enter(*part.block);
      last = part;
      auto piece = std::make_shared<Piece>(match_piece(part.pairs));
      // The second round needs the features that are resident now.
      if (options_.guided) decide(*piece), match_again(*piece);
      decider.run([this, piece] {
        if (!options_.guided) decide(*piece);
        shared_.writer.run([&shared = shared_, piece] { write(shared, *piece); });
      });
      shared_.progress.to(shared_.written);
      adapt(part.pairs.size(),
            std::chrono::duration<double>(std::chrono::steady_clock::now() - start));
    }
    decider.finish();
  }

 private:
  struct Piece {
    std::vector<PairRow> rows;
    MatchedPairs matched;
    std::vector<std::size_t> where;  // the row of each that is matched
  };

  // The matches of each pair, and their points.
  MatchBatch match_all(std::span<const ImagePair> pairs, std::vector<PointPair>& points) {
    if (given_) return given_->match(queue_, pairs, options_.given.matching, points);
    const std::vector<ImagePair> slots = resident_->slots_of(pairs);
    MatchBatch found = match(queue_, resident_->set(), slots, options_.matching);
    add_points(slots, found, points);
    return found;
  }

  void add_points(std::span<const ImagePair> slots, const MatchBatch& found,
                  std::vector<PointPair>& points) const {
    points.reserve(found.matches.size());
    for (std::size_t k = 0; k < slots.size(); ++k) {
      const auto& keypoints1 = resident_->keypoints(slots[k].image1);
      const auto& keypoints2 = resident_->keypoints(slots[k].image2);
      for (auto i = std::size_t(found.offsets[k]); i < std::size_t(found.offsets[k + 1]); ++i) {
        const Keypoint& a = keypoints1[static_cast<std::size_t>(found.matches[i].index1)];
        const Keypoint& b = keypoints2[static_cast<std::size_t>(found.matches[i].index2)];
        points.push_back({a.x, a.y, b.x, b.y});
      }
    }
  }

  Piece match_piece(std::span<const ImagePair> pairs) {
    std::vector<PointPair> points;
    const MatchBatch found = match_all(pairs, points);
    return piece_of(pairs, found, points);
  }

  // The second round of a piece that is decided: a pair has the matches along its geometry where
  // these have more inliers.
  void match_again(Piece& piece) {
    std::vector<std::size_t> which;
    std::vector<ImagePair> pairs;
    std::vector<MatchGuide> guides;
    for (std::size_t k = 0; k < piece.rows.size(); ++k) {
      const auto& g = piece.rows[k].geometry;
      if (!g || g->inliers.empty() || (!g->F && !g->H)) continue;
      const bool is_plane =
          !g->F || (g->H && g->configuration >= colmap::Configuration::planar &&
                    g->configuration <= colmap::Configuration::planar_or_panoramic);
      which.push_back(k);
      pairs.push_back(piece.rows[k].pair);
      guides.push_back({is_plane ? GuideKind::homography : GuideKind::epipolar,
                        is_plane ? *g->H : *g->F, options_.geometry.max_error});
    }
    if (pairs.empty()) return;
    const std::vector<ImagePair> slots = resident_->slots_of(pairs);
    const MatchBatch found =
        match_guided(queue_, resident_->set(), slots, guides, options_.matching);
    std::vector<PointPair> points;
    add_points(slots, found, points);
    Piece second = piece_of(pairs, found, points);
    decide(second);
    for (std::size_t i = 0; i < which.size(); ++i) {
      PairRow &row = piece.rows[which[i]], &other = second.rows[i];
      if (other.geometry && other.geometry->inliers.size() > row.geometry->inliers.size())
        row = std::move(other);
    }
  }

  // The rows of matched pairs, and what their geometry is decided by.
  Piece piece_of(std::span<const ImagePair> pairs, const MatchBatch& found,
                 std::span<const PointPair> points) const {
    Piece piece;
    piece.rows.resize(pairs.size());
    for (std::size_t k = 0; k < pairs.size(); ++k) {
      piece.rows[k].pair = pairs[k];
      const auto begin = std::size_t(found.offsets[k]), end = std::size_t(found.offsets[k + 1]);
      const auto count = static_cast<std::ptrdiff_t>(end - begin);
      if (count < options_.min_matches) continue;
      MatchedPairs& matched = piece.matched;
      for (std::size_t i = begin; i < end; ++i) {
        const Match& m = found.matches[i];
        matched.points.push_back(points[i]);
        matched.matches.push_back(
            {static_cast<std::uint32_t>(m.index1), static_cast<std::uint32_t>(m.index2)});
      }
      matched.offsets.push_back(static_cast<std::int64_t>(matched.matches.size()));
      matched.cameras1.push_back(shared_.camera_of(pairs[k].image1));
      matched.cameras2.push_back(shared_.camera_of(pairs[k].image2));
      piece.rows[k].matches.assign(matched.matches.end() - count, matched.matches.end());
      piece.where.push_back(k);
    }
    return piece;
  }

  void decide(Piece& piece) {
    std::vector<colmap::TwoViewGeometry> geometry =
        geometry_of(deciding_, piece.matched, options_.geometry);
    for (std::size_t i = 0; i < piece.where.size(); ++i)
      piece.rows[piece.where[i]].geometry = std::move(geometry[i]);
    piece.matched = {};
  }

  static void write(Shared& shared, const Piece& piece) {
    shared.writing.together([&] {
      for (const PairRow& row : piece.rows) shared.writing.add(row);
    });
    shared.written += static_cast<std::int64_t>(piece.rows.size());
  }

  void adapt(std::size_t count, std::chrono::duration<double> took) {
    if (count < piece_) return;  // the end of a block says little
    if (took.count() < kSecondsOfPiece / 2) piece_ *= 2;
    if (took.count() > kSecondsOfPiece * 2) piece_ /= 2;
    piece_ = std::clamp<std::size_t>(piece_, 1, most_pairs_);
  }

  Shared& shared_;
  const CollectOptions& options_;
  Queue queue_, deciding_;
  WorkFile reading_;
  std::optional<ResidentFeatures> resident_;  // found here
  std::optional<GivenMatcher> given_;
  std::size_t most_pairs_ = 1, piece_ = 1;
};

}  // namespace

void match_pairs(const Job& job, std::span<const PhotographRow> rows,
                 std::span<const ImagePair> pairs) {
  WorkFile work(job.work_file, WorkFile::Mode::open);
  const std::vector<ImagePair> rest = without(pairs, work.finished_pairs());
  const auto all = static_cast<std::int64_t>(pairs.size());
  StageProgress progress(job.options, "matches", "pairs", all,
                         all - static_cast<std::int64_t>(rest.size()));
  if (rest.empty()) return;
  const Cameras cameras = cameras_of(rows, job.options.cameras);
  runtime::Background writer(1);
  Shared shared{job,  rows,   cameras,  ViewCameras(cameras.cameras),
                work, writer, progress, work.given()};
  const std::int64_t bytes = shared.given ? bytes_of_given(*shared.given) : kBytesOfFeature;
  int images = static_cast<int>(rows.size());  // that fit on every device
  for (const Device& device : job.devices.devices())
    images =
        std::min(images, images_on(job, device, std::ssize(rows), bytes * most_features(rows)));
  const bool all_fit = images >= static_cast<int>(rows.size());
  PairWalk walk(blocks_of(rest, all_fit ? images : std::max(1, images / 2)));
  DeviceTeam team(job.devices);
  team.run([&](const Device& device) { Matcher(shared, device).run(walk, team); });
  writer.finish();
  progress.to(shared.written);
}

}  // namespace bifocal::collection
