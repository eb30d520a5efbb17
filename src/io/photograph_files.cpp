// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <utility>

#include <bifocal/error.hpp>
#include <bifocal/io.hpp>

#include "io/reject.hpp"

namespace bifocal {
namespace fs = std::filesystem;
namespace {

bool is_hidden(const fs::path& path) { return path.filename().string().starts_with('.'); }

bool is_image_file(const fs::path& path) {
  std::string ending = path.extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  constexpr std::string_view kEndings[] = {".jpg", ".jpeg", ".jpe",  ".jfif", ".jfi",
                                           ".jif", ".png",  ".pgm",  ".ppm",  ".pnm",
                                           ".tif", ".tiff", ".webp", ".bmp"};
  return std::find(std::begin(kEndings), std::end(kEndings), ending) != std::end(kEndings);
}

// "3 .heic, 1 .txt": number of files for each ending, the most frequent first.
std::string counts_by_ending(const std::vector<fs::path>& files) {
  std::map<std::string, int> counts;
  for (const fs::path& file : files) {
    const std::string ending = file.extension().string();
    ++counts[ending.empty() ? "without ending" : io::printable(ending)];
  }
  std::vector<std::pair<std::string, int>> ordered(counts.begin(), counts.end());
  std::stable_sort(ordered.begin(), ordered.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string text;
  for (std::size_t k = 0; k < ordered.size() && k < 8; ++k)
    text += fmt::format("{}{} {}", k > 0 ? ", " : "", ordered[k].second, ordered[k].first);
  return ordered.size() > 8 ? text + ", ..." : text;
}

// Returns the deepest folder that contains both paths.
fs::path common_folder(const fs::path& a, const fs::path& b) {
  fs::path common;
  for (auto i = a.begin(), k = b.begin(); i != a.end() && k != b.end() && *i == *k; ++i, ++k)
    common /= *i;
  return common;
}

bool comes_before_path(const fs::path& a, const fs::path& b) {
  return comes_before(a.generic_string(), b.generic_string());
}

// Identity of a file, independent of the path that leads to it.
using Identity = std::pair<dev_t, ino_t>;

// Finds photographs below folders. Links are followed only after all files have been found by
// their own names.
class Finder {
 public:
  // Adds a path given by the caller.
  void add(const fs::path& path) {
    std::error_code error;
    if (fs::is_directory(path, error)) {
      enter(path, true);
    } else if (fs::is_symlink(path, error)) {
      image_links_.push_back(path);
    } else {
      take(path, true);
    }
  }

  void follow_links() {
    while (!folder_links_.empty()) {
      std::vector<fs::path> links = std::exchange(folder_links_, {});
      std::sort(links.begin(), links.end(), comes_before_path);
      for (const fs::path& link : links) enter(link, false);
    }
    std::sort(image_links_.begin(), image_links_.end(), comes_before_path);
    for (const fs::path& link : image_links_) {
      struct stat status {};
      const bool exists = stat(link.c_str(), &status) == 0;
      const auto known = files_.find({status.st_dev, status.st_ino});
      if (exists && known != files_.end() && known->second != link)
        pass_over(link, "is a link to ", known->second);
      else
        take(link, false);
    }
  }

  [[nodiscard]] const std::vector<fs::path>& found() const { return found_; }

  struct PassedOver {
    fs::path path;
    std::string reason;
    fs::path other;  // path at the end of the reason; may be empty
  };
  [[nodiscard]] const std::vector<PassedOver>& passed_over() const { return passed_over_; }
  // Returns the files that were skipped because of their file name extension.
  [[nodiscard]] const std::vector<fs::path>& other_files() const { return other_files_; }

 private:
  void pass_over(const fs::path& path, std::string reason, fs::path other = {}) {
    passed_over_.push_back({path, std::move(reason), std::move(other)});
  }

  // Adds a file. Pipes are accepted if the caller gave them, and skipped in folders.
  void take(const fs::path& path, bool is_given) {
    struct stat status {};
    const bool exists = stat(path.c_str(), &status) == 0;
    if (exists && !is_given && !S_ISREG(status.st_mode)) return pass_over(path, "is no file");
    if (exists) files_.emplace(Identity(status.st_dev, status.st_ino), path);
    found_.push_back(path);
  }

  // Searches a folder. Each folder is visited once, so that cyclic links end.
  void enter(const fs::path& folder, bool is_given) {
    struct stat status {};
    std::error_code error;
    if (stat(folder.c_str(), &status) != 0) return pass_over(folder, "can't be read");
    const auto [known, is_new] = folders_.emplace(Identity(status.st_dev, status.st_ino), folder);
    if (!is_new) {
      if (known->second != folder) pass_over(folder, "is a link to the folder ", known->second);
      return;
    }
    fs::directory_iterator entry(folder, error);
    for (const fs::directory_iterator end; !error && entry != end; entry.increment(error))
      if (!is_hidden(entry->path())) visit(*entry);
    if (!error) return;
    if (is_given) io::reject(folder.string(), "can't be read: {}", error.message());
    pass_over(folder, "can't be read: " + error.message());
  }

  void visit(const fs::directory_entry& entry) {
    std::error_code error;
    const fs::path path = entry.path().lexically_normal();
    const bool is_link = entry.is_symlink(error);
    if (entry.is_directory(error)) {
      is_link ? folder_links_.push_back(path) : enter(path, false);
    } else if (is_image_file(path)) {
      is_link ? image_links_.push_back(path) : take(path, false);
    } else if (is_link && !entry.exists(error)) {
      pass_over(path, "is a broken link");
    } else if (entry.is_regular_file(error)) {
      other_files_.push_back(path);
    }
  }

  std::map<Identity, fs::path> folders_, files_;  // by file, the first path found
  std::vector<fs::path> found_, folder_links_, image_links_;
  std::vector<fs::path> other_files_;
  std::vector<PassedOver> passed_over_;
};

// Returns the path relative to the folder, which is the photograph's name; the full path if
// it lies outside.
std::string name_below(const fs::path& folder, const fs::path& path) {
  const std::string name = path.lexically_relative(folder).generic_string();
  return name.empty() || name == "." || name.starts_with("..") ? path.string() : name;
}

fs::path folder_of(std::span<const std::string> paths, const std::vector<fs::path>& found) {
  std::error_code error;
  const fs::path first = fs::absolute(paths.front()).lexically_normal();
  if (paths.size() == 1 && fs::is_directory(first, error)) return first;
  fs::path folder = found.empty() ? first : found.front().parent_path();
  for (const fs::path& file : found) folder = common_folder(folder, file.parent_path());
  return folder;
}

}  // namespace

PhotographFiles list_photographs(std::span<const std::string> paths) {
  if (paths.empty())
    throw Error(ErrorCode::usage, "list_photographs: no photographs and no folders are given");
  Finder finder;
  for (const std::string& path : paths) {
    const fs::path whole = fs::absolute(path).lexically_normal();
    std::error_code error;
    if (!fs::exists(whole, error)) io::reject(path, "there is no such file or folder");
    finder.add(whole.has_filename() ? whole : whole.parent_path());
  }
  finder.follow_links();
  PhotographFiles all;
  all.folder = folder_of(paths, finder.found());
  for (const fs::path& file : finder.found())
    all.files.push_back({file, file.lexically_relative(all.folder).generic_string()});
  std::sort(all.files.begin(), all.files.end(),
            [](const PhotographFile& a, const PhotographFile& b) {
              return comes_before(a.name, b.name);
            });
  const auto twice = std::unique(
      all.files.begin(), all.files.end(),
      [](const PhotographFile& a, const PhotographFile& b) { return a.name == b.name; });
  all.files.erase(twice, all.files.end());
  for (const auto& [path, reason, other] : finder.passed_over())
    all.other_files.push_back({name_below(all.folder, path),
                               other.empty() ? reason : reason + name_below(all.folder, other)});
  if (const auto& others = finder.other_files(); !others.empty()) {
    const fs::path& first = *std::min_element(others.begin(), others.end(), comes_before_path);
    const std::string rest = others.size() == 1 ? std::string()
                                                : fmt::format("; {} such files ({})", others.size(),
                                                              counts_by_ending(others));
    all.other_files.push_back(
        {name_below(all.folder, first),
         "its name has no ending of a JPEG, PNG, TIFF, WebP, BMP, PGM or PPM" + rest});
  }
  std::sort(all.other_files.begin(), all.other_files.end(),
            [](const LeftOut& a, const LeftOut& b) { return comes_before(a.name, b.name); });
  return all;
}

}  // namespace bifocal
