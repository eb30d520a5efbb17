// SPDX-License-Identifier: BSD-3-Clause
// 1: the distortion of a lens is estimated; model_distortion returns it.
enum { UNKNOWN_DISTORTION = 0 };
