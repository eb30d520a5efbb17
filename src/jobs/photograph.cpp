// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <bifocal/error.hpp>
#include <bifocal/features.hpp>
#include <bifocal/jobs.hpp>

#include <algorithm>
#include <utility>

namespace bifocal::jobs {

PairPhotograph read_photograph(const std::string& file) {
  const std::string bytes = read_file(file, kMaxImageBytes);
  AnyImage decoded = decode_any_image(bytes, file);
  PairPhotograph photograph{file, std::move(decoded.shallow), std::move(decoded.deep),
                            exif_intrinsics(bytes), bifocal::exif_doubt(bytes)};
  if (!photograph.deep.empty()) photograph.image = to_8_bits(photograph.deep);
  const ImageU8& image = photograph.image;
  if (std::max(image.width, image.height) > kMaxSiftSide) {
    throw Error(ErrorCode::input, fmt::format("{}: {} x {} px, sides must be at most {}", file,
                                              image.width, image.height, kMaxSiftSide));
  }
  return photograph;
}

Cameras exif_cameras(const Intrinsics& first, const Intrinsics& second) {
  return {first,
          second,
          "EXIF focal lengths of both files; principal point assumed at the centre",
          {},
          true};
}

}  // namespace bifocal::jobs
