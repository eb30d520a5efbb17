// SPDX-License-Identifier: BSD-3-Clause
// Many pairs in one call, on any device.
#include <fmt/format.h>

#include <algorithm>
#include <bifocal/error.hpp>
#include <bifocal/robust.hpp>

#include "robust/engine_device.hpp"
#include "robust/result.hpp"
#include "runtime/memory_check.hpp"
#include "runtime/parallel.hpp"

namespace bifocal {
namespace {

using robust::Lanes;

[[noreturn]] void refuse(const std::string& what) {
  throw Error(ErrorCode::usage, "estimate_batch: " + what);
}

robust::Problem problem_of(ModelKind kind) {
  if (kind == ModelKind::homography) return robust::Problem::homography;
  return kind == ModelKind::fundamental ? robust::Problem::fundamental : robust::Problem::essential;
}

void check(const Queue& queue, const PairBatch& batch, ModelKind kind) {
  for (const std::string& why : {runtime::why_foreign(queue, "points", batch.points),
                                 runtime::why_foreign(queue, "weights", batch.weights),
                                 runtime::why_foreign(queue, "qualities", batch.qualities)})
    if (!why.empty()) refuse(why);
  const auto& o = batch.offsets;
  if (o.empty() || o[0] < 0)
    refuse("offsets must begin with a number >= 0 and end with the points");
  for (std::size_t k = 0; k + 1 < o.size(); ++k) {
    if (o[k + 1] < o[k] || o[k + 1] - o[k] > (1 << 28))
      refuse(fmt::format("offsets[{}] = {} after {}: must not be less, or 2^28 more", k + 1,
                         o[k + 1], o[k]));
  }
  if (batch.points.size() > 0 && static_cast<std::size_t>(o.back()) > batch.points.size())
    refuse(
        fmt::format("offsets end at {}, but there are {} points", o.back(), batch.points.size()));
  if (batch.points.is_null() && o.back() > o.front()) refuse("points are null");
  for (const auto* priors : {&batch.weights, &batch.qualities}) {
    if (priors->size() > 0 && static_cast<std::size_t>(o.back()) > priors->size())
      refuse(fmt::format("offsets end at {}, but there are {} {}", o.back(), priors->size(),
                         priors == &batch.weights ? "weights" : "qualities"));
  }
  if (kind != ModelKind::essential) return;
  for (const auto* cameras : {&batch.cameras1, &batch.cameras2}) {
    const char* name = cameras == &batch.cameras1 ? "cameras1" : "cameras2";
    if (cameras->size() != 1 && cameras->size() != o.size() - 1)
      refuse(fmt::format("{} {}, must be one or one a pair", cameras->size(), name));
    for (const Intrinsics& k : *cameras) robust::check_camera(name, k);
  }
}

// Those of one pair, where this machine can read them.
std::span<const double> numbers_of(const Memory<const double>& numbers, std::int64_t begin,
                                   std::int64_t end) {
  if (numbers.is_null()) return {};
  return {numbers.pointer() + begin, static_cast<std::size_t>(end - begin)};
}

void check_weights(const PairBatch& batch, bool on_cpu) {
  if (batch.weights.is_null() || (batch.weights.is_on_device() && !on_cpu)) return;
  const std::int64_t begin = batch.offsets.front();
  robust::check_weights("estimate_batch", numbers_of(batch.weights, begin, batch.offsets.back()),
                        static_cast<std::size_t>(begin));
}

std::vector<Intrinsics> one_each(std::span<const Intrinsics> cameras, std::size_t pairs) {
  if (cameras.size() == pairs) return {cameras.begin(), cameras.end()};
  return std::vector<Intrinsics>(pairs, cameras[0]);
}

PairEstimate estimate_of(ModelKind kind, const robust::PairFound& f) {
  PairEstimate e;
  const robust::Problem problem = problem_of(kind);
  if (f.count < robust::engine_steps(problem).sample_size) {
    e.outcome = Outcome::too_few_points;
    return e;
  }
  e.iterations = static_cast<int>(f.result[Lanes::RESULT_TRIALS]);
  e.outcome = robust::judge(
      problem, f.result, f.info, f.count, [&] { return f.evidence; }, e.significance);
  if (e.outcome != Outcome::ok) return e;
  robust::fill_numbers(f.result, f.info[Lanes::INFO_LENGTH], e);
  const double* model = f.result.data() + Lanes::RESULT_MODEL;
  if (kind == ModelKind::homography) {
    e.model = robust::homography_in_pixels(f.info.data(), model);
  } else if (kind == ModelKind::fundamental) {
    e.model = robust::fundamental_in_pixels(f.info.data(), model);
  } else {
    e.model = robust::essential_of(f.info.data(), model);
    std::copy_n(f.result.data() + Lanes::RESULT_POSE, 9, e.cam2_from_cam1.R.begin());
    std::copy_n(f.result.data() + Lanes::RESULT_POSE + 9, 3, e.cam2_from_cam1.t.begin());
  }
  return e;
}

// One pair on this machine.
robust::PairFound search_pair(ModelKind kind, std::span<const PointPair> points,
                              const robust::CameraPair* cameras, const RobustOptions& options,
                              const MatchPriors& priors, std::uint8_t* inliers) {
  thread_local robust::PairPoints pair;  // kept from pair to pair
  thread_local std::vector<double> errors;
  robust::PairFound found;
  const robust::Problem problem = problem_of(kind);
  robust::set_two_view_points(problem, points, options, cameras, pair, priors);
  found.count = pair.count();
  found.info = pair.info;
  if (found.count < robust::engine_steps(problem).sample_size) return found;
  robust::search(problem, pair, options, errors, found.result);
  if (found.result[Lanes::RESULT_OUTCOME] < 2) return found;
  found.evidence = robust::evidence_of(problem, pair, errors);
  robust::mark_inliers(pair, errors, inliers);
  return found;
}

}  // namespace

BatchEstimate estimate_batch(Queue& queue, ModelKind kind, const PairBatch& batch,
                             const RobustOptions& options) {
  robust::check_options(options);
  check(queue, batch, kind);
  const bool on_cpu = queue.device().info().kind == DeviceKind::cpu;
  check_weights(batch, on_cpu);
  const std::size_t pairs = batch.offsets.size() - 1;
  BatchEstimate out;
  out.pairs.resize(pairs);
  out.inliers.assign(static_cast<std::size_t>(batch.offsets.back() - batch.offsets.front()), 0);
  if (pairs == 0) return out;
  std::vector<Intrinsics> first, second;
  if (kind == ModelKind::essential) {
    first = one_each(batch.cameras1, pairs);
    second = one_each(batch.cameras2, pairs);
  }
  std::vector<robust::PairFound> found(pairs);
  const std::int64_t begin = batch.offsets.front();
  if (on_cpu) {
    runtime::parallel_for(static_cast<int>(pairs), [&](int i) {
      const auto k = static_cast<std::size_t>(i);
      const std::int64_t at = batch.offsets[k], end = batch.offsets[k + 1];
      robust::CameraPair cameras;
      if (!first.empty()) cameras = {first[k], second[k]};
      found[k] =
          search_pair(kind, {batch.points.pointer() + at, static_cast<std::size_t>(end - at)},
                      first.empty() ? nullptr : &cameras, options,
                      {numbers_of(batch.weights, at, end), numbers_of(batch.qualities, at, end)},
                      out.inliers.data() + (at - begin));
    });
  } else {
    search_on_device(queue,
                     {problem_of(kind), batch.points, batch.weights, batch.qualities, batch.offsets,
                      first, second, options},
                     found, out.inliers);
  }
  runtime::parallel_for(static_cast<int>((pairs + 63) / 64), [&](int block) {
    for (std::size_t k = 64 * std::size_t(block); k < pairs && k < 64 * std::size_t(block + 1);
         ++k) {
      out.pairs[k] = estimate_of(kind, found[k]);
      if (out.pairs[k].outcome == Outcome::ok) continue;
      const auto from = out.inliers.begin() + (batch.offsets[k] - begin);
      std::fill(from, from + (batch.offsets[k + 1] - batch.offsets[k]), std::uint8_t{0});
    }
  });
  return out;
}

}  // namespace bifocal
