// SPDX-License-Identifier: BSD-3-Clause
// A plan says which levels of a picture's octaves lie in a device's memory at a time.
//
// All of them where there is room. Otherwise the first octaves go by in bands of rows, one after
// the other in the same place: a band keeps rows of its own, in which extrema are sought and points
// described, and so many above and below them that these come out as of the whole octave. The first
// level of the next octave is kept whole; the octaves after the banded ones are made of it as ever.
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
  std::int64_t first;  // place of row 0 of the first level in the pyramid: negative where it is not
  std::int64_t plane;  // floats a level
  Rows kept, own;
  int first_tile;  // of those that are searched
};

// A step is what is in memory at a time: of all octaves those of [begin, end) keep rows, and the
// one at `end` has the place of its whole first level.
struct SiftStep {
  std::size_t begin, end;
  std::vector<StepOctave> octaves;
  int tiles;                 // that are searched
  std::int64_t first_level;  // place of the whole first level of octave `begin`, but for the first
};

struct SiftPlan {
  std::vector<SiftStep> steps;  // none: the picture is too small for an octave
  std::int64_t floats = 0;      // of the pyramid
  std::int64_t lines = 0;       // floats of a level, where some are blurred line by line
  int room = 0;                 // features before the cap
  int candidate_room = 0;       // extrema of a step
  bool has_selection = false;   // the cap chooses among the extrema
  std::size_t bytes = 0;        // of the device, for a picture
  [[nodiscard]] bool is_banded() const { return steps.size() > 1; }
};

// room: 0 is as many as any photograph has. memory: bytes that a picture may take, 0: any. Where
// not even the narrowest bands fit, the plan is that of these.
[[nodiscard]] SiftPlan plan_sift(int width, int height, const SiftOptions& options, int room = 0,
                                 std::size_t memory = 0);
// The plan that takes least memory.
[[nodiscard]] SiftPlan least_sift_plan(int width, int height, const SiftOptions& options,
                                       int room = 0);

// The radii that CUDA's kernel by tiles is compiled for: those of the default options.
inline constexpr int kTileRadii[] = {4, 5, 6, 8, 10};
// Tells whether groups blur tiles of an octave; others are blurred line by line.
[[nodiscard]] bool has_tiles(int radius, int width, int height);

}  // namespace bifocal::features
