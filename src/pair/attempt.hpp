// SPDX-License-Identifier: BSD-3-Clause
// One way from two photographs to a model and the doubt about it.
#pragma once

#include <bifocal/two_photographs.hpp>

#include <memory>
#include <string>
#include <vector>

#include "pair/photograph.hpp"
#include "pair/stage_clock.hpp"
#include "verify/policies.hpp"

namespace bifocal::pair {

struct AttemptInput {
  Queue& queue;
  Photograph &image1, &image2;
  StageClock& clock;
};

// The names of an attempt's stages begin with `prefix`; they are `length` of the whole job, of
// which `begin` is done before.
struct AttemptStages {
  std::string prefix = {};
  double begin = 0, length = 1;
};

// How far a model is believed. It rests on the matches that were found without the model: those of
// a guided round are selected along it and prove nothing.
struct Belief {
  int rank = 0;             // 0: refused, 1: doubted, 2: undoubted
  double significance = 0;  // Estimate::significance, of those matches
  int support = 0;          // inliers among them, which decide between equal significance
  bool is_epipolar = true;
  double epipolar_significance = 0;  // next to a homography: of the epipolar model not chosen

  // A homography is not tested for repetition, and its plane is a part of what an epipolar model
  // explains: it never exceeds one. An epipolar model is compared with the epipolar one of the
  // other attempt, because an inlier of a homography is less probable by chance.
  [[nodiscard]] bool exceeds(const Belief& other) const;
};

class Attempt {
 public:
  // Detects features, matches them and estimates a model; with options.guided also the guided
  // round. tries: divides the levels of significance and of the doubt.
  Attempt(const AttemptInput& input, PairOptions options, int tries, const AttemptStages& stages);

  // Returns the attempt with the guided round along its model. It is unchanged if that round has no
  // more inliers, or its model no more among the matches that were found without it.
  [[nodiscard]] Attempt guided(const AttemptInput& input, const AttemptStages& stages) const;
  // The matches of distorted images do not lie along straight lines.
  [[nodiscard]] bool can_be_guided() const {
    return result.outcome == Outcome::ok && !result.undistorted;
  }
  [[nodiscard]] Belief belief() const;
  [[nodiscard]] int inlier_count() const {
    return belief().rank > 0 ? result.model.inlier_count : 0;
  }

  PairResult result;  // up to the pose of an essential matrix
  verify::ChosenModel found;

 private:
  struct Matching;  // features and their verifier
  void take(const verify::Verified<verify::ChosenModel>& round);
  void take_given_matches(const AttemptInput& input);
  void take_guided_round(const AttemptInput& input, const AttemptStages& stages);
  void refuse_insignificant();
  void doubt_repetition(const AttemptInput& input, const AttemptStages& stages);

  PairOptions options_;
  int tries_;
  std::shared_ptr<Matching> matching_;  // guided attempts share it
  // Of the round without a guide, and the model's inliers in it.
  std::vector<Match> matches_;
  std::vector<PointPair> points_;
  EstimateResult support_;
  double epipolar_significance_ = 0;
};

}  // namespace bifocal::pair
