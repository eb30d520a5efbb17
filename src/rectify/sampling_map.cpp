// SPDX-License-Identifier: BSD-3-Clause
// Computes source positions in 1/256 px. Compiled without contraction (see CMakeLists.txt): every
// product and sum is rounded as written, so that positions are the same on every machine.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "rectify/sampling_map.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include <bifocal/error.hpp>
#include <bifocal/rectify.hpp>

#include <fmt/format.h>

#include <cmath>
#include <cstdint>

#include "runtime/cancel.hpp"
#include "runtime/parallel.hpp"
#include "scene/lens.hpp"
#include <bifocal/geometry.hpp>
#include "rectify/remap.hpp"
#include "rectify/sampling_map.hpp"

HWY_BEFORE_NAMESPACE();
namespace bifocal::rectification {
namespace HWY_NAMESPACE {

// The compiler vectorises this plain loop for the target.
void homography_row(const double* m, int y, int width, int max_x, int max_y,
                    std::int32_t* HWY_RESTRICT sx, std::int32_t* HWY_RESTRICT sy) {
  const double u0 = m[1] * y + m[2], v0 = m[4] * y + m[5], w0 = m[7] * y + m[8];
  const double du = m[0], dv = m[3], dw = m[6];
  for (int x = 0; x < width; ++x) {
    const double w = w0 + dw * x, scale = 256 / w;
    const double u = (u0 + du * x) * scale + 0.5, v = (v0 + dv * x) * scale + 0.5;
    const bool in = (w > 0) & (u >= 0) & (v >= 0) & (u < max_x + 1.0) & (v < max_y + 1.0);
    sx[x] = in ? static_cast<std::int32_t>(in ? u : 0.0) : -1;
    sy[x] = in ? static_cast<std::int32_t>(in ? v : 0.0) : -1;
  }
}

// Rotates the rays of the rectified camera (`R`: input from rectified) and distorts them by the
// lens.
void lens_row(const LensView& view, int y, int width, int max_x, int max_y,
              std::int32_t* HWY_RESTRICT sx, std::int32_t* HWY_RESTRICT sy) {
  const double* R = view.R;
  const double across = 1 / view.rectified.fx, ry = (y - view.rectified.cy) / view.rectified.fy;
  const double u0 = R[1] * ry + R[2], v0 = R[4] * ry + R[5], w0 = R[7] * ry + R[8];
  for (int x = 0; x < width; ++x) {
    const double rx = (x - view.rectified.cx) * across;
    const double w = R[6] * rx + w0, scale = 1 / w;
    double p[2];
    scene::LensLanes::brown_distort(view.k, view.squared_radius, (R[0] * rx + u0) * scale,
                                    (R[3] * rx + v0) * scale, p);
    const double u = (view.camera.fx * p[0] + view.camera.cx) * 256 + 0.5,
                 v = (view.camera.fy * p[1] + view.camera.cy) * 256 + 0.5;
    const bool in = (w > 0) & (u >= 0) & (v >= 0) & (u < max_x + 1.0) & (v < max_y + 1.0);
    sx[x] = in ? static_cast<std::int32_t>(in ? u : 0.0) : -1;
    sy[x] = in ? static_cast<std::int32_t>(in ? v : 0.0) : -1;
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace bifocal::rectification
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bifocal {
namespace rectification {
HWY_EXPORT(homography_row);
HWY_EXPORT(lens_row);

void homography_positions(const double* m, int y, int width, int input_width, int input_height,
                          std::int32_t* x, std::int32_t* out_y) {
  HWY_DYNAMIC_DISPATCH(homography_row)
  (m, y, width, 256 * (input_width - 1), 256 * (input_height - 1), x, out_y);
}

Mat3 input_from_output(const char* function, const Mat3& output_from_input, int width, int height) {
  Mat3 m = inverse(output_from_input);
  for (double v : m)
    if (!std::isfinite(v))
      throw Error(ErrorCode::usage, fmt::format("{}: output_from_input has no inverse", function));
  const Vec3 centre = times(output_from_input, Vec3{(width - 1) / 2.0, (height - 1) / 2.0, 1});
  if (centre[2] < 0)
    for (double& v : m) v = -v;
  return m;
}

void check_map_sizes(const char* function, int input_width, int input_height, int width,
                     int height) {
  if (input_width < 1 || input_height < 1 || input_width > kMaxSide || input_height > kMaxSide)
    throw Error(ErrorCode::usage,
                fmt::format("{}: image is {} x {}", function, input_width, input_height));
  if (width < 1 || height < 1 || std::int64_t{width} * height > kMaxMapPixels)
    throw Error(ErrorCode::usage,
                fmt::format("{}: output size {} x {}: must be positive, at most {} px", function,
                            width, height, kMaxMapPixels));
}

namespace {

template <class Row>
SamplingMap filled_map(int input_width, int input_height, int width, int height, Row row) {
  const std::size_t pixels = static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
  SamplingMap map{width, height, input_width, input_height, {}, {}};
  runtime::grow(map.x, pixels);
  runtime::grow(map.y, pixels);
  runtime::parallel_for(height, [&](int y) {
    const std::size_t at = static_cast<std::size_t>(y) * static_cast<std::size_t>(width);
    row(y, map.x.data() + at, map.y.data() + at);
  });
  return map;
}

SamplingMap lens_map(const Camera& camera, const Mat3& rectified_from_camera,
                     const Intrinsics& rectified, int width, int height) {
  const Distortion& d = camera.distortion;
  const Mat3 R = transposed(rectified_from_camera);
  LensView view{
      camera.intrinsics, rectified, {}, {d.k1, d.k2, d.p1, d.p2, d.k3, d.k4, d.k5, d.k6}, 0};
  for (std::size_t i = 0; i < 9; ++i) view.R[i] = R[i];
  const double radius = scene::Lens(d).radius();
  view.squared_radius = radius * radius;
  return filled_map(camera.width, camera.height, width, height,
                    [&](int y, std::int32_t* sx, std::int32_t* sy) {
                      HWY_DYNAMIC_DISPATCH(lens_row)
                      (view, y, width, 256 * (camera.width - 1), 256 * (camera.height - 1), sx, sy);
                    });
}

// Returns the map for a lens of any model, computed pixel by pixel.
SamplingMap lens_map(const LensCamera& lens, const Camera& pinhole,
                     const Mat3& rectified_from_camera, const Intrinsics& rectified, int width,
                     int height) {
  const Mat3 R = transposed(rectified_from_camera);
  const Intrinsics& k = pinhole.intrinsics;
  const auto positions = [&](int y, std::int32_t* sx, std::int32_t* sy) {
    for (int x = 0; x < width; ++x) {
      const Vec3 ray =
          times(R, Vec3{(x - rectified.cx) / rectified.fx, (y - rectified.cy) / rectified.fy, 1});
      const Vec2 p =
          lens.distort({k.fx * (ray[0] / ray[2]) + k.cx, k.fy * (ray[1] / ray[2]) + k.cy});
      const double u = p[0] * 256 + 0.5, v = p[1] * 256 + 0.5;
      const bool in = ray[2] > 0 && u >= 0 && v >= 0 && u < 256.0 * (pinhole.width - 1) + 1 &&
                      v < 256.0 * (pinhole.height - 1) + 1;  // false for NaN
      sx[x] = in ? static_cast<std::int32_t>(u) : -1;
      sy[x] = in ? static_cast<std::int32_t>(v) : -1;
    }
  };
  return filled_map(pinhole.width, pinhole.height, width, height, positions);
}

// Returns the column of the epipole in a row.
double column_of_epipole(const RectifiedSide& side, const PolarRow& row) {
  return ((side.epipole[0] - row.x) * row.dx + (side.epipole[1] - row.y) * row.dy) /
         (row.dx * row.dx + row.dy * row.dy);
}

SamplingMap polar_map(const RectifiedSide& side, int width, int height) {
  if (side.rows.size() != static_cast<std::size_t>(height))
    throw Error(ErrorCode::usage,
                fmt::format("sampling_map: {} rows, the height is {}", side.rows.size(), height));
  const double u1 = 256.0 * (side.input.width - 1) + 1, v1 = 256.0 * (side.input.height - 1) + 1;
  const auto positions = [&](int y, std::int32_t* sx, std::int32_t* sy) {
    const PolarRow& row = side.rows[static_cast<std::size_t>(y)];
    const double epipole = column_of_epipole(side, row);
    for (int x = 0; x < width; ++x) {
      const double u = (row.x + row.dx * x) * 256 + 0.5, v = (row.y + row.dy * x) * 256 + 0.5;
      const bool in =
          u >= 0 && v >= 0 && u < u1 && v < v1 && (side.is_inward ? x <= epipole : x >= epipole);
      sx[x] = in ? static_cast<std::int32_t>(u) : -1;
      sy[x] = in ? static_cast<std::int32_t>(v) : -1;
    }
  };
  return filled_map(side.input.width, side.input.height, width, height, positions);
}

}  // namespace

const RectifiedSide& side_of(const char* function, const Rectification& r, int side) {
  if (side != 0 && side != 1)
    throw Error(ErrorCode::usage, fmt::format("{}: side {}: must be 0 or 1", function, side));
  return r.sides[static_cast<std::size_t>(side)];
}

}  // namespace rectification

using namespace rectification;

SamplingMap sampling_map(const Mat3& output_from_input, int input_width, int input_height,
                         int width, int height) {
  check_map_sizes("sampling_map", input_width, input_height, width, height);
  const Mat3 m = input_from_output("sampling_map", output_from_input, input_width, input_height);
  return filled_map(input_width, input_height, width, height,
                    [&](int y, std::int32_t* sx, std::int32_t* sy) {
                      homography_positions(m.data(), y, width, input_width, input_height, sx, sy);
                    });
}

SamplingMap sampling_map(const LensCamera& lens, const Intrinsics& pinhole, int width, int height) {
  const auto input_width = static_cast<int>(std::min<std::int64_t>(lens.width(), kMaxSide + 1)),
             input_height = static_cast<int>(std::min<std::int64_t>(lens.height(), kMaxSide + 1));
  check_map_sizes("sampling_map", input_width, input_height, width, height);
  return lens_map(lens, {lens.pinhole(), {}, input_width, input_height},
                  {1, 0, 0, 0, 1, 0, 0, 0, 1}, pinhole, width, height);
}

SamplingMap sampling_map(const Rectification& r, int side) {
  const RectifiedSide& s = side_of("sampling_map", r, side);
  if (r.width < 1 || r.height < 1)
    throw Error(ErrorCode::usage,
                fmt::format("sampling_map: the pair is not rectified ({})", to_string(r.outcome)));
  check_map_sizes("sampling_map", s.input.width, s.input.height, r.width, r.height);
  if (r.kind == RectificationKind::polar) return polar_map(s, r.width, r.height);
  if (s.lens) return lens_map(*s.lens, s.input, s.R, s.camera, r.width, r.height);
  if (!s.input.distortion.none()) return lens_map(s.input, s.R, s.camera, r.width, r.height);
  return sampling_map(s.H, s.input.width, s.input.height, r.width, r.height);
}

std::array<SamplingMap, 2> sampling_maps(const Rectification& r) {
  return {sampling_map(r, 0), sampling_map(r, 1)};
}

}  // namespace bifocal
#endif
