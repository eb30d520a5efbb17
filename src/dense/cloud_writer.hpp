// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <bifocal/dense.hpp>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <span>

namespace bifocal::dense {

// Writes a PLY file of points whose number is not known at first: binary little-endian, float x y z
// nx ny nz, uchar red green blue, float deviation, uchar views.
class CloudWriter {
 public:
  explicit CloudWriter(std::filesystem::path file);
  // Throws Error(input) that names the file if it cannot be written.
  void add(std::span<const FusedPoint> points);
  // Completes the file. Returns the number of points.
  std::int64_t finish();

 private:
  void write(std::string_view bytes);
  std::filesystem::path file_;
  std::ofstream out_;
  std::int64_t count_ = 0;
};

}  // namespace bifocal::dense
