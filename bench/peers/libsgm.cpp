// SPDX-License-Identifier: BSD-3-Clause
// libSGM (https://github.com/fixstars/libSGM) on a pair in device memory.
#include <cuda_runtime_api.h>
#include <libsgm.h>

#include <memory>

#include "gpu_peers.hpp"
#include "peer_memory.hpp"

namespace bifocal::bench {

PeerCall libsgm_frames(const ImageU8& left, const ImageU8& right, int disparities, int paths,
                       int frames) {
  struct Work {
    PeerMemory<std::uint8_t> left, right;
    PeerMemory<std::uint16_t> out;
    sgm::StereoSGM matcher;
  };
  sgm::StereoSGM::Parameters parameters;
  parameters.subpixel = true;
  parameters.path_type = paths == 4 ? sgm::PathType::SCAN_4PATH : sgm::PathType::SCAN_8PATH;
  const std::shared_ptr<Work> work(new Work{
      PeerMemory<std::uint8_t>(left.pixels),
      PeerMemory<std::uint8_t>(right.pixels),
      PeerMemory<std::uint16_t>(left.pixels.size()),
      {left.width, left.height, disparities, 8, 16, sgm::EXECUTE_INOUT_CUDA2CUDA, parameters}});
  return [work, frames] {
    for (int i = 0; i < frames; ++i)
      work->matcher.execute(work->left.data(), work->right.data(), work->out.data());
    peer_check(cudaDeviceSynchronize());
  };
}

}  // namespace bifocal::bench
