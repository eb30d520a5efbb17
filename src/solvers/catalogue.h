// SPDX-License-Identifier: BSD-3-Clause
// Definitions of the words of bifocal/solvers.def. They are macros, because OpenCL C reads
// them too.

// Rows of a sample of m points.
#define SOLVER_ROWS_two_view(m) (4 * (m))
#define SOLVER_ROWS_absolute(m) (6 * (m))
#define SOLVER_ROWS_two_view_depth(m) (6 * (m))
#define SOLVER_ROWS_image_points(m) (5 * (m))

// Rows of a solution.
#define SOLVER_ROWS_homography 9
#define SOLVER_ROWS_fundamental 9
#define SOLVER_ROWS_essential 9
#define SOLVER_ROWS_pose 12
#define SOLVER_ROWS_focal 10
#define SOLVER_ROWS_radial_fundamental 10
#define SOLVER_ROWS_pose_focal 13
#define SOLVER_ROWS_pose_focal_depth 15

// The call of a solver for m points. `in` is the sample, `out` receives the solutions one after
// another in rows; the value of the call is their number.
#define SOLVER_CALL_two_view(name, m, in, out) \
  name(in, (in) + (m), (in) + 2 * (m), (in) + 3 * (m), out)
#define SOLVER_CALL_absolute(name, m, in, out) name(in, (in) + 3 * (m), out)
#define SOLVER_CALL_two_view_depth(name, m, in, out) \
  name(in, (in) + (m), (in) + 2 * (m), (in) + 3 * (m), (in) + 4 * (m), (in) + 5 * (m), out)
#define SOLVER_CALL_image_points(name, m, in, out) name(in, (in) + (m), (in) + 2 * (m), out)
