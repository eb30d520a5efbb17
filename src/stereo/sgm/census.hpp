// SPDX-License-Identifier: BSD-3-Clause
// Computes the census codes of an image pair on the CPU.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <bifocal/stereo.hpp>

namespace bifocal::stereo {

// A row of census codes, and the smoothed brightness of the padded rows around it.
struct CensusRow {
  const std::uint16_t* rows[7];  // smoothed rows y - 3 to y + 3, with columns -4 to width + 3
  int width = 0, kind = 0, tolerance = 0;
  std::uint16_t* half[4];         // scratch [width]
  std::uint32_t* low = nullptr;   // out [width]: first 32 bits of the code
  std::uint32_t* high = nullptr;  // out: further bits of a full census, else null
};

// Computes the codes of image pairs of one size, on at most `threads` threads. The constructor
// allocates all memory.
class CensusCoder {
 public:
  // Rows of the right image's codes are reversed and hold `reach` elements: element e belongs to
  // column width - 1 - min_disparity - e, or to the nearest existing column.
  CensusCoder(int width, int height, int reach, const SgmOptions& options, int threads);
  template <class T>
  void run(ImageView<const T> left, ImageView<const T> right);

  // Returns the first 32 bits of the codes (part 0) or the further bits (part 1; nullptr unless the
  // census is full).
  [[nodiscard]] const std::uint32_t* left(int part, int y) const { return row(0, part, y); }
  [[nodiscard]] const std::uint32_t* right(int part, int y) const { return row(1, part, y); }
  // Returns whether enough samples have a clear match (Rules::has_clear_match).
  [[nodiscard]] bool is_clear(int disparities) const;
  [[nodiscard]] const ImageU8& brightness() const { return brightness_; }  // left, values 0 to 255
  [[nodiscard]] static std::size_t bytes(int width, int height, int reach,
                                         const SgmOptions& options, int threads);

 private:
  // Scratch memory of one thread.
  struct Scratch {
    explicit Scratch(int width);
    std::vector<std::uint32_t> column, code[2];
    std::vector<std::uint16_t> halves;
  };
  using Codes = std::array<Image<std::uint32_t>, 2>;

  [[nodiscard]] const std::uint32_t* row(std::size_t picture, int part, int y) const {
    const auto& codes = codes_[picture][static_cast<std::size_t>(part)];
    return codes.empty() ? nullptr : codes.row(y);
  }
  [[nodiscard]] std::uint16_t* smoothed_row(int y);
  [[nodiscard]] int workers() const;
  template <class T>
  void smooth(ImageView<const T> image);
  void code(int tolerance, std::size_t picture);
  void code_row(int y, int tolerance, std::size_t picture, Scratch& scratch);

  int width_, height_, min_disparity_, kind_, white_;
  std::vector<std::uint16_t> smoothed_;  // rows with repeated borders, of one image at a time
  std::array<Codes, 2> codes_;           // left, right
  ImageU8 brightness_;
  std::vector<Scratch> scratch_;  // one per thread
};

}  // namespace bifocal::stereo
