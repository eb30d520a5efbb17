// SPDX-License-Identifier: BSD-3-Clause
// Minimal solvers, many samples at once: every SIMD element works on a sample of its own, and
// blocks of samples spread over threads. What each solver computes, its paper and its degenerate
// samples are in src/solvers/<name>.lane.h.
//
//   solver           rows of a sample (m points each)      a solution             at most
//   homography_4pt   x1[4] y1[4] x2[4] y2[4]               H[9], x2 ~ H x1              1
//   homography_svd   the same, by singular vectors: slower, and a model for more than 4 points
//   fundamental_7pt  x1[7] y1[7] x2[7] y2[7]               F[9], x2' F x1 = 0           3
//   fundamental_8pt  x1[8] y1[8] x2[8] y2[8]               F[9], x2' F x1 = 0           1
//   essential_5pt    x1[5] y1[5] x2[5] y2[5], normalised   E[9], x2' E x1 = 0          10
//   essential_5pt_action  the same, by the eigenvectors of an action matrix
//   p3p              bearings[3][3] (unit), points[3][3]   R[9] t[3], d x = R X + t     4
#pragma once

#include <bifocal/geometry.hpp>

#include <optional>
#include <span>

namespace bifocal {

enum class MinimalSolver {
  homography_4pt,
  fundamental_7pt,
  fundamental_8pt,
  essential_5pt,
  p3p,
  // Twice the time of essential_5pt, and hardly ever wrong: of 10^5 random samples it misses the
  // true E by more than 1e-6 in 0.003 % in double (essential_5pt: 0.5 %), by more than 1e-2 in 1.6
  // % in float (11 %). For few samples that matter, and for float.
  essential_5pt_action,
  homography_svd,
};

struct SolverShape {
  int sample_rows;  // numbers of a sample
  int max_solutions;
  int solution_rows;  // numbers of a solution; matrices are row-major
};
[[nodiscard]] SolverShape solver_shape(MinimalSolver solver);

// How samples are worked on: by the widest registers of this machine, or one after the other.
enum class LaneKind { simd, scalar };

// Solves solution_counts.size() = n samples. Arrays are structures of arrays, one row of n numbers
// per number of a sample or solution: row r of sample i is samples[r * n + i], and number k of its
// solution s is solutions[(s * solution_rows + k) * n + i], NaN for s >= solution_counts[i]. A
// degenerate sample or NaN has no solution. Coordinates for homographies and 8 points may be
// pixels; for the other solvers, and always in float, they should be about unit size (normalised by
// the intrinsics, or pixels over half the image's width). An n that is a large power of two is
// slower: its rows compete for the same sets of the cache. Throws Error(usage) when a span's size
// does not fit n.
void solve_minimal(MinimalSolver solver, std::span<const double> samples,
                   std::span<double> solutions, std::span<int> solution_counts,
                   LaneKind lanes = LaneKind::simd);
void solve_minimal(MinimalSolver solver, std::span<const float> samples, std::span<float> solutions,
                   std::span<int> solution_counts, LaneKind lanes = LaneKind::simd);

// Homography x2 ~ H x1 of n >= 4 correspondences by the normalised DLT (R. Hartley, In defense of
// the eight-point algorithm, PAMI 19(6), 1997): the least algebraic error in coordinates of mean 0
// and root mean square distance sqrt(2), by QR and the SVD of its triangle, in double. Frobenius
// norm 1, H x1 = s x2 with s > 0 at the points' mean. For 4 points MinimalSolver::homography_4pt is
// much faster; from noisy points with outliers use estimate_homography. None for fewer than 4
// points, when they leave more than one H or a singular one (fewer than 4 different points, all but
// one on a line in both images, ...) and for a NaN or an infinity.
[[nodiscard]] std::optional<Mat3> homography_svd(std::span<const PointPair> points);

}  // namespace bifocal
