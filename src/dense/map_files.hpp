// SPDX-License-Identifier: BSD-3-Clause
// Bytes of depth maps in the formats of docs/formats.md.
#pragma once

#include <bifocal/dense.hpp>

#include <string>

namespace bifocal::dense {

// NPZ with depth, deviation, normal and views, and for an image without depth the reason.
[[nodiscard]] std::string npz_of(const DenseMap& map);
// COLMAP's arrays of float32 behind a text header, one channel after another. Unknown pixels are 0.
[[nodiscard]] std::string colmap_depths_of(const DenseMap& map);
[[nodiscard]] std::string colmap_normals_of(const DenseMap& map);

}  // namespace bifocal::dense
