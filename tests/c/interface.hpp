// SPDX-License-Identifier: BSD-3-Clause
// Handles of the C interface that free themselves, and checks of codes and messages.
#pragma once

#include <bifocal.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace bifocal::test {

template <class T, void (*Free)(T*)>
struct Handle {
  T* get = nullptr;
  Handle() = default;
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() { Free(get); }
  T** out() { return &get; }
  operator T*() const { return get; }
};
using QueueHandle = Handle<bf_queue, bf_queue_free>;
using OptionsHandle = Handle<bf_options, bf_options_free>;
using ImageHandle = Handle<bf_image, bf_image_free>;
using FeaturesHandle = Handle<bf_features, bf_features_free>;
using MatchesHandle = Handle<bf_matches, bf_matches_free>;
using EstimatesHandle = Handle<bf_estimates, bf_estimates_free>;
using PairHandle = Handle<bf_pair, bf_pair_free>;
using ModelHandle = Handle<bf_model, bf_model_free>;

template <class T>
T sized() {
  T s = {};
  s.size = sizeof(T);
  return s;
}

inline void expect_ok(int code) { ASSERT_EQ(code, BF_OK) << bf_error(); }
// Expects a failure whose message has this part.
inline void expect_failure(int code, int expected, const std::string& part) {
  EXPECT_EQ(code, expected) << bf_error();
  EXPECT_NE(std::string(bf_error()).find(part), std::string::npos)
      << '"' << bf_error() << "\" lacks \"" << part << '"';
}
inline void expect_usage(int code, const std::string& part) {
  expect_failure(code, BF_USAGE, part);
}

class CInterface : public testing::Test {
 protected:
  void SetUp() override { expect_ok(bf_queue_open("cpu", queue.out())); }
  QueueHandle queue;
};

}  // namespace bifocal::test
