// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/recording.hpp"

#include "runtime/backend.hpp"
#include "runtime/workspace.hpp"

namespace bifocal::runtime {

Recording::Recording(Queue& queue, std::function<void()> work)
    : queue_(queue), work_(std::move(work)) {}

Recording::~Recording() = default;

// Runs the work. The first two runs grow the workspaces to their final size (workspace.hpp); the
// third is recorded.
void Recording::run() {
  constexpr int kPlainRuns = 2;
  if (graph_) {
    graph_->launch();
    return;
  }
  if (runs_++ == kPlainRuns) {
    graph_ = runtime::backend_of(queue_).record(work_);
    if (graph_) {
      if (const auto& arena = runtime::backend_of(queue_).arena)
        for (const Arena::Block& block : arena->blocks) kept_.push_back(block.memory);
      graph_->launch();
      return;
    }
  }
  work_();
}

}  // namespace bifocal::runtime
