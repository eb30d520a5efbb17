// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/svd/svd_cuda.h"

CUDA_TABLE(svd_f32) {
  add_svd_threads<svd_threads_source<float, 3, 128, 8>>(table);
  add_svd_teams<svd_teams_source<float, 8, 8, 1, 4>>(table);
#ifndef BIFOCAL_FEW_CUDA_VARIANTS
  add_svd_threads<svd_threads_source<float, 1, 128, 8>>(table);
  add_svd_threads<svd_threads_source<float, 2, 128, 8>>(table);
  add_svd_threads<svd_threads_source<float, 4, 128, 4>>(table);
  add_svd_threads<svd_threads_source<float, 5, 128, 3>>(table);
  add_svd_threads<svd_threads_source<float, 6, 128, 3>>(table);
  add_svd_threads<svd_threads_source<float, 7, 128, 2>>(table);
  add_svd_threads<svd_threads_source<float, 8, 128, 2>>(table);
  add_svd_threads<svd_threads_source<float, 9, 64, 4>>(table);
  add_svd_teams<svd_teams_source<float, 10, 8, 1, 4>>(table);
  add_svd_teams<svd_teams_source<float, 12, 4, 2, 4>>(table);
  add_svd_teams<svd_teams_source<float, 16, 4, 2, 4>>(table);
  add_svd_teams<svd_teams_source<float, 20, 8, 2, 4>>(table);
  add_svd_teams<svd_teams_source<float, 24, 8, 2, 3>>(table);
  add_svd_teams<svd_teams_source<float, 32, 8, 2, 2>>(table);
#endif
}
