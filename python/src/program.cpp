// SPDX-License-Identifier: BSD-3-Clause
// Binds the program `bifocal` and the reader of HDF5 files by h5py (_hdf5.py).
#include "program.hpp"

#include <nanobind/stl/vector.h>

#include <memory>
#include <vector>

#include "collection/hloc/hdf5.hpp"
#include "options.hpp"

namespace bifocal::python {
namespace {

// Calls a Python function from any thread. Its exceptions become Error(input): the file is
// damaged or unreadable.
template <class Call>
auto with_python(const Call& call) {
  const nb::gil_scoped_acquire lock;
  try {
    return call();
  } catch (nb::python_error& e) {
    const std::string text = nb::cast<std::string>(nb::str(e.value()));
    throw Error(ErrorCode::input, text);
  }
}

// Reader that calls a File of _hdf5.py.
class PythonFile final : public hdf5::Reader {
 public:
  PythonFile(std::string name, nb::object file) : name_(std::move(name)), file_(std::move(file)) {}
  ~PythonFile() override {
    const nb::gil_scoped_acquire lock;
    file_.attr("close")();
    file_.reset();
  }
  PythonFile(const PythonFile&) = delete;
  PythonFile& operator=(const PythonFile&) = delete;

  [[nodiscard]] const std::string& name() const override { return name_; }
  void visit(const std::function<void(const std::string& path)>& take) const override {
    const auto paths =
        with_python([&] { return nb::cast<std::vector<std::string>>(file_.attr("paths")()); });
    for (const std::string& path : paths) take(path);
  }
  [[nodiscard]] bool read(const std::string& path, std::vector<float>& values,
                          std::vector<std::int64_t>& shape) const override {
    return read_as("floats", path, values, shape);
  }
  [[nodiscard]] bool read(const std::string& path, std::vector<std::int64_t>& values,
                          std::vector<std::int64_t>& shape) const override {
    return read_as("integers", path, values, shape);
  }
  [[nodiscard]] bool holds_bytes(const std::string& path) const override {
    return with_python([&] { return nb::cast<bool>(file_.attr("holds_bytes")(path)); });
  }

 private:
  template <class T>
  bool read_as(const char* method, const std::string& path, std::vector<T>& values,
               std::vector<std::int64_t>& shape) const {
    return with_python([&] {
      const nb::object array = file_.attr(method)(path);
      if (array.is_none()) return false;
      const auto numbers = nb::cast<nb::ndarray<const T, nb::c_contig, nb::device::cpu>>(array);
      values.assign(numbers.data(), numbers.data() + numbers.size());
      shape.clear();
      for (std::size_t i = 0; i < numbers.ndim(); ++i)
        shape.push_back(static_cast<std::int64_t>(numbers.shape(i)));
      return true;
    });
  }

  std::string name_;
  nb::object file_;
};

// Opens a file by h5py. Returns null if h5py is not installed and the library has its own reader.
// The first file imports h5py, which takes longer than the import of this package.
std::unique_ptr<hdf5::Reader> opened_by_h5py(const std::filesystem::path& path) {
  return with_python([&]() -> std::unique_ptr<hdf5::Reader> {
    nb::object file = nb::module_::import_("bifocal._hdf5").attr("open_file")(path.string());
    if (file.is_none()) return nullptr;
    return std::make_unique<PythonFile>(path.string(), std::move(file));
  });
}

}  // namespace

void bind_program(nb::module_& m) {
  m.def(
      "run_program",
      [](std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), "bifocal");
        std::vector<char*> words;
        for (std::string& argument : arguments) words.push_back(argument.data());
        words.push_back(nullptr);
        const nb::gil_scoped_release unlocked;
        return cli::run_program(static_cast<int>(arguments.size()), words.data());
      },
      nb::arg("arguments"), nb::sig("def run_program(arguments: list[str]) -> int"),
      "Runs the program bifocal in this process, which should end afterwards, because the handlers "
      "of signals are the program's. Returns the exit code.");
  m.attr("reads_hdf5") = BIFOCAL_READS_HDF5 != 0;
  hdf5::opener() = &opened_by_h5py;
}

}  // namespace bifocal::python
