// SPDX-License-Identifier: BSD-3-Clause
// State of a mapping: cameras, views, pairs and tracks. Indices start at 0 and are places in the
// lists of ViewGraph.
#pragma once

#include <bifocal/adjust.hpp>
#include <bifocal/camera.hpp>
#include <bifocal/mapping.hpp>

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "adjust/tracks/deviations.hpp"
#include "mapping/algebra.hpp"

namespace bifocal::mapping {

inline constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

struct View {
  int camera = 0;
  bool is_valid = false;       // its camera is supported
  bool is_registered = false;  // in the model that is being made
  Pose cam_from_world;
  std::vector<Vec3> rays;  // unit vectors in the camera's frame, one a feature; NaN: none
};

// Inliers of the relative pose of a pair, as places in MapPair::inliers.
struct Edge {
  int pair = 0;  // place in ViewGraph::pairs
  int view1 = 0, view2 = 0;
  Pose cam2_from_cam1;  // |t| = 1, or 0 for a rotation
  std::vector<std::int32_t> inliers;
  double probability = 0.7;       // of a correct rotation
  bool has_match_cycles = false;  // its matches agree with the matches of other pairs
  bool is_used = true;
  bool is_disputed = false;  // agrees with one solution of rotation averaging, contradicts another

  // Cycles of three pairs agree with the rotation and with the matches.
  [[nodiscard]] bool is_confirmed() const { return has_match_cycles && probability >= 0.9; }
};

// Track k has the observations [first[k], first[k + 1]), in ascending order of their views.
struct Tracks {
  std::vector<std::size_t> first = {0};
  // One an observation.
  std::vector<int> views;
  std::vector<std::uint32_t> features;
  std::vector<std::uint8_t> is_used;  // agrees with the point
  // One a track.
  std::vector<Vec3> points;
  std::vector<std::uint8_t> is_point;  // the point is known

  [[nodiscard]] std::size_t size() const { return points.size(); }
  [[nodiscard]] std::size_t length(std::size_t track) const {
    return first[track + 1] - first[track];
  }
};

struct Scene {
  const ViewGraph* graph = nullptr;
  std::vector<std::optional<LensCamera>> cameras;  // of ViewGraph::cameras; empty: not supported
  // Flags of the cameras.
  std::vector<bool> has_held_focal;      // keeps its prior
  std::vector<bool> has_free_principal;  // the principal point is adjusted
  std::vector<View> views;
  std::vector<Edge> edges;
  Tracks tracks;
  bool has_other_start = false;  // compare_starts() has chosen another solution

  [[nodiscard]] const std::vector<Vec2>& features(int view) const {
    return graph->images[static_cast<std::size_t>(view)].features;
  }
  [[nodiscard]] View& view(int index) { return views[static_cast<std::size_t>(index)]; }
  [[nodiscard]] const View& view(int index) const { return views[static_cast<std::size_t>(index)]; }
  [[nodiscard]] const LensCamera& lens(const View& v) const {
    return *cameras[static_cast<std::size_t>(v.camera)];
  }
  // px of an angle of 1 rad near the axis.
  [[nodiscard]] double focal_length(const View& v) const {
    const Intrinsics& K = lens(v).intrinsics();
    return 0.5 * (K.fx + K.fy);
  }
};

// The part of a scene that adjustments and filters change.
struct SceneState {
  std::vector<std::optional<LensCamera>> cameras;
  std::vector<bool> has_held_focal, has_free_principal;
  std::vector<View> views;
  Tracks tracks;
};
[[nodiscard]] SceneState state_of(const Scene& scene);
void restore(SceneState state, Scene& scene);
[[nodiscard]] std::ptrdiff_t registered_count(const Scene& scene);

// Throws Error(usage) for numbers that do not fit.
[[nodiscard]] Scene make_scene(const ViewGraph& graph);

// Computes the rays of all views of supported cameras from the features and the lenses.
void set_rays(Scene& scene);

// Empty if the model is not supported or a parameter is invalid.
[[nodiscard]] std::optional<LensCamera> supported_camera(const colmap::ModelCamera& camera);
// Sets the parameters of a camera; changes nothing if its lens can't have them.
void set_parameters(LensCamera& camera, std::span<const double> params);

// calibration.cpp: estimates focal lengths of cameras without a prior.
void calibrate(Scene& scene);
// Registered views whose verified pairs contradict the focal length of the camera that they share.
[[nodiscard]] std::vector<std::size_t> views_of_other_focal_lengths(const Scene& scene);

// intrinsics.cpp
// Cameras of registered views, in ascending order.
[[nodiscard]] std::vector<std::size_t> used_cameras(const Scene& scene);
// What the observations determine: cameras whose focal length should keep its prior, and those
// whose assumed principal point can be adjusted.
struct Review {
  std::vector<std::size_t> held, free;
};
[[nodiscard]] Review review_of(const Scene& scene, const MapOptions& options);
// Sets the cameras back to what was given and holds their focal lengths.
void hold_priors(Scene& scene, const std::vector<std::size_t>& cameras);
// Before another model, whose images may determine other intrinsics of the same cameras.
void forget_reviews(Scene& scene);
// Whether an adjusted principal point is farther from the centre than those of cameras are.
[[nodiscard]] bool has_far_principal_point(const Scene& scene);
enum class FurtherCoefficient { none, radial };
// Standard deviations of the intrinsics of used_cameras() that are adjusted, px for focal lengths
// and principal points, and their steps. with_principal: cameras whose principal points are
// adjusted. model: of the scene. radial: lenses with one radial coefficient have a second one.
[[nodiscard]] adjustment::IntrinsicDeviations deviations_of_cameras(
    const Scene& scene, const colmap::Model& model, const MapOptions& options,
    const std::vector<bool>& with_principal, FurtherCoefficient further);
// Standard deviations of the focal lengths of used_cameras(), px. Also, where it is larger, the
// change of a focal length by a principal point and a second radial coefficient that are adjusted,
// if they are determined: the share of the lens that the model of the camera leaves out.
[[nodiscard]] std::vector<double> focal_deviations(const Scene& scene, const colmap::Model& model,
                                                   const MapOptions& options);

// relative_poses.cpp: fills Scene::edges.
void estimate_relative_poses(Queue& queue, Scene& scene, const MapOptions& options);

// match_cycles.cpp: sets Edge::has_match_cycles.
void find_match_cycles(Scene& scene);

// graph.cpp
// Connected components of the chosen views by edges that are used, the largest first, then by the
// smallest view. Views are in ascending order.
[[nodiscard]] std::vector<std::vector<int>> components(const Scene& scene,
                                                       const std::vector<bool>& is_chosen);
// Marks edges as unused that no cycle confirms if other edges connect their views or their
// rotations contradict cycles; and those that compare_starts() decides about.
void remove_contradictory_edges(Scene& scene, bool compares_starts = true);

// rotation_starts.cpp: solves rotation averaging by the edges to keep, and by all edges from other
// spanning trees. Where solutions differ, it marks disputed edges, and if the best pairs contradict
// another solution less, that one decides which edges are kept.
void compare_starts(Scene& scene, std::vector<bool>& is_kept);
// Returns the edges between registered views by their present cameras, with their disputes.
[[nodiscard]] std::vector<Edge> registered_edges(Queue& queue, const Scene& scene,
                                                 const MapOptions& options);
// Whether too many of the strong pairs of registered views are disputed.
[[nodiscard]] bool has_disputed_rotations(const Scene& scene);

// rotation_averaging.cpp
// Order of an edge in the spanning tree; confirmed edges come first.
[[nodiscard]] double strength_by_inliers(const Edge& edge);
[[nodiscard]] double weight_by_cycles(const Edge& edge);
// Sets the rotations of the views by the used edges between them, removes edges that contradict
// them, and returns the largest set that is still connected.
[[nodiscard]] std::vector<int> average_rotations(Scene& scene, std::vector<int> views,
                                                 const MapOptions& options);

// tracks.cpp
// Joins the inliers of the used edges between the views.
void make_tracks(Scene& scene, const std::vector<int>& views);
// Returns whether the rays of at least half of the matches of ViewGraph::pairs[pair], between
// registered views, meet to within `tolerance` rad.
[[nodiscard]] bool most_rays_meet(const Scene& scene, int pair, double tolerance);
// Marks used edges between registered views as unused if most rays of their matches do not meet, to
// within `tolerance` rad. Returns their number.
std::int64_t remove_edges_by_positions(Scene& scene, double tolerance);
// Joins the matches of all pairs of registered views that agree with the poses.
void make_tracks_by_poses(Scene& scene, const MapOptions& options);

// linear_positions.cpp: centres of the views from their rotations and the used edges between them.
[[nodiscard]] std::vector<Vec3> linear_centres(const Scene& scene, const std::vector<int>& views);

// positioning.cpp: sets centres and points from rotations and tracks. Returns false if the tracks
// do not suffice.
[[nodiscard]] bool position(Scene& scene, const std::vector<int>& views, const MapOptions& options);

// refinement.cpp
// Keeps the largest set of registered views that share enough points; leaves out all other views.
void keep_largest_part(Scene& scene);
// Views and points are scaled and moved: the centres have mean 0 and a mean distance of 5.
void normalise(Scene& scene);

// resection.cpp: registers views of the list by their absolute poses. Returns their number.
[[nodiscard]] int resect(Queue& queue, Scene& scene, const std::vector<int>& views,
                         const MapOptions& options);

// model.cpp
[[nodiscard]] colmap::Model model_of(const Scene& scene);
// The inverse of model_of(): the views of the model are registered, and the graph, which the scene
// refers to, gets its features. Throws as model_doubts().
[[nodiscard]] Scene scene_of(ViewGraph& graph, const colmap::Model& model);
[[nodiscard]] MapFigures figures_of(const colmap::Model& model);

// colours.cpp
// Throws as map_database() for photographs.
void check_photographs(const ViewGraph& graph, const std::filesystem::path& photographs);
// Photographs that can't be read are added to `without_colours`.
void set_colours(colmap::Model& model, const std::filesystem::path& photographs,
                 std::vector<LeftOut>& without_colours);

}  // namespace bifocal::mapping
