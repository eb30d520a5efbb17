// SPDX-License-Identifier: BSD-3-Clause
// 1: an estimate in Python has the scene points of its inliers.
enum { TRIANGULATES = 0 };
