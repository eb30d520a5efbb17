// SPDX-License-Identifier: BSD-3-Clause
// Defines a kernel run_NAME for every case of the list that follows. A lane case has one instance
// per lane; a group case has one group for all points, and all members compute the same numbers.
#include "lane/cases.kernels"
#define LANE_CASE(name, inputs, outputs, kind, share_double, share_float)       \
  map_kernel(run_##name, i, LANE_CASE_ARGUMENTS) {                              \
    real a[inputs], b[outputs];                                                 \
    for (index k = 0; k < (inputs); ++k) a[k] = group_load(in + k * n, i);      \
    case_##name(a, b);                                                          \
    for (index k = 0; k < (outputs); ++k) group_store(out + k * n, i, b[k], n); \
  }
#define SOLUTIONS_CASE(name, inputs, rows, most, kind, share_double, share_float) \
  LANE_CASE(name, inputs, (rows) * (most) + 1, kind, share_double, share_float)
#define GROUP_CASE(name, outputs)                                \
  group_kernel(run_##name, group, GROUP_CASE_ARGUMENTS) {        \
    scalar own[MODEL_SIZE], result[outputs];                     \
    (void)group;                                                 \
    for (index k = 0; k < MODEL_SIZE; ++k) own[k] = model[k];    \
    case_##name(GROUP_ARG points, n, stride, info, own, result); \
    if (group_leads()) {                                         \
      for (index k = 0; k < (outputs); ++k) out[k] = result[k];  \
    }                                                            \
  }
