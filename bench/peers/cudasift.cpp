// SPDX-License-Identifier: BSD-3-Clause
// CudaSift (https://github.com/Celebrandil/CudaSift) on images in device memory.
#include <cuda_runtime_api.h>

#include <cmath>
#include <cstddef>
#include <memory>
#include <random>
#include <vector>

#include "gpu_peers.hpp"
#include "peer_memory.hpp"
// These includes come last: they use names of the standard library without including them.
#include <cudaImage.h>
#include <cudaSift.h>

namespace bifocal::bench {
namespace {

// Constants of CudaSift's mainSift.cpp.
constexpr int kOctaves = 5, kSamples = 10000;
constexpr double kBlur = 1;
constexpr float kThreshold = 3, kLeastScore = 0, kMostAmbiguity = 0.8F, kDistance = 5;

class Features {
 public:
  explicit Features(int most) { InitSiftData(data, most, false, true); }
  Features(const Features&) = delete;
  Features& operator=(const Features&) = delete;
  ~Features() { FreeSiftData(data); }
  SiftData data;
};

struct DeviceImage {
  explicit DeviceImage(const ImageU8& from) : pixels(from.pixels.begin(), from.pixels.end()) {
    image.Allocate(from.width, from.height, iAlignUp(from.width, 128), false, nullptr,
                   pixels.data());
    image.Download();
  }
  std::vector<float> pixels;
  CudaImage image;
};

class Detector {
 public:
  Detector(int width, int height, bool upsample)
      : upsample_(upsample),
        memory_(AllocSiftTempMemory(width, height, kOctaves, upsample), FreeSiftTempMemory) {}
  void run(DeviceImage& picture, Features& out) {
    ExtractSift(out.data, picture.image, kOctaves, kBlur, kThreshold, 0, upsample_, memory_.get());
  }

 private:
  bool upsample_;
  std::unique_ptr<float, void (*)(float*)> memory_;
};

void fill(Features& features, int count) {
  std::mt19937 random(static_cast<unsigned>(count));
  std::normal_distribution<float> normal;
  std::vector<SiftPoint> points(static_cast<std::size_t>(count));
  for (SiftPoint& point : points) {
    float square = 0;
    for (float& v : point.data) v = std::abs(normal(random)), square += v * v;
    for (float& v : point.data) v /= std::sqrt(square);
  }
  peer_check(cudaMemcpy(features.data.d_data, points.data(), points.size() * sizeof(SiftPoint),
                        cudaMemcpyHostToDevice));
  features.data.numPts = count;
}

}  // namespace

PeerCall cudasift_features(std::span<const ImageU8> images, int most, bool upsample, int* found) {
  struct Work {
    std::vector<std::unique_ptr<DeviceImage>> pictures;
    Features features;
    Detector detector;
  };
  const std::shared_ptr<Work> work(
      new Work{{}, Features(most), Detector(images[0].width, images[0].height, upsample)});
  for (const ImageU8& image : images)
    work->pictures.push_back(std::make_unique<DeviceImage>(image));
  return [work, found] {
    for (std::size_t i = 0; i < work->pictures.size(); ++i) {
      work->detector.run(*work->pictures[i], work->features);
      if (i == 0) *found = work->features.data.numPts;
    }
    peer_check(cudaDeviceSynchronize());
  };
}

PeerCall cudasift_match(int rows, int columns) {
  struct Work {
    Features first, second;
  };
  const std::shared_ptr<Work> work(new Work{Features(rows), Features(columns)});
  fill(work->first, rows), fill(work->second, columns);
  return [work] {
    MatchSiftData(work->first.data, work->second.data);
    peer_check(cudaDeviceSynchronize());
  };
}

PeerCall cudasift_chain(const ImageU8& first, const ImageU8& second, int most, int* inliers) {
  struct Work {
    DeviceImage first, second;
    Features features1, features2;
    Detector detector;
  };
  const std::shared_ptr<Work> work(new Work{DeviceImage(first), DeviceImage(second), Features(most),
                                            Features(most),
                                            Detector(first.width, first.height, false)});
  return [work, inliers] {
    work->detector.run(work->first, work->features1);
    work->detector.run(work->second, work->features2);
    MatchSiftData(work->features1.data, work->features2.data);
    float homography[9];
    FindHomography(work->features1.data, homography, inliers, kSamples, kLeastScore, kMostAmbiguity,
                   kDistance);
  };
}

}  // namespace bifocal::bench
