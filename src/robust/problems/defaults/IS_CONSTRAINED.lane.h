// SPDX-License-Identifier: BSD-3-Clause
// 1: a given matrix is refused if it does not satisfy constraints that its chart has.
enum { IS_CONSTRAINED = 0 };
