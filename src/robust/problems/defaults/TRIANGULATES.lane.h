// SPDX-License-Identifier: BSD-3-Clause
// 1: a Python estimate contains the scene points of its inliers.
enum { TRIANGULATES = 0 };
