// SPDX-License-Identifier: BSD-3-Clause
// The files of the SVD family share this: a batch after its arguments were checked, and the kernels
// of the CPU, chosen by instruction set.
#pragma once

#include <bifocal/linalg.hpp>

#include "linalg/lanes.hpp"

namespace bifocal::linalg {

// This is one of the three operations on a batch in the memory of the CPU.
template <class T>
struct SvdWork {
  View<const T> A;
  View<T> S, V, U;  // of smallest_singular_vector: V its vector; of symmetric_eigen: S, V
  int* status = nullptr;
  int rows = 0, cols = 0, max_sweeps = 0;
};

// Does matrices [begin, end).
template <class T>
using SvdFunction = void (*)(const SvdWork<T>& work, int begin, int end);

template <class T>
struct SvdFunctions {
  SvdFunction<T> svd, smallest_vector, symmetric;
};
template <class T>
[[nodiscard]] SvdFunctions<T> svd_functions();

// This runs on the queue's device, which is not the CPU; arguments have been checked, and there is
// work.
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
