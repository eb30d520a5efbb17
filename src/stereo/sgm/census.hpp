// SPDX-License-Identifier: BSD-3-Clause
// This computes the census codes of a pair on the CPU.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <bifocal/stereo.hpp>

namespace bifocal::stereo {

// A row has the smoothed brightness of the padded rows around it, and its codes.
struct CensusRow {
  const std::uint16_t* rows[7];  // smoothed, of y - 3 to y + 3; columns -4 to width + 3 exist
  int width = 0, kind = 0, tolerance = 0;
  std::uint16_t* half[4];         // scratch [width]
  std::uint32_t* low = nullptr;   // out [width]: 32 bits of the code
  std::uint32_t* high = nullptr;  // out: the rest of a full census, else null
};

// Codes pairs of one size; all memory is taken when it is made. Uses at most `threads`
// threads.
class CensusCoder {
 public:
  // Rows of the right picture's codes are reversed and hold `reach` elements: element e is of
  // column width - 1 - min_disparity - e, or of the nearest there is.
  CensusCoder(int width, int height, int reach, const SgmOptions& options, int threads);
  template <class T>
  void run(ImageView<const T> left, ImageView<const T> right);

  // 32 bits of the codes (part 0) or the rest (part 1; nullptr unless the census is full).
  [[nodiscard]] const std::uint32_t* left(int part, int y) const { return row(0, part, y); }
  [[nodiscard]] const std::uint32_t* right(int part, int y) const { return row(1, part, y); }
  // Have enough samples a clear match (Rules::has_clear_match)?
  [[nodiscard]] bool is_clear(int disparities) const;
  [[nodiscard]] const ImageU8& brightness() const { return brightness_; }  // of left, 0 to 255
  [[nodiscard]] static std::size_t bytes(int width, int height, int reach,
                                         const SgmOptions& options, int threads);

 private:
  // The memory that one thread works with.
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
  std::vector<std::uint16_t> smoothed_;  // rows with repeated borders, of one picture at a time
  std::array<Codes, 2> codes_;           // left, right
  ImageU8 brightness_;
  std::vector<Scratch> scratch_;  // one a thread
};

}  // namespace bifocal::stereo
