// SPDX-License-Identifier: BSD-3-Clause
// Images, features and matches.
#include <bifocal/jobs.hpp>
#include <bifocal/matching.hpp>

#include <utility>

#include "arrays.hpp"
#include "handles.hpp"

using namespace bifocal;
using namespace bifocal::c;

struct bf_image {
  jobs::PairPhotograph photograph;
};
struct bf_matches {
  std::vector<Match> matches;
  std::vector<PointPair> points;
};

int bf_image_read(const char* file, bf_image** out) {
  return guarded(__func__, [&] {
    bf_image*& to = output(out);
    to = new bf_image{jobs::read_photograph(&need(file, "file"))};
  });
}

int bf_image_get(const bf_image* image, bf_image_info* out) {
  return guarded(__func__, [&] {
    const jobs::PairPhotograph& p = need(image, "image").photograph;
    const AnyImageView pixels = p.view();
    const Intrinsics k = p.exif.value_or(Intrinsics{kUnknown, kUnknown, kUnknown, kUnknown});
    give({sizeof *out, pixels.bits() == 8 ? view(pixels.shallow()) : view(pixels.deep()), k.fx,
          k.fy, k.cx, k.cy},
         out);
  });
}

void bf_image_free(bf_image* image) { delete image; }

int bf_detect(bf_queue* queue, const bf_array* image, const bf_array* mask,
              const bf_options* options, bf_features** out) {
  return guarded(__func__, [&] {
    bf_features*& to = output(out);
    Queue& q = need(queue, "queue").queue;
    const AnyImageView pixels = image_of(need(image, "image"), "image");
    const ImageView<const std::uint8_t> allowed = mask_of(mask);
    const Callbacks callbacks(options);
    const bool is_surf = options && std::holds_alternative<SurfOptions>(options->values);
    Features found = is_surf ? detect_surf(q, pixels, options_of<SurfOptions>(options), allowed)
                             : detect_sift(q, pixels, options_of<SiftOptions>(options), allowed);
    to = new bf_features{std::move(found)};
  });
}

int bf_features_create(const bf_array* keypoints, const bf_array* descriptors, bf_features** out) {
  return guarded(__func__, [&] {
    bf_features*& to = output(out);
    const bf_array& k = need(keypoints, "keypoints");
    check_array(k, BF_F32, sizeof(float), "keypoints");
    need_host(k, "keypoints");
    need_columns(k, 2, 5, "keypoints");
    using Descriptor = std::array<std::uint8_t, kDescriptorBytes>;
    const auto d =
        rows_of<Descriptor, std::uint8_t>(need(descriptors, "descriptors"), "descriptors");
    if (std::ssize(d) != k.rows)
      throw usage("descriptors: {} rows, keypoints has {}", d.size(), k.rows);
    Features made;
    const std::size_t bytes = sizeof(float) * static_cast<std::size_t>(k.columns);
    const auto stride = k.stride ? k.stride : static_cast<std::int64_t>(bytes);
    for (std::int64_t i = 0; i < k.rows; ++i)
      std::memcpy(&made.keypoints.emplace_back(Keypoint{}),
                  static_cast<const unsigned char*>(k.data) + i * stride, bytes);
    made.descriptors.reserve(d.size() * kDescriptorBytes);
    for (const Descriptor& row : d)
      made.descriptors.insert(made.descriptors.end(), row.begin(), row.end());
    to = new bf_features{std::move(made)};
  });
}

int bf_features_get(const bf_features* features, bf_features_info* out) {
  return guarded(__func__, [&] {
    const Features& f = need(features, "features").features;
    bf_features_info info = {};
    info.keypoints = columns_of(f.keypoints, &Keypoint::x, 5);
    info.shapes = columns_of(f.shapes, &KeypointShape::xx, 3);
    info.descriptors = view(f.descriptors);
    info.descriptors.rows = f.size();
    info.descriptors.columns = kDescriptorBytes;
    info.descriptors.stride = kDescriptorBytes;
    give(info, out);
  });
}

void bf_features_free(bf_features* features) { delete features; }

int bf_match(bf_queue* queue, const bf_features* features1, const bf_features* features2,
             const bf_options* options, bf_matches** out) {
  return guarded(__func__, [&] {
    bf_matches*& to = output(out);
    const Features& f1 = need(features1, "features1").features;
    const Features& f2 = need(features2, "features2").features;
    const auto chosen = options_of<MatchOptions>(options);
    const Callbacks callbacks(options);
    std::vector<Match> found = match(need(queue, "queue").queue, f1, f2, chosen);
    std::vector<PointPair> points = matched_points(f1, f2, found);
    to = new bf_matches{std::move(found), std::move(points)};
  });
}

int bf_matches_get(const bf_matches* matches, bf_matches_info* out) {
  return guarded(__func__, [&] {
    const std::vector<Match>& m = need(matches, "matches").matches;
    give({sizeof *out, columns_of(m, &Match::index1, 2), columns_of(m, &Match::distance, 1),
          columns_of(m, &Match::ratio, 1), columns_of(matches->points, &PointPair::x1, 4)},
         out);
  });
}

void bf_matches_free(bf_matches* matches) { delete matches; }
