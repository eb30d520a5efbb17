// SPDX-License-Identifier: BSD-3-Clause
#include "collection/shards/durable_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>
#include <bifocal/error.hpp>

#include <cerrno>
#include <cstring>
#include <random>
#include <utility>

namespace bifocal::colmap {
namespace {

constexpr std::size_t kBuffer = std::size_t{1} << 20;

// Folders of some file systems can't be synchronised: their names are safe, or there is no help.
bool sync_folder(const std::filesystem::path& folder) {
  const int fd = ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return false;
  const bool done = ::fsync(fd) == 0 || errno == EINVAL;
  const int error = errno;
  ::close(fd);
  errno = error;
  return done;
}

}  // namespace

DurableFile::DurableFile(std::filesystem::path file) : file_(std::move(file)) {
  // Several machines may write the same file at once: chance tells them apart, not a number that
  // each of them counts by itself.
  std::random_device random;
  part_ = file_;
  part_ += fmt::format(".{:08x}{:08x}{}", random(), random(), kPartEnd);
  descriptor_ = ::open(part_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (descriptor_ < 0) fail(errno);
}

DurableFile::~DurableFile() {
  if (descriptor_ < 0) return;
  ::close(descriptor_);
  ::unlink(part_.c_str());
}

void DurableFile::fail(int error) const {
  throw TryAgain(fmt::format("{}: can't be written: {}", file_.string(), std::strerror(error)));
}

void DurableFile::flush() {
  std::string_view bytes = waiting_;
  while (!bytes.empty()) {
    const ssize_t n = ::write(descriptor_, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail(errno);
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  waiting_.clear();
}

void DurableFile::write(std::string_view bytes) {
  waiting_ += bytes;
  if (waiting_.size() >= kBuffer) flush();
}

void DurableFile::commit() {
  flush();
  if (::fsync(descriptor_) != 0) fail(errno);
  // A network file system may say only here that the disk is full.
  const int descriptor = std::exchange(descriptor_, -1);
  if (::close(descriptor) != 0 || ::rename(part_.c_str(), file_.c_str()) != 0) {
    const int error = errno;
    ::unlink(part_.c_str());
    fail(error);
  }
  if (!sync_folder(file_.parent_path())) fail(errno);
}

void write_durable(const std::filesystem::path& file, std::string_view bytes) {
  DurableFile out(file);
  out.write(bytes);
  out.commit();
}

}  // namespace bifocal::colmap
