// SPDX-License-Identifier: BSD-3-Clause
// cuSOLVER's batched Jacobi SVD and symmetric eigensolver, opened at run time, so that the program
// also starts without the library.
#include <cuda_runtime_api.h>
#include <cusolverDn.h>
#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <type_traits>

#include "linalg_peers.hpp"

namespace bifocal::bench {
namespace {

void* open_cusolver() {
  static void* const library = [] {
    // The library version of the header; also looked for in the toolkit's folder if the loader does
    // not find it.
    const std::string name = fmt::format("libcusolver.so.{}", CUSOLVER_VER_MAJOR);
    for (const std::string& folder : {std::string(), std::string("/usr/local/cuda/lib64/")}) {
      if (void* found = dlopen((folder + name).c_str(), RTLD_NOW | RTLD_LOCAL)) return found;
    }
    return static_cast<void*>(nullptr);
  }();
  return library;
}

template <class Signature>
Signature* function(const char* name) {
  return reinterpret_cast<Signature*>(dlsym(open_cusolver(), name));
}
// Selects the function of precision T from its two declarations.
#define CUSOLVER_FUNCTION(T, name)                                                    \
  (function<std::conditional_t<std::is_same_v<T, float>, decltype(cusolverDnS##name), \
                               decltype(cusolverDnD##name)>>(                         \
      std::is_same_v<T, float> ? "cusolverDnS" #name : "cusolverDnD" #name))
#define CUSOLVER_PLAIN(name) (function<decltype(name)>(#name))

std::string version_text() {
  int part[3] = {0, 0, 0};
  const auto get = CUSOLVER_PLAIN(cusolverGetProperty);
  if (!get) return "cuSOLVER";
  get(MAJOR_VERSION, &part[0]), get(MINOR_VERSION, &part[1]), get(PATCH_LEVEL, &part[2]);
  return fmt::format("cuSOLVER {}.{}.{}", part[0], part[1], part[2]);
}

// One problem with its memory on the device; all work is in the default stream.
template <class T>
class BatchedJacobi {
 public:
  BatchedJacobi(PeerTask task, const Device& device, const Matrices<T>& matrices, int count)
      : symmetric_(task == PeerTask::symmetric), m_(matrices.m), n_(matrices.n), count_(count) {
    Queue queue(device);
    const auto numbers = [&](int each) {
      return Buffer<T>(device, static_cast<std::size_t>(each) * static_cast<std::size_t>(count));
    };
    original_ = numbers(m_ * n_), A_ = numbers(m_ * n_);
    S_ = numbers(n_), U_ = numbers(m_ * m_), V_ = numbers(n_ * n_);
    info_ = Buffer<int>(device, static_cast<std::size_t>(count));
    const std::vector<T> host = matrices.repeated(count);
    original_.upload(queue, std::span<const T>(host));
    queue.wait();
    ok_ = prepare(device);
  }
  ~BatchedJacobi() {
    if (svd_) CUSOLVER_PLAIN(cusolverDnDestroyGesvdjInfo)(svd_);
    if (eigen_) CUSOLVER_PLAIN(cusolverDnDestroySyevjInfo)(eigen_);
    if (handle_) CUSOLVER_PLAIN(cusolverDnDestroy)(handle_);
  }
  BatchedJacobi(const BatchedJacobi&) = delete;
  BatchedJacobi& operator=(const BatchedJacobi&) = delete;

  [[nodiscard]] bool ok() const { return ok_; }

  // The solver overwrites its input. The copy that restores it is part of every run, and short
  // compared with it.
  bool run() {
    cudaMemcpyAsync(A_.data(), original_.data(), A_.size() * sizeof(T), cudaMemcpyDeviceToDevice);
    const cusolverStatus_t status = symmetric_ ? solve_symmetric() : solve_svd();
    return cudaDeviceSynchronize() == cudaSuccess && status == CUSOLVER_STATUS_SUCCESS;
  }

 private:
  bool prepare(const Device& device) {
    if (CUSOLVER_PLAIN(cusolverDnCreate)(&handle_) != CUSOLVER_STATUS_SUCCESS) return false;
    int size = 0;
    cusolverStatus_t status;
    if (symmetric_) {
      CUSOLVER_PLAIN(cusolverDnCreateSyevjInfo)(&eigen_);
      status = CUSOLVER_FUNCTION(T, syevjBatched_bufferSize)(handle_, CUSOLVER_EIG_MODE_VECTOR,
                                                             CUBLAS_FILL_MODE_LOWER, n_, A_.data(),
                                                             n_, S_.data(), &size, eigen_, count_);
    } else {
      CUSOLVER_PLAIN(cusolverDnCreateGesvdjInfo)(&svd_);
      status = CUSOLVER_FUNCTION(T, gesvdjBatched_bufferSize)(
          handle_, CUSOLVER_EIG_MODE_VECTOR, m_, n_, A_.data(), m_, S_.data(), U_.data(), m_,
          V_.data(), n_, &size, svd_, count_);
    }
    if (status != CUSOLVER_STATUS_SUCCESS) return false;
    work_size_ = size;
    work_ = Buffer<T>(device, static_cast<std::size_t>(std::max(size, 1)));
    return run();
  }
  cusolverStatus_t solve_svd() {
    return CUSOLVER_FUNCTION(T, gesvdjBatched)(
        handle_, CUSOLVER_EIG_MODE_VECTOR, m_, n_, A_.data(), m_, S_.data(), U_.data(), m_,
        V_.data(), n_, work_.data(), work_size_, info_.data(), svd_, count_);
  }
  cusolverStatus_t solve_symmetric() {
    return CUSOLVER_FUNCTION(T, syevjBatched)(
        handle_, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_LOWER, n_, A_.data(), n_, S_.data(),
        work_.data(), work_size_, info_.data(), eigen_, count_);
  }

  bool symmetric_;
  int m_, n_, count_, work_size_ = 0;
  Buffer<T> original_, A_, S_, U_, V_, work_;
  Buffer<int> info_;
  cusolverDnHandle_t handle_ = nullptr;
  gesvdjInfo_t svd_ = nullptr;
  syevjInfo_t eigen_ = nullptr;
  bool ok_ = false;
};

}  // namespace

template <class T>
std::optional<GpuPeer> cusolver_peer(PeerTask task, const Device& device,
                                     const Matrices<T>& matrices, int count) {
  const bool can =
      task == PeerTask::svd_right || task == PeerTask::svd_both || task == PeerTask::symmetric;
  if (!can || device.info().kind != DeviceKind::cuda || !open_cusolver()) return {};
  const std::string id = device.info().id;  // "cuda:0"
  if (cudaSetDevice(std::stoi(id.substr(id.find(':') + 1))) != cudaSuccess) return {};
  const auto solver = std::make_shared<BatchedJacobi<T>>(task, device, matrices, count);
  if (!solver->ok()) return {};
  const char* const what = task == PeerTask::symmetric ? "syevjBatched" : "gesvdjBatched";
  return GpuPeer{fmt::format("cusolver_{}", what), fmt::format("{} {}", version_text(), what),
                 count, [solver] { solver->run(); }};
}

template std::optional<GpuPeer> cusolver_peer(PeerTask, const Device&, const Matrices<float>&, int);
template std::optional<GpuPeer> cusolver_peer(PeerTask, const Device&, const Matrices<double>&,
                                              int);

}  // namespace bifocal::bench
