// SPDX-License-Identifier: BSD-3-Clause
// File names between Python and C++, and the OSError of a file that the system refuses.
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

// Called after a failed reading or writing. Raise OSError with errno and filename (for example
// FileNotFoundError) if the system refuses to open a file. Return if it opens all of them: the
// failure lies in the content.
void raise_refused_reading(std::initializer_list<const FileName*> files);
void raise_refused_writing(const FileName& file);

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
