// SPDX-License-Identifier: BSD-3-Clause
// Verification of COLMAP's databases.
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>

#include <deque>
#include <optional>

#include "devices.hpp"
#include "options.hpp"

namespace bifocal::python {
namespace {

nb::dict counts_of(const colmap::VerifyProgress& p) {
  nb::dict d;
  d["pairs"] = p.pairs;
  d["done"] = p.done;
  d["skipped"] = p.skipped;
  d["unmatched"] = p.unmatched;
  d["inliers"] = p.inliers;
  nb::dict configurations;
  for (std::size_t k = 0; k < p.configurations.size(); ++k)
    if (p.configurations[k] > 0)
      configurations[colmap::to_string(static_cast<colmap::Configuration>(k)).c_str()] =
          p.configurations[k];
  d["configurations"] = configurations;
  return d;
}

// Ctrl-C ends the work between two pieces, and so does `progress` by returning False.
nb::dict verify_database(const std::filesystem::path& database,
                         const std::optional<std::filesystem::path>& pairs, nb::handle options,
                         bool overwrite, const std::string& device, nb::handle progress) {
  colmap::VerifyRun run;
  run.options = verify_options(options);
  if (pairs) run.pairs = *pairs;
  if (pairs && pairs->empty()) value_error("pairs: '' is no file");
  run.overwrite = overwrite;
  run.progress = [&](const colmap::VerifyProgress& p) {
    nb::gil_scoped_acquire locked;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    if (progress.is_none()) return true;
    const nb::object answer = progress(counts_of(p));
    return answer.is_none() || nb::cast<bool>(answer);
  };
  colmap::VerifyProgress done;
  {
    const DeviceSet devices(device);
    // Told that they are in use: a fork of this process is refused them.
    std::deque<QueueLease> leases;
    for (const Device& one : devices.devices()) leases.emplace_back(one.info().id);
    const Unlocked unlocked;
    done = colmap::verify(devices, database, run);
  }
  return counts_of(done);
}

}  // namespace

void bind_colmap(nb::module_& m) {
  m.def("verify_database", &verify_database, nb::arg("database"), nb::arg("pairs").none(),
        nb::arg("options").none(), nb::arg("overwrite"), nb::arg("device"),
        nb::arg("progress").none(),
        nb::sig("def verify_database(database: os.PathLike[str] | str, pairs: os.PathLike[str] | "
                "str | None, options: object, overwrite: bool, device: str, progress: object) -> "
                "dict[str, typing.Any]"));
}

}  // namespace bifocal::python
