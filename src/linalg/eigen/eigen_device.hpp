// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <bifocal/linalg.hpp>

namespace bifocal::linalg {

// Computes real_eigenpairs on the queue's device, which is not the CPU. The arguments have been
// checked, and the batch is not empty. Memory may be host memory.
template <class T>
void real_eigenpairs_on_device(Queue& queue, const MatrixBatch<T>& A, const EigenOutput<T>& out,
                               const EigenOptions& options);

// Returns the number of n x n matrices that the device computes at once in a large batch.
[[nodiscard]] int resident_matrices_on_device(const DeviceInfo& device, int n,
                                              std::size_t number_bytes);

}  // namespace bifocal::linalg
