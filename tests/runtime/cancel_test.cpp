// SPDX-License-Identifier: BSD-3-Clause
// Calls that are cancelled from outside.
#include <bifocal/error.hpp>
#include <bifocal/robust.hpp>
#include <bifocal/device.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>

#include "runtime/parallel.hpp"

namespace bifocal::runtime {
namespace {

using Clock = std::chrono::steady_clock;

TEST(Cancel, ends_a_loop_on_all_its_threads) {
  for (const int threads : {1, 2, 0}) {
    const ThreadLimit limit(threads);
    std::atomic<int> done = 0;
    const auto begin = Clock::now();
    {
      const CancelScope scope([&] { return Clock::now() - begin > std::chrono::milliseconds(50); });
      EXPECT_THROW(parallel_for(100000,
                                [&](int) {
                                  std::this_thread::sleep_for(std::chrono::milliseconds(1));
                                  ++done;
                                }),
                   Cancelled);
    }
    const std::chrono::duration<double> took = Clock::now() - begin;
    EXPECT_LT(took.count(), 2.0);
    EXPECT_LT(done, 90000);
    parallel_for(10, [](int) {});  // no cancellation is left over
  }
}

TEST(Cancel, exceptions_leave_nested_loops) {
  const CancelScope scope([]() -> bool { throw std::runtime_error("the reason"); });
  try {
    parallel_for(64, [&](int) {
      parallel_for(1000, [](int) { std::this_thread::sleep_for(std::chrono::milliseconds(1)); });
    });
    FAIL();
  } catch (const std::runtime_error& e) {
    EXPECT_STREQ(e.what(), "the reason");
  }
}

TEST(Cancel, inner_scopes_replace_outer_scopes) {
  const CancelScope outer([] { return true; });
  {
    const CancelScope inner([] { return false; });
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    check_cancelled();
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  EXPECT_THROW(check_cancelled(), Cancelled);
  EXPECT_THROW(check_cancelled(), Cancelled);  // permanently
}

TEST(Cancel, ends_a_long_estimate) {
  std::vector<PointPair> points(400000);
  unsigned state = 1;
  for (PointPair& p : points) {
    const auto next = [&] { return double((state = state * 1664525u + 1013904223u) >> 16) / 64; };
    p = {next(), next(), next(), next()};
  }
  RobustOptions options;
  options.min_iterations = options.max_iterations = 1000000;
  const auto begin = Clock::now();
  const CancelScope scope([&] { return Clock::now() - begin > std::chrono::milliseconds(100); });
  EXPECT_THROW((void)estimate(ModelKind::fundamental, points, {.options = options}), Cancelled);
  EXPECT_LT(std::chrono::duration<double>(Clock::now() - begin).count(), 5.0);
}

}  // namespace
}  // namespace bifocal::runtime
