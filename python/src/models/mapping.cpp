// SPDX-License-Identifier: BSD-3-Clause
// Binds the mapper of COLMAP databases (bifocal/_mapping.py).
#include <bifocal/mapping.hpp>

#include "models.hpp"
#include "../devices.hpp"
#include "../files.hpp"
#include "../results.hpp"

namespace bifocal::python {
namespace {

nb::dict dict_of(const MapResult& r) {
  nb::list models, left_out, damaged_rows, passed_over;
  for (const MapFigures& f : r.figures)
    models.append(nb::make_tuple(f.images, f.points, f.observations, f.mean_error));
  for (const LeftOutImage& image : r.left_out)
    left_out.append(
        nb::make_tuple(text_of(image.name), text_of(std::string(to_string(image.reason)))));
  for (const colmap::RowFault& fault : r.damaged_rows)
    damaged_rows.append(nb::make_tuple(text_of(fault.row), text_of(fault.reason)));
  for (const LeftOut& file : r.passed_over)
    passed_over.append(nb::make_tuple(text_of(file.name), text_of(file.reason)));
  nb::dict seconds;
  for (std::size_t i = 0; i < r.seconds.size(); ++i)
    seconds[std::string(kMapStageWords[i]).c_str()] = r.seconds[i];
  nb::dict d;
  d["models"] = models;
  d["left_out"] = left_out;
  d["damaged_rows"] = damaged_rows;
  d["passed_over"] = passed_over;
  d["pairs"] = r.pairs;
  d["removed_pairs"] = r.removed_pairs;
  d["seconds"] = seconds;
  return d;
}

nb::dict map_to_folder(nb::handle given_database, nb::handle given_out, nb::handle images,
                       nb::handle given_options, bool overwrite, const std::string& device,
                       nb::handle progress) {
  const FileName database = file_of(given_database, "database"), out = file_of(given_out, "out");
  std::filesystem::path photographs;
  if (!images.is_none()) photographs = file_of(images, "images").path;
  MapOptions options = options_of<MapOptions>(given_options);
  options.progress = [progress](const MapProgress& p) {
    const nb::gil_scoped_acquire locked;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    if (!progress.is_none()) progress(std::string(to_string(p.stage)).c_str(), p.model, p.images);
  };
  MapResult result;
  {
    QueueLease lease(device);
    const Unlocked unlocked;
    if (!overwrite) require_no_models(out.path);
    result = map_database(lease.queue(), database.path, options, photographs);
    if (!result.models.empty()) write_models(out.path, result, overwrite);
  }
  return dict_of(result);
}

}  // namespace

void bind_mapping(nb::module_& m) {
  m.def("map_database", &map_to_folder, nb::arg("database").none(), nb::arg("out").none(),
        nb::arg("images").none(), nb::arg("options").none(), nb::arg("overwrite"),
        nb::arg("device"), nb::arg("progress").none(),
        nb::sig("def map_database(database: object, out: object, images: object, options: object, "
                "overwrite: bool, device: str, progress: object) -> dict[str, typing.Any]"));
}

}  // namespace bifocal::python
