// SPDX-License-Identifier: BSD-3-Clause
// Census and semi-global matching on the CPU: the sums of the path costs, row by row, and their
// winners. sgm_rows.hpp has the inner loops, sgm_device.hpp does the same on GPUs.
//   H. Hirschmueller, Stereo processing by semiglobal matching and mutual information, PAMI 30(2),
//   2008.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include <bifocal/stereo.hpp>

#include "stereo/sgm_rows.hpp"

namespace bifocal::stereo {

// What a picture is for the matcher.
struct CensusPicture {
  int width = 0, height = 0;
  Image<std::uint32_t> low, high;  // codes; `high` of a full census only
  ImageU8 brightness;              // 0 to 255
};
template <class T>
[[nodiscard]] CensusPicture census_picture(ImageView<const T> image, const SgmOptions& options);

// Rows that a sweep keeps sums of at a time, so that all of it takes at most max_memory bytes (0:
// any number), and what it takes. Throws Error(usage) naming max_memory when one row is too much.
struct SgmPlan {
  int band = 0;
  std::size_t bytes = 0;
};
[[nodiscard]] SgmPlan plan_sgm(int width, int height, const SgmOptions& options, int threads);

// Called once a row, in any order, from several threads.
using SgmSink = std::function<void(int y, const WinnerRow16& row)>;

// `options` have been checked; pictures of one size.
void sgm_winners(const CensusPicture& left, const CensusPicture& right, const SgmOptions& options,
                 const SgmPlan& plan, const SgmSink& sink);

}  // namespace bifocal::stereo
