// SPDX-License-Identifier: BSD-3-Clause
// TIFF by libtiff, from memory. Compiled only if libtiff was found.
#include <tiffio.h>

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstring>
#include <memory>
#include <vector>

#include "io/decode.hpp"
#include "io/reject.hpp"

namespace bifocal::io::tiff {
namespace {

struct Source {
  std::string_view bytes;
  toff_t at = 0;
  char message[200] = "can't be decoded";
};

Source& source_of(thandle_t handle) { return *static_cast<Source*>(handle); }

tmsize_t on_read(thandle_t handle, void* out, tmsize_t size) {
  Source& s = source_of(handle);
  if (s.at >= s.bytes.size() || size <= 0) return 0;
  const auto count = std::min<std::size_t>(std::size_t(size), s.bytes.size() - std::size_t(s.at));
  std::memcpy(out, s.bytes.data() + s.at, count);
  s.at += count;
  return tmsize_t(count);
}
tmsize_t on_write(thandle_t, void*, tmsize_t) { return 0; }
toff_t on_seek(thandle_t handle, toff_t offset, int from) {
  Source& s = source_of(handle);
  const toff_t base = from == SEEK_SET ? 0 : from == SEEK_CUR ? s.at : s.bytes.size();
  return s.at = base + offset;
}
int on_close(thandle_t) { return 0; }
toff_t on_size(thandle_t handle) { return source_of(handle).bytes.size(); }

int on_error(TIFF*, void* data, const char*, const char* format, va_list arguments) {
  auto* s = static_cast<Source*>(data);
  std::vsnprintf(s->message, sizeof s->message, format, arguments);
  return 1;
}
int on_warning(TIFF*, void*, const char*, const char*, va_list) { return 1; }

using File = std::unique_ptr<TIFF, decltype(&TIFFClose)>;

File open(Source& source) {
  const std::unique_ptr<TIFFOpenOptions, decltype(&TIFFOpenOptionsFree)> options(
      TIFFOpenOptionsAlloc(), TIFFOpenOptionsFree);
  TIFFOpenOptionsSetErrorHandlerExtR(options.get(), on_error, &source);
  TIFFOpenOptionsSetWarningHandlerExtR(options.get(), on_warning, &source);
  TIFFOpenOptionsSetMaxSingleMemAlloc(options.get(), tmsize_t{1} << 31);
  return {TIFFClientOpenExt("memory", "rm", &source, on_read, on_write, on_seek, on_close, on_size,
                            nullptr, nullptr, options.get()),
          TIFFClose};
}

struct Layout {
  std::uint32_t width = 0, height = 0;
  std::uint16_t bits = 1, samples = 1, photometric = 0, planar = PLANARCONFIG_CONTIG, format = 1;
};

Layout layout_of(TIFF* tif) {
  Layout l;
  TIFFGetField(tif, TIFFTAG_IMAGEWIDTH, &l.width);
  TIFFGetField(tif, TIFFTAG_IMAGELENGTH, &l.height);
  TIFFGetFieldDefaulted(tif, TIFFTAG_BITSPERSAMPLE, &l.bits);
  TIFFGetFieldDefaulted(tif, TIFFTAG_SAMPLESPERPIXEL, &l.samples);
  TIFFGetFieldDefaulted(tif, TIFFTAG_PLANARCONFIG, &l.planar);
  TIFFGetFieldDefaulted(tif, TIFFTAG_SAMPLEFORMAT, &l.format);
  TIFFGetField(tif, TIFFTAG_PHOTOMETRIC, &l.photometric);
  return l;
}

std::string text_of(TIFF* tif, std::uint32_t tag) {
  const char* text = nullptr;
  if (TIFFGetField(tif, tag, &text) == 0 || !text) return {};
  std::string all(text);
  all.erase(all.find_last_not_of(' ') + 1);
  return all;
}

// Returns orientation (1 if it is not 1 to 8), make, model and focal lengths, mm. A focal length is
// 0 if the file has none or a negative one.
Exif exif_of(TIFF* tif) {
  Exif exif;
  std::uint16_t orientation = 1;
  TIFFGetFieldDefaulted(tif, TIFFTAG_ORIENTATION, &orientation);
  exif.orientation = orientation >= 1 && orientation <= 8 ? orientation : 1;
  exif.make = text_of(tif, TIFFTAG_MAKE);
  exif.model = text_of(tif, TIFFTAG_MODEL);
  toff_t directory = 0;
  if (TIFFGetField(tif, TIFFTAG_EXIFIFD, &directory) == 0 ||
      TIFFReadEXIFDirectory(tif, directory) == 0)
    return exif;
  const auto positive = [](double v) { return v > 0 ? v : 0; };
  float focal = 0;
  std::uint16_t on_film = 0;
  if (TIFFGetField(tif, EXIFTAG_FOCALLENGTH, &focal) != 0) exif.focal_mm = positive(focal);
  if (TIFFGetField(tif, EXIFTAG_FOCALLENGTHIN35MMFILM, &on_film) != 0)
    exif.focal_on_film_mm = on_film;
  return exif;
}

// Is each row a sequence of grey or RGB samples that scanlines return as they are stored?
bool is_plain(TIFF* tif, const Layout& l) {
  const bool is_grey = l.photometric == PHOTOMETRIC_MINISBLACK && l.samples <= 2;
  const bool is_rgb = l.photometric == PHOTOMETRIC_RGB && (l.samples == 3 || l.samples == 4);
  return TIFFIsTiled(tif) == 0 && l.planar == PLANARCONFIG_CONTIG && (is_grey || is_rgb);
}

template <class T>
Image<T> read_rows(TIFF* tif, const Layout& l, const Source& source, std::string_view name) {
  Image<T> image(int(l.width), int(l.height), l.samples);
  const auto bytes = std::size_t(l.width) * l.samples * sizeof(T);
  if (TIFFScanlineSize64(tif) != bytes)
    reject(name, "damaged TIFF: rows of {} bytes instead of {}", TIFFScanlineSize64(tif), bytes);
  for (std::uint32_t y = 0; y < l.height; ++y)
    if (TIFFReadScanline(tif, image.row(int(y)), y, 0) != 1)
      reject(name, "damaged TIFF: {}", source.message);
  return image;
}

// Returns any other layout (palette, CMYK, YCbCr, tiles, planes) as RGB of 8 bits, not rotated.
ImageU8 read_rgb(TIFF* tif, const Layout& l, const Source& source, std::string_view name) {
  std::vector<std::uint32_t> pixels(std::size_t(l.width) * l.height);
  std::uint16_t orientation = ORIENTATION_TOPLEFT;
  TIFFGetFieldDefaulted(tif, TIFFTAG_ORIENTATION, &orientation);
  if (TIFFReadRGBAImageOriented(tif, l.width, l.height, pixels.data(), orientation, 1) != 1)
    reject(name, "damaged TIFF: {}", source.message);
  ImageU8 rgb(int(l.width), int(l.height), 3);
  for (std::size_t i = 0; i < pixels.size(); ++i) {
    rgb.pixels[3 * i] = std::uint8_t(TIFFGetR(pixels[i]));
    rgb.pixels[3 * i + 1] = std::uint8_t(TIFFGetG(pixels[i]));
    rgb.pixels[3 * i + 2] = std::uint8_t(TIFFGetB(pixels[i]));
  }
  return rgb;
}

}  // namespace

std::optional<PictureHead> read_head(std::string_view bytes) {
  Source source{bytes};
  const File file = open(source);
  if (!file) return {};
  const Layout l = layout_of(file.get());
  if (l.width == 0 || l.height == 0 || l.width >> 31 != 0 || l.height >> 31 != 0) return {};
  return PictureHead{int(l.width), int(l.height), exif_of(file.get())};
}

Decoded decode(std::string_view bytes, std::string_view name, std::int64_t max_pixels) {
  Source source{bytes};
  const File file = open(source);
  if (!file) reject(name, "damaged TIFF: {}", source.message);
  const Layout l = layout_of(file.get());
  check_size(l.width, l.height, name, max_pixels);
  if ((l.bits != 8 && l.bits != 16) || l.format != SAMPLEFORMAT_UINT)
    reject(name, "TIFF with {} bits a sample{} is not supported; 8 or 16 bits are", l.bits,
           l.format == SAMPLEFORMAT_IEEEFP ? " in floating point" : "");
  // Refuses more than 4,096 times as many bytes of pixels as the file has. LZW shrinks at most
  // 2,560 times; ZSTD and LZMA shrink uniform images more.
  const double raw = double(l.width) * l.height * l.samples * (l.bits / 8);
  if (raw / 4096 > double(bytes.size()))
    reject(name, "damaged TIFF: {} bytes can't hold {} x {} pixels", bytes.size(), l.width,
           l.height);
  Decoded result;
  if (!is_plain(file.get(), l)) {
    result.shallow = read_rgb(file.get(), l, source, name);
  } else if (l.bits == 16) {
    result.maximum = 65535;
    result.deep = read_rows<std::uint16_t>(file.get(), l, source, name);
  } else {
    result.shallow = read_rows<std::uint8_t>(file.get(), l, source, name);
  }
  result.exif = exif_of(file.get());  // moves to another directory of the file, so comes last
  return result;
}

}  // namespace bifocal::io::tiff
