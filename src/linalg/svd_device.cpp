// SPDX-License-Identifier: BSD-3-Clause
// The SVD family on devices other than the CPU.
#include <fmt/format.h>

#include <bifocal/error.hpp>

#include "linalg/svd.hpp"

namespace bifocal::linalg {
namespace {

[[noreturn]] void no_kernel(const char* function, const Queue& queue) {
  const DeviceInfo& device = queue.device().info();
  throw Error(ErrorCode::device, fmt::format("{}: no kernel for {} ({}); give a queue of the cpu",
                                             function, device.id, device.name));
}

}  // namespace

template <class T>
void svd_on_device(Queue& queue, const MatrixBatch<T>&, const SvdOutput<T>&, const SvdOptions&) {
  no_kernel("svd", queue);
}

template <class T>
void smallest_singular_vector_on_device(Queue& queue, const MatrixBatch<T>&, Memory<T>,
                                        Memory<int>) {
  no_kernel("smallest_singular_vector", queue);
}

template <class T>
void symmetric_eigen_on_device(Queue& queue, const MatrixBatch<T>&, const SymmetricEigenOutput<T>&,
                               const SvdOptions&) {
  no_kernel("symmetric_eigen", queue);
}

#define BIFOCAL_SVD_ON_DEVICE(T)                                                             \
  template void svd_on_device(Queue&, const MatrixBatch<T>&, const SvdOutput<T>&,            \
                              const SvdOptions&);                                            \
  template void smallest_singular_vector_on_device(Queue&, const MatrixBatch<T>&, Memory<T>, \
                                                   Memory<int>);                             \
  template void symmetric_eigen_on_device(Queue&, const MatrixBatch<T>&,                     \
                                          const SymmetricEigenOutput<T>&, const SvdOptions&);
BIFOCAL_SVD_ON_DEVICE(float)
BIFOCAL_SVD_ON_DEVICE(double)

}  // namespace bifocal::linalg
