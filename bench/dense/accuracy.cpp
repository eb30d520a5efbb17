// SPDX-License-Identifier: BSD-3-Clause
// dense_accuracy MODEL TRUTH RESULT [STEP]: compares depth maps of `bifocal dense` with exact
// depth.
//
// MODEL: folder of the true cameras. TRUTH: folder of NAME.npz with `depth` and `normal`, as
// made_town writes them. RESULT: the folder `depth` of `bifocal dense`. Every STEP-th pixel of a
// row and of a column is compared, by default every second one.
#include <bifocal/colmap/model.hpp>
#include <bifocal/error.hpp>
#include <bifocal/io.hpp>

#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "dense/truth.hpp"
#include "runtime/parallel.hpp"

namespace bifocal::bench {
namespace {

namespace fs = std::filesystem;

template <class T>
std::vector<T> values_of(const NpzFile& npz, const char* array) {
  return std::get<std::vector<T>>(npz.read(array).values);
}

std::vector<TrueView> views_of(const fs::path& model_folder, const fs::path& truth) {
  const colmap::Model model = colmap::read_model(model_folder);
  std::map<colmap::Id, Intrinsics> cameras;
  for (const colmap::ModelCamera& camera : model.cameras)
    cameras[camera.id] = colmap::lens_camera_of(camera).intrinsics();
  std::vector<TrueView> all(model.images.size());
  runtime::parallel_each(all.size(), [&](std::size_t i) {
    const colmap::ModelImage& image = model.images[i];
    const NpzFile npz(truth / (image.name + ".npz"));
    const std::vector<std::int64_t> shape = npz.read("depth").shape;
    all[i] = {image.name,
              cameras.at(image.camera_id),
              colmap::pose_of(image.cam_from_world),
              static_cast<int>(shape[1]),
              static_cast<int>(shape[0]),
              values_of<float>(npz, "depth"),
              values_of<std::int8_t>(npz, "normal")};
  });
  return all;
}

DenseCounts counts_of(const std::vector<TrueView>& all, const fs::path& result, int step) {
  DenseCounts sum;
  std::mutex mutex;
  runtime::parallel_each(all.size(), [&](std::size_t i) {
    const NpzFile npz(result / (all[i].name + ".npz"));
    const auto depth = values_of<float>(npz, "depth");
    const auto normal = values_of<std::int8_t>(npz, "normal");
    std::vector<float> deviation;
    for (const Float16 v : values_of<Float16>(npz, "deviation")) deviation.push_back(v);
    const DenseCounts counts = compare_depth(all, i, {depth, deviation, normal}, step);
    const std::lock_guard lock(mutex);
    sum.add(counts);
  });
  return sum;
}

}  // namespace
}  // namespace bifocal::bench

int main(int argc, char** argv) {
  using namespace bifocal::bench;
  if (argc != 4 && argc != 5) {
    fmt::print(stderr, "dense_accuracy MODEL TRUTH RESULT [STEP]\n");
    return 2;
  }
  try {
    const int step = argc == 5 ? std::stoi(argv[4]) : 2;
    fmt::print("{}", counts_of(views_of(argv[1], argv[2]), argv[3], step).text());
  } catch (const std::exception& e) {
    fmt::print(stderr, "dense_accuracy: {}\n", e.what());
    return 3;
  }
  return 0;
}
