// SPDX-License-Identifier: BSD-3-Clause
// SIFT of a batch of images of one size on a GPU. All data stay in device memory, from the pixels
// to the features.
//
// Points are described after the cap has selected them: find extrema, refine, orient, drop copies,
// sort, describe. If all levels of all octaves fit into memory, these steps follow each other.
// Bands (sift_plan.hpp) are computed twice, to find points and to describe them.
#pragma once

#include <bifocal/device.hpp>
#include <bifocal/features.hpp>

#include <cstdint>
#include <optional>
#include <vector>

#include "features/points_device.hpp"
#include "features/records.hpp"
#include "features/sift/sift_plan.hpp"

namespace bifocal::features {

class SiftDevice {
 public:
  // capacity: limit of the features per image; 0: enough for any photograph. memory: limit of the
  // bytes per image; 0: none. If all levels need more memory, they are processed in bands.
  SiftDevice(Queue& queue, int width, int height, const SiftOptions& options, int batch,
             int capacity = 0, std::size_t memory = 0);

  // Returns the bytes of device memory per image.
  [[nodiscard]] std::size_t bytes() const { return plan_.bytes; }
  [[nodiscard]] bool is_banded() const { return plan_.is_banded(); }
  // Returns the limit of the features of an image before the cap.
  [[nodiscard]] int capacity() const { return plan_.capacity; }

  void set_mask(const ImageU8& mask);
  // Processes images [first, first + count) of pictures [][height][width], count <=
  // batch. Asynchronous.
  void run(const Memory<const std::uint8_t>& pictures, int first, int count,
           const FeatureOutput& out);
  // Returns whether the last run exceeded the capacity for extrema or points; waits for the queue.
  // Throws Error(device) if a tile exceeded its capacity.
  [[nodiscard]] bool was_full(int count);

 private:
  struct Blur {
    int radius;
    Buffer<float> taps;
  };
  [[nodiscard]] Blur make_blur(const std::vector<float>& taps, int radius);
  void make_tables();
  void make_selection();
  // Computes the levels of a step, for `count` images from image `first` on.
  void make(std::size_t step, const Memory<const std::uint8_t>& pictures, int first, int count);
  void make_first_level(const Memory<const std::uint8_t>& pictures, int first, int count);
  void take_first_level(int count);
  // Blurs level `from` of the octaves [begin, end) into level `to`. is_halved: also writes the
  // first level of the next octave.
  void blur(const Blur& kernel, std::size_t begin, std::size_t end, int from, int to,
            bool is_halved, int count);
  void blur_lines(const Blur& kernel, const StepOctave& octave, int from, int to, int count);
  void halve_lines(std::size_t octave, int from, int count);
  void find(int count, bool is_counted);
  // Finds the points of the extrema that a cap of `most` can keep, without copies and not yet
  // in order.
  void select(int count, int most);
  void select_round(int round);
  // round: orients the extrema selected in this round; -1: all extrema.
  void orient(int round);
  void describe(int count, const FeatureOutput& out);
  [[nodiscard]] kernels::scale_space<float> space() const;
  [[nodiscard]] const SiftStep& step() const { return plan_.steps[step_]; }
  [[nodiscard]] std::int64_t level(const StepOctave& octave, int i) const {
    return octave.first + i * octave.plane;
  }

  Queue* queue_;
  int width_, height_, batch_;
  SiftOptions options_;
  SiftPlan plan_;
  std::size_t step_ = 0;  // step whose levels are in memory
  int candidate_capacity_, groups_;
  float scale_;
  Blur first_;
  std::vector<Blur> blurs_;  // from level i to level i + 1
  Buffer<float> pyramid_, lines_;
  Buffer<candidate> candidates_;
  Buffer<extremum> extrema_;
  Buffer<description_domain> domains_;
  Buffer<keypoint_shape> shapes_;               // shapes of points, if options.affine_shape
  std::vector<Buffer<octave_layout>> octaves_;  // octaves of each step
  // Buffers of the selection, empty without it.
  Buffer<std::uint32_t> histogram_, cut_, again_, selected_, selected_counts_;
  std::optional<PointsDevice> points_;
};

}  // namespace bifocal::features
