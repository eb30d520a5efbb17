// SPDX-License-Identifier: BSD-3-Clause
// Look-alikes: solutions of rotation averaging from several spanning trees are compared, and
// confirmed pairs with the positions of the model.
//
// A model that look-alike sides fold is consistent in itself, and so is the true one. They differ
// in where inliers lie: images of one place also match in their background. Limits:
// docs/develop/notes/mapping.md#look-alikes.
//   Q. Yan, L. Yang, L. Zhang, C. Xiao, Distinguishing the indistinguishable: exploring structural
//   ambiguities via geodesic context, CVPR 2017.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bitset>
#include <cmath>
#include <cstdint>
#include <functional>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mapping/doubts.hpp"
#include "mapping/rotation_graph.hpp"
#include "mapping/scene.hpp"
#include "runtime/parallel.hpp"

namespace bifocal::mapping {
namespace {

constexpr int kCells = 8;                    // of a row of the grid of coverage
constexpr std::size_t kStrongInliers = 100;  // of the pairs that count
constexpr double kAgrees = 10 * kRadPerDeg, kContradicts = 20 * kRadPerDeg;
constexpr double kFirstSigma = 30 * kRadPerDeg, kLastSigma = 5 * kRadPerDeg, kSigmaFactor = 0.8;
constexpr double kNotKept = 1e-3;  // weight of edges to remove
constexpr int kStartSteps = 30;
constexpr double kStartConverged = 1e-5;  // rad, mean step
constexpr double kUnexplained = 0.05;     // of the strong pairs, from which on names are tried
constexpr double kDisputed = 0.1;         // of the strong pairs, from which on a model is doubted
constexpr double kRaysApart = 0.05;       // of the strong pairs, from which on a model is doubted
// Of the best pairs. If every solution contradicts more, wrong pairs are no look-alikes, which
// agree with each other, and cycles remove them.
constexpr double kNoLookAlikes = 0.2;
constexpr double kClearlyLess = 0.5;   // of the contradicted pairs of another solution
constexpr std::size_t kBestPairs = 4;  // of an image

double turn(const Vec2& a, const Vec2& b, const Vec2& c) {
  return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

// Twice the area of the convex hull, by Andrew's monotone chain.
double hull_area(std::vector<Vec2> points) {
  std::ranges::sort(points);
  std::vector<Vec2> hull;
  double area = 0;
  for (int side = 0; side < 2; ++side) {
    hull.clear();
    for (const Vec2& x : points) {
      while (hull.size() > 1 && turn(hull[hull.size() - 2], hull.back(), x) <= 0) hull.pop_back();
      hull.push_back(x);
    }
    for (std::size_t i = 1; i < hull.size(); ++i)
      area += hull[i - 1][0] * hull[i][1] - hull[i][0] * hull[i - 1][1];
    std::ranges::reverse(points);
  }
  return area;
}

// Occupied cells of a grid times the area of the convex hull of the inliers, each the smaller one
// of both images. Without a size of the image the grid has one cell.
double coverage_of(const Scene& scene, const Edge& edge) {
  const MapPair& pair = scene.graph->pairs[static_cast<std::size_t>(edge.pair)];
  std::array<double, 2> cells{}, hulls{};
  for (std::size_t side = 0; side < 2; ++side) {
    const int view = side == 0 ? edge.view1 : edge.view2;
    const LensCamera& lens = scene.lens(scene.view(view));
    std::bitset<kCells * kCells> occupied;
    std::vector<Vec2> points;
    for (const std::int32_t k : edge.inliers) {
      const colmap::IndexPair& match = pair.inliers[static_cast<std::size_t>(k)];
      const Vec2& px = scene.features(view)[side == 0 ? match.index1 : match.index2];
      points.push_back({px[0] / std::max(1.0, static_cast<double>(lens.width())),
                        px[1] / std::max(1.0, static_cast<double>(lens.height()))});
      const auto cell = [](double x) {
        return static_cast<std::size_t>(std::clamp(x * kCells, 0.0, kCells - 1.0));
      };
      occupied.set(cell(points.back()[1]) * kCells + cell(points.back()[0]));
    }
    cells[side] = static_cast<double>(occupied.count()), hulls[side] = hull_area(std::move(points));
  }
  return std::min(cells[0], cells[1]) * std::min(hulls[0], hulls[1]);
}

// Ranks of the images in the order of their names.
std::vector<double> name_ranks(const ViewGraph& graph) {
  std::vector<std::size_t> order(graph.images.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {},
                           [&](std::size_t i) { return std::string_view(graph.images[i].name); });
  std::vector<double> ranks(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) ranks[order[i]] = static_cast<double>(i);
  return ranks;
}

// Solutions for the views of a component by all of its edges.
class Starts {
 public:
  Starts(const Scene& scene, const std::vector<int>& part) : scene_(scene), views_(part.size()) {
    std::vector<int> place(scene.views.size(), -1);
    for (std::size_t i = 0; i < part.size(); ++i)
      place[static_cast<std::size_t>(part[i])] = static_cast<int>(i);
    for (std::size_t k = 0; k < scene.edges.size(); ++k) {
      const Edge& edge = scene.edges[k];
      const int a = place[static_cast<std::size_t>(edge.view1)],
                b = place[static_cast<std::size_t>(edge.view2)];
      if (a < 0 || b < 0) continue;
      links_.push_back(
          {static_cast<std::size_t>(a), static_cast<std::size_t>(b), edge.cam2_from_cam1.R});
      edges_.push_back(k);
    }
    is_disputed_.resize(links_.size());
  }

  // Adds the solution of average_rotations().
  void add_first(const std::vector<bool>& is_kept) {
    for (std::size_t k = 0; k < links_.size(); ++k) {
      const double part = is_kept[edges_[k]] ? 1 : kNotKept;
      const Edge& edge = scene_.edges[edges_[k]];
      links_[k].strength = part * strength_by_inliers(edge);
      links_[k].weight = part * weight_by_cycles(edge);
    }
    RotationGraph graph(views_, links_);
    graph.start_from_tree();
    average(graph);
    add(graph.rotations());
    for (RotationLink& link : links_) link.weight = 1;
  }

  // Adds the solution that starts from the tree of the largest strengths, a function of an edge's
  // number. The redescending kernel narrows, so that the start decides among look-alikes.
  template <class Strength>
  void add_by(const Strength& strength) {
    for (std::size_t k = 0; k < links_.size(); ++k) links_[k].strength = strength(edges_[k]);
    RotationGraph graph(views_, links_);
    graph.start_from_tree();
    double sigma = kFirstSigma;
    for (int step = 0; step < kStartSteps; ++step) {
      const double change = graph.step([&](double angle) { return geman_mcclure(angle, sigma); });
      if (sigma <= kLastSigma && change < kStartConverged) break;
      sigma = std::max(kLastSigma, kSigmaFactor * sigma);
    }
    add(graph.rotations());
  }

  // Shares of the strong pairs: on which two solutions disagree, and which the best solution
  // contradicts.
  [[nodiscard]] double disputed() const {
    return strong_share([&](std::size_t k) { return is_disputed_[k]; });
  }
  [[nodiscard]] double unexplained() const {
    double least = 1;
    for (const std::vector<double>& errors : errors_)
      least = std::min(least, strong_share([&](std::size_t k) { return errors[k] > kAgrees; }));
    return least;
  }

  // Best pairs are those among the best of both of their images by coverage.
  struct Choice {
    std::size_t solution = 0;
    double contradicted = 0;  // least share of the best pairs that a solution contradicts
  };
  // Chooses the solution that contradicts the fewest of the best pairs; the first one, unless
  // another one contradicts far fewer.
  [[nodiscard]] Choice choose(const std::vector<double>& coverage) const {
    std::vector<std::vector<std::size_t>> lists(views_);
    for (std::size_t k = 0; k < links_.size(); ++k)
      lists[links_[k].a].push_back(k), lists[links_[k].b].push_back(k);
    std::vector<int> count(links_.size());
    for (std::vector<std::size_t>& list : lists) {
      std::ranges::stable_sort(list, std::greater(),
                               [&](std::size_t k) { return coverage[edges_[k]]; });
      for (std::size_t i = 0; i < std::min(kBestPairs, list.size()); ++i) ++count[list[i]];
    }
    std::vector<double> contradicted;
    for (const std::vector<double>& errors : errors_) {
      double& sum = contradicted.emplace_back(0);
      for (std::size_t k = 0; k < links_.size(); ++k)
        sum += count[k] == 2 && errors[k] > kContradicts ? 1 : 0;
    }
    const auto least = std::ranges::min_element(contradicted);
    const bool is_clear = *least <= kClearlyLess * contradicted.front();
    return {is_clear ? static_cast<std::size_t>(least - contradicted.begin()) : 0,
            *least / std::max(1.0, static_cast<double>(std::ranges::count(count, 2)))};
  }

  // Calls body(number of the edge, whether it is disputed, whether it agrees with a solution).
  template <class Body>
  void each_edge(std::size_t solution, const Body& body) const {
    for (std::size_t k = 0; k < links_.size(); ++k)
      body(edges_[k], is_disputed_[k], errors_[solution][k] < kAgrees);
  }

 private:
  template <class Counts>
  [[nodiscard]] double strong_share(const Counts& counts) const {
    double strong = 0, counted = 0;
    for (std::size_t k = 0; k < links_.size(); ++k)
      if (scene_.edges[edges_[k]].inliers.size() >= kStrongInliers)
        ++strong, counted += counts(k) ? 1 : 0;
    return counted / std::max(strong, 1.0);
  }

  void add(const std::vector<Mat3>& R) {
    std::vector<double>& errors = errors_.emplace_back();
    for (const RotationLink& link : links_)
      errors.push_back(norm(rotation_residual(R[link.a], link.R, R[link.b])));
    for (std::size_t k = 0; k < links_.size(); ++k)
      for (const std::vector<double>& other : errors_)
        if (std::min(errors[k], other[k]) < kAgrees && std::max(errors[k], other[k]) > kContradicts)
          is_disputed_[k] = true;
  }

  const Scene& scene_;
  std::size_t views_;
  std::vector<RotationLink> links_;
  std::vector<std::size_t> edges_;           // places in Scene::edges, one a link
  std::vector<std::vector<double>> errors_;  // [solution][link], rad
  std::vector<bool> is_disputed_;
};

// A look-alike with the right rotation, such as of two equal windows: matches of other pairs agree
// with its matches, but their rays do not meet.
bool contradicts_positions(const Scene& scene, const Edge& edge, double threshold) {
  const View &view1 = scene.view(edge.view1), &view2 = scene.view(edge.view2);
  if (!edge.has_match_cycles ||
      norm(rotation_residual(view1.cam_from_world.R, edge.cam2_from_cam1.R,
                             view2.cam_from_world.R)) > kAgrees)
    return false;
  const double focal = std::min(scene.focal_length(view1), scene.focal_length(view2));
  return !most_rays_meet(scene, edge.pair, threshold / focal);
}

// The pairs of registered views with enough inliers, and the doubtful ones among them.
struct StrongPairs {
  std::size_t count = 0;
  std::vector<std::pair<colmap::Id, colmap::Id>> doubtful;

  [[nodiscard]] double share() const {
    return static_cast<double>(doubtful.size()) /
           static_cast<double>(std::max(count, std::size_t{1}));
  }
  // Puts the numbers of pairs at "{}" in the text.
  [[nodiscard]] ModelDoubt doubt(double limit, fmt::format_string<std::string> text) const {
    return {DoubtKind::folded,
            share(),
            limit,
            {},
            doubtful,
            fmt::format(text, fmt::format("{} of {} strong pairs", doubtful.size(), count))};
  }
};

template <class IsDoubtful>
StrongPairs strong_pairs(const Scene& scene, const IsDoubtful& is_doubtful) {
  std::vector<const Edge*> edges;
  for (const Edge& edge : scene.edges)
    if (edge.inliers.size() >= kStrongInliers && scene.view(edge.view1).is_registered &&
        scene.view(edge.view2).is_registered)
      edges.push_back(&edge);
  std::vector<std::uint8_t> flags(edges.size());
  runtime::parallel_each(edges.size(), [&](std::size_t k) { flags[k] = is_doubtful(*edges[k]); });
  StrongPairs pairs{edges.size(), {}};
  for (std::size_t k = 0; k < edges.size(); ++k)
    if (flags[k] != 0)
      pairs.doubtful.emplace_back(
          scene.graph->images[static_cast<std::size_t>(edges[k]->view1)].id,
          scene.graph->images[static_cast<std::size_t>(edges[k]->view2)].id);
  return pairs;
}

StrongPairs disputed_pairs(const Scene& scene) {
  return strong_pairs(scene, [](const Edge& edge) { return edge.is_disputed; });
}

}  // namespace

void compare_starts(Scene& scene, std::vector<bool>& is_kept) {
  std::vector<double> coverage(scene.edges.size());
  runtime::parallel_each(coverage.size(),
                         [&](std::size_t k) { coverage[k] = coverage_of(scene, scene.edges[k]); });
  const std::vector<double> ranks = name_ranks(*scene.graph);
  for (const auto& part : components(scene, std::vector<bool>(scene.views.size(), true))) {
    if (part.size() < 3) break;
    Starts starts(scene, part);
    starts.add_first(is_kept);
    starts.add_by([&](std::size_t k) { return coverage[k]; });
    const auto by_names = [&](std::size_t k) {
      return 1 / std::abs(ranks[static_cast<std::size_t>(scene.edges[k].view1)] -
                          ranks[static_cast<std::size_t>(scene.edges[k].view2)]);
    };
    if (std::max(starts.disputed(), starts.unexplained()) > kUnexplained) starts.add_by(by_names);
    if (starts.disputed() <= kDisputed) continue;
    const Starts::Choice choice = starts.choose(coverage);
    if (choice.contradicted > kNoLookAlikes) continue;
    scene.has_other_start = scene.has_other_start || choice.solution > 0;
    starts.each_edge(choice.solution, [&](std::size_t k, bool is_disputed, bool agrees) {
      scene.edges[k].is_disputed = is_disputed;
      if (choice.solution > 0) is_kept[k] = agrees;
    });
  }
}

std::vector<Edge> registered_edges(Queue& queue, const Scene& scene, const MapOptions& options) {
  Scene again;
  again.graph = scene.graph, again.cameras = scene.cameras;
  for (const View& view : scene.views)
    again.views.push_back(
        {view.camera, view.is_registered, view.is_registered, view.cam_from_world, {}});
  set_rays(again);
  estimate_relative_poses(queue, again, options);
  remove_contradictory_edges(again);
  return std::move(again.edges);
}

bool has_disputed_rotations(const Scene& scene) {
  return disputed_pairs(scene).share() > kDisputed;
}

void doubt_folds(const DoubtInput& in, std::vector<ModelDoubt>& doubts) {
  const StrongPairs rotations = disputed_pairs(in.scene);
  if (rotations.share() > kDisputed)
    doubts.push_back(rotations.doubt(
        kDisputed,
        "other rotations explain the pairs as well: {} hold in one solution alone, so "
        "look-alike sides may be folded into one; --pairs sequential, if names are in "
        "the order of the walk (needed with masks and turntables)"));
  const StrongPairs positions = strong_pairs(in.scene, [&](const Edge& edge) {
    return contradicts_positions(in.scene, edge, in.options.threshold);
  });
  if (positions.share() > kRaysApart)
    doubts.push_back(positions.doubt(
        kRaysApart,
        "the positions contradict pairs that other pairs confirm: the rays of {} do "
        "not meet, so a row of equal parts may be folded into one; photographs that "
        "also show parts that exist once"));
}

}  // namespace bifocal::mapping
