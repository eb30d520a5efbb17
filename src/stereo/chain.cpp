// SPDX-License-Identifier: BSD-3-Clause
#include "stereo/chain.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "runtime/parallel.hpp"
#include "stereo/disparity_text.hpp"
#include "stereo/median_row.hpp"

namespace bifocal::stereo {
namespace {

using Text = disparity_text;
constexpr std::uint16_t kUnknown = Text::UNKNOWN_STEPS;
constexpr int kRowsATask = 32, kSteps = Text::STEPS;

// body(y) for every row, some rows a task.
template <class Body>
void for_rows(int height, const Body& body) {
  runtime::parallel_for((height + kRowsATask - 1) / kRowsATask, [&](int task) {
    for (int y = task * kRowsATask; y < std::min(height, (task + 1) * kRowsATask); ++y) body(y);
  });
}

}  // namespace

void median_known(const ImageU16& steps, int side, ImageU16& out) {
  const int width = steps.width, height = steps.height, radius = side / 2;
  const auto stride = static_cast<std::size_t>(width + 2 * kMedianMargin);
  out = ImageU16(width, height);
  runtime::parallel_for((height + kRowsATask - 1) / kRowsATask, [&](int task) {
    const int begin = task * kRowsATask, end = std::min(height, begin + kRowsATask);
    const auto rows = static_cast<std::size_t>(end - begin + 2 * radius);
    std::vector<std::uint16_t> padded(rows * stride, kUnknown),
        result(static_cast<std::size_t>(width) + 32);
    for (std::size_t r = 0; r < rows; ++r) {
      const int y = begin - radius + static_cast<int>(r);
      if (y >= 0 && y < height)
        std::copy_n(steps.row(y), width, padded.data() + r * stride + kMedianMargin);
    }
    for (int y = begin; y < end; ++y) {
      std::array<const std::uint16_t*, 5> window{};
      for (int j = 0; j < side; ++j)
        window[static_cast<std::size_t>(j)] =
            padded.data() + static_cast<std::size_t>(y - begin + j) * stride + kMedianMargin;
      median_row(window.data(), side, width, result.data());
      std::copy_n(result.data(), width, out.row(y));
    }
  });
}

// Runs of neighbours in a row are joined with those that they touch in the row above.
void remove_speckles(ImageU16& steps, int size, int range) {
  const int width = steps.width, height = steps.height;
  struct Run {
    int begin, end, parent, pixels;
  };
  std::vector<Run> runs;
  std::vector<int> first(static_cast<std::size_t>(height) + 1, 0);
  const auto near = [range](std::uint16_t a, std::uint16_t b) {
    return std::abs(int{a} - int{b}) <= range;
  };
  const auto root = [&](int r) {
    while (runs[static_cast<std::size_t>(r)].parent != r) {
      int& parent = runs[static_cast<std::size_t>(r)].parent;
      parent = runs[static_cast<std::size_t>(parent)].parent;
      r = parent;
    }
    return r;
  };
  for (int y = 0; y < height; ++y) {
    const std::uint16_t* row = steps.row(y);
    const std::uint16_t* above = y > 0 ? steps.row(y - 1) : nullptr;
    first[static_cast<std::size_t>(y)] = static_cast<int>(runs.size());
    int up = y > 0 ? first[static_cast<std::size_t>(y) - 1] : 0;
    const int up_end = static_cast<int>(runs.size());
    for (int x = 0; x < width;) {
      if (row[x] == kUnknown) {
        ++x;
        continue;
      }
      const int begin = x, id = static_cast<int>(runs.size());
      for (++x; x < width && row[x] != kUnknown && near(row[x], row[x - 1]);) ++x;
      runs.push_back({begin, x, id, x - begin});
      if (!above) continue;
      while (up < up_end && runs[static_cast<std::size_t>(up)].end <= begin) ++up;
      for (int u = up; u < up_end && runs[static_cast<std::size_t>(u)].begin < x; ++u) {
        const int from = std::max(begin, runs[static_cast<std::size_t>(u)].begin),
                  to = std::min(x, runs[static_cast<std::size_t>(u)].end);
        bool touches = false;
        for (int i = from; i < to && !touches; ++i) touches = near(row[i], above[i]);
        if (!touches) continue;
        const int a = root(u), b = root(id);
        if (a == b) continue;
        runs[static_cast<std::size_t>(b)].parent = a;
        runs[static_cast<std::size_t>(a)].pixels += runs[static_cast<std::size_t>(b)].pixels;
      }
    }
  }
  first[static_cast<std::size_t>(height)] = static_cast<int>(runs.size());
  for (int y = 0; y < height; ++y) {
    for (int r = first[static_cast<std::size_t>(y)]; r < first[static_cast<std::size_t>(y) + 1];
         ++r) {
      const Run& run = runs[static_cast<std::size_t>(r)];
      if (runs[static_cast<std::size_t>(root(r))].pixels < size)
        std::fill(steps.row(y) + run.begin, steps.row(y) + run.end, kUnknown);
    }
  }
}

namespace {

// False when nothing in the row is known.
bool fill_row(std::uint16_t* row, int width) {
  int end = 0;
  while (end < width && row[end] == kUnknown) ++end;
  if (end == width) return false;
  std::fill(row, row + end, row[end]);
  while (end < width) {
    int begin = end + 1;  // after the last known one
    while (begin < width && row[begin] != kUnknown) ++begin;
    end = begin;
    while (end < width && row[end] == kUnknown) ++end;
    if (begin == end) break;
    const std::uint16_t left = row[begin - 1];
    std::fill(row + begin, row + end, end < width ? std::min(left, row[end]) : left);
  }
  return true;
}

// Rows without any value repeat the nearest row that has some, the upper one of two.
void fill_rows(ImageU16& steps, const std::vector<char>& known) {
  const auto is_known = [&](int y) {
    return y >= 0 && y < steps.height && known[static_cast<std::size_t>(y)];
  };
  for (int y = 0; y < steps.height; ++y) {
    if (is_known(y)) continue;
    for (int step = 1; step < steps.height; ++step) {
      const int from = is_known(y - step) ? y - step : y + step;
      if (!is_known(from)) continue;
      std::copy_n(steps.row(from), steps.width, steps.row(y));
      break;
    }
  }
}

void fill_background(ImageU16& steps) {
  std::vector<char> known(static_cast<std::size_t>(steps.height));
  for_rows(steps.height, [&](int y) {
    known[static_cast<std::size_t>(y)] = fill_row(steps.row(y), steps.width) ? 1 : 0;
  });
  fill_rows(steps, known);
}

// One round: unknown pixels with known ones in the window take their mean.
bool fill_mean_round(const ImageU16& in, int window, ImageU16& out) {
  const int width = in.width, height = in.height, radius = window / 2;
  std::atomic<bool> left{false}, filled{false};
  for_rows(height, [&](int y) {
    bool some_left = false, some_filled = false;
    const int y0 = std::max(0, y - radius), y1 = std::min(height, y + radius + 1);
    for (int x = 0; x < width; ++x) {
      out.at(x, y) = in.at(x, y);
      if (in.at(x, y) != kUnknown) continue;
      int sum = 0, count = 0;
      for (int v = y0; v < y1; ++v) {
        for (int u = std::max(0, x - radius); u < std::min(width, x + radius + 1); ++u) {
          if (in.at(u, v) == kUnknown) continue;
          sum += in.at(u, v);
          ++count;
        }
      }
      some_left = some_left || count == 0;
      if (count == 0) continue;
      some_filled = true;
      out.at(x, y) = static_cast<std::uint16_t>((sum + count / 2) / count);
    }
    if (some_left) left = true;
    if (some_filled) filled = true;
  });
  return left && filled;
}

void fill_mean(ImageU16& steps, int window) {
  ImageU16 next(steps.width, steps.height);
  for (bool again = true; again;) {
    again = fill_mean_round(steps, window, next);
    std::swap(steps, next);
  }
}

// The nearest known value in one direction, and the contrast and the steps on the way to it.
struct Seen {
  std::uint16_t value;
  int contrast;
};
Seen look(const ImageU16& steps, const ImageU8& brightness, int x, int y, int dx, int dy) {
  int contrast = 0;
  std::uint8_t last = brightness.at(x, y);
  while (true) {
    x += dx;
    y += dy;
    if (x < 0 || y < 0 || x >= steps.width || y >= steps.height) return {kUnknown, 0};
    const std::uint8_t now = brightness.at(x, y);
    contrast += std::abs(int{now} - int{last}) * Text::CONTRAST_WEIGHT + 1;
    last = now;
    if (steps.at(x, y) != kUnknown) return {steps.at(x, y), contrast};
  }
}

std::uint16_t edge_aware_value(const ImageU16& steps, const ImageU8& brightness, bool occluded,
                               int x, int y) {
  std::uint16_t smallest = kUnknown, second = kUnknown, best = kUnknown;
  int least = std::numeric_limits<int>::max();
  for (int dy = -1; dy <= 1; ++dy) {
    for (int dx = -1; dx <= 1; ++dx) {
      if (dx == 0 && dy == 0) continue;
      const Seen s = look(steps, brightness, x, y, dx, dy);
      if (s.value == kUnknown) continue;
      if (s.value < smallest) {
        second = smallest;
        smallest = s.value;
      } else if (s.value < second) {
        second = s.value;
      }
      if (s.contrast < least || (s.contrast == least && s.value < best)) {
        least = s.contrast;
        best = s.value;
      }
    }
  }
  if (!occluded) return best;
  return second == kUnknown ? smallest : second;
}

}  // namespace

void fill_unknown(const ImageU16& steps, Fill fill, int window, const ImageU8& brightness,
                  const ImageU8& occluded, ImageU16& out) {
  out = steps;
  if (fill == Fill::background) fill_background(out);
  if (fill == Fill::mean) fill_mean(out, window);
  if (fill != Fill::edge_aware) return;
  for_rows(steps.height, [&](int y) {
    for (int x = 0; x < steps.width; ++x) {
      if (steps.at(x, y) == kUnknown)
        out.at(x, y) = edge_aware_value(steps, brightness, occluded.at(x, y) != 0, x, y);
    }
  });
  fill_background(out);  // what no direction leads out of
}

int steps_of(double px) {
  if (px < 0) return -1;
  const double steps = std::floor(px * kSteps + 0.5);
  return steps < 65534 ? static_cast<int>(steps) : 65534;
}

void to_maps(ImageView<const std::uint16_t> raw, ImageView<const std::uint16_t> filled,
             int min_disparity, DisparityMap& map) {
  const int width = raw.width, height = raw.height;
  for (ImageF* image : {&map.raw, &map.filled}) {
    if (image->width != width || image->height != height || image->channels != 1)
      *image = ImageF(width, height);
  }
  std::vector<int> known(static_cast<std::size_t>(height));
  constexpr float unknown = std::numeric_limits<float>::quiet_NaN();
  const auto value = [&](std::uint16_t s) {
    return s == kUnknown ? unknown
                         : static_cast<float>(min_disparity) +
                               static_cast<float>(s) / static_cast<float>(kSteps);
  };
  for_rows(height, [&](int y) {
    int count = 0;
    for (int x = 0; x < width; ++x) {
      map.raw.at(x, y) = value(raw.at(x, y));
      map.filled.at(x, y) = value(filled.at(x, y));
      count += raw.at(x, y) != kUnknown ? 1 : 0;
    }
    known[static_cast<std::size_t>(y)] = count;
  });
  const std::int64_t total = std::accumulate(known.begin(), known.end(), std::int64_t{0});
  map.density = 100.0 * static_cast<double>(total) / (static_cast<double>(width) * height);
}

void filter_steps(ImageU16& steps, const DisparityFilter& filter, const ImageU8& brightness,
                  const ImageU8& occluded, int min_disparity, DisparityMap& map) {
  ImageU16 other;
  if (filter.median > 0) {
    median_known(steps, filter.median, other);
    std::swap(steps, other);
  }
  if (filter.speckle_size > 1)
    remove_speckles(steps, filter.speckle_size, steps_of(filter.speckle_range));
  fill_unknown(steps, filter.fill, filter.fill_window, brightness, occluded, other);
  to_maps(steps, other, min_disparity, map);
}

}  // namespace bifocal::stereo
