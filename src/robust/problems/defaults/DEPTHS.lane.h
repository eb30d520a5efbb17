// SPDX-License-Identifier: BSD-3-Clause
// The last numbers of a point, of COLUMNS, are so many depths, which no error depends on.
enum { DEPTHS = 0 };
