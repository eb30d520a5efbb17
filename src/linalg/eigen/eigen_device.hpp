// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <bifocal/linalg.hpp>

namespace bifocal::linalg {

// This runs on the queue's device, which is not the CPU; arguments have been checked, and there is
// work. Memory may be the host's.
template <class T>
void real_eigenpairs_on_device(Queue& queue, const MatrixBatch<T>& A, const EigenOutput<T>& out,
                               const EigenOptions& options);

}  // namespace bifocal::linalg
