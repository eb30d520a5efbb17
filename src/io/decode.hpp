// SPDX-License-Identifier: BSD-3-Clause
// Decoders for image files in memory. `name` is the file's name, for messages. All decoders throw
// Error(input). Before any allocation they check the size in the header against `max_pixels` and
// against the length of the data.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include <bifocal/geometry.hpp>
#include <bifocal/image.hpp>
#include <bifocal/io.hpp>

#include "io/exif.hpp"

namespace bifocal::io {

// Samples as stored in the file: 8-bit samples in `shallow`, deeper samples in `deep`; `maximum` is
// the value of white.
struct Decoded {
  ImageU8 shallow;
  ImageU16 deep;
  int maximum = 255;
  Exif exif = {};  // defaults without an EXIF block
};

// Treatment of a PNG's palette, transparency and samples below 8 bits.
enum class Samples {
  expanded,  // palette to RGB, transparency to alpha, 1, 2 and 4 bits to 8
  raw,       // unchanged: one value per pixel of a palette or grey image, as stored
};

bool is_png(std::string_view bytes);
bool is_jpeg(std::string_view bytes);
bool is_pnm(std::string_view bytes);
bool is_tiff(std::string_view bytes);
bool is_webp(std::string_view bytes);
bool is_bmp(std::string_view bytes);

Decoded decode_png(std::string_view bytes, std::string_view name, Samples samples,
                   std::int64_t max_pixels);
// Output channels for a colour JPEG.
enum class Colours {
  rgb,
  luminance,  // luminance if the file stores luminance and colour differences, otherwise rgb
};
Decoded decode_jpeg(std::string_view bytes, std::string_view name, std::int64_t max_pixels,
                    Colours colours = Colours::rgb);
Decoded decode_pnm(std::string_view bytes, std::string_view name, std::int64_t max_pixels);
Decoded decode_bmp(std::string_view bytes, std::string_view name, std::int64_t max_pixels);
// Optional parts: a build without libtiff or libwebp throws Error(input) that says so.
Decoded decode_tiff(std::string_view bytes, std::string_view name, std::int64_t max_pixels);
Decoded decode_webp(std::string_view bytes, std::string_view name, std::int64_t max_pixels);

// Size and EXIF numbers in the header of a file.
struct PictureHead {
  int width = 0, height = 0;
  Exif exif = {};
};
// Nothing if the header is damaged, if the bytes are of another format, or if the build cannot read
// the format.
std::optional<PictureHead> read_jpeg_head(std::string_view bytes);
std::optional<PictureHead> read_tiff_head(std::string_view bytes);
std::optional<PictureHead> read_webp_head(std::string_view bytes);
std::optional<PictureHead> read_bmp_head(std::string_view bytes);
namespace tiff {  // in builds with libtiff
Decoded decode(std::string_view bytes, std::string_view name, std::int64_t max_pixels);
std::optional<PictureHead> read_head(std::string_view bytes);
}  // namespace tiff
namespace webp {  // in builds with libwebp
Decoded decode(std::string_view bytes, std::string_view name, std::int64_t max_pixels);
std::optional<PictureHead> read_head(std::string_view bytes);
}  // namespace webp
// Reads the header of a JPEG, TIFF or WebP file, whose EXIF numbers Bifocal uses.
std::optional<PictureHead> read_head_with_exif(std::string_view bytes);
std::optional<PictureHead> read_png_head(std::string_view bytes);
// Reads the header of an image file of any format, in most cases without reading the whole file.
// Nothing if the header is damaged or of an unknown format. Throws Error(input) if the file can't
// be read.
std::optional<PictureHead> read_head(const std::filesystem::path& file);
// Returns where the stored image has the pixel (x, y) of the upright image. width and height: of
// the stored image.
Vec2 stored_pixel(const Vec2& upright, int orientation, double width, double height);
ImageF decode_pfm(std::string_view bytes, std::string_view name, std::int64_t max_pixels);

// Decode a file of any supported format, which the first bytes determine, to 8 or 16 bits per
// channel. The image is rotated upright by its EXIF orientation.
ImageU8 decode_8(std::string_view bytes, std::string_view name, std::int64_t max_pixels);
ImageU16 decode_16(std::string_view bytes, std::string_view name, std::int64_t max_pixels);
// Decodes without EXIF's orientation, at 8 bits a channel.
ImageU8 decode_stored_8(std::string_view bytes, std::string_view name, std::int64_t max_pixels);
// Decodes without EXIF's orientation, deeper samples at 16 bits a channel.
AnyImage decode_stored_image(std::string_view bytes, std::string_view name,
                             std::int64_t max_pixels);
// Decodes to grey of 8 bits without EXIF's orientation.
struct DecodedGrey {
  ImageU8 grey;
  Exif exif = {};
};
DecodedGrey decode_grey(std::string_view bytes, std::string_view name, std::int64_t max_pixels);
// Decodes a mask like read_mask(), but from bytes. The mask is not rotated: it has the pixels of
// the stored photograph.
ImageU8 decode_mask(std::string_view bytes, std::string_view name, std::int64_t max_pixels);
// Size in the header of an image file; zeros for other or damaged files.
struct ClaimedSize {
  std::int64_t width = 0, height = 0;
};
ClaimedSize claimed_size(std::string_view bytes);
inline std::int64_t claimed_pixels(std::string_view bytes) {
  const ClaimedSize size = claimed_size(bytes);
  return size.width * size.height;
}
// Returns the stored samples, neither scaled nor rotated upright.
ImageU16 decode_samples(std::string_view bytes, std::string_view name, std::int64_t max_pixels);

// Throws unless 0 < width, 0 < height and width * height <= max_pixels.
void check_size(std::int64_t width, std::int64_t height, std::string_view name,
                std::int64_t max_pixels);

}  // namespace bifocal::io
