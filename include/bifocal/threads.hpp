// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

namespace bifocal {

// While one of these lives, every Bifocal call in the process uses at most `threads` threads (0:
// all cores). Results never depend on the number of threads. Throws Error(usage) on a negative
// count.
class ThreadLimit {
 public:
  explicit ThreadLimit(int threads);
  ~ThreadLimit();
  ThreadLimit(const ThreadLimit&) = delete;
  ThreadLimit& operator=(const ThreadLimit&) = delete;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace bifocal
