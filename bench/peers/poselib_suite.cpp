// SPDX-License-Identifier: BSD-3-Clause
// Minimal solvers compared with PoseLib's of the same problems on the same samples: one core,
// batches on SIMD registers and one call per sample, alternately, with the misses of each. Times
// are CPU times, so that other work on the machine has less influence.
#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <bifocal/solvers.hpp>
#include <bifocal/device.hpp>
#include <cmath>
#include <limits>
#include <memory>

#include "frame/bench.hpp"
#include "peers/poselib_solvers.hpp"
#include "synthetic/samples.hpp"
#include "synthetic/solution_distance.hpp"

namespace bifocal::bench {
namespace {

using synthetic::SampleBatch;

constexpr int kTimed = 1008;  // samples whose solutions stay in the cache
constexpr int kRounds = 41;
constexpr int kJudged = 20 * kTimed;  // samples whose misses are counted

struct Case {
  const char* name;
  MinimalSolver solver;
};
const Case kCases[] = {
#define SOLVER(name, ...) {#name, MinimalSolver::name},
#include <bifocal/solvers.def>
};

// The samples of a solver. PoseLib does not model a shift of depths, so it is removed.
SampleBatch samples_of(MinimalSolver solver) {
  SampleBatch batch = synthetic::make_samples(solver, kJudged, 5);
  if (solver != MinimalSolver::relative_pose_3pt_monodepth_shared_focal) return batch;
  for (int i = 0; i < batch.n; ++i) {
    double& shift = batch.truth[static_cast<std::size_t>(15 * i + 14)];
    for (int p = 15; p < 18; ++p) batch.samples[static_cast<std::size_t>(p) * batch.n + i] += shift;
    shift = 0;
  }
  return batch;
}

// Bifocal's solver on a batch; solutions [max_solutions * solution_rows][n].
struct Ours {
  Queue queue;
  MinimalSolver solver;
  SolverShape shape;
  int n;
  Buffer<double> in, out;
  Buffer<int> found;
  std::vector<double> solutions;
  std::vector<int> counts;

  Ours(const SampleBatch& batch, int samples)
      : solver(batch.solver),
        shape(solver_shape(solver)),
        n(samples),
        in(queue.device(), size(shape.sample_rows)),
        out(queue.device(), size(shape.max_solutions * shape.solution_rows)),
        found(queue.device(), size(1)),
        solutions(size(shape.max_solutions * shape.solution_rows)),
        counts(size(1)) {
    std::vector<double> first;
    for (int r = 0; r < shape.sample_rows; ++r) {
      const auto row = batch.samples.begin() + static_cast<std::ptrdiff_t>(r) * batch.n;
      first.insert(first.end(), row, row + n);
    }
    in.upload(queue, first);
    queue.wait();
  }
  [[nodiscard]] std::size_t size(int rows) const { return static_cast<std::size_t>(rows) * n; }
  void solve() {
    solve_minimal(queue, solver, n, in, out, found);
    queue.wait();
  }
  void fetch() {
    out.download(queue, solutions);
    found.download(queue, counts);
    queue.wait();
  }
  void solution(int i, int s, double* rows) const {
    for (int k = 0; k < shape.solution_rows; ++k)
      rows[k] = solutions[size(s * shape.solution_rows + k) + static_cast<std::size_t>(i)];
  }
  [[nodiscard]] int count(int i) const { return counts[static_cast<std::size_t>(i)]; }
};

double processor_seconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

// Median and median deviation of the time of one call, us per sample.
struct Time {
  std::vector<double> values;
  void take(const std::function<void()>& body) {
    const double start = processor_seconds();
    int calls = 0;
    for (; processor_seconds() - start < 2e-3; ++calls) body();
    values.push_back((processor_seconds() - start) * 1e6 / calls / kTimed);
  }
  static double median_of(std::vector<double> v) {
    const auto middle = v.begin() + static_cast<std::ptrdiff_t>(v.size() / 2);
    std::nth_element(v.begin(), middle, v.end());
    return *middle;
  }
  [[nodiscard]] double median() const { return median_of(values); }
  [[nodiscard]] double mad() const {
    std::vector<double> deviations;
    for (const double v : values) deviations.push_back(std::abs(v - median()));
    return median_of(deviations);
  }
};

// Compares the solutions with the true models and writes misses and errors into the record.
void judge(const SampleBatch& batch, const auto& solved, const std::string& whose,
           Figures& figures) {
  const int rows = solver_shape(batch.solver).solution_rows;
  const synthetic::SolutionDistance distance = synthetic::solution_distance(batch.solver);
  std::vector<double> errors, solution(static_cast<std::size_t>(rows));
  int missed = 0;
  double found = 0;
  for (int i = 0; i < batch.n; ++i) {
    double nearest = std::numeric_limits<double>::infinity();
    for (int s = 0; s < solved.count(i); ++s) {
      solved.solution(i, s, solution.data());
      const double d = distance(solution.data(), &batch.truth[static_cast<std::size_t>(i) * rows]);
      if (d < nearest) nearest = d;
    }
    errors.push_back(nearest);
    missed += !(nearest <= 1e-6);
    found += solved.count(i);
  }
  std::sort(errors.begin(), errors.end());
  figures[whose + "missed_percent"] = 100.0 * missed / batch.n;
  figures[whose + "median_error"] = errors[errors.size() / 2];
  figures[whose + "p99_error"] = errors[errors.size() * 99 / 100];
  figures[whose + "mean_solutions"] = found / batch.n;
}

void run_case(Context& context, const Case& c, const std::string& case_name) {
  const SampleBatch batch = samples_of(c.solver);
  const std::unique_ptr<PoseLibSolver> peer(poselib_solver(c.name, batch.samples.data(), batch.n));
  Ours timed(batch, kTimed), judged(batch, batch.n);
  Time ours, theirs;
  for (int round = 0; round < kRounds; ++round) {
    ours.take([&] { timed.solve(); });
    theirs.take([&] { peer->solve(0, kTimed); });
  }
  Record record;
  record.suite = "poselib";
  record.case_name = case_name;
  record.unit = "us/sample";
  record.value = ours.median(), record.mad = ours.mad(), record.runs = kRounds;
  record.reference = Reference{fmt::format("PoseLib, {}", poselib_build()), theirs.median()};
  record.extra["poselib_mad"] = theirs.mad();
  record.extra["simd"] = Device("cpu").info().simd;
  judged.solve();
  judged.fetch();
  judge(batch, judged, "", record.extra);
  peer->solve(0, batch.n);
  judge(batch, *peer, "poselib_", record.extra);
  context.report(std::move(record));
}

}  // namespace

void run_poselib(Context& context) {
  const ThreadLimit one(1);
  for (const Case& c : kCases) {
    const std::string name = fmt::format("poselib/{}", c.name);
    const std::unique_ptr<PoseLibSolver> peer(poselib_solver(c.name, nullptr, 0));
    if (peer && context.wanted(name)) run_case(context, c, name);
  }
}

}  // namespace bifocal::bench
