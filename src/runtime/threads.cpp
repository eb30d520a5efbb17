// SPDX-License-Identifier: BSD-3-Clause
#include <bifocal/error.hpp>
#include <bifocal/threads.hpp>

#include <fmt/format.h>
#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>

#include "runtime/parallel.hpp"

#if defined(__SANITIZE_THREAD__)
#define BIFOCAL_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define BIFOCAL_TSAN 1
#endif
#endif
#ifdef BIFOCAL_TSAN
extern "C" void __tsan_acquire(void*);
extern "C" void __tsan_release(void*);
#endif

namespace bifocal {

struct ThreadLimit::State {
  tbb::global_control control;
};

ThreadLimit::ThreadLimit(int threads) {
  if (threads < 0) throw Error(ErrorCode::usage, fmt::format("threads = {}: must be 0 (all cores) or more", threads));
  const int count = threads == 0 ? tbb::info::default_concurrency() : threads;
  state_ = std::unique_ptr<State>(
      new State{tbb::global_control(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(count))});
}

ThreadLimit::~ThreadLimit() = default;

namespace runtime {
namespace {

// oneTBB's library is not built with the thread sanitizer, which therefore can't see that its fork and join order memory; these
// two say so.
void ordered_before([[maybe_unused]] void* token) {
#ifdef BIFOCAL_TSAN
  __tsan_release(token);
#endif
}
void ordered_after([[maybe_unused]] void* token) {
#ifdef BIFOCAL_TSAN
  __tsan_acquire(token);
#endif
}

}  // namespace

void parallel_for(int count, const std::function<void(int)>& body) {
  if (count <= 1) {
    if (count == 1) body(0);
    return;
  }
  char fork = 0, join = 0;
  ordered_before(&fork);
  tbb::parallel_for(0, count, [&](int i) {
    ordered_after(&fork);
    body(i);
    ordered_before(&join);
  });
  ordered_after(&join);
}

}  // namespace runtime
}  // namespace bifocal
