// SPDX-License-Identifier: BSD-3-Clause
#include "scenes.hpp"

#include <fmt/format.h>
#include <bifocal/error.hpp>
#include <bifocal/io.hpp>
#include <bifocal/two_view.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>

#include "jobs/output_folder.hpp"

namespace bifocal::cli {
namespace {

[[noreturn]] void reject(const std::string& file, const std::string& what) {
  throw Error(ErrorCode::input, fmt::format("{}: {}", file, what));
}

// Reads a float64 or float32 array as double.
NpyArray read_doubles(const NpzFile& npz, const std::string& file, const std::string& name,
                      const std::string& shape) {
  NpyArray array = npz.read(name);
  if (const auto* floats = std::get_if<std::vector<float>>(&array.values)) {
    array.values = std::vector<double>(floats->begin(), floats->end());
  }
  if (!std::holds_alternative<std::vector<double>>(array.values)) {
    reject(file, fmt::format("array {} is {}, not float64 {}", name, describe(array), shape));
  }
  return array;
}

// Each point consists of `numbers` numbers.
NpyArray read_points(const NpzFile& npz, const std::string& file, const std::string& name,
                     int numbers) {
  const std::string shape = fmt::format("[trials, points, {}]", numbers);
  NpyArray array = read_doubles(npz, file, name, shape);
  if (array.shape.size() != 3 || array.shape[2] != numbers) {
    reject(file, fmt::format("array {} is {}, not float64 {}", name, describe(array), shape));
  }
  if (array.shape[0] == 0 || array.shape[1] == 0) {
    reject(file, fmt::format("array {} is {}: it has no points", name, describe(array)));
  }
  return array;
}

Intrinsics read_camera(const NpzFile& npz, const std::string& file) {
  const NpyArray array = read_doubles(npz, file, "K", "[3, 3]");
  if (array.shape != std::vector<std::int64_t>{3, 3}) {
    reject(file, fmt::format("array K is {}, not float64 [3, 3]", describe(array)));
  }
  const auto& K = std::get<std::vector<double>>(array.values);
  const Intrinsics camera{K[0], K[4], K[2], K[5]};
  const Mat3 pinhole = camera.matrix();
  if (!camera.valid() ||
      !std::all_of(K.begin(), K.end(), [](double v) { return std::isfinite(v); }) ||
      !std::equal(K.begin(), K.end(), pinhole.begin())) {
    reject(file, fmt::format("array K is [{:g}], not a camera [fx 0 cx, 0 fy cy, 0 0 1]",
                             fmt::join(K, " ")));
  }
  return camera;
}

BatchEstimate estimate(const Scenes& scenes, std::size_t first, std::size_t count,
                       const SceneRun& run, Queue& queue) {
  std::vector<std::int64_t> offsets;
  for (std::size_t k = first; k <= first + count; ++k)
    offsets.push_back(std::int64_t(k * scenes.points));
  const std::vector<Intrinsics> camera(scenes.camera ? 1 : 0, scenes.camera.value_or(Intrinsics{}));
  const RobustOptions robust =
      run.one_by_one ? one_pair_options(run.problem, scenes.points, run.robust) : run.robust;
  const BatchInput input{
      .offsets = offsets, .cameras1 = camera, .cameras2 = camera, .options = robust};
  if (!scenes.depth_pairs.empty())
    return estimate_batch(queue, run.problem, scenes.depth_pairs.data(), input);
  if (!scenes.scene_points.empty())
    return estimate_batch(queue, run.problem, scenes.scene_points.data(), input);
  return estimate_batch(queue, run.problem, scenes.pairs.data(), input);
}

void append(const BatchEstimate& batch, SceneResults& results) {
  const auto extend = [](auto& to, const auto& from) {
    to.insert(to.end(), from.begin(), from.end());
  };
  extend(results.inliers, batch.inliers);
  for (const Estimate& e : batch.pairs) {
    results.ok.push_back(e.outcome == Outcome::ok);
    extend(results.model, e.model);
    results.focal_length.push_back(e.focal_length);
    results.focal_deviation.push_back(e.focal_deviation);
    results.distortion.push_back(e.distortion);
    results.distortion_deviation.push_back(e.distortion_deviation);
    if (!problem_info(results.problem).has_pose) continue;
    extend(results.R, e.pose.R);
    extend(results.t, e.pose.t);
  }
}

}  // namespace

Scenes read_scenes(const std::string& file, const ProblemInfo& problem) {
  const NpzFile npz{std::filesystem::path(file)};
  const char *name1 = problem.is_two_view ? "x1" : "x", *name2 = problem.is_two_view ? "x2" : "X";
  const int numbers2 = problem.is_two_view ? 2 : 3;
  const NpyArray first = read_points(npz, file, name1, 2);
  const NpyArray second = read_points(npz, file, name2, numbers2);
  const auto check_as_many = [&](const char* name, const NpyArray& array) {
    if (std::equal(first.shape.begin(), first.shape.begin() + 2, array.shape.begin())) return;
    reject(file,
           fmt::format("array {} is {}, {} is {}", name1, describe(first), name, describe(array)));
  };
  check_as_many(name2, second);
  NpyArray depths;
  const double* z = nullptr;
  if (problem.takes_depths) {
    depths = read_points(npz, file, "depths", 2);
    check_as_many("depths", depths);
    z = std::get<std::vector<double>>(depths.values).data();
  }
  Scenes scenes;
  scenes.trials = std::size_t(first.shape[0]);
  scenes.points = std::size_t(first.shape[1]);
  const double* a = std::get<std::vector<double>>(first.values).data();
  const double* b = std::get<std::vector<double>>(second.values).data();
  for (std::size_t i = 0; i < scenes.trials * scenes.points; ++i, a += 2, b += numbers2) {
    if (problem.takes_depths) {
      scenes.depth_pairs.push_back({a[0], a[1], b[0], b[1], z[2 * i], z[2 * i + 1]});
    } else if (problem.is_two_view) {
      scenes.pairs.push_back({a[0], a[1], b[0], b[1]});
    } else {
      scenes.scene_points.push_back({a[0], a[1], b[0], b[1], b[2]});
    }
  }
  if (problem.cameras > 0) scenes.camera = read_camera(npz, file);
  return scenes;
}

SceneResults run_scenes(const Scenes& scenes, const SceneRun& run) {
  using Clock = std::chrono::steady_clock;
  SceneResults results;
  results.problem = run.problem;
  Queue queue(run.device);
  const std::size_t together = run.one_by_one ? 1 : scenes.trials;
  const bool on_cpu = queue.device().info().kind == DeviceKind::cpu;
  (void)estimate(scenes, 0, on_cpu ? 1 : together, run, queue);
  for (std::size_t k = 0; k < scenes.trials; k += together) {
    const Clock::time_point start = Clock::now();
    const BatchEstimate batch = estimate(scenes, k, together, run, queue);
    const double ms = std::chrono::duration<double, std::milli>(Clock::now() - start).count();
    results.time_ms.insert(results.time_ms.end(), together, ms / double(together));
    append(batch, results);
    if (run.progress) run.progress(k + together);
  }
  return results;
}

namespace {

std::string scenes_from(const std::string& file, const std::string& scenes_file) {
  std::error_code none;
  return jobs::path_from(std::filesystem::absolute(file, none).parent_path(), scenes_file);
}

}  // namespace

bool is_result_of(const std::string& file, const std::string& scenes_file) {
  std::error_code none;
  if (!std::filesystem::is_regular_file(file, none)) return false;
  try {
    const NpzFile npz(file);
    if (!npz.contains("scenes")) return false;
    const NpyArray made = npz.read("scenes");
    const auto* name = std::get_if<std::string>(&made.values);
    return name && *name == scenes_from(file, scenes_file);
  } catch (const Error&) {
    return false;  // another file
  }
}

void write_results(const std::string& file, const std::string& scenes_file, const Scenes& scenes,
                   const SceneResults& results) {
  const auto T = std::int64_t(scenes.trials), N = std::int64_t(scenes.points);
  std::vector<NamedArray> arrays = {
      {"problem", {{}, std::string(to_string(results.problem))}},
      {"name", {{}, std::string("bifocal")}},
      {"scenes", {{}, scenes_from(file, scenes_file)}},
      {"ok", {{T}, results.ok}},
      {"model", {{T, 3, 3}, results.model}},
      {"inliers", {{T, N}, results.inliers}},
      {"time_ms", {{T}, results.time_ms}},
  };
  const ProblemInfo problem = problem_info(results.problem);
  if (problem.has_pose) {
    arrays.push_back({"R", {{T, 3, 3}, results.R}});
    arrays.push_back({"t", {{T, 3}, results.t}});
  }
  if (problem.estimates_focal_length) {
    arrays.push_back({"focal_length", {{T}, results.focal_length}});
    arrays.push_back({"focal_deviation", {{T}, results.focal_deviation}});
  }
  if (problem.estimates_distortion) {
    arrays.push_back({"distortion", {{T}, results.distortion}});
    arrays.push_back({"distortion_deviation", {{T}, results.distortion_deviation}});
  }
  write_npz(file, arrays);
}

}  // namespace bifocal::cli
