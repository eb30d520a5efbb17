// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <bifocal/dense.hpp>
#include <bifocal/jobs.hpp>

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
[[nodiscard]] nb::dict map_dict(const MapResult& result, bool is_strict);
[[nodiscard]] nb::dict undistort_dict(const colmap::UndistortResult& result);
// The result for _dense.py, and a stage in the words of `progress`.
[[nodiscard]] nb::dict dense_dict(const WrittenDense& written);
[[nodiscard]] std::string_view word_of(DenseStage stage);

}  // namespace bifocal::python
