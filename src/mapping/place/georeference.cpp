// SPDX-License-Identifier: BSD-3-Clause
#include "mapping/place/georeference.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "mapping/place/heights.hpp"
#include "mapping/scene_session.hpp"

namespace bifocal::mapping {
namespace {

constexpr double kRobustPositions = 3;       // standard deviations, of Cauchy's loss
constexpr double kMeanOfDeviation = 1.2533;  // mean error of a deviation of 1 in x and y
constexpr double kUndetermined = 0.05;       // deviation of a focal length that altitudes determine

// A camera whose focal length is not determined, and its deviation by the matches, px.
struct Undetermined {
  std::size_t camera;
  double deviation;
};

std::vector<Undetermined> undetermined_cameras(const Scene& scene, const MapOptions& options) {
  std::vector<Undetermined> out;
  if (!options.refine_focal_length) return out;
  const std::vector<std::size_t> cameras = used_cameras(scene);
  const std::vector<double> deviations = focal_deviations(scene, model_of(scene), options);
  for (std::size_t k = 0; k < cameras.size(); ++k) {
    const double least = kUndetermined * scene.cameras[cameras[k]]->params()[0];
    if (scene.has_held_focal[cameras[k]] || !(deviations[k] <= least))
      out.push_back({cameras[k], deviations[k]});
  }
  return out;
}

// Sets focal lengths to the weighted mean of two values and holds them: by the matches, and by the
// altitudes of the cameras above the ground. A flat scene that is seen from one height has any
// focal length, with a height in proportion.
void use_altitudes(Scene& scene, const Heights& heights, const std::vector<Undetermined>& cameras) {
  if (cameras.empty()) return;
  double mean = 0;
  for (const auto& [c, deviation] : cameras) {
    std::vector<double> params(scene.cameras[c]->params().begin(),
                               scene.cameras[c]->params().end());
    const bool is_measured = !scene.has_held_focal[c] && std::isfinite(deviation);
    const double by_matches = is_measured ? std::pow(params[0] / deviation, 2) : 0,
                 by_heights = std::pow(heights.relative_deviation(), -2);
    const double scale = (by_matches + by_heights * heights.factor()) / (by_matches + by_heights);
    const int focal = LensCamera::focal_lengths(scene.cameras[c]->model());
    for (int k = 0; k < focal; ++k) params[static_cast<std::size_t>(k)] *= scale;
    set_parameters(*scene.cameras[c], params);
    scene.has_held_focal[c] = true;
    mean += scale / static_cast<double>(cameras.size());
  }
  for (Vec3& X : scene.tracks.points) X[2] = heights.camera - mean * (heights.camera - X[2]);
  set_rays(scene);
}

// Positions with the deviations of the fit, or with their stated deviations.
enum class Deviations { of_fit, stated };
void set_position_priors(const PositionFit& fit, const std::vector<MapPosition>& positions,
                         Deviations chosen, AdjustPriors& priors) {
  priors.position_loss = {AdjustLoss::cauchy, kRobustPositions};
  priors.positions.clear();
  for (const MapPosition& p : positions) {
    const auto found = std::ranges::lower_bound(fit.views, p.image);
    if (found == fit.views.end() || *found != p.image) continue;
    Vec3 d = fit.assumed[static_cast<std::size_t>(found - fit.views.begin())];
    for (std::size_t k = 0; k < 3; ++k)
      if (chosen == Deviations::stated && p.deviations[k] > 0) d[k] = p.deviations[k];
    priors.positions.push_back(
        {p.image, *p.centre, {d[0] * d[0], 0, 0, 0, d[1] * d[1], 0, 0, 0, d[2] * d[2]}});
  }
}

// Whether positions state deviations that are smaller than the errors of the model.
bool are_better(const PositionFit& fit, const std::vector<MapPosition>& positions) {
  return std::ranges::any_of(positions, [&](const MapPosition& p) {
    const auto found = std::ranges::lower_bound(fit.views, p.image);
    if (found == fit.views.end() || *found != p.image) return false;
    const Vec3& d = fit.assumed[static_cast<std::size_t>(found - fit.views.begin())];
    return p.deviations[0] > 0 && (d[0] > p.deviations[0] || d[2] > p.deviations[2]);
  });
}

void add_height_priors(const Scene& scene, AdjustPriors& priors) {
  priors.height_loss = {AdjustLoss::cauchy, kRobustPositions};
  for (const MapPosition& p : scene.graph->positions)
    if (p.altitude && scene.view(p.image).is_registered)
      priors.heights.push_back({p.image, *p.altitude, kBarometer});
}

// Adjusts the views with the priors, whose images are views of the scene.
AdjustResult adjust_with(Queue& queue, Scene& scene, const MapOptions& options,
                         const AdjustPriors& priors) {
  const double error = figures_of(model_of(scene)).mean_error;
  make_tracks_by_poses(scene, options);
  SceneSession session(queue, scene, options, SceneSession::Of::tracks);
  session.triangulate();
  session.set_priors(priors, error > 0 ? error / kMeanOfDeviation : 1);
  AdjustResult result = session.adjust({.intrinsics = true, .loss_scale = 1});
  (void)session.filter(options.threshold);
  session.take();
  keep_largest_part(scene);
  return result;
}

// Adjusts the views with their positions and heights. Returns false, and takes everything back, if
// a view would be lost, as by positions that are wrong.
bool adjust_by_positions(Queue& queue, Scene& scene, const MapOptions& options, PositionFit& fit,
                         AdjustResult& adjustment) {
  SceneState before = state_of(scene);
  const std::ptrdiff_t images = registered_count(scene);
  const std::vector<MapPosition>& positions = scene.graph->positions;
  AdjustPriors priors;
  set_position_priors(fit, positions, Deviations::of_fit, priors);
  if (const std::optional<Heights> heights = heights_of(scene)) {
    use_altitudes(scene, *heights, undetermined_cameras(scene, options));
    if (heights->deviation <= 2 * kBarometer) add_height_priors(scene, priors);
  }
  AdjustResult result = adjust_with(queue, scene, options, priors);
  // The robust loss would take a precise position far from the model for a wrong one.
  if (registered_count(scene) == images && are_better(fit, positions)) {
    set_position_priors(fit, positions, Deviations::stated, priors);
    result = adjust_with(queue, scene, options, priors);
  }
  const std::optional<PositionFit> after = fit_positions(scene, positions, options.seed);
  if (registered_count(scene) != images || !after) {
    restore(std::move(before), scene);
    return false;
  }
  fit = *after;
  adjustment = std::move(result);
  return true;
}

// Fills in the residuals of the finished views and the deviations of the fit.
void set_figures(const Scene& scene, const PositionFit& fit, colmap::Georeference& out) {
  out.positions = static_cast<std::int64_t>(fit.views.size());
  out.position_deviations = fit.deviations.position;
  out.rotation_deviations_deg = scaled(fit.deviations.rotation, 1 / kRadPerDeg);
  out.scale_deviation = fit.deviations.scale;
  Vec3 squares{};
  for (const MapPosition& p : scene.graph->positions) {
    const auto found = std::ranges::lower_bound(fit.views, p.image);
    if (found == fit.views.end() || *found != p.image) continue;
    if (fit.is_outlier[static_cast<std::size_t>(found - fit.views.begin())]) {
      out.outliers.push_back(scene.graph->images[static_cast<std::size_t>(p.image)].name);
      continue;
    }
    const Vec3 e = difference(*p.centre, centre_of(scene.view(p.image).cam_from_world));
    for (std::size_t k = 0; k < 3; ++k) squares[k] += e[k] * e[k];
  }
  std::ranges::sort(out.outliers);
  const std::size_t used = fit.views.size() - out.outliers.size();
  for (std::size_t k = 0; k < 3 && used > 0; ++k)
    out.residuals[k] = std::sqrt(squares[k] / static_cast<double>(used));
}

}  // namespace

void apply(const Similarity& similarity, Scene& scene) {
  for (View& view : scene.views)
    if (view.is_registered)
      view.cam_from_world = pose_at(times(view.cam_from_world.R, transposed(similarity.R)),
                                    moved(similarity, centre_of(view.cam_from_world)));
  for (std::size_t k = 0; k < scene.tracks.size(); ++k)
    if (scene.tracks.is_point[k] != 0)
      scene.tracks.points[k] = moved(similarity, scene.tracks.points[k]);
}

std::optional<colmap::Georeference> georeference(Queue& queue, Scene& scene,
                                                 const MapOptions& options,
                                                 AdjustResult& adjustment) {
  if (options.positions == MapPositions::ignore) return {};
  std::optional<PositionFit> fit = fit_positions(scene, scene.graph->positions, options.seed);
  if (!fit) return {};
  colmap::Georeference out{.origin = scene.graph->origin};
  const bool acts = fit->agrees || options.positions == MapPositions::use;
  const std::optional<Similarity> level =
      acts ? std::nullopt : level_similarity(scene, *fit, options.seed);
  apply(level.value_or(fit->similarity), scene);
  out.is_adjusted = acts && adjust_by_positions(queue, scene, options, *fit, adjustment);
  set_figures(scene, *fit, out);
  return out;
}

}  // namespace bifocal::mapping
