// SPDX-License-Identifier: BSD-3-Clause
// The stereo system: block matching of images of 735 x 504, both directions, cross-check, and
// unknown pixels filled by the mean over 11 x 11, compared with its old times.
#include <fmt/format.h>

#include <bifocal/io.hpp>
#include <bifocal/stereo.hpp>
#include <algorithm>
#include <filesystem>

#include "seeds/seeds.hpp"
#include "suites/shifted_noise.hpp"

namespace bifocal::bench::seeds {
namespace {

namespace fs = std::filesystem;

constexpr int kWidth = 735, kHeight = 504;

struct Case {
  int disparities, window;
  double recorded_ms;
};
constexpr Case kCases[] = {{60, 11, 277.5}, {90, 11, 493.2}, {60, 15, 578.0}, {90, 15, 851.8}};

// The original images are lost. The suite uses 735 of the 741 columns of Motorcycle (Middlebury
// 2014, quarter size), whose last rows are mirrored for the 7 missing rows; noise without test
// data.
struct NamedPair {
  std::string name;
  StereoPair pair;
};
ImageU8 cut(const ImageU8& picture) {
  const ImageU8 grey = to_grey(picture);
  ImageU8 out(kWidth, kHeight);
  for (int y = 0; y < kHeight; ++y) {
    const std::uint8_t* row = grey.row(std::min(y, 2 * grey.height - 2 - y));
    std::copy(row, row + kWidth, out.row(y));
  }
  return out;
}
NamedPair pictures(const std::string& data_folder) {
  const fs::path folder = fs::path(data_folder) / "middlebury_2014_q" / "Motorcycle";
  if (!fs::exists(folder / "im1.png")) return {"noise", shifted_noise(kWidth, kHeight)};
  return {"Motorcycle", {cut(read_image(folder / "im0.png")), cut(read_image(folder / "im1.png"))}};
}

// Frames of a stereo rig: images and results stay in device memory.
class StereoSeed {
 public:
  StereoSeed(const std::string& device, const StereoPair& pair, const SsdOptions& options)
      : queue_(Device(device)),
        matcher_(queue_, kWidth, kHeight, options),
        left_(queue_.device(), pair.left.pixels.size()),
        right_(queue_.device(), pair.right.pixels.size()),
        raw_(queue_.device(), pair.left.pixels.size()),
        filled_(queue_.device(), pair.left.pixels.size()) {
    left_.upload(queue_, pair.left.pixels);
    right_.upload(queue_, pair.right.pixels);
    queue_.wait();
  }

  [[nodiscard]] bool is_gpu() const { return queue_.device().info().is_gpu; }
  // Matches `count` frames in sequence and waits for the last.
  void frames(int count) {
    for (int i = 0; i < count; ++i) matcher_.run(left_, right_, {.filled = filled_});
    queue_.wait();
  }
  // The known and the filled disparities as images, from black (0) to white.
  void write_images(const fs::path& folder, const std::string& name, int disparities) {
    matcher_.run(left_, right_, {.raw = raw_, .filled = filled_});
    const auto write = [&](const Buffer<float>& map, const std::string& kind) {
      ImageF disparity(kWidth, kHeight);
      map.download(queue_, disparity.pixels);
      queue_.wait();
      ImageU8 grey(kWidth, kHeight);
      std::transform(disparity.pixels.begin(), disparity.pixels.end(), grey.pixels.begin(),
                     [&](float d) {  // NaN is black
                       return d > 0 ? static_cast<std::uint8_t>(std::min(
                                          255.F, 255 * d / static_cast<float>(disparities)))
                                    : std::uint8_t{0};
                     });
      write_png(folder / fmt::format("{}_{}.png", name, kind), grey);
    };
    write(raw_, "known");
    write(filled_, "filled");
  }

 private:
  Queue queue_;
  StereoMatcher matcher_;
  Buffer<std::uint8_t> left_, right_;
  Buffer<float> raw_, filled_;
};

}  // namespace

// On a GPU the mean time of a frame in a sequence; `alone_ms`: of a single frame.
void run_stereo(Context& context) {
  std::optional<NamedPair> seen;
  for (const Case& c : kCases) {
    const std::string size = fmt::format("d{}w{}", c.disparities, c.window),
                      name = "seeds/stereo/735x504/" + size;
    if (!context.wanted(name)) continue;
    if (!seen) seen = pictures(context.data_folder);
    StereoSeed seed(
        context.device, seen->pair,
        {.disparities = c.disparities,
         .window = c.window,
         .filter = {.median = 0, .speckle_size = 0, .fill = Fill::mean, .fill_window = 11}});
    const Sample alone = measure([&] { seed.frames(1); });
    Sample frame = alone;
    Figures extra = {{"pictures", seen->name}};
    if (seed.is_gpu()) {
      constexpr int kFrames = 20;
      frame = measure([&] { seed.frames(kFrames); });
      frame.median /= kFrames;
      frame.mad /= kFrames;
      extra["alone_ms"] = alone.median * 1e3;
    }
    report_ms(context, name, context.device, frame, Reference{"OpenCL (recorded)", c.recorded_ms},
              extra);
    if (context.pictures_folder.empty()) continue;
    const fs::path folder = context.pictures_folder;
    fs::create_directories(folder);
    write_png(folder / "left.png", seen->pair.left);
    write_png(folder / "right.png", seen->pair.right);
    seed.write_images(folder, size, c.disparities);
  }
}

}  // namespace bifocal::bench::seeds
