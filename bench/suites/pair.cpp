// SPDX-License-Identifier: BSD-3-Clause
// Two colour images in host memory to the homography between them, by SURF and by RootSIFT: all
// stages on one device, timed one by one, compared with the path through the host.
#include <bifocal/verify_pairs.hpp>
#include <bifocal/features.hpp>
#include <bifocal/two_view.hpp>

#include <fmt/format.h>

#include "features_suite.hpp"

namespace bifocal::bench {
namespace {

// Parts of one texture, moved by (40, 24) px.
std::vector<std::uint8_t> two_views(int width, int height) {
  const ImageU8 whole = texture(width + 40, height + 24, 1, 4);
  std::vector<std::uint8_t> rgb;
  for (const int part : {0, 1})
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x)
        rgb.insert(rgb.end(), 3, whole.at(x + 40 * part, y + 24 * part));
  return rgb;
}

template <class Detector, class Options>
class ResidentWay {
 public:
  ResidentWay(Queue& queue, std::span<const std::uint8_t> rgb, int width, int height,
              const Options& options)
      : queue_(queue),
        host_(queue.device(), rgb.size()),
        pixels_(queue.device(), rgb.size()),
        detector_(queue, width, height, options, 2),
        set_(queue.device()) {
    std::ranges::copy(rgb, host_.data());
  }
  void upload() { pixels_.upload(queue_, host_.span()); }
  void detect() {
    set_.clear();
    (void)detector_.add(pixels_, 2, set_, 3);
  }
  void find_matches() {
    constexpr ImagePair kPair[] = {{0, 1}};
    match(queue_, set_, kPair, {}, found_);
    keep_distinct_places(queue_, found_);
  }
  void find_homography() {
    const auto matches = std::size_t(found_.offsets.back());
    result_ = single_result(
        estimate_batch(queue_, ModelKind::homography, found_.points,
                       {.offsets = found_.offsets,
                        .options = one_pair_options(ModelKind::homography, matches, {})}));
  }
  void run() {
    upload();
    detect();
    find_matches();
    find_homography();
  }
  [[nodiscard]] const EstimateResult& result() const { return result_; }
  [[nodiscard]] int features() { return set_.count(queue_, 0); }
  double ms_of(void (ResidentWay::*stage)()) {
    const Sample sample = measure([&] {
      (this->*stage)();
      queue_.wait();
    });
    return 1e3 * sample.median;
  }

 private:
  Queue& queue_;
  HostBuffer<std::uint8_t> host_;
  Buffer<std::uint8_t> pixels_;
  Detector detector_;
  FeatureSet set_;
  DeviceMatches found_;
  EstimateResult result_;
};

template <class Detector, class Options>
void run_case(Context& context, Queue& queue, const std::string& method, int width, int height,
              const Options& options) {
  const std::string name = fmt::format("pair/{}/{}x{}", method, width, height);
  if (!context.wanted(name)) return;
  const std::vector<std::uint8_t> rgb = two_views(width, height);
  using Way = ResidentWay<Detector, Options>;
  Way resident(queue, rgb, width, height, options);
  Detector detector(queue, width, height, options, 2);
  const std::size_t half = rgb.size() / 2;
  const std::vector<AnyImageView> pictures = {{rgb.data(), width, height, 3},
                                              {rgb.data() + half, width, height, 3}};
  const auto through_the_host = [&] {
    const std::vector<Features> found = detector(pictures);
    const std::vector<Match> matches = match(queue, found[0], found[1]);
    keep(estimate(queue, ModelKind::homography, matched_points(found[0], found[1], matches)));
  };
  const auto samples = measure_interleaved({[&] { resident.run(); }, through_the_host});
  Record record = record_of("pair", name, samples[0]);
  record.device = context.device;
  record.reference =
      Reference{"features, matches and points by way of the host", 1e3 * samples[1].median};
  record.extra = {{"pixels_up_ms", resident.ms_of(&Way::upload)},
                  {"features_ms", resident.ms_of(&Way::detect)},
                  {"matches_ms", resident.ms_of(&Way::find_matches)},
                  {"homography_ms", resident.ms_of(&Way::find_homography)},
                  {"features", resident.features()},
                  {"matches", resident.result().inliers.size()},
                  {"inliers", resident.result().num_inliers}};
  context.report(std::move(record));
}

}  // namespace

void run_pair(Context& context) {
  Queue queue{Device(context.device)};
  const bool is_gpu = queue.device().info().is_gpu;
  const int width = is_gpu ? 1600 : 640, height = is_gpu ? 1200 : 480;
  run_case<SurfDetector>(context, queue, "surf", width, height, SurfOptions{.max_features = 8192});
  run_case<SiftDetector>(context, queue, "rootsift", width, height,
                         SiftOptions{.max_features = 8192});
}

}  // namespace bifocal::bench
