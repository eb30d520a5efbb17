// SPDX-License-Identifier: BSD-3-Clause
// Memory of a CUDA device for peers, which share no code with the library.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <span>
#include <stdexcept>

namespace bifocal::bench {

inline void peer_check(cudaError_t error) {
  if (error != cudaSuccess) throw std::runtime_error(cudaGetErrorString(error));
}

template <class T>
class PeerMemory {
 public:
  explicit PeerMemory(std::size_t size) {
    peer_check(cudaMalloc(reinterpret_cast<void**>(&data_), size * sizeof(T)));
  }
  explicit PeerMemory(std::span<const T> values) : PeerMemory(values.size()) {
    peer_check(cudaMemcpy(data_, values.data(), values.size_bytes(), cudaMemcpyHostToDevice));
  }
  PeerMemory(const PeerMemory&) = delete;
  PeerMemory& operator=(const PeerMemory&) = delete;
  ~PeerMemory() { cudaFree(data_); }
  [[nodiscard]] T* data() const { return data_; }

 private:
  T* data_ = nullptr;
};

}  // namespace bifocal::bench
