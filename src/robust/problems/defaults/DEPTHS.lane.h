// SPDX-License-Identifier: BSD-3-Clause
// Number of depths among the COLUMNS numbers of a point. They come last, and no error depends
// on them.
enum { DEPTHS = 0 };
