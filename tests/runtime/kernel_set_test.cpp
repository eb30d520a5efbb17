// SPDX-License-Identifier: BSD-3-Clause
// The host structs that are made from the lists of kernel arguments.
#include "runtime/kernel_set.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <type_traits>
#include <vector>

#include "stereo/filter.kernels.hpp"

namespace bifocal::test {
namespace {

using runtime::Argument;
using runtime::ArgumentList;
using runtime::Array;
using runtime::Value;

#define COLUMN(IN, OUT, VALUE, LOCAL, DYNAMIC, READ, STRUCT) READ(real, numbers) VALUE(int, count)
#define COLUMNS(IN, OUT, VALUE, LOCAL, DYNAMIC, READ, STRUCT)                 \
  STRUCT(column, first, COLUMN(IN, OUT, VALUE, LOCAL, DYNAMIC, READ, STRUCT)) \
  VALUE(offset, step) OUT(bits8, marks)
#define SUMS(IN, OUT, VALUE, LOCAL, DYNAMIC, READ, STRUCT)                     \
  VALUE(scalar, factor)                                                        \
  LOCAL(int, seats, SEATS)                                                     \
  STRUCT(columns, both, COLUMNS(IN, OUT, VALUE, LOCAL, DYNAMIC, READ, STRUCT)) \
  IN(bits32, words) DYNAMIC(real, shared)
KERNEL_STRUCT(column, COLUMN)
KERNEL_STRUCT(columns, COLUMNS)
KERNEL_STRUCT(sums, SUMS)

template <class T>
T value_of(const Argument& argument) {
  T value;
  EXPECT_EQ(argument.size(), sizeof value);
  std::memcpy(&value, argument.value(), sizeof value);
  return value;
}

TEST(KernelArguments, follow_the_list_and_the_members_of_structs) {
  double number = 0;
  std::uint8_t mark = 0;
  std::uint32_t word = 0;
  const sums<double> all{.factor = 0.5,
                         .both = {.first = {.numbers = Memory<double>(&number), .count = 7},
                                  .step = 1,
                                  .marks = Memory<std::uint8_t>(&mark)},
                         .words = Memory<std::uint32_t>(&word)};
  ArgumentList arguments;
  all.append(arguments);
  ASSERT_EQ(arguments.size(), 6U);
  EXPECT_EQ(value_of<double>(arguments[0]), 0.5);
  EXPECT_EQ(value_of<const void*>(arguments[1]), &number);
  EXPECT_EQ(value_of<int>(arguments[2]), 7);
  EXPECT_EQ(value_of<std::int64_t>(arguments[3]), 1);
  EXPECT_EQ(value_of<const void*>(arguments[4]), &mark);
  EXPECT_EQ(value_of<const void*>(arguments[5]), &word);
}

template <class Args>
concept TakesAll = requires {
  Args{.disparity = nullptr, .min_disparity = 0, .map = nullptr};
};
template <class Args>
concept TakesNoMap = requires {
  Args{.disparity = nullptr, .min_disparity = 0};
};
template <class Args>
concept TakesNoNumber = requires {
  Args{.disparity = nullptr, .map = nullptr};
};
template <class Struct>
concept TakesNoStruct = requires {
  Struct{.step = 1, .marks = nullptr};
};

TEST(KernelArguments, do_not_compile_if_an_argument_is_missing) {
  using Args = kernels::filter::launch<float>::filter_px_args;
  EXPECT_TRUE(TakesAll<Args>);
  EXPECT_FALSE(TakesNoMap<Args>);
  EXPECT_FALSE(TakesNoNumber<Args>);
  EXPECT_FALSE(TakesNoStruct<columns<double>>);
}

TEST(KernelArguments, are_numbers_and_arrays_of_their_types_without_narrowing) {
  EXPECT_TRUE((std::is_convertible_v<int, Value<std::int64_t>>));
  EXPECT_TRUE((std::is_convertible_v<bool, Value<int>>));
  EXPECT_FALSE((std::is_convertible_v<std::int64_t, Value<int>>));
  EXPECT_FALSE((std::is_convertible_v<double, Value<float>>));
  EXPECT_FALSE((std::is_convertible_v<int, Value<float>>));
  EXPECT_TRUE((std::is_convertible_v<Memory<float>, Array<const float>>));
  EXPECT_FALSE((std::is_convertible_v<Memory<const float>, Array<float>>));
  EXPECT_FALSE((std::is_convertible_v<Memory<double>, Array<float>>));
}

}  // namespace
}  // namespace bifocal::test
