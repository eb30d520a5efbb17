// SPDX-License-Identifier: BSD-3-Clause
// Pairs whose matches agree in cycles of three images.
//
// If features a and b match, and b and c of a third image, then a and c match or are missing.
// Matches of look-alikes and of wrong relative poses do not form such cycles, even if their
// rotations agree.
//   C. Zach, M. Klopschitz, M. Pollefeys, Disambiguating visual relations using loop constraints,
//   CVPR 2010;  T. Shen, S. Zhu, T. Fang, R. Zhang, L. Quan, Graph-based consistent matching for
//   structure-from-motion, ECCV 2016.
#include <algorithm>

#include "mapping/scene.hpp"
#include "runtime/parallel.hpp"

namespace bifocal::mapping {
namespace {

constexpr int kEnoughCycles = 2;     // that agree with an edge
constexpr int kMostCycles = 64;      // that are examined for an edge
constexpr int kAgreeingMatches = 5;  // of a cycle

struct Link {
  int view;
  std::size_t edge;
};

class MatchCycles {
 public:
  explicit MatchCycles(const Scene& scene) : scene_(scene), links_(scene.views.size()) {
    for (std::size_t k = 0; k < scene.edges.size(); ++k) {
      links_[static_cast<std::size_t>(scene.edges[k].view1)].push_back({scene.edges[k].view2, k});
      links_[static_cast<std::size_t>(scene.edges[k].view2)].push_back({scene.edges[k].view1, k});
    }
    for (std::vector<Link>& links : links_) std::ranges::sort(links, {}, &Link::view);
  }

  // Returns whether cycles of three images agree with the matches of the edge.
  [[nodiscard]] bool agree(std::size_t number) const {
    const Edge& edge = scene_.edges[number];
    const std::vector<std::int32_t> own = table(number, edge.view1);
    const std::vector<Link>&links1 = links_[static_cast<std::size_t>(edge.view1)],
          &links2 = links_[static_cast<std::size_t>(edge.view2)];
    int agreeing = 0, examined = 0;
    for (auto a = links1.begin(), b = links2.begin(); a != links1.end() && b != links2.end();) {
      if (a->view != b->view) {
        ++(a->view < b->view ? a : b);
        continue;
      }
      if (agrees(own, edge, *a, *b) && ++agreeing == kEnoughCycles) return true;
      if (++examined == kMostCycles) break;
      ++a, ++b;
    }
    return agreeing > 0;
  }

 private:
  // Calls body(feature of `view`, matching feature) for the inliers of an edge.
  template <class Body>
  void each_match(std::size_t number, int view, const Body& body) const {
    const Edge& edge = scene_.edges[number];
    const MapPair& pair = scene_.graph->pairs[static_cast<std::size_t>(edge.pair)];
    for (const std::int32_t k : edge.inliers) {
      const colmap::IndexPair& match = pair.inliers[static_cast<std::size_t>(k)];
      if (edge.view1 == view)
        body(match.index1, match.index2);
      else
        body(match.index2, match.index1);
    }
  }

  // Returns the matching feature for each feature of the view; -1: none.
  [[nodiscard]] std::vector<std::int32_t> table(std::size_t number, int view) const {
    std::vector<std::int32_t> out(scene_.features(view).size(), -1);
    each_match(number, view, [&](std::uint32_t feature, std::uint32_t match) {
      out[feature] = static_cast<std::int32_t>(match);
    });
    return out;
  }

  // `own` maps features of the edge's first view to its second view. `a` and `b` are the edges of
  // both views with a third one.
  [[nodiscard]] bool agrees(const std::vector<std::int32_t>& own, const Edge& edge, const Link& a,
                            const Link& b) const {
    const std::vector<std::int32_t> to_third = table(b.edge, edge.view2);
    int agreeing = 0, contradicting = 0;
    each_match(a.edge, edge.view1, [&](std::uint32_t first, std::uint32_t third) {
      const std::int32_t second = own[first];
      if (second < 0 || to_third[static_cast<std::size_t>(second)] < 0) return;
      ++(to_third[static_cast<std::size_t>(second)] == static_cast<std::int32_t>(third)
             ? agreeing
             : contradicting);
    });
    return agreeing >= kAgreeingMatches && agreeing >= contradicting;
  }

  const Scene& scene_;
  std::vector<std::vector<Link>> links_;  // of each view, in ascending order of Link::view
};

}  // namespace

void find_match_cycles(Scene& scene) {
  const MatchCycles cycles(scene);
  runtime::parallel_each(scene.edges.size(),
                         [&](std::size_t k) { scene.edges[k].has_match_cycles = cycles.agree(k); });
}

}  // namespace bifocal::mapping
