// SPDX-License-Identifier: BSD-3-Clause
// Writes the HTML page of a database, for the program and for the Python package.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "cli.hpp"

namespace bifocal::cli {

struct CollectionPage {
  std::filesystem::path database;     // a COLMAP database
  std::filesystem::path out;          // the page
  std::filesystem::path images = {};  // folder of the photographs; empty: no thumbnails
  // Folder of a sparse model, or of the models 0, 1, ... of bifocal map; empty: none.
  std::filesystem::path model = {};
  std::filesystem::path run_file = {};  // output of collect --json or verify --json, or empty
  std::string command_line = {};        // printed on the page
  std::uint64_t max_bytes = std::uint64_t{24} << 20;  // largest size of the page
  int threads = 0;         // threads that decode photographs; 0: all cores
  bool overwrite = false;  // replace a file that is no page of this database
};
struct CollectionPageSummary {
  std::size_t bytes = 0, images = 0;
  std::size_t verified = 0;  // number of pairs
  Json contradicting;        // pairs, as collect --json lists them
  std::size_t components = 0, edges = 0, pairs = 0, pictures = 0;  // numbers shown on the page
};
// Writes the page. Throws Error(input) for a database that is missing, damaged or has no images,
// and for a folder without a model, and Error(usage) if the page would replace an input, or another
// file and `overwrite` is false.
CollectionPageSummary write_collection_page(const CollectionPage& page);

}  // namespace bifocal::cli
