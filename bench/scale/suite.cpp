// SPDX-License-Identifier: BSD-3-Clause
// Gain by threads: one call of each module with 1, 2, 4, ... threads up to all cores, alternately.
#include <fmt/format.h>

#include <algorithm>
#include <bifocal/device.hpp>
#include <bifocal/features.hpp>
#include <bifocal/linalg.hpp>
#include <bifocal/matching.hpp>
#include <bifocal/robust.hpp>
#include <bifocal/stereo.hpp>

#include "suites/features_suite.hpp"
#include "frame/bench.hpp"
#include "suites/linalg_batches.hpp"
#include "suites/match_suite.hpp"
#include "suites/robust_suite.hpp"
#include "suites/stereo_suite.hpp"

namespace bifocal::bench {
namespace {

// A call, and its number of items.
struct Work {
  std::function<void()> run;
  int items;
};

Work robust_batch() {
  struct Batch {
    std::vector<PointPair> points;
    std::vector<std::int64_t> offsets{0};
    std::vector<Intrinsics> camera;
  };
  const auto batch = std::make_shared<Batch>();
  constexpr int kPairs = 256;
  for (const ProblemScene& scene : make_scenes(ModelKind::essential, kPairs, 2000, 50)) {
    const auto* first = reinterpret_cast<const PointPair*>(scene.numbers.data());
    batch->points.insert(batch->points.end(), first, first + scene.count());
    batch->offsets.push_back(static_cast<std::int64_t>(batch->points.size()));
    batch->camera = {scene.cameras[0]};
  }
  return {[batch] {
            Queue queue;
            keep(estimate_batch(queue, ModelKind::essential, batch->points.data(),
                                {.offsets = batch->offsets,
                                 .cameras1 = batch->camera,
                                 .cameras2 = batch->camera,
                                 .options = {.threshold = 2.5}}));
          },
          kPairs};
}

Work features() {
  const auto picture = std::make_shared<ImageU8>(texture(1600, 1200, 11));
  return {[picture] { keep(detect_sift(*picture)); }, 1};
}

Work matches() {
  const auto first = std::make_shared<Features>(random_image(8192, 1)),
             second = std::make_shared<Features>(random_image(8192, 2));
  return {[first, second] { keep(match(*first, *second)); }, 1};
}

Work stereo() {
  const auto pair = std::make_shared<StereoPair>(shifted_noise(741, 497));
  const auto frames = frames_of(*pair, SgmOptions{.disparities = 80, .paths = 8});
  return {[pair, frames] { frames(); }, 1};
}

Work singular_values() {
  constexpr int kMatrices = 100000;
  struct Batch {
    std::vector<double> A, S, V;
  };
  const auto batch = std::make_shared<Batch>();
  batch->A = random_matrices<double>(9, 9, 1000).interleaved(kMatrices);
  batch->S.resize(9 * std::size_t{kMatrices}), batch->V.resize(81 * std::size_t{kMatrices});
  return {[batch] {
            Queue queue;
            svd<double>(queue, {batch->A.data(), 9, 9, kMatrices},
                        {.S = batch->S.data(), .V = batch->V.data()});
          },
          kMatrices};
}

void time_threads(Context& context, const std::string& module_name, const std::string& unit,
                  const std::function<Work()>& make) {
  const std::string name = "scale/" + module_name;
  if (!context.wanted(name)) return;
  const Work work = make();
  const int cores = Device().info().cores;
  std::vector<int> threads;
  for (int n = 1; n < cores; n *= 2) threads.push_back(n);
  threads.push_back(cores);
  std::vector<std::function<void()>> bodies;
  for (const int n : threads) {
    bodies.emplace_back([&work, n] {
      const ThreadLimit limit(n);
      work.run();
    });
  }
  const std::vector<Sample> samples = measure_interleaved(bodies, 5, 0.5);
  for (std::size_t k = 0; k < threads.size(); ++k) {
    Record record;
    record.suite = "scale";
    record.case_name = fmt::format("{}/threads{}", name, threads[k]);
    record.unit = unit;
    record.value = work.items / samples[k].median;
    record.mad = record.value * samples[k].mad / samples[k].median;
    record.runs = samples[k].runs;
    record.higher_is_better = true;
    record.extra["efficiency"] = samples[0].median / samples[k].median / threads[k];
    context.report(std::move(record));
  }
}

}  // namespace

void run_scale(Context& context) {
  time_threads(context, "robust/essential/n2000/inliers50", "pairs/s", robust_batch);
  time_threads(context, "features/rootsift/1600x1200", "images/s", features);
  time_threads(context, "match/8192x8192", "pairs/s", matches);
  time_threads(context, "stereo/sgm8/741x497/d80", "pairs/s", stereo);
  time_threads(context, "svd/9x9/f64/sv", "matrices/s", singular_values);
}

}  // namespace bifocal::bench
