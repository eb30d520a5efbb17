// SPDX-License-Identifier: BSD-3-Clause
// The kernels of the chain on GPUs: their names and how many threads work together.
#pragma once

namespace bifocal::stereo {

enum class ChainKernel { check, occluded, fill_row, fill_blank, mean_round, mean_rest, edge_aware };
inline constexpr const char* kChainEntries[] = {
    "chain_check",      "chain_occluded",  "chain_fill_row",  "chain_fill_blank",
    "chain_mean_round", "chain_mean_rest", "chain_edge_aware"};
inline constexpr int kChainThreads = 256;

// The CUDA function (chain.cu); nullptr in a build without.
[[nodiscard]] const void* cuda_chain_kernel(ChainKernel kernel);

}  // namespace bifocal::stereo
