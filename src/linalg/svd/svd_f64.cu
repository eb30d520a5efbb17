// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/svd/svd_cuda.cuh"

namespace bifocal::linalg {

template <>
const void* svd_cuda_function<double>(int n, const SvdMapping& m) {
  BIFOCAL_SVD_REGISTERS(double, 1, 128, 4)
  BIFOCAL_SVD_REGISTERS(double, 2, 128, 4)
  BIFOCAL_SVD_REGISTERS(double, 3, 128, 4)
  BIFOCAL_SVD_REGISTERS(double, 4, 128, 3)
  BIFOCAL_SVD_REGISTERS(double, 5, 128, 2)
  BIFOCAL_SVD_REGISTERS(double, 6, 128, 2)
  BIFOCAL_SVD_COLUMNS(double, 8, 8, 1, 4)
  BIFOCAL_SVD_COLUMNS(double, 10, 8, 1, 3)
  BIFOCAL_SVD_COLUMNS(double, 10, 16, 1, 3)
  BIFOCAL_SVD_COLUMNS(double, 16, 8, 1, 2)
  BIFOCAL_SVD_COLUMNS(double, 20, 8, 2, 2)
  BIFOCAL_SVD_COLUMNS(double, 24, 8, 2, 2)
  BIFOCAL_SVD_COLUMNS(double, 32, 8, 4, 2)
  return nullptr;
}

}  // namespace bifocal::linalg
