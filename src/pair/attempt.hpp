// SPDX-License-Identifier: BSD-3-Clause
// An attempt: one sequence of steps from two photographs to a model and the doubt about it.
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
  const std::string& camera_doubt;  // about the given cameras and the images' sizes, or empty
  const PairInput& given;
};

// Names and progress of an attempt's stages. Names begin with `prefix`; the attempt takes the
// fraction `length` of the whole job and starts at the fraction `begin`.
struct AttemptStages {
  std::string prefix = {};
  double begin = 0, length = 1;
};

// The confidence in a model. It is based on matches found without the model: matches of a guided
// round are selected along the model and prove no geometry.
struct Belief {
  int rank = 0;             // 0: refused, 1: doubted, 2: undoubted
  double significance = 0;  // Estimate::significance of those matches
  int support = 0;          // inliers among those matches, which decide at equal significance
  bool is_epipolar = true;
  double epipolar_significance = 0;  // with a homography: of the epipolar model not chosen

  // Returns whether this model is more credible than `other`. A homography never exceeds an
  // epipolar model: it is not tested for repetition, and an epipolar model explains its plane, too.
  // An epipolar model is compared with the epipolar model of the attempt that led to `other`,
  // because an inlier of a homography is less probable by chance.
  [[nodiscard]] bool exceeds(const Belief& other) const;
};

class Attempt {
 public:
  // Detects features, matches them and estimates a model; with options.guided also runs the guided
  // round. tries: number of attempts, which divides the levels of significance and of the doubt.
  Attempt(const AttemptInput& input, PairOptions options, int tries, const AttemptStages& stages);

  // Returns the attempt after a guided round along its model. The attempt is unchanged if the
  // round has no additional inliers, or if its model has no additional inliers among the matches
  // found without it.
  [[nodiscard]] Attempt guided(const AttemptInput& input, const AttemptStages& stages) const;
  // Returns whether a guided round is possible. Matches in distorted images do not lie along
  // straight epipolar lines.
  [[nodiscard]] bool can_be_guided() const {
    return result.outcome == Outcome::ok && !result.undistorted;
  }
  [[nodiscard]] Belief belief() const;
  [[nodiscard]] int num_inliers() const {
    return belief().rank > 0 ? result.estimate.num_inliers : 0;
  }

  PairResult result;  // complete up to the pose of an essential matrix
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
  std::shared_ptr<Matching> matching_;  // shared by guided attempts
  // Matches of the unguided round, and the model's inliers among them.
  std::vector<Match> matches_;
  std::vector<PointPair> points_;
  EstimateResult support_;
  double epipolar_significance_ = 0;
};

}  // namespace bifocal::pair
