// SPDX-License-Identifier: BSD-3-Clause
// Names of files between Python and C++, and what Python raises where the system refuses one.
#pragma once

#include <filesystem>
#include <initializer_list>

#include "arrays.hpp"

namespace bifocal::python {

// A file as Python names it: str (bytes that are not UTF-8 are surrogates in it), bytes or
// os.PathLike.
struct FileName {
  std::filesystem::path path;
  nb::object given;  // str or bytes
};
[[nodiscard]] FileName file_of(nb::handle object, const char* name);

// After a failure over files that are read, or over one that is written, these raise OSError with
// errno and filename, so FileNotFoundError and so on, where the system refuses to open one of them.
// They return where it refuses none, and the failure lies in what is in a file.
void raise_refused_reading(std::initializer_list<const FileName*> files);
void raise_refused_writing(const FileName& file);

// Calls `write` and raises what Python raises if the system refuses the file.
template <class Write>
void written(const FileName& file, const Write& write) {
  try {
    const Unlocked unlocked;
    write();
  } catch (const Error& e) {
    if (e.code() == ErrorCode::input) raise_refused_writing(file);
    throw;
  }
}

}  // namespace bifocal::python
