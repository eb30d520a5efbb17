// SPDX-License-Identifier: BSD-3-Clause
#include "jobs/output_folder.hpp"

#include <fmt/format.h>
#include <stdlib.h>  // mkdtemp
#include <bifocal/error.hpp>
#include <bifocal/io.hpp>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string_view>

namespace bifocal::jobs {
namespace fs = std::filesystem;
namespace {

constexpr const char* kStaging = ".bifocal-XXXXXX";  // template for mkdtemp

}  // namespace

void OutputFolder::fail(const fs::path& folder, const std::string& why) const {
  throw Error(ErrorCode::input,
              fmt::format("{} {}: can't write there: {}", files_.argument, folder.string(), why));
}

OutputFolder::OutputFolder(fs::path folder, OutputFiles files)
    : folder_(std::move(folder)), files_(std::move(files)) {
  const auto lock = hold_interrupts();
  if (folder_.empty())
    throw Error(ErrorCode::usage, fmt::format("{}: the folder name is empty", files_.argument));
  std::erase(files_.inputs, "");
  find_earlier();
  check();
  std::error_code error;
  for (fs::path p = fs::absolute(folder_).lexically_normal();
       !fs::exists(p, error) && p.has_relative_path(); p = p.parent_path()) {
    if (p.has_filename()) created_.push_back(p);
  }
  fs::create_directories(folder_, error);
  if (error) fail(folder_, error.message());
  std::string name = (folder_ / kStaging).string();
  if (!mkdtemp(name.data())) fail(folder_, std::strerror(errno));
  staging_ = name;
}

OutputFolder::~OutputFolder() {
  const auto lock = hold_interrupts();
  undo();
}

std::string OutputFolder::with_final_names(std::string message) {
  const std::string_view staging = kStaging, start = staging.substr(0, staging.find('X'));
  for (std::size_t at = 0; (at = message.find(start, at)) != std::string::npos;) {
    if (at + staging.size() < message.size() && message[at + staging.size()] == '/')
      message.erase(at, staging.size() + 1);
    else
      ++at;
  }
  return message;
}

std::string path_from(const fs::path& folder, const fs::path& file) {
  std::error_code error;
  const auto whole = [&](const fs::path& path) {
    return fs::weakly_canonical(fs::absolute(path, error), error);
  };
  return valid_utf8(whole(file).lexically_proximate(whole(folder)).string());
}

std::vector<std::string> OutputFolder::inputs() const {
  std::vector<std::string> names;
  for (const std::string& input : files_.inputs) names.push_back(path_from(folder_, input));
  return names;
}

Json OutputFolder::record() const {
  std::error_code error;
  std::vector<std::string> written = {files_.names.front()};
  for (const std::string& name : files_.names)
    if (name != written.front() && fs::exists(staging_ / name, error)) written.push_back(name);
  return {{"read", inputs()}, {"written", written}};
}

void OutputFolder::find_earlier() {
  if (!files_.has_record) {
    if (files_.overwrite) earlier_ = files_.names;
    return;
  }
  std::error_code error;
  const fs::path file = folder_ / files_.names.front();
  if (!fs::is_regular_file(file, error)) return;
  Json record;
  try {
    record = Json::parse(read_text(file), nullptr, false);
  } catch (const Error&) {
    return;
  }
  if (!record.is_object()) return;
  const Json made = record.value("files", Json());
  if (!made.is_object()) {  // of an older version
    if (files_.overwrite) earlier_ = files_.names;
    return;
  }
  const bool is_same = files_.inputs_are_files && made.value("read", Json()) == Json(inputs());
  if (!is_same && !files_.overwrite) return;
  const Json written = made.value("written", Json());
  for (const std::string& name : files_.names)
    if (std::ranges::find(written, Json(name)) != written.end()) earlier_.push_back(name);
}

void OutputFolder::check() const {
  std::error_code error;
  for (const std::string& name : files_.names)
    for (const std::string& input : files_.inputs)
      if (fs::equivalent(folder_ / name, input, error))
        throw Error(ErrorCode::usage, fmt::format("{} {}: the result {} would replace the input {}",
                                                  files_.argument, folder_.string(), name, input));
  for (const std::string& name : files_.names) {
    const fs::path file = folder_ / name;
    if (fs::is_directory(file, error)) fail(file, "a folder has this name");
    const bool is_earlier = std::ranges::find(earlier_, name) != earlier_.end();
    require_free(file, files_.overwrite || is_earlier,
                 files_.has_record
                     ? "exists already, and no earlier run with the same inputs made it"
                     : "exists already");
  }
}

void OutputFolder::undo() {
  std::error_code ignored;
  // On an interrupt other threads are still writing; after the folder is removed they cannot.
  for (int attempt = 0; attempt < 1000 && !staging_.empty() && fs::exists(staging_, ignored);
       ++attempt) {
    fs::remove_all(staging_, ignored);
  }
  if (committed_) return;
  for (const fs::path& folder : created_) fs::remove(folder, ignored);  // only if empty
}

void OutputFolder::commit() {
  const auto lock = hold_interrupts();
  std::error_code error;
  for (const std::string& name : files_.names)
    if (fs::is_directory(folder_ / name, error)) fail(folder_ / name, "a folder has this name");
  for (const std::string& name : files_.names) {
    error.clear();
    if (fs::exists(staging_ / name, error))
      fs::rename(staging_ / name, folder_ / name, error);
    else if (std::ranges::find(earlier_, name) != earlier_.end())
      fs::remove(folder_ / name, error);
    if (error) fail(folder_ / name, error.message());
  }
  committed_ = true;
}

}  // namespace bifocal::jobs
