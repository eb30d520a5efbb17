// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <bifocal/dense.hpp>
#include <bifocal/jobs.hpp>

#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <tuple>
#include <vector>

#include "../files.hpp"
#include "../options.hpp"

namespace bifocal::python {

void bind_adjust(nb::module_& m);
void bind_colmap_model(nb::module_& m);
void bind_dense_model(nb::module_& m);
void bind_mapping(nb::module_& m);

// Numbers of a georeference for _georeference.py, or None.
[[nodiscard]] nb::object georeference_tuple(const std::optional<colmap::Georeference>& place);
[[nodiscard]] std::optional<colmap::Georeference> georeference_in(nb::handle object);

// Results for _mapping.py. is_strict: doubted models were not written.
[[nodiscard]] nb::dict map_dict(const jobs::WrittenModels& written, bool is_strict);
[[nodiscard]] nb::dict undistort_dict(const colmap::UndistortResult& result);
// Results for _colmap/control.py.
[[nodiscard]] nb::tuple control_tuple(const ControlPoints& control, const ControlResult& result);
[[nodiscard]] nb::object control_tuple(const jobs::ControlledModel& model);
// Sets the file of control points, or None, and the names of check points of a job.
using ControlArguments = std::tuple<nb::object, std::vector<std::string>>;
template <class Files>
void take_control(const ControlArguments& given, Files& files) {
  const auto& [file, names] = given;
  if (!file.is_none()) files.control = file_of(file, "control").path;
  files.check = names;
}

// The result for _dense.py, and a stage in the words of `progress`.
[[nodiscard]] nb::dict dense_dict(const WrittenDense& written);
[[nodiscard]] std::string_view word_of(DenseStage stage);

}  // namespace bifocal::python
