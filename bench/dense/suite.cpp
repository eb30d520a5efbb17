// SPDX-License-Identifier: BSD-3-Clause
// Dense depth of many views: time of an image, and errors, on photographs of a made town with exact
// depth. Cameras are the true ones.
#include <fmt/format.h>

#include <bifocal/dense.hpp>
#include <bifocal/device.hpp>

#include <algorithm>
#include <chrono>
#include <random>
#include <string>
#include <vector>

#include "dense/truth.hpp"
#include "frame/bench.hpp"
#include "made_town/renderer.hpp"
#include "runtime/parallel.hpp"

namespace bifocal::bench {
namespace {

struct Case {
  const char* town;
  int width, height, views, photographs;
};
constexpr Case kCases[] = {{"plain", 400, 300, 4, 16},
                           {"plain", 800, 600, 4, 24},
                           {"hard", 800, 600, 4, 24},
                           {"plain", 800, 600, 8, 24}};

// The first photographs of a ring of 100.
struct Photographs {
  std::vector<DenseView> views;
  std::vector<TrueView> truth;
};
Photographs photographs_of(const Case& c) {
  constexpr int kRing = 100;
  constexpr std::uint32_t kSeed = 5;
  constexpr double kRadius = 15;  // m
  const Lens lens{c.width, c.height};
  const Intrinsics camera = {lens.focal(), lens.focal(), 0.5 * (c.width - 1), 0.5 * (c.height - 1)};
  std::mt19937 random(kSeed);
  const Town town =
      std::string_view(c.town) == "hard" ? hard_town(kRadius, random) : plain_town(kRadius, random);
  Photographs made;
  for (int k = 0; k < c.photographs; ++k) {
    const Pose pose = camera_pose(k, kRing, town.street, random);
    made.views.push_back({fmt::format("{}", k), {}, camera, pose});
    made.truth.push_back({made.views.back().name, camera, pose, c.width, c.height, {}, {}});
  }
  runtime::parallel_each(made.views.size(), [&](std::size_t k) {
    Rendered rendered =
        render(town, made.views[k].cam_from_world, lens, static_cast<std::uint32_t>(k));
    made.views[k].image = std::move(rendered.rgb);
    made.truth[k].depth = std::move(rendered.depth);
    made.truth[k].normal = std::move(rendered.normal);
  });
  return made;
}

DenseCounts counts_of(const std::vector<TrueView>& truth, const std::vector<DenseMap>& maps) {
  std::vector<DenseCounts> counts(maps.size());
  runtime::parallel_each(maps.size(), [&](std::size_t i) {
    const DenseMap& map = maps[i];
    counts[i] =
        compare_depth(truth, i, {map.depth.pixels, map.deviation.pixels, map.normal.pixels}, 2);
  });
  DenseCounts sum;
  for (const DenseCounts& c : counts) sum.add(c);
  return sum;
}

void run_case(Context& context, const Device& device, const Case& c) {
  const std::string name = fmt::format("dense/{}/{}x{}/v{}", c.town, c.width, c.height, c.views);
  if (!context.wanted(name)) return;
  const Photographs made = photographs_of(c);
  const int runs = device.info().kind == DeviceKind::cpu ? 1 : 5;
  DenseResult result;
  std::vector<double> seconds;
  Queue queue(device);
  for (int run = 0; run < runs; ++run) {
    const auto start = std::chrono::steady_clock::now();
    result = dense_depth(queue, made.views, {}, {.views = c.views});
    seconds.push_back(
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  std::ranges::sort(seconds);
  const DenseCounts counts = counts_of(made.truth, result.maps);
  const auto percent = [](std::int64_t part, std::int64_t whole) {
    return 100.0 * static_cast<double>(part) /
           static_cast<double>(std::max<std::int64_t>(1, whole));
  };
  Record record;
  record.suite = "dense";
  record.case_name = name;
  record.device = context.device;
  record.unit = "ms an image";
  record.value = 1e3 * seconds[seconds.size() / 2] / c.photographs;
  record.mad = 1e3 * (seconds.back() - seconds.front()) / 2 / c.photographs;
  record.runs = runs;
  record.extra = {
      {"known, %", percent(counts.known, counts.seen)},
      {"within 0.5 %, %", percent(counts.near, counts.seen)},
      {"off by 2 %, %", percent(counts.off, counts.seen)},
      {"normals within 15 degrees, % of the known", percent(counts.normals, counts.known)},
      {"within two deviations, % of the known", percent(counts.contained, counts.known)}};
  context.report(record);
}

}  // namespace

void run_dense(Context& context) {
  const Device device(context.device);
  for (const Case& c : kCases) run_case(context, device, c);
}

}  // namespace bifocal::bench
