// SPDX-License-Identifier: BSD-3-Clause
// The homography system: 2000 samples of 2000 planar correspondences, 60 per cent of which are
// inliers, compared with its old figures.
#include <bifocal/device.hpp>

#include <optional>
#include <random>

#include "runtime/recording.hpp"
#include "seeds/homography_trials.hpp"
#include "seeds/seeds.hpp"
#include "synthetic/two_view_scenes.hpp"

namespace bifocal::bench::seeds {
namespace {

constexpr int kTrials = 2000, kPoints = 2000, kSeed = 1;
constexpr float kThreshold = 3;

std::vector<PointPair> planar_points() {
  std::mt19937_64 random(1);
  synthetic::TwoViewScene scene = synthetic::make_scene(
      {.points = kPoints, .inliers = 0.6, .noise = 1, .planar = true}, random);
  for (PointPair& p : scene.points) p.x1 -= 640, p.x2 -= 640, p.y1 -= 480, p.y2 -= 480;
  return scene.points;
}

// Stages of the system, each sent to the device as one.
class HomographySeed {
 public:
  explicit HomographySeed(const std::string& device)
      : queue_(Device(device)),
        trials_(queue_, planar_points(), kTrials),
        solve_(queue_, [this] { trials_.solve(); }),
        count_(queue_, [this] { trials_.count(kThreshold); }),
        solve_and_count_(queue_,
                         [this] {
                           trials_.solve();
                           trials_.count(kThreshold);
                         }),
        all_(queue_, [this] {
          trials_.draw(kSeed);
          trials_.solve();
          trials_.count(kThreshold);
          trials_.choose();
        }) {
    (void)ransac();
  }

  void solve() { run(solve_); }
  void count() { run(count_); }
  void solve_and_count() { run(solve_and_count_); }
  // From drawing the samples to the best homography on the host.
  Chosen ransac() {
    all_.run();
    return trials_.chosen();
  }

 private:
  void run(runtime::Recording& stage) {
    stage.run();
    queue_.wait();
  }

  Queue queue_;
  HomographyTrials trials_;
  runtime::Recording solve_, count_, solve_and_count_, all_;
};

}  // namespace

void run_homography(Context& context) {
  struct Case {
    const char* name;
    std::function<void(HomographySeed&)> body;
    Reference recorded;
  };
  const std::vector<Case> cases = {
      {"seeds/homography2000",
       &HomographySeed::solve_and_count,
       {"OpenCL, SVD to inliers (recorded)", 3.64}},
      {"seeds/homography2000/svd", &HomographySeed::solve, {"OpenCL, 3.5 to 4 ms (recorded)", 3.5}},
      {"seeds/homography2000/inliers", &HomographySeed::count, {"OpenCL (recorded)", 0.14}},
      {"seeds/homography2000/ransac",
       [](HomographySeed& seed) { keep(seed.ransac()); },
       {"an older CUDA RANSAC (recorded)", 200}}};
  std::optional<HomographySeed> seed;
  for (const Case& c : cases) {
    if (!context.wanted(c.name)) continue;
    if (!seed) seed.emplace(context.device);
    const Sample sample = measure([&] { c.body(*seed); });
    report_ms(context, c.name, context.device, sample, c.recorded,
              {{"trials", kTrials}, {"points", kPoints}, {"best_inliers", seed->ransac().inliers}});
  }
}

}  // namespace bifocal::bench::seeds
