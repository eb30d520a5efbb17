// SPDX-License-Identifier: BSD-3-Clause
// Samples without an outlier that it takes until one of them leads to the model.
enum { CLEAN_SAMPLES = 1 };
