// SPDX-License-Identifier: BSD-3-Clause
#include "jobs/report/collection/layout.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <queue>

#include "jobs/report/collection/quadtree.hpp"

namespace bifocal::jobs {
namespace {

constexpr std::size_t kPivots = 40;
constexpr int kSteps = 120;
constexpr double kGap = 0.05;  // between components, as a fraction of the side of their area
constexpr double kGoldenAngle = 2.39996322972865332;

// Springs of one component; nodes are its images in their order.
struct Springs {
  struct Spring {
    int a, b;
    double length;  // at least 1; longer if the pair has few inliers compared with the best pairs
                    // of its images
  };
  std::vector<Spring> springs;
  std::vector<std::vector<std::pair<int, double>>> of_node;  // neighbours and lengths
};

Springs springs_of(std::size_t nodes, const std::vector<int>& place,
                   const std::vector<GraphPair>& edges) {
  std::vector<std::int64_t> best(nodes);
  const auto node = [&](int image) {
    return static_cast<std::size_t>(place[static_cast<std::size_t>(image)]);
  };
  for (const GraphPair& e : edges)
    for (const int i : {e.a, e.b}) best[node(i)] = std::max(best[node(i)], e.inliers);
  Springs s;
  s.of_node.resize(nodes);
  for (const GraphPair& e : edges) {
    const std::size_t a = node(e.a), b = node(e.b);
    const double length =
        std::sqrt(static_cast<double>(std::min(best[a], best[b])) / static_cast<double>(e.inliers));
    s.springs.push_back({static_cast<int>(a), static_cast<int>(b), length});
    s.of_node[a].emplace_back(static_cast<int>(b), length);
    s.of_node[b].emplace_back(static_cast<int>(a), length);
  }
  return s;
}

// Returns the distances along the springs (E. Dijkstra, Numerische Mathematik 1, 1959).
std::vector<double> distances_from(int start, const Springs& s) {
  std::vector<double> distance(s.of_node.size(), std::numeric_limits<double>::infinity());
  using Entry = std::pair<double, int>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> next;
  next.emplace(distance[static_cast<std::size_t>(start)] = 0, start);
  while (!next.empty()) {
    const auto [d, i] = next.top();
    next.pop();
    if (d > distance[static_cast<std::size_t>(i)]) continue;
    for (const auto& [j, length] : s.of_node[static_cast<std::size_t>(i)]) {
      double& known = distance[static_cast<std::size_t>(j)];
      if (d + length < known) next.emplace(known = d + length, j);
    }
  }
  return distance;
}

// Returns the squared distances to the pivots (one pivot per row), centred by rows and columns,
// times -1/2.
std::vector<std::vector<double>> centred_distances(const Springs& s) {
  const std::size_t n = s.of_node.size();
  std::vector<std::vector<double>> rows;
  std::vector<double> nearest(n, std::numeric_limits<double>::infinity());
  std::size_t pivot = 0;
  while (rows.size() < std::min(n, kPivots)) {
    rows.push_back(distances_from(static_cast<int>(pivot), s));
    for (std::size_t i = 0; i < n; ++i) nearest[i] = std::min(nearest[i], rows.back()[i]);
    pivot = static_cast<std::size_t>(std::max_element(nearest.begin(), nearest.end()) -
                                     nearest.begin());
  }
  std::vector<double> of_node(n);
  for (auto& row : rows) {
    double sum = 0;
    for (double& d : row) sum += d *= d;
    for (double& d : row) d -= sum / static_cast<double>(n);
    for (std::size_t i = 0; i < n; ++i) of_node[i] += row[i] / static_cast<double>(rows.size());
  }
  for (auto& row : rows)
    for (std::size_t i = 0; i < n; ++i) row[i] = -0.5 * (row[i] - of_node[i]);
  return rows;
}

double dot_product(const std::vector<double>& p, const std::vector<double>& q) {
  double sum = 0;
  for (std::size_t i = 0; i < p.size(); ++i) sum += p[i] * q[i];
  return sum;
}

// Returns the two directions of largest spread of the nodes in the space of the pivots, by
// power iteration.
std::array<std::vector<double>, 2> main_directions(const std::vector<std::vector<double>>& rows) {
  const std::size_t k = rows.size();
  std::vector<std::vector<double>> gram(k, std::vector<double>(k));
  for (std::size_t i = 0; i < k; ++i)
    for (std::size_t j = 0; j <= i; ++j) gram[i][j] = gram[j][i] = dot_product(rows[i], rows[j]);
  std::array<std::vector<double>, 2> found;
  for (std::size_t axis = 0; axis < 2; ++axis) {
    std::vector<double> v(k), next(k);
    for (std::size_t i = 0; i < k; ++i)
      v[i] = std::cos(kGoldenAngle * static_cast<double>((i + 1) * (axis + 1)));
    for (int step = 0; step < 100; ++step) {
      if (axis == 1) {
        const double part = dot_product(v, found[0]);
        for (std::size_t i = 0; i < k; ++i) v[i] -= part * found[0][i];
      }
      const double size = std::sqrt(dot_product(v, v));
      for (double& value : v) value = size > 1e-300 ? value / size : 0;
      if (step == 99) break;
      for (std::size_t i = 0; i < k; ++i) next[i] = dot_product(gram[i], v);
      v.swap(next);
    }
    found[axis] = std::move(v);
  }
  return found;
}

std::vector<Place> first_places(const Springs& s) {
  const std::vector<std::vector<double>> rows = centred_distances(s);
  const auto directions = main_directions(rows);
  std::vector<Place> places(s.of_node.size());
  for (std::size_t k = 0; k < rows.size(); ++k)
    for (std::size_t i = 0; i < places.size(); ++i) {
      places[i].x += directions[0][k] * rows[k][i];
      places[i].y += directions[1][k] * rows[k][i];
    }
  return places;
}

// Scales the places so that the mean ratio of distance and spring length is 1, and separates
// coinciding places slightly.
void rescale(std::vector<Place>& places, const Springs& s) {
  double length = 0, wanted = 0;
  for (const auto& [a, b, l] : s.springs) {
    const Place &p = places[static_cast<std::size_t>(a)], &q = places[static_cast<std::size_t>(b)];
    length += std::hypot(p.x - q.x, p.y - q.y) / l;
    wanted += 1;
  }
  const double by = length > 1e-9 * wanted ? wanted / length : 1;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const double angle = kGoldenAngle * static_cast<double>(i);
    places[i].x = by * places[i].x + 0.05 * std::cos(angle);
    places[i].y = by * places[i].y + 0.05 * std::sin(angle);
  }
}

void relax(std::vector<Place>& places, const Springs& s) {
  std::vector<Place> forces(places.size());
  for (int step = 0; step < kSteps; ++step) {
    const Quadtree tree(places);
    for (std::size_t i = 0; i < places.size(); ++i) forces[i] = tree.repulsion(places[i]);
    for (const auto& [a, b, length] : s.springs) {
      Place &p = places[static_cast<std::size_t>(a)], &q = places[static_cast<std::size_t>(b)];
      const double dx = q.x - p.x, dy = q.y - p.y;
      const double pull = std::hypot(dx, dy) / (length * length);
      Place &fp = forces[static_cast<std::size_t>(a)], &fq = forces[static_cast<std::size_t>(b)];
      fp.x += pull * dx, fp.y += pull * dy;
      fq.x -= pull * dx, fq.y -= pull * dy;
    }
    const double most = 0.5 * (1 - static_cast<double>(step) / kSteps) + 0.005;
    for (std::size_t i = 0; i < places.size(); ++i) {
      const double size = std::hypot(forces[i].x, forces[i].y);
      const double by = size > most ? most / size : 1;
      places[i].x += by * forces[i].x;
      places[i].y += by * forces[i].y;
    }
  }
}

// Arranges boxes in rows from the left, in an approximately square area.
class Shelves {
 public:
  explicit Shelves(double area) : width_(1.4 * std::sqrt(area)) {}
  // Returns the corner of the next box.
  Place put(double width, double height) {
    if (x_ > 0 && x_ + width > width_) {
      y_ += row_;
      x_ = row_ = 0;
    }
    const Place corner{x_, y_};
    x_ += width;
    row_ = std::max(row_, height);
    right_ = std::max(right_, x_);
    return corner;
  }
  [[nodiscard]] double right() const { return right_; }
  [[nodiscard]] double bottom() const { return y_ + row_; }

 private:
  double width_, x_ = 0, y_ = 0, row_ = 0, right_ = 0;
};

// Moves the places so that their bounding box begins at (0, 0), and returns its size.
Place to_corner(std::vector<Place>& places) {
  Place low = places[0], high = places[0];
  for (const Place& p : places) {
    low = {std::min(low.x, p.x), std::min(low.y, p.y)};
    high = {std::max(high.x, p.x), std::max(high.y, p.y)};
  }
  for (Place& p : places) p = {p.x - low.x, p.y - low.y};
  return {high.x - low.x, high.y - low.y};
}

std::vector<std::vector<Place>> lay_out_components(const ViewGraph& graph) {
  std::vector<int> place(graph.images.size(), -1);
  for (const auto& component : graph.components)
    for (std::size_t k = 0; k < component.size(); ++k)
      place[static_cast<std::size_t>(component[k])] = static_cast<int>(k);
  std::vector<std::vector<GraphPair>> edges(graph.components.size());
  for (const GraphPair& e : graph.edges)
    edges[static_cast<std::size_t>(graph.images[static_cast<std::size_t>(e.a)].component)]
        .push_back(e);
  std::vector<std::vector<Place>> all;
  for (std::size_t c = 0; c < graph.components.size(); ++c) {
    const Springs springs = springs_of(graph.components[c].size(), place, edges[c]);
    all.push_back(first_places(springs));
    rescale(all.back(), springs);
    relax(all.back(), springs);
  }
  return all;
}

}  // namespace

GraphLayout lay_out(const ViewGraph& graph) {
  GraphLayout out;
  out.x.resize(graph.images.size());
  out.y.resize(graph.images.size());
  std::vector<std::vector<Place>> components = lay_out_components(graph);
  std::vector<Place> boxes;
  double area = 0;
  for (auto& places : components) {
    const Place box = to_corner(places);
    boxes.push_back({box.x + 1, box.y + 1});
    area += boxes.back().x * boxes.back().y;
  }
  for (Place& box : boxes) {
    box.x += kGap * std::sqrt(area);
    box.y += kGap * std::sqrt(area);
  }
  Shelves shelves(area);
  for (std::size_t c = 0; c < components.size(); ++c) {
    const Place corner = shelves.put(boxes[c].x, boxes[c].y);
    for (std::size_t k = 0; k < components[c].size(); ++k) {
      const auto image = static_cast<std::size_t>(graph.components[c][k]);
      out.x[image] = corner.x + components[c][k].x;
      out.y[image] = corner.y + components[c][k].y;
    }
  }
  std::vector<std::size_t> alone;
  for (std::size_t i = 0; i < graph.images.size(); ++i)
    if (graph.images[i].component < 0) alone.push_back(i);
  const auto count = static_cast<double>(std::max<std::size_t>(alone.size(), 1));
  const double width = components.empty() ? std::sqrt(count) : shelves.right();
  // The step is at most a sixth of the drawing.
  const double step =
      components.empty()
          ? 1
          : std::min(std::max(1.0, width / 60), std::sqrt(width * shelves.bottom() / (5 * count)));
  const auto columns = std::max<std::size_t>(1, static_cast<std::size_t>(width / step));
  for (std::size_t k = 0; k < alone.size(); ++k) {
    out.x[alone[k]] = step * static_cast<double>(k % columns);
    out.y[alone[k]] = shelves.bottom() + step * static_cast<double>(k / columns);
  }
  for (std::size_t i = 0; i < out.x.size(); ++i) {
    out.width = std::max(out.width, out.x[i]);
    out.height = std::max(out.height, out.y[i]);
  }
  return out;
}

}  // namespace bifocal::jobs
