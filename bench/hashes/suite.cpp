// SPDX-License-Identifier: BSD-3-Clause
// Hashes results of robust estimation, solvers, linear algebra, features, matching, stereo and
// rectification on fixed inputs. Two programs with equal hashes compute the same numbers
// (scripts/determinism).
#include "hashes/hashes.hpp"

#include <fmt/format.h>

#include <bifocal/linalg.hpp>
#include <bifocal/matching.hpp>
#include <bifocal/rectify.hpp>
#include <bifocal/solvers.hpp>
#include <bifocal/stereo.hpp>
#include <bifocal/features.hpp>
#include <cmath>
#include <random>

#include "runtime/hash.hpp"
#include "suites/features_suite.hpp"
#include "synthetic/samples.hpp"

namespace bifocal::bench {

void report_hash(Context& context, const std::string& name,
                 const std::function<void(Queue&, ResultBytes&)>& call) {
  if (!context.wanted(name)) return;
  Queue queue{Device(context.device)};
  ResultBytes bytes;
  call(queue, bytes);
  Record record;
  record.suite = "hashes";
  record.case_name = name;
  record.device = context.device;
  record.unit = "bytes";
  record.value = static_cast<double>(bytes.all().size());
  record.runs = 1;
  record.extra["hash"] = runtime::hash_of(bytes.all());
  context.report(std::move(record));
}

namespace {

// 300 is no multiple of 8, and 301 is odd, so that partly filled registers are tested as well. For
// matrices they occur only with 8 lanes or more.
constexpr int kMatrices = 300, kSamples = 301;
constexpr int kWidth = 320, kHeight = 240;

template <class T>
std::vector<T> random_numbers(std::size_t count) {
  std::mt19937 random(5);
  std::vector<T> numbers(count);
  for (T& v : numbers) v = static_cast<T>(random()) / static_cast<T>(1u << 31) - 1;
  return numbers;
}

template <class T>
MatrixBatch<T> batch_of(const std::vector<T>& numbers, int rows, int cols) {
  return {numbers.data(), rows, cols, kMatrices};
}

template <class T>
void hash_linalg(Context& context, const char* precision) {
  const auto name = [&](const char* what) {
    return fmt::format("hashes/linalg/{}/{}", what, precision);
  };
  const auto numbers = [](int each) {
    return std::vector<T>(static_cast<std::size_t>(each) * kMatrices);
  };
  report_hash(context, name("svd_9x9"), [&](Queue& queue, ResultBytes& out) {
    const std::vector<T> A = random_numbers<T>(81 * kMatrices);
    std::vector<T> S = numbers(9), V = numbers(81), U = numbers(81);
    svd<T>(queue, batch_of(A, 9, 9), {S.data(), V.data(), U.data()});
    for (const auto* v : {&S, &V, &U}) out.add_all(*v);
  });
  report_hash(context, name("smallest_8x9"), [&](Queue& queue, ResultBytes& out) {
    const std::vector<T> A = random_numbers<T>(72 * kMatrices);
    std::vector<T> x = numbers(9);
    smallest_singular_vector<T>(queue, batch_of(A, 8, 9), x.data());
    out.add_all(x);
  });
  report_hash(context, name("symmetric_9x9"), [&](Queue& queue, ResultBytes& out) {
    const std::vector<T> A = random_numbers<T>(81 * kMatrices);
    std::vector<T> values = numbers(9), vectors = numbers(81);
    symmetric_eigen<T>(queue, batch_of(A, 9, 9), {values.data(), vectors.data()});
    out.add_all(values), out.add_all(vectors);
  });
  report_hash(context, name("real_eigenpairs_10x10"), [&](Queue& queue, ResultBytes& out) {
    const std::vector<T> A = random_numbers<T>(100 * kMatrices);
    std::vector<T> values = numbers(10), vectors = numbers(100);
    std::vector<int> counts(kMatrices);
    real_eigenpairs<T>(queue, batch_of(A, 10, 10), {values.data(), vectors.data(), counts.data()});
    out.add_all(values), out.add_all(vectors), out.add_all(counts);
  });
}

template <class T>
void hash_solvers(Context& context, const char* precision) {
  static constexpr const char* kNames[] = {
#define SOLVER(name, ...) #name,
#include <bifocal/solvers.def>
  };
  for (std::size_t i = 0; i < std::size(kNames); ++i) {
    report_hash(
        context, fmt::format("hashes/solvers/{}/{}", kNames[i], precision),
        [&](Queue& queue, ResultBytes& out) {
          const auto solver = static_cast<MinimalSolver>(i);
          const SolverShape shape = solver_shape(solver);
          const std::vector<double> made = synthetic::make_samples(solver, kSamples).samples;
          const std::vector<T> samples(made.begin(), made.end());
          std::vector<T> solutions(
              static_cast<std::size_t>(kSamples * shape.max_solutions * shape.solution_rows));
          std::vector<int> counts(kSamples);
          solve_minimal(queue, solver, kSamples, samples.data(), solutions.data(), counts.data());
          out.add_all(counts), out.add_all(solutions);
        });
  }
}

void add_features(ResultBytes& out, const Features& features) {
  out.add_all(features.keypoints);
  out.add_all(features.descriptors);
  out.add_all(features.shapes);
}

// Two images of one texture. In the right one, bands of 32 rows are moved to the left by 4, 7, 10,
// ... pixels.
struct TwoImages {
  ImageU8 left = texture(kWidth, kHeight, 3, 4), right = left;
  TwoImages() {
    for (int y = 0; y < kHeight; ++y) {
      const int shift = 4 + y / 32 * 3;
      for (int x = 0; x + shift < kWidth; ++x) right.at(x, y) = left.at(x + shift, y);
    }
  }
};

void hash_features(Context& context) {
  const TwoImages pictures;
  const auto sift = [&](const char* name, const SiftOptions& options) {
    report_hash(context, fmt::format("hashes/features/{}", name),
                [&](Queue& queue, ResultBytes& out) {
                  add_features(out, detect_sift(queue, pictures.left, options));
                });
  };
  sift("rootsift", {});
  sift("pooled", {.max_features = 500, .balance = 1, .domain_size_pooling = true});
  sift("affine", {.max_features = 500, .affine_shape = true});
  report_hash(context, "hashes/features/surf", [&](Queue& queue, ResultBytes& out) {
    add_features(out, detect_surf(queue, pictures.left));
  });
  // Every device matches features from the CPU, so that its hash depends on the matcher only.
  const Features a = detect_sift(pictures.left), b = detect_sift(pictures.right);
  report_hash(context, "hashes/match/bytes",
              [&](Queue& queue, ResultBytes& out) { out.add_all(match(queue, a, b)); });
  report_hash(context, "hashes/match/guided", [&](Queue& queue, ResultBytes& out) {
    const MatchGuide guide{GuideKind::epipolar, {0, 0, 0, 0, 0, -1, 0, 1, 0}, 3};
    out.add_all(match_guided(queue, a, b, guide));
  });
  report_hash(context, "hashes/match/floats", [&](Queue& queue, ResultBytes& out) {
    const std::vector<float> x = random_numbers<float>(2 * kSamples * 64);
    out.add_all(match(queue, FloatDescriptors{x.data(), kSamples, 64},
                      FloatDescriptors{x.data() + kSamples * 32, kSamples, 64}));
  });
}

void hash_stereo(Context& context) {
  const TwoImages pictures;
  const auto add = [](ResultBytes& out, const DisparityMap& map) {
    out.add_all(map.raw.pixels), out.add_all(map.filled.pixels), out.add_all(map.confidence.pixels);
  };
  for (const int paths : {4, 8}) {
    report_hash(context, fmt::format("hashes/stereo/sgm{}", paths),
                [&](Queue& queue, ResultBytes& out) {
                  add(out, stereo_sgm(queue, pictures.left, pictures.right,
                                      {.disparities = 64, .paths = paths}));
                });
  }
  report_hash(context, "hashes/stereo/ssd", [&](Queue& queue, ResultBytes& out) {
    add(out, stereo_ssd(queue, pictures.left, pictures.right, {.disparities = 48, .window = 9}));
  });
}

void hash_rectify(Context& context) {
  report_hash(context, "hashes/rectify/warp", [](Queue& queue, ResultBytes& out) {
    const Mat3 H = {0.9, 0.1, 8, -0.08, 1.05, 3, 1e-4, -2e-4, 1};
    ImageU8 valid;
    out.add_all(warp(queue, TwoImages().left, H, kWidth, kHeight, &valid).pixels);
    out.add_all(valid.pixels);
  });
  report_hash(context, "hashes/rectify/maps", [](Queue&, ResultBytes& out) {
    const Intrinsics camera{400, 400, 160, 120};
    const double c = std::cos(0.1), s = std::sin(0.1);
    const Pose pose{{c, 0, s, 0, 1, 0, -s, 0, c}, {-1, 0.05, 0.1}};
    const Rectification r =
        rectify({camera, {}, kWidth, kHeight}, {camera, {}, kWidth, kHeight}, pose);
    for (const SamplingMap& map : sampling_maps(r)) out.add_all(map.x), out.add_all(map.y);
  });
}

}  // namespace

void run_hashes(Context& context) {
  hash_robust_estimates(context);
  hash_solvers<double>(context, "f64");
  hash_solvers<float>(context, "f32");
  hash_linalg<double>(context, "f64");
  hash_linalg<float>(context, "f32");
  hash_features(context);
  hash_stereo(context);
  hash_rectify(context);
}

}  // namespace bifocal::bench
