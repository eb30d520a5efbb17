// SPDX-License-Identifier: BSD-3-Clause
// Binds the mapper of COLMAP databases and the undistortion of models (bifocal/_mapping.py).
#include <bifocal/colmap/undistort.hpp>
#include <bifocal/jobs.hpp>

#include "models.hpp"
#include "../devices.hpp"
#include "../files.hpp"
#include "../results.hpp"

namespace bifocal::python {
namespace {

nb::list list_of(const std::vector<ModelDoubt>& doubts) {
  nb::list list;
  for (const ModelDoubt& doubt : doubts) {
    nb::list images, pairs;
    for (const colmap::Id id : doubt.images) images.append(id);
    for (const auto& [one, two] : doubt.pairs) pairs.append(nb::make_tuple(one, two));
    list.append(nb::make_tuple(std::string(to_string(doubt.kind)), doubt.value, doubt.limit, images,
                               pairs, doubt.text));
  }
  return list;
}

}  // namespace

nb::dict map_dict(const jobs::WrittenModels& done, bool is_strict) {
  const MapResult& r = done.result;
  nb::list models, left_out, damaged_rows, without_colours;
  for (std::size_t k = 0; k < r.figures.size(); ++k) {
    const MapFigures& f = r.figures[k];
    models.append(nb::make_tuple(
        f.images, f.points, f.observations, f.mean_error, list_of(r.doubts[k]), tuple_of(f.given),
        tuple_of(f.focal_lengths), georeference_tuple(r.models[k].georeference),
        k < done.controlled.size() ? control_tuple(done.controlled[k]) : nb::none()));
  }
  for (const LeftOutImage& image : r.left_out)
    left_out.append(
        nb::make_tuple(text_of(image.name), text_of(std::string(to_string(image.reason)))));
  for (const colmap::RowFault& fault : r.damaged_rows)
    damaged_rows.append(nb::make_tuple(text_of(fault.row), text_of(fault.reason)));
  for (const LeftOut& file : r.without_colours)
    without_colours.append(nb::make_tuple(text_of(file.name), text_of(file.reason)));
  nb::dict seconds;
  for (std::size_t i = 0; i < r.seconds.size(); ++i)
    seconds[std::string(kMapStageWords[i]).c_str()] = r.seconds[i];
  nb::list written;
  for (const std::size_t place : written_models(r, is_strict)) written.append(place);
  nb::dict d;
  d["models"] = models;
  d["written"] = written;
  d["left_out"] = left_out;
  d["damaged_rows"] = damaged_rows;
  d["without_colours"] = without_colours;
  d["pairs"] = r.pairs;
  d["removed_pairs"] = r.removed_pairs;
  d["seconds"] = seconds;
  return d;
}

nb::dict undistort_dict(const colmap::UndistortResult& result) {
  nb::list left_out;
  for (const LeftOut& image : result.left_out)
    left_out.append(nb::make_tuple(text_of(image.name), text_of(image.reason)));
  nb::dict d;
  d["images"] = result.model.images.size();
  d["points"] = result.model.points.size();
  d["outside"] = result.outside;
  d["left_out"] = left_out;
  return d;
}

namespace {

// places: the folder of the models, and the file of the points or None. flags: overwrite, strict,
// text instead of binary files.
nb::dict map_to_folder(nb::handle given_database, const std::tuple<nb::object, nb::object>& places,
                       nb::handle images, nb::handle given_options,
                       const std::tuple<bool, bool, bool>& flags, const ControlArguments& control,
                       const std::string& device, nb::handle progress) {
  const auto& [given_out, ply] = places;
  const auto [overwrite, strict, is_text] = flags;
  const FileName database = file_of(given_database, "database"), out = file_of(given_out, "out");
  jobs::ModelFiles files{
      .database = database.path,
      .out = out.path,
      .format = is_text ? colmap::ModelFormat::text : colmap::ModelFormat::binary,
      .overwrite = overwrite,
      .is_strict = strict};
  if (!ply.is_none()) files.ply = file_of(ply, "ply").path;
  if (!images.is_none()) files.photographs = file_of(images, "images").path;
  take_control(control, files);
  files.map = options_of<MapOptions>(given_options);
  files.map.progress = [progress](const MapProgress& p) {
    const nb::gil_scoped_acquire locked;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    if (!progress.is_none()) progress(std::string(to_string(p.stage)).c_str(), p.model, p.images);
  };
  jobs::WrittenModels result;
  try {
    QueueLease lease(device);
    const Unlocked unlocked;
    result = jobs::map_and_write(lease.queue(), files);
  } catch (const Error& e) {
    if (e.code() == ErrorCode::input) raise_missing(database);
    throw;
  }
  return map_dict(result, strict);
}

nb::dict undistort_folder(nb::handle given_model, nb::handle given_photographs,
                          nb::handle given_out, int jpeg_quality, bool overwrite,
                          nb::handle progress) {
  const FileName folder = file_of(given_model, "model"),
                 photographs = file_of(given_photographs, "photographs"),
                 out = file_of(given_out, "out");
  colmap::UndistortOptions options{.jpeg_quality = jpeg_quality, .overwrite = overwrite};
  options.progress = [progress](std::int64_t done, std::int64_t total) {
    const nb::gil_scoped_acquire locked;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    if (!progress.is_none()) progress(done, total);
  };
  colmap::UndistortResult result;
  {
    const Unlocked unlocked;
    result = colmap::undistort_model(colmap::read_model(folder.path), photographs.path, out.path,
                                     options);
  }
  return undistort_dict(result);
}

}  // namespace

void bind_mapping(nb::module_& m) {
  m.def("undistort_model", &undistort_folder, nb::arg("model").none(),
        nb::arg("photographs").none(), nb::arg("out").none(), nb::arg("jpeg_quality"),
        nb::arg("overwrite"), nb::arg("progress").none(),
        nb::sig("def undistort_model(model: object, photographs: object, out: object, "
                "jpeg_quality: int, overwrite: bool, progress: object) -> dict[str, typing.Any]"));
  m.def(
      "map_database", &map_to_folder, nb::arg("database").none(), nb::arg("places"),
      nb::arg("images").none(), nb::arg("options").none(), nb::arg("flags"), nb::arg("control"),
      nb::arg("device"), nb::arg("progress").none(),
      nb::sig("def map_database(database: object, places: tuple[object, object], images: object, "
              "options: object, flags: tuple[bool, bool, bool], control: tuple[object, list[str]], "
              "device: str, progress: object) -> dict[str, typing.Any]"));
}

}  // namespace bifocal::python
