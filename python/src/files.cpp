// SPDX-License-Identifier: BSD-3-Clause
#include "files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace bifocal::python {
namespace {

[[noreturn]] void raise_errno(int error, const FileName& file) {
  errno = error;
  PyErr_SetFromErrnoWithFilenameObject(PyExc_OSError, file.given.ptr());
  throw nb::python_error();
}

// Returns the errno of opening a file for reading; 0 if it can be opened.
int refusal_of_reading(const std::filesystem::path& file) {
  struct stat status {};
  if (stat(file.c_str(), &status) != 0) return errno;
  if (S_ISDIR(status.st_mode)) return EISDIR;
  if (!S_ISREG(status.st_mode)) return 0;
  const int descriptor = open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return errno;
  close(descriptor);
  return 0;
}

int refusal_of_writing(const std::filesystem::path& file) {
  struct stat status {};
  if (stat(file.c_str(), &status) == 0 && S_ISDIR(status.st_mode)) return EISDIR;
  const std::filesystem::path folder = file.has_parent_path() ? file.parent_path() : ".";
  if (stat(folder.c_str(), &status) != 0) return errno;
  if (!S_ISDIR(status.st_mode)) return ENOTDIR;
  return access(folder.c_str(), W_OK | X_OK) != 0 ? errno : 0;
}

// For a folder that is made if it is missing.
int refusal_of_writing_into(const std::filesystem::path& folder) {
  struct stat status {};
  if (stat(folder.c_str(), &status) != 0) return refusal_of_writing(folder);
  if (!S_ISDIR(status.st_mode)) return ENOTDIR;
  return access(folder.c_str(), W_OK | X_OK) != 0 ? errno : 0;
}

}  // namespace

FileName file_of(nb::handle object, const char* name) {
  const nb::object given = nb::steal(PyOS_FSPath(object.ptr()));
  if (!given.is_valid()) {
    PyErr_Clear();
    const auto type = nb::cast<std::string>(nb::handle(object.type()).attr("__name__"));
    type_error(fmt::format("{}: {}, must be str, bytes or os.PathLike", name, type));
  }
  // The message must not show a whole file whose content was given instead of its name.
  constexpr Py_ssize_t kLongest = 4096;
  const Py_ssize_t length =
      PyBytes_Check(given.ptr()) ? PyBytes_Size(given.ptr()) : PyUnicode_GetLength(given.ptr());
  if (length > kLongest) {
    const nb::object start = given[nb::slice(0, 24, 1)];
    value_error(fmt::format("{}: {}... of {} {}, which is no path; is it the content of a file?",
                            name, nb::cast<std::string>(nb::str(nb::repr(start))), length,
                            PyBytes_Check(given.ptr()) ? "bytes" : "characters"));
  }
  PyObject* bytes = nullptr;
  if (PyUnicode_FSConverter(given.ptr(), &bytes) == 0) {
    PyErr_Clear();
    constexpr int kMostShown = 40;
    const nb::object start = given[nb::slice(0, kMostShown, 1)];
    value_error(fmt::format(
        "{}: {}{}, which can't be the name of a file{}", name,
        nb::cast<std::string>(nb::str(nb::repr(start))), length > kMostShown ? "..." : "",
        PyBytes_Check(given.ptr()) ? " (bytes are a path, not its content)" : ""));
  }
  const auto encoded = nb::steal<nb::bytes>(bytes);
  const std::string text(encoded.c_str(), encoded.size());
  if (text.empty()) value_error(fmt::format("{}: '' is no file", name));
  return {text, given};
}

void raise_refused_reading(std::initializer_list<const FileName*> files) {
  for (const FileName* file : files)
    if (const int error = refusal_of_reading(file->path)) raise_errno(error, *file);
}

void raise_refused_writing(const FileName& file) {
  if (const int error = refusal_of_writing(file.path)) raise_errno(error, file);
}

void raise_refused_writing_into(const FileName& folder) {
  if (const int error = refusal_of_writing_into(folder.path)) raise_errno(error, folder);
}

void raise_missing(const FileName& file) {
  struct stat status {};
  if (stat(file.path.c_str(), &status) != 0) raise_errno(errno, file);
}

PhotographFiles photographs_of(nb::handle given) {
  std::vector<FileName> files;
  if (nb::isinstance<nb::list>(given) || nb::isinstance<nb::tuple>(given))
    for (nb::handle one : given) files.push_back(file_of(one, "photographs"));
  else
    files.push_back(file_of(given, "photographs"));
  std::vector<std::string> paths;
  for (const FileName& file : files) paths.push_back(file.path.string());
  try {
    return list_photographs(paths);
  } catch (const Error& e) {
    for (const FileName& file : files)
      if (e.code() == ErrorCode::input) raise_missing(file);
    throw;
  }
}

}  // namespace bifocal::python
