// SPDX-License-Identifier: BSD-3-Clause
// Planes for the unknown pixels of flat regions on the CPU (planes.lane.h); planes_device.hpp does
// the same on GPUs. Disparities are fixed-point (disparity.lane.h).
#pragma once

#include <bifocal/image.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "stereo/regions.hpp"
#include "stereo/rules.hpp"

namespace bifocal::stereo {

// A region's plane, and the range of the samples on it.
struct RegionPlane {
  Rules::disparity_plane plane{};
  int lowest = 0, highest = 0;
};

// Kept from call to call, so that calls for pictures of one size allocate nothing after the first
// (unless they have more regions).
struct PlanesMemory {
  std::vector<int> plane_of;           // of each run; -1 none
  std::vector<int> roots;              // runs whose regions have samples
  std::vector<std::uint32_t> samples;  // [regions][PLANE_SAMPLES]
  std::vector<RegionPlane> planes;     // of those regions
  std::vector<char> fits;
};

// Copies `disparity` to `out`, with values for the unknown pixels of flat regions that have a
// plane. brightness: of the left picture, 0 to 255. flat, regions: scratch.
void fill_planes(const ImageU16& disparity, ImageView<const std::uint8_t> brightness,
                 PlanesMemory& memory, Regions& regions, ImageU16& flat, ImageU16& out);

}  // namespace bifocal::stereo
