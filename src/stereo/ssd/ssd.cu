// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/cuda_kernels.h"

namespace {

template <class Real, int Window>
struct ssd_source {
  static constexpr int GROUP_SIZE = 256, WINDOW = Window;
  using kernel_int2 = int2;
  static bifocal::runtime::Constants constants() { return {{"WINDOW", WINDOW}}; }
#define LANE_GROUP_WIDTH 256
#include "lane/cuda_begin.h"
#include "stereo/ssd/ssd.list"
#include "lane/cpp_end.h"
};
static_assert(ssd_source<float, 3>::GROUP_SIZE == ssd_source<float, 3>::SSD_FINISH_THREADS);

CUDA_KERNELS(SSD_KERNELS)

template <int... Windows>
void add_windows(bifocal::runtime::CudaTable& table) {
  const auto add = [&]<class Source>(Source) { CUDA_VARIANT(ssd, SSD_KERNELS, Source) };
  (add(ssd_source<float, Windows>()), ...);
}

}  // namespace

CUDA_TABLE(ssd) {
#ifdef BIFOCAL_FEW_CUDA_VARIANTS
  add_windows<5, 11, 15>(table);
#else
  add_windows<3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31>(table);
#endif
}
