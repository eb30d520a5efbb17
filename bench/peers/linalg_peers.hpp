// SPDX-License-Identifier: BSD-3-Clause
// Runs the peers of a case and writes their times into its record.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "frame/bench.hpp"
#include "suites/linalg_batches.hpp"
#include "peers.hpp"

namespace bifocal::bench {

// The peers of a task on the CPU, with memory for their results.
template <class T>
class CpuPeers {
 public:
  CpuPeers(PeerTask task, const Matrices<T>& matrices);
  // One body per peer. On one thread each call takes the next few matrices, about 2 ms of work:
  // calls as short as Bifocal's, because other work on the machine disturbs longer calls more
  // often. On all threads that ThreadLimit allows each call takes all matrices.
  [[nodiscard]] std::vector<std::function<void()>> bodies(bool all_threads);
  // Writes the times of the bodies to the record, in us per matrix: the times of all peers to
  // `extra`, and the shortest time of a fully accurate peer as the reference.
  void report(Record& record, std::span<const Sample> samples, bool all_threads) const;

 private:
  [[nodiscard]] PeerProblem<T> problem();

  const Matrices<T>* matrices_;
  PeerTask task_;
  std::vector<Peer<T>> peers_;
  std::vector<int> matrices_per_call_;
  std::vector<T> S_, V_, U_;
};

// A peer on a GPU, with its matrices in GPU memory. run() solves all `count` matrices and waits.
struct GpuPeer {
  std::string key, name;
  int count;
  std::function<void()> run;
};
// Returns cuSOLVER's batched Jacobi method for a task. Returns no peer if cuSOLVER is not built in
// or not installed, if the device is not a CUDA device, or if it has no method for the task.
template <class T>
std::optional<GpuPeer> cusolver_peer(PeerTask task, const Device& device,
                                     const Matrices<T>& matrices, int count);

// Returns the number of real eigenvalues of each matrix, computed in double by any available peer;
// empty without a peer.
template <class T>
std::vector<int> count_real_eigenvalues(const Matrices<T>& matrices);
// Returns the smallest of the n singular values of each matrix, computed likewise. It is 0 if the
// matrices have fewer rows than columns, also without a peer.
template <class T>
std::vector<double> smallest_singular_values(const Matrices<T>& matrices);

}  // namespace bifocal::bench
