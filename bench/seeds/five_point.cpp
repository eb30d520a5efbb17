// SPDX-License-Identifier: BSD-3-Clause
// The five-point system: 160 hypotheses, each verified on all points (Sampson error, in front of
// both cameras). Its original figures were ratios to one core: the solver twice as fast on a GPU,
// the verification 40 to 100 times. Here one core uses its SIMD registers for both, and is measured
// in the same run, alternately with each case.
#include <bifocal/device.hpp>
#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <optional>
#include <random>

#include "runtime/recording.hpp"
#include "seeds/five_point_hybrid.hpp"
#include "seeds/five_point_trials.hpp"
#include "seeds/seeds.hpp"
#include "synthetic/two_view_scenes.hpp"

namespace bifocal::bench::seeds {
namespace {

constexpr int kHypotheses = 160;
constexpr int kMoreHypotheses[] = {640, 2560, 10240};
constexpr float kThreshold = 2e-3F;  // 2 px

// 60 per cent of the points are inliers: few samples consist of inliers only.
std::vector<PointPair> ray_pairs(int points) {
  std::mt19937_64 random(1);
  synthetic::TwoViewScene scene =
      synthetic::make_scene({.points = points, .inliers = 0.6, .noise = 1}, random);
  const Intrinsics& c = scene.camera;
  for (PointPair& p : scene.points) {
    p = {(p.x1 - c.cx) / c.fx, (p.y1 - c.cy) / c.fy, (p.x2 - c.cx) / c.fx, (p.y2 - c.cy) / c.fy};
  }
  return scene.points;
}

int solutions_of(const FivePointTrials& on_cpu, int trial) {
  int count = 0;
  for (int s = 0; s < kMostEssentials; ++s)
    count += !std::isnan(on_cpu.E.data()[9 * s * on_cpu.trials + trial]);
  return count;
}

// A seed and a number of samples with exactly this number of solutions in total.
struct Samples {
  int seed, count;
};
Samples find_samples(Queue& cpu, const RayPairs& rays, int hypotheses) {
  FivePointTrials trials(cpu, rays, hypotheses / 2);  // a sample has 4 or 5 on average
  for (int seed = 1;; ++seed) {
    trials.draw(seed);
    trials.solve(FivePointSolver::action);
    int count = 0, found = 0;
    while (count < trials.trials && found < hypotheses) found += solutions_of(trials, count++);
    if (found == hypotheses) return {seed, count};
  }
}

// One core and the device, both with the same points and samples.
class FivePointSeed {
 public:
  FivePointSeed(const std::string& device, int points, int hypotheses)
      : device_queue_(Device(device)),
        cpu_rays_(cpu_queue_, ray_pairs(points)),
        rays_(device_queue_, ray_pairs(points)),
        samples_(find_samples(cpu_queue_, cpu_rays_, hypotheses)),
        on_cpu_(cpu_queue_, cpu_rays_, samples_.count),
        on_device_(device_queue_, rays_, samples_.count),
        hybrid_(cpu_queue_, cpu_rays_, device_queue_.device(), rays_, samples_.count),
        parallel_(device_queue_, [this] {
          on_device_.draw(samples_.seed);
          on_device_.solve(FivePointSolver::eigenpairs);
          on_device_.count(kThreshold, Counting::reduction);
          on_device_.choose();
        }) {}

  // From drawing the samples to the best E on the host.
  Chosen serial() {
    const ThreadLimit one(1);
    on_cpu_.draw(samples_.seed);
    on_cpu_.solve(FivePointSolver::action);
    on_cpu_.count(kThreshold, Counting::reduction);
    on_cpu_.choose();
    return on_cpu_.chosen();
  }
  Chosen serial_solver() {
    const ThreadLimit one(1);
    on_cpu_.draw(samples_.seed);
    on_cpu_.solve(FivePointSolver::action);
    on_device_.E.upload(device_queue_,
                        {on_cpu_.E.data(), 90 * static_cast<std::size_t>(samples_.count)});
    on_device_.count(kThreshold, Counting::reduction);
    on_device_.choose();
    return on_device_.chosen();
  }
  Chosen parallel() {
    parallel_.run();
    return on_device_.chosen();
  }
  Chosen hybrid() {
    const ThreadLimit one(1);
    return hybrid_.run(samples_.seed, kThreshold);
  }

  void solve(FivePointSolver solver) {
    on_device_.solve(solver);
    device_queue_.wait();
  }
  void solve_on_one_core(FivePointSolver solver) {
    const ThreadLimit one(1);
    on_cpu_.solve(solver);
  }
  void verify(Counting counting) {
    on_device_.count(kThreshold, counting);
    device_queue_.wait();
  }
  void verify_on_one_core() {
    const ThreadLimit one(1);
    on_cpu_.count(kThreshold, Counting::reduction);
  }
  [[nodiscard]] int samples() const { return samples_.count; }

 private:
  Queue cpu_queue_, device_queue_;
  RayPairs cpu_rays_, rays_;
  Samples samples_;
  FivePointTrials on_cpu_, on_device_;
  FivePointHybrid hybrid_;
  runtime::Recording parallel_;
};

struct Case {
  std::string name;
  std::function<void(FivePointSeed&)> body, on_one_core;
  const char* reference = nullptr;
};

// One core with the same method; the stages have no separate old figures.
std::vector<Case> solver_cases() {
  std::vector<Case> cases;
  const std::pair<const char*, FivePointSolver> solvers[] = {
      {"eigenpairs", FivePointSolver::eigenpairs},
      {"action", FivePointSolver::action},
      {"polynomial", FivePointSolver::polynomial}};
  for (const auto& [name, solver] : solvers) {
    cases.push_back({std::string("solver/") + name, [s = solver](FivePointSeed& f) { f.solve(s); },
                     [s = solver](FivePointSeed& f) { f.solve_on_one_core(s); },
                     "one core, same run (recorded: 2x)"});
  }
  return cases;
}

std::vector<Case> cases_of_size() {
  const auto serial = [](FivePointSeed& f) { keep(f.serial()); };
  const auto verify_on_one_core = [](FivePointSeed& f) { f.verify_on_one_core(); };
  const char *all = "one core, same run",
             *verification = "one core, same run (recorded: 40x to 100x, 90x stated)";
  return {{"serial", serial, nullptr},
          {"serial_solver", [](FivePointSeed& f) { keep(f.serial_solver()); }, serial, all},
          {"parallel", [](FivePointSeed& f) { keep(f.parallel()); }, serial, all},
          {"hybrid", [](FivePointSeed& f) { keep(f.hybrid()); }, serial, all},
          {"verification/reduction", [](FivePointSeed& f) { f.verify(Counting::reduction); },
           verify_on_one_core, verification},
          {"verification/atomics", [](FivePointSeed& f) { f.verify(Counting::atomics); },
           verify_on_one_core, verification}};
}

void run_size(Context& context, int points, int hypotheses, const std::vector<Case>& cases) {
  std::unique_ptr<FivePointSeed> seed;
  for (const Case& c : cases) {
    const std::string name = fmt::format("seeds/five_point{}x{}/{}", hypotheses, points, c.name);
    if (!context.wanted(name)) continue;
    if (!seed) seed = std::make_unique<FivePointSeed>(context.device, points, hypotheses);
    const auto body = [&] { c.body(*seed); };
    (void)seed->serial();  // input of the single stages
    Figures figures = {{"hypotheses", hypotheses},
                       {"samples", seed->samples()},
                       {"best_inliers", seed->parallel().inliers}};
    if (!c.on_one_core) {
      report_ms(context, name, "cpu", measure(body), std::nullopt, std::move(figures));
      continue;
    }
    const auto [sample, one_core] = measure_pair(body, [&] { c.on_one_core(*seed); });
    report_ms(context, name, context.device, sample, Reference{c.reference, one_core.median * 1e3},
              std::move(figures));
  }
}

}  // namespace

void run_five_point(Context& context) {
  constexpr int kProfiled = 2000;
  // The solver does not depend on the points: it is timed once per number of hypotheses.
  std::vector<Case> all_cases = solver_cases();
  for (Case& c : cases_of_size()) all_cases.push_back(std::move(c));
  run_size(context, kProfiled, kHypotheses, all_cases);
  for (int points = 10000; points <= 100000; points += 10000)
    run_size(context, points, kHypotheses, cases_of_size());
  for (const int hypotheses : kMoreHypotheses) run_size(context, 10000, hypotheses, all_cases);
}

}  // namespace bifocal::bench::seeds
