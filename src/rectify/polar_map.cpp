// SPDX-License-Identifier: BSD-3-Clause
// Source positions of a polar rectification in 1/256 px. Compiled without contraction (see
// CMakeLists.txt): the same rows give the same positions on every machine.
#include <bifocal/error.hpp>
#include <bifocal/rectify.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "rectify/polar_places.hpp"
#include "rectify/sampling_map.hpp"
#include "runtime/cancel.hpp"
#include "runtime/parallel.hpp"

namespace bifocal {
namespace {

// The column that lies in the epipole.
double column_of_epipole(const PolarSide& side, const PolarRow& row) {
  return ((side.epipole[0] - row.x) * row.dx + (side.epipole[1] - row.y) * row.dy) /
         (row.dx * row.dx + row.dy * row.dy);
}

void polar_row(const PolarSide& side, const PolarRow& row, int width, std::int32_t* sx,
               std::int32_t* sy) {
  const double u1 = 256.0 * (side.photograph_width - 1) + 1,
               v1 = 256.0 * (side.photograph_height - 1) + 1, middle = column_of_epipole(side, row);
  for (int x = 0; x < width; ++x) {
    const double u = (row.x + row.dx * x) * 256 + 0.5, v = (row.y + row.dy * x) * 256 + 0.5;
    const bool in =
        u >= 0 && v >= 0 && u < u1 && v < v1 && (side.to_epipole ? x <= middle : x >= middle);
    sx[x] = in ? static_cast<std::int32_t>(u) : -1;
    sy[x] = in ? static_cast<std::int32_t>(v) : -1;
  }
}

}  // namespace

SamplingMap sampling_map(const PolarRectification& r, int side) {
  rectification::check_side("sampling_map", side);
  if (r.width < 1 || r.height < 1)
    throw Error(ErrorCode::usage,
                fmt::format("sampling_map: the pair is not rectified ({})", to_string(r.outcome)));
  const PolarSide& s = r.sides[static_cast<std::size_t>(side)];
  if (s.rows.size() != static_cast<std::size_t>(r.height))
    throw Error(ErrorCode::usage,
                fmt::format("sampling_map: {} rows, the height is {}", s.rows.size(), r.height));
  rectification::check_map_sizes("sampling_map", s.photograph_width, s.photograph_height, r.width,
                                 r.height);
  const auto width = static_cast<std::size_t>(r.width);
  SamplingMap map{r.width, r.height, s.photograph_width, s.photograph_height, {}, {}};
  runtime::grow(map.x, width * s.rows.size());
  runtime::grow(map.y, width * s.rows.size());
  runtime::parallel_for(r.height, [&](int y) {
    const auto row = static_cast<std::size_t>(y);
    polar_row(s, s.rows[row], r.width, map.x.data() + row * width, map.y.data() + row * width);
  });
  return map;
}

std::array<SamplingMap, 2> sampling_maps(const PolarRectification& r) {
  return {sampling_map(r, 0), sampling_map(r, 1)};
}

}  // namespace bifocal
