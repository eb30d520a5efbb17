// SPDX-License-Identifier: BSD-3-Clause
// 1: the focal length is estimated; model_focal returns it.
enum { UNKNOWN_FOCAL = 0 };
