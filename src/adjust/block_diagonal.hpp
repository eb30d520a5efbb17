// SPDX-License-Identifier: BSD-3-Clause
// The block diagonal preconditioner: a block for each pose, for each camera that images share, and
// one joint block for pose and camera of an image that shares its camera with no other.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "adjust/unknowns.hpp"

namespace bifocal::adjustment {

class BlockDiagonal {
 public:
  // triangles: lower triangles of the blocks by views (Terms::diagonal_blocks). damping: added to
  // the diagonal.
  BlockDiagonal(const Unknowns& unknowns, std::span<const double> triangles,
                std::span<const double> damping);
  // The inverse: row i has view_size numbers, of the unknowns members[i view_size] and so on. Rows
  // of constant unknowns and numbers past the end of a block are 0.
  struct Inverse {
    std::vector<double> rows;
    std::vector<int> members;
  };
  [[nodiscard]] Inverse inverse() const;

 private:
  struct Block {
    std::vector<std::size_t> unknowns;
    std::vector<double> factor;  // row-major, lower triangle
  };
  void add_image(const Unknowns& unknowns, int image, const double* triangle);
  void factorise_all(std::span<const double> damping);

  std::vector<Block> blocks_;
  std::size_t size_, view_size_;
};

}  // namespace bifocal::adjustment
