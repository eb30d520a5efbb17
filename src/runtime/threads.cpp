// SPDX-License-Identifier: BSD-3-Clause
// Number of threads, and cancellation of their work.
#include <bifocal/error.hpp>
#include <bifocal/device.hpp>

#include <fmt/format.h>
#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <thread>
#include <utility>
#include <vector>

#include "runtime/cancel.hpp"
#include "runtime/parallel.hpp"

#if defined(__SANITIZE_THREAD__)
#define BIFOCAL_THREAD_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define BIFOCAL_THREAD_SANITIZER 1
#endif
#endif

namespace bifocal {

struct CancelScope::State {
  std::function<bool()> wanted;
  std::thread::id owner = std::this_thread::get_id();
  // Time of the owner's last call of `wanted`, and the exception that it threw there.
  std::chrono::steady_clock::time_point last_check = std::chrono::steady_clock::now();
  std::exception_ptr reason{};
  std::atomic<bool> ends = false;
};

namespace {

thread_local CancelScope::State* current = nullptr;
constexpr std::chrono::milliseconds kCheckInterval{20};

}  // namespace

CancelScope::CancelScope(std::function<bool()> wanted)
    : state_(new State{.wanted = std::move(wanted)}),
      outer_(std::exchange(current, state_.get())) {}

CancelScope::~CancelScope() { current = outer_; }

namespace runtime {

CancelScope::State* cancel_state() noexcept { return current; }

CancelledBy::CancelledBy(CancelScope::State* state) noexcept
    : outer_(std::exchange(current, state)) {}
CancelledBy::~CancelledBy() { current = outer_; }

void throw_cancelled(const CancelScope::State& state) {
  if (state.owner == std::this_thread::get_id() && state.reason)
    std::rethrow_exception(state.reason);
  throw Cancelled();
}
}  // namespace runtime

void check_cancelled() {
  CancelScope::State* const state = current;
  if (!state) return;
  if (state->ends.load(std::memory_order_relaxed)) runtime::throw_cancelled(*state);
  if (state->owner != std::this_thread::get_id()) return;
  const auto now = std::chrono::steady_clock::now();
  if (now - state->last_check < kCheckInterval) return;
  state->last_check = now;
  try {
    if (!state->wanted()) return;
  } catch (...) {
    state->reason = std::current_exception();
  }
  state->ends = true;
  runtime::throw_cancelled(*state);
}

struct ThreadLimit::State {
  tbb::global_control control;
};

ThreadLimit::ThreadLimit(int threads) {
  if (threads < 0)
    throw Error(ErrorCode::usage,
                fmt::format("threads = {}: must be 0 (all cores) or more", threads));
  const int count = threads == 0 ? tbb::info::default_concurrency() : threads;
  state_ = std::unique_ptr<State>(new State{tbb::global_control(
      tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(count))});
}

ThreadLimit::~ThreadLimit() = default;

namespace runtime {

namespace {

void run_all(int count, const std::function<void(int)>& body);

}  // namespace

void parallel_for(int count, const std::function<void(int)>& body) {
  CancelScope::State* const state = cancel_state();
  if (!state) {
    run_all(count, body);
    return;
  }
  check_cancelled();
  try {
    run_all(count, [&](int i) {
      const CancelledBy scope(state);
      check_cancelled();
      body(i);
    });
  } catch (const Cancelled&) {
    throw_cancelled(*state);
  }
}

void run_on_threads(int count, const std::function<void(int)>& body) {
  if (count < 1) return;
  CancelScope::State* const scope = cancel_state();
  std::vector<std::exception_ptr> failed(static_cast<std::size_t>(count));
  const auto run = [&](int i) {
    const CancelledBy by(scope);
    try {
      body(i);
    } catch (...) {
      failed[static_cast<std::size_t>(i)] = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> others;
    for (int i = 1; i < count; ++i) others.emplace_back(run, i);
    run(0);
  }
  for (const std::exception_ptr& f : failed)
    if (f) std::rethrow_exception(f);
}

namespace {

#ifndef BIFOCAL_THREAD_SANITIZER

void run_all(int count, const std::function<void(int)>& body) {
  if (count == 1) {
    body(0);
  } else if (count > 1) {
    tbb::parallel_for(0, count, body);
  }
}

#else

// Replacement of oneTBB for builds with the thread sanitizer. oneTBB's library is not built with
// it, so races inside TBB are reported, and suppressing them hides the races of every body called
// through it. Plain threads run the bodies here, so that they are checked.
void run_all(int count, const std::function<void(int)>& body) {
  const int limit = static_cast<int>(
      tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism));
  std::atomic<int> next = 0;
  run_on_threads(std::min(limit, count), [&](int) {
    for (int i = next++; i < count; i = next++) body(i);
  });
}

#endif

}  // namespace

int thread_count() {
  const auto allowed =
      tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism);
  return std::max(1, std::min(static_cast<int>(allowed), tbb::info::default_concurrency()));
}

}  // namespace runtime
}  // namespace bifocal
