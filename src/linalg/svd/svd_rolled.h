// SPDX-License-Identifier: BSD-3-Clause
// From here on loops of lane code stay loops: their lengths are no constants.
#undef lane_unroll
#define lane_unroll
