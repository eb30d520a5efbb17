// SPDX-License-Identifier: BSD-3-Clause
#include <sys/file.h>
#include <sys/stat.h>

#include "collection/collect/work_database.hpp"

namespace bifocal::collection {

namespace {

// Returns false if the name was removed or now belongs to a different file than
// the open descriptor.
bool is_still_named(int descriptor, const std::filesystem::path& file) {
  struct stat own {
  }, named{};
  return fstat(descriptor, &own) == 0 && stat(file.c_str(), &named) == 0 &&
         own.st_ino == named.st_ino && own.st_dev == named.st_dev;
}

}  // namespace

LockFile::LockFile(const std::filesystem::path& database, bool is_optional)
    : file_(database.string() + ".lock") {
  for (;;) {
    own_ = io::FileDescriptor(open(file_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
    if (!own_.valid() && is_optional && (errno == EACCES || errno == EROFS || errno == EPERM))
      return;
    if (!own_.valid()) io::reject_write(database, errno);
    const bool locked = flock(own_.get(), LOCK_EX | LOCK_NB) == 0;
    if (!locked && errno == EWOULDBLOCK)
      io::reject(database.string(), "another process is collecting into this database");
    if (!locked) io::reject(database.string(), "can't be locked: {}", std::strerror(errno));
    if (is_still_named(own_.get(), file_)) return;
  }
}

LockFile::~LockFile() {
  if (own_.valid()) unlink(file_.c_str());  // while the lock is held
}

}  // namespace bifocal::collection
