// SPDX-License-Identifier: BSD-3-Clause
// Expected number of outlier-free samples until one leads to the model.
enum { CLEAN_SAMPLES = 1 };
