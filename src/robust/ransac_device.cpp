// SPDX-License-Identifier: BSD-3-Clause
#include "robust/ransac_device.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bifocal/error.hpp>

#include "robust/ransac_piece.hpp"
#include "runtime/backend.hpp"
#include "runtime/staging_slots.hpp"
#include "runtime/workspace.hpp"

namespace bifocal::robust {
namespace {

// Upper limits: pairs of a piece with points in device memory or in host memory, hypotheses of a
// launch and numbers of their models, points of a piece.
constexpr std::size_t kPiecePairs = 4096, kHostPiecePairs = 2048, kPlaces = 1 << 22,
                      kModelNumbers = 100'000'000;
constexpr std::int64_t kPiecePoints = 1 << 23;

// RANSAC on the pairs of a piece.
class Piece : PieceMemory {
 public:
  using PieceMemory::PieceMemory;

  void run() {
    prepare();
    pair_work begun{};
    begun.plan = first_round();
    host_work_.assign(pairs_, begun);
    std::vector<int> active(pairs_);
    std::iota(active.begin(), active.end(), 0);
    if (std::ranges::any_of(active, [this](int pair) { return has_few_points(pair); })) {
      read_work();  // the number of finite points of each pair
      std::ranges::stable_sort(active, {}, [this](int pair) { return class_of(pair); });
    }
    const RansacLimits limits = limits_of(batch_.options);
    while (!active.empty()) {
      run_round(active, limits);
      read_work();
      std::erase_if(active, [&](int pair) { return work_of(pair).plan == 0; });
    }
    if (batch_.options.dominant_plane && steps_.dominant_plane) {
      kernels_.pair.ransac_planes(queue_, {.count = int(pairs_)},
                                  {.all = all(points_),
                                   .seed0 = seed(0),
                                   .seed1 = seed(32),
                                   .log_failure = limits.log_failure,
                                   .weights = weights_});
    }
  }

  void finish(std::span<PairFound> found, std::span<std::uint8_t> inliers) {
    for (const PairRange& range : ranges())
      range.kernels.ransac_finish(queue_, {.count = range.count},
                                  {.from = range.from,
                                   .all = all(points_),
                                   .given = given(),
                                   .cameras = cameras_,
                                   .order = order_,
                                   .float_points = float_points_,
                                   .errors = weights_,
                                   .results = results_,
                                   .tables = tables_,
                                   .inliers = inliers_});
    std::vector<ransac_result> results(pairs_);
    std::vector<pair_info> info(pairs_);
    results_.download(queue_, results);
    info_.download(queue_, info);
    const auto before = static_cast<std::size_t>(batch_.offsets.front());
    inliers_.download(queue_, inliers.subspan(offset(0) - before, offset(pairs_) - offset(0)));
    read_work();
    for (std::size_t k = 0; k < pairs_; ++k) {
      PairFound& f = found[begin_ + k];
      f.work = host_work_[k];
      if (f.work.count < steps_.sample_size) continue;
      f.result = results[k];
      f.info = info[k];
    }
  }

 private:
  void prepare() {
    const GivenNumbers weights = numbers_on_device(batch_.weights, given_weights_);
    const GivenNumbers qualities = numbers_on_device(batch_.qualities, given_qualities_);
    for (const PairRange& range : ranges())
      range.kernels.ransac_prepare(
          queue_, {.count = range.count},
          {.from = range.from,
           .all = all(points_),
           .given = given(),
           .cameras = cameras_,
           .is_given = given_priors(),
           .given_weights = weights.numbers,
           .weights_from = weights.from,
           .given_qualities = qualities.numbers,
           .qualities_from = qualities.from,
           .threshold = batch_.options.threshold,
           .seed0 = seed(0),
           .seed1 = seed(32),
           .first_round = first_round(),
           .log10_alarms = log10_alarms_of(steps_.log10_false_alarms, batch_.options),
           .kept = kept_,
           .order = order_,
           .float_points = float_points_,
           .float_weights = float_weights_,
           .ranking = ranking_,
           .tables = tables_,
           .inliers = inliers_});
  }

  // Runs one round of all active pairs. They are sorted by class, and must stay alive until the
  // queue is waited for.
  void run_round(const std::vector<int>& active, const RansacLimits& limits) {
    active_.upload(queue_, active);
    for (auto begin = active.begin(); begin != active.end();) {
      const PairClass own = class_of(*begin);
      const auto end = std::find_if(begin, active.end(), [&](int k) { return class_of(k) != own; });
      run_class(own, active, begin - active.begin(), end - active.begin(), limits);
      begin = end;
    }
  }

  // Runs active[begin, end) in parts whose models fit into memory.
  void run_class(PairClass pair_class, std::span<const int> active, std::size_t begin,
                 std::size_t end, const RansacLimits& limits) {
    int most = 1;
    for (const int pair : active.subspan(begin, end - begin))
      most = std::max(most, work_of(pair).plan);
    const int round = (most + 63) / 64 * 64;
    const auto numbers = static_cast<std::size_t>(steps_.slots * steps_.model_size);
    const std::size_t places = std::min(kPlaces, kModelNumbers / numbers),
                      together = std::max<std::size_t>(1, places / static_cast<std::size_t>(round));
    for (std::size_t first = begin; first < end; first += together)
      run_part(first, static_cast<int>(std::min(together, end - first)), round, limits, pair_class);
  }

  static constexpr int kFewStride = column_stride(int(kFewPoints));

  // Arguments that describe the pairs, with points of either precision.
  template <class Real>
  [[nodiscard]] kernels::ransac_pairs<Real> all(const Buffer<Real>& points) const {
    return {.pairs = pair_table_,
            .work = work_,
            .info = info_,
            .state = state_,
            .points = points,
            .priors = priors_};
  }

  // Memory for the models of a part: `places` models, `round` for each of its `some` pairs from
  // active[from] on. `candidates` models of each pair are refined at once.
  struct Part {
    int some, round, from, places, candidates;
    Buffer<float> models, scores;
    Buffer<int> counts, slots, ranked;
    Buffer<refined_model> considered;
    Buffer<double> weights;
  };

  template <class Real>
  [[nodiscard]] kernels::sample_round<Real> samples_of(const Part& part) const {
    return {.active = active_,
            .from = part.from,
            .round = part.round,
            .places = part.places,
            .models = part.models,
            .counts = part.counts,
            .scores = part.scores,
            .slots = part.slots};
  }

  Part part_of(runtime::Workspace& workspace, std::size_t first, int some, int round,
               PairClass pair_class) {
    const int candidates = candidates_at_once(pair_class);
    const auto places = std::size_t(some) * std::size_t(round);
    // Without candidates, the kernels do not read this memory, but the arguments must not be empty.
    const auto together = std::max<std::size_t>(1, std::size_t(some) * std::size_t(candidates));
    return {.some = some,
            .round = round,
            .from = static_cast<int>(first),
            .places = some * round,
            .candidates = candidates,
            .models = workspace.take<float>(places * std::size_t(steps_.slots * steps_.model_size)),
            .scores = workspace.take<float>(places),
            .counts = workspace.take<int>(places),
            .slots = workspace.take<int>(places),
            .ranked = workspace.take<int>(together),
            .considered = workspace.take<refined_model>(together),
            .weights = workspace.take<double>(together * std::size_t(kFewStride))};
  }

  void run_part(std::size_t first, int some, int round, const RansacLimits& limits,
                PairClass pair_class) {
    runtime::Workspace workspace(queue_);
    const Part part = part_of(workspace, first, some, round, pair_class);
    const auto samples = samples_of<float>(part);
    kernels_.solve.ransac_solve(queue_, {.count = part.places},
                                {.all = all(float_points_),
                                 .samples = samples,
                                 .ranking = ranking_,
                                 .seed0 = seed(0),
                                 .seed1 = seed(32)});
    if (pair_class == kManyPoints) {
      kernels_.score.ransac_score(
          queue_, {.count = part.places},
          {.all = all(float_points_), .samples = samples, .float_weights = float_weights_});
    } else {
      kernels_.solve.ransac_score_few(
          queue_, {.count = part.places},
          {.all = all(float_points_), .samples = samples, .float_weights = float_weights_});
    }
    decide(part, limits, pair_class);
  }

  // Refines the best models of a round, one thread per model, and keeps the best.
  void decide(const Part& part, const RansacLimits& limits, PairClass pair_class) {
    const auto samples = samples_of<double>(part);
    const kernels::round_candidates<double> best = {
        .candidates = part.candidates, .ranked = part.ranked, .considered = part.considered};
    if (part.candidates > 0) {
      kernels_.few.ransac_rank(queue_, {.count = part.some},
                               {.all = all(points_), .samples = samples, .best = best});
      kernels_.few.ransac_consider(queue_, {.count = part.some * part.candidates},
                                   {.all = all(points_),
                                    .samples = samples,
                                    .best = best,
                                    .most_stride = kFewStride,
                                    .weights = part.weights});
    }
    const auto& kernels = pair_class == kManyPoints ? kernels_.pair : kernels_.few;
    kernels.ransac_decide(queue_, {.count = part.some},
                          {.all = all(points_),
                           .samples = samples,
                           .best = best,
                           .min_iterations = limits.min_iterations,
                           .max_iterations = limits.max_iterations,
                           .log_failure = limits.log_failure,
                           .min_inlier_ratio = limits.min_inlier_ratio,
                           .weights = weights_});
  }

  // Number of candidates of a round that are refined at once, one thread each.
  [[nodiscard]] int candidates_at_once(PairClass pair_class) const {
    if (queue_.device().info().kind != DeviceKind::cuda || pair_class == kManyPoints) return 0;
    return pair_class == kMostCandidates ? MOST_CANDIDATES : CANDIDATES;
  }
};

// Returns the first pair of each piece of a batch, and then the number of pairs.
std::vector<std::size_t> pieces_of(std::span<const std::int64_t> offsets, std::size_t most) {
  std::vector<std::size_t> begins = {0};
  std::int64_t columns = 0;
  for (std::size_t k = 0; k + 1 < offsets.size(); ++k) {
    columns += column_stride(static_cast<int>(offsets[k + 1] - offsets[k]));
    if (k > begins.back() && (columns > kPiecePoints || k - begins.back() >= most)) {
      begins.push_back(k);
      columns = column_stride(static_cast<int>(offsets[k + 1] - offsets[k]));
    }
  }
  begins.push_back(offsets.size() - 1);
  return begins;
}

}  // namespace

void ransac_on_device(Queue& queue, const DeviceBatch& batch, std::span<PairFound> found,
                      std::span<std::uint8_t> inliers) {
  const DeviceInfo& device = queue.device().info();
  if (!device.has_double)
    throw Error(ErrorCode::device, fmt::format("estimate_batch: {} ({}) does not compute in double",
                                               device.id, device.name));
  const bool on_host = !batch.on_device;
  // Copying the points takes longer than RANSAC for this problem, so more and smaller pieces
  // are used.
  const bool is_copy_limited = on_host && ransac_steps(batch.problem).is_copy_limited;
  const std::vector<std::size_t> begins =
      pieces_of(batch.offsets, is_copy_limited ? kHostPiecePairs / 2
                               : on_host       ? kHostPiecePairs
                                               : kPiecePairs);
  const std::size_t pieces = begins.size() - 1;
  const auto run = [&](Queue& q, std::size_t k, char* staged) {
    Piece piece(q, batch, begins[k], begins[k + 1], staged);
    piece.run();
    piece.finish(found, inliers);
  };
  if (pieces == 1) return run(queue, 0, nullptr);
  // Several pieces are in progress at once, so that copies of one overlap the
  // computation of another.
  runtime::for_each_on_slots(
      queue, pieces, is_copy_limited ? 3 : 2, [&](runtime::StagingSlot& slot, std::size_t k) {
        const auto points =
            static_cast<std::size_t>(batch.offsets[begins[k + 1]] - batch.offsets[begins[k]]);
        if (on_host)
          slot.reserve(points * std::size_t(ransac_steps(batch.problem).columns) * sizeof(double));
        run(slot.queue, k, on_host ? slot.memory->data() : nullptr);
      });
}

}  // namespace bifocal::robust
