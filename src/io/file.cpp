// SPDX-License-Identifier: BSD-3-Clause
#include <sys/stat.h>

#include <random>

#include <bifocal/io.hpp>

#include "io/file_descriptor.hpp"
#include "io/regular_file.hpp"
#include "runtime/parallel.hpp"

namespace bifocal {
namespace {

// Returns the kind of a file that is not regular; null for a regular file.
const char* other_kind(const struct stat& status) {
  if (S_ISREG(status.st_mode)) return nullptr;
  if (S_ISDIR(status.st_mode)) return "a folder";
  if (S_ISFIFO(status.st_mode)) return "a pipe";
  return S_ISSOCK(status.st_mode) ? "a socket" : "a device";
}

using io::FileDescriptor, io::reject_write, io::write_all;

// Opens a new file with an unused name in the same folder. The name is short, independent of the
// length of the file's name.
int open_temporary(const std::filesystem::path& file, std::filesystem::path& temporary) {
  std::random_device random;
  for (int attempt = 0; attempt < 100; ++attempt) {
    temporary = file.parent_path() / fmt::format(".bifocal-{:08x}.tmp", random());
    const int fd = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd >= 0 || errno != EEXIST) return fd;
  }
  return -1;
}

// Returns whether the file is a device or a pipe (/dev/stdout). These are written in place, because
// a rename would replace them.
bool is_stream(const std::filesystem::path& file) {
  struct stat status {};
  return ::stat(file.c_str(), &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
}

void write_stream(const std::filesystem::path& file, std::string_view bytes) {
  FileDescriptor out(::open(file.c_str(), O_WRONLY | O_CLOEXEC));
  if (!out.valid() || !write_all(out.get(), bytes) || !out.close()) reject_write(file, errno);
}

}  // namespace

void write_file(const std::filesystem::path& file, std::string_view bytes) {
  if (is_stream(file)) return write_stream(file, bytes);
  // Resolves symbolic links, because a rename onto a link would replace the link instead
  // of its target.
  std::error_code unresolved;
  std::filesystem::path target = std::filesystem::weakly_canonical(file, unresolved);
  if (unresolved) target = file;
  std::filesystem::path temporary;
  FileDescriptor out(open_temporary(target, temporary));
  if (!out.valid()) reject_write(file, errno);
  if (!write_all(out.get(), bytes) || !out.close() ||
      ::rename(temporary.c_str(), target.c_str()) != 0) {
    const int error = errno;
    ::unlink(temporary.c_str());
    reject_write(file, error);
  }
}

void io::require_regular(const std::filesystem::path& file) {
  struct stat status {};
  if (::stat(file.c_str(), &status) != 0)
    reject(file.string(), "can't be read: {}", std::strerror(errno));
  if (const char* kind = other_kind(status)) reject(file.string(), "is {}, not a file", kind);
}

void io::read_all(const std::filesystem::path& file, std::span<char> bytes) {
  constexpr std::size_t kPart = 1 << 20;
  const std::string name = file.string();
  require_regular(file);
  const FileDescriptor in(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
  struct stat status {};
  if (!in.valid() || ::fstat(in.get(), &status) != 0)
    reject(name, "can't be read: {}", std::strerror(errno));
  const auto read_part = [&](std::size_t part) {
    std::size_t at = part * kPart;
    const std::size_t end = std::min(bytes.size(), at + kPart);
    while (at < end) {
      const ssize_t n = ::pread(in.get(), bytes.data() + at, end - at, static_cast<off_t>(at));
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) reject(name, "can't be read: {}", std::strerror(errno));
      if (n == 0) reject(name, "was cut");
      at += static_cast<std::size_t>(n);
    }
  };
  if (static_cast<std::uint64_t>(status.st_size) != bytes.size())
    reject(name, "has {} bytes instead of {}", status.st_size, bytes.size());
  runtime::parallel_each((bytes.size() + kPart - 1) / kPart, read_part);
}

std::string read_file(const std::filesystem::path& file, std::int64_t max_bytes) {
  const std::string name = file.string();
  struct stat status {};
  const bool is_pipe = ::stat(file.c_str(), &status) == 0 && S_ISFIFO(status.st_mode);
  if (!is_pipe) io::require_regular(file);
  // O_NONBLOCK: if a pipe replaces the regular file after the check, opening it does not block, and
  // it is rejected below. A pipe that was requested waits for its writer.
  const int wait = is_pipe ? 0 : O_NONBLOCK;
  FileDescriptor in(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | wait));
  if (!in.valid() || ::fstat(in.get(), &status) != 0)
    io::reject(name, "can't be read: {}", std::strerror(errno));
  if (const char* kind = other_kind(status); kind && !S_ISFIFO(status.st_mode))
    io::reject(name, "is {}, not a file", kind);
  if (status.st_size > max_bytes) {
    io::reject(name, "has {} bytes, more than the {} allowed", status.st_size, max_bytes);
  }
  // The size is only a hint: files in /proc report none, and a file can grow during the read.
  std::string bytes(std::size_t(status.st_size) + 1, '\0');
  std::size_t size = 0;
  for (;;) {
    if (size == bytes.size()) bytes.resize(2 * bytes.size());
    const ssize_t n = ::read(in.get(), bytes.data() + size, bytes.size() - size);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) io::reject(name, "can't be read: {}", std::strerror(errno));
    if (n == 0) break;
    size += std::size_t(n);
    if (std::int64_t(size) > max_bytes)
      io::reject(name, "has more than the {} bytes allowed", max_bytes);
  }
  if (size == 0) io::reject(name, "is empty");
  bytes.resize(size);
  return bytes;
}

}  // namespace bifocal
