// SPDX-License-Identifier: BSD-3-Clause
// Binds collect(), which matches photographs into a verified database, and its report.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <bifocal/collect.hpp>
#include <bifocal/jobs.hpp>
#include <deque>

#include "devices.hpp"
#include "files.hpp"
#include "options.hpp"
#include "results.hpp"

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
  d["left_out"] = list_of(r.left_out);
  d["passed_over"] = list_of(photographs.passed_over);
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
  if (device != "auto") return DeviceSet(device);
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

nb::dict collect_photographs(nb::handle given, nb::handle database, nb::handle options,
                             const std::string& device, nb::handle progress) {
  const FileName file = file_of(database, "database");
  CollectOptions o = options_of<CollectOptions>(options);
  const PhotographFiles photographs = photographs_of(given);
  o.progress = [&](const CollectProgress& p) {
    const nb::gil_scoped_acquire locked;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    if (!progress.is_none())
      progress(nb::str(p.stage.data(), p.stage.size()), p.done, p.total,
               nb::str(p.unit.data(), p.unit.size()));
  };
  const DeviceSet devices = devices_of_run(device, file.path, o.overwrite);
  std::deque<QueueLease>
      leases;  // marks the devices as in use, so that a fork of this process is refused them
  for (const Device& one : devices.devices()) leases.emplace_back(one.info().id);
  CollectResult result;
  try {
    const Unlocked unlocked;
    result = collect(devices, photographs, file.path, o);
  } catch (const Error& e) {
    if (e.code() == ErrorCode::input && !options.is_none()) raise_missing_inputs(options);
    throw;
  }
  return dict_of(result, photographs, devices);
}

nb::dict write_report(nb::handle database, nb::handle out, nb::handle images, nb::handle model,
                      std::uint64_t max_bytes, bool overwrite) {
  const FileName file = file_of(database, "database"), page = file_of(out, "out");
  jobs::CollectionPage wanted{.database = file.path,
                              .out = page.path,
                              .command_line = "bifocal.report",
                              .max_bytes = max_bytes,
                              .overwrite = overwrite};
  if (!images.is_none()) wanted.images = file_of(images, "photographs").path;
  if (!model.is_none()) wanted.model = file_of(model, "model").path;
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
  m.def("collect", &collect_photographs, nb::arg("photographs").none(), nb::arg("database").none(),
        nb::arg("options").none(), nb::arg("device"), nb::arg("progress").none(),
        nb::sig("def collect(photographs: object, database: object, options: object, device: str, "
                "progress: object) -> dict[str, typing.Any]"));
  m.def("write_report", &write_report, nb::arg("database").none(), nb::arg("out").none(),
        nb::arg("images").none(), nb::arg("model").none(), nb::arg("max_bytes"),
        nb::arg("overwrite"),
        nb::sig("def write_report(database: object, out: object, images: object, model: object, "
                "max_bytes: int, overwrite: bool) -> dict[str, int]"));
  m.def(
      "list_photographs",
      [](nb::handle given) {
        const PhotographFiles found = photographs_of(given);
        nb::list files;
        for (const PhotographFile& f : found.files)
          files.append(nb::steal(PyUnicode_DecodeFSDefault(f.file.c_str())));
        return nb::make_tuple(files, list_of(found.passed_over));
      },
      nb::arg("photographs").none(),
      nb::sig(
          "def list_photographs(photographs: object) -> tuple[list[str], list[tuple[str, str]]]"));
}

}  // namespace bifocal::python
