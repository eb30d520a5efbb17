// SPDX-License-Identifier: BSD-3-Clause
// WebP by libwebp. Compiled only if libwebp was found.
#include <webp/decode.h>
#include <webp/demux.h>

#include <memory>

#include "io/decode.hpp"
#include "io/reject.hpp"

namespace bifocal::io::webp {
namespace {

const std::uint8_t* data_of(std::string_view bytes) {
  return reinterpret_cast<const std::uint8_t*>(bytes.data());
}

// The block gets the marker of a JPEG in front unless the file has it already.
Exif exif_of(std::string_view bytes) {
  const WebPData data{data_of(bytes), bytes.size()};
  const std::unique_ptr<WebPDemuxer, decltype(&WebPDemuxDelete)> file(WebPDemux(&data),
                                                                      WebPDemuxDelete);
  WebPChunkIterator chunk{};
  if (!file || WebPDemuxGetChunk(file.get(), "EXIF", 1, &chunk) == 0) return {};
  std::string block(reinterpret_cast<const char*>(chunk.chunk.bytes), chunk.chunk.size);
  WebPDemuxReleaseChunkIterator(&chunk);
  if (!block.starts_with(kExifStart)) block.insert(0, kExifStart);
  return parse_exif(block);
}

}  // namespace

std::optional<PictureHead> read_head(std::string_view bytes) {
  int width = 0, height = 0;
  if (WebPGetInfo(data_of(bytes), bytes.size(), &width, &height) == 0) return {};
  return PictureHead{width, height, exif_of(bytes)};
}

Decoded decode(std::string_view bytes, std::string_view name, std::int64_t max_pixels) {
  WebPBitstreamFeatures features;
  if (WebPGetFeatures(data_of(bytes), bytes.size(), &features) != VP8_STATUS_OK)
    reject(name, "damaged WebP");
  if (features.has_animation) reject(name, "WebP with animation is not supported");
  check_size(features.width, features.height, name, max_pixels);
  const int channels = features.has_alpha ? 4 : 3;
  Decoded result;
  result.shallow = ImageU8(features.width, features.height, channels);
  const auto decode_into = features.has_alpha ? WebPDecodeRGBAInto : WebPDecodeRGBInto;
  if (!decode_into(data_of(bytes), bytes.size(), result.shallow.pixels.data(),
                   result.shallow.pixels.size(), features.width * channels))
    reject(name, "damaged WebP");
  result.exif = exif_of(bytes);
  return result;
}

}  // namespace bifocal::io::webp
