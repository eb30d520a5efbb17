// SPDX-License-Identifier: BSD-3-Clause
// 1: a matrix in scoring coordinates is scaled so that its last element is 1; 0: so that its norm
// is 1.
enum { ENDS_IN_ONE = 0 };
