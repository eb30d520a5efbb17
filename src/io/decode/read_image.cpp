// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "io/decode.hpp"
#include "io/exif.hpp"
#include "io/reject.hpp"

namespace bifocal {
namespace io {
namespace {

// EXIF's orientations 1 to 8: from 5 on rows become columns, and each value is a mirror or a
// rotation.
struct Turn {
  bool columns, from_right, from_below;
  explicit Turn(int orientation)
      : columns(orientation >= 5),
        from_right(orientation == 2 || orientation == 3 || orientation >= 7),
        from_below(orientation == 3 || orientation == 4 || orientation == 6 || orientation == 7) {}
};

// Rotates or mirrors an image upright.
template <class T>
Image<T> upright(Image<T> in, int orientation) {
  if (orientation == 1 || in.empty()) return in;
  const Turn turn(orientation);
  Image<T> out(turn.columns ? in.height : in.width, turn.columns ? in.width : in.height,
               in.channels);
  for (int y = 0; y < out.height; ++y) {
    for (int x = 0; x < out.width; ++x) {
      const int column = turn.columns ? y : x, row = turn.columns ? x : y;
      const T* from = &in.at(turn.from_right ? in.width - 1 - column : column,
                             turn.from_below ? in.height - 1 - row : row);
      std::copy_n(from, in.channels, &out.at(x, y));
    }
  }
  return out;
}

Decoded decode_stored(std::string_view bytes, std::string_view name, std::int64_t max_pixels,
                      Colours colours) {
  if (bytes.empty()) reject(name, "is empty");
  if (is_jpeg(bytes)) return decode_jpeg(bytes, name, max_pixels, colours);
  if (is_png(bytes)) return decode_png(bytes, name, Samples::expanded, max_pixels);
  if (is_pnm(bytes)) return decode_pnm(bytes, name, max_pixels);
  if (is_tiff(bytes)) return decode_tiff(bytes, name, max_pixels);
  if (is_webp(bytes)) return decode_webp(bytes, name, max_pixels);
  if (is_bmp(bytes)) return decode_bmp(bytes, name, max_pixels);
  reject(name, "is not a JPEG, PNG, TIFF, WebP, BMP, PGM or PPM image");
}

Decoded decode(std::string_view bytes, std::string_view name, std::int64_t max_pixels) {
  Decoded in = decode_stored(bytes, name, max_pixels, Colours::rgb);
  const int orientation = in.exif.orientation;
  in.shallow = upright(std::move(in.shallow), orientation);
  in.deep = upright(std::move(in.deep), orientation);
  return in;
}

// Scales samples from [0, from] to [0, to], rounded to nearest.
template <class Out, class In>
Image<Out> scaled(const Image<In>& in, unsigned from, unsigned to) {
  Image<Out> out(in.width, in.height, in.channels);
  std::transform(in.pixels.begin(), in.pixels.end(), out.pixels.begin(),
                 [=](In v) { return Out((std::uint64_t{v} * to + from / 2) / from); });
  return out;
}

}  // namespace

void check_size(std::int64_t width, std::int64_t height, std::string_view name,
                std::int64_t max_pixels) {
  if (width <= 0 || height <= 0) reject(name, "image of {} x {} pixels is empty", width, height);
  if (width > max_pixels / height) {
    reject(name, "image of {} x {} pixels is larger than the {} allowed", width, height,
           max_pixels);
  }
}

namespace {

ImageU8 at_8_bits(Decoded in) {
  const unsigned from = unsigned(in.maximum);
  if (!in.deep.empty()) {
    if (const int unused = from == 65535 ? unused_bits(in.deep) : 0; unused > 0)
      for (std::uint16_t& v : in.deep.pixels) v = static_cast<std::uint16_t>(v << unused);
    return scaled<std::uint8_t>(in.deep, from, 255);
  }
  return from == 255 ? std::move(in.shallow) : scaled<std::uint8_t>(in.shallow, from, 255);
}

ImageU16 at_16_bits(Decoded in) {
  const unsigned from = unsigned(in.maximum);
  if (in.deep.empty()) return scaled<std::uint16_t>(in.shallow, from, 65535);
  return from == 65535 ? std::move(in.deep) : scaled<std::uint16_t>(in.deep, from, 65535);
}

AnyImage at_own_bits(Decoded in) {
  if (in.deep.empty()) return {at_8_bits(std::move(in)), {}};
  return {{}, at_16_bits(std::move(in))};
}

// Reads width and height from a PNM's header. The usual header is plain text, so a simple
// scan finds them.
ClaimedSize claimed_size_pnm(std::string_view bytes) {
  std::int64_t sides[2] = {0, 0};
  std::size_t at = 2;
  for (std::int64_t& side : sides) {
    while (at < bytes.size() && (bytes[at] <= ' ' || bytes[at] == '#')) {
      at = bytes[at] == '#' ? std::min(bytes.find('\n', at), bytes.size()) : at + 1;
    }
    while (at < bytes.size() && bytes[at] >= '0' && bytes[at] <= '9' && side < (1 << 30)) {
      side = 10 * side + (bytes[at++] - '0');
    }
  }
  return {sides[0], sides[1]};
}

// Returns 255 where the image is neither black nor transparent. Black is tested at the image's own
// depth, because 1 of 65535 is not black.
template <class T>
ImageU8 mask_of(const Image<T>& in) {
  const int colours = in.channels >= 3 ? 3 : 1;
  const bool has_alpha = in.channels % 2 == 0;
  const auto has_colour = [&](const T* pixel) {
    return std::any_of(pixel, pixel + colours, [](T v) { return v != 0; });
  };
  const auto channels = static_cast<std::size_t>(in.channels);
  bool is_black = true;
  for (std::size_t i = 0; is_black && i < in.pixels.size(); i += channels)
    is_black = !has_colour(&in.pixels[i]);
  ImageU8 out(in.width, in.height);
  for (std::size_t i = 0; i < out.pixels.size(); ++i) {
    const T* pixel = &in.pixels[i * channels];
    const bool is_opaque = !has_alpha || pixel[colours] != 0;
    const bool is_kept = is_opaque && (has_colour(pixel) || (is_black && has_alpha));
    out.pixels[i] = is_kept ? 255 : 0;
  }
  return out;
}

}  // namespace

Vec2 stored_pixel(const Vec2& upright, int orientation, double width, double height) {
  const Turn turn(orientation);
  const double column = turn.columns ? upright[1] : upright[0],
               row = turn.columns ? upright[0] : upright[1];
  return {turn.from_right ? width - 1 - column : column, turn.from_below ? height - 1 - row : row};
}

ImageU8 decode_mask(std::string_view bytes, std::string_view name, std::int64_t max_pixels) {
  const Decoded in = decode_stored(bytes, name, max_pixels, Colours::rgb);
  return in.deep.empty() ? mask_of(in.shallow) : mask_of(in.deep);
}

ImageU8 decode_8(std::string_view bytes, std::string_view name, std::int64_t max_pixels) {
  return at_8_bits(decode(bytes, name, max_pixels));
}

ImageU8 decode_stored_8(std::string_view bytes, std::string_view name, std::int64_t max_pixels) {
  return at_8_bits(decode_stored(bytes, name, max_pixels, Colours::rgb));
}

DecodedGrey decode_grey(std::string_view bytes, std::string_view name, std::int64_t max_pixels) {
  Decoded in = decode_stored(bytes, name, max_pixels, Colours::luminance);
  DecodedGrey out;
  out.exif = std::move(in.exif);
  out.grey = at_8_bits(std::move(in));
  if (out.grey.channels > 1) out.grey = to_grey(out.grey);
  return out;
}

ClaimedSize claimed_size(std::string_view bytes) {
  for (const auto read : {read_jpeg_head, read_tiff_head, read_webp_head, read_bmp_head})
    if (const auto head = read(bytes)) return {head->width, head->height};
  if (is_png(bytes) && bytes.size() >= 24) {
    const auto side = [&](std::size_t at) {
      std::int64_t value = 0;
      for (std::size_t k = 0; k < 4; ++k)
        value = value << 8 | static_cast<unsigned char>(bytes[at + k]);
      return value & 0x7fffffff;
    };
    return {side(16), side(20)};
  }
  return is_pnm(bytes) ? claimed_size_pnm(bytes) : ClaimedSize{};
}

std::optional<PictureHead> read_head_with_exif(std::string_view bytes) {
  for (const auto read : {read_jpeg_head, read_tiff_head, read_webp_head})
    if (auto head = read(bytes)) return head;
  return {};
}

AnyImage decode_stored_image(std::string_view bytes, std::string_view name,
                             std::int64_t max_pixels) {
  return at_own_bits(decode_stored(bytes, name, max_pixels, Colours::rgb));
}

ImageU16 decode_16(std::string_view bytes, std::string_view name, std::int64_t max_pixels) {
  return at_16_bits(decode(bytes, name, max_pixels));
}

ImageU16 decode_samples(std::string_view bytes, std::string_view name, std::int64_t max_pixels) {
  Decoded in;
  if (is_png(bytes)) {
    in = decode_png(bytes, name, Samples::raw, max_pixels);
  } else if (is_pnm(bytes)) {
    in = decode_pnm(bytes, name, max_pixels);
  } else {
    reject(name, "is not a PNG, PGM or PPM image, whose samples are exact");
  }
  return in.deep.empty() ? scaled<std::uint16_t>(in.shallow, 1, 1) : std::move(in.deep);
}

}  // namespace io

ImageU8 read_image(const std::filesystem::path& file) {
  return decode_image(read_file(file, kMaxImageBytes), file.string());
}

ImageU8 decode_image(std::string_view bytes, std::string_view name) {
  return io::decode_8(bytes, name, kMaxImagePixels);
}

AnyImage decode_any_image(std::string_view bytes, std::string_view name) {
  return io::at_own_bits(io::decode(bytes, name, kMaxImagePixels));
}

ImageU8 read_stored_image(const std::filesystem::path& file) {
  return io::decode_stored_8(read_file(file, kMaxImageBytes), file.string(), kMaxImagePixels);
}

ImageU8 read_mask(const std::filesystem::path& file) {
  return io::decode_mask(read_file(file, kMaxImageBytes), file.string(), kMaxImagePixels);
}

ImageU16 read_image_16(const std::filesystem::path& file) {
  return io::decode_16(read_file(file, kMaxImageBytes), file.string(), kMaxImagePixels);
}

ImageU16 read_samples(const std::filesystem::path& file) {
  return io::decode_samples(read_file(file, kMaxImageBytes), file.string(), kMaxImagePixels);
}

}  // namespace bifocal
