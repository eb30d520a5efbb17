// SPDX-License-Identifier: BSD-3-Clause
// SURF of a batch of images of one size on a device. All data stay in device memory, from the
// pixels to the features.
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
  // capacity: limit of the features per image; 0: enough for any photograph.
  SurfDevice(Queue& queue, int width, int height, const SurfOptions& options, int batch,
             int capacity = 0);

  // Returns the bytes of device memory per image.
  [[nodiscard]] static std::size_t bytes(int width, int height, const SurfOptions& options);
  // Returns the limit of the features of an image before the cap.
  [[nodiscard]] int capacity() const { return capacity_; }
  [[nodiscard]] std::size_t bytes() const { return bytes(given_width_, given_height_, options_); }
  [[nodiscard]] static bool is_banded() { return false; }

  void set_mask(const ImageU8& mask);
  // Processes images [first, first + count) of pictures [][height][width], count <=
  // batch. Asynchronous.
  void run(const Memory<const std::uint8_t>& pictures, int first, int count,
           const FeatureOutput& out);
  // Returns whether the last run exceeded the capacity for maxima or points; waits for the queue.
  // Throws Error(device) if a tile exceeded its capacity.
  [[nodiscard]] bool was_full(int count);

 private:
  void make_octaves(const std::vector<SurfOctave>& octaves);
  void add_up(const Memory<const std::uint8_t>& pictures, int first, int count);
  void find(int count);
  void describe(int count, const FeatureOutput& out);
  [[nodiscard]] kernels::integral_images<float> images() const;

  Queue* queue_;
  int width_, height_;  // after enlargement
  int given_width_, given_height_;
  SurfOptions options_;
  int octave_count_, tiles_ = 0;
  int stride_, bands_;
  std::int64_t pitch_;  // sums per image
  int capacity_, candidate_capacity_, groups_;
  Buffer<std::uint32_t> sums_, totals_;
  Buffer<candidate> candidates_;
  Buffer<surf_octave_layout> octaves_;
  Buffer<float> scales_, shares_;
  std::optional<PointsDevice> points_;
};

}  // namespace bifocal::features
