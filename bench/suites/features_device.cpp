// SPDX-License-Identifier: BSD-3-Clause
// SIFT and SURF on a GPU, of resident images: a single image, and many of one size. RootSIFT is
// compared with CudaSift if it is built in.
#include <fmt/format.h>

#include <algorithm>

#include <bifocal/matching.hpp>
#include <bifocal/robust.hpp>

#include "features/sift/sift_device.hpp"
#include "features/surf/surf_device.hpp"
#include "features_suite.hpp"
#include "peers/gpu_peers.hpp"
#include "runtime/recording.hpp"

namespace bifocal::bench {
namespace {

struct Shape {
  int width, height;
  bool upsample;
  int max_features, batch;
  int finest;  // cells of the texture, px: with 8 the cap is reached
  double contrast = SiftOptions{}.contrast_threshold;
};
// The second image has 3,700 points, the third three times as many, of which 3,700 are kept.
constexpr Shape kShapes[] = {
    {1920, 1080, false, 3700, 16, 16}, {1920, 1080, false, 8192, 16, 8, 0.09},
    {1920, 1080, false, 3700, 16, 8},  {1600, 1200, true, 8192, 16, 8},
    {1600, 1200, false, 8192, 16, 8},  {800, 640, true, 8192, 16, 16}};

// Images and buffers of their features.
struct Resident {
  Buffer<std::uint8_t> images;
  features::FeatureOutput out;

  Resident(Queue& queue, const std::vector<ImageU8>& pictures, int most) {
    const Device& device = queue.device();
    const auto places = pictures.size() * static_cast<std::size_t>(most);
    std::vector<std::uint8_t> all;
    for (const ImageU8& p : pictures) all.insert(all.end(), p.pixels.begin(), p.pixels.end());
    images = Buffer<std::uint8_t>(device, all.size());
    images.upload(queue, all);
    out = {Buffer<Keypoint>(device, places),
           Buffer<std::uint8_t>(device, places * kDescriptorBytes),
           Buffer<int>(device, pictures.size()),
           0,
           0,
           most,
           Buffer<KeypointShape>(device, places)};
    queue.wait();
  }
};

features::SiftDevice detector_of(Queue& queue, const Shape& s, const SiftOptions& options,
                                 int batch, std::size_t memory) {
  return {queue, s.width, s.height, options, batch, 0, memory};
}
features::SurfDevice detector_of(Queue& queue, const Shape& s, const SurfOptions& options,
                                 int batch, std::size_t) {
  return {queue, s.width, s.height, options, batch};
}

// memory: bytes that SIFT of an image may take; 0: unlimited.
template <class Options>
void time_batch(Context& context, const Device& device, const char* method, const Shape& s,
                const Options& options, int batch, std::size_t memory = 0) {
  const std::string name = fmt::format("features/{}/{}x{}{}{}{}{}/{}", method, s.width, s.height,
                                       s.upsample ? "/doubled" : "", s.finest < 16 ? "/fine" : "",
                                       s.contrast != Shape{}.contrast ? "/strong" : "",
                                       options.balance > 0 ? "/balanced" : "",
                                       batch == 1 ? "resident" : fmt::format("batch{}", batch));
  if (!context.wanted(name)) return;
  Queue queue(device);
  std::vector<ImageU8> pictures;
  for (int k = 0; k < batch; ++k)
    pictures.push_back(texture(s.width, s.height, 11 + static_cast<unsigned>(k), s.finest));
  const Resident r(queue, pictures, s.max_features);
  auto detector = detector_of(queue, s, options, batch, memory);
  runtime::Recording work(queue, [&] { detector.run(r.images, 0, batch, r.out); });
  PeerCall peer;
  int peer_found = 0;
  if (device.info().kind == DeviceKind::cuda && method == std::string_view("rootsift"))
    peer = cudasift_features(pictures, s.max_features, s.upsample, &peer_found);
  const Comparison taken = measure_with_peer(
      [&] {
        work.run();
        queue.wait();
      },
      peer);
  std::vector<int> numbers(static_cast<std::size_t>(batch));
  r.out.numbers.download(queue, numbers);
  queue.wait();
  Record record = record_of("features", name, taken.ours);
  record.device = context.device;
  record.value /= batch, record.mad /= batch;
  record.reference = taken.reference("CudaSift", 1e3 / batch);
  if (peer) record.extra["cudasift_keypoints"] = peer_found;
  record.extra["images_per_s"] = 1e3 / record.value;
  record.extra["keypoints"] = numbers[0];
  record.extra["device_bytes_an_image"] = detector.bytes();
  context.report(std::move(record));
}

// Two images in device memory to the homography between them and its inliers, as
// CudaSift's pipeline.
void time_chain(Context& context, const Device& device) {
  constexpr int kWidth = 1920, kHeight = 1080;
  const std::string name = "features/chain/1920x1080";
  if (!context.wanted(name)) return;
  Queue queue(device);
  const ImageU8 scene = texture(2048, 1200, 3);
  std::vector<std::uint8_t> pixels;
  std::vector<ImageU8> views;
  for (const auto& [x, y] : {std::pair(0, 0), {83, 41}}) {
    ImageU8& view = views.emplace_back(kWidth, kHeight);
    for (int row = 0; row < kHeight; ++row)
      std::copy_n(scene.row(y + row) + x, kWidth, view.row(row));
    pixels.insert(pixels.end(), view.pixels.begin(), view.pixels.end());
  }
  Buffer<std::uint8_t> images(device, pixels.size());
  images.upload(queue, pixels);
  SiftDetector detector(queue, kWidth, kHeight, {.max_features = 4096, .upsample = false}, 2);
  FeatureSet set(device);
  DeviceMatches found;
  const std::vector<ImagePair> pair{{0, 1}};
  BatchEstimate estimate;
  const auto features = [&] {
    set.clear();
    detector.add(images, 2, set);
  };
  const auto matches = [&] { match(queue, set, pair, {}, found); };
  const auto model = [&] {
    estimate =
        estimate_batch(queue, ModelKind::homography, found.points, {.offsets = found.offsets});
  };
  PeerCall peer;
  int peer_inliers = 0;
  if (device.info().kind == DeviceKind::cuda)
    peer = cudasift_chain(views[0], views[1], 4096, &peer_inliers);
  const Comparison taken = measure_with_peer([&] { features(), matches(), model(); }, peer);
  const auto stage_ms = [&](const auto& stage) {
    return measure([&] {
             stage();
             queue.wait();
           }).median *
           1e3;
  };
  Record record = record_of("features", name, taken.ours);
  record.device = context.device;
  record.reference = taken.reference("CudaSift", 1e3);
  if (peer) record.extra["cudasift_inliers"] = peer_inliers;
  record.extra["features_ms"] = stage_ms(features);
  record.extra["matches_ms"] = stage_ms(matches);
  record.extra["model_ms"] = stage_ms(model);
  record.extra["keypoints"] = set.count(queue, 0);
  record.extra["matches"] = found.offsets.back();
  record.extra["inliers"] = estimate.pairs[0].num_inliers;
  context.report(std::move(record));
}

}  // namespace

void run_features_device(Context& context) {
  const Device device(context.device);
  time_chain(context, device);
  for (const Shape& s : kShapes) {
    const int most = s.max_features;
    const SiftOptions sift{
        .max_features = most, .contrast_threshold = s.contrast, .upsample = s.upsample};
    const SurfOptions surf{.max_features = most, .upsample = s.upsample};
    SurfOptions balanced = surf;
    balanced.balance = 16;
    SiftOptions pooled = sift;
    pooled.domain_size_pooling = true;
    SiftOptions affine = sift, both = pooled;
    affine.affine_shape = both.affine_shape = true;
    if (s.upsample) {
      const std::size_t least = features::least_sift_plan(s.width, s.height, sift).bytes;
      const std::size_t whole = features::plan_sift(s.width, s.height, sift).bytes;
      time_batch(context, device, "rootsift/half-memory", s, sift, 1, whole / 2);
      time_batch(context, device, "rootsift/least-memory", s, sift, 1, least);
    }
    for (const int batch : {1, s.batch}) {
      time_batch(context, device, "rootsift", s, sift, batch);
      time_batch(context, device, "rootsift/pooled", s, pooled, batch);
      time_batch(context, device, "rootsift/affine", s, affine, batch);
      time_batch(context, device, "rootsift/affine-pooled", s, both, batch);
      time_batch(context, device, "surf", s, surf, batch);
      time_batch(context, device, "surf", s, balanced, batch);
    }
  }
}

}  // namespace bifocal::bench
