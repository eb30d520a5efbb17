// SPDX-License-Identifier: BSD-3-Clause
// Singular values and vectors of many small matrices, us per matrix.
#include <fmt/format.h>

#include <algorithm>
#include <bifocal/linalg.hpp>

#include "frame/device_bounds.hpp"
#include "linalg_accuracy.hpp"
#include "linalg_case.hpp"

namespace bifocal::bench {
namespace {

struct Case {
  int m, n;
  PeerTask task;
};

std::vector<Case> cases() {
  std::vector<Case> list;
  for (const auto& [m, n] :
       {std::pair(3, 3), {4, 4}, {6, 6}, {9, 9}, {8, 9}, {16, 16}, {20, 20}, {32, 32}}) {
    list.push_back({m, n, PeerTask::svd_right});
    list.push_back({m, n, PeerTask::svd_both});
  }
  list.push_back({8, 9, PeerTask::smallest_vector});
  list.push_back({9, 9, PeerTask::smallest_vector});
  list.push_back({9, 9, PeerTask::symmetric});
  return list;
}

const char* outputs_of(PeerTask task) {
  switch (task) {
    case PeerTask::svd_right:
      return "v";
    case PeerTask::svd_both:
      return "usv";
    case PeerTask::smallest_vector:
      return "smallest";
    default:
      return "symmetric";
  }
}

// A case with its memory.
template <class T>
class SvdBatch {
 public:
  SvdBatch(const Case& c, const Place& place, MatrixLayout layout, int batch)
      : case_(c), layout_(layout), batch_(batch), queue_(place.device) {
    const auto make = [&](int numbers) {
      return Numbers<T>(place.device, static_cast<std::size_t>(numbers) * batch, place.resident);
    };
    const bool smallest = c.task == PeerTask::smallest_vector;
    A_ = make(c.m * c.n);
    V_ = make(smallest ? c.n : c.n * c.n);
    if (!smallest) S_ = make(c.n);
    if (c.task == PeerTask::svd_both) U_ = make(c.m * std::min(c.m, c.n));
    status_ = Numbers<int>(place.device, static_cast<std::size_t>(batch), place.resident);
  }

  void set(const Matrices<T>& matrices) {
    A_.set(queue_, layout_ == MatrixLayout::interleaved ? matrices.interleaved(batch_)
                                                        : matrices.strided(batch_));
  }
  // Enqueues one call.
  void operator()() {
    const MatrixBatch<T> A = {A_.input(), case_.m, case_.n, batch_, layout_};
    if (case_.task == PeerTask::smallest_vector) {
      smallest_singular_vector(queue_, A, V_.memory(), status_.memory());
    } else if (case_.task == PeerTask::symmetric) {
      symmetric_eigen<T>(queue_, A, {S_.memory(), V_.memory(), status_.memory()});
    } else {
      svd<T>(queue_, A, {S_.memory(), V_.memory(), U_.memory(), status_.memory()});
    }
  }
  // Waits and returns the results in the interleaved layout.
  [[nodiscard]] Results<T> results() {
    queue_.wait();
    const bool with_S = case_.task != PeerTask::smallest_vector;
    return {.total = batch_,
            .S = with_S ? S_.get(queue_) : std::vector<T>(),
            .V = V_.get(queue_),
            .U = case_.task == PeerTask::svd_both ? U_.get(queue_) : std::vector<T>(),
            .counts = {},
            .status = status_.get(queue_)};
  }
  [[nodiscard]] Queue& queue() { return queue_; }

 private:
  Case case_;
  MatrixLayout layout_;
  int batch_;
  Queue queue_;
  Numbers<T> A_, S_, V_, U_;
  Numbers<int> status_;
};

template <class T>
Worst errors_of(PeerTask task, const Matrices<T>& matrices, const Results<T>& results) {
  if (task == PeerTask::symmetric) return symmetric_errors(matrices, results);
  if (task != PeerTask::smallest_vector) return svd_errors(matrices, results);
  const std::vector<double> truth = smallest_singular_values(matrices);
  return truth.empty() ? Worst() : smallest_errors(matrices, results, truth);
}

template <class T>
Work work_of(const Case& c) {
  if (c.task == PeerTask::symmetric) return symmetric_work(c.n, sizeof(T));
  if (c.task == PeerTask::smallest_vector) return smallest_vector_work(c.m, c.n, sizeof(T));
  return svd_work(c.m, c.n, c.task == PeerTask::svd_both, sizeof(T));
}

template <class T>
void run_variant(Context& context, const Device& device, const Case& c, const Variant& variant) {
  Record record;
  record.suite = "svd";
  record.case_name = fmt::format("svd/{}x{}/{}/{}{}", c.m, c.n, precision_name<T>(),
                                 outputs_of(c.task), variant.suffix);
  if (!context.wanted(record.case_name)) return;
  const Place place = place_on(device, variant.kind == Variant::host);
  const int batch = batch_size(c.n, place, variant);
  const auto matrices =
      random_matrices<T>(c.m, c.n, different_matrices(c.n, batch), c.task == PeerTask::symmetric);
  const bool strided = variant.kind == Variant::strided;
  SvdBatch<T> ours(c, place, strided ? MatrixLayout::strided : MatrixLayout::interleaved, batch);
  ours.set(matrices);
  ours();
  if (!strided) {
    const Worst worst = errors_of(c.task, matrices, ours.results());
    record.extra["worst_ratio"] = worst.ratio;
    record.extra["worst_orthogonality"] = worst.orthogonality;
    record.extra["failed"] = worst.failed;
  }
  time_with_peers(record, {&ours.queue(), place, variant, batch, [&] { ours(); }}, c.task,
                  matrices);
  add_bounds(record, device.info(), work_of<T>(c), record.value * 1e-6, sizeof(T) == 8);
  context.report(std::move(record));
}

}  // namespace

void run_svd(Context& context) {
  const Device device(context.device);
  for (const Case& c : cases()) {
    for (const Variant& variant : variants_on(device, c.m == 9 && c.n == 9)) {
      run_variant<float>(context, device, c, variant);
      if (device.info().has_double) run_variant<double>(context, device, c, variant);
    }
  }
}

}  // namespace bifocal::bench
