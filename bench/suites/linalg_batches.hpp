// SPDX-License-Identifier: BSD-3-Clause
// Batches of matrices for the suites svd and eig, in the layouts of Bifocal and of the peers.
#pragma once

#include <bifocal/linalg.hpp>

#include <memory>
#include <vector>

namespace bifocal::bench {

// `count` different matrices with independent normal entries, column-major and consecutive, the
// input of peers.
template <class T>
struct Matrices {
  int m = 0, n = 0, count = 0;
  std::vector<T> columns;

  [[nodiscard]] const T* operator[](int b) const {
    return columns.data() + static_cast<std::ptrdiff_t>(b) * m * n;
  }
  // The same matrices in the interleaved layout, repeated cyclically up to `total`.
  [[nodiscard]] std::vector<T> interleaved(int total) const;
  // Consecutive, row-major.
  [[nodiscard]] std::vector<T> strided(int total) const;
  // Consecutive, column-major, for peers on GPUs.
  [[nodiscard]] std::vector<T> repeated(int total) const;
};
template <class T>
[[nodiscard]] Matrices<T> random_matrices(int m, int n, int count, bool symmetric = false);

// Numbers in the memory of a device, or of the host (page-locked if a GPU copies from it).
template <class T>
class Numbers {
 public:
  Numbers() = default;
  Numbers(const Device& device, std::size_t size, bool resident) {
    if (resident) {
      buffer_ = Buffer<T>(device, size);
    } else {
      host_ = std::make_unique<HostBuffer<T>>(device, size);
    }
  }
  void set(Queue& queue, const std::vector<T>& from);
  [[nodiscard]] std::vector<T> get(Queue& queue) const;
  [[nodiscard]] Memory<T> memory() const {
    if (host_) return Memory<T>(host_->data());
    return buffer_.size() > 0 ? Memory<T>(buffer_) : Memory<T>();
  }
  [[nodiscard]] Memory<const T> input() const {
    if (host_) return Memory<const T>(host_->data());
    return Memory<const T>(buffer_);
  }

 private:
  Buffer<T> buffer_;
  std::unique_ptr<HostBuffer<T>> host_;
};

// The device of a case and its batch size.
struct Place {
  Device device;
  bool resident = false;  // in device memory; else host memory
  bool gpu = false;
};
// `host`: a GPU's batch in host memory.
[[nodiscard]] Place place_on(const Device& device, bool host = false);

}  // namespace bifocal::bench
