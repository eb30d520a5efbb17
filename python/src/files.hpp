// SPDX-License-Identifier: BSD-3-Clause
// File names between Python and C++, and the OSError of a file that the system refuses.
#pragma once

#include <bifocal/io.hpp>

#include <filesystem>
#include <initializer_list>

#include "arrays.hpp"

namespace bifocal::python {

// File name from Python: str (with surrogates for bytes that are not UTF-8), bytes or
// os.PathLike.
struct FileName {
  std::filesystem::path path;
  nb::object given;  // str or bytes
};
[[nodiscard]] FileName file_of(nb::handle object, const char* name);

// Called after reading or writing failed. They raise OSError with errno and filename (for example
// FileNotFoundError) if the system refuses to open a file. They return if the system opens every
// file, because the failure is then in the content.
void raise_refused_reading(std::initializer_list<const FileName*> files);
void raise_refused_writing(const FileName& file);
void raise_refused_writing_into(const FileName& folder);
// As raise_refused_reading() for files and folders that do not exist; returns if all exist.
void raise_missing(const FileName& file);

// Lists the photographs of a file, a folder, or a list of both. Raises OSError for a missing one.
[[nodiscard]] PhotographFiles photographs_of(nb::handle given);

// Calls `write`; raises OSError with errno and filename if the system refuses the file.
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
