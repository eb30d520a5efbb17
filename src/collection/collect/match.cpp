// SPDX-License-Identifier: BSD-3-Clause
// Pairs to matches and geometry, piece by piece of the images that memory has room for; what is
// found is written while devices go on.
#include <algorithm>
#include <atomic>
#include <chrono>

#include "collection/collect/given.hpp"
#include "collection/collect/resident.hpp"
#include "collection/collect/stages.hpp"
#include "collection/colmap/pipeline.hpp"
#include "runtime/parallel.hpp"
#include "runtime/pipeline.hpp"

namespace bifocal::collection {
namespace {

using Clock = std::chrono::steady_clock;

// Pieces are as large as what is done in this time: little is lost when the process is killed.
constexpr double kSecondsOfPiece = 1;
// More keep a GPU no busier, and their memory is no longer in its caches.
constexpr std::size_t kMostPairs = 512;
constexpr std::size_t kWorkersOnGpu = 3;  // one copies while another computes
constexpr int kRowsOnGpu = 8;             // of images, whose partners are loaded once for all
// A pair that waits for those before it takes so many bytes a feature of its images.
constexpr std::int64_t kBytesOfWaiting = 4;

// Features of the largest photograph.
int most_features(std::span<const PhotographRow> rows) {
  int most = 1;
  for (const PhotographRow& r : rows) most = std::max(most, r.features);
  return most;
}

// Pairs on their way. Those with min_matches and more are decided, and again in a second round.
struct MatchPiece {
  Places places;  // in the list of pairs
  std::vector<ImagePair> pairs;
  colmap::Piece first, second;
  struct Decided {
    const colmap::Piece* piece = nullptr;  // null: there are too few matches
    std::size_t at = 0;
  };
  std::vector<Decided> decided;  // of each pair

  [[nodiscard]] std::span<const colmap::IndexPair> matches(std::size_t k) const {
    const auto& [piece, at] = decided[k];
    if (!piece) return {};
    const auto begin = static_cast<std::size_t>(piece->chunk.offsets[at]),
               end = static_cast<std::size_t>(piece->chunk.offsets[at + 1]);
    return std::span(piece->chunk.matches).subspan(begin, end - begin);
  }
  [[nodiscard]] const colmap::TwoViewGeometry* geometry(std::size_t k) const {
    return decided[k].piece ? &decided[k].piece->geometries[decided[k].at] : nullptr;
  }
};

// All workers share this.
struct Shared {
  const Job& job;
  std::span<const PhotographRow> rows;
  const colmap::Cameras cameras;
  const std::optional<DescriptorKind> given;
  std::size_t most_pairs;              // of a piece
  std::int64_t given_memory;           // bytes of given features that stay in memory
  std::atomic<std::size_t> piece = 1;  // pairs that are done in the time of a piece
};

// Matches and decides one piece after another.
class Matcher {
 public:
  Matcher(Shared& shared, const Device& device, std::size_t number,
          std::shared_ptr<ResidentFeatures> resident)
      : shared_(shared),
        options_(shared.job.options),
        queue_(device),
        decider_(device, number),
        work_(shared.job.work_file),
        resident_(std::move(resident)) {
    if (shared.given)
      given_.emplace(options_.given.source, *shared.given, shared.rows, shared.given_memory);
  }

  void work(MatchPiece& piece) {
    const auto start = Clock::now();
    const std::span<const ImagePair> pairs = piece.pairs;
    const std::vector<ImagePair> slots = resident_ ? resident_->slots_of(pairs) : piece.pairs;
    match_all(pairs, slots);
    const std::vector<std::size_t> kept = fill(piece.first, pairs, slots);
    decider_.decide(piece.first, options_.geometry);
    piece.decided.assign(pairs.size(), {});
    for (std::size_t i = 0; i < kept.size(); ++i) piece.decided[kept[i]] = {&piece.first, i};
    if (options_.guided) match_again(piece, slots);
    adapt(pairs.size(), std::chrono::duration<double>(Clock::now() - start).count());
  }

 private:
  void match_all(std::span<const ImagePair> pairs, std::span<const ImagePair> slots) {
    if (given_) {
      MatchBatch found = given_->match(queue_, pairs, options_.given.matching);
      found_.offsets = std::move(found.offsets);
      given_matches_ = std::move(found.matches);
      matches_ = given_matches_;
      return;
    }
    match(queue_, resident_->set(), slots, options_.matching, found_);
    download();
  }
  void download() {
    const std::span<Match> to = host_.take(static_cast<std::size_t>(found_.offsets.back()));
    found_.matches.download(queue_, to);
    queue_.wait();
    matches_ = to;
  }

  // The pairs of what was found that have matches enough: fills a piece with them, and says which
  // they are.
  std::vector<std::size_t> fill(colmap::Piece& piece, std::span<const ImagePair> pairs,
                                std::span<const ImagePair> slots) {
    colmap::Chunk& chunk = piece.chunk;
    chunk.clear();
    std::vector<std::size_t> kept;
    for (std::size_t k = 0; k < pairs.size(); ++k) {
      const std::int64_t count = found_.offsets[k + 1] - found_.offsets[k];
      if (count < options_.min_matches) continue;
      kept.push_back(k);
      chunk.pairs.push_back({image_id(pairs[k].image1), image_id(pairs[k].image2)});
      chunk.offsets.push_back(chunk.offsets.back() + count);
      add_image(pairs[k].image1, slots[k].image1, chunk.images1, chunk.cameras1);
      add_image(pairs[k].image2, slots[k].image2, chunk.images2, chunk.cameras2);
    }
    chunk.matches.resize(static_cast<std::size_t>(chunk.offsets.back()));
    runtime::parallel_each(kept.size(), [&](std::size_t at) {
      auto to = chunk.matches.begin() + chunk.offsets[at];
      for (auto m = found_.offsets[kept[at]]; m < found_.offsets[kept[at] + 1]; ++m) {
        const Match& match = matches_[static_cast<std::size_t>(m)];
        *to++ = {static_cast<std::uint32_t>(match.index1),
                 static_cast<std::uint32_t>(match.index2)};
      }
    });
    return kept;
  }

  void add_image(int image, int slot,
                 std::vector<std::shared_ptr<const colmap::ImagePoints>>& images,
                 std::vector<colmap::ViewCamera>& cameras) {
    images.push_back(resident_ ? resident_->points(slot) : points_of(image));
    cameras.push_back(shared_.cameras.of(image_id(image), odd_)->view);
  }

  // Reads the places of an image's given features.
  std::shared_ptr<const colmap::ImagePoints> points_of(int image) {
    auto& points = given_points_[image];
    if (!points) {
      std::vector<Vec2> px;
      for (const Keypoint& k : work_.features(image).keypoints) px.push_back({k.x, k.y});
      points = std::make_shared<const colmap::ImagePoints>(std::move(px), nullptr);
    }
    return points;
  }

  // The second round of a piece that is decided: a pair has the matches along its geometry where
  // these have more inliers.
  void match_again(MatchPiece& piece, std::span<const ImagePair> slots) {
    std::vector<std::size_t> which;
    std::vector<ImagePair> pairs, guided_slots;
    std::vector<MatchGuide> guides;
    for (std::size_t k = 0; k < piece.pairs.size(); ++k) {
      const colmap::TwoViewGeometry* g = piece.geometry(k);
      if (!g || g->inliers.empty() || (!g->F && !g->H)) continue;
      const bool is_plane =
          g->H && (!g->F || g->configuration == colmap::Configuration::planar_or_panoramic ||
                   g->configuration == colmap::Configuration::planar ||
                   g->configuration == colmap::Configuration::panoramic);
      which.push_back(k);
      pairs.push_back(piece.pairs[k]);
      guided_slots.push_back(slots[k]);
      guides.push_back({is_plane ? GuideKind::homography : GuideKind::epipolar,
                        is_plane ? *g->H : *g->F, options_.geometry.max_error});
    }
    if (pairs.empty()) return;
    match_guided(queue_, resident_->set(), guided_slots, guides, options_.matching, found_);
    download();
    const std::vector<std::size_t> kept = fill(piece.second, pairs, guided_slots);
    decider_.decide(piece.second, options_.geometry);
    for (std::size_t i = 0; i < kept.size(); ++i) {
      const std::size_t k = which[kept[i]];
      if (piece.second.geometries[i].inliers.size() > piece.geometry(k)->inliers.size())
        piece.decided[k] = {&piece.second, i};
    }
  }

  void adapt(std::size_t count, double seconds) {
    const std::size_t now = shared_.piece;
    if (count < now) return;  // the end of a row of pairs says little
    if (seconds < kSecondsOfPiece / 2) shared_.piece = std::min(shared_.most_pairs, 2 * now);
    if (seconds > kSecondsOfPiece * 2) shared_.piece = std::max<std::size_t>(1, now / 2);
  }

  Shared& shared_;
  const CollectOptions& options_;
  Queue queue_;
  colmap::PieceDecider decider_;
  WorkDatabase work_;
  std::shared_ptr<ResidentFeatures> resident_;  // of features that were found here
  std::optional<GivenMatcher> given_;
  std::map<int, std::shared_ptr<const colmap::ImagePoints>> given_points_;
  DeviceMatches found_;
  colmap::Reused<Match> host_;
  std::vector<Match> given_matches_;
  std::span<const Match> matches_;
  colmap::OddRows odd_;
};

// Brings pairs into the order of the list where their pieces come in another one.
class RowsInOrder {
 public:
  RowsInOrder(WorkDatabase& work, std::span<const ImagePair> pairs) : work_(work), pairs_(pairs) {}

  // All that can be written now, together.
  void write(const MatchPiece& piece) {
    work_.together([&] {
      for (std::size_t k = 0; k < piece.places.size(); ++k) {
        const std::size_t place = piece.places[k];
        const colmap::TwoViewGeometry* g = piece.geometry(k);
        if (place == next_) {
          work_.add(pairs_[place], piece.matches(k), g);
          ++next_;
          write_waiting();
        } else {
          const auto matches = piece.matches(k);
          waiting_.emplace(
              place, Row{{matches.begin(), matches.end()}, g ? std::optional(*g) : std::nullopt});
        }
      }
    });
  }

 private:
  struct Row {
    std::vector<colmap::IndexPair> matches;
    std::optional<colmap::TwoViewGeometry> geometry;
  };
  void write_waiting() {
    for (auto row = waiting_.find(next_); row != waiting_.end(); row = waiting_.find(next_)) {
      const Row& r = row->second;
      work_.add(pairs_[next_], r.matches, r.geometry ? &*r.geometry : nullptr);
      waiting_.erase(row);
      ++next_;
    }
  }

  WorkDatabase& work_;
  std::span<const ImagePair> pairs_;
  std::size_t next_ = 0;
  std::map<std::size_t, Row> waiting_;
};

std::vector<ImagePair> without_known(std::span<const ImagePair> pairs, const PairCounts& known) {
  std::vector<ImagePair> finished, rest;
  for (const WorkDatabase::PairCount& c : known) finished.push_back(c.pair);
  std::ranges::set_difference(pairs, finished, std::back_inserter(rest), before);
  return rest;
}

// Tells of how many images side by side the pairs wait for each other, in the memory of matches
// under way. On a processor loading an image again costs less than the work that a kill would lose.
int rows_side_by_side(const Job& job, std::int64_t images, std::int64_t features) {
  if (!all_are_gpus(job)) return 1;
  const std::int64_t fit = job.options.max_memory / 4 / (images * features * kBytesOfWaiting);
  return static_cast<int>(std::clamp<std::int64_t>(fit, 1, kRowsOnGpu));
}

std::vector<runtime::PipelineWorker<MatchPiece>> workers_of(Shared& shared, int images) {
  std::vector<runtime::PipelineWorker<MatchPiece>> workers;
  const bool all_fit = images >= static_cast<int>(shared.rows.size());
  const std::vector<Device>& devices = shared.job.devices.devices();
  for (std::size_t d = 0; d < devices.size(); ++d) {
    std::shared_ptr<ResidentFeatures> resident;
    if (!shared.given)
      resident = std::make_shared<ResidentFeatures>(devices[d], shared.job,
                                                    most_features(shared.rows), images);
    const std::size_t count = all_fit && devices[d].info().is_gpu ? kWorkersOnGpu : 1;
    for (std::size_t k = 0; k < count; ++k) {
      const auto matcher = std::make_shared<Matcher>(shared, devices[d], d, resident);
      workers.push_back({d, [matcher](MatchPiece& piece) { matcher->work(piece); }});
    }
  }
  return workers;
}

}  // namespace

void match_pairs(const Job& job, WorkDatabase& work, std::span<const PhotographRow> rows,
                 std::span<const ImagePair> pairs, PairCounts& known) {
  const std::vector<ImagePair> rest = without_known(pairs, known);
  StageProgress progress(job.options, "matches", "pairs", std::ssize(pairs),
                         std::ssize(pairs) - std::ssize(rest));
  if (rest.empty()) return;
  const std::int64_t features = most_features(rows), images = std::ssize(rows);
  Shared shared{job, rows, colmap::Cameras(work.database()), work.given(), 1, 0};
  shared.most_pairs = static_cast<std::size_t>(
      std::clamp<std::int64_t>(host_memory(job) / 4 / (kBytesOfMatch * features), 1, kMostPairs));
  shared.piece = std::min<std::size_t>(16, shared.most_pairs);
  const std::int64_t bytes = shared.given ? bytes_of_given(*shared.given) : kBytesOfFeature;
  const int fit = images_on_each(job, images, bytes * features);
  shared.given_memory = std::min(host_memory(job) / 2, fit * bytes * features);
  PairPieces pieces(rest, fit, rows_side_by_side(job, images, features));
  const auto read = [&](MatchPiece& piece) {
    const bool found = pieces.next(shared.piece, piece.places);
    piece.pairs.clear();
    for (const std::size_t place : piece.places) piece.pairs.push_back(rest[place]);
    return found;
  };
  runtime::Pipeline<MatchPiece> pipeline(workers_of(shared, fit), read, 2);
  RowsInOrder writer(work, rest);
  while (const MatchPiece* piece = pipeline.next()) {
    writer.write(*piece);
    for (std::size_t k = 0; k < piece->pairs.size(); ++k) {
      const colmap::TwoViewGeometry* g = piece->geometry(k);
      known.push_back({piece->pairs[k], std::ssize(piece->matches(k)),
                       g ? std::ssize(g->inliers) : std::ptrdiff_t{0}});
    }
    progress.add(std::ssize(piece->places));
  }
  std::ranges::sort(known, before, &WorkDatabase::PairCount::pair);
}

}  // namespace bifocal::collection
