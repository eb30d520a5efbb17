// SPDX-License-Identifier: BSD-3-Clause
// The screen of PairChoice::all, in pieces whose images fit the available memory.
#include <algorithm>

#include "collection/collect/resident.hpp"
#include "collection/collect/stages.hpp"
#include "runtime/pipeline.hpp"

namespace bifocal::collection {
namespace {

// Pairs per piece: enough to keep a device busy, few enough to end soon.
constexpr std::size_t kPairsAtOnce = 1 << 15;

struct Piece {
  Places places;
  std::vector<int> matches;
};

class Screener {
 public:
  Screener(const Job& job, const Device& device, std::span<const ImagePair> pairs, int images)
      : options_(job.options.screen),
        pairs_(pairs),
        queue_(device),
        features_(device, job, options_.features, images) {}

  void screen(Piece& piece) {
    std::vector<ImagePair> pairs;
    for (const std::size_t place : piece.places) pairs.push_back(pairs_[place]);
    match(queue_, features_.set(), features_.slots_of(pairs), {.max_ratio = options_.max_ratio},
          found_);
    queue_.wait();
    piece.matches.clear();
    for (std::size_t k = 0; k < pairs.size(); ++k)
      piece.matches.push_back(static_cast<int>(found_.offsets[k + 1] - found_.offsets[k]));
  }

 private:
  const ScreenOptions& options_;
  std::span<const ImagePair> pairs_;
  Queue queue_;
  ResidentFeatures features_;
  DeviceMatches found_;
};

}  // namespace

std::vector<int> screen(const Job& job, std::span<const ImagePair> pairs, int images) {
  const std::int64_t bytes = kBytesOfFeature * job.options.screen.features;
  const int resident = images_on_each(job, images, bytes);
  StageProgress progress(job.options, "pairs", "pairs", std::ssize(pairs), 0);
  std::vector<int> matches(pairs.size());
  if (pairs.empty()) return matches;
  std::vector<runtime::PipelineWorker<Piece>> workers;
  for (const Device& device : job.devices.devices()) {
    const auto screener = std::make_shared<Screener>(job, device, pairs, resident);
    workers.push_back({workers.size(), [screener](Piece& piece) { screener->screen(piece); }});
  }
  PairPieces pieces(pairs, resident, resident / 2);
  runtime::Pipeline<Piece> pipeline(
      std::move(workers), [&](Piece& piece) { return pieces.next(kPairsAtOnce, piece.places); }, 1);
  while (const Piece* piece = pipeline.next()) {
    for (std::size_t k = 0; k < piece->places.size(); ++k)
      matches[piece->places[k]] = piece->matches[k];
    progress.add(std::ssize(piece->places));
  }
  return matches;
}

}  // namespace bifocal::collection
