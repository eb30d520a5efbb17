// SPDX-License-Identifier: BSD-3-Clause
// Real eigenpairs of random nonderogatory matrices by their size and their number. Two kinds: Q D
// Q' with diagonal D, all eigenvalues real; and Q T Q' with quasi-triangular T, every other pair of
// eigenvalues complex. Q is random orthogonal. One core solves the same matrices, alternately with
// the device.
#include <bifocal/device.hpp>
#include <bifocal/linalg.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <set>
#include <vector>

#include "linalg/eigen/eigen.hpp"
#include "seeds/seeds.hpp"
#include "suites/linalg_batches.hpp"

namespace bifocal::bench::seeds {
namespace {

constexpr int kSizes[] = {4, 8, 16, 24, 32, 48, 64, 96, 127};
constexpr int kDifferent = 64;
constexpr int kActionSize = 10;  // size of the five-point action matrices, whose number is varied
constexpr int kProfiled = 500;   // number of matrices in the thesis' profile of the kernel

// Maps A to (I - 2 u u') A (I - 2 u u'), u a random direction; n such reflections make Q.
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

enum class Spectrum { diagonal, triangle };

// Entry (i, j) of a matrix of n rows.
struct Entries {
  std::vector<double>& A;
  int n;
  double& operator()(int i, int j) const { return A[static_cast<std::size_t>(i * n + j)]; }
};

// The entries above the diagonal are scaled by 1 / sqrt(n). With entries of unit variance the
// condition of the eigenvalues grows exponentially with n, and from n = 64 on some of the real
// eigenvalues are computed as complex pairs in double.
void set_triangle(const Entries& at, std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  const double scale = 1 / std::sqrt(static_cast<double>(at.n));
  for (int i = 0; i < at.n; ++i) {
    at(i, i) = normal(random);
    for (int j = i + 1; j < at.n; ++j) at(i, j) = scale * normal(random);
  }
  for (int i = 0; i + 1 < at.n; i += 4) {  // every other pair of eigenvalues is complex
    at(i + 1, i + 1) = at(i, i);
    at(i, i + 1) = 1 + std::abs(at(i, i + 1));
    at(i + 1, i) = -at(i, i + 1);
  }
}

Matrices<double> nonderogatory(int n, Spectrum spectrum) {
  Matrices<double> matrices{n, n, kDifferent, {}};
  std::mt19937_64 random(11);
  std::normal_distribution<double> normal;
  for (int b = 0; b < kDifferent; ++b) {
    std::vector<double> A(static_cast<std::size_t>(n) * n);
    const Entries at{A, n};
    if (spectrum == Spectrum::triangle) {
      set_triangle(at, random);
    } else {
      for (int i = 0; i < n; ++i) at(i, i) = normal(random);
    }
    for (int k = 0; k < n; ++k) reflect(A, n, random);
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i) matrices.columns.push_back(at(i, j));
  }
  return matrices;
}

// The arrays of a batch in the memory of a device, or of the host.
struct Arrays {
  Arrays(int n, const Device& device, int count, bool resident) {
    const auto each = static_cast<std::size_t>(count), size = static_cast<std::size_t>(n);
    A = Numbers<double>(device, size * size * each, resident);
    vectors = Numbers<double>(device, size * size * each, resident);
    values = Numbers<double>(device, size * each, resident);
    residuals = Numbers<double>(device, each, resident);
    counts = Numbers<int>(device, each, resident);
  }
  Numbers<double> A, vectors, values, residuals;
  Numbers<int> counts;
};

enum class Wanted { pairs, values };

class Batch {
 public:
  Batch(const Matrices<double>& matrices, const Device& device, int count, bool resident)
      : n_(matrices.n), count_(count), queue_(device), arrays_(n_, device, count, resident) {
    arrays_.A.set(queue_, matrices.interleaved(count));
  }
  void solve(Wanted wanted = Wanted::pairs) {
    EigenOutput<double> out = {.values = arrays_.values.memory(),
                               .vectors = {},
                               .counts = arrays_.counts.memory(),
                               .status = {},
                               .residuals = {},
                               .real_parts = {},
                               .imaginary_parts = {}};
    if (wanted == Wanted::pairs) {
      out.vectors = arrays_.vectors.memory();
      out.residuals = arrays_.residuals.memory();
    }
    real_eigenpairs<double>(queue_, {arrays_.A.input(), n_, n_, count_, MatrixLayout::interleaved},
                            out);
    queue_.wait();
  }
  // The largest |A v - lambda v| / |A|, and the mean number of real eigenpairs.
  [[nodiscard]] Figures figures() {
    const std::vector<double> residuals = arrays_.residuals.get(queue_);
    double pairs = 0;
    for (const int c : arrays_.counts.get(queue_)) pairs += c;
    return {{"matrices", count_},
            {"worst_residual", *std::max_element(residuals.begin(), residuals.end())},
            {"mean_real_pairs", pairs / count_}};
  }

 private:
  int n_, count_;
  Queue queue_;
  Arrays arrays_;
};

// The copies of a batch between page-locked memory and the device: matrices there, eigenpairs back.
class Transfers {
 public:
  Transfers(int n, const Device& device, int count)
      : queue_(device),
        matrices_(device, size(n) * size(n) * size(count)),
        values_(device, size(n) * size(count)),
        counts_(device, size(count)),
        host_matrices_(device, matrices_.size()),
        host_values_(device, values_.size()),
        host_counts_(device, counts_.size()) {
    std::fill_n(host_matrices_.data(), host_matrices_.size(), 1.0);
  }
  void copy() {
    matrices_.upload(queue_, host_matrices_.span());
    matrices_.download(queue_, host_matrices_.span());  // as many numbers as eigenvectors
    values_.download(queue_, host_values_.span());
    counts_.download(queue_, host_counts_.span());
    queue_.wait();
  }

 private:
  static std::size_t size(int number) { return static_cast<std::size_t>(number); }

  Queue queue_;
  Buffer<double> matrices_, values_;
  Buffer<int> counts_;
  HostBuffer<double> host_matrices_, host_values_;
  HostBuffer<int> host_counts_;
};

// Whether batches are kept in the memory of the device; a CPU computes in host memory.
bool has_own_memory(const Device& device) { return device.info().kind != DeviceKind::cpu; }

Record record_of(const Context& context, const std::string& name) {
  Record record;
  record.suite = "seeds";
  record.case_name = name;
  record.device = context.device;
  return record;
}

void run_size(Context& context, const Device& device, const std::string& name,
              const Matrices<double>& matrices) {
  const int n = matrices.n;
  const int few = std::clamp(100000 / (n * n), 16, 4096);
  const int many = device.info().is_gpu ? std::clamp((1 << 25) / (n * n), 2048, 1 << 17) : few;
  Batch resident(matrices, device, many, has_own_memory(device)),
      one_core(matrices, {}, few, false);
  const auto [sample, core] = measure_pair([&] { resident.solve(); },
                                           [&] {
                                             const ThreadLimit one(1);
                                             one_core.solve();
                                           });
  Record record = record_of(context, name);
  record.extra = resident.figures();
  if (has_own_memory(device)) {
    Batch host(matrices, device, many, false);
    record.extra["with_transfers"] = measure([&] { host.solve(); }).median * 1e6 / many;
  }
  record.unit = "us/matrix";
  record.value = sample.median * 1e6 / many;
  record.mad = sample.mad * 1e6 / many;
  record.runs = sample.runs;
  record.reference = Reference{"one core, same run", core.median * 1e6 / few};
  context.report(std::move(record));
}

// The number of matrices that the device computes at once, and thus the period of the times.
int capacity_of(const Device& device) {
  return linalg::resident_matrices(device.info(), kActionSize, sizeof(double));
}

// Powers of two, and eighths of the device's capacity up to four times the capacity.
std::set<int> numbers_of_matrices(const Device& device) {
  constexpr int kShares = 8, kPeriods = 4;
  const int capacity = capacity_of(device), most = device.info().is_gpu ? 1 << 17 : 1 << 12;
  std::set<int> counts;
  for (int count = 1; count <= most; count *= 2) counts.insert(count);
  for (int k = 1; k <= kShares * kPeriods; ++k) counts.insert(k * capacity / kShares);
  return counts;
}

// Measures ms of a batch in device memory, of the allocation of its arrays, and of its transfer.
void run_number(Context& context, const Device& device, const std::string& name,
                const Matrices<double>& matrices, int count) {
  constexpr int kRuns = 7;
  constexpr double kSeconds = 0.02;
  const bool own = has_own_memory(device);
  Batch batch(matrices, device, count, own);
  const Sample sample = measure([&] { batch.solve(); }, kRuns, kSeconds);
  const auto ms_of = [&](const std::function<void()>& body) {
    return measure(body, kRuns, kSeconds).median * 1e3;
  };
  Figures figures = batch.figures();
  figures["capacity"] = capacity_of(device);
  figures["allocation_ms"] = ms_of([&] { keep(Arrays(matrices.n, device, count, own)); });
  if (own) {
    Transfers transfers(matrices.n, device, count);
    figures["transfer_ms"] = ms_of([&] { transfers.copy(); });
  }
  report_ms(context, name, context.device, sample, std::nullopt, std::move(figures));
}

// The eigenvalues alone of the number of matrices that the thesis profiled.
void run_profiled(Context& context, const Device& device, const std::string& name,
                  const Matrices<double>& matrices) {
  Batch batch(matrices, device, kProfiled, has_own_memory(device)),
      one_core(matrices, {}, kProfiled, false);
  const auto solve = [&] { batch.solve(Wanted::values); };
  const auto [sample, core] = measure_pair(solve, [&] {
    const ThreadLimit one(1);
    one_core.solve(Wanted::values);
  });
  Figures figures = {{"matrices", kProfiled}};
  add_resources(figures, solve);
  report_ms(context, name, context.device, sample,
            Reference{"one core, same run", core.median * 1e3}, std::move(figures));
}

}  // namespace

void run_eigenpairs(Context& context) {
  const Device device(context.device);
  if (!device.info().has_double) return;
  const std::pair<const char*, Spectrum> kinds[] = {{"diagonal", Spectrum::diagonal},
                                                    {"triangle", Spectrum::triangle}};
  for (const auto& [kind, spectrum] : kinds) {
    for (const int n : kSizes) {
      const std::string name = fmt::format("seeds/eigenpairs/{}/{}", kind, n);
      if (context.wanted(name)) run_size(context, device, name, nonderogatory(n, spectrum));
    }
  }
  const Matrices<double> matrices = nonderogatory(kActionSize, Spectrum::diagonal);
  for (const int count : numbers_of_matrices(device)) {
    const std::string name = fmt::format("seeds/eigenpairs/diagonal/{}x{}", kActionSize, count);
    if (context.wanted(name)) run_number(context, device, name, matrices, count);
  }
  const std::string profiled =
      fmt::format("seeds/eigenvalues/diagonal/{}x{}", kActionSize, kProfiled);
  if (context.wanted(profiled)) run_profiled(context, device, profiled, matrices);
}

}  // namespace bifocal::bench::seeds
