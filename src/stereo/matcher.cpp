// SPDX-License-Identifier: BSD-3-Clause
// StereoMatcher and the functions based on it check their arguments; a PairMatcher does the work.
#include <fmt/format.h>

#include <climits>
#include <type_traits>

#include <bifocal/error.hpp>
#include <bifocal/stereo.hpp>

#include "runtime/memory_limit.hpp"
#include "stereo/matcher_cpu.hpp"
#include "stereo/matcher_device.hpp"
#include "stereo/options.hpp"

namespace bifocal {
namespace {

constexpr const char* kName = "StereoMatcher";
constexpr int kGroupSlack = 255;  // threads of the last group, whose indices must fit an int also

[[noreturn]] void fail(const std::string& message) {
  throw Error(ErrorCode::usage, fmt::format("{}: {}", kName, message));
}

void check_size(int width, int height) {
  if (width < 1 || height < 1 || std::int64_t{width} * height > INT_MAX - kGroupSlack)
    fail(fmt::format("images of {} x {} pixels: must be 1 to {}", width, height,
                     INT_MAX - kGroupSlack));
}

template <class Pixel, class Options>
std::unique_ptr<stereo::PairMatcher<Pixel>> make_matcher(Queue& queue, stereo::ImageSize size,
                                                         const Options& options) {
  if (queue.device().info().kind == DeviceKind::cpu)
    return std::make_unique<stereo::CpuMatcher<Pixel, Options>>(queue, size, options);
  return std::make_unique<stereo::DeviceMatcher<Pixel, Options>>(queue, size, options);
}

template <class T>
void check_memory(const Queue& queue, const char* name, const Memory<T>& m, int pixels) {
  if (m.is_null()) return;
  if (const std::string why = runtime::why_foreign(queue, name, m); !why.empty()) fail(why);
  const bool on_cpu = queue.device().info().kind == DeviceKind::cpu;
  if (!m.is_on_device() && !on_cpu)
    fail(fmt::format("{} is memory of the host; the queue is of {}", name,
                     queue.device().info().id));
  if (m.size() > 0 && m.size() < static_cast<std::size_t>(pixels))
    fail(fmt::format("{} holds {} numbers; images have {} pixels", name, m.size(), pixels));
}

template <class Pixel>
void run_checked(stereo::PairMatcher<Pixel>& matcher, const Memory<const Pixel>& left,
                 const Memory<const Pixel>& right, const StereoOutput& out) {
  const int pixels = matcher.size().pixels();
  if (left.is_null()) fail("left is null");
  if (right.is_null()) fail("right is null");
  if (out.raw.is_null() && out.filled.is_null() && out.confidence.is_null())
    fail("raw, filled and confidence are all null");
  if (!matcher.has_confidence() && !out.confidence.is_null()) fail("confidence: SSD has none");
  check_memory(matcher.queue(), "left", left, pixels);
  check_memory(matcher.queue(), "right", right, pixels);
  check_memory(matcher.queue(), "raw", out.raw, pixels);
  check_memory(matcher.queue(), "filled", out.filled, pixels);
  check_memory(matcher.queue(), "confidence", out.confidence, pixels);
  if (matcher.pending() > 0) fail("run while pairs that were submitted are on their way");
  matcher.run(left, right, out);
}

template <class Pixel>
void submit_checked(stereo::PairMatcher<Pixel>& matcher, ImageView<const Pixel> left,
                    ImageView<const Pixel> right) {
  stereo::check_images(kName, left, right, 4);
  const stereo::ImageSize size = matcher.size();
  if (left.width != size.width || left.height != size.height)
    fail(fmt::format("images of {} x {}; it was made for {} x {}", left.width, left.height,
                     size.width, size.height));
  if (matcher.pending() >= stereo::kMostPending)
    fail("submit while two pairs are on their way: next() takes one");
  matcher.submit(left, right);
}

template <class Pixel>
DisparityMap match_one(stereo::PairMatcher<Pixel>& matcher, ImageView<const Pixel> left,
                       ImageView<const Pixel> right) {
  if (matcher.pending() > 0) fail("a pair while others that were submitted are on their way");
  submit_checked(matcher, left, right);
  DisparityMap map;
  matcher.next(map);
  return map;
}

template <class Pixel>
DisparityMap match(Queue& queue, ImageView<const Pixel> left, ImageView<const Pixel> right,
                   const SgmOptions& options) {
  stereo::check_sgm(options);
  stereo::check_images("stereo_sgm", left, right, 4);
  return StereoMatcher(queue, left.width, left.height, options, 8 * sizeof(Pixel))(left, right);
}

DisparityMap match_ssd(Queue& queue, ImageView<const std::uint8_t> left,
                       ImageView<const std::uint8_t> right, const SsdOptions& options) {
  stereo::check_images("stereo_ssd", left, right);
  return StereoMatcher(queue, left.width, left.height, options)(left, right);
}

}  // namespace

StereoMatcher::StereoMatcher(Queue& queue, int width, int height, const SgmOptions& options,
                             int bits) {
  check_size(width, height);
  stereo::check_sgm(options);
  if (bits == 8) {
    matcher8_ = make_matcher<std::uint8_t>(queue, {width, height}, options);
  } else if (bits == 16) {
    matcher16_ = make_matcher<std::uint16_t>(queue, {width, height}, options);
  } else {
    fail(fmt::format("bits = {}: must be 8 or 16", bits));
  }
}
StereoMatcher::StereoMatcher(Ssd, Queue& queue, int width, int height, const SsdOptions& options) {
  check_size(width, height);
  stereo::check_ssd(options);
  matcher8_ = make_matcher<std::uint8_t>(queue, {width, height}, options);
}
StereoMatcher::~StereoMatcher() = default;
StereoMatcher::StereoMatcher(StereoMatcher&&) noexcept = default;
StereoMatcher& StereoMatcher::operator=(StereoMatcher&&) noexcept = default;

template <class Pixel>
stereo::PairMatcher<Pixel>& StereoMatcher::matcher() {
  if constexpr (std::is_same_v<Pixel, std::uint8_t>) {
    if (!matcher8_) fail("images of 8 bits; it was made for 16");
    return *matcher8_;
  } else {
    if (!matcher16_) fail("images of 16 bits; it was made for 8");
    return *matcher16_;
  }
}

std::size_t StereoMatcher::memory() const {
  return matcher8_ ? matcher8_->memory() : matcher16_->memory();
}
int StereoMatcher::pending() const {
  return static_cast<int>(matcher8_ ? matcher8_->pending() : matcher16_->pending());
}

void StereoMatcher::run(const Memory<const std::uint8_t>& left,
                        const Memory<const std::uint8_t>& right, const StereoOutput& out) {
  run_checked(matcher<std::uint8_t>(), left, right, out);
}
void StereoMatcher::run(const Memory<const std::uint16_t>& left,
                        const Memory<const std::uint16_t>& right, const StereoOutput& out) {
  run_checked(matcher<std::uint16_t>(), left, right, out);
}

DisparityMap StereoMatcher::operator()(ImageView<const std::uint8_t> left,
                                       ImageView<const std::uint8_t> right) {
  return match_one(matcher<std::uint8_t>(), left, right);
}
DisparityMap StereoMatcher::operator()(ImageView<const std::uint16_t> left,
                                       ImageView<const std::uint16_t> right) {
  return match_one(matcher<std::uint16_t>(), left, right);
}

void StereoMatcher::submit(ImageView<const std::uint8_t> left,
                           ImageView<const std::uint8_t> right) {
  submit_checked(matcher<std::uint8_t>(), left, right);
}
void StereoMatcher::submit(ImageView<const std::uint16_t> left,
                           ImageView<const std::uint16_t> right) {
  submit_checked(matcher<std::uint16_t>(), left, right);
}

void StereoMatcher::next(DisparityMap& map) {
  if (pending() == 0) fail("next, but no pair was submitted");
  if (matcher8_) {
    matcher8_->next(map);
  } else {
    matcher16_->next(map);
  }
}

DisparityMap stereo_sgm(ImageView<const std::uint8_t> left, ImageView<const std::uint8_t> right,
                        const SgmOptions& options) {
  Queue queue;
  return match(queue, left, right, options);
}
DisparityMap stereo_sgm(ImageView<const std::uint16_t> left, ImageView<const std::uint16_t> right,
                        const SgmOptions& options) {
  Queue queue;
  return match(queue, left, right, options);
}
DisparityMap stereo_sgm(Queue& queue, ImageView<const std::uint8_t> left,
                        ImageView<const std::uint8_t> right, const SgmOptions& options) {
  return match(queue, left, right, options);
}
DisparityMap stereo_sgm(Queue& queue, ImageView<const std::uint16_t> left,
                        ImageView<const std::uint16_t> right, const SgmOptions& options) {
  return match(queue, left, right, options);
}

DisparityMap stereo_ssd(ImageView<const std::uint8_t> left, ImageView<const std::uint8_t> right,
                        const SsdOptions& options) {
  Queue queue;
  return match_ssd(queue, left, right, options);
}
DisparityMap stereo_ssd(Queue& queue, ImageView<const std::uint8_t> left,
                        ImageView<const std::uint8_t> right, const SsdOptions& options) {
  return match_ssd(queue, left, right, options);
}

}  // namespace bifocal
