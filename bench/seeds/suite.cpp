// SPDX-License-Identifier: BSD-3-Clause
// The systems that Bifocal descends from, run by today's code beside the figures recorded for them.
#include <fmt/format.h>

#include <algorithm>
#include <bifocal/stereo.hpp>
#include <optional>
#include <random>

#include "robust/homography_trials.hpp"
#include "runtime/recording.hpp"
#include "seeds.hpp"
#include "stereo/filter_device.hpp"
#include "stereo/ssd/ssd_device.hpp"
#include "suites/shifted_noise.hpp"
#include "synthetic/two_view_scenes.hpp"

namespace bifocal::bench {

using namespace synthetic;
namespace {

// 2000 samples of 2000 planar correspondences, 60 per cent of them inliers.
class HomographySeed {
 public:
  static constexpr int kTrials = 2000, kPoints = 2000;

  explicit HomographySeed(const std::string& device)
      : queue_(Device(device)), trials_(queue_.device(), kTrials) {
    std::mt19937_64 random(1);
    TwoViewScene scene =
        make_scene({.points = kPoints, .inliers = 0.6, .noise = 1, .planar = true}, random);
    for (PointPair& p : scene.points) p.x1 -= 640, p.x2 -= 640, p.y1 -= 480, p.y2 -= 480;
    points_ = robust::upload_points(queue_, scene.points);
    draw();
    solve();
    count();
  }

  void solve() {
    robust::solve_trials(queue_, points_, trials_);
    queue_.wait();
  }
  void count() {
    robust::count_inliers(queue_, points_, kThreshold, trials_);
    queue_.wait();
  }
  void solve_and_count() {
    robust::solve_trials(queue_, points_, trials_);
    robust::count_inliers(queue_, points_, kThreshold, trials_);
    queue_.wait();
  }
  // All of a RANSAC of so many trials, from drawing the samples to the number of inliers of the
  // best.
  int ransac() {
    draw();
    solve_and_count();
    trials_.inliers.download(queue_, inliers_);
    queue_.wait();
    return *std::max_element(inliers_.begin(), inliers_.end());
  }

 private:
  static constexpr float kThreshold = 3;

  void draw() {
    for (int& p : samples_) p = static_cast<int>(random_() % kPoints);
    trials_.samples.upload(queue_, samples_);
  }

  Queue queue_;
  robust::HomographyTrials trials_;
  robust::DevicePoints points_;
  std::mt19937 random_{1};
  std::vector<int> samples_ = std::vector<int>(4 * kTrials), inliers_ = std::vector<int>(kTrials);
};

void run_homography(Context& context) {
  const std::string all = "seeds/homography2000", svd = all + "/svd", inliers = all + "/inliers",
                    ransac = all + "/ransac";
  const bool wants[] = {context.wanted(all), context.wanted(svd), context.wanted(inliers),
                        context.wanted(ransac)};
  if (std::none_of(std::begin(wants), std::end(wants), [](bool w) { return w; })) return;
  HomographySeed seed(context.device);
  const auto report = [&](const std::string& name, const std::function<void()>& body,
                          const char* what, double recorded, const Figures& extra) {
    report_ms(context, name, context.device, measure(body), Reference{what, recorded}, extra);
  };
  const Figures sizes = {{"trials", HomographySeed::kTrials}, {"points", HomographySeed::kPoints}};
  if (wants[0])
    report(
        all, [&] { seed.solve_and_count(); }, "OpenCL, SVD to inliers (recorded)", 3.64, sizes);
  if (wants[1])
    report(
        svd, [&] { seed.solve(); }, "OpenCL, 3.5 to 4 ms (recorded)", 3.5, sizes);
  if (wants[2])
    report(
        inliers, [&] { seed.count(); }, "OpenCL (recorded)", 0.14, sizes);
  if (wants[3]) {
    Figures extra = sizes;
    extra["best_inliers"] = seed.ransac();
    report(
        ransac, [&] { keep(seed.ransac()); }, "an older CUDA RANSAC (recorded)", 200, extra);
  }
}

// Frames of a stereo rig. On a GPU the pictures and the result stay in its memory.
class StereoSeed {
 public:
  StereoSeed(const std::string& device, const SsdOptions& options)
      : queue_(Device(device)), options_(options), pair_(shifted_noise(kWidth, kHeight)) {
    if (is_cpu()) return;
    const std::size_t pixels = pair_.left.pixels.size();
    left_ = Buffer<std::uint8_t>(queue_.device(), pixels);
    right_ = Buffer<std::uint8_t>(queue_.device(), pixels);
    left_.upload(queue_, pair_.left.pixels);
    right_.upload(queue_, pair_.right.pixels);
    const stereo::PictureSize size{kWidth, kHeight};
    search_.emplace(queue_, size, options);
    filter_.emplace(queue_.device(), size, options.filter, options.min_disparity, true);
    frame_.emplace(queue_, [this] {
      filter_->run(queue_, search_->run(queue_, left_, right_, filter_->winners()), {});
    });
    queue_.wait();
  }

  [[nodiscard]] bool is_gpu() const { return queue_.device().info().is_gpu; }
  [[nodiscard]] bool is_cpu() const { return queue_.device().info().kind == DeviceKind::cpu; }
  // `count` frames, one after another, until the last is there.
  void frames(int count) {
    for (int i = 0; i < count; ++i) {
      if (is_cpu())
        keep(stereo_ssd(pair_.left, pair_.right, options_));
      else
        frame_->run();
    }
    queue_.wait();
  }

 private:
  static constexpr int kWidth = 735, kHeight = 504;

  Queue queue_;
  SsdOptions options_;
  StereoPair pair_;
  Buffer<std::uint8_t> left_, right_;
  std::optional<stereo::SsdDevice> search_;
  std::optional<stereo::FilterDevice> filter_;
  std::optional<runtime::Recording> frame_;
};

// Block matching, both directions, cross-check and fill. On a GPU the time is that of a frame in a
// row of them; `alone_ms`: of one that is waited for.
void run_stereo_seed(Context& context) {
  struct Case {
    int disparities, window;
    double recorded_s;
  };
  constexpr Case kCases[] = {
      {60, 11, 0.2775}, {60, 15, 0.4932}, {90, 11, 0.5780}, {90, 15, 0.8518}};
  for (const Case& c : kCases) {
    const std::string name = fmt::format("seeds/stereo/735x504/d{}w{}", c.disparities, c.window);
    if (!context.wanted(name)) continue;
    StereoSeed seed(context.device, {.disparities = c.disparities, .window = c.window});
    const Sample alone = measure([&] { seed.frames(1); });
    Sample frame = alone;
    Figures extra;
    if (seed.is_gpu()) {
      constexpr int kFrames = 20;
      frame = measure([&] { seed.frames(kFrames); });
      frame.median /= kFrames;
      frame.mad /= kFrames;
      extra["alone_ms"] = alone.median * 1e3;
    }
    report_ms(context, name, context.device, frame,
              Reference{"OpenCL (recorded)", c.recorded_s * 1e3}, extra);
  }
}

}  // namespace

void report_ms(Context& context, const std::string& name, const std::string& device,
               const Sample& sample, const std::optional<Reference>& reference, Figures extra) {
  Record record;
  record.suite = "seeds";
  record.case_name = name;
  record.device = device;
  record.unit = "ms";
  record.value = sample.median * 1e3;
  record.mad = sample.mad * 1e3;
  record.runs = sample.runs;
  record.reference = reference;
  record.extra = std::move(extra);
  context.report(std::move(record));
}

void run_seeds(Context& context) {
  run_homography(context);
  run_essential_seed(context);
  run_stereo_seed(context);
}

}  // namespace bifocal::bench
