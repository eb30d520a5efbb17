// SPDX-License-Identifier: BSD-3-Clause
// What happens to disparities after the winners are known, on the CPU; chain.kernel.h and
// filter.kernel.h do the same on GPUs. `steps` as in disparity.lane.h.
#pragma once

#include <cstdint>
#include <vector>

#include <bifocal/stereo.hpp>

namespace bifocal::stereo {

// What the functions below keep from call to call, so that calls for pictures of one size allocate
// nothing after the first (speckles: unless there are more of them than in any call before).
struct ChainMemory {
  struct Run {  // neighbours in a row that are of one region
    int begin, end, parent, pixels;
  };
  std::vector<Run> runs;
  std::vector<int> first_run;          // of each row
  std::vector<std::uint16_t> windows;  // rows of the median, for each thread
  std::vector<char> known;             // rows with a value
  ImageU16 other, round;
};

// Median of the known neighbours of known pixels in a square of `side` (3 or 5).
void median_known(const ImageU16& steps, int side, ChainMemory& memory, ImageU16& out);

// Regions (of 4-neighbours that differ by at most `range` steps) of fewer than `size` pixels become
// unknown.
void remove_speckles(ImageU16& steps, int size, int range, ChainMemory& memory);

// Values for unknown pixels; `brightness` of the left picture, `occluded` 1 where no right pixel's
// winner leads to the pixel (Fill::edge_aware only).
void fill_unknown(const ImageU16& steps, Fill fill, int window,
                  ImageView<const std::uint8_t> brightness, const ImageU8& occluded,
                  ChainMemory& memory, ImageU16& out);

// Steps of a length in px, rounded to the nearest, at most 65534; negative: -1.
[[nodiscard]] int steps_of(double px);

// Where maps go, [height][width]; nullptr: nowhere.
struct MapPointers {
  float *raw = nullptr, *filled = nullptr;
  std::uint8_t* confidence = nullptr;
};
// Those of a map, which gets memory unless it has that of the right size. SSD has no confidence.
[[nodiscard]] MapPointers pointers_of(DisparityMap& map, int width, int height,
                                      bool has_confidence);

// Raw and filled from steps, and `confidence` where a pixel is known. Returns the density.
double to_maps(ImageView<const std::uint16_t> raw, ImageView<const std::uint16_t> filled,
               const std::uint8_t* confidence, int min_disparity, const MapPointers& out);
// raw, filled and density; maps of the right size are used again.
void to_maps(ImageView<const std::uint16_t> raw, ImageView<const std::uint16_t> filled,
             int min_disparity, DisparityMap& map);

// The filters in their order, and what is unknown filled (in memory.other; Fill::none: copied).
void filter_steps(ImageU16& steps, const DisparityFilter& filter,
                  ImageView<const std::uint8_t> brightness, const ImageU8& occluded,
                  ChainMemory& memory);

}  // namespace bifocal::stereo
