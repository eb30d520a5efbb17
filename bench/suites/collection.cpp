// SPDX-License-Identifier: BSD-3-Clause
// A collection on one device: features, matches of all pairs, and verification of pairs with enough
// matches. The images are views of a few scenes, parts of photographs that are rotated, tilted and
// brightened, with a known homography between any two.
#include <bifocal/verify_pairs.hpp>
#include <bifocal/io.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <numeric>
#include <random>

#include "features_suite.hpp"
#include "oxford.hpp"
#include <bifocal/geometry.hpp>
#include "runtime/parallel.hpp"

namespace bifocal::bench {
namespace {

struct View {
  std::size_t scene;
  Mat3 image_from_view;
};

// A photograph if the data folder has it, and textures.
std::vector<ImageU8> scene_images(const std::string& data_folder) {
  std::vector<ImageU8> pictures;
  const std::string path = data_folder + "/strecha/fountain-P11/0004.jpg";
  if (std::filesystem::exists(path)) pictures.push_back(to_grey(read_image(path)));
  for (unsigned seed = 1; pictures.size() < 4; ++seed)
    pictures.push_back(texture(3072, 2048, seed, 8));
  return pictures;
}

// A view of `width` x `height` from a random part of the image: rotated by up to 15 degrees, scaled
// by 0.8 to 1.25, tilted by up to a tenth from border to border.
View random_view(std::mt19937& random, std::size_t scene, const ImageU8& picture, int width,
                 int height) {
  std::uniform_real_distribution<double> unit(-1, 1);
  const double angle = 0.26 * unit(random), scale = std::exp(0.22 * unit(random));
  const double c = scale * std::cos(angle), s = scale * std::sin(angle);
  // Most views of a scene overlap.
  const double reach_x = std::min(0.4 * width, 0.5 * std::max(0.0, picture.width - 0.9 * width));
  const double reach_y = std::min(0.4 * height, 0.5 * std::max(0.0, picture.height - 0.9 * height));
  const double x = 0.5 * picture.width + reach_x * unit(random);
  const double y = 0.5 * picture.height + reach_y * unit(random);
  const double px = 0.1 * unit(random) / width, py = 0.1 * unit(random) / height;
  const double u = 0.5 * width, v = 0.5 * height;
  // Maps the view's centre by tilt, rotation and scale to (x, y).
  const double w = 1 - px * u - py * v;
  return {scene,
          {c + x * px, -s + x * py, -c * u + s * v + x * w, s + y * px, c + y * py,
           -s * u - c * v + y * w, px, py, w}};
}

ImageU8 image_of(const View& view, const ImageU8& picture, int width, int height, unsigned seed) {
  ImageU8 image(width, height);
  std::mt19937 random(seed);
  const double gain = 0.8 + 0.4 * double(random() % 1000) / 1000;
  for (int row = 0; row < height; ++row) {
    for (int column = 0; column < width; ++column) {
      const auto [px, py] = mapped(view.image_from_view, column, row);
      const int x = int(std::floor(px)), y = int(std::floor(py));
      if (x < 0 || y < 0 || x + 1 >= picture.width || y + 1 >= picture.height) continue;
      const double fx = px - x, fy = py - y;
      const double top = (1 - fx) * picture.at(x, y) + fx * picture.at(x + 1, y);
      const double low = (1 - fx) * picture.at(x, y + 1) + fx * picture.at(x + 1, y + 1);
      const double value = gain * ((1 - fy) * top + fy * low) + double(random() % 5) - 2;
      image.at(column, row) = std::uint8_t(std::clamp(value, 0.0, 255.0));
    }
  }
  return image;
}

// Fraction of the first view visible in the second, of its pixels inside the image.
double overlap(const View& a, const View& b, const ImageU8& picture, int width, int height) {
  if (a.scene != b.scene) return 0;
  const Mat3 to_view = inverse(b.image_from_view);
  int seen = 0, all = 0;
  for (int y = 20; y < height; y += 40) {
    for (int x = 20; x < width; x += 40, ++all) {
      const auto [px, py] = mapped(a.image_from_view, x, y);
      if (px < 0 || py < 0 || px >= picture.width - 1 || py >= picture.height - 1) continue;
      const auto [u, v] = mapped(to_view, px, py);
      seen += u >= 0 && v >= 0 && u < width && v < height;
    }
  }
  return double(seen) / all;
}

double seconds_of(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

struct Counted {
  std::int64_t matches = 0, verified = 0, pairs_of_15 = 0;
  int wanted = 0, found = 0, wrong = 0;  // with 20 % overlap; of those verified; without overlap
};

// Views of some scenes, and their images.
struct Views {
  std::vector<ImageU8> scenes;
  std::vector<View> views;
  std::vector<ImageU8> images;
};

Views made_views(const std::string& data_folder, int images, int width, int height) {
  Views made{scene_images(data_folder), {}, {}};
  std::mt19937 random(5);
  for (int k = 0; k < images; ++k) {
    const std::size_t scene = std::size_t(k) % made.scenes.size();
    made.views.push_back(random_view(random, scene, made.scenes[scene], width, height));
  }
  made.images.resize(made.views.size());
  runtime::parallel_for(images, [&](int k) {
    const View& v = made.views[std::size_t(k)];
    made.images[std::size_t(k)] = image_of(v, made.scenes[v.scene], width, height, unsigned(k));
  });
  return made;
}

Counted counted(Queue& queue, const FeatureSet& set, std::span<const ImagePair> pairs,
                ModelKind kind, const Views& made) {
  Counted c;
  verify_pairs(queue, set, pairs, {}, {.kind = kind, .distinct_places = false},
               [&](const VerifiedPairs& v) {
                 for (std::size_t k = 0; k < v.pairs.size(); ++k) {
                   const View& a = made.views[std::size_t(v.pairs[k].image1)];
                   const View& b = made.views[std::size_t(v.pairs[k].image2)];
                   const ImageU8& own = made.images[0];
                   const double shared = overlap(a, b, made.scenes[a.scene], own.width, own.height);
                   const bool ok = v.estimates[k].outcome == Outcome::ok;
                   c.matches += v.offsets[k + 1] - v.offsets[k];
                   c.pairs_of_15 += v.offsets[k + 1] - v.offsets[k] >= 15;
                   c.verified += ok;
                   c.wanted += shared > 0.2;
                   c.found += shared > 0.2 && ok;
                   c.wrong += shared == 0 && ok;
                 }
               });
  return c;
}

void match_all(Queue& queue, const FeatureSet& set, std::span<const ImagePair> pairs) {
  constexpr std::size_t kAtOnce = 4096;
  DeviceMatches kept;
  for (std::size_t first = 0; first < pairs.size(); first += kAtOnce)
    match(queue, set, pairs.subspan(first, std::min(kAtOnce, pairs.size() - first)), {}, kept);
  queue.wait();
}

void run_case(Context& context, Queue& queue, int images, int width, int height) {
  constexpr int kFeatures = 8192, kBatch = 16;
  const std::string name = fmt::format("collection/{}x{}x{}", images, width, height);
  if (!context.wanted(name)) return;
  const Views made = made_views(context.data_folder, images, width, height);
  const std::vector<ImageView<const std::uint8_t>> given(made.images.begin(), made.images.end());

  const SiftOptions sift{.max_features = kFeatures};
  SiftDetector detector(queue, width, height, sift, kBatch);
  FeatureSet set(queue.device(), std::int64_t{images} * kFeatures);
  detector.add(given, set);  // takes all memory
  set.clear();
  const double features_s = seconds_of([&] {
    detector.add(given, set);
    queue.wait();
  });
  const std::vector<int> counts = set.count_all(queue);
  const std::vector<ImagePair> pairs = all_pairs(images);
  const auto nothing = [](const VerifiedPairs&) {};
  for (const ModelKind kind : {ModelKind::homography, ModelKind::fundamental}) {
    const Counted c = counted(queue, set, pairs, kind, made);
    const double s = seconds_of([&] {
      verify_pairs(queue, set, pairs, {}, {.kind = kind, .distinct_places = false}, nothing);
    });
    const double match_s = seconds_of([&] { match_all(queue, set, pairs); });
    Record record;
    record.suite = "collection";
    record.case_name = name + "/" + std::string(to_string(kind));
    record.device = context.device;
    record.unit = "s";
    record.value = s, record.runs = 1;
    record.extra = {
        {"pairs", pairs.size()},
        {"features_s", features_s},
        {"images_per_s", images / features_s},
        {"match_s", match_s},
        {"features_an_image",
         double(std::accumulate(counts.begin(), counts.end(), std::int64_t{0})) / images},
        {"matches_a_pair", double(c.matches) / double(pairs.size())},
        {"pairs_of_15", c.pairs_of_15},
        {"verified", c.verified},
        {"share_a_fifth", c.wanted},
        {"recall", double(c.found) / std::max(1, c.wanted)},
        {"verified_of_nothing_shared", c.wrong}};
    context.report(std::move(record));
  }
}

}  // namespace

void run_collection(Context& context) {
  Queue queue{Device(context.device)};
  if (!queue.device().info().is_gpu) return run_case(context, queue, 16, 800, 600);
  for (const int images : {64, 256, 1024}) run_case(context, queue, images, 1600, 1200);
}

}  // namespace bifocal::bench
