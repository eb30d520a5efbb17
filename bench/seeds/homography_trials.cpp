// SPDX-License-Identifier: BSD-3-Clause
#include "seeds/homography_trials.hpp"

#include <bifocal/linalg.hpp>

namespace bifocal::bench::seeds {

HomographyTrials::HomographyTrials(Queue& queue, std::span<const PointPair> points, int count)
    : trials(count),
      drawn(trial_rows<int>(queue.device(), 4, count)),
      samples(trial_rows<float>(queue.device(), 16, count)),
      H(trial_rows<float>(queue.device(), 9, count)),
      inliers(trial_rows<int>(queue.device(), 1, count)),
      queue_(queue),
      points_(queue, points),
      equations_(trial_rows<float>(queue.device(), 72, count)),
      normals_(trial_rows<float>(queue.device(), 6, count)),
      values_(trial_rows<float>(queue.device(), 9, count)),
      vectors_(trial_rows<float>(queue.device(), 81, count)),
      chosen_(queue.device()),
      launch_(kGroupSize, text_constants(4)) {}

void HomographyTrials::draw(int seed) {
  launch_.draw_trials(queue_, per_trial(trials),
                      {.points = points_.columns,
                       .stride = points_.stride,
                       .point_count = points_.count,
                       .seed = seed,
                       .first = 0,
                       .trials = trials,
                       .drawn = drawn,
                       .samples = samples});
}

void HomographyTrials::solve() {
  launch_.sample_equations(
      queue_, per_trial(trials),
      {.samples = samples, .trials = trials, .equations = equations_, .normals = normals_});
  svd<float>(queue_, {equations_, 8, 9, trials}, {.S = values_, .V = vectors_});
  launch_.singular_homographies(
      queue_, per_trial(trials),
      {.values = values_, .vectors = vectors_, .normals = normals_, .trials = trials, .H = H});
}

void HomographyTrials::count(float threshold) {
  launch_.transfer_inliers(queue_, {.count = trials},
                           {.H = H,
                            .trials = trials,
                            .points = points_.columns,
                            .stride = points_.stride,
                            .squared_threshold = threshold * threshold,
                            .inliers = inliers});
}

void HomographyTrials::choose() {
  if (trials == 0) return;
  launch_.choose_trial(queue_, {.count = 1},
                       {.inliers = inliers,
                        .models = H,
                        .trials = trials,
                        .model_count = trials,
                        .chosen = chosen_.number,
                        .model = chosen_.matrix});
}

}  // namespace bifocal::bench::seeds
