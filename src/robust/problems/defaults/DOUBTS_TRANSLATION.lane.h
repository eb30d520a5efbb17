// SPDX-License-Identifier: BSD-3-Clause
// 1: a pose is compared with a rotation alone before its translation is reported.
enum { DOUBTS_TRANSLATION = 0 };
