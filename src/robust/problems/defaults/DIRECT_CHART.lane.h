// SPDX-License-Identifier: BSD-3-Clause
// 1: the parameters of the chart are the first DOF of the unknowns of the normal equations.
enum { DIRECT_CHART = 0 };
