// SPDX-License-Identifier: BSD-3-Clause
#include "collection/colmap/model/photographs.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bifocal/error.hpp>
#include <bifocal/image.hpp>
#include <bifocal/io.hpp>
#include <cmath>
#include <map>

#include "io/decode.hpp"
#include "io/reject.hpp"
#include "runtime/parallel.hpp"

namespace bifocal::colmap::model {
namespace {

namespace fs = std::filesystem;

// From the header of a photograph.
struct Head {
  int orientation = 1;
  std::string fault;                  // why it can't be used; empty if it can
  bool has_sides_of_upright = false;  // the camera has the sides of the upright photograph only
  bool may_be_upright = false;        // the sizes do not tell
};

Head head_of(const fs::path& file, const PhotographOfImage& image) {
  Head head;
  try {
    const auto found = io::read_head(file);
    if (!found) {
      (void)read_stored_image(file);  // for its message
      return head;
    }
    const std::int64_t width = found->width, height = found->height;
    head.orientation = found->exif.orientation;
    if (const std::string fault = size_fault(width, height, head.orientation, image);
        !fault.empty())
      head.fault = fmt::format("{}: {}", file.string(), fault);
    const bool has_sides = width == image.width && height == image.height;
    head.has_sides_of_upright =
        !has_sides && head.orientation >= 5 && width == image.height && height == image.width;
    head.may_be_upright =
        has_sides && (head.orientation > 1) && (head.orientation < 5 || width == height);
  } catch (const Error& e) {
    if (e.code() != ErrorCode::input) throw;
    head.fault = e.what();
  }
  return head;
}

[[noreturn]] void refuse_upright(const fs::path& folder, std::span<const PhotographOfImage> images,
                                 const std::vector<Head>& heads, bool Head::*is_upright) {
  constexpr std::size_t kShown = 5;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < images.size(); ++i)
    if (heads[i].*is_upright)
      names.push_back(fmt::format("{} ({})", images[i].name, heads[i].orientation));
  const std::size_t count = names.size();
  names.resize(std::min(count, kShown));
  io::reject(folder.string(),
             "the keypoints of {} photographs are in upright pixels, after rotation by their EXIF "
             "orientation, but photographs are read as stored: {}{}; rotate the files and remove "
             "the orientation, or make keypoints of the stored pixels",
             count, fmt::join(names, ", "), count > kShown ? ", ..." : "");
}

// Sums of the grey values at matched keypoints.
class Likeness {
 public:
  void add(double a, double b) { ++n_, a_ += a, b_ += b, aa_ += a * a, bb_ += b * b, ab_ += a * b; }
  [[nodiscard]] double count() const { return n_; }
  // Returns 1 - correlation: 0 for equal pixels up to brightness and contrast, near 1 for unrelated
  // pixels.
  [[nodiscard]] double difference() const {
    const double va = aa_ - a_ * a_ / n_, vb = bb_ - b_ * b_ / n_;
    return va > 0 && vb > 0 ? 1 - (ab_ - a_ * b_ / n_) / std::sqrt(va * vb) : 1;
  }

 private:
  double n_ = 0, a_ = 0, b_ = 0, aa_ = 0, bb_ = 0, ab_ = 0;
};

// Compares the stored with the upright pixels at matched keypoints.
class PixelTest {
 public:
  PixelTest(const fs::path& folder, std::span<const PhotographOfImage> images,
            const std::vector<Head>& heads)
      : folder_(folder), images_(images), heads_(heads) {}

  [[nodiscard]] bool finds_upright(std::vector<PhotographPair> pairs) {
    constexpr std::size_t kPairs = 4;
    constexpr double kLeast = 20, kTimes = 2;  // matches; of the difference
    std::ranges::stable_sort(pairs, std::ranges::greater{},
                             [](const PhotographPair& p) { return p.points.size(); });
    double stored = 0, upright = 0, count = 0;
    for (std::size_t i = 0; i < std::min(kPairs, pairs.size()); ++i) {
      const auto [as_stored, as_upright] = compare(pairs[i]);
      stored += as_stored.count() * as_stored.difference();
      upright += as_upright.count() * as_upright.difference();
      count += as_stored.count();
    }
    return count >= kLeast && kTimes * upright < stored;
  }

 private:
  // Empty if the photograph can't be read.
  const ImageU8& grey(std::size_t i) {
    const auto [place, is_new] = greys_.try_emplace(i);
    if (!is_new) return place->second;
    try {
      place->second = to_grey(read_stored_image(folder_ / images_[i].name));
    } catch (const Error& e) {
      if (e.code() != ErrorCode::input) throw;
    }
    return place->second;
  }

  [[nodiscard]] int turn_of(std::size_t i) const {
    return heads_[i].may_be_upright ? heads_[i].orientation : 1;
  }

  // Value at a pixel; negative outside of the image.
  static int value_at(const ImageU8& grey, const Vec2& px) {
    const double x = std::round(px[0]), y = std::round(px[1]);
    if (!(x >= 0 && y >= 0 && x < grey.width && y < grey.height)) return -1;
    return grey.at(static_cast<int>(x), static_cast<int>(y));
  }

  std::array<Likeness, 2> compare(const PhotographPair& pair) {
    constexpr std::size_t kMost = 1000;  // of the matches
    const ImageU8 &a = grey(pair.image1), &b = grey(pair.image2);
    const int turn1 = turn_of(pair.image1), turn2 = turn_of(pair.image2);
    std::array<Likeness, 2> likeness;
    if (a.empty() || b.empty()) return likeness;
    const std::size_t step = pair.points.size() / kMost + 1;
    for (std::size_t k = 0; k < pair.points.size(); k += step) {
      const PointPair& p = pair.points[k];
      const Vec2 x1 = {p.x1, p.y1}, x2 = {p.x2, p.y2};
      const std::array<int, 4> values = {
          value_at(a, x1), value_at(b, x2),
          value_at(a, io::stored_pixel(x1, turn1, a.width, a.height)),
          value_at(b, io::stored_pixel(x2, turn2, b.width, b.height))};
      if (std::ranges::min(values) < 0) continue;
      likeness[0].add(values[0], values[1]);
      likeness[1].add(values[2], values[3]);
    }
    return likeness;
  }

  const fs::path& folder_;
  std::span<const PhotographOfImage> images_;
  const std::vector<Head>& heads_;
  std::map<std::size_t, ImageU8> greys_;
};

}  // namespace

std::string size_fault(std::int64_t width, std::int64_t height, int orientation,
                       const PhotographOfImage& image) {
  if (image.width == 0 || (width == image.width && height == image.height)) return {};
  std::string text =
      fmt::format("has {} x {} px, its camera {} x {}", width, height, image.width, image.height);
  if (orientation >= 5 && width == image.height && height == image.width)
    text += fmt::format(": the size after rotation by EXIF (orientation {})", orientation);
  return text;
}

void check_photographs(const fs::path& folder, std::span<const PhotographOfImage> images,
                       const PairsOfImages& pairs_of) {
  if (images.empty()) return;
  std::vector<Head> heads(images.size());
  runtime::parallel_each(images.size(), [&](std::size_t i) {
    check_cancelled();
    heads[i] = head_of(folder / images[i].name, images[i]);
  });
  if (std::ranges::any_of(heads, &Head::has_sides_of_upright))
    refuse_upright(folder, images, heads, &Head::has_sides_of_upright);
  if (std::ranges::none_of(heads, [](const Head& head) { return head.fault.empty(); }))
    io::reject(folder.string(), "none of the {} photographs can be used: {}", images.size(),
               heads.front().fault);
  std::vector<bool> marked;
  for (const Head& head : heads) marked.push_back(head.may_be_upright);
  if (std::ranges::find(marked, true) == marked.end()) return;
  if (PixelTest(folder, images, heads).finds_upright(pairs_of(marked)))
    refuse_upright(folder, images, heads, &Head::may_be_upright);
}

}  // namespace bifocal::colmap::model
