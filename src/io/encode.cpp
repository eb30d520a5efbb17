// SPDX-License-Identifier: BSD-3-Clause
// Encodes PNG, JPEG and PNM to memory and to files. As in the decoders, functions with a setjmp
// hold no object with a destructor.
#include <csetjmp>
#include <cstdio>

#include <jpeglib.h>
#include <png.h>

#include <bit>
#include <cstdlib>
#include <vector>

#include <bifocal/io.hpp>

#include "io/reject.hpp"

namespace bifocal {
namespace {

template <class T>
void check_image(ImageView<const T> image, const char* function) {
  if (!image.data || image.empty() || image.channels < 1 || image.channels > 4) {
    throw Error(ErrorCode::usage,
                fmt::format("{}: can't write an image of {} x {} pixels, {} channels", function,
                            image.width, image.height, image.channels));
  }
}

struct PngWriter {
  png_structp png = nullptr;
  png_infop info = nullptr;
  std::string bytes;
  char message[100] = "out of memory";

  PngWriter() = default;
  PngWriter(const PngWriter&) = delete;
  PngWriter& operator=(const PngWriter&) = delete;
  ~PngWriter() { png_destroy_write_struct(&png, &info); }
};

void on_png_error(png_structp png, png_const_charp message) {
  auto* writer = static_cast<PngWriter*>(png_get_error_ptr(png));
  std::snprintf(writer->message, sizeof writer->message, "%s", message);
  png_longjmp(png, 1);
}

void on_png_write(png_structp png, png_bytep data, std::size_t size) {
  bool stored = true;
  try {
    static_cast<PngWriter*>(png_get_io_ptr(png))
        ->bytes.append(reinterpret_cast<const char*>(data), size);
  } catch (const std::exception&) {
    stored = false;
  }
  if (!stored) png_error(png, "out of memory");
}

void on_png_flush(png_structp) {}

struct PngLayout {
  int width, height, channels, depth;
};

bool write_rows(PngWriter& writer, const PngLayout& layout, png_bytep* rows) {
  constexpr int kColour[] = {0, PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GRAY_ALPHA, PNG_COLOR_TYPE_RGB,
                             PNG_COLOR_TYPE_RGB_ALPHA};
  writer.png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &writer, on_png_error, nullptr);
  if (!writer.png) return false;
  writer.info = png_create_info_struct(writer.png);
  if (!writer.info) return false;
  if (setjmp(png_jmpbuf(writer.png))) return false;
  png_set_write_fn(writer.png, &writer, on_png_write, on_png_flush);
  png_set_user_limits(writer.png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
  png_set_compression_level(writer.png, 4);
  png_set_IHDR(writer.png, writer.info, png_uint_32(layout.width), png_uint_32(layout.height),
               layout.depth, kColour[layout.channels], PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_write_info(writer.png, writer.info);
  if (layout.depth == 16 && std::endian::native == std::endian::little) png_set_swap(writer.png);
  png_write_image(writer.png, rows);
  png_write_end(writer.png, nullptr);
  return true;
}

template <class T>
std::string png_bytes(ImageView<const T> image, std::string_view name) {
  check_image(image, "write_png");
  std::vector<png_bytep> rows;  // libpng takes rows as mutable pointers, but does not write to them
  rows.reserve(std::size_t(image.height));
  for (int y = 0; y < image.height; ++y) {
    rows.push_back(reinterpret_cast<png_bytep>(const_cast<T*>(image.row(y))));
  }
  PngWriter writer;
  const PngLayout layout{image.width, image.height, image.channels, 8 * int(sizeof(T))};
  if (!write_rows(writer, layout, rows.data())) {
    io::reject(name, "can't be encoded as PNG: {}", writer.message);
  }
  return std::move(writer.bytes);
}

struct JpegWriter {
  jpeg_error_mgr errors{};  // first member: libjpeg passes its address to the callbacks
  jpeg_compress_struct jpeg{};
  unsigned char* data = nullptr;
  unsigned long size = 0;
  std::jmp_buf jump;
  char message[JMSG_LENGTH_MAX] = "";

  JpegWriter() = default;
  JpegWriter(const JpegWriter&) = delete;
  JpegWriter& operator=(const JpegWriter&) = delete;
  ~JpegWriter() {
    jpeg_destroy_compress(&jpeg);
    std::free(data);
  }
};

[[noreturn]] void on_jpeg_error(j_common_ptr jpeg) {
  auto* writer = reinterpret_cast<JpegWriter*>(jpeg->err);
  jpeg->err->format_message(jpeg, writer->message);
  std::longjmp(writer->jump, 1);
}

// row: memory for one row without alpha.
bool write_jpeg(JpegWriter& writer, ImageView<const std::uint8_t> image, int quality,
                std::uint8_t* row) {
  const int colours = image.channels >= 3 ? 3 : 1;
  writer.jpeg.err = jpeg_std_error(&writer.errors);
  writer.errors.error_exit = on_jpeg_error;
  if (setjmp(writer.jump)) return false;
  jpeg_create_compress(&writer.jpeg);
  jpeg_mem_dest(&writer.jpeg, &writer.data, &writer.size);
  writer.jpeg.image_width = JDIMENSION(image.width);
  writer.jpeg.image_height = JDIMENSION(image.height);
  writer.jpeg.input_components = colours;
  writer.jpeg.in_color_space = colours == 3 ? JCS_RGB : JCS_GRAYSCALE;
  jpeg_set_defaults(&writer.jpeg);
  jpeg_set_quality(&writer.jpeg, quality, TRUE);
  writer.jpeg.optimize_coding = TRUE;
  jpeg_start_compress(&writer.jpeg, TRUE);
  while (writer.jpeg.next_scanline < writer.jpeg.image_height) {
    const std::uint8_t* in = image.row(int(writer.jpeg.next_scanline));
    for (int x = 0; x < image.width; ++x) {
      for (int c = 0; c < colours; ++c) row[x * colours + c] = in[x * image.channels + c];
    }
    JSAMPROW rows[] = {row};
    jpeg_write_scanlines(&writer.jpeg, rows, 1);
  }
  jpeg_finish_compress(&writer.jpeg);
  return true;
}

}  // namespace

std::string encode_png(ImageView<const std::uint8_t> image) { return png_bytes(image, "picture"); }
std::string encode_png(ImageView<const std::uint16_t> image) { return png_bytes(image, "picture"); }

std::string encode_jpeg(ImageView<const std::uint8_t> image, int quality) {
  check_image(image, "encode_jpeg");
  if (quality < 1 || quality > 100) {
    throw Error(ErrorCode::usage, fmt::format("encode_jpeg: quality {} is not 1 to 100", quality));
  }
  std::vector<std::uint8_t> row(std::size_t(image.width) * 3);
  JpegWriter writer;
  if (!write_jpeg(writer, image, quality, row.data())) {
    io::reject("picture", "can't be encoded as JPEG: {}", writer.message);
  }
  return {reinterpret_cast<const char*>(writer.data), writer.size};
}

void write_png(const std::filesystem::path& file, ImageView<const std::uint8_t> image) {
  write_file(file, png_bytes(image, file.string()));
}

void write_png(const std::filesystem::path& file, ImageView<const std::uint16_t> image) {
  write_file(file, png_bytes(image, file.string()));
}

void write_pnm(const std::filesystem::path& file, ImageView<const std::uint8_t> image) {
  check_image(image, "write_pnm");
  if (image.channels == 2 || image.channels == 4) {
    throw Error(ErrorCode::usage, "write_pnm: " + file.string() + ": PGM and PPM have no alpha");
  }
  std::string bytes =
      fmt::format("P{}\n{} {}\n255\n", image.channels == 3 ? 6 : 5, image.width, image.height);
  for (int y = 0; y < image.height; ++y) {
    bytes.append(reinterpret_cast<const char*>(image.row(y)),
                 std::size_t(image.width) * std::size_t(image.channels));
  }
  write_file(file, bytes);
}

}  // namespace bifocal
