// SPDX-License-Identifier: BSD-3-Clause
// SIFT of a batch of pictures of one size on a GPU, in its memory from the pixels to the features.
//
// All levels of all octaves are kept, so that a point is described after the cap has chosen it:
// find extrema, refine, orient, drop copies, sort, describe.
#pragma once

#include <bifocal/device.hpp>
#include <bifocal/features.hpp>

#include <cstdint>
#include <optional>
#include <vector>

#include "features/points_device.hpp"

namespace bifocal::features {

class SiftDevice {
 public:
  // room: features a picture at most; 0: as many as any photograph has.
  SiftDevice(Queue& queue, int width, int height, const SiftOptions& options, int batch,
             int room = 0);

  // Bytes of the device's memory for one picture.
  [[nodiscard]] static std::size_t bytes(int width, int height, const SiftOptions& options);
  // Features that a picture may have before the cap.
  [[nodiscard]] int room() const { return room_; }

  void set_mask(const ImageU8& mask);
  // Pictures [first, first + count) of pictures [][height][width], count <= batch. Asynchronous.
  void run(const Memory<const std::uint8_t>& pictures, int first, int count,
           const FeatureOutput& out);
  // Whether the last run had more extrema or points than there is room for; waits. Throws
  // Error(device) where a tile had more than it can have.
  [[nodiscard]] bool was_full(int count);

 private:
  struct Octave {
    int width, height, stride;
    std::int64_t first, plane;  // floats
  };
  struct Blur {
    int radius;
    Buffer<float> taps;
  };
  struct Shape {
    std::vector<Octave> octaves;
    std::int64_t floats = 0;  // of the pyramid of a picture
    int room = 0, candidate_room = 0;
  };
  static Shape shape_of(int width, int height, const SiftOptions& options);
  // Whether the cap chooses among the extrema.
  static bool has_selection(int width, int height, const SiftOptions& options);
  [[nodiscard]] Blur make_blur(const std::vector<float>& taps, int radius);
  void make_first_level(const Memory<const std::uint8_t>& pictures, int first, int count);
  // Level `from` of the octaves [begin, end) into level `to`. is_halved: and into the next octave.
  void blur(const Blur& kernel, std::size_t begin, std::size_t end, int from, int to,
            bool is_halved, int count);
  void blur_lines(const Blur& kernel, const Octave& octave, int from, int to, int count);
  void find(int count, bool is_counted);
  // The points of the extrema that `most` can be of, without copies, but for the order.
  void select(int count, int most);
  void select_round(int round);
  // round: of the extrema that were selected; -1: of all.
  void orient(int round);
  void describe(int count, const FeatureOutput& out);
  [[nodiscard]] kernels::scale_space<float> space() const;
  [[nodiscard]] std::int64_t level(const Octave& octave, int i) const {
    return octave.first + i * octave.plane;
  }

  Queue* queue_;
  int width_, height_, batch_;
  SiftOptions options_;
  Shape shape_;
  int room_, candidate_room_, groups_;
  int tiles_ = 0;  // that the search of a picture has
  float scale_;
  Blur first_;
  std::vector<Blur> blurs_;  // from level i to i + 1
  Buffer<float> pyramid_, lines_, extrema_, domains_;
  Buffer<float> shapes_;  // of points, where options.affine_shape
  Buffer<std::int64_t> octaves_;
  Buffer<std::uint32_t> candidates_;
  // Of the selection, where there is one.
  Buffer<std::uint32_t> histogram_, cut_, again_, selected_, selected_counts_;
  std::optional<PointsDevice> points_;
};

}  // namespace bifocal::features
