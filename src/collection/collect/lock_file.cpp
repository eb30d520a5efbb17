// SPDX-License-Identifier: BSD-3-Clause
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "collection/collect/work_database.hpp"

namespace bifocal::collection {

namespace {

// False when the name has gone to another file, or to none, since this one was opened.
bool is_still_named(int descriptor, const std::filesystem::path& file) {
  struct stat own {
  }, named{};
  return fstat(descriptor, &own) == 0 && stat(file.c_str(), &named) == 0 &&
         own.st_ino == named.st_ino && own.st_dev == named.st_dev;
}

}  // namespace

LockFile::LockFile(std::filesystem::path file) : file_(std::move(file)) {
  for (;;) {
    descriptor_ = open(file_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (descriptor_ < 0) io::reject(file_.string(), "can't be written: {}", std::strerror(errno));
    const bool locked = flock(descriptor_, LOCK_EX | LOCK_NB) == 0;
    const int why = errno;
    if (locked && is_still_named(descriptor_, file_)) return;
    close(descriptor_);
    if (!locked && why == EWOULDBLOCK)
      io::reject(file_.string(), "another process is collecting into this database");
    if (!locked) io::reject(file_.string(), "can't be locked: {}", std::strerror(why));
  }
}

LockFile::~LockFile() {
  unlink(file_.c_str());  // while it is held
  close(descriptor_);
}

}  // namespace bifocal::collection
