// SPDX-License-Identifier: BSD-3-Clause
#include "stereo/chain.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <limits>
#include <vector>

#include "stereo/disparity_text.hpp"
#include "stereo/median_row.hpp"
#include "stereo/row_blocks.hpp"

namespace bifocal::stereo {
namespace {

using Text = disparity_text;
constexpr std::uint16_t kUnknown = Text::UNKNOWN_STEPS;
constexpr int kSteps = Text::STEPS;

// Memory of an image; its contents are of no matter.
template <class T>
void fit(Image<T>& image, int width, int height) {
  if (image.width != width || image.height != height || image.channels != 1)
    image = Image<T>(width, height);
}

}  // namespace

void median_known(const ImageU16& steps, int side, ChainMemory& memory, ImageU16& out) {
  const int width = steps.width, height = steps.height, radius = side / 2;
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
      std::copy_n(steps.row(y), width,
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

// Runs of neighbours in a row are joined with those that they touch in the row above.
void remove_speckles(ImageU16& steps, int size, int range, ChainMemory& memory) {
  const int width = steps.width, height = steps.height;
  auto& runs = memory.runs;
  auto& first = memory.first_run;
  runs.clear();
  first.resize(static_cast<std::size_t>(height) + 1);
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
      const ChainMemory::Run& run = runs[static_cast<std::size_t>(r)];
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
  const int height = steps.height;
  int above = -1, below = 0;  // the known rows around row y; -1 and height: none
  for (int y = 0; y < height; ++y) {
    if (known[static_cast<std::size_t>(y)]) {
      above = y;
      continue;
    }
    for (below = std::max(below, y + 1); below < height; ++below)
      if (known[static_cast<std::size_t>(below)]) break;
    if (above < 0 && below == height) return;
    const bool up = above >= 0 && (below == height || y - above <= below - y);
    std::copy_n(steps.row(up ? above : below), steps.width, steps.row(y));
  }
}

void fill_background(ImageU16& steps, std::vector<char>& known) {
  known.resize(static_cast<std::size_t>(steps.height));
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

void fill_mean(ImageU16& steps, int window, ImageU16& next) {
  fit(next, steps.width, steps.height);
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
Seen look(const ImageU16& steps, ImageView<const std::uint8_t> brightness, int x, int y, int dx,
          int dy) {
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

std::uint16_t edge_aware_value(const ImageU16& steps, ImageView<const std::uint8_t> brightness,
                               bool occluded, int x, int y) {
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

void fill_unknown(const ImageU16& steps, Fill fill, int window,
                  ImageView<const std::uint8_t> brightness, const ImageU8& occluded,
                  ChainMemory& memory, ImageU16& out) {
  fit(out, steps.width, steps.height);
  for_rows(steps.height, [&](int y) { std::copy_n(steps.row(y), steps.width, out.row(y)); });
  if (fill == Fill::background) fill_background(out, memory.known);
  if (fill == Fill::mean) fill_mean(out, window, memory.round);
  if (fill != Fill::edge_aware) return;
  const auto is_known = [](std::uint16_t s) { return s != kUnknown; };
  if (std::none_of(steps.pixels.begin(), steps.pixels.end(), is_known)) return;
  for_rows(steps.height, [&](int y) {
    for (int x = 0; x < steps.width; ++x) {
      if (steps.at(x, y) == kUnknown)
        out.at(x, y) = edge_aware_value(steps, brightness, occluded.at(x, y) != 0, x, y);
    }
  });
  fill_background(out, memory.known);  // what no direction leads out of
}

int steps_of(double px) {
  if (px < 0) return -1;
  const double steps = std::floor(px * kSteps + 0.5);
  return steps < 65534 ? static_cast<int>(steps) : 65534;
}

MapPointers pointers_of(DisparityMap& map, int width, int height, bool has_confidence) {
  fit(map.raw, width, height);
  fit(map.filled, width, height);
  if (has_confidence) {
    fit(map.confidence, width, height);
  } else {
    map.confidence = {};
  }
  return {map.raw.pixels.data(), map.filled.pixels.data(),
          has_confidence ? map.confidence.pixels.data() : nullptr};
}

double to_maps(ImageView<const std::uint16_t> raw, ImageView<const std::uint16_t> filled,
               const std::uint8_t* confidence, int min_disparity, const MapPointers& out) {
  const int width = raw.width, height = raw.height;
  constexpr float unknown = std::numeric_limits<float>::quiet_NaN();
  const auto first = static_cast<float>(min_disparity);
  const auto values = [&](const std::uint16_t* in, float* to) {
    for (int x = 0; x < width; ++x) {
      const float value = first + static_cast<float>(in[x]) / static_cast<float>(kSteps);
      to[x] = in[x] == kUnknown ? unknown : value;
    }
  };
  std::atomic<std::int64_t> total{0};
  for_rows(height, [&](int y) {
    const auto at = static_cast<std::ptrdiff_t>(y) * width;
    const std::uint16_t* steps = raw.row(y);
    if (out.raw) values(steps, out.raw + at);
    if (out.filled) values(filled.row(y), out.filled + at);
    for (int x = 0; out.confidence && x < width; ++x)
      out.confidence[at + x] = steps[x] == kUnknown ? std::uint8_t{0} : confidence[at + x];
    total += width - std::count(steps, steps + width, kUnknown);
  });
  return 100.0 * static_cast<double>(total) / (static_cast<double>(width) * height);
}

void to_maps(ImageView<const std::uint16_t> raw, ImageView<const std::uint16_t> filled,
             int min_disparity, DisparityMap& map) {
  fit(map.raw, raw.width, raw.height);
  fit(map.filled, raw.width, raw.height);
  map.density = to_maps(raw, filled, nullptr, min_disparity,
                        {map.raw.pixels.data(), map.filled.pixels.data()});
}

void filter_steps(ImageU16& steps, const DisparityFilter& filter,
                  ImageView<const std::uint8_t> brightness, const ImageU8& occluded,
                  ChainMemory& memory) {
  if (filter.median > 0) {
    median_known(steps, filter.median, memory, memory.other);
    std::swap(steps, memory.other);
  }
  if (filter.speckle_size > 1)
    remove_speckles(steps, filter.speckle_size, steps_of(filter.speckle_range), memory);
  fill_unknown(steps, filter.fill, filter.fill_window, brightness, occluded, memory, memory.other);
}

}  // namespace bifocal::stereo
