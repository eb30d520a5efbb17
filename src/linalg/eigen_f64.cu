// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/eigen_cuda.cuh"

namespace bifocal::linalg {

template const void* eigen_cuda_function<double>(int, const EigenMapping&);

}  // namespace bifocal::linalg
