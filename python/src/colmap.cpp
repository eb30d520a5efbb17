// SPDX-License-Identifier: BSD-3-Clause
// Binds the verification of COLMAP databases.
#include <bifocal/colmap/rotation_cycles.hpp>
#include <bifocal/io.hpp>

#include <deque>
#include <optional>

#include "devices.hpp"
#include "files.hpp"
#include "options.hpp"
#include "results.hpp"

namespace bifocal::python {
namespace {

nb::dict counts_of(const colmap::VerifyProgress& p) {
  nb::dict d;
  d["pairs"] = p.pairs;
  d["done"] = p.done;
  d["verified_before"] = p.verified_before;
  d["unmatched"] = p.unmatched;
  d["left_out"] = p.left_out;
  d["inliers"] = p.inliers;
  nb::dict configurations;
  for (std::size_t k = 0; k < p.configurations.size(); ++k) {
    const std::string_view name = colmap::to_string(static_cast<colmap::Configuration>(k));
    if (p.configurations[k] > 0)
      configurations[nb::str(name.data(), name.size())] = p.configurations[k];
  }
  d["configurations"] = configurations;
  nb::list odd_rows;
  for (const colmap::OddRow& r : p.odd_rows)
    odd_rows.append(nb::make_tuple(text_of(r.row), text_of(r.reason), r.pairs));
  d["odd_rows"] = odd_rows;
  return d;
}

// Ctrl-C, or False from `progress`, ends the verification between two parts of the pairs.
nb::dict verify_database(nb::handle given_database, nb::handle given_pairs, nb::handle options,
                         bool overwrite, const std::string& device, nb::handle progress) {
  const FileName database = file_of(given_database, "database");
  std::optional<FileName> pairs;
  if (!given_pairs.is_none()) pairs = file_of(given_pairs, "pairs");
  colmap::VerifyRun run;
  run.options = options_of<colmap::TwoViewGeometryOptions>(options);
  if (pairs) run.pairs = pairs->path;
  run.overwrite = overwrite;
  run.progress = [&](const colmap::VerifyProgress& p) {
    nb::gil_scoped_acquire locked;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    if (progress.is_none()) return true;
    return goes_on(progress(counts_of(p)));
  };
  colmap::VerifyProgress done;
  try {
    const DeviceSet devices(resolved_device(device));
    // Leases mark the devices as in use, so that a fork of this process is refused them.
    std::deque<QueueLease> leases;
    for (const Device& one : devices.devices()) leases.emplace_back(one.info().id);
    const Unlocked unlocked;
    done = colmap::verify(devices, database.path, run);
  } catch (const Error& e) {
    if (e.code() == ErrorCode::input) raise_refused_reading({&database});
    if (e.code() == ErrorCode::input && pairs) raise_refused_reading({&*pairs});
    throw;
  }
  return counts_of(done);
}

// Raises the errors of verify_database() that do not depend on the database.
void check_verification(nb::handle options, const std::string& device) {
  check_options(options_of<colmap::TwoViewGeometryOptions>(options));
  (void)DeviceSet(resolved_device(device));
}

nb::list contradicting_pairs_of(nb::handle given_database) {
  const FileName database = file_of(given_database, "database");
  nb::list all;
  try {
    for (const colmap::ContradictingPair& p : colmap::contradicting_pairs(database.path))
      all.append(nb::make_tuple(p.image1, p.image2, text_of(p.name1), text_of(p.name2), p.inliers,
                                p.probability));
  } catch (const Error& e) {
    if (e.code() == ErrorCode::input) raise_refused_reading({&database});
    throw;
  }
  return all;
}

}  // namespace

void bind_colmap(nb::module_& m) {
  m.def("contradicting_pairs", &contradicting_pairs_of, nb::arg("database").none(),
        nb::sig("def contradicting_pairs(database: object) -> "
                "list[tuple[int, int, str, str, int, float]]"));
  m.def("check_verification", &check_verification, nb::arg("options").none(), nb::arg("device"),
        nb::sig("def check_verification(options: object, device: str) -> None"));
  m.def("verify_database", &verify_database, nb::arg("database").none(), nb::arg("pairs").none(),
        nb::arg("options").none(), nb::arg("overwrite"), nb::arg("device"),
        nb::arg("progress").none(),
        nb::sig("def verify_database(database: object, pairs: object, options: object, "
                "overwrite: bool, device: str, progress: object) -> dict[str, typing.Any]"));
}

}  // namespace bifocal::python
