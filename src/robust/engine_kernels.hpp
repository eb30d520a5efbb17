// SPDX-License-Identifier: BSD-3-Clause
// The kernels of the engine: who calls them and how many threads work together.
#pragma once

namespace bifocal::robust {

enum class EngineKernel { prepare, solve, score, decide, planes, finish };
inline constexpr int kEngineKernels = 6;
inline constexpr const char* kEngineEntries[kEngineKernels] = {"engine_prepare", "engine_solve",
                                                               "engine_score",   "engine_decide",
                                                               "engine_planes",  "engine_finish"};

// The samples of a homography and of a fundamental matrix are solved in float: a model from a
// sample is only as good as its noise, and what is kept is refined in double. The ten solutions of
// five points need double.
[[nodiscard]] constexpr bool solves_in_float(int problem) { return problem < 2; }

// Threads of a group on a GPU: a pair's, a model's, and a block of trials to solve.
inline constexpr int kPairThreads = 128, kScoreThreads = 32, kSolveThreadsOfBlock = 64;

// The CUDA functions (engine.cu) for `problem` (0: H, 1: F, 2: E); nullptr in a build without.
[[nodiscard]] const void* cuda_engine_kernel(int problem, EngineKernel kernel);

}  // namespace bifocal::robust
