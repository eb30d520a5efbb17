// SPDX-License-Identifier: BSD-3-Clause
// Matches pairs and estimates their geometries in pieces whose images fit the available memory.
// Results are written while the devices process the next pieces.
#include <algorithm>
#include <atomic>
#include <chrono>

#include "collection/collect/given.hpp"
#include "collection/collect/masks.hpp"
#include "collection/collect/resident.hpp"
#include "collection/collect/stages.hpp"
#include "collection/colmap/pipeline.hpp"
#include "runtime/parallel.hpp"
#include "runtime/pipeline.hpp"
#include "verify/policies.hpp"

namespace bifocal::collection {
namespace {

using Clock = std::chrono::steady_clock;

// Pieces are sized to take this time, so that little work is lost if the process is killed.
constexpr double kSecondsOfPiece = 1;
// Larger pieces do not increase the load of a GPU, and their memory exceeds its caches.
constexpr std::size_t kMostPairs = 512;
constexpr std::size_t kWorkersOnGpu = 3;  // one copies while another computes
constexpr int kRowsOnGpu = 8;  // rows of images whose partners are loaded once for all rows
// Bytes per feature of its images that a pair takes while it waits for earlier pairs to be written.
constexpr std::int64_t kBytesOfWaiting = 4;

// Returns the number of features of the photograph with most features, at least 1.
int most_features(std::span<const PhotographRow> rows) {
  int most = 1;
  for (const PhotographRow& r : rows) most = std::max(most, r.features);
  return most;
}

// Piece of pairs in the pipeline. Pairs with fewer than min_matches matches keep neither matches
// nor a geometry.
struct MatchPiece {
  Places places;  // indices into the list of pairs
  std::vector<ImagePair> pairs;
  std::vector<std::int64_t> offsets;  // matches of pair k: [offsets[k], offsets[k + 1])
  std::vector<colmap::IndexPair> index_pairs;
  std::vector<colmap::TwoViewGeometry> geometries;

  [[nodiscard]] std::span<const colmap::IndexPair> matches(std::size_t k) const {
    const auto begin = static_cast<std::size_t>(offsets[k]),
               end = static_cast<std::size_t>(offsets[k + 1]);
    return std::span(index_pairs).subspan(begin, end - begin);
  }
  // Returns null if the pair has too few matches.
  [[nodiscard]] const colmap::TwoViewGeometry* geometry(std::size_t k) const {
    return matches(k).empty() ? nullptr : &geometries[k];
  }
};

// State shared by all workers.
struct Shared {
  const Job& job;
  std::span<const PhotographRow> rows;
  const colmap::Cameras cameras;
  const std::optional<DescriptorKind> given;
  std::size_t most_pairs;              // largest size of a piece
  std::int64_t given_memory;           // bytes of given features that stay in memory
  std::atomic<std::size_t> piece = 1;  // current size of a piece, in pairs
};

// Matches and verifies one piece after another.
class Matcher {
 public:
  Matcher(Shared& shared, const Device& device, std::shared_ptr<ResidentFeatures> resident)
      : shared_(shared),
        options_(shared.job.options),
        queue_(device),
        verifier_(queue_, {options_.matching},
                  verify::ColmapModels(queue_, options_.geometry, options_.min_matches)),
        work_(shared.job.work_file),
        resident_(std::move(resident)) {
    if (shared.given)
      given_.emplace(options_.given, *shared.given, shared.rows, shared.given_memory);
  }

  void work(MatchPiece& piece) {
    const auto start = Clock::now();
    set_cameras(piece.pairs);
    if (given_) {
      verify_given(piece);
    } else {
      const std::vector<ImagePair> slots = resident_->slots_of(piece.pairs);
      const auto* found = &verifier_.run(resident_->set(), slots);
      if (options_.guided) found = &verifier_.run_guided(resident_->set(), slots);
      fill(piece, *found, found->matches);
    }
    adapt(piece.pairs.size(), std::chrono::duration<double>(Clock::now() - start).count());
  }

 private:
  using Verified = verify::Verified<colmap::DecidedPair>;

  void set_cameras(std::span<const ImagePair> pairs) {
    cameras1_.clear(), cameras2_.clear();
    for (const auto [image1, image2] : pairs) {
      cameras1_.push_back(shared_.cameras.of(image_id(image1), odd_)->view);
      cameras2_.push_back(shared_.cameras.of(image_id(image2), odd_)->view);
    }
    verifier_.policy().set_cameras(cameras1_, cameras2_);
  }

  void verify_given(MatchPiece& piece) {
    const MatchBatch all = given_->match(queue_, piece.pairs);
    MatchBatch kept{{0}, {}};  // without matches in masked regions
    std::vector<PointPair> points;
    for (std::size_t k = 0; k < piece.pairs.size(); ++k) {
      const GivenPlaces &one = given_places(piece.pairs[k].image1),
                        &two = given_places(piece.pairs[k].image2);
      for (auto m = all.offsets[k]; m < all.offsets[k + 1]; ++m) {
        const Match& match = all.matches[static_cast<std::size_t>(m)];
        const auto i = static_cast<std::size_t>(match.index1),
                   j = static_cast<std::size_t>(match.index2);
        if (one.is_masked(i) || two.is_masked(j)) continue;
        points.push_back({one.px[i][0], one.px[i][1], two.px[j][0], two.px[j][1]});
        kept.matches.push_back(match);
      }
      kept.offsets.push_back(std::ssize(kept.matches));
    }
    fill(piece, verifier_.run(kept.offsets, points.data()), kept.matches);
  }
  struct GivenPlaces {
    std::vector<Vec2> px;
    std::vector<bool> masked;  // empty without a mask
    [[nodiscard]] bool is_masked(std::size_t i) const { return !masked.empty() && masked[i]; }
  };
  // Reads the places of an image's given features.
  const GivenPlaces& given_places(int image) {
    const auto [at, is_new] = given_places_.try_emplace(image);
    GivenPlaces& places = at->second;
    if (!is_new) return places;
    const std::filesystem::path& file = shared_.rows[static_cast<std::size_t>(image)].mask;
    const ImageU8 mask = file.empty() ? ImageU8() : read_mask(file);
    for (const Keypoint& k : work_.features(image).keypoints) {
      places.px.push_back({k.x, k.y});
      if (!mask.empty()) places.masked.push_back(is_masked(mask, k.x, k.y));
    }
    return places;
  }

  void fill(MatchPiece& piece, const Verified& found, std::span<const Match> matches) const {
    const std::size_t pairs = piece.pairs.size();
    piece.offsets.assign(1, 0);
    for (std::size_t k = 0; k < pairs; ++k) {
      const std::size_t size = found.size(k);
      const bool is_kept = size >= static_cast<std::size_t>(options_.min_matches);
      piece.offsets.push_back(piece.offsets.back() +
                              (is_kept ? static_cast<std::int64_t>(size) : 0));
    }
    piece.index_pairs.resize(static_cast<std::size_t>(piece.offsets.back()));
    piece.geometries.resize(pairs);
    runtime::parallel_each(
        pairs,
        [&](std::size_t k) {
          if (piece.offsets[k] == piece.offsets[k + 1]) return;
          const auto own =
              matches.subspan(static_cast<std::size_t>(found.offsets[k]), found.size(k));
          std::ranges::transform(own, piece.index_pairs.begin() + piece.offsets[k],
                                 [](const Match& m) {
                                   return colmap::IndexPair{static_cast<std::uint32_t>(m.index1),
                                                            static_cast<std::uint32_t>(m.index2)};
                                 });
          colmap::set_geometry(found.results[k], piece.matches(k), found.inliers_of(k),
                               piece.geometries[k]);
        },
        verify::kPairsAtOnce);
  }

  void adapt(std::size_t count, double seconds) {
    const std::size_t now = shared_.piece;
    if (count < now) return;  // a short piece at the end of a row of pairs is not representative
    if (seconds < kSecondsOfPiece / 2) shared_.piece = std::min(shared_.most_pairs, 2 * now);
    if (seconds > kSecondsOfPiece * 2) shared_.piece = std::max<std::size_t>(1, now / 2);
  }

  Shared& shared_;
  const CollectOptions& options_;
  Queue queue_;
  verify::PairVerifier<verify::ColmapModels> verifier_;
  WorkDatabase work_;
  std::shared_ptr<ResidentFeatures> resident_;  // features found by this run
  std::optional<GivenMatcher> given_;
  std::map<int, GivenPlaces> given_places_;  // of each image
  std::vector<colmap::ViewCamera> cameras1_, cameras2_;
  colmap::OddRows odd_;
};

// Writes pairs in the order of the list if their pieces arrive in a different order.
class RowsInOrder {
 public:
  RowsInOrder(WorkDatabase& work, std::span<const ImagePair> pairs) : work_(work), pairs_(pairs) {}

  // Writes all pairs that are next in order, in one transaction, and buffers the rest.
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

// Returns the height of a tile of the pair matrix in images, so that the pairs buffered until they
// are in order fit a quarter of max_memory. On a CPU the height is 1: loading an image again costs
// less than the work that a kill would lose.
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
      const auto matcher = std::make_shared<Matcher>(shared, devices[d], resident);
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
                       g ? std::ssize(g->inliers) : std::ptrdiff_t{0},
                       g && !g->inliers.empty() && colmap::is_geometry(g->configuration)});
    }
    progress.add(std::ssize(piece->places));
  }
  std::ranges::sort(known, before, &WorkDatabase::PairCount::pair);
}

}  // namespace bifocal::collection
