// SPDX-License-Identifier: BSD-3-Clause
// Minimal solvers, us per sample, amortised over the lanes of one core or the threads of a GPU. The
// suite `poselib` compares them with PoseLib.
#include <fmt/format.h>

#include <array>
#include <bifocal/solvers.hpp>
#include <bifocal/device.hpp>
#include <map>
#include <string>

#include "frame/bench.hpp"
#include "synthetic/samples.hpp"
#ifdef BIFOCAL_PEER_OPENCV
#include <opencv2/calib3d.hpp>
#include <opencv2/imgproc.hpp>
#endif

namespace bifocal::bench {
namespace {

using synthetic::SampleBatch;

// On a CPU one work package, whose rows do not compete for one set of the cache; on a GPU all
// threads many times.
constexpr int kSamples = 1008, kSamplesOfGpu = 1 << 18;

#ifdef BIFOCAL_PEER_OPENCV
// OpenCV's call for a sample; its interface has only one sample per call.
double number(const SampleBatch& batch, int row, int i) {
  return batch.samples[static_cast<std::size_t>(row) * batch.n + i];
}
using Points = std::vector<cv::Point2f>;
std::array<Points, 2> opencv_points(const SampleBatch& batch, int i) {
  const int m = solver_shape(batch.solver).sample_rows / 4;
  std::array<Points, 2> points;
  for (int k = 0; k < 2; ++k) {
    for (int p = 0; p < m; ++p)
      points[k].emplace_back(static_cast<float>(number(batch, 2 * k * m + p, i)),
                             static_cast<float>(number(batch, (2 * k + 1) * m + p, i)));
  }
  return points;
}
void opencv_homography(const SampleBatch& batch, int i) {
  const auto [a, b] = opencv_points(batch, i);
  keep(cv::getPerspectiveTransform(a, b));
}
void opencv_fundamental(const SampleBatch& batch, int i) {
  const auto [a, b] = opencv_points(batch, i);
  keep(cv::findFundamentalMat(a, b, a.size() == 7 ? cv::FM_7POINT : cv::FM_8POINT));
}
void opencv_essential(const SampleBatch& batch, int i) {
  const auto [a, b] = opencv_points(batch, i);
  keep(cv::findEssentialMat(a, b, 1.0, cv::Point2d(0, 0), cv::RANSAC, 0.5, 1.0));
}
void opencv_p3p(const SampleBatch& batch, int i) {
  std::vector<cv::Point2d> x;
  std::vector<cv::Point3d> X;
  for (int p = 0; p < 9; p += 3) {
    const auto at = [&](int row) { return number(batch, row + p, i); };
    x.emplace_back(at(0) / at(2), at(1) / at(2));
    X.emplace_back(at(9), at(10), at(11));
  }
  std::vector<cv::Mat> r, t;
  cv::solveP3P(X, x, cv::Mat::eye(3, 3, CV_64F), cv::noArray(), r, t, cv::SOLVEPNP_AP3P);
}
const std::map<std::string, void (*)(const SampleBatch&, int i)> kOpenCv = {
    {"homography_4pt", opencv_homography},
    {"homography_svd", opencv_homography},
    {"fundamental_7pt", opencv_fundamental},
    {"fundamental_8pt", opencv_fundamental},
    {"essential_5pt", opencv_essential},
    {"essential_5pt_action", opencv_essential},
    {"p3p", opencv_p3p}};
#endif

struct Case {
  const char* name;
  MinimalSolver solver;
};
const Case kCases[] = {
#define SOLVER(name, ...) {#name, MinimalSolver::name},
#include <bifocal/solvers.def>
};

void add_peers(const Case& c, const SampleBatch& batch, Record& record) {
#ifdef BIFOCAL_PEER_OPENCV
  const auto call = kOpenCv.find(c.name);
  if (call == kOpenCv.end()) return;
  cv::setNumThreads(1);
  int next = 0;
  const Sample peer = measure([&] { call->second(batch, next++ % batch.n); });
  record.extra["opencv_" CV_VERSION "_us"] = peer.median * 1e6;
  record.reference = Reference{"OpenCV " CV_VERSION, peer.median * 1e6};
#else
  (void)c, (void)batch, (void)record;
#endif
}

template <class T>
void run_case(Context& context, const Device& device, const Case& c, const SampleBatch& batch) {
  Record record;
  record.suite = "solvers";
  record.case_name = fmt::format("solvers/{}/{}", c.name, sizeof(T) == 8 ? "f64" : "f32");
  record.device = device.info().id;
  record.unit = "us/sample";
  if (!context.wanted(record.case_name)) return;
  const SolverShape shape = solver_shape(c.solver);
  const auto n = static_cast<std::size_t>(batch.n);
  const std::vector<T> samples(batch.samples.begin(), batch.samples.end());
  Queue queue(device);
  Buffer<T> in(device, samples.size()), out(device, n * shape.max_solutions * shape.solution_rows);
  Buffer<int> counts(device, n);
  in.upload(queue, samples);
  const Sample ours = measure([&] {
    solve_minimal(queue, c.solver, batch.n, in, out, counts);
    queue.wait();
  });
  std::vector<int> found(n);
  counts.download(queue, found);
  queue.wait();
  double solutions = 0;
  for (const int count : found) solutions += count;
  const double micro = 1e6 / batch.n;
  record.value = ours.median * micro, record.mad = ours.mad * micro, record.runs = ours.runs;
  record.extra["samples"] = batch.n;
  record.extra["mean_solutions"] = solutions / batch.n;
  record.extra["samples_per_s"] = 1e6 / record.value;
  add_peers(c, batch, record);
  context.report(std::move(record));
}

}  // namespace

void run_solvers(Context& context) {
  const ThreadLimit one(1);
  const Device device(context.device);
  const bool on_cpu = device.info().kind == DeviceKind::cpu;
  for (const Case& c : kCases) {
    if (!context.wanted(fmt::format("solvers/{}/f64", c.name)) &&
        !context.wanted(fmt::format("solvers/{}/f32", c.name)))
      continue;
    const SampleBatch batch =
        synthetic::make_samples(c.solver, on_cpu ? kSamples : kSamplesOfGpu, 5);
    if (device.info().has_double) run_case<double>(context, device, c, batch);
    run_case<float>(context, device, c, batch);
  }
}

}  // namespace bifocal::bench
