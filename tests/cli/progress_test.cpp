// SPDX-License-Identifier: BSD-3-Clause
#include "progress.hpp"

#include <gtest/gtest.h>

namespace bifocal::cli {
namespace {

TEST(Progress, counted_work_has_a_rate_and_a_remaining_time) {
  EXPECT_EQ(progress_line({.done = 40, .total = 100, .seconds = 8, .unit = "pairs"}),
            "40 of 100 pairs, 5 pairs/s, 12 s left");
  EXPECT_EQ(progress_line({.done = 1, .total = 101, .seconds = 6, .unit = "images", .what = "x"}),
            "1 of 101 images, 0.167 images/s, 10:00 min left: x");
}

TEST(Progress, unknown_times_are_not_printed) {
  EXPECT_EQ(
      progress_line({.done = 0, .total = 16, .seconds = 20, .unit = "photographs", .what = "f"}),
      "0 of 16 photographs, 20 s: f");
  EXPECT_EQ(progress_line({.done = 8,
                           .total = 9,
                           .seconds = 10,
                           .unit = "stages",
                           .what = "reading colours",
                           .work = Work::stages}),
            "8 of 9 stages, 10 s: reading colours");
  EXPECT_EQ(
      progress_line({.done = 70, .total = 100, .seconds = 4, .unit = "%", .work = Work::stages}),
      "70 %, 4 s");
}

}  // namespace
}  // namespace bifocal::cli
