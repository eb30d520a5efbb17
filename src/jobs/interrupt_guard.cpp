// SPDX-License-Identifier: BSD-3-Clause
#include "jobs/interrupt_guard.hpp"

#include <utility>
#include <vector>

namespace bifocal::jobs {
namespace {

struct CleanUps {
  std::mutex mutex;
  std::vector<const std::function<void()>*> functions;
};

// Never destroyed, because the thread that handles signals lives as long as the process.
CleanUps& clean_ups() {
  static auto* all = new CleanUps;
  return *all;
}

}  // namespace

InterruptGuard::InterruptGuard(std::function<void()> clean_up) : clean_up_(std::move(clean_up)) {
  const auto lock = hold_interrupts();
  clean_ups().functions.push_back(&clean_up_);
}

InterruptGuard::~InterruptGuard() {
  const auto lock = hold_interrupts();
  std::erase(clean_ups().functions, &clean_up_);
}

std::unique_lock<std::mutex> hold_interrupts() { return std::unique_lock(clean_ups().mutex); }

void clean_up() {
  for (const auto* function : clean_ups().functions) (*function)();
}

}  // namespace bifocal::jobs
