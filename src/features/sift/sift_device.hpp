// SPDX-License-Identifier: BSD-3-Clause
// SIFT of a batch of pictures of one size on a GPU, in its memory from the pixels to the features.
//
// A point is described after the cap has chosen it: find extrema, refine, orient, drop copies,
// sort, describe. Where all levels of all octaves are in memory that is one step after the other;
// bands (sift_plan.hpp) are made twice, to find points and to describe them.
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
  // room: features a picture at most; 0: as many as any photograph has. memory: bytes that a
  // picture may take, 0: any. Where all levels take more they go by in bands.
  SiftDevice(Queue& queue, int width, int height, const SiftOptions& options, int batch,
             int room = 0, std::size_t memory = 0);

  // Bytes of the device's memory that a picture takes.
  [[nodiscard]] std::size_t bytes() const { return plan_.bytes; }
  [[nodiscard]] bool is_banded() const { return plan_.is_banded(); }
  // Features that a picture may have before the cap.
  [[nodiscard]] int room() const { return plan_.room; }

  void set_mask(const ImageU8& mask);
  // Pictures [first, first + count) of pictures [][height][width], count <= batch. Asynchronous.
  void run(const Memory<const std::uint8_t>& pictures, int first, int count,
           const FeatureOutput& out);
  // Whether the last run had more extrema or points than there is room for; waits. Throws
  // Error(device) where a tile had more than it can have.
  [[nodiscard]] bool was_full(int count);

 private:
  struct Blur {
    int radius;
    Buffer<float> taps;
  };
  [[nodiscard]] Blur make_blur(const std::vector<float>& taps, int radius);
  void make_tables();
  void make_selection();
  // The levels of a step, of `count` of the pictures from `first` on.
  void make(std::size_t step, const Memory<const std::uint8_t>& pictures, int first, int count);
  void make_first_level(const Memory<const std::uint8_t>& pictures, int first, int count);
  void take_first_level(int count);
  // Level `from` of the octaves [begin, end) into level `to`. is_halved: and into the next octave.
  void blur(const Blur& kernel, std::size_t begin, std::size_t end, int from, int to,
            bool is_halved, int count);
  void blur_lines(const Blur& kernel, const StepOctave& octave, int from, int to, int count);
  void halve_lines(std::size_t octave, int from, int count);
  void find(int count, bool is_counted);
  // The points of the extrema that `most` can be of, without copies, but for the order.
  void select(int count, int most);
  void select_round(int round);
  // round: of the extrema that were selected; -1: of all.
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
  std::size_t step_ = 0;  // whose levels are in memory
  int candidate_room_, groups_;
  float scale_;
  Blur first_;
  std::vector<Blur> blurs_;  // from level i to i + 1
  Buffer<float> pyramid_, lines_;
  Buffer<candidate> candidates_;
  Buffer<extremum> extrema_;
  Buffer<description_domain> domains_;
  Buffer<keypoint_shape> shapes_;               // of points, where options.affine_shape
  std::vector<Buffer<octave_layout>> octaves_;  // of each step
  // Of the selection, where there is one.
  Buffer<std::uint32_t> histogram_, cut_, again_, selected_, selected_counts_;
  std::optional<PointsDevice> points_;
};

}  // namespace bifocal::features
