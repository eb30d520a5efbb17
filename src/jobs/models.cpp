// SPDX-License-Identifier: BSD-3-Clause
#include <bifocal/colmap/database.hpp>
#include <bifocal/error.hpp>
#include <bifocal/jobs.hpp>
#include <bifocal/io.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <iterator>
#include <system_error>

#include "jobs/contradictions.hpp"
#include "jobs/control_points.hpp"
#include "jobs/interrupt_guard.hpp"

namespace bifocal::jobs {
namespace fs = std::filesystem;
namespace {

colmap::UndistortResult undistort(const ModelFiles& files, const colmap::Model& model) {
  const InterruptGuard interrupted([part = files.undistorted / colmap::kUndistortedPart] {
    std::error_code ignored;
    fs::remove_all(part, ignored);
  });
  return colmap::undistort_model(model, files.photographs, files.undistorted,
                                 {.overwrite = files.overwrite, .progress = files.undistorting});
}

std::vector<CloudPoint> points_of(const colmap::Model& model) {
  std::vector<CloudPoint> points;
  for (const colmap::ModelPoint& point : model.points) {
    const auto& [x, y, z] = point.xyz;
    const auto& [r, g, b] = point.rgb;
    points.push_back({float(x), float(y), float(z), r, g, b});
  }
  return points;
}

// Names of the photographs; of the database if none are given.
std::vector<std::string> names_of(const ModelFiles& files) {
  if (!files.names.empty()) return files.names;
  std::vector<std::string> names;
  const colmap::Database database(files.database, colmap::quiet_access(files.database));
  std::vector<colmap::RowFault> ignored;
  for (const colmap::Image& image : database.images(&ignored)) names.push_back(image.name);
  return names;
}

ModelFiles model_files_of(const CollectionFiles& files) {
  ModelFiles models = files.models;
  models.database = files.database;
  models.photographs = files.photographs.folder;
  models.names.clear();
  for (const PhotographFile& file : files.photographs.files) models.names.push_back(file.name);
  return models;
}

DenseFiles dense_files_of(const CollectionFiles& files) {
  DenseFiles dense = files.dense;
  dense.model = files.models.out / "0";
  dense.photographs = files.photographs.folder;
  dense.dense.max_memory =
      std::min(dense.dense.max_memory,
               static_cast<std::size_t>(std::max<std::int64_t>(files.collect.max_memory, 0)));
  return dense;
}

// The model may have any of the photographs.
void check_dense_files(const CollectionFiles& files) {
  if (files.models.out.empty()) throw Error(ErrorCode::usage, "dense: needs a folder of models");
  std::vector<std::string> names;
  for (const PhotographFile& file : files.photographs.files) names.push_back(file.name);
  check_dense_folder(dense_files_of(files), names);
}

}  // namespace

void check_model_files(const ModelFiles& files) {
  check_models_folder(files.out, files.overwrite);
  if (const ControlPoints control = read_control(files.control, files.check);
      !files.control.empty())
    check_marks(control, names_of(files));
  if (!files.ply.empty()) {
    require_file_place(files.ply);
    require_no_input(files.ply, std::array{files.database});
    require_free(files.ply, files.overwrite);
  }
  std::error_code none;
  if (!files.undistorted.empty())
    colmap::check_undistorted_folder(
        files.photographs,
        fs::is_directory(files.photographs, none) ? names_of(files) : files.names,
        files.undistorted, files.overwrite);
}

WrittenModels map_and_write(Queue& queue, const ModelFiles& files) {
  check_model_files(files);
  WrittenModels out{map_database(queue, files.database, files.map, files.photographs), {}};
  out.controlled = apply_control(queue, files, out.result);
  const MapResult& result = out.result;
  out.is_refused = result.models.empty() || (files.is_strict && result.is_doubted());
  const std::vector<std::size_t> places = written_models(result, files.is_strict);
  // Without a new model the old ones stay.
  if (!places.empty()) {
    const auto lock = hold_interrupts();
    write_models(files.out, result, files.overwrite, files.is_strict, files.format);
    if (!files.ply.empty()) write_ply(files.ply, points_of(result.models[places.front()]));
  }
  if (files.written) files.written(result);
  if (places.empty() || files.undistorted.empty()) return out;
  const auto start = std::chrono::steady_clock::now();
  out.undistorted = undistort(files, result.models[places.front()]);
  out.undistort_seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return out;
}

WrittenCollection collect_and_map(const DeviceSet& devices, const CollectionFiles& files) {
  const ModelFiles models = model_files_of(files);
  if (!models.out.empty()) check_model_files(models);
  if (!files.dense.out.empty()) check_dense_files(files);
  WrittenCollection out;
  out.result = collect(devices, files.photographs, files.database, files.collect);
  out.contradicting = found_contradictions(files.database, files.drops_contradicting);
  if (files.drops_contradicting) out.result.verified -= std::ssize(out.contradicting);
  if (files.collected) files.collected(out);
  if (models.out.empty() || out.result.verified == 0) return out;
  Queue queue(devices.devices().front());
  out.models = map_and_write(queue, models);
  if (files.mapped) files.mapped(*out.models);
  const bool has_model = !written_models(out.models->result, models.is_strict).empty();
  if (has_model && !files.dense.out.empty()) out.dense = dense_model(queue, dense_files_of(files));
  return out;
}

}  // namespace bifocal::jobs
