// SPDX-License-Identifier: BSD-3-Clause
// A photograph from Python: an array of pixels or the name of a file.
#pragma once

#include <algorithm>
#include <string>

#include "arrays.hpp"
#include "cameras.hpp"
#include "files.hpp"

namespace bifocal::python {

struct PhotographArgument {
  cli::Photograph photograph;
  std::string code;  // the argument in Python code, for commands on a page
};

inline bool is_file(nb::handle object) {
  return nb::isinstance<nb::str>(object) || nb::isinstance<nb::bytes>(object) ||
         nb::hasattr(object, "__fspath__");
}

// Returns the name of a file as a literal of Python, or the name of the argument for an array.
inline std::string code_of(nb::handle object, const char* name) {
  if (!is_file(object)) return name;
  const nb::object path = nb::steal(PyOS_FSPath(object.ptr()));
  if (!path.is_valid()) throw nb::python_error();
  return nb::cast<std::string>(nb::str(nb::repr(path)));
}

// Reads a file, or copies the pixels of an array, which is named after the argument.
inline cli::Photograph photograph(nb::handle object, const char* name) {
  if (is_file(object)) {
    const FileName file = file_of(object, name);
    try {
      const Unlocked unlocked;
      return cli::read_photograph(file.path.string());
    } catch (const Error& e) {
      if (e.code() == ErrorCode::input) raise_refused_reading({&file});
      throw;
    }
  }
  const Picture picture = picture_of(object, name);
  if (picture.bits != 8) type_error(fmt::format("{}: dtype uint16, must be uint8", name));
  const auto given = picture.view<std::uint8_t>();
  ImageU8 image(given.width, given.height, given.channels);
  for (int y = 0; y < given.height; ++y)
    std::copy_n(given.row(y), std::size_t(given.width) * std::size_t(given.channels), image.row(y));
  return {name, std::move(image), {}, {}};
}

inline PhotographArgument photograph_argument(nb::handle object, const char* name) {
  return {photograph(object, name), code_of(object, name)};
}

}  // namespace bifocal::python
