// SPDX-License-Identifier: BSD-3-Clause
// Minimal solvers for many samples at once on every device: one SIMD element of a CPU or one thread
// of a GPU solves one sample. bifocal/solvers.def lists the solvers and the rows of their samples
// and solutions; equations, paper and degenerate samples of each are in src/solvers/<name>.lane.h.
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

// Returns whether solve_minimal takes samples of this solver in float. Two generated solvers
// (SOLVER_F64 in solvers.def) lose too many solutions in float and exist in double only.
[[nodiscard]] bool has_float_version(MinimalSolver solver);

// Returns whether this build has the solver for CPUs and CUDA. Builds with
// -DBIFOCAL_GENERATED_SOLVERS=OFF lack the generated ones.
[[nodiscard]] bool is_built_for_cpus(MinimalSolver solver);

// Solves `count` samples on the queue's device. Arrays are structures of arrays, one row of count
// numbers per number of a sample or solution: row r of sample i is samples[r * count + i], and
// number k of its solution s is solutions[(s * solution_rows + k) * count + i], NaN for s >=
// solution_counts[i]. A degenerate sample or NaN has no solution. Coordinates for homographies and
// 8 points may be pixels; for all other solvers, and always in float, they should be about unit
// size (normalised by the intrinsics, or pixels over half the image's width). A count that is a
// large power of two is slower on a CPU: its rows compete for the same sets of the cache. Memory of
// the host or of the device, as in bifocal/linalg.hpp: a call whose memory is all the device's is
// asynchronous. Devices agree but for rounding, which decides whether a double root has two
// solutions or none. Throws Error(usage) when a Buffer is too small or a solver has no float
// version, Error(device) for double where the device has none.
void solve_minimal(Queue& queue, MinimalSolver solver, int count, Memory<const double> samples,
                   Memory<double> solutions, Memory<int> solution_counts);
void solve_minimal(Queue& queue, MinimalSolver solver, int count, Memory<const float> samples,
                   Memory<float> solutions, Memory<int> solution_counts);

// A CPU solves as many samples at once as its widest registers hold (simd), or one at a time.
enum class LaneKind { simd, scalar };

// Solves solution_counts.size() samples in host memory on the CPU; layout and errors as above. Also
// throws Error(usage) if a span has another size than that number of samples needs.
void solve_minimal(MinimalSolver solver, std::span<const double> samples,
                   std::span<double> solutions, std::span<int> solution_counts,
                   LaneKind lanes = LaneKind::simd);
void solve_minimal(MinimalSolver solver, std::span<const float> samples, std::span<float> solutions,
                   std::span<int> solution_counts, LaneKind lanes = LaneKind::simd);

// Homography x2 ~ H x1 of n >= 4 correspondences by the normalised DLT (R. Hartley, In defense of
// the eight-point algorithm, PAMI 19(6), 1997): the least algebraic error in coordinates of mean 0
// and root mean square distance sqrt(2), by QR and the SVD of its triangle, in double. Frobenius
// norm 1, H x1 = s x2 with s > 0 at the points' mean. For 4 points MinimalSolver::homography_4pt is
// much faster; from noisy points with outliers use estimate() (robust.hpp). Returns nothing for
// fewer than 4 points, if they leave more than one H or a singular one (fewer than 4 different
// points, all but one on a line in both images, ...) and for a NaN or an infinity.
[[nodiscard]] std::optional<Mat3> homography_svd(std::span<const PointPair> points);

}  // namespace bifocal
