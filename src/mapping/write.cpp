// SPDX-License-Identifier: BSD-3-Clause
// Folders of models.
#include <fmt/format.h>
#include <bifocal/colmap/model.hpp>
#include <bifocal/error.hpp>
#include <bifocal/mapping.hpp>
#include <bifocal/io.hpp>

#include <algorithm>
#include <string>
#include <system_error>
#include <vector>

#include "collection/colmap/model/parts.hpp"

namespace bifocal {
namespace {

namespace fs = std::filesystem;

// A folder inside the output for models that are not complete; removed at the end.
class Staging {
 public:
  explicit Staging(const fs::path& folder) : path_(folder / ".models.part") {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  ~Staging() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;
  [[nodiscard]] const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

// Returns the folder's entries that are named as models are: 0, 1, ...
std::vector<fs::path> numbered(const fs::path& folder) {
  std::vector<fs::path> entries;
  std::error_code none;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, none)) {
    const std::string name = entry.path().filename().string();
    const bool has_digits = std::ranges::all_of(name, [](char c) { return c >= '0' && c <= '9'; });
    if (has_digits && (name == "0" || name[0] != '0')) entries.push_back(entry.path());
  }
  std::ranges::sort(entries);
  return entries;
}

}  // namespace

void check_models_folder(const fs::path& folder, bool overwrite) {
  require_file_place(folder / "0" / "cameras.bin");
  for (const fs::path& entry : numbered(folder)) colmap::check_model_folder(entry, overwrite);
}

std::vector<std::size_t> written_models(const MapResult& result, bool is_strict) {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < result.models.size(); ++i)
    if (!is_strict || !result.is_doubted(i)) places.push_back(i);
  return places;
}

void write_models(const fs::path& folder, const MapResult& result, bool overwrite, bool is_strict,
                  colmap::ModelFormat format) {
  check_models_folder(folder, overwrite);
  const std::vector<std::size_t> places = written_models(result, is_strict);
  if (places.empty()) return;
  const Staging staging(folder);
  const auto name = [](std::size_t i) { return std::to_string(i); };
  for (std::size_t i = 0; i < places.size(); ++i)
    colmap::write_model(staging.path() / name(i), result.models[places[i]], format);
  for (std::size_t i = 0; i < places.size(); ++i)
    colmap::model::move_files(staging.path() / name(i), folder / name(i));
  for (const fs::path& entry : numbered(folder)) {
    const std::string number = entry.filename().string();
    const bool is_new = number.size() < 10 && std::stoul(number) < places.size();
    if (!is_new && !fs::is_symlink(entry)) colmap::model::remove_files(entry);
  }
}

}  // namespace bifocal
