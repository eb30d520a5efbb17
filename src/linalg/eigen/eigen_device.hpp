// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <bifocal/linalg.hpp>

namespace bifocal::linalg {

// Computes real_eigenpairs on the queue's device, which is not the CPU. The arguments have been
// checked, and the batch is not empty. Memory may be host memory.
template <class T>
void real_eigenpairs_on_device(Queue& queue, const MatrixBatch<T>& A, const EigenOutput<T>& out,
                               const EigenOptions& options);

}  // namespace bifocal::linalg
