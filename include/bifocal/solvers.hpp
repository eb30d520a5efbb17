// SPDX-License-Identifier: BSD-3-Clause
// Minimal solvers for many samples at once on every device. One SIMD element of a CPU or one thread
// of a GPU solves one sample. bifocal/solvers.def lists the solvers and the rows of their samples
// and solutions; src/solvers/<name>.lane.h has the equations, the paper and the degenerate samples
// of each.
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

// Sizes of a solver's samples and solutions.
struct SolverShape {
  int sample_rows;    // numbers per sample
  int max_solutions;  // largest number of solutions
  int solution_rows;  // numbers per solution; matrices are row-major
};
[[nodiscard]] SolverShape solver_shape(MinimalSolver solver);

// Returns whether this build has the solver for CPUs and CUDA. Builds with
// -DBIFOCAL_GENERATED_SOLVERS=OFF lack the generated solvers.
[[nodiscard]] bool is_built_for_cpus(MinimalSolver solver);

// Solves `count` samples on the queue's device.
//
// All arrays are structures of arrays, with one row of count numbers for each number of a sample or
// solution. Row r of sample i is samples[r * count + i]. Number k of its solution s is solutions[(s
// * solution_rows + k) * count + i], NaN for s >= solution_counts[i]. Degenerate samples and
// samples with NaN have no solution. Coordinates for homographies and for 8 points may be in
// pixels; for all other solvers, and always in float, they should be about unit size (normalised by
// the intrinsics, or pixels divided by half the image width). On a CPU, a count that is a large
// power of two is slower, because its rows compete for the same sets of the cache.
//
// Memory may be in the host or in the device, as in bifocal/linalg.hpp; the call is asynchronous if
// all memory is in the device. Devices agree up to rounding, which decides whether a double root
// gives two solutions or none. Throws Error(usage) if a Buffer is too small, and Error(device) for
// double if the device has no double precision.
void solve_minimal(Queue& queue, MinimalSolver solver, int count, Memory<const double> samples,
                   Memory<double> solutions, Memory<int> solution_counts);
void solve_minimal(Queue& queue, MinimalSolver solver, int count, Memory<const float> samples,
                   Memory<float> solutions, Memory<int> solution_counts);

// How a CPU solves samples: as many at once as its widest SIMD registers hold (simd), or one at a
// time (scalar).
enum class LaneKind { simd, scalar };

// Solves solution_counts.size() samples in host memory on the CPU, with the same layout and errors
// as for a queue. Also throws Error(usage) if the size of a span does not match that number
// of samples.
void solve_minimal(MinimalSolver solver, std::span<const double> samples,
                   std::span<double> solutions, std::span<int> solution_counts,
                   LaneKind lanes = LaneKind::simd);
void solve_minimal(MinimalSolver solver, std::span<const float> samples, std::span<float> solutions,
                   std::span<int> solution_counts, LaneKind lanes = LaneKind::simd);

// Estimates the homography x2 ~ H x1 of n >= 4 correspondences by the normalised DLT (R. Hartley,
// In defense of the eight-point algorithm, PAMI 19(6), 1997). Minimises the algebraic error in
// coordinates with mean 0 and root mean square distance sqrt(2), by QR and the SVD of its triangle,
// in double precision. For 4 points, MinimalSolver::homography_4pt is much faster; for noisy points
// with outliers use estimate() (robust.hpp).
//
// Returns H with Frobenius norm 1 and H x1 = s x2 with s > 0 at the mean of the points. The result
// is empty for fewer than 4 points, for a NaN or an infinity, and if the points leave more than one
// H or a singular one (fewer than 4 different points, all but one on a line in both images, ...).
[[nodiscard]] std::optional<Mat3> homography_svd(std::span<const PointPair> points);

}  // namespace bifocal
