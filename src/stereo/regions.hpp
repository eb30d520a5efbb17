// SPDX-License-Identifier: BSD-3-Clause
// Connected regions of a picture on the CPU: runs of neighbours in a row, joined from row to row.
#pragma once

#include <bifocal/image.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace bifocal::stereo {

// Regions of 4-neighbours that differ by at most a range; UNKNOWN_DISPARITY is of none. Memory is
// kept from call to call.
class Regions {
 public:
  struct Run {                       // neighbours in a row that are of one region
    int begin, end, parent, pixels;  // pixels: of the region, where the run is its root
  };

  void find(const ImageU16& values, int range);

  [[nodiscard]] int size() const { return static_cast<int>(runs_.size()); }
  [[nodiscard]] const Run& run(int i) const { return runs_[static_cast<std::size_t>(i)]; }
  // Runs [first_run(y), first_run(y + 1)) are of row y.
  [[nodiscard]] int first_run(int y) const { return first_run_[static_cast<std::size_t>(y)]; }
  // The run that stands for the region of run i. Not for two threads at once.
  int root(int i);

 private:
  [[nodiscard]] Run& run_at(int i) { return runs_[static_cast<std::size_t>(i)]; }
  void join(int i, int other);
  void add_row(const std::uint16_t* row, const std::uint16_t* above, int width, int range, int up,
               int up_end);

  std::vector<Run> runs_;
  std::vector<int> first_run_;
};

}  // namespace bifocal::stereo
