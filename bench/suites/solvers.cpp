// SPDX-License-Identifier: BSD-3-Clause
// Minimal solvers, us a sample, amortised over the lanes of one core.
#include <fmt/format.h>

#include <algorithm>
#include <bifocal/geometry.hpp>
#include <bifocal/solvers.hpp>
#include <bifocal/threads.hpp>
#include <cmath>
#include <random>

#include "frame/bench.hpp"
#ifdef BIFOCAL_PEER_OPENCV
#include <opencv2/calib3d.hpp>
#include <opencv2/imgproc.hpp>
#endif

namespace bifocal::bench {
namespace {

// No power of two: rows would compete for one set of the cache. One work package.
constexpr int kSamples = 1008;

struct Case {
  const char* name;
  MinimalSolver solver;
  bool planar;
  // PoseLib 3.0.0 on one core of another x86 machine with AVX-512, us; 0: not measured.
  double poselib;
};
constexpr Case kCases[] = {
    {"homography_4pt", MinimalSolver::homography_4pt, true, 0.038},
    {"fundamental_7pt", MinimalSolver::fundamental_7pt, false, 1.73},
    {"fundamental_8pt", MinimalSolver::fundamental_8pt, false, 0},
    {"essential_5pt", MinimalSolver::essential_5pt, false, 4.68},
    {"essential_5pt_action", MinimalSolver::essential_5pt_action, false, 4.68},
    {"p3p", MinimalSolver::p3p, false, 0.212}};

struct Camera2 {
  Mat3 R;
  Vec3 t;
  [[nodiscard]] Vec3 operator()(const Vec3& X) const {
    Vec3 Y = t;
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) Y[i] += R[3 * i + j] * X[j];
    }
    return Y;
  }
};

Vec3 direction(std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  const Vec3 v = {normal(random), normal(random), normal(random)};
  const double length = std::hypot(v[0], v[1], v[2]);
  return {v[0] / length, v[1] / length, v[2] / length};
}

// At most 30 degrees about a random axis (Rodrigues), a baseline of 1.
Camera2 random_camera(std::mt19937_64& random) {
  const Vec3 a = direction(random);
  const double angle = std::uniform_real_distribution<double>(0, 0.5236)(random);
  const double s = std::sin(angle), c = std::cos(angle), d = 1 - c;
  return {{c + d * a[0] * a[0], d * a[0] * a[1] - s * a[2], d * a[0] * a[2] + s * a[1],
           d * a[0] * a[1] + s * a[2], c + d * a[1] * a[1], d * a[1] * a[2] - s * a[0],
           d * a[0] * a[2] - s * a[1], d * a[1] * a[2] + s * a[0], c + d * a[2] * a[2]},
          direction(random)};
}

// 4 to 12 units deep; on a slanted plane 8 units away for homographies.
Vec3 random_point(std::mt19937_64& random, bool planar) {
  std::uniform_real_distribution<double> xy(-0.5, 0.5), depth(4, 12);
  const double x = xy(random), y = xy(random);
  const double z = planar ? 8 / (1 + 0.2 * x - 0.3 * y) : depth(random);
  return {x * z, y * z, z};
}

// [sample_rows][kSamples]
std::vector<double> make_samples(const Case& c) {
  const int rows = solver_shape(c.solver).sample_rows;
  std::vector<double> samples(static_cast<std::size_t>(rows) * kSamples);
  std::mt19937_64 random(5);
  for (int i = 0; i < kSamples; ++i) {
    const Camera2 camera = random_camera(random);
    const auto put = [&](int row, double v) {
      samples[static_cast<std::size_t>(row) * kSamples + i] = v;
    };
    const bool p3p = c.solver == MinimalSolver::p3p;
    const int points = p3p ? 3 : rows / 4;
    for (int p = 0; p < points; ++p) {
      const Vec3 X = random_point(random, c.planar), Y = camera(X);
      if (p3p) {
        const double length = std::hypot(Y[0], Y[1], Y[2]);
        for (int k = 0; k < 3; ++k) put(3 * p + k, Y[k] / length), put(9 + 3 * p + k, X[k]);
      } else {
        put(p, X[0] / X[2]), put(points + p, X[1] / X[2]);
        put(2 * points + p, Y[0] / Y[2]), put(3 * points + p, Y[1] / Y[2]);
      }
    }
  }
  return samples;
}

#ifdef BIFOCAL_PEER_OPENCV
// OpenCV's own call for one sample of a batch; one sample a call is all that its interface offers.
void solve_by_opencv(const Case& c, const std::vector<double>& samples, int i) {
  const auto at = [&](int row) { return samples[static_cast<std::size_t>(row) * kSamples + i]; };
  if (c.solver == MinimalSolver::p3p) {
    std::vector<cv::Point3d> X;
    std::vector<cv::Point2d> x;
    for (int p = 0; p < 3; ++p) {
      X.emplace_back(at(9 + 3 * p), at(10 + 3 * p), at(11 + 3 * p));
      x.emplace_back(at(3 * p) / at(3 * p + 2), at(3 * p + 1) / at(3 * p + 2));
    }
    std::vector<cv::Mat> r, t;
    cv::solveP3P(X, x, cv::Mat::eye(3, 3, CV_64F), cv::noArray(), r, t, cv::SOLVEPNP_AP3P);
    return;
  }
  const int m = solver_shape(c.solver).sample_rows / 4;
  std::vector<cv::Point2f> a, b;
  for (int p = 0; p < m; ++p) {
    a.emplace_back(static_cast<float>(at(p)), static_cast<float>(at(m + p)));
    b.emplace_back(static_cast<float>(at(2 * m + p)), static_cast<float>(at(3 * m + p)));
  }
  switch (c.solver) {
    case MinimalSolver::homography_4pt:
      keep(cv::getPerspectiveTransform(a, b));
      break;
    case MinimalSolver::homography_svd:
      keep(cv::findHomography(a, b));
      break;
    case MinimalSolver::fundamental_7pt:
      keep(cv::findFundamentalMat(a, b, cv::FM_7POINT));
      break;
    case MinimalSolver::fundamental_8pt:
      keep(cv::findFundamentalMat(a, b, cv::FM_8POINT));
      break;
    default:
      keep(cv::findEssentialMat(a, b, 1.0, cv::Point2d(0, 0), cv::RANSAC, 0.5, 1.0));
      break;
  }
}
#endif

template <class T>
void run_case(Context& context, const Case& c, const std::vector<double>& samples,
              const char* precision) {
  const std::string name = fmt::format("solvers/{}/{}", c.name, precision);
  if (!context.wanted(name)) return;
  const SolverShape shape = solver_shape(c.solver);
  const std::vector<T> in(samples.begin(), samples.end());
  std::vector<T> out(static_cast<std::size_t>(shape.max_solutions * shape.solution_rows) *
                     kSamples);
  std::vector<int> counts(kSamples);
  const auto body = [&] {
    solve_minimal(c.solver, std::span<const T>(in), std::span<T>(out), std::span<int>(counts));
    keep(out);
  };
  Record record;
  record.suite = "solvers";
  record.case_name = name;
  record.unit = "us/sample";
  const Sample ours = measure(body);
  constexpr double kMicro = 1e6 / kSamples;
  record.value = ours.median * kMicro, record.mad = ours.mad * kMicro, record.runs = ours.runs;
  double solutions = 0;
  for (int count : counts) solutions += count;
  record.extra["mean_solutions"] = solutions / kSamples;
  if (c.poselib > 0) record.reference = Reference{"PoseLib 3.0.0, f64 (recorded)", c.poselib};
#ifdef BIFOCAL_PEER_OPENCV
  cv::setNumThreads(1);
  int next = 0;
  const Sample peer = measure([&] { solve_by_opencv(c, samples, next++ % kSamples); });
  record.extra["opencv_" CV_VERSION "_us"] = peer.median * 1e6;
  if (!record.reference) record.reference = Reference{"OpenCV " CV_VERSION, peer.median * 1e6};
#endif
  context.report(std::move(record));
}

}  // namespace

void run_solvers(Context& context) {
  const ThreadLimit one(1);
  for (const Case& c : kCases) {
    const std::vector<double> samples = make_samples(c);
    run_case<double>(context, c, samples, "f64");
    run_case<float>(context, c, samples, "f32");
  }
}

}  // namespace bifocal::bench
