// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <bifocal/io.hpp>
#include <cmath>
#include <limits>

namespace bifocal {
namespace {

// Rounds like numpy.float16, to nearest even, with numbers below the normal ones.
TEST(Float16, IsTheNearestNumber) {
  for (std::uint32_t bits = 0; bits < 0x7bff; ++bits) {
    const float value = Float16{static_cast<std::uint16_t>(bits)},
                next = Float16{static_cast<std::uint16_t>(bits + 1)};
    ASSERT_EQ(float16_of(value).bits, bits);
    ASSERT_EQ(float16_of(-value).bits, bits | 0x8000);
    const float middle = value + (next - value) / 2;
    ASSERT_EQ(float16_of(middle).bits, bits + bits % 2);
    ASSERT_EQ(float16_of(std::nextafter(middle, value)).bits, bits);
    ASSERT_EQ(float16_of(std::nextafter(middle, next)).bits, bits + 1);
  }
  EXPECT_EQ(float16_of(65519).bits, 0x7bff);
  EXPECT_EQ(float16_of(65520).bits, 0x7c00);
  EXPECT_TRUE(std::isnan(float(float16_of(std::numeric_limits<float>::quiet_NaN()))));
}

}  // namespace
}  // namespace bifocal
