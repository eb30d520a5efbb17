// SPDX-License-Identifier: BSD-3-Clause
// PoseLib's minimal solvers as a peer, in a separate library: they are compiled for this machine's
// instruction set together with PoseLib's sources (BIFOCAL_BENCH_POSELIB), and share no code with
// other files.
#pragma once

namespace bifocal::bench {

// One solver with its samples, in PoseLib's own types.
class PoseLibSolver {
 public:
  virtual ~PoseLibSolver() = default;
  // Solves samples [begin, end), with one call of PoseLib's function each, and keeps their
  // solutions until the next call.
  virtual void solve(int begin, int end) = 0;
  // The number of solutions of sample i, and solution s in the row format of Bifocal.
  [[nodiscard]] virtual int count(int i) const = 0;
  virtual void solution(int i, int s, double* rows) const = 0;
};

// Returns PoseLib's solver of the problem with this name in bifocal/solvers.def, or nullptr if
// PoseLib has none. samples [rows][n], as in solve_minimal(). The caller deletes the solver.
PoseLibSolver* poselib_solver(const char* name, const double* samples, int n);

// Its build: "AVX2, -O3 -march=x86-64-v3".
const char* poselib_build();

}  // namespace bifocal::bench
