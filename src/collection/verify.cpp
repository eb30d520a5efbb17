// SPDX-License-Identifier: BSD-3-Clause
#include <bifocal/error.hpp>
#include <bifocal/verify_pairs.hpp>

#include <fmt/format.h>

#include <algorithm>

#include "collection/gather.kernels.hpp"
#include "robust/guide.hpp"

namespace bifocal {
namespace {

[[noreturn]] void fail(const std::string& message) {
  throw Error(ErrorCode::usage, "verify_pairs: " + message);
}

bool takes_cameras(ModelKind kind) { return problem_info(kind).cameras > 0; }

void check(const FeatureSet& set, std::span<const LensCamera> cameras, const VerifyOptions& o) {
  check_options(o);
  if (!problem_info(o.kind).is_two_view)
    fail(fmt::format("VerifyOptions::kind = {}: must be of two views", to_string(o.kind)));
  if (problem_info(o.kind).takes_depths)
    fail(fmt::format("VerifyOptions::kind = {}: matches of features have no depths",
                     to_string(o.kind)));
  if (takes_cameras(o.kind) && cameras.size() != 1 &&
      cameras.size() != static_cast<std::size_t>(set.size()))
    fail(fmt::format("{} cameras, must be one or one for each of the {} images", cameras.size(),
                     set.size()));
  if (o.guided && takes_cameras(o.kind) && std::ranges::any_of(cameras, &LensCamera::has_lens))
    fail("VerifyOptions::guided: the features of cameras with lenses lie along no straight line");
  if (o.guided && problem_info(o.kind).estimates_distortion)
    fail(fmt::format("VerifyOptions::guided: the matches of a {} lie along no straight line",
                     to_string(o.kind)));
}

// One piece after the other; its memory is used again.
class Verifier {
 public:
  Verifier(Queue& queue, const FeatureSet& set, std::span<const LensCamera> cameras,
           const VerifyOptions& options)
      : queue_(queue),
        set_(set),
        cameras_(cameras),
        options_(options),
        has_lens_(takes_cameras(options.kind) &&
                  std::ranges::any_of(cameras, &LensCamera::has_lens)),
        straight_(has_lens_ ? static_cast<std::size_t>(set.size()) : 0) {}

  // Matches along the guides, one a pair, where there are some.
  VerifiedPairs run(std::span<const ImagePair> pairs, std::span<const MatchGuide> guides = {}) {
    if (guides.empty()) {
      match(queue_, set_, pairs, options_.matching, found_);
    } else {
      match_guided(queue_, set_, pairs, guides, options_.matching, found_);
    }
    matches_.resize(static_cast<std::size_t>(found_.offsets.back()));
    found_.matches.download(queue_, std::span(matches_));
    if (has_lens_) queue_.wait();
    choose(pairs);
    estimates_.assign(pairs.size(), {});
    for (Estimate& e : estimates_) e.outcome = Outcome::too_few_points;
    inliers_.assign(matches_.size(), 0);
    if (!kept_.empty()) estimate();
    queue_.wait();
    return {pairs, found_.offsets, matches_, estimates_, inliers_};
  }
  // Returns the model of a pair as a guide for its second round.
  [[nodiscard]] MatchGuide guide_of(const ImagePair& pair, const Estimate& estimate) const {
    const bool has_cameras = takes_cameras(options_.kind);
    const Intrinsics none;
    return robust::guide_of(options_.kind, estimate.model,
                            has_cameras ? camera_of(pair.image1).pinhole() : none,
                            has_cameras ? camera_of(pair.image2).pinhole() : none,
                            robust::kGuideWidth * options_.robust.threshold);
  }

 private:
  // The pairs that a model is sought of, and where their points go.
  void choose(std::span<const ImagePair> pairs) {
    kept_.clear(), cameras1_.clear(), cameras2_.clear(), places_.clear();
    offsets_.assign(1, 0);
    for (std::size_t k = 0; k < pairs.size(); ++k) {
      const std::int64_t begin = found_.offsets[k], count = found_.offsets[k + 1] - begin;
      if (count < options_.min_matches) continue;
      kept_.push_back(k);
      places_.insert(places_.end(), {begin, offsets_.back(), count});
      offsets_.push_back(offsets_.back() + count);
      if (!takes_cameras(options_.kind)) continue;
      cameras1_.push_back(camera_of(pairs[k].image1).pinhole());
      cameras2_.push_back(camera_of(pairs[k].image2).pinhole());
    }
    pairs_ = pairs;
  }
  [[nodiscard]] const LensCamera& camera_of(int image) const {
    return cameras_[cameras_.size() == 1 ? 0 : static_cast<std::size_t>(image)];
  }

  void estimate() {
    const BatchEstimate found = estimate_batch(queue_, options_.kind, points(),
                                               {.offsets = offsets_,
                                                .cameras1 = cameras1_,
                                                .cameras2 = cameras2_,
                                                .options = options_.robust});
    for (std::size_t i = 0; i < kept_.size(); ++i) {
      estimates_[kept_[i]] = found.pairs[i];
      std::copy(found.inliers.begin() + offsets_[i], found.inliers.begin() + offsets_[i + 1],
                inliers_.begin() + found_.offsets[kept_[i]]);
    }
  }

  // Where an image's pinhole sees its features; of each image once.
  const std::vector<Vec2>& straight_points(int image) {
    std::vector<Vec2>& points = straight_[static_cast<std::size_t>(image)];
    if (!points.empty()) return points;
    for (const Keypoint& k : set_.get(queue_, image).keypoints) {
      check_cancelled();
      points.push_back(camera_of(image).undistort({k.x, k.y}));
    }
    return points;
  }

  // The undistorted points of the pairs that are kept, from the host.
  const Buffer<PointPair>& undistorted() {
    straight_pairs_.clear();
    for (const std::size_t k : kept_) {
      const std::vector<Vec2>&one = straight_points(pairs_[k].image1),
            &two = straight_points(pairs_[k].image2);
      for (std::int64_t m = found_.offsets[k]; m < found_.offsets[k + 1]; ++m) {
        const Match& match = matches_[static_cast<std::size_t>(m)];
        const Vec2 &a = one[static_cast<std::size_t>(match.index1)],
                   &b = two[static_cast<std::size_t>(match.index2)];
        straight_pairs_.push_back({a[0], a[1], b[0], b[1]});
      }
    }
    gathered_.upload(queue_, straight_pairs_);
    return gathered_;
  }

  // The points of the pairs that are kept, without gaps.
  const Buffer<PointPair>& points() {
    if (!has_lens_ && kept_.size() + 1 == found_.offsets.size()) return found_.points;
    const auto needed = static_cast<std::size_t>(offsets_.back());
    if (gathered_.size() < needed)
      gathered_ = Buffer<PointPair>(queue_.device(), std::max(needed, 2 * gathered_.size()));
    if (has_lens_) return undistorted();
    if (queue_.device().info().kind == DeviceKind::cpu) {
      for (std::size_t i = 0; i < kept_.size(); ++i)
        std::copy_n(found_.points.data() + places_[3 * i], places_[3 * i + 2],
                    gathered_.data() + places_[3 * i + 1]);
      return gathered_;
    }
    static const kernels::gather::launch<float> launch(kernels::gather::GATHER_THREADS);
    if (table_.size() < places_.size())
      table_ = Buffer<std::int64_t>(queue_.device(), 2 * places_.size());
    table_.upload(queue_, places_);
    launch.gather_points(
        queue_, {.count = static_cast<int>(kept_.size())},
        {.points = runtime::Array<const std::uint32_t>(runtime::Argument(found_.points)),
         .places = table_,
         .kept = runtime::Array<std::uint32_t>(runtime::Argument(gathered_))});
    return gathered_;
  }

  Queue& queue_;
  const FeatureSet& set_;
  std::span<const LensCamera> cameras_;
  const VerifyOptions& options_;
  bool has_lens_;
  std::vector<std::vector<Vec2>> straight_;  // one an image, empty until it is asked for
  std::vector<PointPair> straight_pairs_;
  std::span<const ImagePair> pairs_;
  DeviceMatches found_;
  Buffer<PointPair> gathered_;
  Buffer<std::int64_t> table_;
  std::vector<std::size_t> kept_;
  std::vector<std::int64_t> offsets_, places_;
  std::vector<Intrinsics> cameras1_, cameras2_;
  std::vector<Match> matches_;
  std::vector<Estimate> estimates_;
  std::vector<std::uint8_t> inliers_;
};

// The second round of a piece: each pair has the matches of the round in which it has more inliers.
class SecondRound {
 public:
  explicit SecondRound(Verifier verifier) : verifier_(std::move(verifier)) {}

  VerifiedPairs improve(const VerifiedPairs& first) {
    pairs_.clear(), guides_.clear();
    for (std::size_t k = 0; k < first.pairs.size(); ++k) {
      if (first.estimates[k].outcome != Outcome::ok) continue;
      pairs_.push_back(first.pairs[k]);
      guides_.push_back(verifier_.guide_of(first.pairs[k], first.estimates[k]));
    }
    if (pairs_.empty()) return first;
    const VerifiedPairs second = verifier_.run(pairs_, guides_);
    offsets_.assign(1, 0), matches_.clear(), estimates_.clear(), inliers_.clear();
    std::size_t next = 0;
    for (std::size_t k = 0; k < first.pairs.size(); ++k) {
      const Estimate& one = first.estimates[k];
      const bool is_in_both = one.outcome == Outcome::ok;
      const bool is_better = is_in_both && second.estimates[next].outcome == Outcome::ok &&
                             second.estimates[next].inlier_count > one.inlier_count;
      if (is_better) {
        append(second, next);
      } else {
        append(first, k);
      }
      next += is_in_both ? 1 : 0;
    }
    return {first.pairs, offsets_, matches_, estimates_, inliers_};
  }

 private:
  void append(const VerifiedPairs& from, std::size_t k) {
    const auto begin = from.offsets[k], end = from.offsets[k + 1];
    matches_.insert(matches_.end(), from.matches.begin() + begin, from.matches.begin() + end);
    inliers_.insert(inliers_.end(), from.inliers.begin() + begin, from.inliers.begin() + end);
    estimates_.push_back(from.estimates[k]);
    offsets_.push_back(static_cast<std::int64_t>(matches_.size()));
  }

  Verifier verifier_;
  std::vector<ImagePair> pairs_;
  std::vector<MatchGuide> guides_;
  std::vector<std::int64_t> offsets_;
  std::vector<Match> matches_;
  std::vector<Estimate> estimates_;
  std::vector<std::uint8_t> inliers_;
};

}  // namespace

std::vector<ImagePair> all_pairs(int images) {
  std::vector<ImagePair> pairs;
  for (int i = 0; i < images; ++i) {
    for (int j = i + 1; j < images; ++j) pairs.push_back({i, j});
  }
  return pairs;
}

void verify_pairs(Queue& queue, const FeatureSet& set, std::span<const ImagePair> pairs,
                  std::span<const LensCamera> cameras, const VerifyOptions& options,
                  const std::function<void(const VerifiedPairs&)>& take) {
  check(set, cameras, options);
  std::vector<ImagePair> passed;
  if (options.screen) {
    const std::vector<int> matches = screen_pairs(queue, set, pairs, *options.screen);
    for (std::size_t k = 0; k < pairs.size(); ++k)
      if (matches[k] >= options.screen->min_matches) passed.push_back(pairs[k]);
    pairs = passed;
  }
  Verifier verifier(queue, set, cameras, options);
  SecondRound second(Verifier(queue, set, cameras, options));
  const auto piece = static_cast<std::size_t>(options.pairs_at_once);
  for (std::size_t first = 0; first < pairs.size(); first += piece) {
    const VerifiedPairs found =
        verifier.run(pairs.subspan(first, std::min(piece, pairs.size() - first)));
    take(options.guided ? second.improve(found) : found);
  }
}

}  // namespace bifocal
