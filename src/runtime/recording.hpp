// SPDX-License-Identifier: BSD-3-Clause
// Work that is repeated with the same arguments, sent to the device as one: a CUDA graph, whose
// launch costs about as much as that of a single kernel. Elsewhere the work is done anew.
//
//   Recording step(queue, [&] { launch(queue, ...); launch(queue, ...); });
//   for (...) step.run();
#pragma once

#include <bifocal/device.hpp>

#include <functional>
#include <memory>
#include <vector>

namespace bifocal::runtime {

class BackendGraph;

// `work` launches and copies on this queue alone and lives with everything that it uses until the
// Recording ends; the numbers in memory may change between runs, addresses and plain arguments do
// not. Work that waits or allocates (after its first run) is never recorded, but still right.
class Recording {
 public:
  Recording(Queue& queue, std::function<void()> work);
  ~Recording();
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;
  void run();

 private:
  Queue& queue_;
  std::function<void()> work_;
  int runs_ = 0;
  std::unique_ptr<BackendGraph> graph_;
  std::vector<std::shared_ptr<BackendMemory>> kept_;  // workspaces that the graph writes to
};

}  // namespace bifocal::runtime
