// SPDX-License-Identifier: BSD-3-Clause
// Folders of models.
#include <fmt/format.h>
#include <bifocal/colmap/model.hpp>
#include <bifocal/error.hpp>
#include <bifocal/mapping.hpp>

#include <algorithm>
#include <string>
#include <system_error>

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

bool has_model(const fs::path& folder, std::size_t number) {
  return colmap::model_format(folder / std::to_string(number)).has_value();
}

void move(const fs::path& from, const fs::path& to) {
  std::error_code error;
  fs::rename(from, to, error);
  if (error)
    throw Error(ErrorCode::input,
                fmt::format("{}: can't be moved to its place: {}", to.string(), error.message()));
}

}  // namespace

void require_no_models(const fs::path& folder) {
  std::error_code ignored;
  if (fs::exists(folder, ignored) && !fs::is_directory(folder, ignored))
    throw Error(ErrorCode::input,
                fmt::format("{}: is a file, no folder for models", folder.string()));
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored)) {
    const std::string name = entry.path().filename().string();
    const bool is_number = std::ranges::all_of(name, [](char c) { return c >= '0' && c <= '9'; });
    if (is_number && !colmap::model_format(entry.path()) && !fs::is_empty(entry.path(), ignored))
      throw Error(ErrorCode::input,
                  fmt::format("{}: is there, but is no model; choose another folder for models",
                              entry.path().string()));
  }
  if (has_model(folder, 0))
    throw Error(ErrorCode::usage,
                fmt::format("{}: there is a model already; choose another folder or overwrite it",
                            (folder / "0").string()));
}

void write_models(const fs::path& folder, const MapResult& result, bool overwrite) {
  if (!overwrite) require_no_models(folder);
  const Staging staging(folder);
  for (std::size_t i = 0; i < result.models.size(); ++i)
    colmap::write_model(staging.path() / std::to_string(i), result.models[i],
                        colmap::ModelFormat::binary);
  for (std::size_t i = 0; has_model(folder, i); ++i)
    move(folder / std::to_string(i), staging.path() / ("old-" + std::to_string(i)));
  for (std::size_t i = 0; i < result.models.size(); ++i)
    move(staging.path() / std::to_string(i), folder / std::to_string(i));
}

}  // namespace bifocal
