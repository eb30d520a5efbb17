// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/svd/svd_cuda.h"

CUDA_TABLE(svd_f64) {
  add_svd_threads<svd_threads_source<double, 3, 128, 4>>(table);
  add_svd_teams<svd_teams_source<double, 8, 8, 1, 4>>(table);
#ifndef BIFOCAL_FEW_CUDA_VARIANTS
  add_svd_threads<svd_threads_source<double, 1, 128, 4>>(table);
  add_svd_threads<svd_threads_source<double, 2, 128, 4>>(table);
  add_svd_threads<svd_threads_source<double, 4, 128, 3>>(table);
  add_svd_threads<svd_threads_source<double, 5, 128, 2>>(table);
  add_svd_threads<svd_threads_source<double, 6, 128, 2>>(table);
  add_svd_teams<svd_teams_source<double, 10, 8, 1, 3>>(table);
  add_svd_teams<svd_teams_source<double, 10, 16, 1, 3>>(table);
  add_svd_teams<svd_teams_source<double, 16, 8, 1, 2>>(table);
  add_svd_teams<svd_teams_source<double, 20, 8, 2, 2>>(table);
  add_svd_teams<svd_teams_source<double, 24, 8, 2, 2>>(table);
  add_svd_teams<svd_teams_source<double, 32, 8, 4, 2>>(table);
#endif
}
