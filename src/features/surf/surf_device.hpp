// SPDX-License-Identifier: BSD-3-Clause
// SURF of a batch of pictures of one size on a GPU, in its memory from the pixels to the features.
#pragma once

#include <bifocal/device.hpp>
#include <bifocal/features.hpp>

#include <cstdint>
#include <optional>
#include <vector>

#include "features/points_device.hpp"
#include "features/records.hpp"
#include "features/surf/integral_images.kernels.hpp"
#include "features/surf/surf.hpp"

namespace bifocal::features {

class SurfDevice {
 public:
  // room: features a picture at most; 0: as many as any photograph has.
  SurfDevice(Queue& queue, int width, int height, const SurfOptions& options, int batch,
             int room = 0);

  // Bytes of the device's memory for one picture.
  [[nodiscard]] static std::size_t bytes(int width, int height, const SurfOptions& options);
  // Features that a picture may have before the cap.
  [[nodiscard]] int room() const { return room_; }
  [[nodiscard]] std::size_t bytes() const { return bytes(given_width_, given_height_, options_); }
  [[nodiscard]] static bool is_banded() { return false; }

  void set_mask(const ImageU8& mask);
  // Pictures [first, first + count) of pictures [][height][width], count <= batch. Asynchronous.
  void run(const Memory<const std::uint8_t>& pictures, int first, int count,
           const FeatureOutput& out);
  // Whether the last run had more maxima or points than there is room for; waits. Throws
  // Error(device) where a tile had more than it can have.
  [[nodiscard]] bool was_full(int count);

 private:
  void make_octaves(const std::vector<SurfOctave>& octaves);
  void add_up(const Memory<const std::uint8_t>& pictures, int first, int count);
  void find(int count);
  void describe(int count, const FeatureOutput& out);
  [[nodiscard]] kernels::integral_images<float> images() const;

  Queue* queue_;
  int width_, height_;  // enlarged
  int given_width_, given_height_;
  SurfOptions options_;
  int octave_count_, tiles_ = 0;
  int stride_, bands_;
  std::int64_t pitch_;  // sums a picture
  int room_, candidate_room_, groups_;
  Buffer<std::uint32_t> sums_, totals_;
  Buffer<candidate> candidates_;
  Buffer<surf_octave_layout> octaves_;
  Buffer<float> scales_, shares_;
  std::optional<PointsDevice> points_;
};

}  // namespace bifocal::features
