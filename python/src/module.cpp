// SPDX-License-Identifier: BSD-3-Clause
// The extension module bifocal._core. The public typed functions are in bifocal/*.py; the
// functions here check their arguments and compute without the interpreter's lock.
#include <bifocal/version.hpp>
#include <string>
#include <string_view>

#include "models/models.hpp"
#include "remap.hpp"

namespace bifocal::python {
namespace {

// Writes members of options as Python does: RobustOptions.threshold.
std::string in_python(std::string text) {
  constexpr std::string_view kCpp = "Options::", kPython = "Options.";
  for (std::size_t at = 0; (at = text.find(kCpp, at)) != std::string::npos;)
    text.replace(at, kCpp.size(), kPython);
  return text;
}

// Translates an Error of usage to ValueError, of input to OSError, and of a device to
// RuntimeError. File names may contain bytes that are not UTF-8; messages show them as \xe9.
void translate(const std::exception_ptr& failure, void*) {
  try {
    std::rethrow_exception(failure);
  } catch (const Error& e) {
    PyObject* const type = e.code() == ErrorCode::usage   ? PyExc_ValueError
                           : e.code() == ErrorCode::input ? PyExc_OSError
                                                          : PyExc_RuntimeError;
    const std::string text = in_python(e.what());
    const nb::object message =
        nb::steal(PyUnicode_DecodeUTF8(text.data(), Py_ssize_t(text.size()), "backslashreplace"));
    if (message.is_valid()) PyErr_SetObject(type, message.ptr());
  }
}

}  // namespace
}  // namespace bifocal::python

NB_MODULE(_core, m) {
  namespace python = bifocal::python;
  m.attr("version") = nanobind::str(BIFOCAL_VERSION);
  nanobind::register_exception_translator(python::translate);
  m.def(
      "option_fields", &python::option_fields,
      nanobind::sig("def option_fields() -> dict[str, dict[str, typing.Any]]"),
      "Returns type, default, choices, help and range of each option of C++ by class and member.");
  python::bind_devices(m);
  python::bind_robust(m);
  python::bind_robust_batch(m);
  python::bind_doubts(m);
  python::bind_pictures(m);
  python::bind_features(m);
  python::bind_matches(m);
  python::bind_pair_selection(m);
  python::bind_collection(m);
  python::bind_collect(m);
  python::bind_video(m);
  python::bind_colmap(m);
  python::bind_colmap_database(m);
  python::bind_colmap_model(m);
  python::bind_adjust(m);
  python::bind_mapping(m);
  python::bind_dense_model(m);
  python::bind_stereo(m);
  python::bind_rectify(m);
  python::bind_dense(m);
  python::bind_pair(m);
  python::bind_remap(m);
  python::bind_linalg(m);
  python::bind_two_view(m);
  python::bind_program(m);
}
