// SPDX-License-Identifier: BSD-3-Clause
// What happens to disparities after the winners are known, on the CPU; chain.kernel.h and
// filter.kernel.h do the same on GPUs. `steps` as in disparity.lane.h.
#pragma once

#include <cstdint>

#include <bifocal/stereo.hpp>

namespace bifocal::stereo {

// Median of the known neighbours of known pixels in a square of `side` (3 or 5).
void median_known(const ImageU16& steps, int side, ImageU16& out);

// Regions (of 4-neighbours that differ by at most `range` steps) of fewer than `size` pixels become
// unknown.
void remove_speckles(ImageU16& steps, int size, int range);

// Values for unknown pixels; `brightness` of the left picture, `occluded` 1 where no right pixel's
// winner leads to the pixel (Fill::edge_aware only).
void fill_unknown(const ImageU16& steps, Fill fill, int window, const ImageU8& brightness,
                  const ImageU8& occluded, ImageU16& out);

// Steps of a length in px, rounded to the nearest, at most 65534; negative: -1.
[[nodiscard]] int steps_of(double px);

// The filters in their order, and the maps.
void filter_steps(ImageU16& steps, const DisparityFilter& filter, const ImageU8& brightness,
                  const ImageU8& occluded, int min_disparity, DisparityMap& map);

// raw, filled and density from steps; maps of the right size are used again.
void to_maps(ImageView<const std::uint16_t> raw, ImageView<const std::uint16_t> filled,
             int min_disparity, DisparityMap& map);

}  // namespace bifocal::stereo
