// SPDX-License-Identifier: BSD-3-Clause
// Estimates E, F and H for many pairs and applies COLMAP's rules to each pair.
#include "verify/decide.hpp"

#include <fmt/format.h>
#include <bifocal/error.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "runtime/memory_limit.hpp"
#include "runtime/parallel.hpp"
#include "verify/points.hpp"

namespace bifocal::colmap {

// Device memory that successive batches reuse: uploaded points, and copies of selected points.
struct DecideMemory {
  explicit DecideMemory(Queue& queue) : copies(queue), samples(queue) {}

  Buffer<PointPair> points, undistorted;  // uploaded
  verify::PointCopies copies, samples;
};

namespace {

[[noreturn]] void fail(const std::string& what) {
  throw Error(ErrorCode::usage, "decide: " + what);
}

void check(const Queue& queue, const DecideBatch& b, const TwoViewGeometryOptions& o) {
  check_options(o);
  if (b.offsets.empty() || b.offsets.front() < 0)
    fail("offsets must begin with a number >= 0 and end with the points");
  const std::size_t pairs = b.offsets.size() - 1;
  for (std::size_t k = 0; k < pairs; ++k)
    if (b.offsets[k + 1] < b.offsets[k])
      fail(fmt::format("offsets[{}] = {} after {}: must not be less", k + 1, b.offsets[k + 1],
                       b.offsets[k]));
  for (const auto& [name, points] :
       {std::pair("points", &b.points), {"undistorted", &b.undistorted}}) {
    if (const std::string why = runtime::why_foreign(queue, name, *points); !why.empty()) fail(why);
    if (points->size() > 0 && points->size() < static_cast<std::size_t>(b.offsets.back()))
      fail(fmt::format("offsets end at {}, but {} has {}", b.offsets.back(), name, points->size()));
  }
  if (b.points.is_null() && b.offsets.back() > b.offsets.front()) fail("points are null");
  if (b.cameras1.size() != pairs || b.cameras2.size() != pairs)
    fail(
        fmt::format("{} and {} cameras for {} pairs", b.cameras1.size(), b.cameras2.size(), pairs));
}

bool is_calibrated(const ViewCamera& a, const ViewCamera& b) {
  return a.has_prior_focal_length && b.has_prior_focal_length;
}
bool is_shared(const ViewCamera& a, const ViewCamera& b) {
  return a.shared_pinhole >= 0 && a.shared_pinhole == b.shared_pinhole &&
         !a.has_prior_focal_length && !b.has_prior_focal_length;
}
// Returns whether a camera is a fisheye without a focal length. Its points cannot be undistorted,
// so no pinhole model fits them.
bool is_uncalibrated_fisheye(const ViewCamera& a, const ViewCamera& b) {
  return (a.is_fisheye && !a.has_prior_focal_length) || (b.is_fisheye && !b.has_prior_focal_length);
}

// Classes of inlier fractions below which a model of a pair would be discarded. The larger this
// fraction, the fewer samples decide whether such a model exists. The fractions are rounded down to
// a few classes, so that all pairs form few batches.
constexpr double kFractions[] = {0, 0.2, 0.27, 0.35, 0.45, 0.55, 0.65, 0.8};
int class_of(double fraction, const TwoViewGeometryOptions& o) {
  int found = 0;
  for (int i = 1; i < static_cast<int>(std::size(kFractions)); ++i)
    if (kFractions[i] <= fraction && kFractions[i] >= o.min_inlier_ratio) found = i;
  return found;
}

// Returns three times the number of samples that contains one outlier-free sample at this inlier
// fraction with the given confidence. The factor is COLMAP's dyn_num_trials_multiplier.
int most_samples(double fraction, int sample_size, const TwoViewGeometryOptions& o) {
  const double clean = std::pow(fraction, sample_size);
  const double needed = 3 * std::log(1 - o.confidence) / std::log1p(-clean);
  return needed < o.max_iterations ? std::max(1, static_cast<int>(std::ceil(needed)))
                                   : o.max_iterations;
}

// Pairs whose models are estimated, sorted by class, and the offsets of their points in
// the same order.
struct Order {
  struct Part {
    int fraction;  // index into kFractions
    std::size_t first, end;
  };
  std::vector<std::size_t> pairs;
  std::vector<std::int64_t> offsets = {0};
  std::vector<Part> parts;
};

class Decider {
 public:
  Decider(Queue& queue, DecideMemory& memory, const DecideBatch& batch,
          const TwoViewGeometryOptions& options, int min_matches)
      : queue_(queue),
        memory_(memory),
        batch_(batch),
        options_(options),
        count_(batch.offsets.size() - 1),
        least_(std::max(options.min_inliers, min_matches)),
        points_(on_device(batch.points, memory.points)),
        undistorted_(on_device(batch.undistorted, memory.undistorted)) {}

  DecidedPairs run() {
    const auto has_pinhole_points = [&](std::size_t k) {
      return !is_uncalibrated_fisheye(batch_.cameras1[k], batch_.cameras2[k]);
    };
    const auto least = [&](std::size_t k) {
      return options_.min_inliers / static_cast<double>(size(k));
    };
    const auto known = [&](std::size_t k) {
      return is_calibrated(batch_.cameras1[k], batch_.cameras2[k]);
    };
    E_ = estimate(ModelKind::essential, ordered(known, least));
    F_ = estimate(ModelKind::fundamental, ordered(has_pinhole_points, least));
    // A shared focal length is accepted only with nearly as many inliers as F.
    const auto shared = [&](std::size_t k) {
      return is_shared(batch_.cameras1[k], batch_.cameras2[k]) &&
             F_.count(k) >= options_.min_inliers;
    };
    const auto nearly = [&](std::size_t k) {
      return options_.min_E_F_inlier_ratio * F_.count(k) / static_cast<double>(size(k));
    };
    shared_ = estimate(ModelKind::shared_focal, ordered(shared, nearly));
    // A homography is accepted only with nearly as many inliers as E or F.
    const auto plane_ratio = [&](std::size_t k) {
      const int e = E_.count(k), f = F_.count(k);
      const int other_count = e > 0 && f > 0 ? std::min(e, f) : std::max(e, f);
      return std::max(least(k),
                      options_.max_H_inlier_ratio * other_count / static_cast<double>(size(k)));
    };
    const std::vector<std::uint8_t> has_no_plane = without_plane();
    const auto planes = [&](std::size_t k) { return has_pinhole_points(k) && !has_no_plane[k]; };
    H_ = estimate(ModelKind::homography, ordered(planes, plane_ratio));
    return combined();
  }

 private:
  // Models of all pairs. Pairs that were not estimated have no valid model.
  struct Models {
    std::vector<Estimate> of_pair;
    std::vector<std::uint8_t> inliers;  // in the order of the batch's points

    [[nodiscard]] int count(std::size_t k) const { return FoundModel{of_pair[k], {}}.count(); }
  };

  [[nodiscard]] std::int64_t size(std::size_t k) const {
    return batch_.offsets[k + 1] - batch_.offsets[k];
  }
  [[nodiscard]] std::size_t matches() const {
    return static_cast<std::size_t>(batch_.offsets.back());
  }
  // Uploads points in host memory if the queue's device has its own memory.
  Memory<const PointPair> on_device(const Memory<const PointPair>& points, Buffer<PointPair>& own) {
    if (points.is_null() || points.is_on_device() || verify::is_cpu(queue_)) return points;
    verify::make_capacity(queue_.device(), own, matches());
    own.upload(queue_, {points.pointer(), matches()});
    return own;
  }

  // Sorts the wanted pairs by class. fraction(k): fraction of pair k's matches below which a model
  // would be discarded.
  template <class Wanted, class Fraction>
  Order ordered(const Wanted& wanted, const Fraction& fraction) const {
    std::vector<std::size_t> of_class[std::size(kFractions)];
    for (std::size_t k = 0; k < count_; ++k)
      if (size(k) >= least_ && wanted(k)) of_class[class_of(fraction(k), options_)].push_back(k);
    Order order;
    for (int c = 0; c < static_cast<int>(std::size(kFractions)); ++c) {
      const std::size_t first = order.pairs.size();
      for (const std::size_t k : of_class[c]) {
        order.pairs.push_back(k);
        order.offsets.push_back(order.offsets.back() + size(k));
      }
      if (order.pairs.size() > first) order.parts.push_back({c, first, order.pairs.size()});
    }
    return order;
  }

  static constexpr int kSample = 256;  // inliers of a pair
  // Returns 1 for pairs whose homography cannot reach max_H_inlier_ratio: the best homography for
  // a sample of their inliers explains less than three quarters of this ratio. Most pairs of
  // scenes with depth are such pairs, and a homography from all their matches would take as long
  // as E and F together.
  std::vector<std::uint8_t> without_plane() {
    std::vector<std::uint8_t> out(count_);
    std::vector<std::size_t> pairs;
    std::vector<std::int64_t> offsets = {0};
    for (std::size_t k = 0; k < count_; ++k) {
      if (std::max(E_.count(k), F_.count(k)) < 2 * kSample) continue;
      pairs.push_back(k);
      offsets.push_back(offsets.back() + kSample);
    }
    if (pairs.empty()) return out;
    std::vector<std::int64_t> rows(static_cast<std::size_t>(offsets.back()));
    runtime::parallel_each(pairs.size(), [&](std::size_t i) {
      sample_inliers(pairs[i], std::span(rows).subspan(std::size_t(kSample) * i, kSample));
    });
    const double fraction = 0.75 * options_.max_H_inlier_ratio;
    RobustOptions robust = robust_options(ModelKind::homography, 0);
    robust.max_iterations = most_samples(std::max(fraction, 0.1), 4, options_);
    robust.min_iterations = std::min(robust.min_iterations, robust.max_iterations);
    robust.min_inlier_ratio = fraction;
    const BatchEstimate found =
        estimate_batch(queue_, ModelKind::homography, memory_.samples.of_rows(points_, rows),
                       {.offsets = offsets, .options = robust});
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      const FoundModel model{found.pairs[i], {}};
      out[pairs[i]] = model.count() < fraction * static_cast<double>(offsets[i + 1] - offsets[i]);
    }
    return out;
  }

  // Writes the indices of kSample evenly spaced inliers of E or F, whichever has more. The flags
  // are counted again, because errors at the threshold may be rounded to another side for the count
  // of the estimate.
  void sample_inliers(std::size_t k, std::span<std::int64_t> rows) const {
    const auto& all = (E_.count(k) >= F_.count(k) ? E_ : F_).inliers;
    const auto at = static_cast<std::size_t>(batch_.offsets[k]);
    const auto mask = std::span(all).subspan(at, static_cast<std::size_t>(size(k)));
    const auto inliers = static_cast<std::int64_t>(std::ranges::count(mask, std::uint8_t{1}));
    std::int64_t seen = 0;
    auto row = rows.begin();
    for (std::size_t i = 0; i < mask.size() && row != rows.end(); ++i) {
      if (mask[i] == 0 || ++seen * kSample < (row - rows.begin() + 1) * inliers) continue;
      *row++ = static_cast<std::int64_t>(at + i);
    }
  }

  [[nodiscard]] RobustOptions robust_options(ModelKind kind, int fraction) const {
    RobustOptions robust;
    // For a homography, Bifocal's error is the transfer error divided by sqrt 2; COLMAP's is the
    // full transfer error.
    robust.threshold = kind == ModelKind::homography ? options_.threshold / std::numbers::sqrt2
                                                     : options_.threshold;
    robust.confidence = options_.confidence;
    robust.max_iterations = options_.max_iterations;
    robust.min_inlier_ratio = options_.min_inlier_ratio;
    if (fraction > 0) {
      robust.max_iterations =
          most_samples(kFractions[fraction], problem_info(kind).sample_size, options_);
      // Lower fractions are left to the batch's own rule, which raises the fraction
      // for few matches.
      if (kFractions[fraction] > 0.3) robust.min_inlier_ratio = kFractions[fraction];
    }
    robust.min_iterations = std::min(options_.min_iterations, robust.max_iterations);
    robust.seed = options_.seed;
    robust.belief = options_.belief;
    return robust;
  }

  Models estimate(ModelKind kind, const Order& order) {
    Models out{std::vector<Estimate>(count_), std::vector<std::uint8_t>(matches())};
    if (order.pairs.empty()) return out;
    const bool has_rays = kind == ModelKind::essential && !undistorted_.is_null();
    const Memory<const PointPair> points = in_order(has_rays, order);
    std::vector<Intrinsics> cameras1, cameras2;
    const int cameras = problem_info(kind).cameras;
    for (const std::size_t k : order.pairs) {
      if (cameras > 0) cameras1.push_back(batch_.cameras1[k].pinhole);
      if (cameras > 1) cameras2.push_back(batch_.cameras2[k].pinhole);
    }
    for (const auto [fraction, first, end] : order.parts) {
      const auto part = [first = first, end = end](const std::vector<Intrinsics>& all) {
        return all.empty() ? std::span<const Intrinsics>()
                           : std::span(all).subspan(first, end - first);
      };
      const BatchEstimate found =
          estimate_batch(queue_, kind, points,
                         {.offsets = std::span(order.offsets).subspan(first, end - first + 1),
                          .cameras1 = part(cameras1),
                          .cameras2 = part(cameras2),
                          .options = robust_options(kind, fraction)});
      for (std::size_t i = first; i < end; ++i) {
        const std::size_t k = order.pairs[i];
        out.of_pair[k] = found.pairs[i - first];
        const std::int64_t at = order.offsets[i] - order.offsets[first];
        std::copy_n(found.inliers.begin() + at, order.offsets[i + 1] - order.offsets[i],
                    out.inliers.begin() + batch_.offsets[k]);
      }
    }
    return out;
  }

  // Returns the points of the pairs in this order. E, F and H of calibrated pairs without lens
  // distortion share one copy.
  Memory<const PointPair> in_order(bool of_undistorted, const Order& order) {
    if (of_undistorted != copy_is_undistorted_ || order.pairs != copied_pairs_) {
      copy_is_undistorted_ = of_undistorted;
      copied_pairs_ = order.pairs;
      begins_.clear();
      for (const std::size_t k : order.pairs) begins_.push_back(batch_.offsets[k]);
      copy_ =
          memory_.copies.of_pairs(of_undistorted ? undistorted_ : points_, begins_, order.offsets);
    }
    return copy_;
  }

  DecidedPairs combined() {
    DecidedPairs out{std::vector<DecidedPair>(count_), std::vector<std::uint8_t>(matches())};
    const HostPoints points(queue_, points_, matches());
    const HostPoints undistorted(queue_, undistorted_.is_null() ? points_ : undistorted_,
                                 matches());
    const std::vector<std::uint8_t> at_border = border_flags();
    queue_.wait();  // for uploads of points that no kernel has read yet
    const auto combine = [&](std::size_t k) {
      const auto at = static_cast<std::size_t>(batch_.offsets[k]),
                 size = static_cast<std::size_t>(batch_.offsets[k + 1]) - at;
      const auto model = [&](const Models& m) {
        return FoundModel{m.of_pair[k], std::span(m.inliers).subspan(at, size)};
      };
      const auto flags = at_border.empty() ? std::span<const std::uint8_t>()
                                           : std::span(at_border).subspan(at, size);
      out.pairs[k] =
          decide_pair({at, &points, &undistorted, flags, &batch_.cameras1[k], &batch_.cameras2[k],
                       model(E_), model(F_), model(H_), model(shared_)},
                      options_, std::span(out.inliers).subspan(at, size));
    };
    runtime::parallel_each(count_, combine, verify::kPairsAtOnce);
    return out;
  }

  // Returns flags for matches at the borders of both images; empty unless watermarks are
  // to be detected.
  std::vector<std::uint8_t> border_flags() {
    if (!options_.detect_watermark) return {};
    std::vector<verify::inner_area> inner1, inner2;
    for (std::size_t k = 0; k < count_; ++k) {
      inner1.push_back(inner_area_of(batch_.cameras1[k], options_.watermark_border_size));
      inner2.push_back(inner_area_of(batch_.cameras2[k], options_.watermark_border_size));
    }
    return verify::border_flags(queue_, points_, batch_.offsets, inner1, inner2);
  }

  Queue& queue_;
  DecideMemory& memory_;
  const DecideBatch& batch_;
  const TwoViewGeometryOptions& options_;
  const std::size_t count_;
  const int least_;  // smallest number of matches for an estimation
  const Memory<const PointPair> points_, undistorted_;
  Memory<const PointPair> copy_;
  bool copy_is_undistorted_ = false;
  std::vector<std::size_t> copied_pairs_;
  std::vector<std::int64_t> begins_;  // first point of each pair in the batch
  Models E_, F_, H_, shared_;
};

}  // namespace

std::span<const PointPair> HostPoints::get() const {
  if (points_.is_null()) return {};
  if (!points_.is_on_device() || verify::is_cpu(queue_)) return {points_.pointer(), size_};
  std::call_once(once_, [this] {
    downloaded_.resize(size_);
    verify::download_points(queue_, points_, downloaded_);
  });
  return downloaded_;
}

BatchDecider::BatchDecider(Queue& queue)
    : queue_(queue), memory_(std::make_unique<DecideMemory>(queue)) {}
BatchDecider::~BatchDecider() = default;
BatchDecider::BatchDecider(BatchDecider&&) noexcept = default;

DecidedPairs BatchDecider::decide(const DecideBatch& batch, const TwoViewGeometryOptions& options,
                                  int min_matches) {
  check(queue_, batch, options);
  return Decider(queue_, *memory_, batch, options, min_matches).run();
}

DecidedPairs decide(Queue& queue, const DecideBatch& batch, const TwoViewGeometryOptions& options) {
  return BatchDecider(queue).decide(batch, options);
}

}  // namespace bifocal::colmap
