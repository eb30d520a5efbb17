// SPDX-License-Identifier: BSD-3-Clause
// Census and semi-global matching on the CPU: the sums of the path costs, row by row, and their
// winners. sgm_rows.hpp has the inner loops, sgm_device.hpp does the same on GPUs.
//   H. Hirschmueller, Stereo processing by semiglobal matching and mutual information, PAMI 30(2),
//   2008.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

#include <bifocal/stereo.hpp>

#include "stereo/sgm_rows.hpp"

namespace bifocal::stereo {

// Rows whose sums are kept at a time, so that all of it takes at most max_memory bytes (0: any
// number), and what it takes. Throws Error(usage) naming max_memory when one row is too much.
struct SgmPlan {
  int band = 0;
  int threads = 1;  // at most
  std::size_t bytes = 0;
};
[[nodiscard]] SgmPlan plan_sgm(int width, int height, const SgmOptions& options, int threads);

// Called once a row, in any order, from several threads.
using SgmSink = std::function<void(int y, const WinnerRow16& row)>;

// Of pairs of one size; all memory is taken when it is made.
class SgmSearch {
 public:
  // `options` have been checked.
  SgmSearch(int width, int height, const SgmOptions& options, const SgmPlan& plan);
  ~SgmSearch();
  // Grey pictures of that size.
  template <class T>
  void run(ImageView<const T> left, ImageView<const T> right, const SgmSink& sink);
  // Of the last left picture, 0 to 255.
  [[nodiscard]] const ImageU8& brightness() const;

 private:
  class Work;
  std::unique_ptr<Work> work_;
};

}  // namespace bifocal::stereo
