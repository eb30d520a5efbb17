// SPDX-License-Identifier: BSD-3-Clause
// Policies of PairVerifier: the models to estimate for each pair, and the rule that selects
// the pair's model.
#pragma once

#include <bifocal/camera.hpp>
#include <bifocal/colmap/verify.hpp>
#include <bifocal/robust.hpp>
#include <bifocal/two_photographs.hpp>

#include <functional>
#include <string>

#include "verify/decide.hpp"
#include "verify/undistorted_points.hpp"
#include "verify/verifier.hpp"

namespace bifocal::verify {

// Estimates one kind of model (verify_pairs, video).
class OneModel {
 public:
  using Result = Estimate;

  struct Options {
    ModelKind kind = ModelKind::fundamental;
    RobustOptions robust = {};
    int min_matches = 0;  // pairs with fewer have no model (too_few_points)
    // One camera for all images, or one per image, for kinds that take cameras. The array must
    // outlive the policy.
    std::span<const LensCamera> cameras = {};
  };
  OneModel(Queue& queue, const Options& options);

  void estimate(const MatchedPairs& pairs, std::vector<Estimate>& results,
                std::vector<std::uint8_t>& inliers);
  [[nodiscard]] int num_inliers(const Estimate& e) const { return e.ok() ? e.num_inliers : 0; }
  [[nodiscard]] std::optional<MatchGuide> guide(const ImagePair& images, const Estimate& e) const;

 private:
  [[nodiscard]] const LensCamera& camera_of(int image) const;

  Queue& queue_;
  Options options_;
  bool takes_cameras_;
  std::optional<UndistortedPoints> undistorted_;  // if a camera has lens distortion
  PointCopies copies_;
  // Lists for the pairs with enough matches.
  std::vector<std::size_t> kept_;
  std::vector<std::int64_t> begins_, offsets_;
  std::vector<ImagePair> images_;
  std::vector<Intrinsics> cameras1_, cameras2_;
};

// E, F or H of one pair, chosen by the evidence of the matches (estimate_pair).
struct ChosenModel {
  ModelKind kind = ModelKind::fundamental;
  std::string reason;    // why this model or no model was chosen
  EstimateResult model;  // of `kind`
  // E with pose and scene points if cameras are given; otherwise F, with only the
  // EstimateResult part set.
  RelativePoseResult epipolar;
  ModelKind epipolar_kind = ModelKind::fundamental;
  EstimateResult uncalibrated;    // F, estimated in addition to E
  std::vector<PointPair> points;  // of the matches
};

class AutomaticModel {
 public:
  using Result = ChosenModel;

  struct Options {
    ModelRequest request = ModelRequest::automatic;
    std::vector<Intrinsics> cameras = {};  // both or none
    RobustOptions robust = {};
    std::function<void()> on_start = {};  // called before models are estimated
  };
  AutomaticModel(Queue& queue, Options options) : queue_(queue), options_(std::move(options)) {}

  void estimate(const MatchedPairs& pairs, std::vector<ChosenModel>& results,
                std::vector<std::uint8_t>& inliers);
  [[nodiscard]] int num_inliers(const ChosenModel& m) const {
    return m.model.ok() ? m.model.num_inliers : 0;
  }
  [[nodiscard]] std::optional<MatchGuide> guide(const ImagePair& images,
                                                const ChosenModel& m) const;

 private:
  [[nodiscard]] EstimateResult estimate(const MatchedPairs& pairs, ModelKind kind,
                                        std::span<const Intrinsics> cameras) const;
  void estimate_candidates(const MatchedPairs& pairs, ChosenModel& found,
                           EstimateResult& homography) const;
  void choose(const EstimateResult& homography, ChosenModel& found) const;

  Queue& queue_;
  Options options_;
};

// Estimates E, F and H and applies COLMAP's rules (collect, verify, shards).
class ColmapModels {
 public:
  using Result = colmap::DecidedPair;

  // Pairs with fewer matches than `min_matches` are degenerate.
  ColmapModels(Queue& queue, const colmap::TwoViewGeometryOptions& options, int min_matches)
      : decider_(queue), options_(options), min_matches_(min_matches) {}

  // Sets the cameras of the next list of pairs. The arrays must live until the list
  // has been verified.
  void set_cameras(std::span<const colmap::ViewCamera> cameras1,
                   std::span<const colmap::ViewCamera> cameras2) {
    cameras1_ = cameras1, cameras2_ = cameras2;
  }
  void estimate(const MatchedPairs& pairs, std::vector<colmap::DecidedPair>& results,
                std::vector<std::uint8_t>& inliers);
  [[nodiscard]] int num_inliers(const colmap::DecidedPair& pair) const { return pair.num_inliers; }
  [[nodiscard]] std::optional<MatchGuide> guide(const ImagePair& images,
                                                const colmap::DecidedPair& pair) const;

 private:
  colmap::BatchDecider decider_;
  colmap::TwoViewGeometryOptions options_;
  int min_matches_;
  std::span<const colmap::ViewCamera> cameras1_, cameras2_;
};

}  // namespace bifocal::verify
