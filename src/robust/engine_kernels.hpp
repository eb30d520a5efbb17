// SPDX-License-Identifier: BSD-3-Clause
// The kernels of the engine: who calls them and how many threads work together.
#pragma once

#include <bifocal/robust.hpp>

namespace bifocal::robust {

enum class EngineKernel { prepare, solve, score, decide, planes, finish };
inline constexpr int kEngineKernels = 6;
inline constexpr const char* kEngineEntries[kEngineKernels] = {"engine_prepare", "engine_solve",
                                                               "engine_score",   "engine_decide",
                                                               "engine_planes",  "engine_finish"};

// Threads of a group on a GPU: a pair's, a model's, and a block of hypotheses to solve.
inline constexpr int kPairThreads = 128, kScoreThreads = 32, kSolveThreadsOfBlock = 64;

// The CUDA function (engine_problem.cuh); nullptr in a build without.
[[nodiscard]] const void* cuda_engine_kernel(ModelKind problem, EngineKernel kernel);

}  // namespace bifocal::robust
