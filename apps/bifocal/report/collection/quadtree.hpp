// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <vector>

namespace bifocal::cli {

struct Place {
  double x = 0, y = 0;
};

// Points in cells that halve, to sum what acts from all of them in n log n.
class Quadtree {
 public:
  explicit Quadtree(const std::vector<Place>& points);
  // The sum of (p - q) / |p - q|^2 over the points q but p itself; cells seen under less than about
  // 50 degrees count as their centre.
  [[nodiscard]] Place repulsion(const Place& p) const;

 private:
  struct Cell {
    Place low;
    double side = 0;
    Place sum;  // of its points
    double count = 0;
    std::array<int, 4> children = {-1, -1, -1, -1};
    bool is_leaf = true;
  };
  int child_of(int cell, const Place& p);
  void insert(const Place& p);

  std::vector<Cell> cells_;
};

}  // namespace bifocal::cli
