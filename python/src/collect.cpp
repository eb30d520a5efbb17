// SPDX-License-Identifier: BSD-3-Clause
// Binds collect(), which matches photographs into a verified database, and its report.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <bifocal/collect.hpp>
#include <bifocal/jobs.hpp>
#include <deque>

#include "devices.hpp"
#include "files.hpp"
#include "models/models.hpp"
#include "options.hpp"
#include "results.hpp"
#include "jobs/contradictions.hpp"

namespace bifocal::python {
namespace {

nb::list list_of(const std::vector<LeftOut>& left_out) {
  nb::list all;
  for (const LeftOut& l : left_out) all.append(nb::make_tuple(text_of(l.name), text_of(l.reason)));
  return all;
}

nb::dict dict_of(const CollectResult& r, const PhotographFiles& photographs,
                 const DeviceSet& devices) {
  nb::dict d;
  d["device"] = devices.id();
  d["was_complete"] = r.was_complete;
  d["resumed"] = r.resumed;
  d["images"] = r.images;
  d["features"] = r.features;
  d["pairs"] = r.pairs;
  d["screened_out"] = r.screened_out;
  d["matched"] = r.matched;
  d["verified"] = r.verified;
  d["focal_lengths"] = tuple_of(r.focal_lengths);
  d["left_out"] = list_of(r.left_out);
  d["other_files"] = list_of(photographs.other_files);
  nb::list notes;
  for (const std::string& n : r.notes) notes.append(text_of(n));
  d["notes"] = notes;
  nb::dict seconds;
  for (const auto& [stage, s] : r.seconds) seconds[stage.c_str()] = s;
  d["seconds"] = seconds;
  return d;
}

// "auto" is the device that began the run, or for a new run the best device that works.
DeviceSet devices_of_run(const std::string& device, const std::filesystem::path& database,
                         bool overwrite) {
  if (device != "auto" || has_lost_gpus()) return DeviceSet(resolved_device(device));
  const CollectDevices chosen = [&] {
    const Unlocked unlocked;
    return collect_devices(database, overwrite);
  }();
  warn(chosen.warning);
  return chosen.devices;
}

// Raises FileNotFoundError if a file or folder of the options does not exist.
void raise_missing_inputs(nb::handle options) {
  const nb::object given = options.attr("given");
  for (const auto& [owner, name] : {std::pair{options, "pairs_file"},
                                    {options, "masks"},
                                    {given, "source"},
                                    {given, "matches"}})
    if (const nb::object file = owner.attr(name); !file.is_none())
      raise_missing(file_of(file, name));
}

// Calls `progress` with the stage, the number done, the total and the unit.
void report(nb::handle progress, std::string_view stage, std::int64_t done, std::int64_t total,
            std::string_view unit) {
  const nb::gil_scoped_acquire locked;
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
  if (!progress.is_none())
    progress(nb::str(stage.data(), stage.size()), done, total, nb::str(unit.data(), unit.size()));
}

// Sets the callbacks of `files`, which refer to `files` and `images`, the number of images.
void set_progress(jobs::CollectionFiles& files, std::int64_t& images, nb::handle progress) {
  files.collect.progress = [progress](const CollectProgress& p) {
    report(progress, p.stage, p.done, p.total, p.unit);
  };
  files.collected = [&images](const jobs::WrittenCollection& done) { images = done.result.images; };
  files.models.map.progress = [&images, progress](const MapProgress& p) {
    report(progress, fmt::format("mapping: {}", to_string(p.stage)), p.images, images, "images");
  };
  files.models.undistorting = [progress](std::int64_t done, std::int64_t total) {
    report(progress, "undistortion", done, total, "images");
  };
  files.dense.dense.progress = [progress](const DenseProgress& p) {
    report(progress, fmt::format("depth: {}", word_of(p.stage)), p.done, p.total, "images");
  };
}

// models: folders of models, of undistorted images and of depth maps and the file of points, or
// None; whether they are replaced, whether doubted models are not written, and whether the models
// are text.
nb::dict collect_photographs(
    nb::handle given, nb::handle database, nb::handle options,
    const std::tuple<nb::object, nb::object, nb::object, nb::object, bool, bool, bool>& models,
    const std::string& device, nb::handle progress) {
  const FileName file = file_of(database, "database");
  jobs::CollectionFiles files{.photographs = photographs_of(given),
                              .database = file.path,
                              .collect = options_of<CollectOptions>(options)};
  const auto& [model, undistorted, dense, ply, overwrite, is_strict, is_text] = models;
  files.models.overwrite = files.dense.overwrite = overwrite;
  files.models.is_strict = is_strict;
  if (is_text) files.models.format = colmap::ModelFormat::text;
  if (!model.is_none()) files.models.out = file_of(model, "model").path;
  if (!undistorted.is_none()) files.models.undistorted = file_of(undistorted, "undistort").path;
  if (!dense.is_none()) files.dense.out = file_of(dense, "dense").path;
  if (!ply.is_none()) files.models.ply = file_of(ply, "ply").path;
  std::int64_t images = 0;
  set_progress(files, images, progress);
  const DeviceSet devices = devices_of_run(device, file.path, files.collect.overwrite);
  std::deque<QueueLease>
      leases;  // marks the devices as in use, so that a fork of this process is refused them
  for (const Device& one : devices.devices()) leases.emplace_back(one.info().id);
  jobs::WrittenCollection done;
  try {
    const Unlocked unlocked;
    done = jobs::collect_and_map(devices, files);
  } catch (const Error& e) {
    if (e.code() == ErrorCode::input && !options.is_none()) raise_missing_inputs(options);
    throw;
  }
  nb::dict d = dict_of(done.result, files.photographs, devices);
  nb::list contradicting;
  for (const std::string& text : jobs::described(done.contradicting).texts)
    contradicting.append(text_of(text));
  d["contradicting"] = contradicting;
  d["model"] = done.models ? nb::object(map_dict(*done.models, is_strict)) : nb::none();
  d["undistorted"] = done.models && done.models->undistorted
                         ? nb::object(undistort_dict(*done.models->undistorted))
                         : nb::none();
  d["dense"] = done.dense ? nb::object(dense_dict(*done.dense)) : nb::none();
  return d;
}

// shown: the folders of the models and of depth, or None.
nb::dict write_report(nb::handle database, nb::handle out, nb::handle images,
                      const std::tuple<nb::object, nb::object>& shown,
                      const ControlArguments& control, std::uint64_t max_bytes, bool overwrite) {
  const FileName file = file_of(database, "database"), page = file_of(out, "out");
  jobs::CollectionPage wanted{.database = file.path,
                              .out = page.path,
                              .command_line = "bifocal.report",
                              .max_bytes = max_bytes,
                              .overwrite = overwrite};
  const auto& [model, dense] = shown;
  take_control(control, wanted);
  if (!images.is_none()) wanted.images = file_of(images, "photographs").path;
  if (!model.is_none()) wanted.model = file_of(model, "model").path;
  if (!dense.is_none()) wanted.dense = file_of(dense, "dense").path;
  jobs::CollectionPageSummary s;
  try {
    const Unlocked unlocked;
    s = jobs::write_collection_page(wanted);
  } catch (const Error& e) {
    if (e.code() == ErrorCode::input) raise_refused_reading({&file});
    if (e.code() == ErrorCode::input) raise_refused_writing(page);
    throw;
  }
  nb::dict d;
  d["bytes"] = s.bytes;
  d["images"] = s.images;
  d["verified"] = s.verified;
  d["components"] = s.components;
  d["contradicting"] = s.contradicting.size();
  return d;
}

}  // namespace

void bind_collect(nb::module_& m) {
  m.def(
      "collect", &collect_photographs, nb::arg("photographs").none(), nb::arg("database").none(),
      nb::arg("options").none(), nb::arg("models"), nb::arg("device"), nb::arg("progress").none(),
      nb::sig(
          "def collect(photographs: object, database: object, options: object, models: "
          "tuple[object, object, object, object, bool, bool, bool], device: str, progress: object) "
          "-> dict[str, typing.Any]"));
  m.def("write_report", &write_report, nb::arg("database").none(), nb::arg("out").none(),
        nb::arg("images").none(), nb::arg("shown"), nb::arg("control"), nb::arg("max_bytes"),
        nb::arg("overwrite"),
        nb::sig("def write_report(database: object, out: object, images: object, shown: "
                "tuple[object, object], control: tuple[object, list[str]], max_bytes: int, "
                "overwrite: bool) -> dict[str, int]"));
  m.def(
      "list_photographs",
      [](nb::handle given) {
        const PhotographFiles found = photographs_of(given);
        nb::list files;
        for (const PhotographFile& f : found.files)
          files.append(nb::steal(PyUnicode_DecodeFSDefault(f.file.c_str())));
        return nb::make_tuple(files, list_of(found.other_files));
      },
      nb::arg("photographs").none(),
      nb::sig(
          "def list_photographs(photographs: object) -> tuple[list[str], list[tuple[str, str]]]"));
}

}  // namespace bifocal::python
