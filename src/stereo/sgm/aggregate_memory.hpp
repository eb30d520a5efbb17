// SPDX-License-Identifier: BSD-3-Clause
// Memory of the search in aggregate.cpp: path costs, sums of path costs, and scratch memory
// of threads.
#pragma once

#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <bifocal/stereo.hpp>

#include "stereo/aligned.hpp"
#include "stereo/sgm/widths.hpp"
#include "stereo/sgm/winner.hpp"

namespace bifocal::stereo {

inline constexpr int kPlanes = 3;  // paths from the preceding row

struct SgmSizes {
  int width, height, disparities, stride, sums_stride, sweep_paths;

  SgmSizes(int w, int h, const SgmOptions& o)
      : width(w),
        height(h),
        disparities(o.disparities),
        stride((o.disparities + kWidestBytes - 1) / kWidestBytes * kWidestBytes + kGuard),
        sums_stride((o.disparities + kSumsBlock - 1) / kSumsBlock * kSumsBlock),
        sweep_paths(o.paths / 2) {}
  // Numbers of elements in the arrays of one row.
  [[nodiscard]] std::size_t sums() const {
    return static_cast<std::size_t>(width) * static_cast<std::size_t>(sums_stride);
  }
  [[nodiscard]] std::size_t minima() const {
    return static_cast<std::size_t>(kPlanes) * (static_cast<std::size_t>(width) + 2);
  }
  [[nodiscard]] std::size_t states() const {
    return kGuard + minima() * static_cast<std::size_t>(stride);
  }
  [[nodiscard]] std::size_t costs() const {
    return static_cast<std::size_t>(width) * static_cast<std::size_t>(stride) + kWidestBytes;
  }
  [[nodiscard]] std::size_t along() const { return kGuard + 2 * static_cast<std::size_t>(stride); }
  [[nodiscard]] std::size_t right_winners() const {
    return static_cast<std::size_t>(width) + static_cast<std::size_t>(sums_stride) + kSumsBlock;
  }
  [[nodiscard]] std::size_t winners() const {
    return 5 * static_cast<std::size_t>(width) + 2 * right_winners();
  }
  [[nodiscard]] std::size_t found() const { return 5 * static_cast<std::size_t>(width); }
  [[nodiscard]] std::size_t state_bytes() const { return states() + minima(); }
  [[nodiscard]] std::size_t scratch_bytes() const {
    return costs() + along() + 2 * winners() + found();
  }
};

// Sums of path costs. The array is large, and every element is written before it is read. Huge
// pages, if the system has them, avoid a page fault every 4 KiB; these faults took as long as
// the paths.
class SgmSums {
 public:
  explicit SgmSums(std::size_t count) : data_((count + kPage - 1) / kPage * kPage, 2 * kPage) {
#ifdef MADV_HUGEPAGE
    (void)madvise(data_.get(), count * sizeof(std::uint16_t), MADV_HUGEPAGE);
#endif
  }
  [[nodiscard]] std::uint16_t* get() const { return data_.get(); }

 private:
  static constexpr std::size_t kPage = std::size_t{1} << 20;  // elements
  Aligned<std::uint16_t> data_;
};

// Path costs of one row. Initially they have the values outside the image, until a sweep
// writes them.
struct SgmState {
  Aligned<std::uint8_t> costs;  // with a guard in front
  std::vector<std::uint8_t> minima;

  explicit SgmState(const SgmSizes& s)
      : costs(Aligned<std::uint8_t>::filled(s.states(), 255)), minima(s.minima(), 0) {
    for (int k = 0; k < kPlanes; ++k) {
      for (int x : {0, s.width + 1}) clear(s, k, x);
    }
  }
  void clear_all(const SgmSizes& s) {
    std::fill(minima.begin(), minima.end(), std::uint8_t{0});
    for (int k = 0; k < kPlanes; ++k) {
      for (int x = 0; x < s.width + 2; ++x) clear(s, k, x);
    }
  }
  void copy(const SgmSizes& s, const SgmState& from) {
    std::copy_n(from.costs.get(), s.states(), costs.get());
    minima = from.minima;
  }
  [[nodiscard]] std::uint8_t* data() const { return costs.get() + kGuard; }

 private:
  void clear(const SgmSizes& s, int plane, int x) const {
    const auto pixel = static_cast<std::size_t>(plane) * (static_cast<std::size_t>(s.width) + 2) +
                       static_cast<std::size_t>(x);
    std::fill_n(data() + pixel * static_cast<std::size_t>(s.stride), s.disparities,
                std::uint8_t{0});
  }
};

// Scratch memory of one thread.
struct SgmScratch {
  Aligned<std::uint8_t> cost, along;
  int along_least = 0;
  Aligned<std::uint16_t> winners;
  SumsRow row;
  std::vector<std::uint16_t> disparity, right_index;
  std::vector<std::uint8_t> confidence;
  RowMemory found;

  explicit SgmScratch(const SgmSizes& s)
      : cost(Aligned<std::uint8_t>::filled(s.costs(), 255)),
        along(Aligned<std::uint8_t>::filled(s.along(), 255)),
        winners(Aligned<std::uint16_t>::filled(s.winners(), 0)),
        disparity(static_cast<std::size_t>(s.width)),
        right_index(disparity.size()),
        confidence(disparity.size()),
        found{disparity.data(), right_index.data(), confidence.data()} {
    std::uint16_t* p = winners.get();
    for (std::uint16_t** field : {&row.index, &row.best, &row.below, &row.above, &row.elsewhere}) {
      *field = p;
      p += s.width;
    }
    row.right_best = p;
    row.right_index = p + s.right_winners();
  }
  [[nodiscard]] std::uint8_t* along_data() const { return along.get() + kGuard; }
};

}  // namespace bifocal::stereo
