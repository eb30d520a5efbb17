// SPDX-License-Identifier: BSD-3-Clause
#include <bifocal/features.hpp>

#include <algorithm>

#include "features/grey/grey_device.hpp"
#include "features/order.hpp"
#include "features/sift/octave.hpp"
#include "features/sift/sift.hpp"
#include "runtime/cancel.hpp"
#include "runtime/parallel.hpp"

namespace bifocal {
namespace features {
namespace {

// Returns the first level of the doubled octave, computed directly from the 8-bit image.
RowPairSource doubled(ImageView<const std::uint8_t> grey, const Kernel& quarter) {
  return [grey, &quarter](int first, float* row0, float* row1) {
    std::vector<const std::uint8_t*> rows;
    const int y = first / 2;
    for (int i = y - quarter.radius; i <= y + quarter.radius; ++i)
      rows.push_back(grey.row(mirrored(i, grey.height)));
    double_rows(rows.data(), quarter, row0, row1, grey.width);
  };
}

// Returns the first level at the image's own size.
Plane blurred(ImageView<const std::uint8_t> grey, double sigma) {
  const Kernel kernel = gaussian_kernel(sigma);
  Plane out(grey.width, (grey.height + kBlurRows - 1) / kBlurRows * kBlurRows);
  runtime::parallel_for(out.height / kBlurRows, [&](int group) {
    const int y = group * kBlurRows, count = 2 * kernel.radius + kBlurRows;
    Plane in(grey.width, count);
    std::vector<const float*> rows;
    float* results[kBlurRows];
    for (int i = 0; i < count; ++i) {
      convert_row(grey.row(mirrored(y - kernel.radius + i, grey.height)), in.row(i), grey.width);
      rows.push_back(in.row(i));
    }
    for (int m = 0; m < kBlurRows; ++m) results[m] = out.row(y + m);
    blur_rows(rows.data(), kernel, results, grey.width);
  });
  out.height = grey.height;
  return out;
}

RowPairSource rows_of(const Plane& plane) {
  return [&plane](int first, float* row0, float* row1) {
    std::copy_n(plane.row(first), plane.stride, row0);
    if (row1) std::copy_n(plane.row(first + 1), plane.stride, row1);
  };
}

// Converts features from px of the octave to px of the image.
void place(Features& octave, double scale, double shift) {
  for (Keypoint& k : octave.keypoints) {
    k.x = static_cast<float>(k.x * scale + shift);
    k.y = static_cast<float>(k.y * scale + shift);
    k.sigma = static_cast<float>(k.sigma * scale);
  }
}

// Finds the features of all octaves, down to the size at which an octave has no extremum.
std::vector<Features> detect_all(ImageView<const std::uint8_t> grey, const SiftOptions& options) {
  std::vector<Features> pieces;
  Plane plane, next;
  double scale = 1, shift = 0;
  int width = grey.width, height = grey.height;
  Kernel quarter;
  if (options.upsample) {
    width *= 2, height *= 2, scale = 0.5, shift = -0.25;
    quarter = quarter_pixel_kernel(0.5 * blur_to(options.sigma, 2));
  } else {
    plane = blurred(grey, blur_to(options.sigma, 1));
  }
  for (bool first = true; std::min(width, height) > 2 * kBorder; first = false) {
    const RowPairSource source =
        first && options.upsample ? doubled(grey, quarter) : rows_of(plane);
    const std::size_t before = pieces.size();
    detect_octave(width, height, source, options, next, pieces);
    for (std::size_t i = before; i < pieces.size(); ++i) place(pieces[i], scale, shift);
    plane = std::move(next);
    width = plane.width, height = plane.height, scale *= 2;
  }
  return pieces;
}

// Returns the features that the selection keeps of all pieces.
Features selected(const std::vector<Features>& pieces, const Selection& selection) {
  std::vector<Keypoint> keypoints;
  std::vector<const std::uint8_t*> descriptors;
  std::vector<KeypointShape> shapes;
  runtime::CancelTicks tick;
  for (const Features& piece : pieces) {
    shapes.insert(shapes.end(), piece.shapes.begin(), piece.shapes.end());
    for (int i = 0; i < piece.size(); ++i) {
      tick();
      keypoints.push_back(piece.keypoints[std::size_t(i)]);
      descriptors.push_back(piece.descriptors.data() + std::ptrdiff_t{i} * kDescriptorBytes);
    }
  }
  Features result;
  const std::vector<int> kept = select(keypoints, selection);
  result.keypoints.reserve(kept.size());
  result.descriptors.reserve(kept.size() * kDescriptorBytes);
  for (int i : kept) {
    tick();
    result.keypoints.push_back(keypoints[std::size_t(i)]);
    if (!shapes.empty()) result.shapes.push_back(shapes[std::size_t(i)]);
    const std::uint8_t* d = descriptors[std::size_t(i)];
    result.descriptors.insert(result.descriptors.end(), d, d + kDescriptorBytes);
  }
  return result;
}

}  // namespace
}  // namespace features

Features detect_sift(const AnyImageView& image, const SiftOptions& options,
                     ImageView<const std::uint8_t> mask) {
  check_options(options);
  features::check_image(image, "detect_sift");
  features::check_mask("detect_sift", mask, image.width(), image.height());
  if (image.empty()) return {};
  const features::Grey made(image);
  const ImageView<const std::uint8_t> grey = made.view();
  return features::selected(features::detect_all(grey, options),
                            {grey.width, grey.height, options.max_features, options.balance, mask});
}

}  // namespace bifocal
