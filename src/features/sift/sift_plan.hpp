// SPDX-License-Identifier: BSD-3-Clause
// Plans which levels of an image's octaves are in device memory at the same time.
//
// If memory suffices, all levels of all octaves are. Otherwise the first octaves are processed in
// bands of rows, one band after another in the same place. A band owns rows, in which extrema are
// searched and points described, and keeps enough rows above and below for the same results as with
// the whole octave. The first level of the next octave is kept whole; the octaves after the bands
// are computed from it as usual.
#pragma once

#include <bifocal/features.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace bifocal::features {

struct Rows {
  int first = 0, end = 0;
  [[nodiscard]] int size() const { return end - first; }
};

struct StepOctave {
  int width, height, stride;
  std::int64_t first;  // position of row 0 of the first level in the pyramid; negative if it is
                       // not kept
  std::int64_t plane;  // floats per level
  Rows kept, own;
  int first_tile;  // first tile of the octave in the search
};

// A step is the set of levels in memory at the same time: of all octaves, [begin, end) keep rows,
// and octave `end` has a place for its whole first level.
struct SiftStep {
  std::size_t begin, end;
  std::vector<StepOctave> octaves;
  int tiles;                 // tiles to search
  std::int64_t first_level;  // position of the whole first level of octave `begin`; unused for
                             // octave 0
};

struct SiftPlan {
  std::vector<SiftStep> steps;  // empty: the image is too small for an octave
  std::int64_t floats = 0;      // floats of the pyramid
  std::int64_t lines = 0;       // floats of a level, if some levels are blurred line by line
  int capacity = 0;             // limit of features before the cap
  int candidate_capacity = 0;   // limit of extrema in a step
  bool has_selection = false;   // the cap selects among the extrema
  std::size_t bytes = 0;        // bytes of device memory per image
  [[nodiscard]] bool is_banded() const { return steps.size() > 1; }
};

// Returns the plan of an image. capacity: limit of its features; 0: enough for any photograph.
// memory: limit of its bytes; 0: none. If not even the narrowest bands fit, returns the plan with
// these bands.
[[nodiscard]] SiftPlan plan_sift(int width, int height, const SiftOptions& options,
                                 int capacity = 0, std::size_t memory = 0);
// Returns the plan that needs the least memory.
[[nodiscard]] SiftPlan least_sift_plan(int width, int height, const SiftOptions& options,
                                       int capacity = 0);

// Radii for which CUDA's kernel by tiles is compiled: the radii of the default options.
inline constexpr int kTileRadii[] = {4, 5, 6, 8, 10};
// Returns whether groups blur tiles of an octave; otherwise it is blurred line by line.
[[nodiscard]] bool has_tiles(int radius, int width, int height);

}  // namespace bifocal::features
