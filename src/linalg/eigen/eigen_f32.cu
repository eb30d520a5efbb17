// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/eigen/eigen_cuda.h"

CUDA_TABLE(eigen_f32) { add_eigen<float>(table); }
