// SPDX-License-Identifier: BSD-3-Clause
// The five-point system: 160 samples, up to ten E each, every E verified on all points (Sampson
// error, in front of both cameras). Its own figures were ratios to one core: the solver twice as
// fast on a GPU, the verification 40 to 100 times. Here one core uses its SIMD registers for both
// stages; it is measured in the same run, in turn with each placement.
#include <fmt/format.h>

#include <cmath>
#include <random>

#include "robust/essential_trials.hpp"
#include "seeds.hpp"
#include "synthetic/two_view_scenes.hpp"

namespace bifocal::bench {

using namespace synthetic;
namespace {

using robust::Placement;

// 60 per cent of the points are inliers: a dozen samples hold nothing else.
class EssentialSeed {
 public:
  static constexpr int kSamples = 160;

  EssentialSeed(const std::string& device, int points)
      : queue_(Device(device)),
        rays_(queue_, ray_pairs(points)),
        trials_(queue_.device(), kSamples) {
    std::mt19937 random(1);
    for (int& p : trials_.drawn.span()) p = static_cast<int>(random() % unsigned(points));
    run(Placement::parallel);
  }

  // From the samples to the best E on the host.
  robust::EssentialHypothesis run(Placement placement) {
    robust::run_trials(queue_, rays_, kThreshold, placement, trials_);
    return robust::best_hypothesis(trials_);
  }
  void solve_on_one_core() { robust::solve_samples(rays_, trials_, 0, kSamples); }
  void verify_on_one_core() { robust::count_inliers(rays_, kThreshold, trials_, 0, kSamples); }
  void solve() {
    robust::solve_samples(queue_, rays_, trials_);
    queue_.wait();
  }
  void verify() {
    robust::count_inliers(queue_, rays_, kThreshold, trials_, 0, kSamples);
    queue_.wait();
  }

  // How many E there were, and the inliers of the best.
  Figures findings(Placement placement) {
    const int inliers = run(placement).inliers;
    int hypotheses = 0;
    for (int slot = 0; slot < trials_.slots(); ++slot)
      hypotheses += !std::isnan(trials_.E.data()[9 * slot]);
    return {{"samples", kSamples}, {"hypotheses", hypotheses}, {"best_inliers", inliers}};
  }

 private:
  static constexpr float kThreshold = 2e-3f;  // 2 px

  static std::vector<PointPair> ray_pairs(int points) {
    std::mt19937_64 random(1);
    TwoViewScene scene = make_scene({.points = points, .inliers = 0.6, .noise = 1}, random);
    const Intrinsics& c = scene.camera;
    for (PointPair& p : scene.points) {
      p = {(p.x1 - c.cx) / c.fx, (p.y1 - c.cy) / c.fy, (p.x2 - c.cx) / c.fx, (p.y2 - c.cy) / c.fy};
    }
    return scene.points;
  }

  Queue queue_;
  robust::RayPairs rays_;
  robust::EssentialTrials trials_;
};

struct Case {
  const char* name;
  std::function<void(EssentialSeed&)> body, on_one_core;
  Placement placement;  // whose findings are reported
};

std::vector<Case> cases() {
  const auto whole = [](Placement placement) {
    return [placement](EssentialSeed& seed) { keep(seed.run(placement)); };
  };
  const auto serial = whole(Placement::serial);
  return {{"serial", serial, nullptr, Placement::serial},
          {"serial_solver", whole(Placement::serial_solver), serial, Placement::serial_solver},
          {"parallel", whole(Placement::parallel), serial, Placement::parallel},
          {"overlapped", whole(Placement::overlapped), serial, Placement::overlapped},
          {"solver", &EssentialSeed::solve, &EssentialSeed::solve_on_one_core, Placement::parallel},
          {"verification", &EssentialSeed::verify, &EssentialSeed::verify_on_one_core,
           Placement::parallel}};
}

}  // namespace

void run_essential_seed(Context& context) {
  for (const int points : {2000, 10000, 100000}) {
    std::optional<EssentialSeed> seed;
    for (const Case& c : cases()) {
      const std::string name =
          fmt::format("seeds/essential{}x{}/{}", EssentialSeed::kSamples, points, c.name);
      if (!context.wanted(name)) continue;
      if (!seed) seed.emplace(context.device, points);
      const auto body = [&] { c.body(*seed); };
      Figures findings = seed->findings(c.placement);
      if (!c.on_one_core) {
        report_ms(context, name, "cpu", measure(body), std::nullopt, std::move(findings));
        continue;
      }
      const auto [sample, one_core] = measure_pair(body, [&] { c.on_one_core(*seed); });
      report_ms(context, name, context.device, sample,
                Reference{"one core, same run", one_core.median * 1e3}, std::move(findings));
    }
  }
}

}  // namespace bifocal::bench
