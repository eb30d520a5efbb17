// SPDX-License-Identifier: BSD-3-Clause
// Models as folders of files.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <bifocal/error.hpp>
#include <bifocal/io.hpp>
#include <bifocal/geometry.hpp>

#include <algorithm>
#include <random>
#include <system_error>
#include <utility>

#include "collection/colmap/model/parts.hpp"
#include "collection/colmap/pair.hpp"
#include "io/reject.hpp"

namespace bifocal::colmap {
namespace fs = std::filesystem;
using model::Part;
namespace {

constexpr std::int64_t kMostBytes = std::int64_t{1} << 36;  // of one file
constexpr Part kNeeded[] = {Part::cameras, Part::images, Part::points};
constexpr Part kOptional[] = {Part::rigs, Part::frames};
constexpr Part kParts[] = {Part::cameras, Part::images, Part::points, Part::rigs, Part::frames};

std::string file_name(Part part, ModelFormat format) {
  return fmt::format("{}.{}", model::name_of(part), format == ModelFormat::binary ? "bin" : "txt");
}

bool is_there(const fs::path& file) {
  std::error_code ignored;
  return fs::exists(file, ignored);
}

bool is_complete(const fs::path& folder, ModelFormat format) {
  return std::ranges::all_of(kNeeded,
                             [&](Part part) { return is_there(folder / file_name(part, format)); });
}

bool has_part(const fs::path& folder, ModelFormat format) {
  return std::ranges::any_of(kNeeded,
                             [&](Part part) { return is_there(folder / file_name(part, format)); });
}
bool has_part(const fs::path& folder) {
  return has_part(folder, ModelFormat::binary) || has_part(folder, ModelFormat::text);
}

// An empty text file has no items.
bool is_empty_text(const fs::path& file, ModelFormat format) {
  std::error_code failed;
  return format == ModelFormat::text && fs::is_regular_file(file, failed) &&
         fs::file_size(file, failed) == 0 && !failed;
}

void read_part(const fs::path& folder, Part part, ModelFormat format, Model& to) {
  const fs::path file = folder / file_name(part, format);
  if (is_empty_text(file, format)) return;
  if (format == ModelFormat::binary)
    model::binary::read(part, read_file(file, kMostBytes), file.string(), to);
  else
    model::text::read(part, read_text(file, kMostBytes), file.string(), to);
}

[[noreturn]] void refuse_incomplete(const fs::path& folder) {
  std::error_code ignored;
  if (!fs::exists(folder, ignored)) io::reject(folder.string(), "there is no such folder");
  if (!fs::is_directory(folder, ignored))
    io::reject(folder.string(), "is a file; a model is a folder");
  for (const ModelFormat format : {ModelFormat::binary, ModelFormat::text})
    if (has_part(folder, format))
      for (const Part part : kNeeded)
        if (!is_there(folder / file_name(part, format)))
          io::reject((folder / file_name(part, format)).string(), "there is no such file");
  io::reject(folder.string(),
             "has no model: cameras, images and points3D, with the endings .bin or .txt");
}

// A hidden folder for files that are not complete yet. Its destructor removes it.
class Staging {
 public:
  explicit Staging(const fs::path& folder) {
    std::random_device random;
    std::error_code failed;
    fs::create_directories(folder, failed);
    for (int attempt = 0; attempt < 100 && !failed; ++attempt) {
      path_ = folder / fmt::format(".bifocal-{:08x}.tmp", random());
      if (fs::create_directory(path_, failed)) return;
    }
    path_.clear();
    io::reject(folder.string(), "can't be written to: {}", failed.message());
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

// Writes a file of the staging folder. Messages name the file in its final place.
void write_staged(const fs::path& staged, const fs::path& file, std::string_view bytes) {
  try {
    write_file(staged, bytes);
  } catch (const Error& e) {
    std::string text = e.what();
    if (const std::string name = staged.string(); text.starts_with(name))
      text.replace(0, name.size(), file.string());
    throw Error(e.code(), text);
  }
}

// Lines of text files can't hold every name.
void check_names(const Model& model) {
  for (const ModelImage& image : model.images) {
    const std::string& name = image.name;
    const bool is_line = name.find_first_of("\r\n") == std::string::npos &&
                         name.find_first_not_of(" \t") == 0 && !name.ends_with(' ') &&
                         !name.ends_with('\t');
    if (!is_line)
      throw Error(ErrorCode::usage,
                  fmt::format("model: image {}: the name '{}' can't be written as text; write "
                              "binary files",
                              image.id, io::printable(name)));
  }
}

}  // namespace

Pose pose_of(const ModelPose& pose) { return {rotation_of(pose.rotation), pose.translation}; }
ModelPose model_pose(const Pose& pose) {
  return {quaternion_of(checked_rotation("model_pose: R", pose.R)), pose.t};
}

std::optional<ModelFormat> model_format(const fs::path& folder) {
  for (const ModelFormat format : {ModelFormat::binary, ModelFormat::text})
    if (is_complete(folder, format)) return format;
  return {};
}

std::vector<std::string> model::models_inside(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code failed;
  for (fs::directory_iterator entry(folder, failed), end; !failed && entry != end;
       entry.increment(failed)) {
    const std::string name = entry->path().filename().string();
    const bool is_hidden = name.starts_with('.');  // incomplete files of another process
    if (!is_hidden && model_format(entry->path())) names.push_back(name);
  }
  std::ranges::sort(names, {}, [](const std::string& n) { return std::pair(n.size(), n); });
  return names;
}

fs::path model_folder(const fs::path& folder) {
  constexpr std::size_t kShown = 10;
  if (has_part(folder)) return folder;
  std::vector<std::string> names = model::models_inside(folder);
  if (names.empty()) return folder;
  const std::string first = (folder / names.front()).string();
  if (names.size() == 1) return first;
  const bool is_cut = names.size() > kShown;
  const std::string last = is_cut ? "others" : names.back();
  names.resize(std::min(names.size() - 1, kShown));
  io::reject(folder.string(), "has the models {} and {}; name one, such as {}",
             fmt::join(names, ", "), last, first);
}

Model read_model(const fs::path& given) {
  const fs::path folder = model_folder(given);
  const std::optional<ModelFormat> format = model_format(folder);
  if (!format) refuse_incomplete(folder);
  Model model;
  for (const Part part : kNeeded) read_part(folder, part, *format, model);
  const bool has_rigs = is_there(folder / file_name(Part::rigs, *format));
  if (has_rigs != is_there(folder / file_name(Part::frames, *format))) {
    const Part part = has_rigs ? Part::frames : Part::rigs;
    io::reject((folder / file_name(part, *format)).string(),
               "there is no such file, but there is {}",
               file_name(has_rigs ? Part::rigs : Part::frames, *format));
  }
  model.has_frames = has_rigs;
  if (has_rigs)
    for (const Part part : kOptional) read_part(folder, part, *format, model);
  if (const fs::path file = folder / model::kGeoreferenceName; is_there(file))
    model.georeference = model::read_georeference(file);
  model::check(model, [&](Part part, const std::string& what) {
    io::reject((folder / file_name(part, *format)).string(), "{}", what);
  });
  model::take_poses_of_frames(model);
  return model;
}

void check_model(const Model& model) {
  model::check(model, [](Part part, const std::string& what) {
    throw Error(ErrorCode::usage, fmt::format("model: {}: {}", model::name_of(part), what));
  });
}

std::vector<std::string> model_file_names() {
  std::vector<std::string> names;
  for (const ModelFormat format : {ModelFormat::binary, ModelFormat::text})
    for (const Part part : kParts) names.push_back(file_name(part, format));
  names.emplace_back(model::kGeoreferenceName);
  return names;
}

void check_model_folder(const fs::path& folder, bool overwrite) {
  require_file_place(folder / "cameras.bin");
  for (const std::string& name : model_file_names()) {
    if (!is_taken(folder / name)) continue;
    require_file_place(folder / name);
    if (!overwrite)
      throw Error(ErrorCode::usage,
                  fmt::format("{}: there is a model already ({}); choose another folder or "
                              "overwrite it",
                              folder.string(), name));
  }
}

void model::move_files(const fs::path& from, const fs::path& to) {
  std::error_code failed;
  fs::create_directories(to, failed);
  if (failed) io::reject(to.string(), "can't be written to: {}", failed.message());
  const auto require = [&](const std::string& name) {
    if (failed) io::reject((to / name).string(), "can't be written: {}", failed.message());
  };
  std::vector<std::string> others;
  for (const std::string& name : model_file_names()) {
    if (!is_there(from / name)) {
      others.push_back(name);
      continue;
    }
    fs::rename(from / name, to / name, failed);
    require(name);
  }
  for (const std::string& name : others) {
    fs::remove(to / name, failed);
    require(name);
  }
}

void model::remove_files(const fs::path& folder) {
  std::error_code failed;
  for (const std::string& name : model_file_names()) {
    fs::remove(folder / name, failed);
    if (failed) io::reject((folder / name).string(), "can't be removed: {}", failed.message());
  }
  fs::remove(folder, failed);  // fails if it has other files
}

void write_model(const fs::path& folder, const Model& model, ModelFormat format, bool overwrite) {
  check_model_folder(folder, overwrite);
  check_model(model);
  if (format == ModelFormat::text) check_names(model);
  const Staging staging(folder);
  const auto is_written = [&](Part part) {
    return model.has_frames || (part != Part::rigs && part != Part::frames);
  };
  for (const Part part : kParts) {
    if (!is_written(part)) continue;
    const std::string bytes = format == ModelFormat::binary ? model::binary::bytes_of(part, model)
                                                            : model::text::bytes_of(part, model);
    const std::string name = file_name(part, format);
    write_staged(staging.path() / name, folder / name, bytes);
  }
  if (model.georeference)
    write_staged(staging.path() / model::kGeoreferenceName, folder / model::kGeoreferenceName,
                 model::bytes_of(*model.georeference));
  model::move_files(staging.path(), folder);
}

}  // namespace bifocal::colmap
