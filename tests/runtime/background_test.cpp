// SPDX-License-Identifier: BSD-3-Clause
// Tasks beside the caller: in order, bounded, and their failures reach the caller.
#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <vector>

#include "runtime/background.hpp"

namespace bifocal::runtime {
namespace {

TEST(Background, does_tasks_in_their_order) {
  std::vector<int> done;
  Background background(3);
  for (int i = 0; i < 200; ++i) background.run([&done, i] { done.push_back(i); });
  background.finish();
  ASSERT_EQ(done.size(), 200U);
  for (int i = 0; i < 200; ++i) EXPECT_EQ(done[std::size_t(i)], i);
  background.run([&done] { done.clear(); });
  background.finish();
  EXPECT_TRUE(done.empty());
}

TEST(Background, keeps_few_waiting) {
  std::atomic<int> given = 0, begun = 0, most = 0;
  Background background(2);
  for (int i = 0; i < 50; ++i) {
    background.run([&] {
      // One that runs, two that wait, and the one that the caller is giving.
      most = std::max(most.load(), given - begun);
      ++begun;
    });
    ++given;
  }
  background.finish();
  EXPECT_EQ(begun, 50);
  EXPECT_LE(most, 4);
}

TEST(Background, hands_failures_to_the_caller) {
  bool ran = false;
  Background background(1);
  background.run([] { throw std::runtime_error("disk full"); });
  EXPECT_THROW(background.finish(), std::runtime_error);
  EXPECT_THROW(background.run([&ran] { ran = true; }), std::runtime_error);
  EXPECT_FALSE(ran);
}

TEST(Background, drops_what_waits_at_the_end) {
  std::atomic<int> done = 0;
  {
    Background background(100);
    for (int i = 0; i < 100; ++i) background.run([&done] { ++done; });
  }
  EXPECT_LE(done, 100);  // and it returns
  const Background nothing(1);
}

}  // namespace
}  // namespace bifocal::runtime
