// SPDX-License-Identifier: BSD-3-Clause
// Entry points of the picture formats that are optional parts of the library.
#include "io/decode.hpp"
#include "io/reject.hpp"
#include "runtime/built_parts.h"

namespace bifocal::io {

bool is_tiff(std::string_view bytes) {
  return bytes.starts_with(std::string_view("II*\0", 4)) ||
         bytes.starts_with(std::string_view("MM\0*", 4));
}

bool is_webp(std::string_view bytes) {
  return bytes.size() >= 12 && bytes.starts_with("RIFF") && bytes.substr(8, 4) == "WEBP";
}

Decoded decode_tiff(std::string_view bytes, std::string_view name, std::int64_t max_pixels) {
  if constexpr (BIFOCAL_HAS_TIFF)
    return tiff::decode(bytes, name, max_pixels);
  else
    reject(name, "is a TIFF image, but this build has no libtiff");
}

Decoded decode_webp(std::string_view bytes, std::string_view name, std::int64_t max_pixels) {
  if constexpr (BIFOCAL_HAS_WEBP)
    return webp::decode(bytes, name, max_pixels);
  else
    reject(name, "is a WebP image, but this build has no libwebp");
}

std::optional<PictureHead> read_tiff_head(std::string_view bytes) {
  if (!is_tiff(bytes)) return {};
  if constexpr (BIFOCAL_HAS_TIFF)
    return tiff::read_head(bytes);
  else
    return {};
}

std::optional<PictureHead> read_webp_head(std::string_view bytes) {
  if (!is_webp(bytes)) return {};
  if constexpr (BIFOCAL_HAS_WEBP)
    return webp::read_head(bytes);
  else
    return {};
}

}  // namespace bifocal::io
