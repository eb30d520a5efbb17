// SPDX-License-Identifier: BSD-3-Clause
// 1: the last number of a matrix in scoring coordinates is 1; else its norm is.
enum { ENDS_IN_ONE = 0 };
