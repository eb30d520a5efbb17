// SPDX-License-Identifier: BSD-3-Clause
// Closes what lane/cuda_group_words.h opened.
#undef lane_keep_loop
