// SPDX-License-Identifier: BSD-3-Clause
// Number of depths among the COLUMNS numbers of a point: the last ones, which no error depends on.
enum { DEPTHS = 0 };
