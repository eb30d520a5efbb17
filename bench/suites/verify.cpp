// SPDX-License-Identifier: BSD-3-Clause
// COLMAP's verification: E, F and H of many pairs and their configuration, from memory, and from a
// database into it.
#include <bifocal/colmap/verify.hpp>
#include <bifocal/device.hpp>

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>

#include "frame/bench.hpp"
#include "synthetic/two_view_scenes.hpp"

namespace bifocal::bench {
namespace {

struct Case {
  const char* name;
  synthetic::SceneOptions scene;
  int on_gpu, on_cpu;  // pairs
};
const Case kCases[] = {{"true2000", {.points = 2000, .inliers = 0.5}, 16384, 256},
                       {"true200", {.points = 200, .inliers = 0.5}, 65536, 512},
                       {"plane2000", {.points = 2000, .inliers = 0.5, .planar = true}, 16384, 256},
                       {"wrong20", {.points = 20, .inliers = 0}, 65536, 1024},
                       {"wrong50", {.points = 50, .inliers = 0}, 65536, 512},
                       {"wrong100", {.points = 100, .inliers = 0}, 65536, 512},
                       {"wrong200", {.points = 200, .inliers = 0}, 65536, 512}};
constexpr int kScenes = 512;  // different pairs; larger batches repeat them

struct Pairs {
  Pairs(const Case& c, int count) {
    std::mt19937_64 random(1);
    std::vector<synthetic::TwoViewScene> scenes;
    for (int k = 0; k < std::min(count, kScenes); ++k)
      scenes.push_back(synthetic::make_scene(c.scene, random));
    offsets.push_back(0);
    for (int k = 0; k < count; ++k) {
      const auto& scene = scenes[static_cast<std::size_t>(k) % scenes.size()].points;
      points.insert(points.end(), scene.begin(), scene.end());
      offsets.push_back(static_cast<std::int64_t>(points.size()));
    }
    cameras.assign(static_cast<std::size_t>(count),
                   {scenes[0].camera, true, false, std::int64_t(synthetic::kSceneWidth),
                    std::int64_t(synthetic::kSceneHeight)});
  }
  [[nodiscard]] colmap::DecidedPairs decided(Queue& queue) const {
    return colmap::decide(queue, {points.data(), {}, offsets, cameras, cameras});
  }

  std::vector<PointPair> points;
  std::vector<std::int64_t> offsets;
  std::vector<colmap::ViewCamera> cameras;
};

double believed(const colmap::DecidedPairs& decided) {
  const auto count = std::count_if(decided.pairs.begin(), decided.pairs.end(), [](const auto& p) {
    return p.configuration != colmap::Configuration::degenerate;
  });
  return double(count) / double(decided.pairs.size());
}

Record record_of(Context& context, const std::string& name, const Sample& sample, int pairs) {
  Record record;
  record.suite = "verify";
  record.case_name = name;
  record.device = context.device;
  record.unit = "ms";
  record.value = 1e3 * sample.median / pairs;
  record.mad = 1e3 * sample.mad / pairs;
  record.runs = sample.runs;
  return record;
}

void run_case(Context& context, Queue& queue, const Case& c) {
  const std::string name = fmt::format("verify/{}", c.name);
  if (!context.wanted(name)) return;
  const bool is_gpu = queue.device().info().is_gpu;
  const int count = is_gpu ? c.on_gpu : c.on_cpu;
  const Pairs pairs(c, count);
  colmap::DecidedPairs decided;
  const ThreadLimit limit(is_gpu ? 0 : 1);
  const Sample sample = measure([&] { decided = pairs.decided(queue); }, 5, 0.2);
  Record record = record_of(context, name, sample, count);
  record.extra = {{"pairs", count},
                  {"pairs_per_s", 1e3 / record.value},
                  {"believed", believed(decided)},
                  {"threads", is_gpu ? 0 : 1}};
  context.report(std::move(record));
}

// Two images per pair; the file is in the folder for temporary files.
void write_database(const std::filesystem::path& file, const Pairs& pairs) {
  colmap::Database db(file, colmap::Access::create);
  colmap::Transaction all(db);
  db.write(colmap::ModelCamera{1, 1, 1280, 960, {1000, 1000, 640, 480}, true});
  for (std::size_t k = 0; k + 1 < pairs.offsets.size(); ++k) {
    colmap::Keypoints points[2];
    std::vector<colmap::IndexPair> matches;
    for (auto i = std::size_t(pairs.offsets[k]); i < std::size_t(pairs.offsets[k + 1]); ++i) {
      const PointPair& p = pairs.points[i];
      const auto index = static_cast<std::uint32_t>(matches.size());
      matches.push_back({index, index});
      points[0].data.insert(points[0].data.end(), {float(p.x1), float(p.y1)});
      points[1].data.insert(points[1].data.end(), {float(p.x2), float(p.y2)});
    }
    const auto first = static_cast<colmap::Id>(2 * k + 1);
    for (const colmap::Id side : {0U, 1U}) {
      db.write(colmap::Image{first + side, fmt::format("{}", first + side), 1});
      db.write_keypoints(first + side, points[side]);
    }
    db.write_matches(first, first + 1, matches);
  }
  all.commit();
}

void run_database(Context& context, Queue& queue, const Case& c) {
  const std::string name = fmt::format("verify/database/{}", c.name);
  if (!context.wanted(name)) return;
  const bool is_gpu = queue.device().info().is_gpu;
  const int count = is_gpu ? c.on_gpu : c.on_cpu;
  const std::filesystem::path file =
      std::filesystem::temp_directory_path() / fmt::format("bifocal-bench-{}.db", getpid());
  const auto remove = [&] {
    for (const char* end : {"", "-wal", "-shm"}) std::filesystem::remove(file.string() + end);
  };
  remove();
  write_database(file, Pairs(c, count));
  colmap::VerifyProgress done;
  const ThreadLimit limit(is_gpu ? 0 : 1);
  const Sample sample =
      measure([&] { done = colmap::verify(queue, file, {.overwrite = true}); }, 3, 0.2);
  remove();
  Record record = record_of(context, name, sample, count);
  record.extra = {{"pairs", done.done}, {"pairs_per_s", 1e3 / record.value}};
  context.report(std::move(record));
}

}  // namespace

void run_verify(Context& context) {
  Queue queue{Device(context.device)};
  for (const Case& c : kCases) run_case(context, queue, c);
  run_database(context, queue, kCases[0]);
  run_database(context, queue, kCases[3]);
}

}  // namespace bifocal::bench
