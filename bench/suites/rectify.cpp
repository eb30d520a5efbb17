// SPDX-License-Identifier: BSD-3-Clause
// Resampling: a frame through a map that stays on the device, and the work done once per rig.
// Compared with OpenCV's fixed-point remap, one thread each.
#include <fmt/format.h>

#include <bifocal/rectify.hpp>
#include <bifocal/device.hpp>
#include <cmath>
#include <random>

#include "frame/bench.hpp"
#ifdef BIFOCAL_PEER_OPENCV
#include <opencv2/calib3d.hpp>
#include <opencv2/imgproc.hpp>
#endif

namespace bifocal::bench {
namespace {

constexpr int kWidth = 1920, kHeight = 1080;

// A rig of two wide cameras, rotated by some degrees.
Camera camera(double k1) {
  return {
      {1100, 1100, 959.5, 539.5}, {.k1 = k1, .k2 = 0.05, .p1 = 5e-4, .p2 = -3e-4}, kWidth, kHeight};
}
Rectification rectification() {
  const double c = std::cos(0.05), s = std::sin(0.05);
  const Pose pose = {{c, 0, s, 0, 1, 0, -s, 0, c}, {-1, 0.03, 0.02}};
  return rectify(camera(-0.2), camera(-0.18), pose, {.max_scale = 1});
}

#ifdef BIFOCAL_PEER_OPENCV
std::string peer_name(const char* function) {
  return fmt::format("OpenCV {} {}, one thread", CV_VERSION, function);
}
// OpenCV's own fixed-point maps of the same positions.
struct PeerMaps {
  cv::Mat xy, fraction;
};
PeerMaps peer_maps(const SamplingMap& map) {
  cv::Mat x(map.height, map.width, CV_32F), y(map.height, map.width, CV_32F);
  for (int i = 0; i < map.width * map.height; ++i) {
    x.ptr<float>()[i] = static_cast<float>(map.x[static_cast<std::size_t>(i)]) / 256;
    y.ptr<float>()[i] = static_cast<float>(map.y[static_cast<std::size_t>(i)]) / 256;
  }
  PeerMaps out;
  cv::convertMaps(x, y, out.xy, out.fraction, CV_16SC2);
  return out;
}
#endif

Record record_of(const std::string& name, const std::string& device, const Sample& sample,
                 double scale) {
  Record record;
  record.suite = "rectify";
  record.case_name = name;
  record.device = device;
  record.unit = "ms";
  record.value = sample.median * 1e3 * scale;
  record.mad = sample.mad * 1e3 * scale;
  record.runs = sample.runs;
  return record;
}

// Time of one frame of `channels` values of Pixel; on a GPU of a sequence of kFrames.
template <class Pixel>
void time_remap(Context& context, const Device& device, const SamplingMap& map, int channels) {
  constexpr int kFrames = 32;
  const std::string name =
      fmt::format("rectify/remap/{}x{}/u{}c{}", map.width, map.height, 8 * sizeof(Pixel), channels);
  if (!context.wanted(name)) return;
  const ThreadLimit one(1);
  std::mt19937 random(1);
  Image<Pixel> frame(kWidth, kHeight, channels), out(map.width, map.height, channels);
  for (Pixel& p : frame.pixels) p = static_cast<Pixel>(random());
  Queue queue(device);
  const Remapper remapper(queue, map);
  Buffer<Pixel> in(device, frame.pixels.size()), made(device, out.pixels.size());
  in.upload(queue, frame.pixels);
  const bool on_cpu = device.info().kind == DeviceKind::cpu;
  const int frames = on_cpu ? 1 : kFrames;
  const auto ours = [&] {
    for (int i = 0; i < frames; ++i) remapper.run(queue, in, channels, made);
    queue.wait();
  };
  Record record;
#ifdef BIFOCAL_PEER_OPENCV
  if (on_cpu) {
    cv::setNumThreads(1);
    const PeerMaps maps = peer_maps(map);
    const int type = CV_MAKETYPE(sizeof(Pixel) == 1 ? CV_8U : CV_16U, channels);
    const cv::Mat source(kHeight, kWidth, type, frame.pixels.data());
    cv::Mat target;
    const auto [mine, peer] = measure_pair(
        ours, [&] { cv::remap(source, target, maps.xy, maps.fraction, cv::INTER_LINEAR); });
    record = record_of(name, device.info().id, mine, 1);
    record.reference = Reference{peer_name("remap, fixed-point maps"), peer.median * 1e3};
  }
#endif
  if (record.runs == 0) record = record_of(name, device.info().id, measure(ours), 1.0 / frames);
  const double bytes =
      static_cast<double>(map.x.size()) * 8 +
      static_cast<double>((frame.pixels.size() + out.pixels.size()) * sizeof(Pixel));
  record.extra = {{"GB/s", bytes / (record.value * 1e6)}};
  context.report(record);
}

// Work done once per rig.
void time_maps(Context& context) {
  const Rectification r = rectification();
  const std::string name = fmt::format("rectify/maps/{}x{}/radial", r.width, r.height);
  if (!context.wanted(name)) return;
  const ThreadLimit one(1);
  const auto ours = [&] { keep(sampling_maps(r)); };
  Record record;
#ifdef BIFOCAL_PEER_OPENCV
  cv::setNumThreads(1);
  const auto peers = [&] {
    for (const RectifiedSide& side : r.sides) {
      const Distortion& d = side.input.distortion;
      const cv::Matx33d K(side.input.intrinsics.matrix().data()), R(side.R.data()),
          rectified(side.camera.matrix().data());
      cv::Mat xy, fraction;
      cv::initUndistortRectifyMap(K, cv::Vec4d(d.k1, d.k2, d.p1, d.p2), R, rectified,
                                  cv::Size(r.width, r.height), CV_16SC2, xy, fraction);
    }
  };
  const auto [mine, peer] = measure_pair(ours, peers);
  record = record_of(name, "cpu", mine, 1);
  record.reference = Reference{peer_name("initUndistortRectifyMap, twice"), peer.median * 1e3};
#else
  record = record_of(name, "cpu", measure(ours), 1);
#endif
  context.report(record);
}

void time_warp(Context& context, int channels) {
  const std::string name = fmt::format("rectify/warp/{}x{}/u8c{}", kWidth, kHeight, channels);
  if (!context.wanted(name)) return;
  const ThreadLimit one(1);
  std::mt19937 random(1);
  ImageU8 frame(kWidth, kHeight, channels);
  for (std::uint8_t& p : frame.pixels) p = static_cast<std::uint8_t>(random());
  const Mat3 H = {0.98, 0.03, 5, -0.02, 1.01, 8, 1e-5, -5e-6, 1};
  const auto ours = [&] { keep(warp(frame, H, kWidth, kHeight)); };
  Record record;
#ifdef BIFOCAL_PEER_OPENCV
  cv::setNumThreads(1);
  const cv::Mat source(kHeight, kWidth, CV_MAKETYPE(CV_8U, channels), frame.pixels.data());
  const cv::Matx33d M(H.data());
  const auto [mine, peer] = measure_pair(ours, [&] {
    cv::Mat target;
    cv::warpPerspective(source, target, M, cv::Size(kWidth, kHeight), cv::INTER_LINEAR);
  });
  record = record_of(name, "cpu", mine, 1);
  record.reference = Reference{peer_name("warpPerspective"), peer.median * 1e3};
#else
  record = record_of(name, "cpu", measure(ours), 1);
#endif
  context.report(record);
}

}  // namespace

void run_rectify(Context& context) {
  const Device device(context.device);
  const SamplingMap map = sampling_maps(rectification())[0];
  time_remap<std::uint8_t>(context, device, map, 1);
  time_remap<std::uint8_t>(context, device, map, 3);
  time_remap<std::uint16_t>(context, device, map, 1);
  time_remap<std::uint16_t>(context, device, map, 3);
  if (device.info().kind != DeviceKind::cpu) return;
  time_warp(context, 1);
  time_warp(context, 3);
  time_maps(context);
}

}  // namespace bifocal::bench
