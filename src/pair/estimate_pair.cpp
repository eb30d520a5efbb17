// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <bifocal/error.hpp>
#include <bifocal/matching.hpp>
#include <bifocal/pair.hpp>

#include <array>
#include <cmath>
#include <map>
#include <numbers>

#include "robust/guide.hpp"
#include "pair/dense_pair.hpp"
#include "pair/stage_clock.hpp"
#include "runtime/parallel.hpp"
#include "robust/off_centre.hpp"

namespace bifocal {
namespace {

using Picture = ImageView<const std::uint8_t>;

void check_picture(Picture image, const char* name) {
  if (image.empty() || image.channels < 1 || image.channels > 4) {
    throw Error(ErrorCode::usage,
                fmt::format("{}: {} x {} px with {} channels: not a picture of 1 to 4 channels",
                            name, image.width, image.height, image.channels));
  }
}

void check(Picture image1, Picture image2, const PairOptions& options) {
  check_picture(image1, "image1");
  check_picture(image2, "image2");
  for (const auto& camera : {options.camera1, options.camera2}) {
    if (camera && !camera->valid()) {
      throw Error(ErrorCode::usage,
                  fmt::format("camera1, camera2: focal lengths {}, {} must be positive", camera->fx,
                              camera->fy));
    }
  }
  if (options.model == ModelRequest::essential && !(options.camera1 && options.camera2)) {
    throw Error(ErrorCode::usage, "model = essential: needs the intrinsics of both cameras");
  }
  check_options(options);
}

// A point with several orientations has a feature for each; of the matches between two places the
// nearest in the descriptors stays (the first of equals), in the old order.
std::vector<Match> different_places(const Features& features1, const Features& features2,
                                    const std::vector<Match>& matches) {
  const auto place = [&](const Match& m) {
    const Keypoint& a = features1.keypoints[static_cast<std::size_t>(m.index1)];
    const Keypoint& b = features2.keypoints[static_cast<std::size_t>(m.index2)];
    return std::array{a.x, a.y, b.x, b.y};
  };
  std::map<std::array<float, 4>, const Match*> best;
  for (const Match& m : matches) {
    const Match*& at = best.try_emplace(place(m), &m).first->second;
    if (m.distance < at->distance) at = &m;
  }
  std::vector<Match> kept;
  for (const Match& m : matches) {
    if (best.at(place(m)) == &m) kept.push_back(m);
  }
  return kept;
}

// Both candidate models of a pair; the one that wasn't asked for stays without a result.
struct Candidates {
  RobustResult homography;
  RelativePoseResult epipolar;  // only the RobustResult part for F
  ModelKind epipolar_kind;
  RobustResult uncalibrated;  // F, beside E
};

Candidates estimate_candidates(const std::vector<PointPair>& points, const PairOptions& options) {
  Candidates found;
  const bool calibrated =
      options.camera1 && options.camera2 && options.model != ModelRequest::fundamental;
  found.epipolar_kind = calibrated ? ModelKind::essential : ModelKind::fundamental;
  runtime::parallel_for(3, [&](int i) {
    Queue queue(options.device);  // one each: the searches run side by side
    if (i == 2 && calibrated && options.model != ModelRequest::homography)
      found.uncalibrated = estimate_fundamental(queue, points, options.robust);
    if (i == 0 && options.model != ModelRequest::homography) {
      if (calibrated) {
        found.epipolar =
            estimate_essential(queue, points, *options.camera1, *options.camera2, options.robust);
      } else {
        static_cast<RobustResult&>(found.epipolar) =
            estimate_fundamental(queue, points, options.robust);
      }
    }
    const bool wanted =
        options.model == ModelRequest::automatic || options.model == ModelRequest::homography;
    if (i == 1 && wanted) found.homography = estimate_homography(queue, points, options.robust);
  });
  return found;
}

// Sets outcome, kind, reason and model.
void choose(const Candidates& found, const PairOptions& options, PairResult& result) {
  const ModelRequest request = options.model;
  result.kind = request == ModelRequest::homography ? ModelKind::homography : found.epipolar_kind;
  if (request != ModelRequest::automatic) {
    result.reason = fmt::format("{} was asked for", to_string(result.kind));
  } else if (found.homography.ok() || found.epipolar.ok()) {
    std::vector<Intrinsics> cameras;
    if (found.epipolar_kind == ModelKind::essential) cameras = {*options.camera1, *options.camera2};
    const ModelChoice choice = choose_model(result.points, found.homography, found.epipolar,
                                            found.epipolar_kind, options.robust.threshold, cameras);
    result.kind = choice.kind;
    result.reason = choice.reason;
  }
  result.model = result.kind == ModelKind::homography ? found.homography : found.epipolar;
  result.outcome = result.model.outcome;
  if (!result.model.ok()) {
    result.reason = fmt::format("{} from {} matches: {}", to_string(result.kind),
                                result.points.size(), to_string(result.outcome));
  }
  if (found.epipolar.outcome == Outcome::rotation_only) {
    if (!result.model.ok())
      result.reason = fmt::format(
          "a camera that only turned explains {} of {} matches: no translation can be told",
          found.epipolar.inlier_count, result.points.size());
    result.cam2_from_cam1 = found.epipolar.cam2_from_cam1;
    result.median_parallax_deg = found.epipolar.median_parallax_deg;
  }
}

// Says why a camera is hardly that of its picture: a principal point off the centre. Empty: it may
// be.
std::string doubt_of_camera(const Intrinsics& camera, Picture image, const char* which) {
  if (!robust::is_off_centre(camera, image.width, image.height)) return {};
  return fmt::format(
      "the principal point ({:g}, {:g}) lies far from the middle of the {} picture "
      "of {} x {} px: are these the intrinsics of another size?",
      camera.cx, camera.cy, which, image.width, image.height);
}

// Intrinsics that are not the pictures' (of another size, or zoom): an essential matrix explains
// clearly fewer matches than a fundamental matrix, which needs none.
//   J. Schoenberger, J.-M. Frahm, Structure-from-motion revisited, CVPR 2016 (the rule of 95 %).
std::string doubt_of_cameras(const Candidates& found, const PairOptions& options, Picture image1,
                             Picture image2) {
  if (found.epipolar_kind != ModelKind::essential) return {};
  constexpr double kLeastShare = 0.95;
  const int calibrated = found.epipolar.inlier_count, free = found.uncalibrated.inlier_count;
  if (found.uncalibrated.ok() && calibrated < kLeastShare * free)
    return fmt::format(
        "with these intrinsics {} of the matches agree with a pose and {} with a fundamental "
        "matrix, which needs none: they are hardly those of the pictures",
        calibrated, free);
  const std::string first = doubt_of_camera(*options.camera1, image1, "first");
  return first.empty() ? doubt_of_camera(*options.camera2, image2, "second") : first;
}

void set_pose(const RelativePoseResult& found, const PairOptions& options, PairResult& result) {
  result.cam2_from_cam1 = found.cam2_from_cam1;
  result.in_front = found.in_front;
  result.median_parallax_deg = found.median_parallax_deg;
  constexpr double kLeastParallax = 1;  // px
  const double parallax =
      std::tan(found.median_parallax_deg * std::numbers::pi / 180) * options.camera1->fx;
  if (parallax < kLeastParallax) {
    result.reason += fmt::format(
        "; the parallax is {:.2g} px in the median: the direction of t is not certain", parallax);
  }
}

// Empty where the model is one of a camera that moved before a scene with depth.
std::string why_no_depth(const PairResult& r) {
  if (r.outcome == Outcome::ok && r.kind == ModelKind::homography)
    return "a homography explains the matches: the scene is one plane, or the camera only turned, "
           "and neither tells a depth";
  if (r.outcome == Outcome::ok) return {};
  if (r.cam2_from_cam1) return "the camera only turned or stood still: there is no depth to find";
  return "no geometry was found";
}

// Matches, all of them or those along a guide, and the model that they have.
Candidates match_and_estimate(Queue& queue, const PairOptions& options, const MatchGuide* guide,
                              pair::StageClock& clock, PairResult& result) {
  clock.start(guide ? "guided matching" : "matching", guide ? 0.6 : 0.4);
  const Features &features1 = result.features1, &features2 = result.features2;
  result.matches = guide ? match_guided(queue, features1, features2, *guide, options.matching)
                         : match(queue, features1, features2, options.matching);
  result.matches = different_places(features1, features2, result.matches);
  result.points = matched_points(features1, features2, result.matches);
  clock.start(guide ? "guided model" : "model", guide ? 0.65 : 0.55);
  Candidates found = estimate_candidates(result.points, options);
  choose(found, options, result);
  return found;
}

// The second round, along the model of the first; the first stays where it has as many inliers.
Candidates match_along_model(Queue& queue, const PairOptions& options, Candidates found,
                             pair::StageClock& clock, PairResult& result) {
  if (!options.guided || result.outcome != Outcome::ok) return found;
  const MatchGuide guide = robust::guide_of(
      result.kind, result.model.model, options.camera1.value_or(Intrinsics()),
      options.camera2.value_or(Intrinsics()), robust::kGuideWidth * options.robust.threshold);
  PairResult first = result;
  Candidates second = match_and_estimate(queue, options, &guide, clock, result);
  if (result.outcome == Outcome::ok && result.model.inlier_count > first.model.inlier_count)
    return second;
  first.timings = std::move(result.timings);
  result = std::move(first);
  return found;
}

}  // namespace

const char* to_string(CameraSource source) {
  switch (source) {
    case CameraSource::given:
      return "given";
    case CameraSource::estimated:
      return "estimated";
    case CameraSource::assumed:
      return "assumed";
  }
  return "";
}

PairResult estimate_pair(Picture image1, Picture image2, const PairOptions& options) {
  check(image1, image2, options);
  PairResult result;
  {
    pair::StageClock clock(result.timings, options.progress);
    clock.start("features", 0.0);
    runtime::parallel_for(2, [&](int i) {
      Features& features = i == 0 ? result.features1 : result.features2;
      Queue queue(options.device);
      const ImageU8 grey = to_grey(i == 0 ? image1 : image2);
      const Picture mask = i == 0 ? options.mask1 : options.mask2;
      features = options.surf ? detect_surf(queue, grey, *options.surf, mask)
                              : detect_sift(queue, grey, options.sift, mask);
    });
    Queue queue(options.device);
    Candidates found = match_along_model(
        queue, options, match_and_estimate(queue, options, nullptr, clock, result), clock, result);
    result.doubt = doubt_of_cameras(found, options, image1, image2);

    const bool has_pose = result.outcome == Outcome::ok && result.kind == ModelKind::essential;
    if (has_pose) {
      set_pose(found.epipolar, options, result);
      result.triangulated = std::move(found.epipolar.triangulated);
    }
    if (options.dense) result.dense_reason = why_no_depth(result);
    if (options.dense && result.dense_reason.empty())
      pair::add_dense(image1, image2, options, clock, result);
  }
  return result;
}

}  // namespace bifocal
