// SPDX-License-Identifier: BSD-3-Clause
#include <bifocal/error.hpp>
#include <bifocal/device.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <numeric>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "runtime/parallel.hpp"

namespace bifocal::runtime {
namespace {

TEST(RunOnThreads, all_run_at_the_same_time_and_the_first_is_the_callers) {
  std::atomic<int> started = 0;
  std::set<std::thread::id> threads;
  std::mutex mutex;
  const std::thread::id caller = std::this_thread::get_id();
  run_on_threads(3, [&](int i) {
    ++started;
    while (started < 3) std::this_thread::yield();  // deadlocks if one waits for another's end
    const std::lock_guard lock(mutex);
    threads.insert(std::this_thread::get_id());
    EXPECT_EQ(i == 0, std::this_thread::get_id() == caller);
  });
  EXPECT_EQ(threads.size(), 3U);
  run_on_threads(0, [](int) { FAIL(); });
}

TEST(RunOnThreads, all_end_before_the_first_failure_by_number_is_thrown) {
  std::atomic<int> ended = 0;
  const auto body = [&](int i) {
    if (i == 2) std::this_thread::sleep_for(std::chrono::milliseconds(20));
    ++ended;
    if (i > 0) throw std::runtime_error(std::to_string(i));
  };
  try {
    run_on_threads(3, body);
    FAIL();
  } catch (const std::runtime_error& e) {
    EXPECT_STREQ(e.what(), "1");
  }
  EXPECT_EQ(ended, 3);
}

TEST(RunOnThreads, workers_have_the_callers_cancellation) {
  const CancelScope scope([] { return true; });
  EXPECT_THROW(run_on_threads(2,
                              [](int i) {
                                while (i == 1) check_cancelled();  // until the caller has asked
                                std::this_thread::sleep_for(std::chrono::milliseconds(30));
                                check_cancelled();
                              }),
               Cancelled);
}

TEST(ParallelFor, calls_every_index_once) {
  for (const int count : {0, 1, 2, 1000}) {
    std::vector<int> calls(static_cast<size_t>(count));
    parallel_for(count, [&](int i) { ++calls[static_cast<size_t>(i)]; });
    EXPECT_EQ(std::accumulate(calls.begin(), calls.end(), 0), count);
    for (const int n : calls) EXPECT_EQ(n, 1);
  }
}

TEST(ParallelFor, orders_memory_before_and_after) {  // for the thread sanitizer
  std::vector<int> values(1000, 1);
  long total = 0;
  for (int round = 0; round < 20; ++round) {
    parallel_for(1000, [&](int i) { values[static_cast<size_t>(i)] += i; });
    total += std::accumulate(values.begin(), values.end(), 0L);
  }
  EXPECT_GT(total, 0);
}

TEST(ParallelFor, may_be_nested) {
  std::atomic<int> calls = 0;
  parallel_for(8, [&](int) { parallel_for(16, [&](int) { ++calls; }); });
  EXPECT_EQ(calls, 128);
}

TEST(ParallelFor, rethrows_exceptions_of_a_body) {
  EXPECT_THROW(parallel_for(100,
                            [](int i) {
                              if (i == 37) throw std::runtime_error("37");
                            }),
               std::runtime_error);
}

TEST(ThreadLimit, one_thread_means_the_calling_thread) {
  const ThreadLimit limit(1);
  std::mutex mutex;
  std::set<std::thread::id> threads;
  parallel_for(1000, [&](int) {
    const std::lock_guard lock(mutex);
    threads.insert(std::this_thread::get_id());
  });
  EXPECT_EQ(threads, std::set{std::this_thread::get_id()});
}

TEST(ThreadLimit, refuses_a_negative_count) {
  try {
    const ThreadLimit limit(-3);
    FAIL() << "no error";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::usage);
    EXPECT_NE(std::string(e.what()).find("-3"), std::string::npos);
  }
}

}  // namespace
}  // namespace bifocal::runtime
