// SPDX-License-Identifier: BSD-3-Clause
// Decoders of picture files in memory. `name` is the file's, for messages. All throw Error(input),
// and check the size that a header claims against `max_pixels` and against the bytes there are
// before they allocate.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <bifocal/image.hpp>
#include <bifocal/io.hpp>

namespace bifocal::io {

// Samples as they lie in the file: 8-bit ones in `shallow`, deeper ones in `deep`; white is
// `maximum`.
struct Decoded {
  ImageU8 shallow;
  ImageU16 deep;
  int maximum = 255;
  std::string exif;  // the EXIF block of a JPEG or PNG (exif.hpp), or empty
};

// The decoder does this with a PNG's palette, transparency and samples below 8 bits.
enum class Samples {
  expanded,  // palette to RGB, transparency to alpha, 1, 2 and 4 bits to 8
  raw,       // nothing: one value a pixel of a palette or grey picture, as stored
};

bool is_png(std::string_view bytes);
bool is_jpeg(std::string_view bytes);
bool is_pnm(std::string_view bytes);

Decoded decode_png(std::string_view bytes, std::string_view name, Samples samples,
                   std::int64_t max_pixels);
// The decoder turns a colour JPEG into this.
enum class Colours {
  rgb,
  luminance,  // of what is stored as luminance and colour differences, the former; else rgb
};
Decoded decode_jpeg(std::string_view bytes, std::string_view name, std::int64_t max_pixels,
                    Colours colours = Colours::rgb);
Decoded decode_pnm(std::string_view bytes, std::string_view name, std::int64_t max_pixels);
// The size of a JPEG and its EXIF block; nothing when what is in front of its data is damaged.
struct JpegHead {
  int width = 0, height = 0;
  std::string exif;
};
std::optional<JpegHead> read_jpeg_head(std::string_view bytes);
ImageF decode_pfm(std::string_view bytes, std::string_view name, std::int64_t max_pixels);

// Any of them, told by the first bytes, upright as EXIF says; at 8 and at 16 bits a channel.
ImageU8 decode_8(std::string_view bytes, std::string_view name, std::int64_t max_pixels);
ImageU16 decode_16(std::string_view bytes, std::string_view name, std::int64_t max_pixels);
// The picture is grey at 8 bits and not turned; the file's EXIF block comes with it.
struct DecodedGrey {
  ImageU8 grey;
  std::string exif;
};
DecodedGrey decode_grey(std::string_view bytes, std::string_view name, std::int64_t max_pixels);
// read_mask() of bytes. Not turned: a mask has the pixels of the stored photograph.
ImageU8 decode_mask(std::string_view bytes, std::string_view name, std::int64_t max_pixels);
// The size that the header of a JPEG, PNG or PNM claims; zeros where it is none or damaged.
struct ClaimedSize {
  std::int64_t width = 0, height = 0;
};
ClaimedSize claimed_size(std::string_view bytes);
inline std::int64_t claimed_pixels(std::string_view bytes) {
  const ClaimedSize size = claimed_size(bytes);
  return size.width * size.height;
}
// Samples are neither scaled nor turned upright.
ImageU16 decode_samples(std::string_view bytes, std::string_view name, std::int64_t max_pixels);

// Throws unless 0 < width, 0 < height and width * height <= max_pixels.
void check_size(std::int64_t width, std::int64_t height, std::string_view name,
                std::int64_t max_pixels);

}  // namespace bifocal::io
