// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cctype>

#include <bifocal/error.hpp>
#include <bifocal/photographs.hpp>

#include "io/reject.hpp"

namespace bifocal {
namespace fs = std::filesystem;
namespace {

bool is_hidden(const fs::path& path) { return path.filename().string().starts_with('.'); }

bool is_picture(const fs::path& path) {
  std::string ending = path.extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  constexpr std::string_view kEndings[] = {".jpg", ".jpeg", ".png", ".pgm", ".ppm", ".pnm"};
  return std::find(std::begin(kEndings), std::end(kEndings), ending) != std::end(kEndings);
}

void add_folder(const fs::path& folder, std::vector<fs::path>& files) {
  std::error_code error;
  fs::recursive_directory_iterator entry(folder, fs::directory_options::follow_directory_symlink,
                                         error);
  if (error) io::reject(folder.string(), "can't be read: {}", error.message());
  for (const fs::recursive_directory_iterator end; entry != end; entry.increment(error)) {
    if (error) io::reject(folder.string(), "can't be read: {}", error.message());
    if (is_hidden(entry->path())) {
      if (entry->is_directory(error)) entry.disable_recursion_pending();
    } else if (is_picture(entry->path()) && !entry->is_directory(error)) {
      files.push_back(entry->path().lexically_normal());
    }
    if (entry.depth() > 64) entry.disable_recursion_pending();  // links that go round
    error.clear();
  }
}

// The deepest folder that holds both.
fs::path common_folder(const fs::path& a, const fs::path& b) {
  fs::path common;
  for (auto i = a.begin(), k = b.begin(); i != a.end() && k != b.end() && *i == *k; ++i, ++k)
    common /= *i;
  return common;
}

}  // namespace

PhotographFiles list_photographs(std::span<const std::string> paths) {
  if (paths.empty())
    throw Error(ErrorCode::usage, "list_photographs: no photographs and no folders are given");
  std::vector<fs::path> found;
  std::error_code error;
  for (const std::string& path : paths) {
    const fs::path whole = fs::absolute(path).lexically_normal();
    if (!fs::exists(whole, error)) io::reject(path, "there is no such file or folder");
    if (fs::is_directory(whole, error)) {
      add_folder(whole, found);
    } else {
      found.push_back(whole);
    }
  }
  PhotographFiles all;
  const fs::path first = fs::absolute(paths.front()).lexically_normal();
  if (paths.size() == 1 && fs::is_directory(first, error)) {
    all.folder = first;
  } else {
    all.folder = found.empty() ? first : found.front().parent_path();
    for (const fs::path& file : found) all.folder = common_folder(all.folder, file.parent_path());
  }
  for (const fs::path& file : found)
    all.files.push_back({file, file.lexically_relative(all.folder).generic_string()});
  std::sort(all.files.begin(), all.files.end(),
            [](const PhotographFile& a, const PhotographFile& b) { return a.name < b.name; });
  const auto twice = std::unique(
      all.files.begin(), all.files.end(),
      [](const PhotographFile& a, const PhotographFile& b) { return a.name == b.name; });
  all.files.erase(twice, all.files.end());
  return all;
}

}  // namespace bifocal
