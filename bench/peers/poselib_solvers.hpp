// SPDX-License-Identifier: BSD-3-Clause
// PoseLib's minimal solvers as a peer of ours, in a library of their own: they are compiled for
// this machine's instruction set together with PoseLib's sources (BIFOCAL_BENCH_POSELIB), and share
// nothing with other files.
#pragma once

namespace bifocal::bench {

// One solver with its samples, in PoseLib's own types.
class PoseLibSolver {
 public:
  virtual ~PoseLibSolver() = default;
  // Solves samples [begin, end), one call of PoseLib's function each, and keeps their solutions
  // until the next call.
  virtual void solve(int begin, int end) = 0;
  // The number of solutions of sample i, and solution s in the rows of ours.
  [[nodiscard]] virtual int count(int i) const = 0;
  virtual void solution(int i, int s, double* rows) const = 0;
};

// PoseLib's solver of the problem that ours of this name (bifocal/solvers.def) solves; nullptr
// where it has none. samples [rows][n], as solve_minimal() takes them. To be deleted by the caller.
PoseLibSolver* poselib_solver(const char* name, const double* samples, int n);

// How it was built: "AVX2, -O3 -march=x86-64-v3".
const char* poselib_build();

}  // namespace bifocal::bench
