// SPDX-License-Identifier: BSD-3-Clause
// The HTML page of a database, for the program and for the Python package.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "cli.hpp"

namespace bifocal::cli {

struct CollectionPage {
  std::filesystem::path database;       // of COLMAP
  std::filesystem::path out;            // the page
  std::filesystem::path images = {};    // folder of the photographs; empty: without pictures
  std::filesystem::path run_file = {};  // what collect --json or verify --json printed, or empty
  std::string command_line = {};        // printed on the page
  std::uint64_t max_bytes = std::uint64_t{24} << 20;  // of the page
  int threads = 0;                                    // that decode photographs; 0: all cores
};
struct CollectionPageSummary {
  std::size_t bytes = 0, images = 0;
  std::size_t verified = 0;  // pairs
  Json contradicting;        // pairs, as collect --json lists them
  std::size_t components = 0, edges = 0, pairs = 0, pictures = 0;  // that the page shows
};
// Writes the page. Throws Error(input) for a database that is missing, damaged or has no images,
// and Error(usage) if the page would replace an input.
CollectionPageSummary write_collection_page(const CollectionPage& page);

}  // namespace bifocal::cli
