// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <bifocal/io.hpp>

namespace bifocal::io {

[[nodiscard]] Correspondences read_matcher_npz(const std::filesystem::path& path);

}  // namespace bifocal::io
