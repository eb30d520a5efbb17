// SPDX-License-Identifier: BSD-3-Clause
// Finds connected regions of disparities on CPUs.
#pragma once

#include <bifocal/image.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace bifocal::stereo {

// A region consists of 4-neighbours that differ by at most a range; a pixel with UNKNOWN_DISPARITY
// belongs to none. Memory is kept between calls.
class Regions {
 public:
  // labels [height][width]: the region of each pixel, as the index of one of the region's pixels,
  // or no_label(). sizes[label]: number of pixels in the region; other elements are not written.
  void find(ImageView<const std::uint16_t> values, int range, std::uint32_t* labels,
            std::uint32_t* sizes);

 private:
  struct Run {  // neighbours in a row that belong to one region
    int begin, end, parent;
    std::uint32_t label;
  };
  [[nodiscard]] int size() const { return static_cast<int>(runs_.size()); }
  [[nodiscard]] Run& run(int i) { return runs_[static_cast<std::size_t>(i)]; }
  int root(int i);
  void join_above(ImageView<const std::uint16_t> values, int y, int range, int i, int& up);
  void label(int width, int height, std::uint32_t* labels, std::uint32_t* sizes);

  std::vector<Run> runs_;
  std::vector<int> first_run_;  // index of the first run of each row
};

}  // namespace bifocal::stereo
