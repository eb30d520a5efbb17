// SPDX-License-Identifier: BSD-3-Clause
// Semi-global matching on the CPU: census, matching costs, the sums of the path costs and their
// winners, row by row. sgm_device.hpp does the same on GPUs.
//   H. Hirschmueller, Stereo processing by semiglobal matching and mutual information, PAMI 30(2),
//   2008.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

#include <bifocal/stereo.hpp>

#include "stereo/sgm/winner.hpp"

namespace bifocal::stereo {

// The memory is used so that all of it takes at most max_memory bytes (0: any number).
struct SgmPlan {
  int band = 0;           // rows whose sums are kept at a time
  int threads = 1;        // at most
  std::size_t bytes = 0;  // that it takes
};
// Throws Error(usage) naming max_memory when one row is too much.
[[nodiscard]] SgmPlan plan_sgm(PictureSize size, const SgmOptions& options, int threads);

// Called once a row, in any order, from several threads.
using SgmSink = std::function<void(int y, const SgmWinnerRow& row)>;

// Finds the winners of pairs of one size. All memory is taken when it is made.
class SgmSearch {
 public:
  // `options` have been checked.
  SgmSearch(PictureSize size, const SgmOptions& options, const SgmPlan& plan);
  ~SgmSearch();
  // The pictures are grey and of that size.
  void run(ImageView<const std::uint8_t> left, ImageView<const std::uint8_t> right,
           const SgmSink& sink);
  void run(ImageView<const std::uint16_t> left, ImageView<const std::uint16_t> right,
           const SgmSink& sink);
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  // Returns the brightness of the left picture of the last run, 0 to 255.
  [[nodiscard]] const ImageU8& brightness() const;

 private:
  class Work;
  std::size_t bytes_;
  std::unique_ptr<Work> work_;
};

}  // namespace bifocal::stereo
