// SPDX-License-Identifier: BSD-3-Clause
// Input that StereoMatcher refuses, on every device of this machine.
#include <bifocal/error.hpp>
#include <bifocal/stereo.hpp>

#include <gtest/gtest.h>

#include <string>

#include "stereo/matcher_devices.hpp"

namespace bifocal {
namespace {

using test::DeviceMaps;
using test::for_each_device;

template <class Run>
std::string usage_error(const Run& run) {
  try {
    run();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::usage) << e.what();
    return e.what();
  }
  return "no error";
}
#define EXPECT_USAGE(text, statement)                                      \
  EXPECT_NE(usage_error([&] { statement; }).find(text), std::string::npos) \
      << usage_error([&] { statement; })

TEST(Matcher, ssd_names_mismatched_input) {
  for_each_device([](Queue& queue) {
    EXPECT_USAGE("window = 4", StereoMatcher(queue, 60, 30, SsdOptions{.window = 4}));
    EXPECT_USAGE("0 x 30", StereoMatcher(queue, 0, 30, SsdOptions{}));
    StereoMatcher matcher(queue, 60, 30, SsdOptions{.disparities = 30, .window = 7});
    const DeviceMaps maps(queue.device(), 60, 30);
    const Buffer<std::uint8_t> pixels(queue.device(), 60 * 30);
    EXPECT_USAGE("confidence: SSD has none", matcher.run(pixels, pixels, maps.output()));
    EXPECT_USAGE("16 bits; it was made for 8", (void)matcher(ImageU16(60, 30), ImageU16(60, 30)));
  });
}

TEST(Matcher, names_mismatched_input) {
  for_each_device([](Queue& queue) {
    const SgmOptions o{.disparities = 32};
    EXPECT_USAGE("bits = 12", StereoMatcher(queue, 60, 30, o, 12));
    EXPECT_USAGE("0 x 30", StereoMatcher(queue, 0, 30, o));
    EXPECT_USAGE("70000 x 70000", StereoMatcher(queue, 70000, 70000, o));
    EXPECT_USAGE("paths = 5", StereoMatcher(queue, 60, 30, {.paths = 5}));
    EXPECT_USAGE("max_memory = 1000 bytes: 60 x 30 pixels with 64 disparities take at least",
                 StereoMatcher(queue, 60, 30, {.disparities = 64, .max_memory = 1000}));
    StereoMatcher matcher(queue, 60, 30, o);
    EXPECT_GT(matcher.memory(), 60U * 30 * 32);
    const ImageU8 good(60, 30), wide(61, 30), other(60, 31);
    EXPECT_USAGE("61 x 30", (void)matcher(wide, wide));
    EXPECT_USAGE("left 60 x 30, right 60 x 31", (void)matcher(good, other));
    EXPECT_USAGE("empty", (void)matcher(ImageU8(), good));
    EXPECT_USAGE("16 bits; it was made for 8", (void)matcher(ImageU16(60, 30), ImageU16(60, 30)));

    const DeviceMaps maps(queue.device(), 60, 30);
    const Buffer<std::uint8_t> pixels(queue.device(), 60 * 30), few(queue.device(), 60 * 29);
    const Buffer<float> few_maps(queue.device(), 5);
    EXPECT_USAGE("left is null", matcher.run(Memory<const std::uint8_t>(), pixels, maps.output()));
    EXPECT_USAGE("right is null", matcher.run(pixels, Memory<const std::uint8_t>(), maps.output()));
    EXPECT_USAGE("all null", matcher.run(pixels, pixels, {}));
    EXPECT_USAGE("right holds 1740 numbers", matcher.run(pixels, few, maps.output()));
    EXPECT_USAGE("filled holds 5 numbers", matcher.run(pixels, pixels, {.filled = few_maps}));
    if (queue.device().info().kind != DeviceKind::cpu) {
      EXPECT_USAGE("left is memory of the host",
                   matcher.run(good.pixels.data(), pixels, maps.output()));
    }

    for (const DeviceInfo& device : list_devices()) {
      if (device.id == queue.device().info().id) continue;
      const Buffer<std::uint8_t> foreign(Device(device.id), 60 * 30);
      const std::string of = " is memory of " + device.id;
      EXPECT_USAGE("left" + of, matcher.run(foreign, pixels, maps.output()));
      EXPECT_USAGE("confidence" + of, matcher.run(pixels, pixels, {.confidence = foreign}));
    }
    if (queue.device().info().kind != DeviceKind::cuda) {
      const auto address = Memory<const std::uint8_t>::on_device(good.pixels.data());
      EXPECT_USAGE("right is an address", matcher.run(pixels, address, maps.output()));
    }

    DisparityMap map;
    EXPECT_USAGE("no pair was submitted", matcher.next(map));
    matcher.submit(good, good);
    EXPECT_USAGE("on their way", matcher.run(pixels, pixels, maps.output()));
    EXPECT_USAGE("on their way", (void)matcher(good, good));
    matcher.submit(good, good);
    EXPECT_USAGE("two pairs are on their way", matcher.submit(good, good));
    matcher.next(map);
    matcher.next(map);
    EXPECT_EQ(map.raw.width, 60);
  });
}

}  // namespace
}  // namespace bifocal
