// SPDX-License-Identifier: BSD-3-Clause
// The classic estimation of an essential matrix on a device. Samples of five correspondences are
// drawn; the up to ten E of each are computed from the real eigenvectors of a 10 x 10 action matrix
// (in double); and all points are verified on all E: Sampson error below a threshold, and the
// triangulated point in front of both cameras (in float). estimate() solves samples by a polynomial
// and verifies few E on all points. It descends from this system, which serves to compare the
// placement of the stages on host and device.
#pragma once

#include "seeds/five_point_trials.kernels.hpp"
#include "seeds/trials.hpp"

namespace bifocal::bench::seeds {

inline constexpr int kMostEssentials = 10;  // of a sample

// Correspondences as rays (normalised image points).
struct RayPairs {
  RayPairs(Queue& queue, std::span<const PointPair> rays) : f64(queue, rays), f32(queue, rays) {}
  PointColumns<double> f64;
  PointColumns<float> f32;
};

enum class FivePointSolver {
  eigenpairs,  // action matrices, real_eigenpairs and the E of the eigenvectors, a launch each
  spread,      // the same, with a block of its own for each thread of the first and last launch
  warps,       // all in one launch with a warp per sample; on a CPU the same as eigenpairs
  action,      // all in one launch with a thread per sample: MinimalSolver::essential_5pt_action
  polynomial,  // MinimalSolver::essential_5pt, used by the estimator
};
// How points are counted for each E: within the threshold and in front of both cameras, by sums or
// by atomic additions; or by one of the two conditions only.
enum class Counting { reduction, atomics, near, ahead };

// Every stage is asynchronous and allocates no memory after its first call.
class FivePointTrials {
 public:
  // `rays` and the queue must outlive it.
  FivePointTrials(Queue& queue, const RayPairs& rays, int trials);

  void draw(int seed, int first = 0);  // trials first, first + 1, ...
  void solve(FivePointSolver solver);
  // FivePointSolver::eigenpairs in two parts, so that a CPU can run the first for another device,
  // into host memory.
  void build_matrices();
  void build_matrices(const Memory<double>& to_matrices, const Memory<double>& to_null_spaces,
                      int threads_per_block = kThreadsPerBlock);
  void solve_matrices(int threads_per_block = kThreadsPerBlock);
  void find_essentials(int threads_per_block = kThreadsPerBlock);  // its last step
  // threshold: in the unit of the rays, pixels over the focal length.
  void count(float threshold, Counting counting);
  void choose();
  [[nodiscard]] Chosen chosen() { return chosen_.download(queue_); }
  [[nodiscard]] Queue& queue() { return queue_; }

  const int trials, models;    // models: kMostEssentials trials
  Buffer<int> drawn;           // 5 x trials: indices of the sample's points
  Buffer<double> samples;      // 20 x trials: x1 of its points, y1, x2, y2
  Buffer<double> matrices;     // 100 x trials
  Buffer<double> null_spaces;  // 36 x trials
  Buffer<double> E;            // kMostEssentials x 9 x trials; NaN without a solution
  Buffer<int> inliers;         // kMostEssentials x trials: for the pose of E with most inliers

 private:
  void count_by_atomics(float squared_threshold);

  Queue& queue_;
  const RayPairs& rays_;
  Buffer<double> values_, vectors_;
  Buffer<int> solutions_;
  Buffer<std::uint32_t> votes_;
  ChosenTrial<double> chosen_;
  kernels::five_point_trials::launch<double> solver_, warp_solver_;
  kernels::five_point_trials::launch<float> verifier_;
};

}  // namespace bifocal::bench::seeds
