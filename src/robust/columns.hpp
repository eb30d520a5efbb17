// SPDX-License-Identifier: BSD-3-Clause
// Points as structure of arrays in random order, in both precisions, padded with NaN.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "robust/kernels.hpp"

namespace bifocal::robust {

// The finite points' indices in an order that depends on `seed` and their number alone; the others'
// go to `not_finite`. finite(i): whether point i is.
template <class Finite>
std::vector<int> shuffled_finite(int count, std::uint64_t seed, Finite finite,
                                 std::vector<int>& not_finite);

void shuffle(std::vector<int>& order, std::uint64_t seed);

template <class Finite>
std::vector<int> shuffled_finite(int count, std::uint64_t seed, Finite finite,
                                 std::vector<int>& not_finite) {
  std::vector<int> order;
  order.reserve(static_cast<size_t>(count));
  for (int i = 0; i < count; ++i) (finite(i) ? order : not_finite).push_back(i);
  shuffle(order, seed);
  return order;
}

class Columns {
 public:
  // value(i, c): column c of point i.
  template <class Value>
  Columns(int count, int columns, Value value, std::array<double, 2> focal = {1, 1})
      : count_(count),
        padded_((count + kPadding - 1) / kPadding * kPadding),
        columns_(columns),
        focal_(focal) {
    const auto size = static_cast<size_t>(padded_ * columns);
    f64_.assign(size, std::numeric_limits<double>::quiet_NaN());
    for (int c = 0; c < columns; ++c) {
      for (int i = 0; i < count; ++i) f64_[static_cast<size_t>(c * padded_ + i)] = value(i, c);
    }
    f32_.resize(size);
    for (size_t i = 0; i < size; ++i) f32_[i] = static_cast<float>(f64_[i]);
  }

  [[nodiscard]] Points points() const { return {view(f32_), view(f64_), count_}; }

 private:
  template <class T>
  PointsView<T> view(const std::vector<T>& values) const {
    PointsView<T> v{};
    for (int c = 0; c < columns_; ++c)
      v.columns[static_cast<size_t>(c)] = values.data() + c * padded_;
    v.padded = padded_;
    v.focal = {static_cast<T>(focal_[0]), static_cast<T>(focal_[1])};
    return v;
  }

  int count_, padded_, columns_;
  std::array<double, 2> focal_;
  std::vector<double> f64_;
  std::vector<float> f32_;
};

}  // namespace bifocal::robust
