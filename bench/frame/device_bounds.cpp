// SPDX-License-Identifier: BSD-3-Clause
#include "device_bounds.hpp"

#include <algorithm>
#include <cmath>

namespace bifocal::bench {
namespace {

// Peak rates of vector units (no tensor cores), from the vendors' data sheets. Shared memory: 128
// bytes per clock and multiprocessor at the boost clock.
struct Limits {
  const char* name;  // contained in the device's name
  double bytes, f32, f64, shared;
};
constexpr Limits kLimits[] = {
    {"H200", 4.8e12, 67e12, 33.5e12, 132 * 128 * 1.98e9},
    {"H100 80GB HBM3", 3.35e12, 67e12, 33.5e12, 132 * 128 * 1.98e9},
    {"H100 PCIe", 2.0e12, 51e12, 25.6e12, 114 * 128 * 1.755e9},
    {"A100-SXM4-80GB", 2.04e12, 19.5e12, 9.7e12, 108 * 128 * 1.41e9},
    {"A100-SXM4-40GB", 1.555e12, 19.5e12, 9.7e12, 108 * 128 * 1.41e9},
};

const Limits* limits_of(const DeviceInfo& device) {
  if (!device.is_gpu) return nullptr;
  const auto* const found =
      std::find_if(std::begin(kLimits), std::end(kLimits),
                   [&](const Limits& l) { return device.name.find(l.name) != std::string::npos; });
  return found == std::end(kLimits) ? nullptr : found;
}

double sweeps(int n, std::size_t number_size) {
  return n < 2 ? 0 : 1.6 + 1.4 * std::log2(n) + (number_size == 8 ? 0.8 : 0);
}

}  // namespace

Work svd_work(int m, int n, bool with_U, std::size_t number_size) {
  const double size = static_cast<double>(number_size);
  // A taller matrix is reduced to n x n first: 2 n^2 (m - n / 3).
  const double rows = n, reduction = m > n ? 2.0 * n * n * (m - n / 3.0) : 0;
  const double pairs = sweeps(n, number_size) * n * (n - 1) / 2;
  const double numbers = m * n + n + n * n + (with_U ? m * std::min(m, n) : 0);
  return {.flops = reduction + pairs * (12 * rows + 6 * n),
          .bytes = numbers * size,
          .shared = pairs * (2 * rows + 4 * rows + 4 * n) * size};
}

Work smallest_vector_work(int m, int n, std::size_t number_size) {
  return {.flops = 2.0 * n * n * std::max(m - n / 3.0, n * 2 / 3.0) + 4.0 * n * n,
          .bytes = static_cast<double>(number_size) * (m * n + n),
          .shared = 0};
}

Work symmetric_work(int n, std::size_t number_size) {
  const double pairs = sweeps(n, number_size) * n * (n - 1) / 2;
  return {.flops = pairs * 12 * n,
          .bytes = static_cast<double>(number_size) * (2 * n * n + n),
          .shared = pairs * 8 * n * static_cast<double>(number_size)};
}

Work eigenpairs_work(int n, double real_pairs, std::size_t number_size) {
  const double cube = static_cast<double>(n) * n * n, size = static_cast<double>(number_size);
  return {.flops = 10 * cube + 4 * real_pairs * n * n,
          .bytes = size * (2 * n * n + n) + 2 * sizeof(int),
          .shared = (cube * 6 + 4 * real_pairs * n * n) * size};
}

void add_bounds(Record& record, const DeviceInfo& device, const Work& work,
                double seconds_per_matrix, bool is_double) {
  record.extra["flops_per_matrix"] = work.flops;
  record.extra["bytes_per_matrix"] = work.bytes;
  const Limits* const limits = limits_of(device);
  if (!limits || seconds_per_matrix <= 0) return;
  const double arithmetic = work.flops / (is_double ? limits->f64 : limits->f32);
  const double memory = work.bytes / limits->bytes;
  record.extra["bound"] = arithmetic > memory ? "arithmetic" : "memory";
  record.extra["fraction_of_bound"] = std::max(arithmetic, memory) / seconds_per_matrix;
  if (work.shared > 0) {
    record.extra["fraction_of_shared_bound"] = work.shared / limits->shared / seconds_per_matrix;
  }
}

}  // namespace bifocal::bench
