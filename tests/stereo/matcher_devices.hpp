// SPDX-License-Identifier: BSD-3-Clause
// For tests of StereoMatcher: every device of this machine, and maps in device memory.
#pragma once

#include <bifocal/stereo.hpp>

#include <gtest/gtest.h>

namespace bifocal::test {

template <class Body>
void for_each_device(const Body& body) {
  for (const DeviceInfo& info : list_devices()) {
    SCOPED_TRACE(info.id + " " + info.name);
    Queue queue{Device(info.id)};
    body(queue);
    if (testing::Test::HasFatalFailure()) return;
  }
}

// Maps in the device's memory.
struct DeviceMaps {
  Buffer<float> raw, filled;
  Buffer<std::uint8_t> confidence;
  int width, height;

  DeviceMaps(const Device& device, int w, int h) : width(w), height(h) {
    const auto pixels = static_cast<std::size_t>(w) * static_cast<std::size_t>(h);
    raw = Buffer<float>(device, pixels);
    filled = Buffer<float>(device, pixels);
    confidence = Buffer<std::uint8_t>(device, pixels);
  }
  [[nodiscard]] StereoOutput output() const { return {raw, filled, confidence}; }
  [[nodiscard]] DisparityMap download(Queue& queue, double density) const {
    DisparityMap map{ImageF(width, height), ImageF(width, height), ImageU8(width, height), density};
    raw.download(queue, std::span<float>(map.raw.pixels));
    filled.download(queue, std::span<float>(map.filled.pixels));
    confidence.download(queue, std::span<std::uint8_t>(map.confidence.pixels));
    queue.wait();
    return map;
  }
};

}  // namespace bifocal::test
