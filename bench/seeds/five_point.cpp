// SPDX-License-Identifier: BSD-3-Clause
// The five-point system: 160 hypotheses, each verified on all points (Sampson error, in front of
// both cameras). Its original figures were ratios to one core: the solver twice as fast on a GPU,
// the verification 40 to 100 times. Here one core uses its SIMD registers for both, and is measured
// in the same run, alternately with each case.
#include <bifocal/device.hpp>
#include <bifocal/solvers.hpp>
#include <fmt/format.h>

#include <algorithm>
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
constexpr int kMoreSolved[] = {40, 320, 1280, 5120};  // timed with the solver alone
constexpr float kThreshold = 2e-3F;                   // 2 px

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
        hypotheses_on_cpu_(cpu_queue_, cpu_rays_, hypotheses / kMostEssentials),
        hypotheses_(device_queue_, rays_, hypotheses / kMostEssentials),
        hybrid_(cpu_queue_, cpu_rays_, device_queue_.device(), rays_, samples_.count),
        parallel_(device_queue_, [this] {
          on_device_.draw(samples_.seed);
          on_device_.solve(FivePointSolver::warps);
          on_device_.count(kThreshold, Counting::reduction);
          on_device_.choose();
        }) {}

  // Computes the input of the single stages: samples, E, and the E without unused slots.
  void prepare() {
    keep(serial());
    keep(parallel());
    hybrid_.prepare(samples_.seed);
    std::vector<double> found;
    for (int trial = 0; trial < on_cpu_.trials; ++trial) {
      for (int s = 0; s < solutions_of(on_cpu_, trial); ++s) {
        for (int k = 0; k < 9; ++k)
          found.push_back(on_cpu_.E.data()[(9 * s + k) * on_cpu_.trials + trial]);
      }
    }
    const int trials = hypotheses_.trials;
    std::vector<double> rows(found.size());
    for (int g = 0; g < hypotheses_.models; ++g) {
      for (int k = 0; k < 9; ++k)
        rows[static_cast<std::size_t>((g / trials * 9 + k) * trials + g % trials)] =
            found[static_cast<std::size_t>(9 * g + k)];
    }
    hypotheses_on_cpu_.E.upload(cpu_queue_, rows);
    hypotheses_.E.upload(device_queue_, rows);
    device_queue_.wait();
  }

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
  // On one core without its SIMD registers.
  void solve_scalar() {
    const ThreadLimit one(1);
    const auto count = static_cast<std::size_t>(samples_.count);
    std::vector<double> E(9 * kMostEssentials * count);
    std::vector<int> counts(count);
    solve_minimal(MinimalSolver::essential_5pt_action,
                  std::span<const double>(on_cpu_.samples.data(), 20 * count), E, counts,
                  LaneKind::scalar);
    keep(E);
  }
  void solve_together() {
    const ThreadLimit one(1);
    hybrid_.solve();
  }
  // The two launches before and after the eigenpairs, and a short launch, for comparison.
  void build_matrices() {
    on_device_.build_matrices();
    device_queue_.wait();
  }
  void find_essentials() {
    on_device_.find_essentials();
    device_queue_.wait();
  }
  void draw() {
    on_device_.draw(samples_.seed);
    device_queue_.wait();
  }
  // One condition of the verification, for the hypotheses without unused slots.
  void verify_part(Counting counting) {
    hypotheses_.count(kThreshold, counting);
    device_queue_.wait();
  }
  void verify_part_on_one_core(Counting counting) {
    const ThreadLimit one(1);
    hypotheses_on_cpu_.count(kThreshold, counting);
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
  FivePointTrials on_cpu_, on_device_, hypotheses_on_cpu_, hypotheses_;
  FivePointHybrid hybrid_;
  runtime::Recording parallel_;
};

struct Case {
  std::string name;
  std::function<void(FivePointSeed&)> body, on_one_core;
  const char* reference = nullptr;
  std::function<void(FivePointSeed&, Figures&)> add_figures = nullptr;
};

double ms_of(const std::function<void()>& body) { return measure(body, 5, 0.02).median * 1e3; }

void add_scalar_time(FivePointSeed& seed, Figures& figures) {
  figures["one_core_without_simd_ms"] = ms_of([&] { seed.solve_scalar(); });
}

// The times of the solver's stages, and of the shortest work on the device.
void add_stages(FivePointSeed& seed, Figures& figures) {
  add_scalar_time(seed, figures);
  figures["matrices_ms"] = ms_of([&] { seed.build_matrices(); });
  figures["essentials_ms"] = ms_of([&] { seed.find_essentials(); });
  figures["short_launch_ms"] = ms_of([&] { seed.draw(); });
}

// One core with the same method; the stages have no separate old figures.
constexpr const char* kSolverReference = "one core, same run (recorded: 2x)";

Case solver_case(const char* name, FivePointSolver solver) {
  return {std::string("solver/") + name, [=](FivePointSeed& f) { f.solve(solver); },
          [=](FivePointSeed& f) { f.solve_on_one_core(solver); }, kSolverReference};
}

// Without the variants that serve to compare: the solver on the device, and on both.
std::vector<Case> main_solver_cases() {
  std::vector<Case> cases = {
      solver_case("eigenpairs", FivePointSolver::eigenpairs),
      solver_case("warps", FivePointSolver::warps),
      {"solver/hybrid", [](FivePointSeed& f) { f.solve_together(); },
       [](FivePointSeed& f) { f.solve_on_one_core(FivePointSolver::eigenpairs); },
       kSolverReference}};
  cases[0].add_figures = add_stages;
  cases[1].add_figures = [](FivePointSeed& seed, Figures& figures) {
    add_scalar_time(seed, figures);
    add_resources(figures, [&] { seed.solve(FivePointSolver::warps); });
  };
  cases[2].add_figures = add_scalar_time;
  return cases;
}

std::vector<Case> solver_cases() {
  std::vector<Case> cases = main_solver_cases();
  cases.push_back(solver_case("spread", FivePointSolver::spread));
  cases.push_back(solver_case("action", FivePointSolver::action));
  cases.push_back(solver_case("polynomial", FivePointSolver::polynomial));
  return cases;
}

// The verification's two kernels by themselves.
std::vector<Case> part_cases() {
  std::vector<Case> cases;
  const std::pair<const char*, Counting> parts[] = {{"sampson", Counting::near},
                                                    {"triangulation", Counting::ahead}};
  for (const auto& [name, part] : parts) {
    cases.push_back(
        {std::string("verification/") + name, [c = part](FivePointSeed& f) { f.verify_part(c); },
         [c = part](FivePointSeed& f) { f.verify_part_on_one_core(c); }, "one core, same run",
         [c = part](FivePointSeed& f, Figures& figures) {
           add_resources(figures, [&] { f.verify_part(c); });
         }});
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
    seed->prepare();
    Figures figures = {{"hypotheses", hypotheses},
                       {"samples", seed->samples()},
                       {"best_inliers", seed->parallel().inliers}};
    if (!c.on_one_core) {
      report_ms(context, name, "cpu", measure(body), std::nullopt, std::move(figures));
      continue;
    }
    const auto [sample, one_core] = measure_pair(body, [&] { c.on_one_core(*seed); });
    if (c.add_figures) c.add_figures(*seed, figures);
    report_ms(context, name, context.device, sample, Reference{c.reference, one_core.median * 1e3},
              std::move(figures));
  }
}

std::vector<Case> joined(std::initializer_list<std::vector<Case>> lists) {
  std::vector<Case> all;
  for (const std::vector<Case>& list : lists) all.insert(all.end(), list.begin(), list.end());
  return all;
}

}  // namespace

void run_five_point(Context& context) {
  constexpr int kProfiled = 2000;
  // The solver does not depend on the points: it is timed once per number of hypotheses.
  run_size(context, kProfiled, kHypotheses,
           joined({solver_cases(), part_cases(), cases_of_size()}));
  for (int points = 10000; points <= 100000; points += 10000)
    run_size(context, points, kHypotheses, cases_of_size());
  for (const int hypotheses : kMoreHypotheses)
    run_size(context, 10000, hypotheses, joined({solver_cases(), cases_of_size()}));
  for (const int hypotheses : kMoreSolved)
    run_size(context, kProfiled, hypotheses, main_solver_cases());
}

}  // namespace bifocal::bench::seeds
