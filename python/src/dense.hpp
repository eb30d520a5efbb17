// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <bifocal/io.hpp>
#include <vector>

#include "files.hpp"
#include "options.hpp"

namespace bifocal::python {

// float32 [height][width] without gaps, in the host's memory.
using FloatRows = nb::ndarray<const float, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// Positions, float32 [N, 3], and colours, uint8 [N, 3].
[[nodiscard]] nb::object cloud_arrays(const std::vector<CloudPoint>& cloud);

// Calls `write` and raises what Python raises if the system refuses the file.
template <class Write>
void written(const FileName& file, const Write& write) {
  try {
    const Unlocked unlocked;
    write();
  } catch (const Error& e) {
    if (e.code() == ErrorCode::input) raise_refused_writing(file);
    throw;
  }
}

}  // namespace bifocal::python
