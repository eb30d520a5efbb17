// SPDX-License-Identifier: BSD-3-Clause
// The measurements behind src/linalg/eigen/tuning.hpp: every mapping of a size on a GPU, us per
// matrix. The table's row of a size is the mapping with the smallest value. Cases "few" have 37
// matrices, the number for 160 five-point hypotheses, for kFewMatricesPerCore.
#include <fmt/format.h>

#include <algorithm>
#include <bifocal/linalg.hpp>
#include <random>

#include "frame/bench.hpp"
#include "linalg/eigen/tuning.hpp"

namespace bifocal::bench {
namespace {

constexpr linalg::EigenMapping kMappings[] = {{1, 32},  {1, 64},  {8, 32},  {8, 64}, {8, 128},
                                              {16, 32}, {16, 64}, {32, 32}, {32, 64}};
constexpr int kSizes[] = {4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 28, 32, 40, 48, 64, 96, 127};

constexpr int kFew = 37;

// Enough matrices to fill a large GPU several times.
int batch_of(int n) { return std::max(500, 40000000 / (n * n * n)); }

// During its lifetime, every call uses this mapping.
struct Forced {
  explicit Forced(const linalg::EigenMapping& mapping) { linalg::forced_eigen_mapping = &mapping; }
  ~Forced() { linalg::forced_eigen_mapping = nullptr; }
};

template <class T>
void tune_size(Context& context, Queue& queue, int n, int count, const char* suffix) {
  const auto numbers = static_cast<std::size_t>(n) * static_cast<std::size_t>(count);
  std::vector<T> host(numbers * static_cast<std::size_t>(n));
  std::mt19937_64 random(1);
  std::normal_distribution<T> normal;
  for (T& v : host) v = normal(random);
  const Device& device = queue.device();
  Buffer<T> A(device, host.size()), values(device, numbers), vectors(device, host.size());
  Buffer<int> counts(device, static_cast<std::size_t>(count));
  A.upload(queue, host);
  for (const linalg::EigenMapping& mapping : kMappings) {
    const std::string name = fmt::format("tune/eig/{}/f{}/w{}t{}{}", n, 8 * sizeof(T),
                                         mapping.width, mapping.threads, suffix);
    if (!context.wanted(name)) continue;
    const Forced forced(mapping);
    const auto solve = [&] {
      real_eigenpairs<T>(queue, {A, n, n, count}, {values, vectors, counts, {}, {}, {}, {}});
      queue.wait();
    };
    try {
      const Sample sample = measure(solve, 5, 0.02);
      Record record;
      record.suite = "tune";
      record.case_name = name;
      record.device = device.info().id;
      record.unit = "us/matrix";
      record.value = sample.median * 1e6 / count;
      record.mad = sample.mad * 1e6 / count;
      record.runs = sample.runs;
      record.extra = {{"batch", count}};
      context.report(record);
    } catch (const Error&) {  // the device has no such kernel, or too little memory for it
    }
  }
}

}  // namespace

void run_tune(Context& context) {
  const Device device(context.device);
  if (device.info().kind == DeviceKind::cpu) return;  // every size is one lane per matrix
  Queue queue(device);
  for (const int n : kSizes) {
    tune_size<double>(context, queue, n, batch_of(n), "");
    tune_size<float>(context, queue, n, batch_of(n), "");
    tune_size<double>(context, queue, n, kFew, "/few");
  }
}

}  // namespace bifocal::bench
