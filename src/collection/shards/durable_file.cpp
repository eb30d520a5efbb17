// SPDX-License-Identifier: BSD-3-Clause
#include "collection/shards/durable_file.hpp"

#include <fmt/format.h>
#include <unistd.h>
#include <bifocal/error.hpp>

#include <random>
#include <utility>

namespace bifocal::colmap {
namespace {

constexpr std::size_t kBuffer = std::size_t{1} << 20;

// Flushes a folder. EINVAL counts as success: some file systems cannot synchronise folders; either
// their names are safe, or no remedy exists.
bool sync_folder(const std::filesystem::path& folder) {
  const io::FileDescriptor own(
      ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  return own.valid() && (::fsync(own.get()) == 0 || errno == EINVAL);
}

}  // namespace

DurableFile::DurableFile(std::filesystem::path file) : file_(std::move(file)) {
  // Several machines may write the same file at once. A random suffix separates them; a local
  // counter would not.
  std::random_device random;
  part_ = file_;
  part_ += fmt::format(".{:08x}{:08x}{}", random(), random(), kPartEnd);
  out_ = io::FileDescriptor(::open(part_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (!out_.valid()) fail(errno);
}

DurableFile::~DurableFile() {
  if (out_.valid()) ::unlink(part_.c_str());
}

void DurableFile::fail(int error) const {
  throw TryAgain(fmt::format("{}: can't be written: {}", file_.string(), std::strerror(error)));
}

void DurableFile::flush() {
  if (!io::write_all(out_.get(), waiting_)) fail(errno);
  waiting_.clear();
}

void DurableFile::write(std::string_view bytes) {
  waiting_ += bytes;
  if (waiting_.size() >= kBuffer) flush();
}

void DurableFile::commit() {
  flush();
  // A network file system may report a full disk only when the file is closed.
  if (::fsync(out_.get()) != 0 || !out_.close() || ::rename(part_.c_str(), file_.c_str()) != 0) {
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
