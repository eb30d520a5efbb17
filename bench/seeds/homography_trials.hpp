// SPDX-License-Identifier: BSD-3-Clause
// The classic estimation of a homography on a device. Samples of four correspondences are drawn,
// the singular vectors of their equations are computed by Jacobi's method, for the whole batch at
// once, and all points are tested on all homographies. estimate() solves samples in closed form and
// tests points only on promising homographies; it descends from this system. In float; coordinates
// are relative to approximately the image's centre.
#pragma once

#include "seeds/homography_trials.kernels.hpp"
#include "seeds/trials.hpp"

namespace bifocal::bench::seeds {

// Every stage is asynchronous and allocates no memory after its first call.
class HomographyTrials {
 public:
  HomographyTrials(Queue& queue, std::span<const PointPair> points, int trials);

  void draw(int seed);
  void solve();
  void count(float threshold);  // px, of the transfer error (transfer_squared)
  void choose();
  [[nodiscard]] Chosen chosen() { return chosen_.download(queue_); }

  const int trials;
  Buffer<int> drawn;      // 4 x trials: indices of the sample's points
  Buffer<float> samples;  // 16 x trials: x1 of its points, y1, x2, y2
  Buffer<float> H;        // 9 x trials: x2 ~ H x1; NaN for a degenerate sample
  Buffer<int> inliers;    // trials

 private:
  Queue& queue_;
  PointColumns<float> points_;
  Buffer<float> equations_, normals_, values_, vectors_;
  ChosenTrial<float> chosen_;
  kernels::homography_trials::launch<float> launch_;
};

}  // namespace bifocal::bench::seeds
