// SPDX-License-Identifier: BSD-3-Clause
#include "stereo/regions.hpp"

#include <bifocal/error.hpp>

#include <algorithm>

#include "stereo/rules.hpp"

namespace bifocal::stereo {

int Regions::root(int i) {
  while (run_at(i).parent != i) {
    int& parent = run_at(i).parent;
    parent = run_at(parent).parent;
    i = parent;
  }
  return i;
}

void Regions::join(int i, int other) {
  const int a = root(i), b = root(other);
  if (a == b) return;
  run_at(b).parent = a;
  run_at(a).pixels += run_at(b).pixels;
}

// Finds the runs of a row and joins each with those of the row above, [up, up_end), that it
// touches.
void Regions::add_row(const std::uint16_t* row, const std::uint16_t* above, int width, int range,
                      int up, int up_end) {
  const auto near = [range](std::uint16_t a, std::uint16_t b) {
    return Rules::disparities_near(a, b, range) != 0;
  };
  for (int x = 0; x < width;) {
    if (row[x] == Rules::UNKNOWN_DISPARITY) {
      ++x;
      continue;
    }
    const int begin = x, id = size();
    for (++x; x < width && near(row[x], row[x - 1]);) ++x;
    runs_.push_back({begin, x, id, x - begin});
    while (up < up_end && run(up).end <= begin) ++up;
    for (int u = up; u < up_end && run(u).begin < x; ++u) {
      const int from = std::max(begin, run(u).begin), to = std::min(x, run(u).end);
      bool touches = false;
      for (int i = from; i < to && !touches; ++i) touches = near(row[i], above[i]);
      if (touches) join(u, id);
    }
  }
}

void Regions::find(const ImageU16& values, int range) {
  const int width = values.width, height = values.height;
  runs_.clear();
  first_run_.resize(static_cast<std::size_t>(height) + 1);
  for (int y = 0; y < height; ++y) {
    check_cancelled();
    const int up_end = size();
    first_run_[static_cast<std::size_t>(y)] = up_end;
    add_row(values.row(y), y > 0 ? values.row(y - 1) : nullptr, width, range,
            y > 0 ? first_run(y - 1) : up_end, up_end);
  }
  first_run_[static_cast<std::size_t>(height)] = size();
}

}  // namespace bifocal::stereo
