// SPDX-License-Identifier: BSD-3-Clause
// libpng reports errors by longjmp. Each function with a setjmp therefore holds no object with a
// destructor; all state is in PngReader, which lives in the caller.
#include <png.h>

#include <bit>
#include <cstring>
#include <vector>

#include "io/decode.hpp"
#include "io/exif.hpp"
#include "io/reject.hpp"

namespace bifocal::io {
namespace {

struct PngReader {
  png_structp png = nullptr;
  png_infop info = nullptr;
  const char* data = nullptr;
  std::size_t left = 0;
  std::size_t row_bytes = 0;  // bytes of a row in the file, uncompressed
  char message[200] = "can't be decoded";

  PngReader() = default;
  PngReader(const PngReader&) = delete;
  PngReader& operator=(const PngReader&) = delete;
  ~PngReader() { png_destroy_read_struct(&png, &info, nullptr); }
};

void on_error(png_structp png, png_const_charp message) {
  auto* reader = static_cast<PngReader*>(png_get_error_ptr(png));
  std::strncpy(reader->message, message, sizeof reader->message - 1);
  png_longjmp(png, 1);
}

void on_warning(png_structp, png_const_charp) {}

void on_read(png_structp png, png_bytep out, std::size_t size) {
  auto* reader = static_cast<PngReader*>(png_get_io_ptr(png));
  if (size > reader->left) png_error(png, "is truncated");
  std::memcpy(out, reader->data, size);
  reader->data += size;
  reader->left -= size;
}

// Reads the chunks before the pixels; returns false on error. Allocates no memory proportional to
// the image size.
bool read_header(PngReader& reader) {
  reader.png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &reader, on_error, on_warning);
  if (!reader.png) return false;
  reader.info = png_create_info_struct(reader.png);
  if (!reader.info) return false;
  if (setjmp(png_jmpbuf(reader.png))) return false;
  png_set_read_fn(reader.png, &reader, on_read);
  // Disables libpng's own size limits: check_size() gives a clearer message.
  png_set_user_limits(reader.png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
  // Skips texts and profiles, which can unpack to a thousand times their bytes. EXIF is kept.
  png_set_keep_unknown_chunks(reader.png, PNG_HANDLE_CHUNK_NEVER, nullptr, -1);
  png_set_keep_unknown_chunks(reader.png, PNG_HANDLE_CHUNK_AS_DEFAULT,
                              reinterpret_cast<png_const_bytep>("eXIf"), 1);
  png_set_chunk_malloc_max(reader.png, 8u << 20);
  png_read_info(reader.png, reader.info);
  reader.row_bytes = png_get_rowbytes(reader.png, reader.info);
  return true;
}

// Sets the output format; returns false on error. Allocates memory for a few rows.
bool set_output(PngReader& reader, Samples samples) {
  if (setjmp(png_jmpbuf(reader.png))) return false;
  if (samples == Samples::expanded) {
    png_set_expand(reader.png);
  } else {
    png_set_packing(reader.png);
  }
  if (std::endian::native == std::endian::little) png_set_swap(reader.png);
  png_set_interlace_handling(reader.png);
  png_read_update_info(reader.png, reader.info);
  return true;
}

bool read_rows(PngReader& reader, png_bytep* rows) {
  if (setjmp(png_jmpbuf(reader.png))) return false;
  png_read_image(reader.png, rows);
  png_read_end(reader.png, reader.info);  // EXIF may follow the pixels
  return true;
}

template <class T>
void read_pixels(PngReader& reader, std::string_view name, Image<T>& image) {
  image = Image<T>(int(png_get_image_width(reader.png, reader.info)),
                   int(png_get_image_height(reader.png, reader.info)),
                   png_get_channels(reader.png, reader.info));
  std::vector<png_bytep> rows(std::size_t(image.height));
  for (int y = 0; y < image.height; ++y) {
    rows[std::size_t(y)] = reinterpret_cast<png_bytep>(image.row(y));
  }
  if (!read_rows(reader, rows.data())) reject(name, "damaged PNG: {}", reader.message);
}

// Returns the EXIF block with the marker that precedes it in a JPEG.
std::string exif_of(PngReader& reader) {
  png_bytep block = nullptr;
  png_uint_32 size = 0;
  if (png_get_eXIf_1(reader.png, reader.info, &size, &block) == 0) return {};
  return std::string(kExifStart).append(reinterpret_cast<const char*>(block), size);
}

}  // namespace

bool is_png(std::string_view bytes) { return bytes.starts_with("\x89PNG"); }

Decoded decode_png(std::string_view bytes, std::string_view name, Samples samples,
                   std::int64_t max_pixels) {
  PngReader reader;
  reader.data = bytes.data();
  reader.left = bytes.size();
  if (!read_header(reader)) reject(name, "damaged PNG: {}", reader.message);
  const std::int64_t width = png_get_image_width(reader.png, reader.info);
  const std::int64_t height = png_get_image_height(reader.png, reader.info);
  check_size(width, height, name, max_pixels);
  // Deflate compresses at most by a factor of 1032 (RFC 1951: 258 bytes by two one-bit codes).
  if (std::int64_t(reader.row_bytes) * height / 1032 > std::int64_t(bytes.size())) {
    reject(name, "damaged PNG: {} bytes can't hold {} x {} pixels", bytes.size(), width, height);
  }
  if (!set_output(reader, samples)) reject(name, "damaged PNG: {}", reader.message);
  Decoded result;
  if (png_get_bit_depth(reader.png, reader.info) == 16) {
    result.maximum = 65535;
    read_pixels(reader, name, result.deep);
  } else {
    read_pixels(reader, name, result.shallow);
  }
  result.exif = parse_exif(exif_of(reader));
  return result;
}

}  // namespace bifocal::io
