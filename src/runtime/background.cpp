// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/background.hpp"

#include <utility>

namespace bifocal::runtime {

Background::Background(std::size_t most_waiting)
    : most_waiting_(most_waiting), thread_([this] { work(); }) {}

Background::~Background() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void Background::rethrow() {
  if (failure_) std::rethrow_exception(failure_);
}

void Background::run(std::function<void()> task) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return failure_ || tasks_.size() < most_waiting_; });
  rethrow();
  tasks_.push_back(std::move(task));
  changed_.notify_all();
}

void Background::finish() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return failure_ || (tasks_.empty() && !busy_); });
  rethrow();
}

void Background::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return stop_ || (!tasks_.empty() && !failure_); });
    if (stop_) return;
    std::function<void()> task = std::move(tasks_.front());
    tasks_.pop_front();
    busy_ = true;
    changed_.notify_all();
    lock.unlock();
    std::exception_ptr failure;
    try {
      task();
    } catch (...) {
      failure = std::current_exception();
    }
    task = nullptr;  // what it holds is freed before anybody is told
    lock.lock();
    busy_ = false;
    failure_ = failure;
    changed_.notify_all();
  }
}

}  // namespace bifocal::runtime
