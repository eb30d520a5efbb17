// SPDX-License-Identifier: BSD-3-Clause
// Connected regions of disparities on CPUs.
#pragma once

#include <bifocal/image.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace bifocal::stereo {

// Finds regions of 4-neighbours that differ by at most a range; UNKNOWN_DISPARITY is in none.
// Memory is kept from call to call.
class Regions {
 public:
  // labels [height][width]: each pixel's region, as the number of one of its pixels, or no_label().
  // sizes[label]: the pixels of the region; the other sizes are not written.
  void find(ImageView<const std::uint16_t> values, int range, std::uint32_t* labels,
            std::uint32_t* sizes);

 private:
  struct Run {  // neighbours in a row that are of one region
    int begin, end, parent;
    std::uint32_t label;
  };
  [[nodiscard]] int size() const { return static_cast<int>(runs_.size()); }
  [[nodiscard]] Run& run(int i) { return runs_[static_cast<std::size_t>(i)]; }
  int root(int i);
  void join_above(ImageView<const std::uint16_t> values, int y, int range, int i, int& up);
  void label(int width, int height, std::uint32_t* labels, std::uint32_t* sizes);

  std::vector<Run> runs_;
  std::vector<int> first_run_;  // of each row
};

}  // namespace bifocal::stereo
