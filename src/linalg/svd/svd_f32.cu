// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/svd/svd_cuda.cuh"

namespace bifocal::linalg {

template <>
const void* svd_cuda_function<float>(int n, const SvdMapping& m) {
  BIFOCAL_SVD_REGISTERS(float, 1, 128, 8)
  BIFOCAL_SVD_REGISTERS(float, 2, 128, 8)
  BIFOCAL_SVD_REGISTERS(float, 3, 128, 8)
  BIFOCAL_SVD_REGISTERS(float, 4, 128, 4)
  BIFOCAL_SVD_REGISTERS(float, 5, 128, 3)
  BIFOCAL_SVD_REGISTERS(float, 6, 128, 3)
  BIFOCAL_SVD_REGISTERS(float, 7, 128, 2)
  BIFOCAL_SVD_REGISTERS(float, 8, 128, 2)
  BIFOCAL_SVD_REGISTERS(float, 9, 64, 4)
  BIFOCAL_SVD_COLUMNS(float, 8, 8, 1, 4)
  BIFOCAL_SVD_COLUMNS(float, 10, 8, 1, 4)
  BIFOCAL_SVD_COLUMNS(float, 12, 4, 2, 4)
  BIFOCAL_SVD_COLUMNS(float, 16, 4, 2, 4)
  BIFOCAL_SVD_COLUMNS(float, 20, 8, 2, 4)
  BIFOCAL_SVD_COLUMNS(float, 24, 8, 2, 3)
  BIFOCAL_SVD_COLUMNS(float, 32, 8, 2, 2)
  return nullptr;
}

}  // namespace bifocal::linalg
