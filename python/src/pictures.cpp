// SPDX-License-Identifier: BSD-3-Clause
// Binds reading, writing and drawing of images.
#include <algorithm>
#include <bifocal/draw.hpp>
#include <bifocal/io.hpp>

#include "files.hpp"
#include "io/exif.hpp"
#include "photograph.hpp"
#include "points.hpp"

namespace bifocal::python {
namespace {

nb::object read(nb::handle given, bool is_stored) {
  const FileName file = file_of(given, "file");
  ImageU8 image;
  try {
    const Unlocked unlocked;
    image = is_stored ? read_stored_image(file.path) : read_image(file.path);
  } catch (const Error&) {
    raise_refused_reading({&file});
    throw;
  }
  return image_array(std::move(image));
}

void write(nb::handle given, nb::handle image) {
  const FileName file = file_of(given, "file");
  const Picture p = picture_of(image, "image");
  try {
    const Unlocked unlocked;
    if (p.bits == 8)
      write_png(file.path, p.view<std::uint8_t>());
    else
      write_png(file.path, p.view<std::uint16_t>());
  } catch (const Error& e) {
    if (e.code() == ErrorCode::input) raise_refused_writing(file);
    throw;
  }
}

// Copies an image. Its file in messages is `name`.
jobs::PairPhotograph copied(nb::handle image, const char* name) {
  const Picture picture = picture_of(image, name);
  jobs::PairPhotograph own{name, to_8_bits(picture.any()), {}, {}, {}};
  if (picture.bits == 8) return own;
  const auto given = picture.view<std::uint16_t>();
  own.deep = ImageU16(given.width, given.height, given.channels);
  for (int y = 0; y < given.height; ++y)
    std::copy_n(given.row(y), std::size_t(given.width) * std::size_t(given.channels),
                own.deep.row(y));
  return own;
}

// Converts a file that a Python package decoded (_heic.Decoded), with its EXIF block.
jobs::PairPhotograph decoded(nb::handle object) {
  jobs::PairPhotograph photograph = copied(object.attr("pixels"), "pixels");
  const auto file = nb::cast<nb::bytes>(object.attr("file")),
             block = nb::cast<nb::bytes>(object.attr("exif"));
  photograph.file.assign(file.c_str(), file.size());
  const io::Exif exif = io::parse_exif({block.c_str(), block.size()});
  const ImageU8& image = photograph.image;
  photograph.exif = io::intrinsics_of(exif, image.width, image.height);
  photograph.exif_doubt = io::doubt_of(exif, image.width, image.height);
  return photograph;
}

ImageView<const std::uint8_t> bytes_of(const Picture& p, const char* name) {
  if (p.bits != 8) type_error(fmt::format("{}: dtype uint16, must be uint8", name));
  return p.view<std::uint8_t>();
}

nb::object draw(nb::handle image1, nb::handle image2, nb::handle x1, nb::handle x2,
                nb::handle inliers, int max_lines) {
  const Picture p1 = picture_of(image1, "image1"), p2 = picture_of(image2, "image2");
  auto points = points_of<PointPair>(x1, x2);
  gather(points);
  std::vector<std::uint8_t> flags(points.span.size(), 1);
  if (!inliers.is_none()) flags = flags_of(inliers, "inliers", int(flags.size()));
  return image_array(
      draw_matches(bytes_of(p1, "image1"), bytes_of(p2, "image2"), points.span, flags, max_lines));
}

}  // namespace

PhotographArgument photograph_argument(nb::handle object, const char* name) {
  const auto literal = [](const nb::object& file) {
    const nb::object text = nb::module_::import_("os").attr("fsdecode")(file);
    return nb::cast<std::string>(nb::str(nb::repr(text)));
  };
  if (nb::hasattr(object, "exif") && nb::hasattr(object, "pixels"))
    return {decoded(object), literal(object.attr("file")), true};
  const bool is_file = nb::isinstance<nb::str>(object) || nb::isinstance<nb::bytes>(object) ||
                       nb::hasattr(object, "__fspath__");
  if (!is_file) return {copied(object, name), name};
  const FileName file = file_of(object, name);
  try {
    const std::string code = literal(nb::borrow(object));
    const Unlocked unlocked;
    return {jobs::read_photograph(file.path.string()), code, true};
  } catch (const Error& e) {
    if (e.code() == ErrorCode::input) raise_refused_reading({&file});
    throw;
  }
}

void bind_pictures(nb::module_& m) {
  m.attr("reads_tiff") = BIFOCAL_READS_TIFF != 0;
#define PICTURE "numpy.typing.NDArray[numpy.uint8]"
  m.def("read_image", &read, nb::arg("file").none(), nb::arg("is_stored"),
        nb::sig("def read_image(file: str | bytes | os.PathLike[str] | os.PathLike[bytes], "
                "is_stored: bool) -> " PICTURE));
  m.def("write_image", &write, nb::arg("file").none(), nb::arg("image").none(),
        nb::sig("def write_image(file: str | bytes | os.PathLike[str] | os.PathLike[bytes], "
                "image: object) -> None"));
  m.def(
      "exif_intrinsics",
      [](const nb::bytes& block, double width, double height) -> nb::object {
        const auto k =
            io::intrinsics_of(io::parse_exif({block.c_str(), block.size()}), width, height);
        return k ? nb::object(nb::make_tuple(k->fx, k->fy, k->cx, k->cy)) : nb::none();
      },
      nb::arg("block"), nb::arg("width"), nb::arg("height"),
      nb::sig("def exif_intrinsics(block: bytes, width: float, height: float) -> "
              "tuple[float, float, float, float] | None"));
  m.def("draw_matches", &draw, nb::arg("image1").none(), nb::arg("image2").none(),
        nb::arg("x1").none(), nb::arg("x2").none(), nb::arg("inliers").none(), nb::arg("max_lines"),
        nb::sig("def draw_matches(image1: object, image2: object, x1: object, x2: object, "
                "inliers: object, max_lines: int) -> " PICTURE));
#undef PICTURE
}

}  // namespace bifocal::python
