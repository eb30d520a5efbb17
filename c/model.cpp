// SPDX-License-Identifier: BSD-3-Clause
// Sparse models of COLMAP.
#include <bifocal/colmap/model.hpp>

#include <algorithm>
#include <utility>

#include "arrays.hpp"
#include "handles.hpp"

using namespace bifocal;
using namespace bifocal::c;

struct bf_model {
  colmap::Model model;
  std::vector<double> errors;  // of the points; NaN: unknown
};

int bf_model_read(const char* folder, bf_model** out) {
  return guarded(__func__, [&] {
    bf_model*& to = output(out);
    bf_model made = {colmap::read_model(&need(folder, "folder")), {}};
    for (const colmap::ModelPoint& point : made.model.points)
      made.errors.push_back(point.error < 0 ? kUnknown : point.error);
    to = new bf_model(std::move(made));
  });
}

int bf_model_get(const bf_model* model, bf_model_info* out) {
  return guarded(__func__, [&] {
    const colmap::Model& m = need(model, "model").model;
    const std::vector<colmap::ModelPoint>& points = m.points;
    give({sizeof *out, std::ssize(m.cameras), std::ssize(m.images), std::ssize(points),
          columns_of(points, &colmap::ModelPoint::id, 1),
          columns_of(points, &colmap::ModelPoint::xyz, 3),
          columns_of(points, &colmap::ModelPoint::rgb, 3), view(model->errors)},
         out);
  });
}

int bf_model_camera(const bf_model* model, int64_t index, bf_camera_info* out) {
  return guarded(__func__, [&] {
    const colmap::ModelCamera& camera = item(need(model, "model").model.cameras, index);
    give({sizeof *out, camera.id, colmap::model_name(camera.model).data(), camera.width,
          camera.height, view(camera.params)},
         out);
  });
}

int bf_model_image(const bf_model* model, int64_t index, bf_model_image_info* out) {
  return guarded(__func__, [&] {
    const colmap::ModelImage& image = item(need(model, "model").model.images, index);
    bf_model_image_info info = {};
    info.id = image.id;
    info.name = image.name.c_str();
    info.camera_id = image.camera_id;
    const Pose pose = colmap::pose_of(image.cam_from_world);
    copy(pose.R, info.R);
    copy(pose.t, info.t);
    const std::vector<colmap::ModelObservation>& seen = image.observations;
    info.observations = columns_of(seen, &colmap::ModelObservation::x, 2);
    info.point_ids = columns_of(seen, &colmap::ModelObservation::point_id, 1);
    give(info, out);
  });
}

int bf_model_track(const bf_model* model, int64_t index, bf_array* out) {
  return guarded(__func__, [&] {
    const std::vector<colmap::TrackElement>& track =
        item(need(model, "model").model.points, index).track;
    need(out, "out") = columns_of(track, &colmap::TrackElement::image_id, 2);
  });
}

int bf_model_write(const bf_model* model, const char* folder, const char* format, int overwrite) {
  return guarded(__func__, [&] {
    const colmap::Model& m = need(model, "model").model;
    const std::string_view word = &need(format, "format");
    const auto* const found = std::ranges::find(colmap::kModelFormatWords, word);
    if (found == std::end(colmap::kModelFormatWords))
      throw usage("format = {}: must be one of {}", word,
                  fmt::join(colmap::kModelFormatWords, ", "));
    colmap::write_model(&need(folder, "folder"), m,
                        static_cast<colmap::ModelFormat>(found - colmap::kModelFormatWords),
                        overwrite != 0);
  });
}

void bf_model_free(bf_model* model) { delete model; }
