// SPDX-License-Identifier: BSD-3-Clause
// Minimal solvers, us a sample, amortised over the lanes of one core or the threads of a GPU.
#include <fmt/format.h>

#include <array>
#include <bifocal/solvers.hpp>
#include <bifocal/threads.hpp>
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

// PoseLib 3.0.0 on one core of another x86 machine with AVX-512, us.
const std::map<std::string, double> kPoseLib = {{"homography_4pt", 0.038},
                                                {"fundamental_7pt", 1.73},
                                                {"essential_5pt", 4.68},
                                                {"essential_5pt_action", 4.68},
                                                {"p3p", 0.212}};

#ifdef BIFOCAL_PEER_OPENCV
// OpenCV's own call for a sample; one sample a call is all that its interface offers. One function
// for each word `model` of bifocal/solvers.def; false: OpenCV has no such solver.
using Points = std::vector<cv::Point2f>;
bool opencv_homography(const Points& a, const Points& b) {
  keep(cv::getPerspectiveTransform(a, b));
  return true;
}
bool opencv_fundamental(const Points& a, const Points& b) {
  keep(cv::findFundamentalMat(a, b, a.size() == 7 ? cv::FM_7POINT : cv::FM_8POINT));
  return true;
}
bool opencv_essential(const Points& a, const Points& b) {
  if (a.size() != 5) return false;
  keep(cv::findEssentialMat(a, b, 1.0, cv::Point2d(0, 0), cv::RANSAC, 0.5, 1.0));
  return true;
}
bool opencv_focal(const Points&, const Points&) { return false; }
bool opencv_pose(const std::vector<cv::Point2d>& x, const std::vector<cv::Point3d>& X) {
  std::vector<cv::Mat> r, t;
  cv::solveP3P(X, x, cv::Mat::eye(3, 3, CV_64F), cv::noArray(), r, t, cv::SOLVEPNP_AP3P);
  return true;
}
// Samples as each word `data` lays them out, for OpenCV.
template <class Call>
bool opencv_two_view(const SampleBatch& batch, int m, int i, Call call) {
  const auto at = [&](int row) {
    return static_cast<float>(batch.samples[static_cast<std::size_t>(row) * batch.n + i]);
  };
  Points a, b;
  for (int p = 0; p < m; ++p) {
    a.emplace_back(at(p), at(m + p));
    b.emplace_back(at(2 * m + p), at(3 * m + p));
  }
  return call(a, b);
}
template <class Call>
bool opencv_absolute(const SampleBatch& batch, int m, int i, Call call) {
  const auto at = [&](int row) {
    return batch.samples[static_cast<std::size_t>(row) * batch.n + i];
  };
  std::vector<cv::Point2d> x;
  std::vector<cv::Point3d> X;
  for (int p = 0; p < m; ++p) {
    x.emplace_back(at(3 * p) / at(3 * p + 2), at(3 * p + 1) / at(3 * p + 2));
    X.emplace_back(at(3 * (m + p)), at(3 * (m + p) + 1), at(3 * (m + p) + 2));
  }
  return call(x, X);
}
#endif

struct Case {
  const char* name;
  MinimalSolver solver;
  bool (*peer)(const SampleBatch&, int i);
};
const Case kCases[] = {
#ifdef BIFOCAL_PEER_OPENCV
#define SOLVER(name, data, points, model, ...)                       \
  {#name, MinimalSolver::name, [](const SampleBatch& batch, int i) { \
     return opencv_##data(batch, points, i, opencv_##model);         \
   }},
#else
#define SOLVER(name, ...) {#name, MinimalSolver::name, nullptr},
#endif
#include <bifocal/solvers.def>
};

void add_peers(const Case& c, const SampleBatch& batch, Record& record) {
  if (const auto poselib = kPoseLib.find(c.name); poselib != kPoseLib.end())
    record.reference = Reference{"PoseLib 3.0.0, f64 (recorded)", poselib->second};
#ifdef BIFOCAL_PEER_OPENCV
  if (!c.peer(batch, 0)) return;
  cv::setNumThreads(1);
  int next = 0;
  const Sample peer = measure([&] { c.peer(batch, next++ % batch.n); });
  record.extra["opencv_" CV_VERSION "_us"] = peer.median * 1e6;
  if (!record.reference) record.reference = Reference{"OpenCV " CV_VERSION, peer.median * 1e6};
#else
  (void)batch;
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
