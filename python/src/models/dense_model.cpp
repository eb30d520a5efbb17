// SPDX-License-Identifier: BSD-3-Clause
// Binds depth maps of models (bifocal/_dense.py).
#include <bifocal/dense.hpp>

#include "models.hpp"
#include "../devices.hpp"
#include "../files.hpp"
#include "../results.hpp"

namespace bifocal::python {
namespace {

nb::dict dense_to_folder(nb::handle given_model, nb::handle given_images, nb::handle given_out,
                         nb::handle options, const std::string& maps, bool overwrite,
                         const std::string& device, nb::handle progress) {
  const FileName model = file_of(given_model, "model"), images = file_of(given_images, "images"),
                 out = file_of(given_out, "out");
  DenseFiles files{.model = model.path,
                   .photographs = images.path,
                   .out = out.path,
                   .overwrite = overwrite,
                   .maps = maps == "none"     ? DenseMaps::none
                           : maps == "colmap" ? DenseMaps::colmap
                                              : DenseMaps::npz,
                   .dense = options_of<DenseOptions>(options)};
  files.dense.progress = [progress](const DenseProgress& p) {
    const nb::gil_scoped_acquire locked;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    if (!progress.is_none()) progress(std::string(word_of(p.stage)).c_str(), p.done, p.total);
  };
  WrittenDense written;
  try {
    QueueLease lease(device);
    const Unlocked unlocked;
    written = dense_model(lease.queue(), files);
  } catch (const Error& e) {
    if (e.code() == ErrorCode::input) raise_missing(model);
    if (e.code() == ErrorCode::input) raise_missing(images);
    throw;
  }
  return dense_dict(written);
}

}  // namespace

std::string_view word_of(DenseStage stage) {
  constexpr std::string_view kWords[] = {"match", "refine", "agree"};
  return kWords[static_cast<std::size_t>(stage)];
}

nb::dict dense_dict(const WrittenDense& written) {
  nb::list images;
  for (const DenseImage& image : written.images)
    images.append(nb::make_tuple(text_of(image.name), image.known, text_of(image.reason)));
  nb::dict d;
  d["images"] = images;
  d["points"] = written.points;
  d["resumed"] = written.resumed;
  return d;
}

void bind_dense_model(nb::module_& m) {
  m.def("dense", &dense_to_folder, nb::arg("model").none(), nb::arg("images").none(),
        nb::arg("out").none(), nb::arg("options").none(), nb::arg("maps"), nb::arg("overwrite"),
        nb::arg("device"), nb::arg("progress").none(),
        nb::sig("def dense(model: object, images: object, out: object, options: object, maps: "
                "str, overwrite: bool, device: str, progress: object) -> dict[str, "
                "typing.Any]"));
}

}  // namespace bifocal::python
