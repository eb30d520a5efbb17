// SPDX-License-Identifier: BSD-3-Clause
#include "jobs/report/collection/quadtree.hpp"

#include <algorithm>

namespace bifocal::jobs {
namespace {

constexpr int kDeepest = 32;  // closer points share a cell
constexpr double kWidest =
    0.9;  // largest ratio of size and distance of a cell that is treated as one point

}  // namespace

Quadtree::Quadtree(const std::vector<Place>& points) {
  Cell root;
  if (!points.empty()) root.low = points[0];
  Place high = root.low;
  for (const Place& p : points) {
    root.low = {std::min(root.low.x, p.x), std::min(root.low.y, p.y)};
    high = {std::max(high.x, p.x), std::max(high.y, p.y)};
  }
  root.side = std::max({high.x - root.low.x, high.y - root.low.y, 1e-9});
  cells_.push_back(root);
  for (const Place& p : points) insert(p);
}

int Quadtree::child_of(int cell, const Place& p) {
  const Cell c = cells_[static_cast<std::size_t>(cell)];
  const double half = c.side / 2;
  const bool right = p.x >= c.low.x + half, below = p.y >= c.low.y + half;
  const std::size_t which = (right ? 1U : 0U) + (below ? 2U : 0U);
  if (c.children[which] < 0) {
    Cell child;
    child.low = {c.low.x + (right ? half : 0), c.low.y + (below ? half : 0)};
    child.side = half;
    cells_[static_cast<std::size_t>(cell)].children[which] = static_cast<int>(cells_.size());
    cells_.push_back(child);
  }
  return cells_[static_cast<std::size_t>(cell)].children[which];
}

void Quadtree::insert(const Place& p) {
  int at = 0;
  for (int depth = 0;; ++depth) {
    const Cell before = cells_[static_cast<std::size_t>(at)];
    Cell& cell = cells_[static_cast<std::size_t>(at)];
    cell.sum = {before.sum.x + p.x, before.sum.y + p.y};
    cell.count = before.count + 1;
    if (before.count == 0 || depth == kDeepest) return;
    if (before.is_leaf) {  // the cell's old content moves one level down
      cell.is_leaf = false;
      Cell& moved = cells_[static_cast<std::size_t>(
          child_of(at, {before.sum.x / before.count, before.sum.y / before.count}))];
      moved.sum = before.sum;
      moved.count = before.count;
    }
    at = child_of(at, p);
  }
}

Place Quadtree::repulsion(const Place& p) const {
  Place force;
  std::vector<int> open = {0};
  while (!open.empty()) {
    const Cell& c = cells_[static_cast<std::size_t>(open.back())];
    open.pop_back();
    if (c.count == 0) continue;
    const double dx = p.x - c.sum.x / c.count, dy = p.y - c.sum.y / c.count;
    const double square = dx * dx + dy * dy;
    if (c.is_leaf || c.side * c.side < kWidest * kWidest * square) {
      if (square < 1e-18) continue;
      const double by = c.count / square;
      force.x += by * dx;
      force.y += by * dy;
    } else {
      for (const int child : c.children)
        if (child >= 0) open.push_back(child);
    }
  }
  return force;
}

}  // namespace bifocal::jobs
