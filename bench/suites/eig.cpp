// SPDX-License-Identifier: BSD-3-Clause
// Real eigenpairs of many small unsymmetric matrices, us per matrix.
#include <fmt/format.h>

#include <bifocal/linalg.hpp>
#include <cmath>

#include "frame/device_bounds.hpp"
#include "linalg_accuracy.hpp"
#include "linalg_case.hpp"

namespace bifocal::bench {
namespace {

template <class T>
class EigenBatch {
 public:
  EigenBatch(int n, const Place& place, MatrixLayout layout, int batch)
      : n_(n), layout_(layout), batch_(batch), queue_(place.device) {
    const auto each = static_cast<std::size_t>(batch);
    const auto size = static_cast<std::size_t>(n);
    A_ = Numbers<T>(place.device, size * size * each, place.resident);
    V_ = Numbers<T>(place.device, size * size * each, place.resident);
    values_ = Numbers<T>(place.device, size * each, place.resident);
    counts_ = Numbers<int>(place.device, each, place.resident);
    status_ = Numbers<int>(place.device, each, place.resident);
  }

  void set(const Matrices<T>& matrices) {
    A_.set(queue_, layout_ == MatrixLayout::interleaved ? matrices.interleaved(batch_)
                                                        : matrices.strided(batch_));
  }
  // Enqueues one call.
  void operator()() {
    real_eigenpairs<T>(queue_, {A_.input(), n_, n_, batch_, layout_},
                       {.values = values_.memory(),
                        .vectors = V_.memory(),
                        .counts = counts_.memory(),
                        .status = status_.memory(),
                        .residuals = {},
                        .real_parts = {},
                        .imaginary_parts = {}});
  }
  // Waits and returns the results in the interleaved layout.
  [[nodiscard]] Results<T> results() {
    queue_.wait();
    return {.total = batch_,
            .S = values_.get(queue_),
            .V = V_.get(queue_),
            .U = {},
            .counts = counts_.get(queue_),
            .status = status_.get(queue_)};
  }
  [[nodiscard]] Queue& queue() { return queue_; }

 private:
  int n_;
  MatrixLayout layout_;
  int batch_;
  Queue queue_;
  Numbers<T> A_, V_, values_;
  Numbers<int> counts_, status_;
};

// Approximate mean number of real eigenvalues of a random n x n matrix (A. Edelman, E. Kostlan, M.
// Shub, How many eigenvalues of a random matrix are real?, 1994).
double expected_real_pairs(int n) { return std::sqrt(2 * n / 3.14159265358979) + 0.5; }

template <class T>
void run_variant(Context& context, const Device& device, int n, const Variant& variant) {
  Record record;
  record.suite = "eig";
  record.case_name = fmt::format("eig/{}/{}{}", n, precision_name<T>(), variant.suffix);
  if (!context.wanted(record.case_name)) return;
  const Place place = place_on(device, variant.kind == Variant::host);
  const int batch = batch_size(n, place, variant);
  const auto matrices = random_matrices<T>(n, n, different_matrices(n, batch));
  const bool strided = variant.kind == Variant::strided;
  EigenBatch<T> ours(n, place, strided ? MatrixLayout::strided : MatrixLayout::interleaved, batch);
  ours.set(matrices);
  ours();
  if (!strided) {
    const WorstPairs worst =
        eigen_errors(matrices, ours.results(), count_real_eigenvalues(matrices));
    record.extra["worst_ratio"] = worst.ratio;
    record.extra["worst_length_error_ulp"] = worst.orthogonality;
    record.extra["failed"] = worst.failed;
    record.extra["mean_real_pairs"] = worst.mean_real_pairs;
    record.extra["wrong_counts"] = worst.wrong_counts;
    record.extra["checked"] = worst.checked;
  }
  time_with_peers(record, {&ours.queue(), place, variant, batch, [&] { ours(); }},
                  PeerTask::eigenpairs, matrices);
  add_bounds(record, device.info(), eigenpairs_work(n, expected_real_pairs(n), sizeof(T)),
             record.value * 1e-6, sizeof(T) == 8);
  context.report(std::move(record));
}

}  // namespace

void run_eig(Context& context) {
  const Device device(context.device);
  for (const int n : {4, 6, 10, 16, 20, 32, 64, 127}) {
    for (const Variant& variant : variants_on(device, n == 10)) {
      if (device.info().has_double) run_variant<double>(context, device, n, variant);
      if (n == 4 || n == 10 || n == 16 || n == 32) {
        run_variant<float>(context, device, n, variant);
      }
    }
  }
}

}  // namespace bifocal::bench
