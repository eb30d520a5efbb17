// SPDX-License-Identifier: BSD-3-Clause
#include "pair/attempt.hpp"

#include <fmt/format.h>
#include <bifocal/reasons.hpp>
#include <bifocal/two_view.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <tuple>
#include <utility>

#include "pair/detect.hpp"
#include "pair/focal_doubt.hpp"
#include "pair/repetition.hpp"
#include "pair/self_calibration.hpp"
#include "robust/significance.hpp"

namespace bifocal::pair {
namespace {

using PhotographView = ImageView<const std::uint8_t>;

constexpr ImagePair kPair[] = {{0, 1}};

verify::AutomaticModel::Options model_options(const PairOptions& options,
                                              std::function<void()> on_start) {
  verify::AutomaticModel::Options own{options.kind, {}, options.robust, std::move(on_start)};
  if (options.camera1 && options.camera2 && options.kind != ModelRequest::fundamental)
    own.cameras = {*options.camera1, *options.camera2};
  return own;
}

void start(const AttemptInput& input, const AttemptStages& stages, const char* stage,
           double fraction) {
  input.clock.start(stages.prefix + stage, stages.begin + stages.length * fraction);
}

}  // namespace

bool Belief::exceeds(const Belief& other) const {
  if (other.rank > 0 && other.is_epipolar && !is_epipolar) return false;
  const bool is_one_kind = is_epipolar == other.is_epipolar;
  const auto key = [&](const Belief& b) {
    return std::tuple(b.rank, is_one_kind ? -b.significance : -b.epipolar_significance, b.support);
  };
  return key(*this) > key(other);
}

struct Attempt::Matching {
  FeatureSet features;
  Buffer<PointPair> given;  // PairInput::matches
  std::function<void()> on_model;
  verify::PairVerifier<verify::AutomaticModel> verifier;

  Matching(const AttemptInput& input, const PairOptions& options)
      : features(input.given.matches
                     ? FeatureSet()
                     : detect(input.queue, input.image1, input.image2, options, input.given)),
        verifier(
            input.queue, {.matching = options.matching, .distinct_places = true},
            verify::AutomaticModel(input.queue, model_options(options, [this] { on_model(); }))) {}
};

Attempt::Attempt(const AttemptInput& input, PairOptions options, int tries,
                 const AttemptStages& stages)
    : options_(std::move(options)), tries_(tries) {
  start(input, stages, input.given.matches ? "matches" : "features", 0);
  matching_ = std::make_shared<Matching>(input, options_);
  matching_->on_model = [&] { start(input, stages, "model", 0.75); };
  if (input.given.matches) {
    take_given_matches(input);
  } else {
    result.keypoints1 = matching_->features.get_keypoints(input.queue, 0);
    result.keypoints2 = matching_->features.get_keypoints(input.queue, 1);
    start(input, stages, "matching", 0.55);
    take(matching_->verifier.run(matching_->features, kPair));
  }
  estimate_lens(input.queue, input.image1, input.image2, found.uncalibrated,
                matching_->verifier.points(), options_, result);
  refuse_insignificant();
  matches_ = result.matches, points_ = result.points, support_ = result.estimate;
  epipolar_significance_ = found.epipolar.significance;
  result.doubt = input.camera_doubt;
  // Matches in distorted images contradict every pinhole camera, so they are not tested.
  if (result.doubt.empty() && found.epipolar_kind == ModelKind::essential && !result.undistorted)
    result.doubt = focal_doubt(
        input.queue,
        {found.epipolar, found.uncalibrated, found.points, *options_.camera1, *options_.camera2},
        options_.robust);
  if (options_.guided && can_be_guided()) take_guided_round(input, stages);
  doubt_repetition(input, stages);
}

Attempt Attempt::guided(const AttemptInput& input, const AttemptStages& stages) const {
  Attempt next = *this;
  next.take_guided_round(input, stages);
  if (next.support_.num_inliers <= support_.num_inliers) return *this;
  next.doubt_repetition(input, stages);
  return next;
}

Belief Attempt::belief() const {
  // A pure rotation of the camera is a valid answer, too.
  if (result.outcome != Outcome::ok && result.outcome != Outcome::rotation_only) return {};
  return {result.is_doubted() ? 1 : 2, support_.significance, support_.num_inliers,
          result.kind != ModelKind::homography, epipolar_significance_};
}

// Uses given matches: match i becomes keypoint i in both images.
void Attempt::take_given_matches(const AttemptInput& input) {
  const std::span<const PointPair> given = *input.given.matches;
  Buffer<PointPair>& points = matching_->given;
  points = Buffer<PointPair>(input.queue.device(), given.size());
  points.upload(input.queue, given);
  const std::int64_t offsets[] = {0, std::ssize(given)};
  take(matching_->verifier.run(offsets, points));
  for (std::size_t i = 0; i < given.size(); ++i) {
    const PointPair& p = given[i];
    result.keypoints1.push_back({static_cast<float>(p.x1), static_cast<float>(p.y1), 1, 0, 0});
    result.keypoints2.push_back({static_cast<float>(p.x2), static_cast<float>(p.y2), 1, 0, 0});
    result.matches.push_back({static_cast<int>(i), static_cast<int>(i), 0, 0});
  }
}

// Copies the matches and the model of a round to the result.
void Attempt::take(const verify::Verified<verify::ChosenModel>& round) {
  found = round.results[0];
  result.matches.assign(round.matches.begin(), round.matches.end());
  result.points = found.points;
  result.kind = found.kind;
  result.reason = found.reason;
  result.estimate = found.model;
  result.outcome = found.model.outcome;
  result.cam2_from_cam1.reset();
  result.median_parallax_deg = 0;
  if (found.epipolar.outcome != Outcome::rotation_only) return;
  result.cam2_from_cam1 = found.epipolar.pose;
  result.median_parallax_deg = found.epipolar.median_parallax_deg;
}

// Runs the guided round. Its model is judged by its inliers among the matches of the first round,
// whose significance is an upper bound if the model has more inliers. For models of two kinds the
// significances cannot be compared.
void Attempt::take_guided_round(const AttemptInput& input, const AttemptStages& stages) {
  matching_->on_model = [&] { start(input, stages, "guided model", 0.92); };
  start(input, stages, "guided matching", 0.88);
  const ModelKind kind = result.kind;
  const auto& round = matching_->verifier.run_guided(matching_->features, kPair);
  if (round.results[0].model.num_inliers <= result.estimate.num_inliers) return;
  take(round);
  const std::vector<double> errors =
      residuals(result.kind, result.estimate.model, points_, cameras_for(result.kind, options_));
  const double significance = result.kind == kind ? support_.significance : 0;
  if (result.kind != kind) epipolar_significance_ = 0;
  support_ = result.estimate;
  support_.significance = significance;
  support_.inliers.assign(points_.size(), 0);
  for (std::size_t i = 0; i < errors.size(); ++i)
    support_.inliers[i] = errors[i] <= options_.robust.threshold;
  support_.num_inliers = static_cast<int>(std::ranges::count(support_.inliers, 1));
}

void Attempt::refuse_insignificant() {
  if (result.outcome != Outcome::ok ||
      robust::is_significant(result.kind, result.estimate.significance, options_.robust, tries_))
    return;
  result.outcome = result.estimate.outcome = Outcome::not_significant;
  result.reason = fmt::format("{} from {} matches: {}", to_string(result.kind),
                              result.points.size(), reason_text(to_string(result.outcome)));
}

void Attempt::doubt_repetition(const AttemptInput& input, const AttemptStages& stages) {
  if (!result.estimate.ok()) return;
  start(input, stages, "doubt", 0.96);
  if (result.undistorted) return;
  if (input.given.matches) {
    const std::vector<Intrinsics> cameras = cameras_for(result.kind, options_);
    result.repetition = find_repetition(input.queue, result.kind, points_, support_,
                                        {.cameras = cameras, .options = options_.robust});
    return;
  }
  const PhotographView image1 = input.image1, image2 = input.image2;
  result.repetition = repetition(
      {input.queue,
       matching_->features,
       options_,
       {std::hypot(image1.width, image1.height), std::hypot(image2.width, image2.height)}},
      {result.kind, matches_, points_, support_}, tries_);
}

}  // namespace bifocal::pair
