// SPDX-License-Identifier: BSD-3-Clause
#include <bifocal/reasons.hpp>
#include <bifocal/two_view.hpp>

#include <fmt/format.h>

#include "robust/guide.hpp"
#include "runtime/parallel.hpp"
#include "verify/policies.hpp"

namespace bifocal::verify {

void AutomaticModel::estimate(const MatchedPairs& pairs, std::vector<ChosenModel>& results,
                              std::vector<std::uint8_t>& inliers) {
  results.assign(1, {});
  ChosenModel& found = results[0];
  found.points.resize(static_cast<std::size_t>(pairs.offsets.back()));
  download_points(queue_, pairs.points, found.points);
  queue_.wait();  // other queues read the points
  if (options_.on_start) options_.on_start();
  EstimateResult homography;
  estimate_candidates(pairs, found, homography);
  choose(homography, found);
  inliers = found.model.inliers;
  inliers.resize(found.points.size());
}

// Estimates a model on a new queue. Thread-safe: calls from several threads run concurrently, each
// on its own queue.
EstimateResult AutomaticModel::estimate(const MatchedPairs& pairs, ModelKind kind,
                                        std::span<const Intrinsics> cameras) const {
  Queue queue(queue_.device());
  const auto matches = static_cast<std::size_t>(pairs.offsets.back());
  return single_result(
      estimate_batch(queue, kind, pairs.points,
                     {.offsets = pairs.offsets,
                      .cameras1 = cameras.first(cameras.empty() ? 0 : 1),
                      .cameras2 = cameras.subspan(cameras.empty() ? 0 : 1),
                      .options = one_pair_options(kind, matches, options_.robust)}));
}

// Estimates the candidate models concurrently. Models that are not requested have no result.
void AutomaticModel::estimate_candidates(const MatchedPairs& pairs, ChosenModel& found,
                                         EstimateResult& homography) const {
  const std::vector<Intrinsics>& cameras = options_.cameras;
  const bool is_calibrated = !cameras.empty();
  found.epipolar_kind = is_calibrated ? ModelKind::essential : ModelKind::fundamental;
  const bool wants_epipolar = options_.request != ModelRequest::homography;
  const bool wants_plane = options_.request == ModelRequest::automatic || !wants_epipolar;
  runtime::parallel_for(3, [&](int i) {
    if (i == 0 && wants_epipolar && is_calibrated)
      found.epipolar =
          with_scene_points(ModelKind::essential, estimate(pairs, ModelKind::essential, cameras),
                            found.points, cameras, options_.robust.threshold);
    if (i == 0 && wants_epipolar && !is_calibrated)
      static_cast<EstimateResult&>(found.epipolar) = estimate(pairs, ModelKind::fundamental, {});
    if (i == 1 && wants_plane) homography = estimate(pairs, ModelKind::homography, {});
    if (i == 2 && wants_epipolar && is_calibrated)
      found.uncalibrated = estimate(pairs, ModelKind::fundamental, {});
  });
}

void AutomaticModel::choose(const EstimateResult& homography, ChosenModel& found) const {
  const bool is_plane_wanted = options_.request == ModelRequest::homography;
  found.kind = is_plane_wanted ? ModelKind::homography : found.epipolar_kind;
  if (options_.request != ModelRequest::automatic) {
    found.reason = fmt::format("{} was requested", to_string(found.kind));
  } else if (homography.ok() || found.epipolar.ok()) {
    const ModelChoice choice =
        choose_model(found.points, homography, found.epipolar, found.epipolar_kind,
                     options_.robust.threshold, options_.cameras);
    found.kind = choice.kind;
    found.reason = choice.reason;
  }
  found.model = found.kind == ModelKind::homography ? homography : found.epipolar;
  if (found.model.ok()) return;
  found.reason = fmt::format("{} from {} matches: {}", to_string(found.kind), found.points.size(),
                             reason_text(to_string(found.model.outcome)));
  if (found.epipolar.outcome == Outcome::rotation_only)
    found.reason = fmt::format(
        "a camera that only rotated explains {} of {} matches: no translation can be determined",
        found.epipolar.num_inliers, found.points.size());
}

std::optional<MatchGuide> AutomaticModel::guide(const ImagePair&, const ChosenModel& m) const {
  const std::vector<Intrinsics>& cameras = options_.cameras;
  const Intrinsics one = cameras.empty() ? Intrinsics() : cameras[0];
  const Intrinsics two = cameras.empty() ? Intrinsics() : cameras[1];
  return robust::guide_of(m.kind, m.model.model, one, two,
                          robust::kGuideWidth * options_.robust.threshold);
}

}  // namespace bifocal::verify
