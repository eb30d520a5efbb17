// SPDX-License-Identifier: BSD-3-Clause
// Declarations that the files of the SVD family share: a batch whose arguments were checked, and
// the kernels of the CPU, selected by instruction set.
#pragma once

#include <bifocal/linalg.hpp>

#include "linalg/lanes.hpp"

namespace bifocal::linalg {

// The data of one of the three operations on a batch in host memory.
template <class T>
struct SvdWork {
  View<const T> A;
  // smallest_singular_vector writes its vector to V; symmetric_eigen writes S and V.
  View<T> S, V, U;
  int* status = nullptr;
  int rows = 0, cols = 0, max_sweeps = 0;
};

// Processes matrices [begin, end).
template <class T>
using SvdFunction = void (*)(const SvdWork<T>& work, int begin, int end);

template <class T>
struct SvdFunctions {
  SvdFunction<T> svd, smallest_vector, symmetric;
};
template <class T>
[[nodiscard]] SvdFunctions<T> svd_functions();

// Run on the queue's device, which is not the CPU. The arguments have been checked, and the batch
// is not empty.
template <class T>
void svd_on_device(Queue& queue, const MatrixBatch<T>& A, const SvdOutput<T>& out,
                   const SvdOptions& options);
template <class T>
void smallest_singular_vector_on_device(Queue& queue, const MatrixBatch<T>& A, Memory<T> x,
                                        Memory<int> status);
template <class T>
void symmetric_eigen_on_device(Queue& queue, const MatrixBatch<T>& A,
                               const SymmetricEigenOutput<T>& out, const SvdOptions& options);

}  // namespace bifocal::linalg
