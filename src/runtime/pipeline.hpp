// SPDX-License-Identifier: BSD-3-Clause
// Pipeline of concurrent reading, processing and writing: one thread reads items in order, several
// threads process them, and the caller's thread receives them in the order of reading.
#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "runtime/cancel.hpp"
#include "runtime/thread_name.hpp"

namespace bifocal::runtime {

// A worker processes one item after another on its own thread. If items are few, they are spread
// over all devices.
template <class Item>
struct PipelineWorker {
  std::size_t device = 0;  // index of the device in its set
  std::function<void(Item&)> work;
};

// Reuses items with the memory that they hold, so the number of items is fixed: one per worker, and
// as many extra items as the caller requests.
template <class Item>
class Pipeline {
 public:
  // read_next(item) fills an item and returns false after the last item.
  Pipeline(std::vector<PipelineWorker<Item>> workers, std::function<bool(Item&)> read_next,
           std::size_t extra_items)
      : workers_(std::move(workers)), read_next_(std::move(read_next)) {
    for (const auto& w : workers_) {
      most_.resize(std::max(most_.size(), w.device + 1));
      ++most_[w.device];
    }
    busy_.resize(most_.size());
    places_.resize(workers_.size() + extra_items);
    for (Place& place : places_) free_.push_back(&place);
    const auto start = [this](const char* name, const auto& body) {
      threads_.emplace_back([this, name, body] {
        name_thread(name);
        const CancelledBy scope(scope_);
        body();
      });
    };
    start("read", [this] { read(); });
    for (const auto& w : workers_) start("work", [this, &w] { work(w); });
  }
  ~Pipeline() {
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
    }
    changed_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }
  Pipeline(const Pipeline&) = delete;
  Pipeline& operator=(const Pipeline&) = delete;

  // Returns the next item in order; null after the last item. The item remains valid until the next
  // call. Rethrows an exception from reading or processing the item.
  Item* next() {
    std::unique_lock lock(mutex_);
    if (taken_) free_.push_back(std::exchange(taken_, nullptr));
    changed_.notify_all();
    while (!done_.contains(next_)) {
      if (!scope_) {
        changed_.wait(lock);
        continue;
      }
      changed_.wait_for(lock, kCheckInterval);
      lock.unlock();
      check_cancelled();
      lock.lock();
    }
    Place* place = done_.extract(next_).mapped();
    if (place->failure) std::rethrow_exception(place->failure);
    if (place->is_end) return nullptr;
    ++next_;
    taken_ = place;
    return &place->item;
  }

 private:
  // Interval of cancellation tests in the caller's thread.
  static constexpr std::chrono::milliseconds kCheckInterval{20};

  struct Place {
    std::size_t number = 0;
    Item item;
    bool is_end = false;
    std::exception_ptr failure;
  };

  void read() {
    for (std::size_t number = 0;; ++number) {
      Place* place = take_free();
      if (!place) return;
      place->number = number;
      try {
        place->is_end = !read_next_(place->item);
      } catch (...) {
        place->failure = std::current_exception();
      }
      const bool is_last = place->failure || place->is_end;
      give(place, is_last);
      if (is_last) return;
    }
  }

  void work(const PipelineWorker<Item>& worker) {
    while (Place* place = take_read(worker.device)) {
      try {
        worker.work(place->item);
      } catch (...) {
        place->failure = std::current_exception();
      }
      {
        const std::lock_guard lock(mutex_);
        --busy_[worker.device];
      }
      give(place, true);
    }
  }

  // Returns null if the pipeline is being stopped.
  Place* take_free() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return stop_ || !free_.empty(); });
    return stop_ ? nullptr : pop(free_);
  }
  Place* take_read(std::size_t device) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return stop_ || (!read_.empty() && is_next(device)); });
    if (stop_) return nullptr;
    ++busy_[device];
    changed_.notify_all();  // a worker of a different device may be next
    return pop(read_);
  }
  static Place* pop(std::deque<Place*>& from) {
    Place* place = from.front();
    from.pop_front();
    return place;
  }
  [[nodiscard]] bool is_next(std::size_t device) const {
    for (std::size_t d = 0; d < busy_.size(); ++d)
      if (busy_[d] < most_[d] && busy_[d] < busy_[device]) return false;
    return true;
  }

  void give(Place* place, bool is_done) {
    {
      const std::lock_guard lock(mutex_);
      if (is_done)
        done_.emplace(place->number, place);
      else
        read_.push_back(place);
    }
    changed_.notify_all();
  }

  const std::vector<PipelineWorker<Item>> workers_;
  const std::function<bool(Item&)> read_next_;
  CancelScope::State* const scope_ = cancel_state();  // of the caller's thread
  std::deque<Place> places_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Place*> free_, read_;
  // Limit and current number of items in processing, by device.
  std::vector<std::size_t> most_, busy_;
  std::map<std::size_t, Place*> done_;  // by number
  Place* taken_ = nullptr;
  std::size_t next_ = 0;
  bool stop_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace bifocal::runtime
