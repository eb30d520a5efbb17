// SPDX-License-Identifier: BSD-3-Clause
// The kernels of kernels.hpp for CUDA.
namespace bifocal::test {
namespace {

__global__ void combine(const float* x, float* y, float a, double k, long long shift, int n) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n)
    y[i] = (a != 0 ? a * y[i] : 0.0f) + (x ? x[i] : 0.0f) + static_cast<float>(k) +
           static_cast<float>(shift) + 1;
}

__global__ void sum_groups(const float* x, float* sums, int n) {
  extern __shared__ float scratch[];
  const int l = static_cast<int>(threadIdx.x), i = static_cast<int>(blockIdx.x * blockDim.x) + l;
  scratch[l] = i < n ? x[i] : 0.0f;
  __syncthreads();
  for (int o = static_cast<int>(blockDim.x) / 2; o > 0; o /= 2) {
    if (l < o) scratch[l] += scratch[l + o];
    __syncthreads();
  }
  if (l == 0) sums[blockIdx.x] = scratch[0];
}

}  // namespace

const void* cuda_combine() { return reinterpret_cast<const void*>(&combine); }
const void* cuda_sum_groups() { return reinterpret_cast<const void*>(&sum_groups); }

}  // namespace bifocal::test
