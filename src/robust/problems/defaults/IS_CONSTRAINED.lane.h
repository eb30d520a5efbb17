// SPDX-License-Identifier: BSD-3-Clause
// 1: a given matrix is rejected if it violates the constraints of the chart.
enum { IS_CONSTRAINED = 0 };
