// SPDX-License-Identifier: BSD-3-Clause
// Robust estimation of one pair and of batches.
#include <bifocal/reasons.hpp>

#include <algorithm>
#include <utility>

#include "arrays.hpp"
#include "handles.hpp"

using namespace bifocal;
using namespace bifocal::c;

struct bf_estimates {
  ModelKind kind = ModelKind::homography;
  std::string reason = {};  // of the kind; empty: it was given
  std::vector<Estimate> pairs = {};
  std::vector<std::int64_t> offsets = {};
  std::vector<std::uint8_t> inliers = {};
};

namespace {

ModelKind kind_of(std::string_view word) {
  const auto* const found = std::ranges::find(kModelKindWords, word);
  if (found == std::end(kModelKindWords))
    throw usage("kind = {}: must be auto or one of {}", word, fmt::join(kModelKindWords, ", "));
  return static_cast<ModelKind>(found - std::begin(kModelKindWords));
}

std::vector<Intrinsics> cameras_of(const bf_array& array, const char* name) {
  if (!array.data) return {};
  return rows_of<Intrinsics, double>(array, name);
}

// The input of one pair, with its copies.
struct OnePair {
  std::vector<Intrinsics> cameras;
  std::vector<double> weights, qualities;
  EstimateInput input;

  OnePair(const bf_estimate_input& in, const RobustOptions& options) {
    for (const auto& [array, name] :
         {std::pair{&in.cameras1, "cameras1"}, {&in.cameras2, "cameras2"}}) {
      const std::vector<Intrinsics> given = cameras_of(*array, name);
      if (given.size() > 1) throw usage("{}: has {} rows, must have 1", name, given.size());
      cameras.insert(cameras.end(), given.begin(), given.end());
    }
    if (in.weights.data) weights = rows_of<double, double>(in.weights, "weights");
    if (in.qualities.data) qualities = rows_of<double, double>(in.qualities, "qualities");
    if (in.offsets.data) throw usage("offsets: are for bf_estimate_batch()");
    input = {cameras, options, {weights, qualities}};
  }
};

void take(EstimateResult found, bf_estimates& to) {
  to.pairs = {static_cast<const Estimate&>(found)};
  to.offsets = {0, std::ssize(found.inliers)};
  to.inliers = std::move(found.inliers);
}

// Chooses between a homography and an epipolar model.
void estimate_auto(Queue& queue, const bf_array& array, const EstimateInput& input,
                   bf_estimates& to) {
  const auto points = rows_of<PointPair, double>(array, "points");
  const bool is_calibrated = input.cameras.size() == 2;
  const ModelKind epipolar = is_calibrated ? ModelKind::essential : ModelKind::fundamental;
  EstimateInput plain = input;
  plain.cameras = {};
  EstimateResult plane = estimate(queue, ModelKind::homography, points, plain);
  EstimateResult general = estimate(queue, epipolar, points, is_calibrated ? input : plain);
  const ModelChoice choice =
      choose_model(points, plane, general, epipolar, input.options.threshold,
                   is_calibrated ? input.cameras : std::span<const Intrinsics>());
  to.kind = choice.kind;
  to.reason = choice.reason;
  take(std::move(choice.kind == epipolar ? general : plane), to);
}

void estimate_kind(Queue& queue, const bf_array& points, const EstimateInput& input,
                   bf_estimates& to) {
  const ProblemInfo problem = problem_info(to.kind);
  if (problem.takes_depths)
    take(estimate(queue, to.kind, rows_of<DepthPair, double>(points, "points"), input), to);
  else if (problem.is_two_view)
    take(estimate(queue, to.kind, rows_of<PointPair, double>(points, "points"), input), to);
  else
    take(estimate(queue, to.kind, rows_of<ScenePoint, double>(points, "points"), input), to);
}

// Rows of a batch in host or device memory; those in host memory may have gaps.
template <class Row>
class BatchRows {
 public:
  BatchRows(const Queue& queue, const bf_array& array, const char* name) {
    if (!array.data && array.rows == 0) return;
    if (array.place != BF_CUDA) {
      copy_ = rows_of<Row, double>(array, name);
      memory = Memory<const Row>(copy_.data());
      return;
    }
    check_array(array, BF_F64, sizeof(double), name);
    constexpr int kColumns = sizeof(Row) / sizeof(double);
    need_columns(array, kColumns, kColumns, name);
    if (array.stride != 0 && array.stride != sizeof(Row))
      throw usage("{}: rows in device memory must have no gaps", name);
    const DeviceInfo& device = queue.device().info();
    if (device.kind != DeviceKind::cuda)
      throw usage("{}: BF_CUDA needs a queue on a CUDA device, this one is on {}", name, device.id);
    memory = Memory<const Row>::on_device(static_cast<const Row*>(array.data));
  }
  Memory<const Row> memory = {};

 private:
  std::vector<Row> copy_;
};

void need_rows(const bf_array& array, std::int64_t rows, const char* name) {
  if (array.data && array.rows != rows)
    throw usage("{}: has {} rows, points has {}", name, array.rows, rows);
}

template <class Point>
BatchEstimate run_batch(Queue& queue, ModelKind kind, const bf_estimate_input& in,
                        const BatchInput& input) {
  if (input.offsets.front() < 0 || input.offsets.back() > in.points.rows)
    throw usage("offsets: are {} to {}, points has {} rows", input.offsets.front(),
                input.offsets.back(), in.points.rows);
  const BatchRows<Point> points(queue, in.points, "points");
  return estimate_batch(queue, kind, points.memory, input);
}

void estimate_pairs(Queue& queue, const bf_estimate_input& in, const RobustOptions& options,
                    bf_estimates& to) {
  to.offsets = rows_of<std::int64_t, std::int64_t>(in.offsets, "offsets");
  if (to.offsets.empty()) throw usage("offsets: needs a row");
  need_rows(in.weights, in.points.rows, "weights");
  need_rows(in.qualities, in.points.rows, "qualities");
  const std::vector<Intrinsics> cameras1 = cameras_of(in.cameras1, "cameras1");
  const std::vector<Intrinsics> cameras2 = cameras_of(in.cameras2, "cameras2");
  const BatchRows<double> weights(queue, in.weights, "weights"),
      qualities(queue, in.qualities, "qualities");
  const BatchInput input = {.offsets = to.offsets,
                            .cameras1 = cameras1,
                            .cameras2 = cameras2,
                            .weights = weights.memory,
                            .qualities = qualities.memory,
                            .options = options};
  const ProblemInfo problem = problem_info(to.kind);
  BatchEstimate found = problem.takes_depths  ? run_batch<DepthPair>(queue, to.kind, in, input)
                        : problem.is_two_view ? run_batch<PointPair>(queue, to.kind, in, input)
                                              : run_batch<ScenePoint>(queue, to.kind, in, input);
  to.pairs = std::move(found.pairs);
  to.inliers = std::move(found.inliers);
}

double known(double value, bool is_known) { return is_known ? value : kUnknown; }

bf_estimate_info info_of(const bf_estimates& all, const Estimate& e) {
  const ProblemInfo problem = problem_info(all.kind);
  bf_estimate_info info = {};
  info.kind = to_string(all.kind).data();
  info.outcome = to_string(e.outcome).data();
  info.reason = all.reason.empty() ? reason_text(to_string(e.outcome)).data() : all.reason.c_str();
  const bool has_model = e.outcome == Outcome::ok || e.outcome == Outcome::not_significant;
  copy(e.model, info.model);
  if (!has_model) set_unknown(info.model);
  copy(e.pose.R, info.R);
  copy(e.pose.t, info.t);
  if (!problem.has_pose || (!has_model && e.outcome != Outcome::rotation_only)) {
    set_unknown(info.R);
    set_unknown(info.t);
  }
  info.focal_length = known(e.focal_length, e.focal_length > 0);
  info.focal_deviation = known(e.focal_deviation, e.focal_length > 0);
  info.distortion = known(e.distortion, has_model && problem.estimates_distortion);
  info.rms = known(e.rms, e.num_inliers > 0);
  info.noise = known(e.noise, e.num_inliers > 0);
  info.num_inliers = e.num_inliers;
  info.iterations = e.iterations;
  return info;
}

}  // namespace

int bf_estimate(bf_queue* queue, const bf_estimate_input* given, const bf_options* options,
                bf_estimates** out) {
  return guarded(__func__, [&] {
    bf_estimates*& to = output(out);
    const bf_estimate_input in = input(given, "input");
    const std::string_view word = &need(in.kind, "input: its kind");
    Queue& q = need(queue, "queue").queue;
    const OnePair pair(in, options_of<RobustOptions>(options));
    const Callbacks callbacks(options);
    bf_estimates made;
    if (word == "auto") {
      estimate_auto(q, in.points, pair.input, made);
    } else {
      made.kind = kind_of(word);
      estimate_kind(q, in.points, pair.input, made);
    }
    to = new bf_estimates(std::move(made));
  });
}

int bf_estimate_batch(bf_queue* queue, const bf_estimate_input* given, const bf_options* options,
                      bf_estimates** out) {
  return guarded(__func__, [&] {
    bf_estimates*& to = output(out);
    const bf_estimate_input in = input(given, "input");
    bf_estimates made = {kind_of(&need(in.kind, "input: its kind"))};
    const auto chosen = options_of<RobustOptions>(options);
    const Callbacks callbacks(options);
    estimate_pairs(need(queue, "queue").queue, in, chosen, made);
    to = new bf_estimates(std::move(made));
  });
}

int bf_estimates_count(const bf_estimates* estimates, int64_t* count) {
  return guarded(__func__,
                 [&] { need(count, "count") = std::ssize(need(estimates, "estimates").pairs); });
}

int bf_estimates_get(const bf_estimates* estimates, int64_t index, bf_estimate_info* out) {
  return guarded(__func__, [&] {
    const bf_estimates& all = need(estimates, "estimates");
    bf_estimate_info info = info_of(all, item(all.pairs, index));
    const auto k = static_cast<std::size_t>(index);
    info.inliers = view(all.inliers);
    info.inliers.data = all.inliers.data() + (all.offsets[k] - all.offsets.front());
    info.inliers.rows = all.offsets[k + 1] - all.offsets[k];
    give(info, out);
  });
}

void bf_estimates_free(bf_estimates* estimates) { delete estimates; }
