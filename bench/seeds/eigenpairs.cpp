// SPDX-License-Identifier: BSD-3-Clause
// Real eigenpairs against the size of the matrix, of random nonderogatory ones: Q T Q' of a random
// orthogonal Q and a quasi-triangular T whose eigenvalues, half of them in conjugate pairs, all
// differ. One core solves the same matrices in turn with the device.
#include <bifocal/device.hpp>
#include <bifocal/linalg.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "seeds/seeds.hpp"
#include "suites/linalg_batches.hpp"

namespace bifocal::bench::seeds {
namespace {

constexpr int kSizes[] = {4, 8, 16, 24, 32, 48, 64, 96, 127};
constexpr int kDifferent = 64;

// Takes A to (I - 2 u u') A (I - 2 u u'), u a random direction; n of them make Q.
void reflect(std::vector<double>& A, int n, std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  std::vector<double> u(static_cast<std::size_t>(n)), product(static_cast<std::size_t>(n));
  double length2 = 0;
  for (double& v : u) v = normal(random), length2 += v * v;
  for (double& v : u) v /= std::sqrt(length2);
  const auto at = [&](int i, int j) -> double& { return A[static_cast<std::size_t>(i * n + j)]; };
  for (int j = 0; j < n; ++j) {
    double sum = 0;
    for (int i = 0; i < n; ++i) sum += u[static_cast<std::size_t>(i)] * at(i, j);
    for (int i = 0; i < n; ++i) at(i, j) -= 2 * sum * u[static_cast<std::size_t>(i)];
  }
  for (int i = 0; i < n; ++i) {
    double sum = 0;
    for (int j = 0; j < n; ++j) sum += u[static_cast<std::size_t>(j)] * at(i, j);
    for (int j = 0; j < n; ++j) at(i, j) -= 2 * sum * u[static_cast<std::size_t>(j)];
  }
}

Matrices<double> nonderogatory(int n) {
  Matrices<double> matrices{n, n, kDifferent, {}};
  std::mt19937_64 random(11);
  std::normal_distribution<double> normal;
  for (int b = 0; b < kDifferent; ++b) {
    std::vector<double> A(static_cast<std::size_t>(n) * n);
    const auto at = [&](int i, int j) -> double& { return A[static_cast<std::size_t>(i * n + j)]; };
    for (int i = 0; i < n; ++i)
      for (int j = i; j < n; ++j) at(i, j) = normal(random);
    for (int i = 0; i + 1 < n; i += 4) {  // every other pair of eigenvalues is complex
      at(i + 1, i + 1) = at(i, i);
      at(i, i + 1) = 1 + std::abs(at(i, i + 1));
      at(i + 1, i) = -at(i, i + 1);
    }
    for (int k = 0; k < n; ++k) reflect(A, n, random);
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i) matrices.columns.push_back(at(i, j));
  }
  return matrices;
}

// A batch in the memory of a device, or of the host.
class Batch {
 public:
  Batch(const Matrices<double>& matrices, const Device& device, int count, bool resident)
      : n_(matrices.n), count_(count), queue_(device) {
    const auto each = static_cast<std::size_t>(count), size = static_cast<std::size_t>(n_);
    A_ = Numbers<double>(device, size * size * each, resident);
    vectors_ = Numbers<double>(device, size * size * each, resident);
    values_ = Numbers<double>(device, size * each, resident);
    residuals_ = Numbers<double>(device, each, resident);
    counts_ = Numbers<int>(device, each, resident);
    A_.set(queue_, matrices.interleaved(count));
  }
  void solve() {
    real_eigenpairs<double>(queue_, {A_.input(), n_, n_, count_, MatrixLayout::interleaved},
                            {.values = values_.memory(),
                             .vectors = vectors_.memory(),
                             .counts = counts_.memory(),
                             .status = {},
                             .residuals = residuals_.memory(),
                             .real_parts = {},
                             .imaginary_parts = {}});
    queue_.wait();
  }
  // The largest |A v - lambda v| / |A|, and the mean number of real eigenpairs.
  [[nodiscard]] Figures figures() {
    const std::vector<double> residuals = residuals_.get(queue_);
    double pairs = 0;
    for (const int c : counts_.get(queue_)) pairs += c;
    return {{"matrices", count_},
            {"worst_residual", *std::max_element(residuals.begin(), residuals.end())},
            {"mean_real_pairs", pairs / count_}};
  }

 private:
  int n_, count_;
  Queue queue_;
  Numbers<double> A_, vectors_, values_, residuals_;
  Numbers<int> counts_;
};

}  // namespace

void run_eigenpairs(Context& context) {
  const Device device(context.device);
  if (!device.info().has_double) return;
  for (const int n : kSizes) {
    const std::string name = fmt::format("seeds/eigenpairs/{}", n);
    if (!context.wanted(name)) continue;
    const Matrices<double> matrices = nonderogatory(n);
    const int few = std::clamp(100000 / (n * n), 16, 4096);
    const int many = device.info().is_gpu ? std::clamp((1 << 25) / (n * n), 2048, 1 << 17) : few;
    Batch resident(matrices, device, many, device.info().is_gpu),
        one_core(matrices, {}, few, false);
    const auto [sample, core] = measure_pair([&] { resident.solve(); },
                                             [&] {
                                               const ThreadLimit one(1);
                                               one_core.solve();
                                             });
    Figures figures = resident.figures();
    if (device.info().is_gpu) {
      Batch host(matrices, device, many, false);
      figures["with_transfers"] = measure([&] { host.solve(); }).median * 1e6 / many;
    }
    Record record;
    record.suite = "seeds";
    record.case_name = name;
    record.device = context.device;
    record.unit = "us/matrix";
    record.value = sample.median * 1e6 / many;
    record.mad = sample.mad * 1e6 / many;
    record.runs = sample.runs;
    record.reference = Reference{"one core, same run", core.median * 1e6 / few};
    record.extra = std::move(figures);
    context.report(std::move(record));
  }
}

}  // namespace bifocal::bench::seeds
