// SPDX-License-Identifier: BSD-3-Clause
#include "linalg_batches.hpp"

#include <algorithm>
#include <random>
#include <span>

namespace bifocal::bench {

template <class T>
Matrices<T> random_matrices(int m, int n, int count, bool symmetric) {
  Matrices<T> matrices{m, n, count, {}};
  matrices.columns.resize(static_cast<std::size_t>(m) * n * count);
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal;
  for (T& v : matrices.columns) v = static_cast<T>(normal(random));
  if (!symmetric) return matrices;
  for (int b = 0; b < count; ++b) {
    T* const A = matrices.columns.data() + static_cast<std::ptrdiff_t>(b) * n * n;
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < i; ++j) A[i * n + j] = A[j * n + i];
    }
  }
  return matrices;
}

template <class T>
std::vector<T> Matrices<T>::interleaved(int total) const {
  std::vector<T> data(static_cast<std::size_t>(m) * n * total);
  for (int i = 0; i < m; ++i) {
    for (int j = 0; j < n; ++j) {
      T* const row = data.data() + static_cast<std::ptrdiff_t>(i * n + j) * total;
      for (int b = 0; b < total; ++b) row[b] = (*this)[b % count][j * m + i];
    }
  }
  return data;
}

template <class T>
std::vector<T> Matrices<T>::strided(int total) const {
  std::vector<T> data;
  data.reserve(static_cast<std::size_t>(m) * n * total);
  for (int b = 0; b < total; ++b) {
    for (int i = 0; i < m; ++i) {
      for (int j = 0; j < n; ++j) data.push_back((*this)[b % count][j * m + i]);
    }
  }
  return data;
}

template <class T>
std::vector<T> Matrices<T>::repeated(int total) const {
  std::vector<T> data;
  data.reserve(static_cast<std::size_t>(m) * n * total);
  for (int b = 0; b < total; ++b) {
    const T* const A = (*this)[b % count];
    data.insert(data.end(), A, A + m * n);
  }
  return data;
}

template <class T>
void Numbers<T>::set(Queue& queue, const std::vector<T>& from) {
  if (host_) {
    std::copy(from.begin(), from.end(), host_->data());
    return;
  }
  buffer_.upload(queue, std::span<const T>(from));
  queue.wait();
}

template <class T>
std::vector<T> Numbers<T>::get(Queue& queue) const {
  if (host_) return {host_->data(), host_->data() + host_->size()};
  std::vector<T> numbers(buffer_.size());
  buffer_.download(queue, std::span<T>(numbers));
  queue.wait();
  return numbers;
}

Place place_on(const Device& device, bool host) {
  const DeviceInfo& info = device.info();
  return {device, info.kind != DeviceKind::cpu && !host, info.is_gpu};
}

template struct Matrices<float>;
template struct Matrices<double>;
template Matrices<float> random_matrices(int, int, int, bool);
template Matrices<double> random_matrices(int, int, int, bool);
template class Numbers<float>;
template class Numbers<double>;
template class Numbers<int>;

}  // namespace bifocal::bench
