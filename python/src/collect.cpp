// SPDX-License-Identifier: BSD-3-Clause
// Binds collect(), which matches photographs into a verified database, and its report.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <bifocal/collect.hpp>
#include <deque>

#include "collection_page.hpp"
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

template <class T, class Words>
T choice(const nb::dict& options, const char* name, const Words& words) {
  const auto word = nb::cast<std::string>(options[name]);
  const auto found = std::ranges::find(words, word);
  if (found == std::end(words))
    value_error(fmt::format("{}: '{}', must be one of {}", name, word, fmt::join(words, ", ")));
  return static_cast<T>(found - std::begin(words));
}

CollectOptions options_from(const nb::dict& given) {
  CollectOptions o;
  const nb::object pairs = given["pairs"], features = given["features"];
  std::string word;  // a file name that is not UTF-8 is none
  if (nb::isinstance<nb::str>(pairs) && nb::try_cast(pairs, word) &&
      std::ranges::find(kPairChoiceWords, word) != std::end(kPairChoiceWords) - 1) {
    o.pairs = choice<PairChoice>(given, "pairs", kPairChoiceWords);
  } else {
    o.pairs = PairChoice::listed;
    o.pairs_file = file_of(pairs, "pairs").path;
  }
  if (nb::hasattr(features, "max_features")) {
    const DetectorOptions detector = detector_options(features);
    o.sift = detector.sift;
    o.surf = detector.surf;
  } else if (!features.is_none()) {
    o.given.source = file_of(features, "features").path;
  }
  if (!given["matches"].is_none()) o.given.matches = file_of(given["matches"], "matches").path;
  if (!given["matching"].is_none()) o.matching = options_of<MatchOptions>(given["matching"]);
  if (!given["given_matching"].is_none())
    o.given.matching = options_of<FloatMatchOptions>(given["given_matching"]);
  if (!given["geometry"].is_none())
    o.geometry = options_of<colmap::VerifyOptions>(given["geometry"]);
  if (!given["masks"].is_none()) o.masks = file_of(given["masks"], "masks").path;
  o.cameras.sharing = choice<CameraSharing>(given, "camera_sharing", kCameraSharingWords);
  o.cameras.model = nb::cast<std::string>(given["camera_model"]);
  if (!given["camera"].is_none()) {
    const AnyCamera camera = any_camera_of(given["camera"], "camera");
    if (camera.lens) value_error("camera: has a lens; photographs of a collection need a pinhole");
    o.cameras.intrinsics = camera.pinhole;
  }
  take(given, "partners", o.partners);
  take(given, "overlap", o.sequential.overlap);
  take(given, "max_side", o.max_side);
  take(given, "guided", o.guided);
  take(given, "max_memory", o.max_memory);
  take(given, "overwrite", o.overwrite);
  return o;
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
void raise_missing_inputs(const CollectOptions& o, const nb::dict& options) {
  if (o.pairs == PairChoice::listed) raise_missing(file_of(options["pairs"], "pairs"));
  if (!o.given.source.empty()) raise_missing(file_of(options["features"], "features"));
  for (const char* name : {"matches", "masks"})
    if (!options[name].is_none()) raise_missing(file_of(options[name], name));
}

nb::dict collect_photographs(nb::handle given, nb::handle database, const nb::dict& options,
                             const std::string& device, nb::handle progress) {
  const FileName file = file_of(database, "database");
  CollectOptions o = options_from(options);
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
    if (e.code() == ErrorCode::input) raise_missing_inputs(o, options);
    throw;
  }
  return dict_of(result, photographs, devices);
}

nb::dict write_report(nb::handle database, nb::handle out, nb::handle images, nb::handle model,
                      std::uint64_t max_bytes, bool overwrite) {
  const FileName file = file_of(database, "database"), page = file_of(out, "out");
  cli::CollectionPage wanted{.database = file.path,
                             .out = page.path,
                             .command_line = "bifocal.report",
                             .max_bytes = max_bytes,
                             .overwrite = overwrite};
  if (!images.is_none()) wanted.images = file_of(images, "photographs").path;
  if (!model.is_none()) wanted.model = file_of(model, "model").path;
  cli::CollectionPageSummary s;
  try {
    const Unlocked unlocked;
    s = cli::write_collection_page(wanted);
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
        nb::arg("options"), nb::arg("device"), nb::arg("progress").none(),
        nb::sig("def collect(photographs: object, database: object, options: dict[str, "
                "typing.Any], device: str, progress: object) -> dict[str, typing.Any]"));
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
