// SPDX-License-Identifier: BSD-3-Clause
// Repeated work with fixed arguments, submitted as a CUDA graph, whose launch costs about as much
// as a single kernel launch. On other devices the work is executed again each time.
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

// Runs `work`, which must launch and copy on this queue only, and must outlive the Recording with
// everything that it uses. Values in memory may change between runs; addresses and plain
// arguments must not. Work that waits or allocates after its first run is not recorded, but its
// results are correct.
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
