// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/opencl/program_cache.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "runtime/hash.hpp"

namespace bifocal::runtime {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLargestEntry = std::size_t{256} << 20;

struct File {
  explicit File(int f) : descriptor(f) {}
  ~File() {
    if (descriptor >= 0) close(descriptor);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  int descriptor;
};

// Returns the cache folder; empty if the cache is disabled. Relative folders are ignored, because
// the XDG specification declares them invalid.
fs::path cache_folder() {
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string(value ? value : "");
  };
  if (variable("BIFOCAL_CACHE") == "off") return {};
  if (const fs::path base = variable("XDG_CACHE_HOME"); base.is_absolute()) return base / "bifocal";
  if (const fs::path home = variable("HOME"); home.is_absolute())
    return home / ".cache" / "bifocal";
  return {};
}

std::string text_of(const ProgramKey& key) {
  return fmt::format("source {} of {} bytes\noptions {}\ndevice {}\ndriver {}\nplatform {}\n",
                     hash_of(key.source), key.source.size(), key.options, key.device, key.driver,
                     key.platform);
}

fs::path entry_file(const fs::path& folder, const std::string& key_text) {
  return folder / ("opencl-" + hash_of(key_text) + ".bin");
}

// Returns the header of an entry, which contains all values that are verified when the
// program is read.
std::string header_of(const std::string& key_text, std::string_view program) {
  return fmt::format("bifocal program 1\n{}{} bytes {}\n", key_text, program.size(),
                     hash_of(program));
}

// Returns the content of a regular file; empty if the file is missing, unreadable or absurdly
// large. O_NONBLOCK keeps a pipe of that name from blocking.
std::string read_file(const fs::path& path) {
  const File file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat status = {};
  if (file.descriptor < 0 || fstat(file.descriptor, &status) != 0 || !S_ISREG(status.st_mode) ||
      static_cast<std::size_t>(status.st_size) > kLargestEntry)
    return {};
  std::string bytes(static_cast<std::size_t>(status.st_size), '\0');
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t n = read(file.descriptor, bytes.data() + done, bytes.size() - done);
    if (n <= 0) return {};
    done += static_cast<std::size_t>(n);
  }
  return bytes;
}

bool write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = write(descriptor, bytes.data(), bytes.size());
    if (n <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

void write_entry(const fs::path& folder, const std::string& key_text, std::string_view program) {
  std::error_code failed;
  fs::create_directories(folder, failed);
  std::string name = (folder / ".new-XXXXXX").string();
  bool written = false;
  {
    const File file(mkostemp(name.data(), O_CLOEXEC));
    if (file.descriptor < 0) return;
    written = write_all(file.descriptor, header_of(key_text, program)) &&
              write_all(file.descriptor, program);
  }
  if (!written || std::rename(name.c_str(), entry_file(folder, key_text).c_str()) != 0)
    unlink(name.c_str());
}

}  // namespace

std::string read_cached_program(const ProgramKey& key) {
  const fs::path folder = cache_folder();
  if (folder.empty()) return {};
  const std::string key_text = text_of(key);
  const std::string bytes = read_file(entry_file(folder, key_text));
  // Compares the entry with the header that a valid entry must have; the header's length depends on
  // the program's size.
  const std::size_t size_line = bytes.find(key_text) + key_text.size();
  const std::size_t program_at = bytes.find('\n', std::min(size_line, bytes.size())) + 1;
  if (program_at == 0) return {};
  std::string program = bytes.substr(program_at);
  if (bytes.compare(0, program_at, header_of(key_text, program)) != 0) return {};
  return program;
}

void write_cached_program(const ProgramKey& key, std::string_view program) noexcept {
  try {
    const fs::path folder = cache_folder();
    if (!folder.empty() && program.size() < kLargestEntry / 2)
      write_entry(folder, text_of(key), program);
  } catch (...) {  // out of memory, or the folder cannot be created: not stored
  }
}

}  // namespace bifocal::runtime
