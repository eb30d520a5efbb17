// SPDX-License-Identifier: BSD-3-Clause
// Twin: regions.kernel.h (GPUs). Finds connected regions of disparities on CPUs by runs within
// rows. The twin remains because the tiles of the GPU version took a CPU about three times as long
// for the speckle filter of 1920 x 1080 pixels (65 ms and 20 ms in single runs on a loaded EPYC,
// November 2026).
#include "stereo/regions.hpp"

#include <bifocal/error.hpp>

#include <algorithm>

#include "stereo/row_blocks.hpp"
#include "stereo/rules.hpp"

namespace bifocal::stereo {

// Returns the run that represents the region of run i.
int Regions::root(int i) {
  while (run(i).parent != i) {
    int& parent = run(i).parent;
    parent = run(parent).parent;
    i = parent;
  }
  return i;
}

// Joins run i of row y with the neighbouring runs in the row above, starting at run `up`.
void Regions::join_above(ImageView<const std::uint16_t> values, int y, int range, int i, int& up) {
  const std::uint16_t *row = values.row(y), *above = values.row(y - 1);
  const int up_end = first_run_[static_cast<std::size_t>(y)], begin = run(i).begin,
            end = run(i).end;
  while (up < up_end && run(up).end <= begin) ++up;
  for (int u = up; u < up_end && run(u).begin < end; ++u) {
    for (int x = std::max(begin, run(u).begin), to = std::min(end, run(u).end); x < to; ++x) {
      if (!Rules::disparities_near(row[x], above[x], range)) continue;
      const int a = root(u), b = root(i);
      run(std::max(a, b)).parent = std::min(a, b);
      break;
    }
  }
}

void Regions::find(ImageView<const std::uint16_t> values, int range, std::uint32_t* labels,
                   std::uint32_t* sizes) {
  const int width = values.width, height = values.height;
  runs_.clear();
  first_run_.resize(static_cast<std::size_t>(height) + 1);
  for (int y = 0; y < height; ++y) {
    check_cancelled();
    const std::uint16_t* row = values.row(y);
    int up = y > 0 ? first_run_[static_cast<std::size_t>(y) - 1] : 0;
    first_run_[static_cast<std::size_t>(y)] = size();
    for (int x = 0; x < width;) {
      if (row[x] == Rules::UNKNOWN_DISPARITY) {
        ++x;
        continue;
      }
      const int begin = x, i = size();
      for (++x; x < width && Rules::disparities_near(row[x], row[x - 1], range);) ++x;
      runs_.push_back({begin, x, i, 0});
      if (y > 0) join_above(values, y, range, i, up);
    }
  }
  first_run_[static_cast<std::size_t>(height)] = size();
  label(width, height, labels, sizes);
}

void Regions::label(int width, int height, std::uint32_t* labels, std::uint32_t* sizes) {
  const auto first = [&](int y) { return first_run_[static_cast<std::size_t>(y)]; };
  // The label of a region is the first pixel of the run that represents it.
  for (int y = 0; y < height; ++y) {
    for (int i = first(y); i < first(y + 1); ++i) {
      Run& r = run(i);
      const bool is_root = r.parent == i;
      r.label = is_root ? static_cast<std::uint32_t>(y) * static_cast<std::uint32_t>(width) +
                              static_cast<std::uint32_t>(r.begin)
                        : run(root(i)).label;
      if (is_root) sizes[r.label] = 0;
      sizes[r.label] += static_cast<std::uint32_t>(r.end - r.begin);
    }
  }
  for_rows(height, [&](int y) {
    std::uint32_t* row = labels + std::ptrdiff_t{y} * width;
    std::fill_n(row, width, Rules::no_label());
    for (int i = first(y); i < first(y + 1); ++i)
      std::fill(row + run(i).begin, row + run(i).end, run(i).label);
  });
}

}  // namespace bifocal::stereo
