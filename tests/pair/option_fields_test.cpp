// SPDX-License-Identifier: BSD-3-Clause
// fields() describes every options struct of the API, and check_options() enforces the ranges.
#include <gtest/gtest.h>
#include <bifocal/adjust.hpp>
#include <bifocal/bifocal.hpp>
#include <bifocal/collect.hpp>
#include <bifocal/colmap/bundle_adjust.hpp>
#include <bifocal/mapping.hpp>

#include <cmath>
#include <cstddef>
#include <limits>
#include <set>
#include <string>
#include <vector>

namespace bifocal {
namespace {

template <class Options>
class OptionFields : public testing::Test {};
using All =
    testing::Types<AdjustOptions, CollectCameras, CollectOptions, DenseOptions, DepthOptions,
                   DisparityFilter, EigenOptions, FloatMatchOptions, GivenFeatures, MapOptions,
                   MatchOptions, NearOptions, PairOptions, PolarOptions, RectifyOptions,
                   RefineOptions, RetrievalOptions, RobustOptions, ScreenOptions, SequentialOptions,
                   SgmOptions, SiftOptions, SsdOptions, SurfOptions, SvdOptions, VerifyOptions,
                   VideoOptions, colmap::BundleAdjustOptions, colmap::TwoViewGeometryOptions,
                   colmap::VerifyRun>;
TYPED_TEST_SUITE(OptionFields, All);

// Returns the message of check_options(), or an empty string if it does not throw.
template <class Options>
std::string fault_of(const Options& options) {
  try {
    check_options(options);
    return {};
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::usage);
    return e.what();
  }
}

// Returns numbers just outside a range.
std::vector<double> outside(const Range& range) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (!range.words.empty()) return {static_cast<double>(range.words.size())};
  if (range.count > 0) return {range.numbers[0] - 1., range.numbers[0] + 1.};
  std::vector<double> numbers;
  if (range.lo > -infinity) numbers.push_back(range.excludes_lo ? range.lo : range.lo - 1);
  if (range.hi < infinity || range.excludes_hi)
    numbers.push_back(range.excludes_hi ? range.hi : range.hi + 1);
  if (range.is_odd) numbers.push_back(range.lo + 1);
  return numbers;
}

TYPED_TEST(OptionFields, are_within_their_ranges_by_default) {
  EXPECT_EQ(fault_of(TypeParam{}), "");
}

TYPED_TEST(OptionFields, cover_every_member_in_order_with_unique_names_and_help) {
  TypeParam options;
  std::set<std::string> names;
  const void* last = nullptr;
  fields(options, [&](auto& member, const Field& field) {
    EXPECT_TRUE(names.insert(field.name).second) << field.name;
    EXPECT_FALSE(std::string(field.help).empty()) << field.name;
    EXPECT_LT(last, static_cast<const void*>(&member)) << field.name;
    last = &member;
  });
}

TYPED_TEST(OptionFields, are_refused_by_name_outside_their_ranges) {
  const TypeParam defaults;
  std::size_t members = 0;
  fields(defaults, [&](const auto&, const Field&) { ++members; });
  for (std::size_t wanted = 0; wanted < members; ++wanted) {
    TypeParam options;
    std::size_t at = 0;
    fields(options, [&](auto& member, const Field& field) {
      using Value = std::remove_reference_t<decltype(member)>;
      if (at++ != wanted) return;
      if constexpr ((std::is_arithmetic_v<Value> && !std::is_same_v<Value, bool>) ||
                    std::is_enum_v<Value>) {
        const Value usual = member;
        std::vector<double> numbers = outside(field.range);
        if (std::is_floating_point_v<Value>) numbers.push_back(std::nan(""));
        for (const double number : numbers) {
          member = static_cast<Value>(number);
          const std::string start = std::string(name_of(options)) + "::" + field.name + " = ";
          EXPECT_EQ(fault_of(options).rfind(start, 0), 0U)
              << start << number << ": " << fault_of(options);
        }
        member = usual;
      }
    });
    EXPECT_EQ(fault_of(options), "");
  }
}

TEST(OptionFields, are_named_within_the_options_that_hold_them) {
  PairOptions pair;
  pair.surf = SurfOptions{.numbers = 65};
  EXPECT_EQ(fault_of(pair), "PairOptions::surf.numbers = 65: must be 64 or 128");
  pair.surf.reset();
  pair.sift.sigma = 9;
  EXPECT_EQ(fault_of(pair), "PairOptions::sift.sigma = 9: must be 0.8 to 8");
  const CollectCameras cameras{.model = "BROWN"};
  EXPECT_EQ(fault_of(cameras).rfind("CollectCameras::model = BROWN: must be SIMPLE_PINHOLE, ", 0),
            0U);
}

TEST(Range, prints_its_bounds) {
  constexpr std::string_view words[] = {"low", "high"};
  EXPECT_EQ(to_string(Range{}), "");
  EXPECT_EQ(to_string(Range::at_least(0)), "at least 0");
  EXPECT_EQ(to_string(Range::above(0).finite()), "above 0 and finite");
  EXPECT_EQ(to_string(Range::above(0).below(1)), "above 0 and below 1");
  EXPECT_EQ(to_string(Range::within(0.8, 8)), "0.8 to 8");
  EXPECT_EQ(to_string(Range::odd(3, 31)), "odd, 3 to 31");
  EXPECT_EQ(to_string(Range::one_of({0, 3, 5})), "0, 3 or 5");
  EXPECT_EQ(to_string(Range::one_of(words)), "low or high");
}

}  // namespace
}  // namespace bifocal
