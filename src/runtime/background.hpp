// SPDX-License-Identifier: BSD-3-Clause
// One thread that does tasks in their order beside the caller: files are written while a device
// computes.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

namespace bifocal::runtime {

class Background {
 public:
  // At most so many tasks wait: what they hold bounds the memory.
  explicit Background(std::size_t most_waiting);
  ~Background();  // tasks that have not begun are dropped
  Background(const Background&) = delete;
  Background& operator=(const Background&) = delete;

  // Waits while too many others wait. Rethrows what an earlier task threw; no task runs after it.
  void run(std::function<void()> task);
  // Returns when all is done; rethrows likewise.
  void finish();

 private:
  void work();
  void rethrow();  // mutex_ is held

  const std::size_t most_waiting_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> tasks_;
  std::exception_ptr failure_;
  bool busy_ = false, stop_ = false;
  std::thread thread_;
};

}  // namespace bifocal::runtime
