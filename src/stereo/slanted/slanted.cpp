// SPDX-License-Identifier: BSD-3-Clause
#include "stereo/slanted/slanted.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "runtime/uploaded.hpp"
#include "stereo/slanted/slanted.kernels.hpp"

namespace bifocal::stereo {
namespace {

namespace slanted = kernels::slanted;
using runtime::uploaded;

const slanted::launch<float>& slanted_kernels() {
  static const slanted::launch<float> launch(slanted::SLANTED_THREADS, {});
  return launch;
}

// Shape of the padded arrays of a view.
struct Shape {
  int width, height, across;
  explicit Shape(const ImageU8& image)
      : width(image.width),
        height(image.height),
        across((image.width + slanted::SLANTED_ACROSS - 1) / slanted::SLANTED_ACROSS *
               slanted::SLANTED_ACROSS) {}
  [[nodiscard]] int pitch() const { return across + 2 * slanted::SLANTED_MARGIN; }
  [[nodiscard]] std::size_t size() const {
    return static_cast<std::size_t>(pitch()) *
           static_cast<std::size_t>(height + 2 * slanted::SLANTED_MARGIN);
  }
  [[nodiscard]] std::size_t place(int x, int y) const {
    return static_cast<std::size_t>((y + slanted::SLANTED_MARGIN) * pitch() +
                                    slanted::SLANTED_MARGIN + x);
  }
  // Calls visit(place, x, y) for every element, where (x, y) is the nearest pixel of the image.
  template <class Visit>
  void for_each(const Visit& visit) const {
    std::size_t place = 0;
    for (int y = -slanted::SLANTED_MARGIN; y < height + slanted::SLANTED_MARGIN; ++y)
      for (int x = -slanted::SLANTED_MARGIN; x < across + slanted::SLANTED_MARGIN; ++x)
        visit(place++, std::clamp(x, 0, width - 1), std::clamp(y, 0, height - 1));
  }
};

std::vector<float> brightness_of(const ImageU8& image, const Shape& shape) {
  std::vector<float> values(shape.size());
  shape.for_each([&](std::size_t at, int x, int y) { values[at] = image.at(x, y); });
  return values;
}

// Packs the bytes of four neighbouring pixels into one word.
std::vector<std::uint32_t> quads_of(const ImageU8& image, const Shape& shape) {
  std::vector<std::uint32_t> quads(shape.size());
  shape.for_each([&](std::size_t at, int x, int y) {
    const int right = std::min(x + 1, image.width - 1), below = std::min(y + 1, image.height - 1);
    quads[at] = image.at(x, y) | std::uint32_t{image.at(right, y)} << 8 |
                std::uint32_t{image.at(x, below)} << 16 |
                std::uint32_t{image.at(right, below)} << 24;
  });
  return quads;
}

// Returns the 3 x 3 matrix K2 R K1^-1 and the vector K2 t.
std::vector<float> geometry_of(const Intrinsics& from, const Intrinsics& to, const Pose& pose) {
  const Mat3 K2 = to.matrix();
  const Mat3 inverse = {1 / from.fx, 0, -from.cx / from.fx, 0, 1 / from.fy, -from.cy / from.fy, 0,
                        0,           1};
  const Mat3 H = times(K2, times(pose.R, inverse));
  const Vec3 e = times(K2, pose.t);
  std::vector<float> all;
  for (const double v : H) all.push_back(static_cast<float>(v));
  for (const double v : e) all.push_back(static_cast<float>(v));
  return all;
}

Pose inverse_of(const Pose& pose) {
  Pose out;
  out.R = transposed(pose.R);
  const Vec3 t = times(out.R, pose.t);
  out.t = {-t[0], -t[1], -t[2]};
  return out;
}

// Returns SLANTED_RANDOM numbers in [-1, 1) and one more row of numbers, so that a row can start at
// any of the first SLANTED_RANDOM.
std::vector<float> random_numbers(int across) {
  std::mt19937 generator(7);
  std::vector<float> values(
      static_cast<std::size_t>(slanted::SLANTED_RANDOM + across + slanted::SLANTED_MARGIN));
  for (float& v : values) v = static_cast<float>(generator() / 2147483648.0 - 1);
  return values;
}

// A view at one level of the pyramid, on the host.
struct Level {
  ImageU8 grey;
  Intrinsics camera;
  PlaneMap seeds;
};

// Returns a level of half the size: the mean of four pixels, and the mean of the known seeds
// among them.
Level half_of(const Level& fine) {
  const int width = fine.grey.width / 2, height = fine.grey.height / 2;
  const ImageF none(width, height, 1, std::numeric_limits<float>::quiet_NaN());
  Level half{ImageU8(width, height), fine.camera, {none, none, none}};
  const auto middle = [](double c) { return (c + 0.5) / 2 - 0.5; };
  half.camera = {fine.camera.fx / 2, fine.camera.fy / 2, middle(fine.camera.cx),
                 middle(fine.camera.cy)};
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      int sum = 2, known = 0;
      float w = 0, wx = 0, wy = 0;
      for (int k = 0; k < 4; ++k) {
        const int fx = 2 * x + k % 2, fy = 2 * y + k / 2;
        sum += fine.grey.at(fx, fy);
        if (std::isnan(fine.seeds.w.at(fx, fy))) continue;
        ++known;
        w += fine.seeds.w.at(fx, fy);
        wx += 2 * fine.seeds.wx.at(fx, fy);
        wy += 2 * fine.seeds.wy.at(fx, fy);
      }
      half.grey.at(x, y) = static_cast<std::uint8_t>(sum / 4);
      if (known == 0) continue;
      const auto n = static_cast<float>(known);
      half.seeds.w.at(x, y) = w / n;
      half.seeds.wx.at(x, y) = wx / n;
      half.seeds.wy.at(x, y) = wy / n;
    }
  }
  return half;
}

// Estimates the planes of one view at one level of the pyramid.
class Matcher {
 public:
  Matcher(Queue& queue, const Level& view, const Level& other, const Pose& pose,
          const SlantedOptions& options)
      : queue_(queue), shape_(view.grey), other_(other.grey), options_(options) {
    brightness_ = uploaded(queue, brightness_of(view.grey, shape_));
    quads_ = uploaded(queue, quads_of(other.grey, other_));
    geometry_ = uploaded(queue, geometry_of(view.camera, other.camera, pose));
    random_ = uploaded(queue, random_numbers(shape_.across));
    seed_w_ = uploaded(queue, padded(view.seeds.w));
    seed_wx_ = uploaded(queue, padded(view.seeds.wx));
    seed_wy_ = uploaded(queue, padded(view.seeds.wy));
    const std::vector<float> zero(shape_.size(), 0.0F);
    for (Buffer<float>* b : {&w_, &wx_, &wy_, &cost_, &mean_, &variance_})
      *b = uploaded(queue, zero);
  }

  // Initialises the planes with random depths.
  void start_at_random() {
    std::mt19937 generator(11);
    std::vector<float> w(shape_.size());
    const double span = options_.nearest - options_.farthest;
    for (float& value : w)
      value = static_cast<float>(options_.farthest + span * (generator() / 4294967296.0));
    w_ = uploaded(queue_, w);
  }
  // Initialises the planes from the planes of an image of half the size.
  void start_from(const Matcher& coarse) {
    slanted_kernels().slanted_raise(queue_, {.count = shape_.across * shape_.height},
                                    {.coarse_w = coarse.w_,
                                     .coarse_wx = coarse.wx_,
                                     .coarse_wy = coarse.wy_,
                                     .coarse_width = coarse.shape_.width,
                                     .coarse_height = coarse.shape_.height,
                                     .across = shape_.across,
                                     .w = w_,
                                     .wx = wx_,
                                     .wy = wy_});
  }

  // first: number of the first round; random changes shrink with this number. At the finest level
  // planes need not spread over long distances.
  void run(int rounds, int first, bool is_finest) {
    is_finest_ = is_finest;
    slanted_kernels().slanted_begin(queue_, {.count = shape_.across * shape_.height},
                                    {.brightness = brightness_,
                                     .quads = quads_,
                                     .geometry = geometry_,
                                     .across = shape_.across,
                                     .width = other_.width,
                                     .height = other_.height,
                                     .seed_w = seed_w_,
                                     .seed_wx = seed_wx_,
                                     .seed_wy = seed_wy_,
                                     .w = w_,
                                     .wx = wx_,
                                     .wy = wy_,
                                     .cost = cost_,
                                     .mean = mean_,
                                     .variance = variance_});
    for (int round = 0; round < rounds; ++round)
      for (const int parity : {0, 1}) step(round, first + round, parity);
  }

  void check(const Matcher& other, const Buffer<float>& distance) const {
    slanted_kernels().slanted_check(queue_, {.count = shape_.across * shape_.height},
                                    {.geometry = geometry_,
                                     .across = shape_.across,
                                     .width = other_.width,
                                     .height = other_.height,
                                     .w = w_,
                                     .wx = wx_,
                                     .wy = wy_,
                                     .other_w = other.w_,
                                     .other_wx = other.wx_,
                                     .other_wy = other.wy_,
                                     .back = other.geometry_,
                                     .distance = distance});
  }

  [[nodiscard]] Buffer<float> empty() const { return {queue_.device(), shape_.size()}; }
  [[nodiscard]] PlaneMap planes() const { return {image(w_), image(wx_), image(wy_)}; }
  [[nodiscard]] ImageF costs() const { return image(cost_); }
  [[nodiscard]] ImageF image(const Buffer<float>& buffer) const {
    std::vector<float> all(shape_.size());
    buffer.download(queue_, std::span<float>(all));
    queue_.wait();
    ImageF out(shape_.width, shape_.height);
    for (int y = 0; y < shape_.height; ++y)
      for (int x = 0; x < shape_.width; ++x) out.at(x, y) = all[shape_.place(x, y)];
    return out;
  }

 private:
  [[nodiscard]] std::vector<float> padded(const ImageF& map) const {
    std::vector<float> all(shape_.size(), std::numeric_limits<float>::quiet_NaN());
    for (int y = 0; y < shape_.height; ++y)
      for (int x = 0; x < shape_.width; ++x) all[shape_.place(x, y)] = map.at(x, y);
    return all;
  }

  void step(int round, int scale, int parity) const {
    constexpr int kReach[] = {15, 7, 3, 5, 9};
    const bool is_coarsest = scale == round;
    const float size = std::ldexp(1.0F, is_coarsest ? -round : -2 * scale);
    slanted_kernels().slanted_step(queue_,
                                   {.count = shape_.across * ((shape_.height + 1 - parity) / 2)},
                                   {.brightness = brightness_,
                                    .quads = quads_,
                                    .geometry = geometry_,
                                    .across = shape_.across,
                                    .width = other_.width,
                                    .height = other_.height,
                                    .w = w_,
                                    .wx = wx_,
                                    .wy = wy_,
                                    .cost = cost_,
                                    .mean = mean_,
                                    .variance = variance_,
                                    .random = random_,
                                    .parity = parity,
                                    .neighbours = is_finest_ ? 4 : 8,
                                    .reach = kReach[round % 5],
                                    .trials = is_coarsest ? 4 : 3,
                                    .shift = std::max(0.25F, 8 * size),
                                    .tilt = std::max(0.03F, 0.5F * size),
                                    .farthest = static_cast<float>(options_.farthest),
                                    .nearest = static_cast<float>(options_.nearest),
                                    .seed = 64 * scale + 2 * round + parity});
  }

  Queue& queue_;
  Shape shape_, other_;
  SlantedOptions options_;
  bool is_finest_ = false;
  Buffer<std::uint32_t> quads_;
  Buffer<float> brightness_, geometry_, random_, seed_w_, seed_wx_, seed_wy_;
  Buffer<float> w_, wx_, wy_, cost_, mean_, variance_;
};

// Returns the levels of a view, the finest first.
std::vector<Level> pyramid_of(const SlantedView& view) {
  constexpr int kLevels = 3, kLeastSide = 100;  // px
  std::vector<Level> levels{{view.grey, view.camera, view.seeds}};
  while (levels.size() < kLevels &&
         std::min(levels.back().grey.width, levels.back().grey.height) >= 2 * kLeastSide)
    levels.push_back(half_of(levels.back()));
  return levels;
}

}  // namespace

SlantedPlanes match_slanted(Queue& queue, const SlantedView& view1, const SlantedView& view2,
                            const Pose& pose, const SlantedOptions& options) {
  constexpr int kRounds[] = {2, 3, 8};  // finest level first
  const std::vector<Level> one = pyramid_of(view1), two = pyramid_of(view2);
  const std::size_t levels = std::min(one.size(), two.size());
  std::optional<Matcher> first, second;
  for (std::size_t level = levels; level-- > 0;) {
    const bool is_coarsest = level + 1 == levels;
    // Random planes of view 2 use the depth range of view 1.
    Matcher next1(queue, one[level], two[level], pose, options),
        next2(queue, two[level], one[level], inverse_of(pose), options);
    is_coarsest ? next1.start_at_random() : next1.start_from(*first);
    is_coarsest ? next2.start_at_random() : next2.start_from(*second);
    const int rounds = is_coarsest ? 8 : kRounds[level];
    next1.run(rounds, is_coarsest ? 0 : 2, level == 0 && levels > 1);
    next2.run(rounds, is_coarsest ? 0 : 2, level == 0 && levels > 1);
    queue.wait();
    first.emplace(std::move(next1));
    second.emplace(std::move(next2));
  }
  const Buffer<float> distance = first->empty();
  first->check(*second, distance);
  return {first->planes(), first->costs(), first->image(distance)};
}

}  // namespace bifocal::stereo
