// SPDX-License-Identifier: BSD-3-Clause
// Centres of cameras and points together, from known rotations.
//
// The direction v of an observation in the world's frame, the point X, the centre c and a scale s
// of the observation have the residual v - s (X - c), with a Huber loss. Levenberg-Marquardt
// eliminates scales and points in closed form; conjugate gradients solve for the centres.
//   L. Pan, D. Barath, M. Pollefeys, J. L. Schoenberger, Global structure-from-motion revisited,
//   ECCV 2024;  B. Zhuang, L.-F. Cheong, G. H. Lee, Baseline desensitizing in translation
//   averaging, CVPR 2018.
#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "mapping/positioning_system.hpp"
#include "mapping/scene.hpp"

namespace bifocal::mapping {
namespace {

constexpr int kMaxSteps = 200;
constexpr double kPositionTolerance = 0.1;  // relative decrease of the cost that ends the steps
constexpr double kPointDamping = 1e-6;      // of points whose rays are parallel
constexpr std::size_t kFewestTracks = 8;    // smallest number that is positioned
constexpr int kEnoughLong = 30;  // tracks of three images and more; views with fewer take pairs too

// Tracks in the order of decreasing length; those of one length in ascending order.
std::vector<std::size_t> by_length(const Tracks& tracks) {
  std::vector<std::size_t> next;  // place of the next track of each length
  for (std::size_t k = 0; k < tracks.size(); ++k) {
    next.resize(std::max(next.size(), tracks.length(k) + 1));
    ++next[tracks.length(k)];
  }
  std::size_t count = 0;
  for (std::size_t length = next.size(); length-- > 0;) count += std::exchange(next[length], count);
  std::vector<std::size_t> order(tracks.size());
  for (std::size_t k = 0; k < tracks.size(); ++k) order[next[tracks.length(k)]++] = k;
  return order;
}

// Chooses tracks in the order of decreasing length until every view has enough.
class TrackChoice {
 public:
  TrackChoice(const Scene& scene, const std::vector<int>& views, int enough)
      : scene_(scene), counts_(scene.views.size()), is_view_(scene.views.size()) {
    for (const int i : views) is_view_[static_cast<std::size_t>(i)] = true;
    for (const std::size_t k : by_length(scene.tracks))
      take_if_needed(k, scene.tracks.length(k) > 2 ? enough : std::min(enough, kEnoughLong));
    std::ranges::sort(chosen_);
  }
  [[nodiscard]] const std::vector<std::size_t>& chosen() const { return chosen_; }

 private:
  void take_if_needed(std::size_t k, int enough) {
    const Tracks& tracks = scene_.tracks;
    const auto views = std::span(tracks.views).subspan(tracks.first[k], tracks.length(k));
    const auto needs = [&](int number) {
      const auto view = static_cast<std::size_t>(number);
      return is_view_[view] && counts_[view] < enough;
    };
    if (std::ranges::none_of(views, needs)) return;
    for (const int view : views) ++counts_[static_cast<std::size_t>(view)];
    chosen_.push_back(k);
  }

  const Scene& scene_;
  std::vector<int> counts_;
  std::vector<bool> is_view_;
  std::vector<std::size_t> chosen_;
};

// The directions of all observations of the chosen tracks.
PositioningProblem problem_of(const Scene& scene, const std::vector<int>& views,
                              const std::vector<std::size_t>& chosen) {
  std::vector<int> place(scene.views.size(), -1);
  for (std::size_t i = 0; i < views.size(); ++i)
    place[static_cast<std::size_t>(views[i])] = static_cast<int>(i);
  PositioningProblem problem;
  problem.centre_count = views.size();
  problem.offsets.push_back(0);
  const Tracks& tracks = scene.tracks;
  for (const std::size_t k : chosen) {
    for (std::size_t i = tracks.first[k]; i < tracks.first[k + 1]; ++i) {
      const int centre = place[static_cast<std::size_t>(tracks.views[i])];
      const View& view = scene.view(tracks.views[i]);
      const Vec3 v = transposed_times(view.cam_from_world.R, view.rays[tracks.features[i]]);
      if (centre >= 0 && std::isfinite(v[0]))
        problem.rays.push_back({static_cast<std::size_t>(centre), v});
    }
    problem.offsets.push_back(problem.rays.size());
  }
  return problem;
}

// Points nearest to the rays from given centres, which are scaled to a mean distance of 1 from
// their mean.
PositioningState start_at(const PositioningProblem& problem, std::vector<Vec3> centres) {
  Vec3 mean{};
  double distance = 0;
  const double share = 1 / static_cast<double>(centres.size());
  for (const Vec3& c : centres) mean = sum(mean, scaled(c, share));
  for (const Vec3& c : centres) distance += share * norm(difference(c, mean));
  for (Vec3& c : centres) c = scaled(difference(c, mean), 1 / std::max(distance, 1e-12));
  PositioningState state;
  state.centres = std::move(centres);
  for (std::size_t k = 0; k + 1 < problem.offsets.size(); ++k) {
    Symmetric3 A{};
    Vec3 b{}, middle{};
    for (std::size_t i = problem.offsets[k]; i < problem.offsets[k + 1]; ++i) {
      const PositioningRay& ray = problem.rays[i];
      const Vec3& c = state.centres[ray.centre];
      const Symmetric3 M = isotropic_plus_outer(1, -1, ray.v);
      add_to(A, M);
      b = sum(b, times(M, c));
      middle = sum(c, scaled(ray.v, 0.1));
    }
    for (const std::size_t i : {0U, 3U, 5U}) A[i] += kPointDamping;
    state.points.push_back(times(inverse(A), sum(b, scaled(middle, kPointDamping))));
  }
  state.scales.assign(problem.rays.size(), 1);
  set_best_scales(problem, state);
  return state;
}

// Levenberg-Marquardt; scales are set to their best values after each step. Bundle adjustment
// follows, so few steps suffice.
void minimise(const PositioningProblem& problem, PositioningState& state) {
  double damping = 1e-4, cost = positioning_cost(problem, state);
  for (int step = 0; step < kMaxSteps && damping < 1e8; ++step) {
    check_cancelled();
    PositioningState trial = positioning_step(problem, state, damping);
    set_best_scales(problem, trial);
    const double next = positioning_cost(problem, trial);
    if (!(next < cost)) {
      damping *= 8;
      continue;
    }
    const bool is_converged = cost - next < kPositionTolerance * cost;
    state = std::move(trial);
    cost = next;
    damping = std::max(damping / 4, 1e-8);
    if (is_converged) break;
  }
}

}  // namespace

bool position(Scene& scene, const std::vector<int>& views, const MapOptions& options) {
  const TrackChoice choice(scene, views, options.max_positioning_tracks);
  if (choice.chosen().size() < kFewestTracks) return false;
  const PositioningProblem problem = problem_of(scene, views, choice.chosen());
  PositioningState state = start_at(problem, linear_centres(scene, views));
  if (!std::isfinite(positioning_cost(problem, state))) return false;
  minimise(problem, state);
  for (std::size_t i = 0; i < views.size(); ++i) {
    View& view = scene.view(views[i]);
    view.cam_from_world = pose_at(view.cam_from_world.R, state.centres[i]);
    view.is_registered = true;
  }
  Tracks& tracks = scene.tracks;
  std::ranges::fill(tracks.is_point, std::uint8_t{0});
  for (std::size_t k = 0; k < choice.chosen().size(); ++k) {
    const std::size_t track = choice.chosen()[k];
    tracks.points[track] = state.points[k], tracks.is_point[track] = 1;
    for (std::size_t i = tracks.first[track]; i < tracks.first[track + 1]; ++i)
      tracks.is_used[i] = scene.view(tracks.views[i]).is_registered ? 1 : 0;
  }
  return true;
}

}  // namespace bifocal::mapping
