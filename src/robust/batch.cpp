// SPDX-License-Identifier: BSD-3-Clause
// Robust estimation of many pairs in one call, on any device.
#include <fmt/format.h>

#include <algorithm>
#include <bifocal/error.hpp>
#include <bifocal/robust.hpp>

#include "robust/arguments.hpp"
#include "robust/ransac_device.hpp"
#include "runtime/memory_limit.hpp"
#include "runtime/parallel.hpp"

namespace bifocal {
namespace {

[[noreturn]] void refuse(const std::string& what) {
  throw Error(ErrorCode::usage, "estimate_batch: " + what);
}

// Joins the points of a batch with the rest of its input.
template <class Point>
struct AnyBatch {
  const Memory<const Point>& points;
  const BatchInput& input;

  [[nodiscard]] std::span<const std::int64_t> offsets() const { return input.offsets; }
  [[nodiscard]] std::span<const Intrinsics> cameras(int i) const {
    return i == 0 ? input.cameras1 : input.cameras2;
  }
};

template <class Point>
void check(const Queue& queue, const AnyBatch<Point>& batch, ModelKind kind) {
  const ProblemInfo problem = problem_info(kind);
  if (const auto expected = robust::points_name(kind); expected != robust::kPointsName<Point>)
    refuse(fmt::format("{} is estimated from {}", to_string(kind), expected));
  for (const std::string& why : {runtime::why_foreign(queue, "points", batch.points),
                                 runtime::why_foreign(queue, "weights", batch.input.weights),
                                 runtime::why_foreign(queue, "qualities", batch.input.qualities)})
    if (!why.empty()) refuse(why);
  const auto o = batch.offsets();
  if (o.empty() || o[0] < 0)
    refuse("offsets must begin with a number >= 0 and end with the points");
  for (std::size_t k = 0; k + 1 < o.size(); ++k) {
    if (o[k + 1] < o[k] || static_cast<std::size_t>(o[k + 1] - o[k]) > robust::kMostMatches)
      refuse(fmt::format("offsets[{}] = {} after {}: a pair must have 0 to {} matches", k + 1,
                         o[k + 1], o[k], robust::kMostMatches));
  }
  if (batch.points.size() > 0 && static_cast<std::size_t>(o.back()) > batch.points.size())
    refuse(
        fmt::format("offsets end at {}, but there are {} points", o.back(), batch.points.size()));
  if (batch.points.is_null() && o.back() > o.front()) refuse("points are null");
  for (const auto* priors : {&batch.input.weights, &batch.input.qualities}) {
    if (priors->size() > 0 && static_cast<std::size_t>(o.back()) > priors->size())
      refuse(fmt::format("offsets end at {}, but there are {} {}", o.back(), priors->size(),
                         priors == &batch.input.weights ? "weights" : "qualities"));
  }
  for (int i = 0; i < problem.cameras; ++i) {
    const std::string name = fmt::format("cameras{}", i + 1);
    const auto cameras = batch.cameras(i);
    if (cameras.size() != 1 && cameras.size() != o.size() - 1)
      refuse(fmt::format("{} {}, must be one or one per pair", cameras.size(), name));
    for (const Intrinsics& k : cameras) robust::check_camera(name.c_str(), k);
  }
}

// Returns the numbers of the pair's points [begin, end), which must be in host-readable memory;
// empty if none are given.
std::span<const double> numbers_of(const Memory<const double>& numbers, std::int64_t begin,
                                   std::int64_t end) {
  if (numbers.is_null()) return {};
  return {numbers.pointer() + begin, static_cast<std::size_t>(end - begin)};
}

template <class Point>
void check_weights(const AnyBatch<Point>& batch, bool on_cpu) {
  if (batch.input.weights.is_null() || (batch.input.weights.is_on_device() && !on_cpu)) return;
  const std::int64_t begin = batch.offsets().front();
  robust::check_weights("estimate_batch",
                        numbers_of(batch.input.weights, begin, batch.offsets().back()),
                        static_cast<std::size_t>(begin));
}

template <class Point>
std::vector<robust::Cameras> cameras_of(const AnyBatch<Point>& batch, int cameras) {
  std::vector<robust::Cameras> out(batch.offsets().size() - 1);
  for (std::size_t k = 0; k < out.size(); ++k) {
    Intrinsics own[2];
    for (int i = 0; i < cameras; ++i)
      own[i] = batch.cameras(i)[batch.cameras(i).size() == 1 ? 0 : k];
    if (cameras == 1) own[1] = own[0];
    out[k] = robust::cameras_of(own[0], own[1]);
  }
  return out;
}

template <class Point>
void ransac_on_cpu(ModelKind kind, const AnyBatch<Point>& batch,
                   std::span<const robust::Cameras> cameras, const RobustOptions& options,
                   std::span<robust::PairFound> found, std::uint8_t* inliers) {
  runtime::parallel_for(static_cast<int>(found.size()), [&](int i) {
    const auto k = static_cast<std::size_t>(i);
    const std::int64_t at = batch.offsets()[k], end = batch.offsets()[k + 1];
    const std::span points(batch.points.pointer() + at, static_cast<std::size_t>(end - at));
    const robust::GivenPair given = {
        robust::numbers_of(points),
        static_cast<int>(end - at),
        cameras[k],
        {numbers_of(batch.input.weights, at, end), numbers_of(batch.input.qualities, at, end)}};
    found[k] = robust::ransac_pair(kind, given, options, inliers + (at - batch.offsets().front()));
  });
}

template <class Point>
BatchEstimate estimate_any(Queue& queue, ModelKind kind, const AnyBatch<Point>& batch) {
  const RobustOptions& options = batch.input.options;
  robust::check_is_built("estimate_batch", kind);
  check_options(options);
  check(queue, batch, kind);
  const bool on_cpu = queue.device().info().kind == DeviceKind::cpu;
  check_weights(batch, on_cpu);
  const std::size_t pairs = batch.offsets().size() - 1;
  BatchEstimate out;
  out.pairs.resize(pairs);
  out.inliers.assign(static_cast<std::size_t>(batch.offsets().back() - batch.offsets().front()), 0);
  if (pairs == 0) return out;
  const std::vector<robust::Cameras> cameras = cameras_of(batch, problem_info(kind).cameras);
  std::vector<robust::PairFound> found(pairs);
  if (on_cpu) {
    ransac_on_cpu(kind, batch, cameras, options, found, out.inliers.data());
  } else {
    const bool on_device = batch.points.is_on_device();
    const std::span<const Point> host(on_device ? nullptr : batch.points.pointer(),
                                      on_device ? 0 : std::size_t(batch.offsets().back()));
    robust::ransac_on_device(
        queue,
        {kind, runtime::Argument(batch.points), robust::numbers_of(host), on_device,
         batch.input.weights, batch.input.qualities, batch.offsets(), cameras, options},
        found, out.inliers);
  }
  const std::int64_t begin = batch.offsets().front();
  runtime::parallel_for(static_cast<int>((pairs + 63) / 64), [&](int block) {
    for (std::size_t k = 64 * std::size_t(block); k < pairs && k < 64 * std::size_t(block + 1);
         ++k) {
      out.pairs[k] = robust::estimate_of(kind, found[k]);
      if (robust::has_model(out.pairs[k].outcome)) continue;
      const auto from = out.inliers.begin() + (batch.offsets()[k] - begin);
      std::fill(from, from + (batch.offsets()[k + 1] - batch.offsets()[k]), std::uint8_t{0});
    }
  });
  return out;
}

}  // namespace

BatchEstimate estimate_batch(Queue& queue, ModelKind kind, const Memory<const PointPair>& points,
                             const BatchInput& input) {
  return estimate_any<PointPair>(queue, kind, {points, input});
}

BatchEstimate estimate_batch(Queue& queue, ModelKind kind, const Memory<const ScenePoint>& points,
                             const BatchInput& input) {
  return estimate_any<ScenePoint>(queue, kind, {points, input});
}

BatchEstimate estimate_batch(Queue& queue, ModelKind kind, const Memory<const DepthPair>& points,
                             const BatchInput& input) {
  return estimate_any<DepthPair>(queue, kind, {points, input});
}

}  // namespace bifocal
