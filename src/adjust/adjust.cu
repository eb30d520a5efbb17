// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/cuda_kernels.h"

namespace {

template <class Real, int Free, class Block>
struct adjust_text {
  static constexpr int FREE = Free, FLOAT_BLOCKS = sizeof(Block) == 4;
  using block = Block;
  static bifocal::runtime::Constants constants() {
    return {{"FREE", FREE}, {"FLOAT_BLOCKS", FLOAT_BLOCKS}, {"REAL_IS_FLOAT", 0}};
  }
#include "lane/cuda_begin.h"
#include "adjust/adjust.list"
#include "lane/cpp_end.h"
};

CUDA_KERNELS(ADJUST_KERNELS)

template <int Free>
void add_free(bifocal::runtime::CudaTable& table) {
  CUDA_VARIANT(adjust, ADJUST_KERNELS, adjust_text<double, Free, double>)
  CUDA_VARIANT(adjust, ADJUST_KERNELS, adjust_text<double, Free, float>)
}

}  // namespace

CUDA_TABLE(adjust) {
  add_free<0>(table);
  add_free<2>(table);
  add_free<3>(table);
  add_free<4>(table);
  add_free<12>(table);
}
