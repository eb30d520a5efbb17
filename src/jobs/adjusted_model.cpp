// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <bifocal/io.hpp>
#include <bifocal/jobs.hpp>

#include <cmath>
#include <utility>

#include "jobs/control_points.hpp"
#include "jobs/output_folder.hpp"

namespace bifocal::jobs {
namespace fs = std::filesystem;
namespace {

constexpr const char* kCovariances = "covariances.npz";

template <class Items>
NpyArray ids_of(const Items& items) {
  std::vector<std::int64_t> ids;
  for (const auto& item : items) ids.push_back(static_cast<std::int64_t>(item.id));
  return {{static_cast<std::int64_t>(ids.size())}, ids};
}

// Square matrices, one after another.
template <std::size_t N>
NpyArray matrices_of(const std::vector<std::array<double, N>>& matrices, std::int64_t side) {
  std::vector<double> values;
  values.reserve(N * matrices.size());
  for (const auto& m : matrices) values.insert(values.end(), m.begin(), m.end());
  return {{static_cast<std::int64_t>(matrices.size()), side, side}, std::move(values)};
}

// Writes the NPZ file that docs/formats.md describes.
void write_covariances(const fs::path& file, const colmap::Model& model,
                       const colmap::BundleAdjustResult& result, double deviation_px) {
  const AdjustResult& a = result.adjustment;
  const double redundancy = static_cast<double>(a.redundancy) * deviation_px * deviation_px;
  const double variance = redundancy > 0 ? 2 * a.final_cost / redundancy : 0;
  std::vector<NamedArray> arrays = {{"variance", {{}, std::vector<double>{variance}}},
                                    {"image_ids", ids_of(model.images)},
                                    {"poses", matrices_of(a.pose_covariances, 6)},
                                    {"point_ids", ids_of(model.points)},
                                    {"points", matrices_of(a.point_covariances, 3)}};
  for (std::size_t i = 0; i < a.camera_covariances.size(); ++i) {
    const std::vector<double>& values = a.camera_covariances[i];
    const auto side = static_cast<std::int64_t>(std::lround(std::sqrt(double(values.size()))));
    arrays.push_back({fmt::format("camera_{}", result.camera_ids[i]), {{side, side}, values}});
  }
  write_npz(file, arrays);
}

// Returns the files of models in both formats, and their covariances.
std::vector<std::string> names_of(const AdjustFiles& files) {
  std::vector<std::string> names = colmap::model_file_names();
  if (files.has_covariance_file) names.emplace_back(kCovariances);
  return names;
}

}  // namespace

colmap::BundleAdjustResult adjust_and_write(Queue& queue, const AdjustFiles& given) {
  AdjustFiles files = given;
  files.model = colmap::model_folder(given.model);
  std::error_code none;
  if (fs::equivalent(given.model, given.out, none)) files.out = files.model;
  OutputFolder out(files.out, {.names = names_of(files),
                               .inputs = {},
                               .overwrite = files.overwrite,
                               .has_record = false,
                               .argument = files.out_argument});
  const ControlPoints control = read_control(files.control, files.check);
  colmap::Model model = colmap::read_model(files.model);
  const colmap::ModelFormat format =
      files.format ? *files.format : *colmap::model_format(files.model);
  colmap::BundleAdjustOptions options = files.adjust;
  if (files.adjusting) files.adjusting(model, options);
  colmap::BundleAdjustResult result;
  double deviation_px = options.adjust.deviation_px;
  if (files.control.empty()) {
    result = colmap::bundle_adjust(queue, model, options);
  } else {
    const std::optional<GeoPoint> origin =
        model.georeference ? model.georeference->origin : std::optional<GeoPoint>();
    const ControlResult with =
        apply_control_points(queue, model, control, {.adjust = options}, origin);
    result = with.of_model;
    deviation_px = with.deviation_px;
    if (files.controlled) files.controlled(control, with);
  }
  if (files.adjusted) files.adjusted();
  colmap::write_model(out.staged(""), model, format);
  if (files.has_covariance_file && options.adjust.covariance && result.undetermined.empty())
    write_covariances(out.staged(kCovariances), model, result, deviation_px);
  out.commit();
  return result;
}

}  // namespace bifocal::jobs
