// SPDX-License-Identifier: BSD-3-Clause
// 1: before a translation is reported, the pose is compared with a rotation alone.
enum { DOUBTS_TRANSLATION = 0 };
