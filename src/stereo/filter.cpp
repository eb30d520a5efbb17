// SPDX-License-Identifier: BSD-3-Clause
#include "stereo/filter.hpp"

#include <bifocal/error.hpp>

#include <algorithm>
#include <array>

#include "stereo/maps.hpp"
#include "stereo/median_row.hpp"
#include "stereo/row_blocks.hpp"
#include "stereo/rules.hpp"

namespace bifocal::stereo {
namespace {

constexpr std::uint16_t kUnknown = Rules::UNKNOWN_DISPARITY;

using Run = FilterMemory::Run;

Run& run_at(FilterMemory& memory, int i) { return memory.runs[static_cast<std::size_t>(i)]; }

int root(FilterMemory& memory, int i) {
  while (run_at(memory, i).parent != i) {
    int& parent = run_at(memory, i).parent;
    parent = run_at(memory, parent).parent;
    i = parent;
  }
  return i;
}

void join(FilterMemory& memory, int i, int other) {
  const int a = root(memory, i), b = root(memory, other);
  if (a == b) return;
  run_at(memory, b).parent = a;
  run_at(memory, a).pixels += run_at(memory, b).pixels;
}

// Finds the runs of a row and joins each with those of the row above, [up, up_end), that it
// touches.
void add_row(const std::uint16_t* row, const std::uint16_t* above, int width, int range, int up,
             int up_end, FilterMemory& memory) {
  const auto near = [range](std::uint16_t a, std::uint16_t b) {
    return Rules::disparities_near(a, b, range) != 0;
  };
  for (int x = 0; x < width;) {
    if (row[x] == kUnknown) {
      ++x;
      continue;
    }
    const int begin = x, id = static_cast<int>(memory.runs.size());
    for (++x; x < width && near(row[x], row[x - 1]);) ++x;
    memory.runs.push_back({begin, x, id, x - begin});
    while (up < up_end && run_at(memory, up).end <= begin) ++up;
    for (int u = up; u < up_end && run_at(memory, u).begin < x; ++u) {
      const int from = std::max(begin, run_at(memory, u).begin),
                to = std::min(x, run_at(memory, u).end);
      bool touches = false;
      for (int i = from; i < to && !touches; ++i) touches = near(row[i], above[i]);
      if (touches) join(memory, u, id);
    }
  }
}

}  // namespace

void check_row(const WinnerRow& row, int width, int min_disparity, int tolerance,
               std::uint16_t* disparity) {
  for (int x = 0; x < width; ++x)
    disparity[x] = static_cast<std::uint16_t>(
        Rules::cross_checked(row.disparity[x], x, min_disparity, tolerance, row.right_index));
}

void median_known(const ImageU16& disparity, int side, FilterMemory& memory, ImageU16& out) {
  const int width = disparity.width, height = disparity.height, radius = side / 2;
  const auto stride = static_cast<std::size_t>(width + 2 * kMedianMargin);
  const std::size_t rows = kRowsABlock + 2 * static_cast<std::size_t>(radius);
  const int workers = blocks_at_once(height);
  memory.windows.resize(static_cast<std::size_t>(workers) * (rows + 1) * stride);
  fit(out, width, height);
  const auto block = [&](int worker, int begin, int end) {
    std::uint16_t* padded =
        memory.windows.data() + static_cast<std::size_t>(worker) * (rows + 1) * stride;
    std::uint16_t* result = padded + rows * stride;
    std::fill_n(padded, rows * stride, kUnknown);
    for (int y = std::max(0, begin - radius); y < std::min(height, end + radius); ++y)
      std::copy_n(disparity.row(y), width,
                  padded + static_cast<std::size_t>(y - begin + radius) * stride + kMedianMargin);
    for (int y = begin; y < end; ++y) {
      std::array<const std::uint16_t*, 5> window{};
      for (int j = 0; j < side; ++j)
        window[static_cast<std::size_t>(j)] =
            padded + static_cast<std::size_t>(y - begin + j) * stride + kMedianMargin;
      median_row(window.data(), side, width, result);
      std::copy_n(result, width, out.row(y));
    }
  };
  for_row_blocks(workers, height, block);
}

void remove_speckles(ImageU16& disparity, int size, int range, FilterMemory& memory) {
  const int width = disparity.width, height = disparity.height;
  auto& first = memory.first_run;
  memory.runs.clear();
  first.resize(static_cast<std::size_t>(height) + 1);
  for (int y = 0; y < height; ++y) {
    check_cancelled();
    const int up_end = static_cast<int>(memory.runs.size());
    first[static_cast<std::size_t>(y)] = up_end;
    add_row(disparity.row(y), y > 0 ? disparity.row(y - 1) : nullptr, width, range,
            y > 0 ? first[static_cast<std::size_t>(y) - 1] : up_end, up_end, memory);
  }
  first[static_cast<std::size_t>(height)] = static_cast<int>(memory.runs.size());
  for (int y = 0; y < height; ++y) {
    check_cancelled();
    for (int i = first[static_cast<std::size_t>(y)]; i < first[static_cast<std::size_t>(y) + 1];
         ++i) {
      const Run& run = run_at(memory, i);
      if (run_at(memory, root(memory, i)).pixels < size)
        std::fill(disparity.row(y) + run.begin, disparity.row(y) + run.end, kUnknown);
    }
  }
}

void filter_disparity(ImageU16& disparity, const DisparityFilter& filter, FilterMemory& memory) {
  if (filter.median > 0) {
    median_known(disparity, filter.median, memory, memory.filled);
    std::swap(disparity, memory.filled);
  }
  if (filter.speckle_size > 1)
    remove_speckles(disparity, filter.speckle_size, subpixels_of(filter.speckle_range), memory);
  fill_unknown(disparity, filter.fill, filter.fill_window, memory.fill, memory.filled);
}

}  // namespace bifocal::stereo
