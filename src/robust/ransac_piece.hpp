// SPDX-License-Identifier: BSD-3-Clause
// Device memory for some pairs of a batch, and the kernels that work on it (ransac_device.cpp).
#pragma once

#include <bifocal/error.hpp>

#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

#include "robust/ransac_device.hpp"
#include "robust/scalar_math.hpp"
#include "robust/ransac/ransac.kernels.hpp"
#include "runtime/staging.hpp"
#include "runtime/workspace.hpp"

namespace bifocal::robust {

// Largest number of points of a pair with few points. There, one thread scores a model and, on
// CUDA, one thread refines a candidate; a group does so for more points.
constexpr std::int64_t kFewPoints = 256;

// The kernels of a problem. If the device compiler does not support group code, one work-item
// processes a pair or a model.
struct RansacKernels {
  RansacKernels(ModelKind problem, bool group_code)
      : pair(group_code ? RANSAC_PAIR_THREADS : 1, constants(problem)),
        few(group_code ? RANSAC_FEW_THREADS : 1, constants(problem)),
        score(group_code ? RANSAC_SCORE_THREADS : 1, constants(problem)),
        solve(RANSAC_SOLVE_THREADS, constants(problem)) {}

  static runtime::Constants constants(ModelKind problem) {
    return {{"PROBLEM", static_cast<int>(problem)}, {"LANE_STRIDE", 1}};
  }

  kernels::ransac::launch<double> pair, few;
  kernels::ransac::launch<float> score, solve;
};

// Pairs [begin, end) of a batch in device memory.
class PieceMemory {
 public:
  // staged: page-locked memory for points in host memory; without it they are copied from the
  // caller's memory.
  PieceMemory(Queue& queue, const DeviceBatch& batch, std::size_t begin, std::size_t end,
              char* staged)
      : queue_(queue),
        staged_(staged),
        batch_(batch),
        begin_(begin),
        pairs_(end - begin),
        workspace_(queue),
        steps_(ransac_steps(batch.problem)),
        kernels_(batch.problem, queue.device().info().group_code) {
    layout();
    upload();
  }

  // The queue may still copy from the memory of the piece if an exception is thrown.
  ~PieceMemory() {
    try {
      queue_.wait();
    } catch (const Error&) {  // the first error is being thrown already
    }
  }
  PieceMemory(const PieceMemory&) = delete;
  PieceMemory& operator=(const PieceMemory&) = delete;

 protected:
  [[nodiscard]] std::size_t offset(std::size_t pair) const {
    return static_cast<std::size_t>(batch_.offsets[begin_ + pair]);
  }
  [[nodiscard]] const pair_work& work_of(int pair) const {
    return host_work_[static_cast<std::size_t>(pair)];
  }
  [[nodiscard]] bool has_few_points(int pair) const {
    return host_pairs_[static_cast<std::size_t>(pair)].points <= kFewPoints;
  }
  // Pairs of a class are processed by the same kernels, whichever other pairs are in the batch.
  enum PairClass { kMostCandidates, kSomeCandidates, kManyPoints, kClasses };
  [[nodiscard]] PairClass class_of(int pair) const {
    if (!has_few_points(pair)) return kManyPoints;
    return work_of(pair).count < FEW_FOR_MOST ? kMostCandidates : kSomeCandidates;
  }
  // Consecutive pairs, in processing order, that the same kernels process.
  struct PairRange {
    const kernels::ransac::launch<double>& kernels;
    int from, count;
  };
  [[nodiscard]] std::array<PairRange, 2> ranges() const {
    return {PairRange{kernels_.few, 0, few_pairs_},
            PairRange{kernels_.pair, few_pairs_, static_cast<int>(pairs_) - few_pairs_}};
  }
  [[nodiscard]] int first_round() const {
    return ScalarMath::first_round(batch_.options.min_iterations, batch_.options.max_iterations);
  }
  [[nodiscard]] std::uint32_t seed(int shift) const {
    return static_cast<std::uint32_t>(batch_.options.seed >> shift);
  }

  void layout() {
    std::int64_t start = 0;
    host_pairs_.reserve(pairs_);
    for (std::size_t k = 0; k < pairs_; ++k) {
      const auto points = static_cast<std::int64_t>(offset(k + 1) - offset(k));
      const int stride = column_stride(static_cast<int>(points));
      const auto first = static_cast<std::int64_t>(offset(k) - (given_on_device() ? 0 : offset(0)));
      host_pairs_.push_back({first, points, start, stride, 0});
      start += stride;
    }
    std::vector<int> order(pairs_);
    std::iota(order.begin(), order.end(), 0);
    const auto many =
        std::ranges::stable_partition(order, [this](int pair) { return has_few_points(pair); });
    few_pairs_ = static_cast<int>(pairs_ - many.size());
    for (std::size_t k = 0; k < pairs_; ++k) host_pairs_[k].in_order = order[k];
    const auto columns = static_cast<std::size_t>(start);
    const std::size_t numbers = numbers_of_point();
    pair_table_ = workspace_.take<pair_place>(pairs_);
    cameras_ = workspace_.take<double>(CAMERA_NUMBERS * pairs_);
    kept_ = workspace_.take<int>(columns);
    order_ = workspace_.take<int>(columns);
    points_ = workspace_.take<double>(numbers * columns + 64);
    float_points_ = workspace_.take<float>(numbers * columns + 64);
    weights_ = workspace_.take<double>(columns);
    // Kernels read these only if weights or qualities are given, but the arguments must not
    // be empty.
    const std::size_t columns_with_priors = given_priors() ? columns : 0;
    priors_ = workspace_.take<double>(PRIOR_COLUMNS * columns_with_priors + 64);
    float_weights_ = workspace_.take<float>(columns_with_priors + 64);
    ranking_ = workspace_.take<int>(columns_with_priors + 64);
    tables_ = workspace_.take<std::uint32_t>(4 * columns);
    info_ = workspace_.take<pair_info>(pairs_);
    state_ = workspace_.take<ransac_state>(pairs_);
    results_ = workspace_.take<ransac_result>(pairs_);
    work_ = workspace_.take<pair_work>(pairs_);
    inliers_ = workspace_.take<std::uint8_t>(std::max<std::size_t>(1, offset(pairs_) - offset(0)));
    active_ = workspace_.take<int>(pairs_);
  }
  [[nodiscard]] bool given_on_device() const { return batch_.on_device; }
  [[nodiscard]] std::size_t numbers_of_point() const { return std::size_t(steps_.columns); }
  [[nodiscard]] runtime::Array<const double> given() const {
    return given_on_device() ? runtime::Array<const double>(batch_.points) : given_;
  }
  [[nodiscard]] int given_priors() const {
    return (batch_.weights.is_null() ? 0 : GIVEN_WEIGHTS) |
           (batch_.qualities.is_null() ? 0 : GIVEN_QUALITIES);
  }

  // The caller's weights or qualities, or their copy on the device. The number of a point lies
  // `from` elements after the index of the point.
  struct GivenNumbers {
    runtime::Array<const double> numbers;
    std::int64_t from;
  };
  GivenNumbers numbers_on_device(const Memory<const double>& numbers, Buffer<double>& copy) {
    const auto first = static_cast<std::int64_t>(offset(0));
    if (numbers.is_null()) return {nullptr, 0};
    if (numbers.is_on_device()) return {numbers, given_on_device() ? 0 : first};
    const std::size_t points = offset(pairs_) - offset(0);
    copy = workspace_.take<double>(std::max<std::size_t>(1, points));
    copy.upload(queue_, {numbers.pointer() + offset(0), points});
    return {copy, given_on_device() ? -first : 0};
  }

  void upload() {
    pair_table_.upload(queue_, host_pairs_);
    const std::span cameras = batch_.cameras.subspan(begin_, pairs_);
    cameras_.upload(queue_, {cameras.front().data(), CAMERA_NUMBERS * pairs_});
    if (given_on_device()) return;
    const std::size_t numbers = numbers_of_point() * (offset(pairs_) - offset(0));
    given_ = workspace_.take<double>(std::max<std::size_t>(1, numbers));
    const double* from = batch_.host_points + numbers_of_point() * offset(0);
    if (staged_) {
      runtime::copy_on_all_threads(staged_, reinterpret_cast<const char*>(from),
                                   numbers * sizeof(double));
      from = reinterpret_cast<const double*>(staged_);
    }
    given_.upload(queue_, {from, numbers});
  }

  void read_work() {
    host_work_.resize(pairs_);
    work_.download(queue_, host_work_);
    queue_.wait();
  }

  Queue& queue_;
  char* staged_;
  const DeviceBatch& batch_;
  std::size_t begin_, pairs_;
  int few_pairs_ = 0;
  runtime::Workspace workspace_;
  const RansacSteps& steps_;
  RansacKernels kernels_;
  std::vector<pair_place> host_pairs_;
  std::vector<pair_work> host_work_;
  Buffer<pair_place> pair_table_;
  Buffer<pair_info> info_;
  Buffer<ransac_state> state_;
  Buffer<ransac_result> results_;
  Buffer<pair_work> work_;
  Buffer<double> given_, cameras_, given_weights_, given_qualities_;
  Buffer<double> points_, priors_, weights_;
  Buffer<float> float_points_, float_weights_;
  Buffer<int> kept_, order_, ranking_, active_;
  Buffer<std::uint32_t> tables_;
  Buffer<std::uint8_t> inliers_;
};

}  // namespace bifocal::robust
