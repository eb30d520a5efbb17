// SPDX-License-Identifier: BSD-3-Clause
// 1: samples are solved by a generated solver; without it the problem is not built. Read by CMake.
enum { NEEDS_GENERATED = 0 };
