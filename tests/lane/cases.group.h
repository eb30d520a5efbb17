// SPDX-License-Identifier: BSD-3-Clause
// One adaptor for every group function: the columns of the points, a model, numbers out. Group code
// itself. group_cases.def lists them; every member of the group gets the same numbers.

group_fn void group_case_epipolar_gain(GROUP_PARAM global_const scalar* p, index n,
                                       const scalar* model, scalar* out) {
  index ends[2] = {256, n};
  scalar floors[2] = {(scalar)-1, (scalar)-1};
  out[0] =
      epipolar_gain(GROUP_ARG model, p, p + n, p + 2 * n, p + 3 * n, ends, floors, 2, (scalar)1e4);
}

group_fn void group_case_epipolar_gain_given_up(GROUP_PARAM global_const scalar* p, index n,
                                                const scalar* model, scalar* out) {
  index ends[2] = {256, n};
  scalar floors[2] = {(scalar)1e6, (scalar)-1};
  out[0] =
      epipolar_gain(GROUP_ARG model, p, p + n, p + 2 * n, p + 3 * n, ends, floors, 2, (scalar)1e4);
}

group_fn void group_case_transfer_gain(GROUP_PARAM global_const scalar* p, index n,
                                       const scalar* model, scalar* out) {
  index ends[1] = {n};
  scalar floors[1] = {(scalar)-1};
  out[0] =
      transfer_gain(GROUP_ARG model, p, p + n, p + 2 * n, p + 3 * n, ends, floors, 1, (scalar)1e2);
}

group_fn void group_case_transfer_inliers(GROUP_PARAM global_const scalar* p, index n,
                                          const scalar* model, scalar* out) {
  // A limit of a few standard deviations, which no point is so near to that rounding decides.
  out[0] = transfer_inliers(GROUP_ARG model, p, p + n, p + 2 * n, p + 3 * n, n, (scalar)1e-3);
}

group_fn void group_case_essential_inliers(GROUP_PARAM global_const scalar* p, index n,
                                           const scalar* model, scalar* out) {
  essential_inliers(GROUP_ARG model, p, p + n, p + 2 * n, p + 3 * n, n, (scalar)1e-4, out);
}

group_fn void group_case_reprojection_gain(GROUP_PARAM global_const scalar* p, index n,
                                           const scalar* model, scalar* out) {
  index ends[1] = {n};
  scalar floors[1] = {(scalar)-1}, focal[2] = {(scalar)1, (scalar)1};
  out[0] = reprojection_gain(GROUP_ARG model, p, p + n, p + 2 * n, p + 3 * n, p + 4 * n, focal,
                             ends, floors, 1, (scalar)1e4);
}

group_fn void group_case_epipolar_equations(GROUP_PARAM global_const scalar* p, index n,
                                            const scalar* model, scalar* out) {
  epipolar_normal_equations(GROUP_ARG model, p, p + n, p + 2 * n, p + 3 * n, n, (scalar)1e4, 0,
                            out);
  epipolar_normal_equations(GROUP_ARG model, p, p + n, p + 2 * n, p + 3 * n, n, (scalar)1e4, 1,
                            out + 57);
}

group_fn void group_case_transfer_equations(GROUP_PARAM global_const scalar* p, index n,
                                            const scalar* model, scalar* out) {
  transfer_normal_equations(GROUP_ARG model, p, p + n, p + 2 * n, p + 3 * n, n, (scalar)1e2, 0,
                            out);
  transfer_normal_equations(GROUP_ARG model, p, p + n, p + 2 * n, p + 3 * n, n, (scalar)1e2, 1,
                            out + 57);
}

group_fn void group_case_reprojection_equations(GROUP_PARAM global_const scalar* p, index n,
                                                const scalar* model, scalar* out) {
  scalar focal[2] = {(scalar)1, (scalar)1};
  reprojection_normal_equations(GROUP_ARG model, p, p + n, p + 2 * n, p + 3 * n, p + 4 * n, focal,
                                n, (scalar)1e4, 0, out);
  reprojection_normal_equations(GROUP_ARG model, p, p + n, p + 2 * n, p + 3 * n, p + 4 * n, focal,
                                n, (scalar)1e4, 1, out + 30);
}
