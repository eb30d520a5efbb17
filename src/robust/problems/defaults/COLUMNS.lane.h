// SPDX-License-Identifier: BSD-3-Clause
// Numbers per point: x1 y1 x2 y2.
enum { COLUMNS = 4 };
