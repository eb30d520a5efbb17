// SPDX-License-Identifier: BSD-3-Clause
// Shared by the tests of the historical systems.
#pragma once

#include <bifocal/device.hpp>
#include <bifocal/geometry.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace bifocal::test {

// Downloads the first `count` numbers of the buffer after the queue's earlier work.
template <class T>
std::vector<T> numbers_of(Queue& queue, const Buffer<T>& buffer, int count) {
  std::vector<T> numbers(static_cast<std::size_t>(count));
  buffer.download(queue, numbers);
  queue.wait();
  return numbers;
}

// Coordinates of the samples of given points, [rows of a point][points of a sample][trials]; point
// k of trial i is points[drawn[k trials + i]].
template <class T>
std::vector<T> coordinates_of(const std::vector<PointPair>& points, const std::vector<int>& drawn) {
  std::vector<T> samples;
  for (double PointPair::*coordinate :
       {&PointPair::x1, &PointPair::y1, &PointPair::x2, &PointPair::y2}) {
    for (const int p : drawn)
      samples.push_back(static_cast<T>(points[static_cast<std::size_t>(p)].*coordinate));
  }
  return samples;
}

// Checks that every sample has `size` different points.
inline void expect_samples(const std::vector<int>& drawn, int size, int points) {
  const int trials = static_cast<int>(drawn.size()) / size;
  for (int i = 0; i < trials; ++i) {
    for (int k = 0; k < size; ++k) {
      const int p = drawn[static_cast<std::size_t>(k * trials + i)];
      ASSERT_TRUE(p >= 0 && p < points);
      for (int other = 0; other < k; ++other)
        ASSERT_NE(p, drawn[static_cast<std::size_t>(other * trials + i)]);
    }
  }
}

inline std::vector<std::string> device_ids() {
  std::vector<std::string> ids;
  for (const DeviceInfo& info : list_devices()) ids.push_back(info.id);
  return ids;
}

// Fixture of tests that run on every device of this machine.
class OnDevice : public testing::TestWithParam<std::string> {
 protected:
  Queue queue{Device(GetParam())};
  Queue cpu;
};
inline std::string device_name(const testing::TestParamInfo<std::string>& test) {
  std::string name = test.param;
  std::erase(name, ':');
  return name;
}

}  // namespace bifocal::test
