// SPDX-License-Identifier: BSD-3-Clause
// Minimal solvers, many samples at once, on every device: a sample is solved by one SIMD element of
// a CPU or one thread of a GPU. bifocal/solvers.def lists the solvers, the rows of their samples
// and solutions, and how often they miss; what each computes, its paper and its degenerate samples
// are in src/solvers/<name>.lane.h.
#pragma once

#include <bifocal/geometry.hpp>

#include <optional>
#include <span>

namespace bifocal {

enum class MinimalSolver {
#define SOLVER(name, ...) name,
#include <bifocal/solvers.def>
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
