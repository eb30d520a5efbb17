// SPDX-License-Identifier: BSD-3-Clause
// Minimal solvers, many samples at once, on every device: a sample is solved by one SIMD element of
// a CPU or one thread of a GPU. bifocal/solvers.def lists the solvers, the rows of their samples
// and solutions, and how often they miss; what each computes, its paper and its degenerate samples
// are in src/solvers/<name>.lane.h.
#pragma once

#include <bifocal/device.hpp>
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

// Solves `count` samples on the queue's device. Arrays are structures of arrays, one row of count
// numbers per number of a sample or solution: row r of sample i is samples[r * count + i], and
// number k of its solution s is solutions[(s * solution_rows + k) * count + i], NaN for s >=
// solution_counts[i]. A degenerate sample or NaN has no solution. Coordinates for homographies and
// 8 points may be pixels; for the other solvers, and always in float, they should be about unit
// size (normalised by the intrinsics, or pixels over half the image's width). A count that is a
// large power of two is slower on a CPU: its rows compete for the same sets of the cache. Memory of
// the host or of the device, as in bifocal/linalg.hpp: a call whose memory is all the device's is
// asynchronous. Devices agree but for rounding, which decides whether a double root has two
// solutions or none. Throws Error(usage) when a Buffer is too small, Error(device) for double where
// the device has none.
void solve_minimal(Queue& queue, MinimalSolver solver, int count, Memory<const double> samples,
                   Memory<double> solutions, Memory<int> solution_counts);
void solve_minimal(Queue& queue, MinimalSolver solver, int count, Memory<const float> samples,
                   Memory<float> solutions, Memory<int> solution_counts);

// A CPU works on samples by the widest registers of this machine, or on one after the other.
enum class LaneKind { simd, scalar };

// The same on the CPU, for solution_counts.size() samples. Throws Error(usage) when a span's size
// does not fit that.
void solve_minimal(MinimalSolver solver, std::span<const double> samples,
                   std::span<double> solutions, std::span<int> solution_counts,
                   LaneKind lanes = LaneKind::simd);
void solve_minimal(MinimalSolver solver, std::span<const float> samples, std::span<float> solutions,
                   std::span<int> solution_counts, LaneKind lanes = LaneKind::simd);

// Homography x2 ~ H x1 of n >= 4 correspondences by the normalised DLT (R. Hartley, In defense of
// the eight-point algorithm, PAMI 19(6), 1997): the least algebraic error in coordinates of mean 0
// and root mean square distance sqrt(2), by QR and the SVD of its triangle, in double. Frobenius
// norm 1, H x1 = s x2 with s > 0 at the points' mean. For 4 points MinimalSolver::homography_4pt is
// much faster; from noisy points with outliers use estimate() (robust.hpp). None for fewer than 4
// points, when they leave more than one H or a singular one (fewer than 4 different points, all but
// one on a line in both images, ...) and for a NaN or an infinity.
[[nodiscard]] std::optional<Mat3> homography_svd(std::span<const PointPair> points);

}  // namespace bifocal
