// SPDX-License-Identifier: BSD-3-Clause
// dense_accuracy MODEL TRUTH RESULT: compares depth maps of `bifocal dense` with exact ones.
//
// MODEL: folder of the true cameras. TRUTH: folder of NAME.npz with `depth` and `normal`, as
// made_town writes them. RESULT: the folder `depth` of `bifocal dense`. Counts pixels that at least
// three photographs see: the true depth of the two others agrees with the true point to 1 %.
#include <bifocal/colmap/model.hpp>
#include <bifocal/error.hpp>
#include <bifocal/geometry.hpp>
#include <bifocal/io.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "runtime/parallel.hpp"

namespace bifocal::bench {
namespace {

namespace fs = std::filesystem;

struct Map {
  std::vector<float> depth;
  std::vector<std::int8_t> normal;
  int width = 0, height = 0;
};

Map read_map(const fs::path& file) {
  const NpzFile npz(file);
  NpyArray depth = npz.read("depth"), normal = npz.read("normal");
  return {std::get<std::vector<float>>(std::move(depth.values)),
          std::get<std::vector<std::int8_t>>(std::move(normal.values)),
          static_cast<int>(depth.shape[1]), static_cast<int>(depth.shape[0])};
}

struct View {
  std::string name;
  Intrinsics camera;
  Pose pose;
  Map truth;
};

std::vector<View> views_of(const fs::path& model_folder, const fs::path& truth) {
  const colmap::Model model = colmap::read_model(model_folder);
  std::map<colmap::Id, Intrinsics> cameras;
  for (const colmap::Camera& camera : model.cameras)
    cameras[camera.id] = colmap::lens_camera_of(camera).intrinsics();
  std::vector<View> all(model.images.size());
  runtime::parallel_each(all.size(), [&](std::size_t i) {
    const colmap::ModelImage& image = model.images[i];
    all[i] = {image.name, cameras.at(image.camera_id), colmap::pose_of(image.cam_from_world),
              read_map(truth / (image.name + ".npz"))};
  });
  return all;
}

// Whether the photograph sees a point of the scene.
bool sees(const View& p, const Vec3& point) {
  const Vec3 X = times(p.pose.R, point);
  const double z = X[2] + p.pose.t[2];
  if (!(z > 0)) return false;
  const double u = p.camera.fx * (X[0] + p.pose.t[0]) / z + p.camera.cx,
               v = p.camera.fy * (X[1] + p.pose.t[1]) / z + p.camera.cy;
  if (!(u >= 0 && v >= 0 && u <= p.truth.width - 1 && v <= p.truth.height - 1)) return false;
  const float there = p.truth.depth[static_cast<std::size_t>(std::lround(v)) *
                                        static_cast<std::size_t>(p.truth.width) +
                                    static_cast<std::size_t>(std::lround(u))];
  return std::fabs(there / z - 1) < 0.01;
}

struct Counts {
  std::int64_t seen = 0, known = 0, near = 0, off = 0, normals = 0, contained = 0, sky = 0;
  std::vector<float> errors, deviations;  // of every kStep-th known pixel, relative
  void add(const Counts& o) {
    seen += o.seen, known += o.known, near += o.near, off += o.off, normals += o.normals;
    contained += o.contained, sky += o.sky;
    errors.insert(errors.end(), o.errors.begin(), o.errors.end());
    deviations.insert(deviations.end(), o.deviations.begin(), o.deviations.end());
  }
};

bool is_near(const std::int8_t* a, const std::int8_t* b, double degrees) {
  double dot = 0, aa = 0, bb = 0;
  for (int c = 0; c < 3; ++c) dot += a[c] * b[c], aa += a[c] * a[c], bb += b[c] * b[c];
  return dot >= std::cos(degrees * 3.141592653589793 / 180) * std::sqrt(aa * bb);
}

// Counts every `step`-th pixel in both directions.
Counts compare(const std::vector<View>& all, std::size_t i, const fs::path& result, int step) {
  const View& own = all[i];
  const NpzFile npz(result / (own.name + ".npz"));
  const auto depth = std::get<std::vector<float>>(npz.read("depth").values);
  const auto normal = std::get<std::vector<std::int8_t>>(npz.read("normal").values);
  const auto deviation = std::get<std::vector<Float16>>(npz.read("deviation").values);
  if (depth.size() != own.truth.depth.size())
    throw Error(ErrorCode::input, fmt::format("{}: another size than the truth", own.name));
  Counts counts;
  const Mat3 to_world = transposed(own.pose.R);
  for (int y = 0; y < own.truth.height; y += step)
    for (int x = 0; x < own.truth.width; x += step) {
      const std::size_t at =
          static_cast<std::size_t>(y) * static_cast<std::size_t>(own.truth.width) +
          static_cast<std::size_t>(x);
      const float truth = own.truth.depth[at];
      if (std::isnan(truth)) {
        counts.sky += std::isnan(depth[at]) ? 0 : 1;
        continue;
      }
      const Vec3 moved = {(x - own.camera.cx) / own.camera.fx * truth - own.pose.t[0],
                          (y - own.camera.cy) / own.camera.fy * truth - own.pose.t[1],
                          truth - own.pose.t[2]};
      const Vec3 point = times(to_world, moved);
      int others = 0;
      for (std::size_t j = 0; j < all.size() && others < 2; ++j)
        others += j != i && sees(all[j], point) ? 1 : 0;
      if (others < 2) continue;
      ++counts.seen;
      if (std::isnan(depth[at])) continue;
      const float error = std::fabs(depth[at] / truth - 1);
      ++counts.known;
      counts.near += error <= 0.005F ? 1 : 0;
      counts.off += error > 0.02F ? 1 : 0;
      counts.normals += is_near(&normal[3 * at], &own.truth.normal[3 * at], 15) ? 1 : 0;
      counts.contained += std::fabs(depth[at] - truth) <= 2 * float(deviation[at]) ? 1 : 0;
      counts.errors.push_back(error);
      counts.deviations.push_back(float(deviation[at]) / truth);
    }
  return counts;
}

float median_of(std::vector<float> values) {
  if (values.empty()) return 0;
  std::ranges::nth_element(values, values.begin() + std::ssize(values) / 2);
  return values[values.size() / 2];
}

}  // namespace
}  // namespace bifocal::bench

int main(int argc, char** argv) {
  using namespace bifocal;
  using namespace bifocal::bench;
  if (argc != 4 && argc != 5) {
    fmt::print(stderr, "dense_accuracy MODEL TRUTH RESULT [STEP]\n");
    return 2;
  }
  try {
    const std::vector<View> all = views_of(argv[1], argv[2]);
    const int step = argc == 5 ? std::stoi(argv[4]) : 2;
    Counts sum;
    std::mutex mutex;
    runtime::parallel_each(all.size(), [&](std::size_t i) {
      const Counts counts = compare(all, i, argv[3], step);
      const std::lock_guard lock(mutex);
      sum.add(counts);
    });
    const auto share = [](std::int64_t part, std::int64_t whole) {
      return 100.0 * static_cast<double>(part) /
             static_cast<double>(std::max<std::int64_t>(1, whole));
    };
    const float error = median_of(sum.errors), deviation = median_of(sum.deviations);
    fmt::print(
        "pixels that three photographs see: {}; known {:.1f} %, within 0.5 % {:.1f} %, off by more "
        "than 2 % {:.2f} % (of the known {:.2f} %)\nof the known: median error {:.3f} %, normals "
        "within 15 degrees {:.1f} %, within two deviations {:.1f} %, median deviation / median "
        "error {:.2f}; depths in the sky {}\n",
        sum.seen, share(sum.known, sum.seen), share(sum.near, sum.seen), share(sum.off, sum.seen),
        share(sum.off, sum.known), 100 * error, share(sum.normals, sum.known),
        share(sum.contained, sum.known), deviation / error, sum.sky);
  } catch (const std::exception& e) {
    fmt::print(stderr, "dense_accuracy: {}\n", e.what());
    return 3;
  }
  return 0;
}
