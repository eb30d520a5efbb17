// SPDX-License-Identifier: BSD-3-Clause
#include "linalg_case.hpp"

#include <bifocal/device.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>

namespace bifocal::bench {
namespace {

constexpr double kMicro = 1e6;

void set_value(Record& record, const Sample& sample, int matrices) {
  record.unit = "us/matrix";
  record.value = sample.median * kMicro / matrices;
  record.mad = sample.mad * kMicro / matrices;
  record.runs = sample.runs;
  record.extra["batch"] = matrices;
  record.extra["matrices_per_s"] = matrices / sample.median;
}

// Times on the CPU, where a call returns when its work is done.
template <class T>
void time_on_cpu(Record& record, const Timing& timing, CpuPeers<T>& peers) {
  std::vector<std::function<void()>> bodies = {timing.ours};
  if (timing.variant.kind == Variant::threads2) {
    const auto with_threads = [&timing](int threads) {
      const ThreadLimit limit(threads);
      timing.ours();
    };
    const auto [two, one] = measure_pair([&] { with_threads(2); }, [&] { with_threads(1); }, 15);
    set_value(record, two, timing.batch);
    record.reference = Reference{"the same, 1 thread", one.median * kMicro / timing.batch};
    return;
  }
  const ThreadLimit one(1);
  const std::vector<std::function<void()>> others = peers.bodies(false);
  bodies.insert(bodies.end(), others.begin(), others.end());
  const std::vector<Sample> samples = measure_interleaved(bodies, 9);
  set_value(record, samples[0], timing.batch);
  peers.report(record, std::span(samples).subspan(1), false);
}

// Number of calls between two waits: 5 ms of work, so that the wait is negligible.
int calls_per_wait(const Timing& timing) {
  const auto once = [&](int calls) {
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < calls; ++i) timing.ours();
    timing.queue->wait();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  once(1);  // builds kernels, plans workspaces
  const double more = std::max(once(8) / 8, 1e-7);
  return static_cast<int>(std::clamp(std::ceil(5e-3 / more), 1.0, 1000.0));
}

}  // namespace

std::vector<Variant> variants_on(const Device& device, bool is_main_size) {
  if (!is_main_size) return {kPlain};
  if (device.info().kind == DeviceKind::cpu) {
    return {kPlain, {"/threads2", Variant::threads2}, {"/strided", Variant::strided}};
  }
  return {kPlain,
          {"/host", Variant::host},
          {"/batch2000", Variant::batch2000},
          {"/strided", Variant::strided}};
}

int batch_size(int n, const Place& place, const Variant& variant) {
  if (variant.kind == Variant::batch2000) return 2000;
  if (place.gpu) {
    return n <= 10 ? 1000000 : n <= 20 ? 200000 : n <= 32 ? 100000 : n <= 64 ? 20000 : 4000;
  }
  // No powers of two, because the elements of a matrix would compete for one set of the cache.
  const int one = n <= 10 ? 1008 : n <= 16 ? 496 : n <= 20 ? 336 : n <= 32 ? 208 : 48;
  return variant.kind == Variant::threads2 ? 4 * one : one;
}

int different_matrices(int n, int batch) {
  return std::min(batch, n <= 32 ? 5040 : n <= 64 ? 504 : 126);
}

template <class T>
void time_with_peers(Record& record, const Timing& timing, PeerTask task,
                     const Matrices<T>& matrices) {
  const Device& device = timing.place.device;
  record.device = device.info().id;
  CpuPeers<T> peers(task, matrices);
  if (device.info().kind == DeviceKind::cpu) return time_on_cpu(record, timing, peers);

  const int calls = calls_per_wait(timing);
  Sample sample = measure([&] {
    for (int i = 0; i < calls; ++i) timing.ours();
    timing.queue->wait();
  });
  sample.median /= calls, sample.mad /= calls;
  set_value(record, sample, timing.batch);
  record.extra["calls_per_wait"] = calls;

  if (const auto peer = cusolver_peer(task, device, matrices, timing.batch)) {
    const double value = measure(peer->run, 5).median * kMicro / peer->count;
    record.extra[peer->key + "_us"] = value;
    record.reference = Reference{peer->name, value};
  } else {
    const auto bodies = peers.bodies(true);
    if (!bodies.empty()) peers.report(record, measure_interleaved(bodies, 5), true);
  }
}

template void time_with_peers(Record&, const Timing&, PeerTask, const Matrices<float>&);
template void time_with_peers(Record&, const Timing&, PeerTask, const Matrices<double>&);

}  // namespace bifocal::bench
