// SPDX-License-Identifier: BSD-3-Clause
#include "mapping/doubts.hpp"

#include <fmt/format.h>
#include <bifocal/colmap/bundle_adjust.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <tuple>

#include "mapping/place/heights.hpp"
#include "mapping/static_matches.hpp"

namespace bifocal::mapping {
namespace {

// Limits: docs/develop/notes/mapping.md#doubts.
// Factors between a focal length and its prior from which it is doubted: if its deviation is small,
// and if it is larger.
constexpr double kFarFromPrior = 1.5, kFromPrior = 1.3, kSmallDeviation = 0.02;
constexpr double kFocalDeviation = 0.05;   // of a focal length: two deviations are 10 %
constexpr double kBendSpread = 0.1;        // of the displacements of a corner by lenses
constexpr double kLeastPointShare = 0.25;  // of the verified features of an image
constexpr std::size_t kFewestCameras = 3;  // that are compared
constexpr int kMostAngle = 79;             // degrees from the axis; LensCamera undistorts to 80

// The given parameters of a camera.
const std::vector<double>& given_params(const Scene& scene, std::size_t camera) {
  return scene.graph->cameras[camera].params;
}

// Cameras that a doubt concerns, and the worst value among them: the farthest one from the limit.
class Doubted {
 public:
  Doubted(const Scene& scene, DoubtKind kind, double limit)
      : scene_(scene), kind_(kind), limit_(limit), is_doubted_(scene.cameras.size()) {}

  void add(std::size_t camera, double value) {
    is_doubted_[camera] = true;
    if (count_++ == 0 || std::abs(value - limit_) > std::abs(worst_ - limit_))
      worst_ = value, worst_camera_ = camera;
  }
  [[nodiscard]] bool empty() const { return count_ == 0; }
  [[nodiscard]] std::size_t worst_camera() const { return worst_camera_; }
  [[nodiscard]] double worst() const { return worst_; }
  [[nodiscard]] ModelDoubt doubt(std::string text) const {
    ModelDoubt out{kind_, worst_, limit_, {}, {}, std::move(text)};
    for (std::size_t i = 0; i < scene_.views.size(); ++i)
      if (const View& view = scene_.views[i];
          view.is_registered && is_doubted_[static_cast<std::size_t>(view.camera)])
        out.images.push_back(scene_.graph->images[i].id);
    std::ranges::sort(out.images);
    return out;
  }

 private:
  const Scene& scene_;
  DoubtKind kind_;
  double limit_, worst_ = 0;
  std::size_t worst_camera_ = 0, count_ = 0;
  std::vector<bool> is_doubted_;
};

void doubt_priors(const DoubtInput& in, const std::vector<double>& deviations,
                  std::vector<ModelDoubt>& doubts) {
  Doubted doubted(in.scene, DoubtKind::focal_length, kFromPrior);
  const std::vector<std::size_t> cameras = used_cameras(in.scene);
  for (std::size_t k = 0; k < cameras.size(); ++k) {
    const std::size_t c = cameras[k];
    if (!in.scene.graph->cameras[c].has_prior_focal_length) continue;
    const double prior = given_params(in.scene, c)[0], f = in.scene.cameras[c]->params()[0];
    const double factor = std::max(f / prior, prior / f);
    const bool is_sure = deviations[k] <= kSmallDeviation * f;
    if (factor > (is_sure ? kFarFromPrior : kFromPrior)) doubted.add(c, factor);
  }
  if (doubted.empty()) return;
  const std::size_t c = doubted.worst_camera();
  doubts.push_back(doubted.doubt(fmt::format(
      "a focal length is far from its prior: {:.0f} px instead of {:.0f} px; keep the prior "
      "(--no-refine-focal-length) or correct it",
      in.scene.cameras[c]->params()[0], given_params(in.scene, c)[0])));
}

void doubt_deviations(const DoubtInput& in, const std::vector<double>& deviations,
                      std::vector<ModelDoubt>& doubts) {
  const std::vector<std::size_t> cameras = used_cameras(in.scene);
  Doubted doubted(in.scene, DoubtKind::focal_length, kFocalDeviation);
  for (std::size_t k = 0; k < cameras.size(); ++k) {
    const double part = deviations[k] / in.scene.cameras[cameras[k]]->params()[0];
    if (!(part <= kFocalDeviation)) doubted.add(cameras[k], part);
  }
  if (doubted.empty()) return;
  doubts.push_back(doubted.doubt(
      fmt::format("the matches do not determine a focal length: {:.0f} px with a standard "
                  "deviation of {:.0f} %; give it (--intrinsics) and keep it",
                  in.scene.cameras[doubted.worst_camera()]->params()[0], 100 * doubted.worst())));
}

// Part of the distance from the principal point to a corner at which the lens folds the image; 1
// if it does not.
double fold_of(const LensCamera& lens) {
  if (lens.width() <= 0 || lens.height() <= 0 || !lens.has_lens()) return 1;
  const Intrinsics &K = lens.pinhole(), &px = lens.intrinsics();
  const double x = static_cast<double>(lens.width()) / 2,
               y = static_cast<double>(lens.height()) / 2, corner = std::hypot(x, y);
  double reached = 0;
  for (int angle = 1; angle <= kMostAngle && reached < 1; ++angle) {
    const double r = std::tan(angle * kRadPerDeg) / corner;
    const Vec2 to = lens.distort({K.cx + K.fx * r * x, K.cy + K.fy * r * y});
    const double now = std::hypot(to[0] - px.cx, to[1] - px.cy) / corner;
    if (!(now > reached)) return reached;
    reached = now;
  }
  return 1;
}

void doubt_image_folds(const DoubtInput& in, std::vector<ModelDoubt>& doubts) {
  Doubted doubted(in.scene, DoubtKind::distortion, 1);
  for (const std::size_t c : used_cameras(in.scene)) {
    const double fold = fold_of(*in.scene.cameras[c]);
    if (fold < 1) doubted.add(c, fold);
  }
  if (doubted.empty()) return;
  doubts.push_back(doubted.doubt(
      fmt::format("a lens folds the image at {:.0f} % of the distance from the principal point to "
                  "the corner",
                  100 * doubted.worst())));
}

// Cameras that were given alike are taken for those of one lens.
void doubt_spreads(const DoubtInput& in, std::vector<ModelDoubt>& doubts) {
  using Given = std::tuple<std::string, std::int64_t, std::int64_t, std::vector<double>>;
  std::map<Given, std::vector<std::pair<double, std::size_t>>> lenses;
  for (const std::size_t c : used_cameras(in.scene)) {
    const LensCamera& camera = *in.scene.cameras[c];
    const double bend = bend_of(camera);
    if (std::isfinite(bend))
      lenses[{std::string(camera.model()), camera.width(), camera.height(),
              given_params(in.scene, c)}]
          .emplace_back(bend, c);
  }
  for (auto& [lens, bends] : lenses) {
    if (bends.size() < kFewestCameras) continue;
    std::ranges::sort(bends);
    const double spread = bends.back().first - bends.front().first;
    if (spread <= kBendSpread) continue;
    Doubted doubted(in.scene, DoubtKind::distortion, kBendSpread);
    for (const auto& [bend, camera] : bends) doubted.add(camera, spread);
    doubts.push_back(doubted.doubt(fmt::format(
        "the distortion differs among {} photographs that were given one lens, at the corner by "
        "{:.0f} to {:.0f} %; --camera single, if one camera took them",
        bends.size(), 100 * bends.front().first, 100 * bends.back().first)));
  }
}

// Features of the registered views: in verified pairs with other registered views (1), in points
// (2), or both (3).
std::vector<std::vector<std::uint8_t>> feature_states(const Scene& scene) {
  std::vector<std::vector<std::uint8_t>> states(scene.views.size());
  for (std::size_t i = 0; i < scene.views.size(); ++i)
    if (scene.views[i].is_registered) states[i].resize(scene.graph->images[i].features.size());
  for (const MapPair& pair : scene.graph->pairs) {
    auto &one = states[static_cast<std::size_t>(pair.image1)],
         &two = states[static_cast<std::size_t>(pair.image2)];
    if (one.empty() || two.empty() || !colmap::is_geometry(pair.configuration)) continue;
    for (const colmap::IndexPair& match : pair.inliers)
      one[match.index1] |= 1, two[match.index2] |= 1;
  }
  const Tracks& tracks = scene.tracks;
  for (std::size_t k = 0; k < tracks.size(); ++k)
    for (std::size_t i = tracks.first[k]; tracks.is_point[k] != 0 && i < tracks.first[k + 1]; ++i)
      if (tracks.is_used[i] != 0)
        states[static_cast<std::size_t>(tracks.views[i])][tracks.features[i]] |= 2;
  return states;
}

}  // namespace

double bend_of(const LensCamera& lens) {
  const Intrinsics &K = lens.pinhole(), &px = lens.intrinsics();
  const double r = std::hypot(static_cast<double>(lens.width()) / px.fx,
                              static_cast<double>(lens.height()) / px.fy) /
                   2;
  return (lens.distort({K.cx + K.fx * r, K.cy})[0] - px.cx) / (px.fx * r) - 1;
}

void doubt_focal_lengths(const DoubtInput& in, std::vector<ModelDoubt>& doubts) {
  if (!in.options.refine_focal_length) return;
  std::vector<double> deviations = focal_deviations(in.scene, in.model, in.options);
  // Heights above the ground that agree with the altitudes of a flight.
  const std::optional<Heights> heights =
      in.model.georeference ? heights_of(in.scene) : std::optional<Heights>();
  if (heights && std::abs(heights->factor() - 1) <= 2 * heights->relative_deviation()) {
    const std::vector<std::size_t> cameras = used_cameras(in.scene);
    for (std::size_t k = 0; k < cameras.size(); ++k)
      deviations[k] = std::min(
          deviations[k], heights->relative_deviation() * in.scene.cameras[cameras[k]]->params()[0]);
  }
  doubt_priors(in, deviations, doubts);
  doubt_deviations(in, deviations, doubts);
}

void doubt_cameras(const DoubtInput& in, std::vector<ModelDoubt>& doubts) {
  const std::vector<std::size_t> others = views_of_other_focal_lengths(in.scene);
  if (others.empty()) return;
  ModelDoubt doubt{DoubtKind::cameras, static_cast<double>(others.size()), 0, {}, {}, {}};
  for (const std::size_t view : others) doubt.images.push_back(in.scene.graph->images[view].id);
  std::ranges::sort(doubt.images);
  doubt.text = fmt::format(
      "the pairs of {} of {} images contradict the focal length of the camera that they share; "
      "give "
      "them a camera of their own",
      others.size(), in.model.images.size());
  doubts.push_back(std::move(doubt));
}

void doubt_distortions(const DoubtInput& in, std::vector<ModelDoubt>& doubts) {
  doubt_image_folds(in, doubts);
  doubt_spreads(in, doubts);
}

void doubt_convergence(const DoubtInput& in, std::vector<ModelDoubt>& doubts) {
  if (!in.adjustment || in.adjustment->reason != AdjustReason::max_iterations) return;
  const int steps = in.adjustment->iterations;
  doubts.push_back({DoubtKind::not_converged,
                    static_cast<double>(steps),
                    static_cast<double>(in.options.max_adjust_iterations),
                    {},
                    {},
                    fmt::format("the last adjustment had not converged after {} steps; "
                                "--max-adjust-iterations allows more",
                                steps)});
}

void doubt_points(const DoubtInput& in, std::vector<ModelDoubt>& doubts) {
  const std::vector<std::vector<std::uint8_t>> states = feature_states(in.scene);
  ModelDoubt doubt{DoubtKind::few_points, 1, kLeastPointShare, {}, {}, {}};
  for (std::size_t i = 0; i < states.size(); ++i) {
    const auto verified = std::ranges::count_if(states[i], [](auto s) { return (s & 1) != 0; }),
               points = std::ranges::count(states[i], std::uint8_t{3});
    if (verified == 0) continue;
    const double share = static_cast<double>(points) / static_cast<double>(verified);
    if (share >= kLeastPointShare) continue;
    doubt.images.push_back(in.scene.graph->images[i].id);
    doubt.value = std::min(doubt.value, share);
  }
  if (doubt.images.empty()) return;
  std::ranges::sort(doubt.images);
  doubt.text = fmt::format(
      "few of the verified matches became points, in {} of {} images: {:.0f} % "
      "at least",
      doubt.images.size(), in.model.images.size(), 100 * doubt.value);
  doubts.push_back(std::move(doubt));
}

std::vector<ModelDoubt> doubts_of(const DoubtInput& in) {
  std::vector<ModelDoubt> doubts;
  doubt_focal_lengths(in, doubts);
  doubt_cameras(in, doubts);
  doubt_distortions(in, doubts);
  doubt_curvature(in, doubts);
  doubt_convergence(in, doubts);
  doubt_points(in, doubts);
  doubt_parallax(in, doubts);
  doubt_static_matches(in, doubts);
  doubt_positions(in, doubts);
  doubt_folds(in, doubts);
  return doubts;
}

}  // namespace bifocal::mapping

namespace bifocal {

std::vector<ModelDoubt> model_doubts(const ViewGraph& graph, const colmap::Model& model,
                                     const MapOptions& options) {
  check_options(options);
  colmap::check_model(model);
  // Gets the features of the model, which may be undistorted.
  ViewGraph own = mapping::without_static_matches(graph).value_or(graph);
  mapping::Scene scene = mapping::scene_of(own, model);
  Queue queue(Device("cpu"));
  scene.edges = mapping::registered_edges(queue, scene, options);
  return mapping::doubts_of({scene, model, options});
}

}  // namespace bifocal
