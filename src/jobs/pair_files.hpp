// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <bifocal/jobs.hpp>

#include <string>
#include <vector>

#include "jobs/output_folder.hpp"

namespace bifocal::jobs {

// Returns the names of all files, including files of older versions.
[[nodiscard]] const std::vector<std::string>& pair_file_names();
// Writes the files and commits the folder.
WrittenPair write_pair_files(const PairFiles& in, OutputFolder& folder);

}  // namespace bifocal::jobs
