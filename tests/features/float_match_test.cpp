// SPDX-License-Identifier: BSD-3-Clause
// Compares matching of float descriptors on every device with the naive double loop in
// double precision.
#include <bifocal/error.hpp>
#include <bifocal/matching.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "support/targets.hpp"

namespace bifocal::test {
namespace {

struct Floats {
  std::vector<float> values;
  int count, size;
  [[nodiscard]] FloatDescriptors view() const { return {values.data(), count, size}; }
};

// Makes descriptors of which every second is near a vector that all seeds share.
Floats random_floats(int count, int size, unsigned seed) {
  std::mt19937 shared(1), own(seed);
  std::normal_distribution<float> normal, noise;
  Floats f{{}, count, size};
  for (int i = 0; i < count; ++i) {
    for (int k = 0; k < size; ++k) {
      const float common = normal(shared), n = noise(own);
      f.values.push_back(3 * (i % 2 == 0 ? common + 0.3F * n : n));
    }
  }
  return f;
}

std::vector<double> prepared(const Floats& f, bool normalise) {
  std::vector<double> v(f.values.begin(), f.values.end());
  for (int i = 0; i < f.count && normalise; ++i) {
    double sum = 0;
    for (int k = 0; k < f.size; ++k)
      sum += v[std::size_t(i * f.size + k)] * v[std::size_t(i * f.size + k)];
    for (int k = 0; k < f.size; ++k) v[std::size_t(i * f.size + k)] /= std::sqrt(sum);
  }
  return v;
}

struct Plain {
  int nearest = -1;
  double distance = HUGE_VAL, second = HUGE_VAL;
};
Plain nearest_of(const std::vector<double>& a, int i, const std::vector<double>& b, int size) {
  Plain plain;
  for (int j = 0; j < int(b.size()) / size; ++j) {
    double sum = 0;
    for (int k = 0; k < size; ++k) {
      const double d = a[std::size_t(i * size + k)] - b[std::size_t(j * size + k)];
      sum += d * d;
    }
    const double distance = std::sqrt(sum);
    if (distance < plain.distance) {
      plain = {j, distance, plain.distance};
    } else {
      plain.second = std::min(plain.second, distance);
    }
  }
  return plain;
}

std::vector<FloatMatch> plain_match(const Floats& f, const Floats& g,
                                    const FloatMatchOptions& options) {
  const std::vector<double> a = prepared(f, options.normalise), b = prepared(g, options.normalise);
  std::vector<FloatMatch> matches;
  for (int i = 0; i < f.count && g.count > 0; ++i) {
    const Plain p = nearest_of(a, i, b, f.size);
    const double ratio = g.count < 2 ? 0 : p.distance / p.second;
    if (options.max_ratio < 1 && ratio >= options.max_ratio) continue;
    if (options.max_distance > 0 && p.distance > options.max_distance) continue;
    if (options.mutual && nearest_of(b, p.nearest, a, f.size).nearest != i) continue;
    matches.push_back({i, p.nearest, float(p.distance), float(ratio)});
  }
  return matches;
}

void expect_same(const std::vector<FloatMatch>& got, const std::vector<FloatMatch>& want,
                 const std::string& what) {
  ASSERT_EQ(got.size(), want.size()) << what;
  for (std::size_t m = 0; m < got.size(); ++m) {
    EXPECT_EQ(got[m].index1, want[m].index1) << what;
    EXPECT_EQ(got[m].index2, want[m].index2) << what;
    EXPECT_NEAR(got[m].distance, want[m].distance, 2e-4 * (1 + want[m].distance)) << what;
    EXPECT_NEAR(got[m].ratio, want[m].ratio, 1e-3) << what;
  }
}

TEST(FloatMatch, equals_the_naive_double_loop_on_every_device) {
  const FloatMatchOptions kOptions[] = {
      {}, {true, true, 0.9}, {true, false}, {false, true}, {true, true, 1, 0.6}};
  const int sizes[][3] = {{0, 5, 64},     {5, 0, 64},      {1, 1, 1},
                          {1, 2, 256},    {63, 65, 33},    {130, 70, 64},
                          {70, 130, 128}, {200, 199, 256}, {50, 60, 512}};
  std::size_t most = 0;
  for (const auto& [count1, count2, size] : sizes) {
    const Floats a = random_floats(count1, size, 7), b = random_floats(count2, size, 8);
    for (const FloatMatchOptions& options : kOptions) {
      const std::vector<FloatMatch> want = plain_match(a, b, options);
      most = std::max(most, want.size());
      for (const DeviceInfo& info : list_devices()) {
        Queue queue{Device(info.id)};
        expect_same(match(queue, a.view(), b.view(), options), want, info.id);
      }
      for_each_target([&](const std::string& target) {
        expect_same(match(a.view(), b.view(), options), want, target);
      });
    }
  }
  EXPECT_GT(most, 80U);
}

TEST(FloatMatch, ties_go_to_the_lower_index) {
  Floats a = random_floats(3, 40, 1);
  Floats b{{}, 200, 40};
  for (int i = 0; i < 200; ++i)
    b.values.insert(b.values.end(), a.values.begin() + i % 3 * 40,
                    a.values.begin() + i % 3 * 40 + 40);
  for (const DeviceInfo& info : list_devices()) {
    Queue queue{Device(info.id)};
    const auto matches = match(queue, a.view(), b.view());
    ASSERT_EQ(matches.size(), 3U) << info.id;
    for (int i = 0; i < 3; ++i) EXPECT_EQ(matches[std::size_t(i)].index2, i) << info.id;
  }
}

// Rows are prepared in double precision, like match() prepares descriptors in host memory.
TEST(FloatMatch, rows_in_device_memory_are_matched_there) {
  const Floats a = random_floats(130, 64, 7), b = random_floats(70, 64, 8);
  const std::vector<FloatMatch> want = plain_match(a, b, {});
  int devices = 0;
  for (const DeviceInfo& info : list_devices()) {
    const Device device(info.id);
    Queue queue(device);
    if (info.kind == DeviceKind::cpu) {
      EXPECT_THROW((void)match(queue, FloatsOnDevice{}, FloatsOnDevice{}), Error);
      continue;
    }
    ++devices;
    Buffer<float> values[2], squares[2];
    FloatsOnDevice there[2];
    for (const int side : {0, 1}) {
      const Floats& f = side == 0 ? a : b;
      const std::vector<double> rows = prepared(f, true);
      const std::vector<float> narrow(rows.begin(), rows.end()), ones(std::size_t(f.count), 1.0F);
      values[side] = Buffer<float>(device, narrow.size());
      squares[side] = Buffer<float>(device, ones.size());
      values[side].upload(queue, narrow);
      squares[side].upload(queue, ones);
      queue.wait();
      there[side] = {values[side], squares[side], f.count, f.size};
    }
    expect_same(match(queue, there[0], there[1]), want, info.id);
    FloatsOnDevice small = there[1];
    small.count = 71;
    EXPECT_THROW((void)match(queue, there[0], small), Error) << info.id;
    small = {a.values.data(), a.values.data(), 130, 64};
    EXPECT_THROW((void)match(queue, there[0], small), Error) << info.id;
  }
  if (devices == 0) GTEST_SKIP() << "no device but the CPU";
}

TEST(FloatMatch, refuses_wrong_arguments_by_name) {
  Floats a = random_floats(3, 8, 1);
  const auto message_of = [&](const FloatDescriptors& x, const FloatDescriptors& y,
                              const FloatMatchOptions& options) {
    try {
      (void)match(x, y, options);
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ErrorCode::usage);
      return std::string(e.what());
    }
    return std::string("no error");
  };
  const auto has = [](const std::string& text, const char* part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  has(message_of(a.view(), {a.values.data(), 2, 12}, {}), "descriptors2 12");
  has(message_of({a.values.data(), -1, 8}, a.view(), {}), "descriptors1 has -1");
  has(message_of(a.view(), {nullptr, 3, 8}, {}), "at null");
  has(message_of({a.values.data(), 3, 0}, a.view(), {}), "of 0 numbers");
  has(message_of(a.view(), a.view(), {true, true, 0}), "max_ratio");
  has(message_of(a.view(), a.view(), {true, true, 1, -1}), "max_distance");
  Floats bad = a;
  bad.values[17] = std::numeric_limits<float>::quiet_NaN();
  has(message_of(a.view(), bad.view(), {}), "descriptors2: descriptor 2");
}

}  // namespace
}  // namespace bifocal::test
