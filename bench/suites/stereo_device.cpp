// SPDX-License-Identifier: BSD-3-Clause
// Semi-global matching of frames on a GPU, compared with libSGM if it is built in: the steps of
// libSGM (sub-pixels, median, cross-check), all filters (also speckles, fill and confidence), the
// filters alone, and a stream from host to host.
#include <fmt/format.h>

#include <bifocal/stereo.hpp>
#include <random>

#include "frame/bench.hpp"
#include "peers/gpu_peers.hpp"
#include "runtime/recording.hpp"
#include "stereo/filter.hpp"
#include "stereo/sgm/sgm_device.hpp"
#include "stereo_suite.hpp"

namespace bifocal::bench {
namespace {

struct Shape {
  int width, height, disparities;
};
constexpr Shape kShapes[] = {
    {741, 497, 128}, {1024, 440, 128}, {1920, 1080, 128}, {1920, 1080, 256}};
constexpr int kFrames = 16;  // a timed call

// Patches of smooth noise at many depths, with pixels without a match: medians, speckles and fills
// have as much work as on a photograph.
struct Frame {
  ImageU8 left, right;
};
Frame patches(int width, int height, int disparities) {
  constexpr int kPatch = 48;
  std::mt19937 random(1);
  Frame f{ImageU8(width, height), ImageU8(width, height)};
  for (std::uint8_t& v : f.left.pixels) v = static_cast<std::uint8_t>(random());
  for (std::uint8_t& v : f.right.pixels) v = static_cast<std::uint8_t>(random());
  std::vector<int> depth(static_cast<std::size_t>(width / kPatch + 1));
  for (int y = 0; y < height; ++y) {
    if (y % kPatch == 0) {
      for (int& d : depth) d = static_cast<int>(random() % static_cast<unsigned>(disparities / 2));
    }
    for (int x = 0; x < width; ++x) {
      const int seen = x - depth[static_cast<std::size_t>(x / kPatch)];
      if (seen >= 0 && random() % 8 != 0) f.right.at(seen, y) = f.left.at(x, y);
    }
  }
  return f;
}

struct Resident {
  Buffer<std::uint8_t> left, right, confidence;
  Buffer<float> raw, filled;

  Resident(Queue& queue, const Frame& frame) {
    const std::size_t pixels = frame.left.pixels.size();
    left = Buffer<std::uint8_t>(queue.device(), pixels);
    right = Buffer<std::uint8_t>(queue.device(), pixels);
    confidence = Buffer<std::uint8_t>(queue.device(), pixels);
    raw = Buffer<float>(queue.device(), pixels);
    filled = Buffer<float>(queue.device(), pixels);
    left.upload(queue, frame.left.pixels);
    right.upload(queue, frame.right.pixels);
    queue.wait();
  }
};

Record record_of(const Context& context, const std::string& name, const std::string& unit,
                 const Sample& sample, double value_of_second) {
  Record record;
  record.suite = "stereo";
  record.case_name = name;
  record.device = context.device;
  record.unit = unit;
  record.value = sample.median * value_of_second;
  record.mad = sample.mad * value_of_second;
  record.runs = sample.runs;
  return record;
}

// The steps of libSGM: sub-pixel disparities confirmed by both directions, and a median.
SgmOptions winners_only(SgmOptions o) {
  o.filter.median = 3;
  o.filter.speckle_size = 0;
  o.filter.fill = Fill::none;
  return o;
}

void time_frames(Context& context, const Device& device, const Shape& s, int paths) {
  const std::string name =
      fmt::format("stereo/sgm{}/{}x{}/d{}", paths, s.width, s.height, s.disparities);
  const bool winners = context.wanted(name + "/winners"), full = context.wanted(name + "/full");
  if (!winners && !full) return;
  Queue queue(device);
  const Frame frame = patches(s.width, s.height, s.disparities);
  const Resident r(queue, frame);
  const SgmOptions options{.disparities = s.disparities, .paths = paths};
  PeerCall peer;
  if (device.info().kind == DeviceKind::cuda)
    peer = libsgm_frames(frame.left, frame.right, s.disparities, paths, kFrames);
  const auto time = [&](const std::string& what, const SgmOptions& o, const StereoOutput& out) {
    StereoMatcher matcher(queue, s.width, s.height, o);
    const auto ours = [&] {
      for (int i = 0; i < kFrames; ++i) matcher.run(r.left, r.right, out);
      queue.wait();
    };
    const Comparison taken = measure_with_peer(ours, peer);
    Record record = record_of(context, name + "/" + what, "ms", taken.ours, 1e3 / kFrames);
    record.reference = taken.reference("libSGM", 1e3 / kFrames);
    const double cells = 1e-9 * s.width * s.height * s.disparities;
    record.extra = {{"Gcells/s", cells / (record.value * 1e-3)},
                    {"memory_bytes", matcher.memory()}};
    context.report(record);
  };
  if (winners) time("winners", winners_only(options), {.raw = r.raw});
  if (full) time("full", options, {r.raw, r.filled, r.confidence});
}

// All steps after the winners, as one recorded work.
void time_filters(Context& context, const Device& device, const Shape& s) {
  const std::string name = fmt::format("stereo/filters/{}x{}", s.width, s.height);
  if (!context.wanted(name)) return;
  Queue queue(device);
  const Resident r(queue, patches(s.width, s.height, s.disparities));
  const SgmOptions o{.disparities = s.disparities};
  const stereo::ImageSize size{s.width, s.height};
  stereo::SgmDevice search(queue, size, 8, o);
  stereo::PostFilter filter(device, size, o.filter, o.min_disparity, false);
  const stereo::WinnerMaps winners = search.run(queue, r.left, r.right, filter.winners());
  runtime::Recording work(queue, [&] {
    filter.run(queue, winners, {r.raw, r.filled, r.confidence});
  });
  const Sample sample = measure([&] {
    for (int i = 0; i < kFrames; ++i) work.run();
    queue.wait();
  });
  context.report(record_of(context, name, "ms", sample, 1e3 / kFrames));
}

void time_stream(Context& context, const Device& device, const Shape& s, int paths) {
  const std::string name =
      fmt::format("stereo/sgm{}/{}x{}/d{}/stream", paths, s.width, s.height, s.disparities);
  if (!context.wanted(name)) return;
  Queue queue(device);
  const Frame frame = patches(s.width, s.height, s.disparities);
  StereoMatcher matcher(queue, s.width, s.height, {.disparities = s.disparities, .paths = paths});
  DisparityMap map;
  const Sample sample = measure([&] {
    matcher.submit(frame.left, frame.right);
    for (int i = 1; i < kFrames; ++i) {
      matcher.submit(frame.left, frame.right);
      matcher.next(map);
    }
    matcher.next(map);
  });
  Record record = record_of(context, name, "frames/s", sample, 1);
  record.value = kFrames / sample.median;
  record.mad = record.value * sample.mad / sample.median;
  record.higher_is_better = true;
  record.extra = {{"density", map.density}};
  context.report(record);
}

}  // namespace

void run_stereo_device(Context& context) {
  const Device device(context.device);
  for (const Shape& s : kShapes) {
    for (const int paths : {4, 8}) {
      time_frames(context, device, s, paths);
      time_stream(context, device, s, paths);
    }
    if (s.disparities == 128) time_filters(context, device, s);
  }
}

}  // namespace bifocal::bench
