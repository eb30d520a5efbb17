// SPDX-License-Identifier: BSD-3-Clause
// Number of samples without outliers until one leads to the model.
enum { CLEAN_SAMPLES = 1 };
