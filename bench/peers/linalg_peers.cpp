// SPDX-License-Identifier: BSD-3-Clause
#include "linalg_peers.hpp"

#include <fmt/format.h>
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <chrono>

namespace bifocal::bench {
namespace {

template <class T>
std::vector<Peer<T>> all_peers(PeerTask task, int m, int n) {
  Peer<T> found[kMostPeers];
  std::vector<Peer<T>> peers;
  peers.insert(peers.end(), found, found + eigen_svd_peers<T>(task, m, n, found));
  peers.insert(peers.end(), found, found + eigen_eig_peers<T>(task, m, n, found));
  peers.insert(peers.end(), found, found + lapack_peers<T>(task, m, n, found));
  return peers;
}

template <class T>
Matrices<double> in_double(const Matrices<T>& matrices) {
  return {
      matrices.m, matrices.n, matrices.count, {matrices.columns.begin(), matrices.columns.end()}};
}

// Results of the first peer of a task.
struct Truth {
  std::vector<double> S, V, U;
};
std::optional<Truth> solve_in_double(PeerTask task, const Matrices<double>& matrices) {
  const std::vector<Peer<double>> peers = all_peers<double>(task, matrices.m, matrices.n);
  if (peers.empty()) return {};
  const auto n = static_cast<std::size_t>(matrices.n),
             count = static_cast<std::size_t>(matrices.count);
  Truth truth{std::vector<double>(n * count), std::vector<double>(n * n * count),
              std::vector<double>(n * count)};
  const PeerProblem<double> problem{matrices.columns.data(),
                                    matrices.m,
                                    matrices.n,
                                    truth.S.data(),
                                    truth.V.data(),
                                    task == PeerTask::eigenpairs ? truth.U.data() : nullptr};
  peers.back().run(problem, 0, matrices.count);
  return truth;
}

// Number of matrices that a peer solves in the given seconds.
template <class T>
int matrices_in(double seconds, void (*run)(const PeerProblem<T>&, int, int),
                const PeerProblem<T>& p, int count) {
  const int few = std::min(count, 8);
  double shortest = seconds;
  for (int i = 0; i < 4; ++i) {
    const auto start = std::chrono::steady_clock::now();
    run(p, 0, few);
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    shortest = std::min(shortest, taken.count());
  }
  return std::clamp(static_cast<int>(seconds / std::max(shortest, 1e-7) * few), 1, count);
}

}  // namespace

template <class T>
CpuPeers<T>::CpuPeers(PeerTask task, const Matrices<T>& matrices)
    : matrices_(&matrices), task_(task), peers_(all_peers<T>(task, matrices.m, matrices.n)) {
  const auto m = static_cast<std::size_t>(matrices.m), n = static_cast<std::size_t>(matrices.n);
  const auto count = static_cast<std::size_t>(matrices.count);
  S_.resize(n * count);
  V_.resize(n * n * count);
  U_.resize(std::max(m * n, n) * count);
}

template <class T>
PeerProblem<T> CpuPeers<T>::problem() {
  const bool with_U = task_ == PeerTask::svd_both || task_ == PeerTask::eigenpairs;
  return {matrices_->columns.data(),   matrices_->m, matrices_->n, S_.data(), V_.data(),
          with_U ? U_.data() : nullptr};
}

template <class T>
std::vector<std::function<void()>> CpuPeers<T>::bodies(bool all_threads) {
  std::vector<std::function<void()>> list;
  matrices_per_call_.clear();
  for (const Peer<T>& peer : peers_) {
    const auto run = peer.run;
    const PeerProblem<T> p = problem();
    const int count = matrices_->count;
    if (all_threads) {
      matrices_per_call_.push_back(count);
      list.emplace_back([run, p, count] {
        tbb::parallel_for(tbb::blocked_range<int>(0, count),
                          [&](const tbb::blocked_range<int>& r) { run(p, r.begin(), r.end()); });
      });
      continue;
    }
    const int each = matrices_in(2e-3, run, p, count);
    matrices_per_call_.push_back(each);
    list.emplace_back([run, p, count, each, next = 0]() mutable {
      if (next + each > count) next = 0;
      run(p, next, next + each);
      next += each;
    });
  }
  return list;
}

template <class T>
void CpuPeers<T>::report(Record& record, std::span<const Sample> samples, bool all_threads) const {
  for (std::size_t i = 0; i < peers_.size(); ++i) {
    const double value = samples[i].median * 1e6 / matrices_per_call_[i];
    const std::string threads =
        all_threads ? fmt::format(", {} threads", tbb::this_task_arena::max_concurrency()) : "";
    record.extra[std::string(peers_[i].key) + "_us"] = value;
    if (peers_[i].less_accurate) continue;
    if (!record.reference || value < record.reference->value) {
      record.reference = Reference{peers_[i].name + threads, value};
    }
  }
}

template <class T>
std::vector<int> count_real_eigenvalues(const Matrices<T>& matrices) {
  const auto truth = solve_in_double(PeerTask::eigenpairs, in_double(matrices));
  std::vector<int> counts;
  for (int b = 0; truth && b < matrices.count; ++b) {
    const auto first = truth->U.begin() + static_cast<std::ptrdiff_t>(b) * matrices.n;
    counts.push_back(static_cast<int>(std::count(first, first + matrices.n, 0.0)));
  }
  return counts;
}

template <class T>
std::vector<double> smallest_singular_values(const Matrices<T>& matrices) {
  const auto count = static_cast<std::size_t>(matrices.count);
  if (matrices.m < matrices.n) return std::vector<double>(count, 0.0);
  const auto truth = solve_in_double(PeerTask::svd_right, in_double(matrices));
  std::vector<double> values;
  for (std::size_t b = 0; truth && b < count; ++b) {
    values.push_back(truth->S[(b + 1) * static_cast<std::size_t>(matrices.n) - 1]);
  }
  return values;
}

#ifndef BIFOCAL_PEER_CUSOLVER
template <class T>
std::optional<GpuPeer> cusolver_peer(PeerTask, const Device&, const Matrices<T>&, int) {
  return {};
}
template std::optional<GpuPeer> cusolver_peer(PeerTask, const Device&, const Matrices<float>&, int);
template std::optional<GpuPeer> cusolver_peer(PeerTask, const Device&, const Matrices<double>&,
                                              int);
#endif

template class CpuPeers<float>;
template class CpuPeers<double>;
template std::vector<int> count_real_eigenvalues(const Matrices<float>&);
template std::vector<int> count_real_eigenvalues(const Matrices<double>&);
template std::vector<double> smallest_singular_values(const Matrices<float>&);
template std::vector<double> smallest_singular_values(const Matrices<double>&);

}  // namespace bifocal::bench
