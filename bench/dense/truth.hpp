// SPDX-License-Identifier: BSD-3-Clause
// Errors of depth maps, from exact depth.
#pragma once

#include <bifocal/geometry.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace bifocal::bench {

// A photograph of a made scene: its camera, and the exact depth along the optical axis (NaN: sky)
// and normals (127: 1) of its pixels.
struct TrueView {
  std::string name;
  Intrinsics camera;
  Pose pose;
  int width = 0, height = 0;
  std::vector<float> depth;
  std::vector<std::int8_t> normal;
};

// A depth map with deviations and normals, as DenseMap has them.
struct FoundDepth {
  std::span<const float> depth, deviation;
  std::span<const std::int8_t> normal;
};

// Counts of the pixels that at least three photographs see: the true depths of two more
// photographs agree with the true point to 1 %.
struct DenseCounts {
  std::int64_t seen = 0, known = 0, near = 0, off = 0, normals = 0, contained = 0;
  std::int64_t sky = 0;                   // depths in the sky
  std::vector<float> errors, deviations;  // of the known pixels, relative

  void add(const DenseCounts& other);
  // Sentences for people.
  [[nodiscard]] std::string text() const;
};

// Compares every `step`-th pixel of view i in both directions. Throws Error(input) if the map has
// another size than the view.
[[nodiscard]] DenseCounts compare_depth(std::span<const TrueView> all, std::size_t i,
                                        const FoundDepth& found, int step);

}  // namespace bifocal::bench
