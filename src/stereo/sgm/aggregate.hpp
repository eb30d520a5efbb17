// SPDX-License-Identifier: BSD-3-Clause
// Semi-global matching on the CPU: census codes, matching costs, sums of path costs and winners,
// row by row. sgm_device.hpp is the version for GPUs.
//   H. Hirschmueller, Stereo processing by semiglobal matching and mutual information, PAMI
//   30(2), 2008.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

#include <bifocal/stereo.hpp>

#include "stereo/sgm/winner.hpp"

namespace bifocal::stereo {

// Use of memory that keeps the total below max_memory bytes (0: unlimited).
struct SgmPlan {
  int band = 0;           // rows whose sums are kept at the same time
  int threads = 1;        // maximum number of threads
  std::size_t bytes = 0;  // bytes of memory needed
};
// Throws Error(usage) naming max_memory if no band fits, not even one of a single row.
[[nodiscard]] SgmPlan plan_sgm(ImageSize size, const SgmOptions& options, int threads);

// Called once per row, in any order, from several threads.
using SgmSink = std::function<void(int y, const SgmWinnerRow& row)>;

// Finds the winners of image pairs of one size. The constructor allocates all memory.
class SgmSearch {
 public:
  // options: already checked.
  SgmSearch(ImageSize size, const SgmOptions& options, const SgmPlan& plan);
  ~SgmSearch();
  // left, right: grey images of the size given to the constructor.
  void run(ImageView<const std::uint8_t> left, ImageView<const std::uint8_t> right,
           const SgmSink& sink);
  void run(ImageView<const std::uint16_t> left, ImageView<const std::uint16_t> right,
           const SgmSink& sink);
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  // Returns the brightness of the left image in the last run, 0 to 255.
  [[nodiscard]] const ImageU8& brightness() const;

 private:
  class Work;
  std::size_t bytes_;
  std::unique_ptr<Work> work_;
};

}  // namespace bifocal::stereo
