// SPDX-License-Identifier: BSD-3-Clause
// Binds the program `bifocal` and the reader of hloc's files by h5py (_colmap/hloc.py).
#include "program.hpp"

#include <nanobind/stl/vector.h>

#include <memory>
#include <vector>

#include "collection/collect/given.hpp"
#include "options.hpp"

namespace bifocal::python {
namespace {

using collection::GivenFile, collection::GivenImage;

nb::object str_of(const std::string& text) {
  return nb::steal(PyUnicode_DecodeFSDefaultAndSize(text.data(), Py_ssize_t(text.size())));
}

std::string string_of(nb::handle text) {
  const nb::object bytes = nb::steal(PyUnicode_EncodeFSDefault(text.ptr()));
  if (!bytes.is_valid()) throw nb::python_error();
  return {PyBytes_AsString(bytes.ptr()), std::size_t(PyBytes_Size(bytes.ptr()))};
}

// Calls Python from any thread. Its exceptions become Error(input): a file is damaged or
// unreadable.
template <class Call>
auto with_python(const Call& call) {
  const nb::gil_scoped_acquire lock;
  try {
    return call();
  } catch (nb::python_error& e) {
    throw Error(ErrorCode::input, string_of(nb::str(e.value())));
  }
}

template <class T>
std::vector<T> values_of(nb::handle array) {
  const auto numbers = nb::cast<nb::ndarray<const T, nb::c_contig, nb::device::cpu>>(array);
  return {numbers.data(), numbers.data() + numbers.size()};
}

// FeatureFile or MatchFile of _colmap/hloc.py.
class PythonFile final : public GivenFile {
 public:
  explicit PythonFile(nb::object file) : file_(std::move(file)) {}
  ~PythonFile() override {
    const nb::gil_scoped_acquire lock;
    file_.reset();
  }
  PythonFile(const PythonFile&) = delete;
  PythonFile& operator=(const PythonFile&) = delete;

  [[nodiscard]] GivenImage features(const std::string& name, const PhotographInfo& photograph,
                                    bool has_descriptors) const override {
    return with_python([&] {
      const nb::tuple found(file_.attr("features")(str_of(name), photograph.width,
                                                   photograph.height, has_descriptors));
      const std::vector<float> xy = values_of<float>(found[0]);
      GivenImage image;
      for (std::size_t i = 0; i + 1 < xy.size(); i += 2)
        image.keypoints.push_back({xy[i], xy[i + 1]});
      if (!has_descriptors) return image;
      image.descriptors = values_of<float>(found[1]);
      image.kind = {nb::cast<int>(found[1].attr("shape")[1]), nb::cast<bool>(found[2])};
      return image;
    });
  }
  [[nodiscard]] std::vector<ImagePair> pairs(const std::vector<std::string>& names) const override {
    return with_python([&] {
      nb::list list;
      for (const std::string& name : names) list.append(str_of(name));
      const std::vector<std::int32_t> numbers = values_of<std::int32_t>(file_.attr("pairs")(list));
      std::vector<ImagePair> pairs;
      for (std::size_t i = 0; i + 1 < numbers.size(); i += 2)
        pairs.push_back({numbers[i], numbers[i + 1]});
      return pairs;
    });
  }
  [[nodiscard]] std::vector<colmap::IndexPair> matches(const std::string& name1,
                                                       const std::string& name2) const override {
    return with_python([&] {
      std::vector<colmap::IndexPair> matches;
      const nb::object found = file_.attr("matches")(str_of(name1), str_of(name2));
      if (found.is_none()) return matches;
      const std::vector<std::uint32_t> indices = values_of<std::uint32_t>(found);
      for (std::size_t i = 0; i + 1 < indices.size(); i += 2)
        matches.push_back({indices[i], indices[i + 1]});
      return matches;
    });
  }

 private:
  nb::object file_;
};

// The first file imports h5py, which takes longer than the import of this package.
std::unique_ptr<GivenFile> open_file(const std::filesystem::path& path, bool has_matches) {
  return with_python([&] {
    const nb::object open = nb::module_::import_("bifocal._colmap.hloc").attr("open_file");
    return std::make_unique<PythonFile>(open(str_of(path.string()), has_matches));
  });
}

std::vector<colmap::OddRow> import_hloc(const cli::HlocFiles& files) {
  return with_python([&] {
    const nb::object found =
        nb::module_::import_("bifocal._colmap.hloc")
            .attr("import_files")(str_of(files.features), str_of(files.matches),
                                  str_of(files.pairs), str_of(files.database), files.overwrite);
    std::vector<colmap::OddRow> rows;
    for (nb::handle row : found)
      rows.push_back({string_of(row[0]), string_of(row[1]),
                      nb::cast<bool>(row[3]) ? colmap::RowUse::left_out : colmap::RowUse::as_it_is,
                      nb::cast<std::int64_t>(row[2])});
    return rows;
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
        return cli::run_program(static_cast<int>(arguments.size()), words.data(), import_hloc);
      },
      nb::arg("arguments"), nb::sig("def run_program(arguments: list[str]) -> int"),
      "Runs the program bifocal in this process, which should end afterwards, because the handlers "
      "of signals are the program's. Returns the exit code.");
  collection::given_opener() = &open_file;
}

}  // namespace bifocal::python
