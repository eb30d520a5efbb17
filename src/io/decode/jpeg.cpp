// SPDX-License-Identifier: BSD-3-Clause
// libjpeg reports errors by longjmp. Functions with a setjmp therefore hold no object with a
// destructor, as in png.cpp.
#include <csetjmp>
#include <cstdio>

#include <jerror.h>
#include <jpeglib.h>

#include "io/decode.hpp"
#include "io/exif.hpp"
#include "io/reject.hpp"

namespace bifocal::io {
namespace {

constexpr int kExifMarker = JPEG_APP0 + 1;
constexpr int kMaxScans = 500;  // progressive files usually have 10 scans; more only cost time

struct JpegReader {
  jpeg_error_mgr errors{};  // first member: libjpeg passes its address to the callbacks
  jpeg_decompress_struct jpeg{};
  jpeg_progress_mgr progress{};
  std::jmp_buf jump;
  char message[JMSG_LENGTH_MAX] = "can't be decoded";

  JpegReader() = default;
  JpegReader(const JpegReader&) = delete;
  JpegReader& operator=(const JpegReader&) = delete;
  ~JpegReader() { jpeg_destroy_decompress(&jpeg); }
};

[[noreturn]] void on_error(j_common_ptr jpeg) {
  auto* reader = reinterpret_cast<JpegReader*>(jpeg->err);
  jpeg->err->format_message(jpeg, reader->message);
  std::longjmp(reader->jump, 1);
}

// Treats warnings about lost or damaged image data as errors, because libjpeg continues with grey.
// Other warnings (stray bytes between segments, an unknown version) are harmless and common.
void on_message(j_common_ptr jpeg, int level) {
  if (level >= 0) return;
  switch (jpeg->err->msg_code) {
    case JWRN_ADOBE_XFORM:
    case JWRN_EXTRANEOUS_DATA:
    case JWRN_JFIF_MAJOR:
    case JWRN_BOGUS_ICC:
      return;
    default:
      on_error(jpeg);
  }
}

void on_output(j_common_ptr) {}

void on_progress(j_common_ptr jpeg) {
  auto* reader = reinterpret_cast<JpegReader*>(jpeg->err);
  if (reader->jpeg.input_scan_number > kMaxScans) {
    std::snprintf(reader->message, sizeof reader->message, "more than %d scans", kMaxScans);
    std::longjmp(reader->jump, 1);
  }
}

bool read_header(JpegReader& reader, const char* data, std::size_t size) {
  reader.jpeg.err = jpeg_std_error(&reader.errors);
  reader.errors.error_exit = on_error;
  reader.errors.emit_message = on_message;
  reader.errors.output_message = on_output;
  if (setjmp(reader.jump)) return false;
  jpeg_create_decompress(&reader.jpeg);
  reader.progress.progress_monitor = on_progress;
  reader.jpeg.progress = &reader.progress;
  jpeg_mem_src(&reader.jpeg, reinterpret_cast<const unsigned char*>(data), size);
  jpeg_save_markers(&reader.jpeg, kExifMarker, 0xffff);
  jpeg_read_header(&reader.jpeg, TRUE);
  return true;
}

// Reads the first EXIF block and the first XMP packet, whose segments have the same marker.
Exif exif_of(const JpegReader& reader) {
  std::string_view exif_block, xmp_packet;
  for (const jpeg_marker_struct* m = reader.jpeg.marker_list; m; m = m->next) {
    const std::string_view block(reinterpret_cast<const char*>(m->data), m->data_length);
    if (block.starts_with(kExifStart) && exif_block.empty()) exif_block = block;
    if (block.starts_with(kXmpStart) && xmp_packet.empty()) xmp_packet = block;
  }
  Exif exif = parse_exif(exif_block);
  add_xmp(xmp_packet, exif);
  return exif;
}

// Reads rows of 1 (grey), 3 (RGB) or 4 (CMYK) channels.
bool read_rows(JpegReader& reader, std::uint8_t* pixels, std::size_t row_bytes) {
  if (setjmp(reader.jump)) return false;
  jpeg_start_decompress(&reader.jpeg);
  while (reader.jpeg.output_scanline < reader.jpeg.output_height) {
    JSAMPROW row = pixels + reader.jpeg.output_scanline * row_bytes;
    jpeg_read_scanlines(&reader.jpeg, &row, 1);
  }
  jpeg_finish_decompress(&reader.jpeg);
  return true;
}

int choose_output(JpegReader& reader, std::string_view name, Colours colours) {
  switch (reader.jpeg.jpeg_color_space) {
    case JCS_GRAYSCALE:
      reader.jpeg.out_color_space = JCS_GRAYSCALE;
      return 1;
    case JCS_YCbCr:
      if (colours == Colours::luminance) {
        reader.jpeg.out_color_space = JCS_GRAYSCALE;
        return 1;
      }
      [[fallthrough]];
    case JCS_RGB:
      reader.jpeg.out_color_space = JCS_RGB;
      return 3;
    case JCS_CMYK:
    case JCS_YCCK:
      reader.jpeg.out_color_space = JCS_CMYK;
      return 4;
    default:
      reject(name, "JPEG of {} components in an unknown colour space", reader.jpeg.num_components);
  }
}

// Converts CMYK to RGB by the product of the inks, without a colour profile. Files with Adobe's
// marker store the inks inverted.
ImageU8 cmyk_to_rgb(const ImageU8& cmyk, bool inverted) {
  ImageU8 rgb(cmyk.width, cmyk.height, 3);
  const std::size_t pixels = cmyk.pixels.size() / 4;
  const int flip = inverted ? 0 : 255;
  for (std::size_t i = 0; i < pixels; ++i) {
    const int k = flip ^ cmyk.pixels[4 * i + 3];
    for (std::size_t c = 0; c < 3; ++c) {
      rgb.pixels[3 * i + c] = std::uint8_t(((flip ^ cmyk.pixels[4 * i + c]) * k + 127) / 255);
    }
  }
  return rgb;
}

}  // namespace

bool is_jpeg(std::string_view bytes) { return bytes.starts_with("\xff\xd8\xff"); }

std::optional<PictureHead> read_jpeg_head(std::string_view bytes) {
  JpegReader reader;
  if (!is_jpeg(bytes) || !read_header(reader, bytes.data(), bytes.size())) return {};
  return PictureHead{int(reader.jpeg.image_width), int(reader.jpeg.image_height), exif_of(reader)};
}

Decoded decode_jpeg(std::string_view bytes, std::string_view name, std::int64_t max_pixels,
                    Colours colours) {
  JpegReader reader;
  if (!read_header(reader, bytes.data(), bytes.size())) {
    reject(name, "damaged JPEG: {}", reader.message);
  }
  const std::int64_t width = reader.jpeg.image_width, height = reader.jpeg.image_height;
  check_size(width, height, name, max_pixels);
  if (reader.jpeg.arith_code) reject(name, "JPEG with arithmetic coding is not supported");
  // Huffman coding takes at least one bit for each 8 x 8 block of the finest component.
  if (width * height / 512 > std::int64_t(bytes.size())) {
    reject(name, "damaged JPEG: {} bytes can't hold {} x {} pixels", bytes.size(), width, height);
  }
  Decoded result;
  result.exif = exif_of(reader);  // libjpeg frees the marker with the last row
  const int channels = choose_output(reader, name, colours);
  ImageU8 image(int(width), int(height), channels);
  if (!read_rows(reader, image.pixels.data(), std::size_t(width) * std::size_t(channels))) {
    reject(name, "damaged JPEG: {}", reader.message);
  }
  result.shallow =
      channels == 4 ? cmyk_to_rgb(image, reader.jpeg.saw_Adobe_marker) : std::move(image);
  return result;
}

}  // namespace bifocal::io
