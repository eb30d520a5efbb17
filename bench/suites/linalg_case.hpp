// SPDX-License-Identifier: BSD-3-Clause
// Common parts of the cases of svd and eig: batch size, timing and record.
#pragma once

#include <functional>
#include <string>

#include "frame/bench.hpp"
#include "linalg_batches.hpp"
#include "peers/linalg_peers.hpp"

namespace bifocal::bench {

// The configuration of a case of a given size.
struct Variant {
  const char* suffix = "";  // of the case's name
  enum Kind { plain, threads2, host, batch2000, strided } kind = plain;
};
inline constexpr Variant kPlain = {"", Variant::plain};
// On the CPU two threads; on a GPU batches in host memory, small batches, and another layout.
[[nodiscard]] std::vector<Variant> variants_on(const Device& device, bool is_main_size);

// Number of matrices in a batch of n columns: in the cache on a CPU, enough to fill a GPU.
[[nodiscard]] int batch_size(int n, const Place& place, const Variant& variant);
// Number of different matrices.
[[nodiscard]] int different_matrices(int n, int batch);

// `ours` enqueues one call. Times it and the peers, and fills `record`. `task` and `matrices` are
// for the peers.
struct Timing {
  Queue* queue;
  Place place;
  Variant variant;
  int batch;
  std::function<void()> ours;
};
template <class T>
void time_with_peers(Record& record, const Timing& timing, PeerTask task,
                     const Matrices<T>& matrices);

template <class T>
constexpr const char* precision_name() {
  return sizeof(T) == 4 ? "f32" : "f64";
}

}  // namespace bifocal::bench
