// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/cancel.hpp"

#include <atomic>
#include <chrono>
#include <thread>
#include <utility>

namespace bifocal {

struct CancelScope::State {
  std::function<bool()> wanted;
  std::thread::id owner = std::this_thread::get_id();
  std::chrono::steady_clock::time_point asked = std::chrono::steady_clock::now();  // of the owner
  std::exception_ptr reason{};                                                     // of the owner
  std::atomic<bool> ends = false;
};

namespace {

thread_local CancelScope::State* current = nullptr;
constexpr std::chrono::milliseconds kBetween{20};

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
  if (now - state->asked < kBetween) return;
  state->asked = now;
  try {
    if (!state->wanted()) return;
  } catch (...) {
    state->reason = std::current_exception();
  }
  state->ends = true;
  runtime::throw_cancelled(*state);
}

}  // namespace bifocal
