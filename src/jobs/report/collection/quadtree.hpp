// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <vector>

namespace bifocal::jobs {

struct Place {
  double x = 0, y = 0;
};

// A quadtree of points, for sums of interactions between all points in n log n.
class Quadtree {
 public:
  explicit Quadtree(const std::vector<Place>& points);
  // Returns the sum of (p - q) / |p - q|^2 over all points q except p. Cells seen under an angle
  // below about 50 degrees count as their centre.
  [[nodiscard]] Place repulsion(const Place& p) const;

 private:
  struct Cell {
    Place low;
    double side = 0;
    Place sum;  // sum of its points
    double count = 0;
    std::array<int, 4> children = {-1, -1, -1, -1};
    bool is_leaf = true;
  };
  int child_of(int cell, const Place& p);
  void insert(const Place& p);

  std::vector<Cell> cells_;
};

}  // namespace bifocal::jobs
