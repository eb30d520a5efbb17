// SPDX-License-Identifier: BSD-3-Clause
#include "output_folder.hpp"

#include <fmt/format.h>
#include <stdlib.h>  // mkdtemp
#include <bifocal/error.hpp>

#include <cerrno>
#include <cstring>
#include <string_view>

namespace bifocal::cli {
namespace fs = std::filesystem;
namespace {

constexpr const char* kStaging = ".bifocal-XXXXXX";  // template for mkdtemp

[[noreturn]] void fail(const fs::path& folder, const std::string& why) {
  throw Error(ErrorCode::input,
              fmt::format("--out {}: can't write there: {}", folder.string(), why));
}

}  // namespace

OutputFolder::OutputFolder(fs::path folder, std::vector<std::string> names,
                           const std::vector<std::string>& inputs)
    : folder_(std::move(folder)), names_(std::move(names)) {
  const auto lock = hold_interrupts();
  if (folder_.empty()) throw Error(ErrorCode::usage, "--out: the folder name is empty");
  std::error_code error;
  for (const std::string& name : names_) {
    for (const std::string& input : inputs) {
      if (!fs::equivalent(folder_ / name, input, error)) continue;
      throw Error(ErrorCode::usage,
                  fmt::format("--out {}: the result {} would replace the input {}",
                              folder_.string(), name, input));
    }
  }
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
  for (const std::string& name : names_) {
    if (fs::is_directory(folder_ / name, error)) fail(folder_ / name, "a folder has this name");
  }
  const bool had_files = fs::exists(folder_ / names_.front(), error);
  for (const std::string& name : names_) {
    error.clear();
    if (fs::exists(staging_ / name, error)) {
      fs::rename(staging_ / name, folder_ / name, error);
    } else if (had_files) {
      fs::remove(folder_ / name, error);
    }
    if (error) fail(folder_ / name, error.message());
  }
  committed_ = true;
}

}  // namespace bifocal::cli
