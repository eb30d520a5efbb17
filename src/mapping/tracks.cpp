// SPDX-License-Identifier: BSD-3-Clause
// Tracks: features of different images that show one point, joined along inlier matches.
#include <algorithm>
#include <numeric>

#include "mapping/scene.hpp"
#include "runtime/parallel.hpp"

namespace bifocal::mapping {
namespace {

struct Observation {
  int view = 0;
  std::uint32_t feature = 0;
};

// Matches of one pair as places in MapPair::inliers.
struct PairMatches {
  int pair = 0;
  std::vector<std::int32_t> inliers;
};

// Joins features to sets with at most one feature of an image. A match that would join two sets
// with a common image is passed over, so an inconsistent track is split where its matches are
// weakest if the pairs come in the order of their strength.
class TrackSets {
 public:
  explicit TrackSets(const Scene& scene) {
    offsets_.push_back(0);
    for (const MapImage& image : scene.graph->images)
      offsets_.push_back(offsets_.back() + image.features.size());
    set_.assign(offsets_.back(), -1);
  }

  void add(const MapPair& pair, const colmap::IndexPair& match) {
    const Observation a{pair.image1, match.index1}, b{pair.image2, match.index2};
    int &set_a = set_of(a), &set_b = set_of(b);
    if (set_a < 0 && set_b < 0) {
      set_a = set_b = static_cast<int>(sets_.size());
      sets_.push_back({a, b});
      if (b.view < a.view) std::swap(sets_.back()[0], sets_.back()[1]);
    } else if (set_a < 0) {
      insert(a, set_b);
    } else if (set_b < 0) {
      insert(b, set_a);
    } else if (set_a != set_b) {
      join(set_a, set_b);
    }
  }

  [[nodiscard]] Tracks tracks() const {
    Tracks out;
    for (const std::vector<Observation>& set : sets_) {
      if (set.size() < 2) continue;
      for (const Observation& o : set)
        out.views.push_back(o.view), out.features.push_back(o.feature);
      out.first.push_back(out.views.size());
    }
    out.is_used.assign(out.views.size(), 0);
    out.points.assign(out.first.size() - 1, {});
    out.is_point.assign(out.points.size(), 0);
    return out;
  }

 private:
  int& set_of(const Observation& o) {
    return set_[offsets_[static_cast<std::size_t>(o.view)] + o.feature];
  }
  static bool is_before(const Observation& a, const Observation& b) { return a.view < b.view; }

  void insert(const Observation& o, int set) {
    std::vector<Observation>& members = sets_[static_cast<std::size_t>(set)];
    const auto place = std::ranges::lower_bound(members, o, is_before);
    if (place != members.end() && place->view == o.view) return;
    members.insert(place, o);
    set_of(o) = set;
  }

  void join(int a, int b) {
    if (sets_[static_cast<std::size_t>(a)].size() < sets_[static_cast<std::size_t>(b)].size())
      std::swap(a, b);
    std::vector<Observation>&to = sets_[static_cast<std::size_t>(a)],
    &from = sets_[static_cast<std::size_t>(b)];
    std::vector<Observation> all;
    std::ranges::merge(to, from, std::back_inserter(all), is_before);
    const auto same = [](const Observation& x, const Observation& y) { return x.view == y.view; };
    if (std::ranges::adjacent_find(all, same) != all.end()) return;
    for (const Observation& o : from) set_of(o) = a;
    to = std::move(all);
    from = {};
  }

  std::vector<std::size_t> offsets_;  // of the features of each image
  std::vector<int> set_;              // one a feature; -1: none
  std::vector<std::vector<Observation>> sets_;
};

void join(Scene& scene, std::vector<PairMatches> pairs) {
  std::ranges::stable_sort(pairs, [](const PairMatches& a, const PairMatches& b) {
    return a.inliers.size() > b.inliers.size();
  });
  TrackSets sets(scene);
  for (const PairMatches& matches : pairs) {
    check_cancelled();
    const MapPair& pair = scene.graph->pairs[static_cast<std::size_t>(matches.pair)];
    for (const std::int32_t k : matches.inliers)
      sets.add(pair, pair.inliers[static_cast<std::size_t>(k)]);
  }
  scene.tracks = sets.tracks();
}

// Returns whether two rays meet in front of both cameras, to within the angles. `a`, `b` and
// `baseline`, from the first centre to the second one, are unit vectors in the world's frame.
bool rays_meet(const Vec3& a, const Vec3& b, const Vec3& baseline, double tolerance) {
  const Vec3 normal = cross(baseline, a);
  const double sine = norm(normal);
  if (sine < tolerance) return angle_between(a, b) < tolerance || dot(a, b) > 0;
  if (std::abs(dot(normal, b)) > tolerance * sine) return false;
  // In the epipolar plane the angle to the baseline grows from the first ray to the second one.
  return angle_between(baseline, b) > angle_between(baseline, a) - tolerance;
}

// Returns the matches of a pair whose rays meet, to within `tolerance` rad.
PairMatches agreeing_matches(const Scene& scene, std::size_t number, double tolerance) {
  const MapPair& pair = scene.graph->pairs[number];
  PairMatches out{static_cast<int>(number), {}};
  const View &view1 = scene.view(pair.image1), &view2 = scene.view(pair.image2);
  if (!view1.is_registered || !view2.is_registered) return out;
  const Vec3 baseline =
      unit(difference(centre_of(view2.cam_from_world), centre_of(view1.cam_from_world)));
  for (std::size_t k = 0; k < pair.inliers.size(); ++k) {
    const Vec3 a = transposed_times(view1.cam_from_world.R, view1.rays[pair.inliers[k].index1]),
               b = transposed_times(view2.cam_from_world.R, view2.rays[pair.inliers[k].index2]);
    if (std::isfinite(a[0] + b[0]) && rays_meet(a, b, baseline, tolerance))
      out.inliers.push_back(static_cast<std::int32_t>(k));
  }
  return out;
}

// A wrong pair agrees by chance, in few of its matches.
bool agrees(const PairMatches& matches, const MapPair& pair) {
  return 2 * matches.inliers.size() >= pair.inliers.size();
}

}  // namespace

std::int64_t remove_edges_by_positions(Scene& scene, double tolerance) {
  std::vector<std::uint8_t> is_wrong(scene.edges.size());
  runtime::parallel_each(scene.edges.size(), [&](std::size_t k) {
    const Edge& edge = scene.edges[k];
    if (!edge.is_used || !scene.view(edge.view1).is_registered ||
        !scene.view(edge.view2).is_registered)
      return;
    const auto number = static_cast<std::size_t>(edge.pair);
    is_wrong[k] = !agrees(agreeing_matches(scene, number, tolerance), scene.graph->pairs[number]);
  });
  std::int64_t removed = 0;
  for (std::size_t k = 0; k < is_wrong.size(); ++k)
    if (is_wrong[k] != 0) scene.edges[k].is_used = false, ++removed;
  return removed;
}

void make_tracks(Scene& scene, const std::vector<int>& views) {
  std::vector<bool> is_chosen(scene.views.size());
  for (const int i : views) is_chosen[static_cast<std::size_t>(i)] = true;
  std::vector<PairMatches> pairs;
  for (const Edge& edge : scene.edges)
    if (edge.is_used && is_chosen[static_cast<std::size_t>(edge.view1)] &&
        is_chosen[static_cast<std::size_t>(edge.view2)])
      pairs.push_back({edge.pair, edge.inliers});
  join(scene, std::move(pairs));
}

void make_tracks_by_poses(Scene& scene, const MapOptions& options) {
  std::vector<PairMatches> pairs(scene.graph->pairs.size());
  runtime::parallel_each(pairs.size(), [&](std::size_t k) {
    const MapPair& pair = scene.graph->pairs[k];
    const View &view1 = scene.view(pair.image1), &view2 = scene.view(pair.image2);
    if (!colmap::is_geometry(pair.configuration) || !view1.is_registered || !view2.is_registered)
      return;
    const double focal = std::min(scene.focal_length(view1), scene.focal_length(view2));
    pairs[k] = agreeing_matches(scene, k, options.max_error / focal);
    if (!agrees(pairs[k], pair)) pairs[k].inliers.clear();
  });
  std::erase_if(pairs, [](const PairMatches& pair) { return pair.inliers.empty(); });
  join(scene, std::move(pairs));
}

}  // namespace bifocal::mapping
