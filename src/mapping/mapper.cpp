// SPDX-License-Identifier: BSD-3-Clause
// The stages of mapping, in order.
#include <bifocal/mapping.hpp>

#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>
#include <utility>

#include "mapping/doubts.hpp"
#include "mapping/place/georeference.hpp"
#include "mapping/scene.hpp"
#include "mapping/scene_session.hpp"
#include "mapping/stages.hpp"
#include "mapping/static_matches.hpp"

namespace bifocal {
namespace mapping {
namespace {

constexpr int kResectionRounds = 50;
constexpr int kPositionRounds = 2;  // after pairs were removed
constexpr double kRaysMeet = 3 * kRadPerDeg;
constexpr int kGrowthPasses = 3;  // without a bundle adjustment between them
constexpr int kCompletionRounds = 8;
constexpr double kSettled = 5e-4;  // change of the number of observations by a round

// Maps components one after another. Every round registers views or gives some up.
class Mapper {
 public:
  Mapper(Queue& queue, Scene& scene, const MapOptions& options, StageClock& clock,
         MapResult& result)
      : queue_(queue), scene_(scene), options_(options), clock_(clock), result_(result) {
    for (const View& view : scene.views) is_waiting_.push_back(view.is_valid);
  }

  void map_components() {
    while (true) {
      const std::vector<std::vector<int>> parts = components(scene_, is_waiting_);
      if (parts.empty() || static_cast<int>(parts.front().size()) < options_.min_images) break;
      const std::vector<int> views = map_component(parts.front());
      if (static_cast<int>(registered().size()) >= options_.min_images) {
        finish_model();
      } else {
        for (const int i : views) is_waiting_[static_cast<std::size_t>(i)] = false;
      }
      for (View& view : scene_.views) view.is_registered = false;
    }
  }

  // Whether the adjusted cameras leave the rotations of a model disputed.
  [[nodiscard]] bool has_disputes() const { return has_disputes_; }

 private:
  // Returns the views that were tried.
  std::vector<int> map_component(const std::vector<int>& part) {
    forget_reviews(scene_);
    clock_.begin(MapStage::rotations);
    std::vector<int> views = average_rotations(scene_, part, options_);
    if (static_cast<int>(views.size()) < options_.min_images) return part;
    if (!position_views(views)) return views;
    normalise(scene_);
    clock_.begin(MapStage::adjust);
    adjust_positions();
    complete();
    add_images();
    clock_.begin(MapStage::adjust);
    review_intrinsics();
    return views;
  }

  // Adjusts again with the intrinsics that the observations determine.
  void review_intrinsics() {
    const Review review = review_of(scene_, options_);
    if (!review.held.empty()) {
      hold_priors(scene_, review.held);
      complete();
    }
    if (review.free.empty()) return;
    SceneState before = state_of(scene_);
    const AdjustResult adjustment = adjustment_;
    const std::ptrdiff_t images = registered_count(scene_);
    for (const std::size_t camera : review.free) scene_.has_free_principal[camera] = true;
    complete(1);
    if (registered_count(scene_) == images && !has_far_principal_point(scene_)) return;
    restore(std::move(before), scene_);
    adjustment_ = adjustment;
  }

  // Positions views; then again without the pairs that contradict the positions.
  bool position_views(std::vector<int>& views) {
    for (int round = 0;; ++round) {
      clock_.begin(MapStage::tracks);
      make_tracks(scene_, views);
      clock_.begin(MapStage::positions);
      if (!position(scene_, views, options_)) return false;
      if (round == kPositionRounds || remove_edges_by_positions(scene_, kRaysMeet) == 0)
        return true;
      std::vector<bool> is_chosen(scene_.views.size());
      for (const int i : views) is_chosen[static_cast<std::size_t>(i)] = true;
      for (View& view : scene_.views) view.is_registered = false;
      views = components(scene_, is_chosen).front();
    }
  }

  // Adjusts the chosen tracks: first without intrinsics, with wide thresholds.
  void adjust_positions() {
    SceneSession session(queue_, scene_, options_, SceneSession::Of::points);
    session.filter(50 * options_.threshold);
    session.adjust({.intrinsics = false, .loss_scale = 2, .is_coarse = true});
    session.adjust({.intrinsics = true, .loss_scale = 2, .is_coarse = true});
    session.filter(4 * options_.threshold);
    session.adjust({.intrinsics = true, .loss_scale = 1});
    session.filter(2 * options_.threshold);
    session.take();
    keep_largest_part(scene_);
  }

  // Points of all pairs, adjusted and filtered. Poses that are not final choose matches that keep
  // them wrong, so this is repeated until the number of observations settles.
  void complete(int rounds = kCompletionRounds) {
    std::int64_t before = 0;
    for (int round = 0; round < rounds; ++round) {
      make_tracks_by_poses(scene_, options_);
      SceneSession session(queue_, scene_, options_, SceneSession::Of::tracks);
      session.triangulate();
      adjustment_ = session.adjust({.intrinsics = true, .loss_scale = 1});
      const std::int64_t used = session.filter(options_.threshold);
      session.take();
      const auto change = static_cast<double>(std::abs(used - before));
      if (change <= kSettled * static_cast<double>(used)) break;
      before = used;
    }
    keep_largest_part(scene_);
    normalise(scene_);
  }

  void add_images() {
    for (int round = 0; round < kResectionRounds; ++round) {
      const std::size_t before = registered().size();
      if (before == 0 || !grow()) return;
      clock_.begin(MapStage::adjust);
      complete();
      if (registered().size() <= before) return;
    }
  }

  // Alternates between absolute poses and triangulation. Returns false if no image was added.
  bool grow() {
    clock_.begin(MapStage::resect);
    bool has_grown = false;
    for (int pass = 0; pass < kGrowthPasses; ++pass) {
      std::vector<int> left;
      for (std::size_t i = 0; i < is_waiting_.size(); ++i)
        if (is_waiting_[i] && !scene_.views[i].is_registered) left.push_back(static_cast<int>(i));
      if (left.empty() || resect(queue_, scene_, left, options_) == 0) break;
      has_grown = true;
      make_tracks_by_poses(scene_, options_);
      SceneSession session(queue_, scene_, options_, SceneSession::Of::tracks);
      session.triangulate();
      session.take();
    }
    return has_grown;
  }

  [[nodiscard]] std::vector<int> registered() const {
    std::vector<int> out;
    for (std::size_t i = 0; i < scene_.views.size(); ++i)
      if (scene_.views[i].is_registered) out.push_back(static_cast<int>(i));
    return out;
  }

  void finish_model() {
    std::optional<colmap::Georeference> place = georeference(queue_, scene_, options_, adjustment_);
    result_.models.push_back(model_of(scene_));
    result_.models.back().georeference = std::move(place);
    // Wrong focal lengths also lead to disputes, so these are examined again by the adjusted ones.
    std::optional<std::vector<Edge>> edges;
    if (std::ranges::any_of(scene_.edges, [&](const Edge& edge) {
          return edge.is_disputed && scene_.view(edge.view1).is_registered &&
                 scene_.view(edge.view2).is_registered;
        }))
      edges = std::exchange(scene_.edges, registered_edges(queue_, scene_, options_));
    has_disputes_ = has_disputes_ || has_disputed_rotations(scene_);
    result_.doubts.push_back(doubts_of({scene_, result_.models.back(), options_, &adjustment_}));
    if (edges) scene_.edges = std::move(*edges);
    for (const int i : registered()) is_waiting_[static_cast<std::size_t>(i)] = false;
    clock_.add_model(static_cast<int>(registered().size()));
  }

  Queue& queue_;
  Scene& scene_;
  const MapOptions& options_;
  StageClock& clock_;
  MapResult& result_;
  std::vector<bool> is_waiting_;
  AdjustResult adjustment_;    // the last one
  bool has_disputes_ = false;  // of the rotations of a model
};

// Given cameras of a model.
std::vector<colmap::ModelCamera> given_cameras(const ViewGraph& graph, const colmap::Model& model) {
  std::vector<colmap::ModelCamera> given;
  for (const colmap::ModelCamera& camera : graph.cameras)
    if (std::ranges::find(model.cameras, camera.id, &colmap::ModelCamera::id) !=
        model.cameras.end())
      given.push_back(camera);
  return given;
}

// Number of images of a model with a position.
std::int64_t positions_of(const ViewGraph& graph, const colmap::Model& model) {
  return std::ranges::count_if(graph.positions, [&](const MapPosition& p) {
    const colmap::Id id = graph.images[static_cast<std::size_t>(p.image)].id;
    return p.centre &&
           std::ranges::find(model.images, id, &colmap::ModelImage::id) != model.images.end();
  });
}

void sort_models(const ViewGraph& graph, MapResult& result) {
  std::vector<std::size_t> order(result.models.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater(),
                           [&](std::size_t i) { return result.models[i].images.size(); });
  std::vector<colmap::Model> models;
  std::vector<std::vector<ModelDoubt>> doubts;
  for (const std::size_t i : order) {
    models.push_back(std::move(result.models[i]));
    doubts.push_back(std::move(result.doubts[i]));
    MapFigures& figures = result.figures.emplace_back(figures_of(models.back()));
    figures.given = colmap::focal_lengths_of(given_cameras(graph, models.back()));
    figures.focal_lengths = colmap::focal_lengths_of(models.back().cameras);
    figures.positions = positions_of(graph, models.back());
  }
  result.models = std::move(models), result.doubts = std::move(doubts);
}

// Says for every image without a model why it has none. `parts` are the components of the pairs at
// the start.
void explain(const Scene& scene, const std::vector<std::vector<int>>& parts,
             const MapOptions& options, MapResult& result) {
  std::vector<LeftOutReason> reasons(scene.views.size(), LeftOutReason::no_pair);
  for (const std::vector<int>& part : parts)
    for (const int i : part)
      if (part.size() > 1)
        reasons[static_cast<std::size_t>(i)] = static_cast<int>(part.size()) < options.min_images
                                                   ? LeftOutReason::small_component
                                                   : LeftOutReason::contradictory;
  for (const Edge& edge : scene.edges)
    for (const int i : {edge.view1, edge.view2})
      if (LeftOutReason& reason = reasons[static_cast<std::size_t>(i)];
          edge.is_used && reason == LeftOutReason::contradictory)
        reason = LeftOutReason::few_points;
  std::vector<colmap::Id> in_models;
  for (const colmap::Model& model : result.models)
    for (const colmap::ModelImage& image : model.images) in_models.push_back(image.id);
  std::ranges::sort(in_models);
  for (std::size_t i = 0; i < scene.views.size(); ++i) {
    const MapImage& image = scene.graph->images[i];
    if (std::ranges::binary_search(in_models, image.id)) continue;
    result.left_out.push_back(
        {image.id, image.name, scene.views[i].is_valid ? reasons[i] : LeftOutReason::camera});
  }
}

// Returns false if another start of rotation averaging was chosen, although by the adjusted cameras
// the starts agree: wrong focal lengths look like look-alikes.
bool map_once(Queue& queue, const ViewGraph& graph, const MapOptions& options, StageClock& clock,
              bool compares_starts, MapResult& result) {
  clock.begin(MapStage::calibrate);
  Scene scene = make_scene(graph);
  const std::optional<ViewGraph> moving = without_static_matches(graph);
  if (moving) scene.graph = &*moving;
  calibrate(scene);
  set_rays(scene);
  clock.begin(MapStage::pairs);
  estimate_relative_poses(queue, scene, options);
  result.pairs = static_cast<std::int64_t>(scene.edges.size());
  const std::vector<std::vector<int>> parts =
      components(scene, std::vector<bool>(scene.views.size(), true));
  clock.begin(MapStage::rotations);
  remove_contradictory_edges(scene, compares_starts);
  Mapper mapper(queue, scene, options, clock, result);
  mapper.map_components();
  if (scene.has_other_start && !mapper.has_disputes()) return false;
  result.removed_pairs = std::ranges::count(scene.edges, false, &Edge::is_used);
  sort_models(graph, result);
  explain(scene, parts, options, result);
  return true;
}

}  // namespace

void map_scene(Queue& queue, const ViewGraph& graph, const MapOptions& options, StageClock& clock,
               MapResult& result) {
  check_options(options);
  if (map_once(queue, graph, options, clock, true, result)) return;
  result.models.clear(), result.doubts.clear();
  clock.forget_models();
  (void)map_once(queue, graph, options, clock, false, result);
}

}  // namespace mapping

MapResult map_view_graph(Queue& queue, const ViewGraph& graph, const MapOptions& options) {
  MapResult result;
  mapping::StageClock clock(options, result);
  mapping::map_scene(queue, graph, options, clock, result);
  clock.end();
  return result;
}

MapResult map_database(Queue& queue, const std::filesystem::path& database,
                       const MapOptions& options, const std::filesystem::path& photographs) {
  check_options(options);
  MapResult result;
  mapping::StageClock clock(options, result);
  clock.begin(MapStage::read);
  ViewGraph graph =
      read_view_graph(colmap::Database(database, colmap::quiet_access(database)), options);
  result.damaged_rows = std::move(graph.damaged_rows);
  if (!photographs.empty()) mapping::check_photographs(graph, photographs);
  mapping::map_scene(queue, graph, options, clock, result);
  if (!photographs.empty()) {
    clock.begin(MapStage::colours);
    for (colmap::Model& model : result.models)
      mapping::set_colours(model, photographs, result.without_colours);
  }
  clock.end();
  return result;
}

std::string_view to_string(MapStage stage) {
  return kMapStageWords[static_cast<std::size_t>(stage)];
}

std::string_view to_string(DoubtKind kind) { return kDoubtWords[static_cast<std::size_t>(kind)]; }

bool MapResult::is_doubted() const {
  return std::ranges::any_of(doubts, [](const auto& list) { return !list.empty(); });
}

std::string_view to_string(LeftOutReason reason) {
  switch (reason) {
    case LeftOutReason::camera:
      return "camera";
    case LeftOutReason::no_pair:
      return "no_pair";
    case LeftOutReason::small_component:
      return "small_component";
    case LeftOutReason::contradictory:
      return "contradictory";
    case LeftOutReason::few_points:
      return "few_points";
  }
  return "";
}

}  // namespace bifocal
